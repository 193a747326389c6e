#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every option that a command accepts has an effect, or is refused: each option of each command, as --help lists them, in each mode.

option_cases.py has a value for each. An option without a case fails the test, as does a case without an option. The end of the output is
a table: what each option did in each mode."""

import collections
import json
import os
import pathlib
import signal
import subprocess
import time
import unittest

import command
import option_cases as cases
import option_listing as listing

SOURCE = pathlib.Path(__file__).resolve().parents[2]
WHOLE = os.environ.get("TEST_EFFORT") == "full"
# Commands whose options option_cases.py does not try, and the test below that does.
OTHERS = {"calibrate": "Calibrate", "top": "Top", "omp": "Omp", "study": "Study"}


class Tried(command.Case):
    @classmethod
    def setUpClass(cls):
        cls.given = dict(cases.GIVEN_FILES)
        for name, seed in (("trace", "1"), ("second", "2")):
            folder = pathlib.Path(os.environ.get("TMPDIR", "/tmp")) / f"skua-options-{os.getpid()}"
            folder.mkdir(exist_ok=True)
            command.must_work("sim", "fib", "--n", "12", "--task-ns", "50", "--policies", "random", "--workers", "4", "--seed", seed, "--trace", name, "--trace-size", "64k", cwd=folder)
            cls.given[name] = (folder / name).read_bytes()
            (folder / name).unlink()
            folder.rmdir()

    def setUp(self):
        super().setUp()
        self.runs = 0
        self.before = {}

    def result(self, line):
        """Of a command that runs in a folder of its own, with those of the given files that it names."""
        folder = self.scratch / str(self.runs)
        self.runs += 1
        folder.mkdir()
        for name, content in self.given.items():
            if name in line:
                (folder / name).write_bytes(content)
        code, out, err = command.run(*line, cwd=folder, errors="replace", variables={"SKUA_TRACE_SIZE": "256k"})
        files = {}
        for path in sorted(folder.rglob("*")):
            name = str(path.relative_to(folder))
            if path.is_file() and path.read_bytes() != self.given.get(name):
                files[name] = path.read_bytes()
            path.is_file() and path.unlink()
        return cases.Result(code, out, err, files)

    def with_option(self, line, option, name, value):
        """The line with this value: in place of the one that it has, or at the end. `value` may begin with "=": "--recover=drop"."""
        line = list(line)
        if option.is_argument:
            at = [i for i in range(1, len(line)) if not line[i].startswith("-") and not line[i - 1].startswith("-")]
            return [*line[:1], value, *line[1 + len(at[:1]):]]
        for known in option.names:
            if known in line:
                at = line.index(known)
                has_value = at + 1 < len(line) and option.kind
                del line[at:at + 1 + bool(has_value)]
            line = [word for word in line if not word.startswith(known + "=")]
        if value is None:
            return [*line, name]
        return [*line, f"{name}{value}"] if value.startswith("=") else [*line, name, value]


class Options(Tried):
    def of_mode(self, case_part, mode, otherwise):
        """A case says one thing for all modes, or {mode: what}."""
        if isinstance(case_part, dict):
            return case_part.get(mode, otherwise)
        return otherwise if case_part is None else case_part

    def outcome(self, of_command, mode_name, mode, option, name, case):
        """"effect", "refused", "default" or "unseen"; fails otherwise. Together with the line that it tried."""
        line = self.of_mode(getattr(case, "line", None), mode_name, mode.line)
        view = self.of_mode(getattr(case, "view", None), mode_name, mode.view)
        changed = self.with_option(line, option, name, self.of_mode(getattr(case, "to", None), mode_name, None))
        after = self.result(changed)
        told = f"skua {' '.join(changed)} -> {after.code}: {after.err}"
        if after.code == 2 and command.mode_refusal(option.names, of_command, after.err):
            return "refused", line
        if not getattr(case, "may_fail", False):
            self.assertEqual(after.code, 0, told)
        if isinstance(case, cases.Unseen):
            return "unseen", line
        before = self.seen_before(view, line)
        if isinstance(case, cases.Default):
            self.assertTrue(before == view(after), f"{told}\n{name} holds anyhow, but changes something")
            return "default", line
        self.assertFalse(before == self.seen(view, after), f"{told}\n{name} has no effect")
        return "effect", line

    def seen_before(self, view, line):
        """Without the option, in two runs."""
        key = view, tuple(line)
        if key not in self.before:
            runs = [self.result(line) for _ in range(2)]
            self.assertEqual([r.code for r in runs], [0, 0], f"skua {' '.join(line)}: {runs[0].err}{runs[1].err}")
            self.assertTrue(view(runs[0]) == view(runs[1]), f"skua {' '.join(line)}: two runs differ, so nothing can be seen")
            self.before[key] = view(runs[0])
        return self.before[key]

    def seen(self, view, result):
        """A result that has another form than the mode's, such as text instead of JSON, has changed."""
        try:
            return view(result)
        except ValueError:
            return result

    def refuses_wrong_values(self, option, name, case, line):
        wrong = case.wrong if getattr(case, "wrong", None) is not None else cases.WRONG[option.kind] if option.kind or option.is_argument else ()
        for value in (*wrong, *getattr(case, "also_wrong", ())):
            tried = self.with_option(line, option, name, value)
            with self.subTest(line=" ".join(tried)):
                found = self.result(tried)
                self.assertIn(found.code, (1, 2), f"accepted: {found.out[:300]}{found.err}")
                self.assertTrue(command.is_one_line(found.err), found.err)

    def check(self, of_command):
        modes, known = cases.COMMANDS[of_command]
        modes = {name: mode for name, mode in modes.items() if command.PEERS_RUN or not cases.has_peers(mode.line)}
        options = [o for o in listing.options(of_command) if "--help" not in o.names]
        self.assertEqual(sorted(n for o in options for n in o.names), sorted(known), "--help and option_cases.py name the same options")
        for option in options:
            for name in option.names:
                case, found = known[name], {}
                for mode_name, mode in modes.items():
                    with self.subTest(option=name, mode=mode_name):
                        found[mode_name], line = self.outcome(of_command, mode_name, mode, option, name, case)
                        if found[mode_name] in ("effect", "unseen") and (option.kind or option.is_argument):
                            self.refuses_wrong_values(option, name, case, line)
                TABLE[of_command, name] = found
                if len(found) == len(modes):
                    self.assertTrue(set(found.values()) - {"refused"}, f"{name} is refused in every mode")
                if isinstance(case, cases.Unseen):
                    path, proof = case.proof
                    self.assertIn(proof, (SOURCE / path).read_text(encoding="utf-8"), f"{name}: {case.reason}: {path} is said to show it")


TABLE = {}


def add_tests():
    for of_command in cases.COMMANDS:
        def of_this(self, of_command=of_command):
            self.check(of_command)
        setattr(Options, f"test_every_option_of_{of_command}_has_an_effect_or_is_refused", of_this)


class Listing(command.Case):
    def test_every_command_has_cases(self):
        self.assertEqual(sorted(listing.commands()), sorted([*cases.COMMANDS, *OTHERS]))
        for test in OTHERS.values():
            self.assertIn(test, globals())

    def test_every_command_explains_itself(self):
        version = self.works("--version")
        self.assertRegex(version, r"^skua \d")
        for of_command in listing.commands():
            for name in ("-h", "--help"):
                self.assertIn(f"Usage: skua {of_command}", self.works(of_command, name))


class Calibrate(Tried):
    """A calibration takes a minute or more, so one shows the effect of all options, in the long variant of this test."""

    OPTIONS = {"--output": "model.toml", "--name": "it", "--rounds": "4"}

    def test_every_option_has_a_case_and_refuses_wrong_values(self):
        options = [o for o in listing.options("calibrate") if "--help" not in o.names]
        self.assertEqual(sorted(n for o in options for n in o.names), sorted(self.OPTIONS))
        for name, wrong in (("--output", cases.WRONG["FILE|-"]), ("--name", ('"', "a\nb", "")), ("--rounds", (*cases.NUMBERS, "0", "2", "1001"))):
            for value in wrong:
                with self.subTest(option=name, value=value):
                    found = self.result(["calibrate", name, value])
                    self.assertTrue(found.code in (1, 2) and command.is_one_line(found.err), found)

    @unittest.skipUnless(WHOLE, "it takes a minute: TEST_EFFORT=full")
    def test_every_option_has_an_effect(self):
        self.given = {}
        found = self.result(["calibrate", *(word for pair in self.OPTIONS.items() for word in pair)])
        self.assertEqual((found.code, found.out, list(found.files)), (0, "", ["model.toml"]), found.err)
        model = found.files["model.toml"].decode()
        self.assertIn('\nname = "it"\n', model)
        self.assertIn("medians of 4 rounds", model)
        for name in self.OPTIONS:
            TABLE["calibrate", name] = {"": "effect"}


class Top(Tried):
    """What `skua top` prints of a program that works: one sample or several, as text or JSON, of an interval."""

    @staticmethod
    def seen(process, *options):
        """(several samples, JSON, its interval in tenths of a second)"""
        with command.start("top", str(process.pid), *options) as top:
            if "--once" in options or "--json" in options:
                out, err = top.communicate(timeout=command.TIMEOUT_S)
            else:
                out, err = "", ""
                while out.count("\n\n") < 2 and (line := top.stdout.readline()):  # an empty line behind each sample
                    out += line
                top.send_signal(signal.SIGTERM)
                top.communicate(timeout=command.TIMEOUT_S)
        return out, err

    def test_every_option_has_an_effect(self):
        self.assertEqual(sorted(n for o in listing.options("top") if "--help" not in o.names for n in o.names), ["--interval", "--json", "--once", "PID"])
        with command.start("run", "fib", "--n", "60", "--workers", "2", stdout=subprocess.DEVNULL) as program:
            try:
                while not command.has_pool(program.pid):
                    self.assertIsNone(program.poll())
                    time.sleep(0.01)
                for wrong in (*cases.WRONG["MS"], "9", "3600001"):
                    with self.subTest(interval=wrong):
                        self.refuses("top", str(program.pid), "--once", "--interval", wrong, message=["--interval"])
                for wrong in ("nope", "-1", "0", "nan"):
                    with self.subTest(pid=wrong):
                        self.refuses("top", "--once", "--", wrong, message=["PID"])
                one, _ = self.seen(program, "--once", "--interval", "50")
                many, _ = self.seen(program, "--interval", "50")
                self.assertGreater(len(many.splitlines()), len(one.splitlines()), "--once")
                short, long = (json.loads(self.seen(program, "--json", "--interval", t)[0])["pools"][0]["interval_s"] for t in ("50", "500"))
                self.assertGreaterEqual(long, 0.5, "--interval: no sample is of a shorter time")
                # --json takes one sample anyhow.
                self.assertEqual(*(sorted(json.loads(self.seen(program, "--json", "--interval", "50", *more)[0])) for more in ([], ["--once"])))
                self.refuses("top", str(os.getpid()), "--once", code=1, message=["no pool of Skua"])
            finally:
                program.kill()
        TABLE.update({("top", name): {"": "effect"} for name in ("PID", "--interval", "--once", "--json")})


class Omp(Tried):
    """What `skua omp` gives to the program that it becomes: variables, arguments, and the library."""

    OPTIONS = {"--policy": ["adws", "SKUA_POLICY=adws"], "--threads": ["3", "OMP_NUM_THREADS=3"], "--trace": ["omp.trace", "SKUA_TRACE=omp.trace"]}

    def test_every_option_has_an_effect(self):
        self.assertEqual(sorted(n for o in listing.options("omp") if "--help" not in o.names for n in o.names), [*self.OPTIONS, "COMMAND"])
        plain = self.works("omp", "--", "env").splitlines()
        self.assertTrue(any(line.startswith("LD_PRELOAD=") and "/libgomp-skua.so.1" in line for line in plain))
        for name, (value, variable) in self.OPTIONS.items():
            with self.subTest(name):
                self.assertNotIn(variable, plain)
                self.assertIn(variable, self.works("omp", name, value, "--", "env").splitlines())
            TABLE["omp", name] = {"": "effect"}
        self.assertEqual(self.works("omp", "--", "echo", "--its", "own").strip(), "--its own")
        TABLE["omp", "COMMAND"] = {"": "effect"}
        for wrong in ("0", "-1", "nan", "20000"):
            self.refuses("omp", "--threads", wrong, "--", "env", message=["--threads"])
        self.refuses("omp", "--policy", "nope", "--", "env", message=["nope"])
        self.refuses("omp", message=["COMMAND is missing"])
        self.refuses("omp", "--", "/nothing/here", code=1, message=["'/nothing/here' cannot be started"])


class Study(Tried):
    """A study of which only the first part has time: what it writes down says what it was asked."""

    SHORT = ["--minutes", "0.1", "--quick", "--only", "herd"]

    def found(self, *options):
        folder = self.scratch / "study"
        code, _, err = command.run("study", *self.SHORT, "--output", str(folder), *options)
        self.assertEqual(code, 0, err)
        return json.loads((folder / "study.json").read_text())

    def test_every_option_has_an_effect(self):
        self.assertEqual(sorted(n for o in listing.options("study") if "--help" not in o.names for n in o.names),
                         ["--again", "--minutes", "--only", "--output", "--policies", "--quick", "--workers"])
        plain = self.found("--workers", "2")
        self.assertEqual(sorted(plain["parts"]), ["bench/herd", "calibration", "machine"])  # --only
        self.assertEqual(plain["parts"]["calibration"]["why"], "no time was left")  # --minutes
        self.assertEqual(plain["worker_counts"], [1, 2])
        self.assertEqual(self.found("--again", "--workers", "5")["worker_counts"], [1, 5])  # --again, --quick
        self.assertEqual(self.found("--again", "--policies", "adws")["of"]["policies"], "adws")
        for name, wrong in (("--minutes", ("0", "nan", "-1", "1000")), ("--workers", ("0", "-1", "nan", "5000")), ("--only", ("her", "")), ("--policies", ("nope",))):
            for value in wrong:
                with self.subTest(name, value=value):
                    self.refuses("study", name, value, message=[value if name == "--policies" else name])
        self.refuses("study", *self.SHORT, "--output", "/proc/nothing", code=1, message=["/proc/nothing"])
        TABLE.update({("study", name): {"": "effect"} for name in ("--again", "--minutes", "--only", "--output", "--policies", "--quick", "--workers")})


def tearDownModule():
    count = collections.Counter(outcome for found in TABLE.values() for outcome in found.values())
    for (of_command, name), found in TABLE.items():
        print(f"{of_command:11}{name:18}" + "; ".join(f"{mode + ': ' if mode else ''}{outcome}" for mode, outcome in found.items()))
    commands = {c for c, _ in TABLE}
    print(f"{len(TABLE)} names of options of {len(commands)} commands, {sum(count.values())} pairs with a mode: {dict(count)}", flush=True)


add_tests()
if __name__ == "__main__":
    command.main()
