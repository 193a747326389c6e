#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whatever makes no sense ends with exit code 2 and one line, "X is ...; allowed: ...": see Case.refuses."""

import os
import pathlib
import resource
import signal
import subprocess
import unittest

import command


class Names(command.Case):
    def test_a_missing_subcommand_is_refused_with_those_that_exist(self):
        self.refuses(message=["subcommand is missing; allowed: doctor, "])

    def test_an_unknown_subcommand_is_refused_with_the_nearest(self):
        self.refuses("lst", message=["subcommand is 'lst'; allowed: doctor, ", "; did you mean 'list'?"])

    def test_a_missing_app_is_refused_with_those_that_exist(self):
        self.refuses("run", message=["run: app is missing; allowed: fib, "])
        self.refuses("compare", message=["compare: app is missing; allowed: fib, "])

    def test_an_unknown_app_is_refused_with_the_nearest(self):
        self.refuses("run", "cilksrt", message=["app is 'cilksrt'; allowed: fib, ", "; did you mean 'cilksort'?"])

    def test_an_unknown_option_is_refused_with_the_nearest(self):
        self.refuses("run", "fib", "--polcy", "random",
                     message=["run fib: option is '--polcy'; allowed: see skua run fib --help; did you mean '--policy'?"])
        self.refuses("run", "uts", "--tre=T1", message=["'--tre=T1'", "'--tree'"])
        self.refuses("doctor", "-x", message=["doctor: option is '-x'; allowed: see skua doctor --help"])

    def test_an_argument_too_many_is_refused(self):
        self.refuses("run", "fib", "extra", message=["argument is 'extra'; allowed: options only"])
        self.refuses("list", "fib", message=["'fib'"])

    def test_an_unknown_policy_is_refused_with_the_nearest(self):
        self.refuses("run", "fib", "--policy", "randm",
                     message=["policy is 'randm'; allowed: auto, random, hierarchical, ", "; did you mean 'random'?"])
        self.refuses("compare", "fib", "--policies", "random,hierachical", message=["'hierachical'", "'hierarchical'"])
        self.refuses("run", "fib", "--policy", "hierarchical:patience=0", message=["patience", "1", "1000"])

    def test_an_unknown_balancer_or_distribution_is_refused_with_the_nearest_and_is_no_policy(self):
        self.refuses("balance", "--how", "centralized", message=["balancer is 'centralized'; allowed: none, ", "did you mean 'centralised'?"])
        self.refuses("balance", "--how", "hierarchical:arty=4", message=["'arty'; allowed: arity, ", "did you mean 'arity'?"])
        self.refuses("balance", "--how", "none,none", message=["each item once"])
        self.refuses("balance", "--distribution", "table", message=["--distribution is 'table'; allowed: equal, uniform, lognormal, table3; did you mean 'table3'?"])
        self.refuses("balance", "--distribution", "equal", "--cost-model", "0.9", message=["--cost-model is given with --distribution equal; allowed: one of them"])
        self.refuses("balance", "--pattern", "4", message=["--pattern is '4'; allowed: N,M"])
        self.refuses("balance", "--cost-model", "-1", message=["--cost-model is '-1'; allowed: a number from 0 to 1000"])
        self.refuses("run", "fib", "--policy", "tempered", message=["policy is 'tempered'; allowed: auto, random, "])

    def test_a_wrong_file_of_loads_is_refused_with_the_line(self):
        loads = self.scratch / "loads.csv"
        for text, said in (("0,1\n1;2\n", ":2: a line is '1;2'; allowed: rank,load"), ("0,1\n\n0,x\n", ":3: a load is 'x'; allowed: "),
                           ("-1,1\n", ":1: a rank is '-1'; allowed: "), ("", ": the file has no task; allowed: ")):
            loads.write_text(text, encoding="utf-8")
            self.refuses("balance", "--loads", str(loads), message=[f"{loads}{said}"])
        self.refuses("balance", "--loads", str(self.scratch / "none.csv"), message=["the file is not readable; allowed: "])
        self.refuses("balance", "--loads", str(self.scratch), message=["there is no file of a rank; allowed: a directory with files STEM.RANK.json"])
        loads.write_text("0,1\n4,1\n", encoding="utf-8")
        self.refuses("balance", "--loads", str(loads), "--ranks", "4", message=[f"{loads}:2: a rank is '4'; allowed: a whole number from 0 to 3"])
        self.refuses("balance", "--loads", str(loads), "--unit", "sec", message=["--unit is 'sec'; allowed: ns, us, ms, s"])
        self.refuses("balance", "--unit", "s", message=["--unit is given without --loads; allowed: only with --loads"])
        self.refuses("balance", "--loads", "/dev/zero", message=["/dev/zero: a line is longer than 65536 bytes"], allowed=False)

    def test_files_of_vt_say_their_unit_themselves(self):
        file = self.scratch / "data.0.json"
        file.write_text('{"type": "LBDatafile", "phases": [{"id": 0, "tasks": []}]}', encoding="utf-8")
        self.refuses("balance", "--loads", str(file), "--unit", "s", message=["--unit is given with --loads", "the times of DARMA vt's files are seconds"])
        file.write_text('{"type": "LBDatafile", "phases": [{"id": 0, "tasks": [\n\x1b[2J', encoding="utf-8")
        self.refuses("balance", "--loads", str(file), message=[f"{file}: not JSON: line 2, column 1: "], allowed=False)

    def test_options_of_a_policy_that_no_comma_separates_are_refused_with_the_form(self):
        for policy in ("numa-ws:threshold=4:bias=2", "numa-ws:threshold=4;bias=2", "numa-ws:threshold=4 bias=2"):
            self.refuses("run", "fib", "--policy", policy, message=["a comma between each two, as in NAME:OPTION,OPTION=VALUE"])
        self.assertIn("NAME:OPTION,OPTION", self.works("run", "--help"))

    def test_a_policy_or_peer_that_is_listed_twice_is_refused(self):
        self.refuses("compare", "fib", "--policies", "random,adws,random", message=["--policies is 'random,adws,random'; allowed: each item once"])
        self.refuses("compare", "fib", "--peers", "tbb,tbb", message=["--peers is 'tbb,tbb'; allowed: each item once"])
        self.refuses("sim", "fib", "--policies", "adws,adws", message=["--policies is 'adws,adws'; allowed: each item once"])

    def test_an_unknown_peer_is_refused_with_those_that_exist(self):
        self.refuses("run", "fib", "--peer", "rayon", message=["--peer is 'rayon'; allowed: serial, openmp, tbb"])
        self.refuses("compare", "fib", "--peers", "serial,tb", message=["'tb'", "'tbb'"])

    def test_an_unknown_style_of_a_peer_is_refused_with_those_that_exist(self):
        self.refuses("compare", "heat", "--peers", "tbb:afinity", message=["'afinity'", "auto, static, affinity, simple", "'affinity'"])
        self.refuses("compare", "heat", "--peers", "openmp:", message=["static, dynamic, tasks"])
        self.refuses("compare", "heat", "--peers", "serial:static", message=["serial:static", "one way only"])
        self.refuses("compare", "fib", "--peers", "tbb:affinity", message=["tbb:affinity", "fib", "one way only"])
        self.refuses("compare", "heat", "--peers", "tb:affinity", message=["'tb'", "'tbb'"])
        self.refuses("run", "fib", "--peer", "tbb:affinity", message=["--peer", "one way only"])

    def test_choices_that_exclude_each_other_are_refused_with_the_reason(self):
        self.refuses("run", "fib", "--peer", "tbb", "--policy", "random", message=["--policy", "--peer"])
        self.refuses("compare", "fib", "--policies", "none", "--breakdown", message=["--breakdown", "--policies"])
        self.refuses("run", "fib", "--peer", "tbb", "--stats",
                     message=["--stats is given with --peer; allowed: one of them, because only Skua's workers have counters"])
        self.refuses("run", "fib", "--peer", "serial", "--workers", "2",
                     message=["--workers is '2'; allowed: 1, because --peer serial has one worker"])
        for option in (["--scatter"], ["--spin", "5us"], ["--stack", "16k"], ["--pin", "on"], ["--places", "cores"], ["--synthetic", "core:4"],
                       ["--xml", "x"]):
            for peer in ("serial", "openmp", "tbb"):
                with self.subTest(option=option[0], peer=peer):
                    self.refuses("run", "heat", "--peer", peer, *option, message=[option[0], "--peer"])
            self.refuses("compare", "fib", "--policies", "none", *option, message=[option[0], "--policies none"])
        for option in (["--spin", "5us"], ["--stack", "16k"], ["--pin", "on"]):
            self.refuses("run", "fib", "--virtual", *option, message=[option[0], "--virtual"])
        self.refuses("topology", "--synthetic", "core:2", "--xml", "x", message=["--synthetic", "--xml"])
        self.refuses("compare", "fib", "--policies", "none", "--peers", "none", message=["nothing"])

    def test_an_option_of_an_app_before_its_name_is_told_where_it_belongs(self):
        self.refuses("run", "--n", "10", "fib", message=["option is '--n' before 'fib'; allowed: behind it, skua run fib --n"])
        self.refuses("run", "--n", "10", message=["option is '--n', and the app is missing; allowed: behind an app that has it, skua run fib --n"])

    def test_a_number_outside_its_range_is_told_the_range(self):
        self.refuses("experiment", "own.toml", "--vary", "--threshold", "2000", message=["--threshold is '2000'; allowed: PERCENT, 0 to 1000"])

    def test_an_option_without_its_value_or_twice_is_refused(self):
        self.refuses("run", "fib", "--n", message=["--n is missing its value; allowed: a whole number ("])
        self.refuses("run", "fib", "--n", "5", "--n", "6", message=["--n is given 2 times; allowed: once"])


class Numbers(command.Case):
    def test_numbers_of_workers_are_whole_and_from_1_to_65536(self):
        for count in ("0", "-1", "-0", "65537", "99999999999999999999", "two", "1.5", "", " ", "0x2", "2,"):
            with self.subTest(count=count):
                for subcommand in (["run", "fib"], ["topology"]):
                    self.refuses(*subcommand, "--workers", count, message=[f"--workers is '{count}'; allowed: a whole number from 1 to 65536"])

    def test_calibrate_refuses_few_rounds_and_names_with_quotes(self):
        for count in ("0", "2", "1001", "few", ""):
            with self.subTest(count=count):
                self.refuses("calibrate", "--rounds", count, message=["--rounds", "3 to 1000"])
        self.refuses("calibrate", "--name", 'a "name"', message=["--name", "without quotes"])

    def test_lists_of_workers_hold_numbers_only(self):
        for counts in ("1,0", "1,-1", "1,65537", "1,two", "1,,2", ",", ""):
            with self.subTest(counts=counts):
                self.refuses("compare", "fib", "--workers", counts, message=["--workers"])

    def test_a_peer_refuses_more_workers_than_its_library_can_run(self):
        self.refuses("compare", "fib", "--workers", "65536", message=["openmp", "1024"])
        self.refuses("run", "fib", "--peer", "tbb", "--workers", "65536", message=["tbb", "1024"])

    def test_repeat_is_a_whole_number_of_at_least_1(self):
        for count in ("0", "-1", "many", "99999999999"):
            self.refuses("run", "fib", "--repeat", count, message=["--repeat", "1 to"])
            self.refuses("compare", "fib", "--repeat", count, message=["--repeat", "1 to"])

    def test_an_apps_own_options_are_checked_too(self):
        self.refuses("run", "fib", "--n", "0", message=["fib: --n is 0; allowed: 1 to 93"])
        self.refuses("run", "fib", "--n", "-5", message=["fib: --n is -5; allowed: 1 to 93"])
        self.refuses("run", "fib", "--n", "abc", message=["--n is 'abc'; allowed: a whole number ("])
        self.refuses("run", "uts", "--branching", "wide", message=["--branching", "number"])
        self.refuses("run", "uts", "--branching", "1e300", message=["--branching is 1e+300; allowed: 1 to 1e+06"])
        self.refuses("run", "heat", "--alpha", "nan", message=["--alpha is nan; allowed: 0 to 1"])
        self.refuses("run", "uts", "--branching", "1e400", message=["--branching is '1e400'; allowed: a number ("])

    def test_a_number_beyond_its_type_is_refused_as_typed(self):
        for count in ("99999999999999999999", "-99999999999999999999", "0x10", "010", "+5", "5 "):
            with self.subTest(count=count):
                self.refuses("run", "fib", "--n", count, message=[f"--n is '{count}'; allowed: a whole number ("])

    def test_an_empty_value_of_an_apps_option_is_no_zero(self):
        for arguments in (["fib", "--n", ""], ["heat", "--alpha", ""], ["heat", "--input", ""], ["heat", "--output", ""], ["uts", "--tree", ""]):
            for subcommand in ("run", "compare", "sim"):
                with self.subTest(arguments=arguments, subcommand=subcommand):
                    self.refuses(subcommand, *arguments, message=[f"{arguments[1]} is missing its value; allowed: "])

    def test_more_noise_than_time_is_refused(self):
        for noise in ("1000000:1us", "1000:1ms", "1:1s", "1000000:292y", "1000000:100s"):
            with self.subTest(noise=noise):
                self.refuses("sim", "fib", "--n", "5", "--task-ns", "3", "--noise", noise)
        self.refuses("run", "uts", "--tree", "T9", message=["--tree is 'T9'; allowed: T1, "])

    def test_the_options_of_a_pool_are_checked(self):
        self.refuses("run", "fib", "--pin", "maybe", message=["--pin", "on"])
        self.refuses("run", "fib", "--spin", "5", message=["--spin", "us"])
        self.refuses("run", "fib", "--stack", "1", message=["--stack", "16k"])
        self.refuses("run", "fib", "--places", "{0,", message=["--places", "cores"])


class Variables(command.Case):
    def test_a_senseless_variable_is_named_with_its_value_and_what_is_allowed(self):
        for name in ("SKUA_WORKERS", "SKUA_PLACES", "SKUA_PIN", "SKUA_SPIN", "SKUA_STACK"):
            with self.subTest(variable=name):
                self.refuses("run", "fib", "--n", "5", variables={name: "b0gus!"}, message=[f"{name} is 'b0gus!'", "; allowed: "])

    def test_a_senseless_policy_is_named_with_those_that_exist(self):
        rights = {"randm": "policy is 'randm'; allowed: auto, random, hierarchical", "RANDOM": "did you mean 'random'?", "numa_ws": "did you mean 'numa-ws'?",
                  "numa-ws:bias=0": "from 1 to 100", "adws:no-steal=0": "allowed: no-steal, without a value", "b0gus!": "allowed: auto, random, hierarchical"}
        for wrong, right in rights.items():
            for arguments in (["run", "fib", "--n", "5"], ["run", "fib", "--n", "5", "--virtual"], ["doctor"]):
                with self.subTest(policy=wrong, arguments=arguments):
                    self.refuses(*arguments, variables={"SKUA_POLICY": wrong}, message=["SKUA_POLICY: ", right])
        self.works("run", "fib", "--n", "5", "--policy", "random", variables={"SKUA_POLICY": "randm"})

    def test_a_senseless_variable_of_openmp_is_named_too(self):
        # The OpenMP library of the peers prints a message of its own before the command begins.
        code, out, err = command.run("run", "fib", "--n", "5", variables={"OMP_NUM_THREADS": "b0gus!"})
        self.assertEqual((code, out), (2, ""))
        self.assertRegex(err, r"skua: run: OMP_NUM_THREADS is 'b0gus!'; allowed: .* 1 to 65536.*\n$")

    def test_a_variable_that_skua_does_not_read_is_named_once(self):
        for arguments in (["run", "fib", "--n", "5"], ["run", "fib", "--n", "5", "--virtual"], ["doctor"],
                          ["compare", "fib", "--n", "5", "--peers", "none", "--repeat", "1"]):
            with self.subTest(arguments=arguments):
                code, _, err = command.run(*arguments, variables={"SKUA_WORKER": "3"})
                self.assertEqual((code, err.count("\n")), (0, 1), err)
                self.assertTrue(err.startswith("skua: note: SKUA_WORKER is set, but Skua reads only SKUA_WORKERS, "), err)
                self.assertTrue(err.endswith("; did you mean SKUA_WORKERS?\n"), err)
        code, _, err = command.run(program=command.EXAMPLE, variables={"SKUA_WORKER": "3"})
        self.assertEqual((code, err.count("SKUA_WORKER is set")), (0, 1), err)

    def test_doctor_names_senseless_variables_too(self):
        self.refuses("doctor", variables={"SKUA_WORKERS": "0"}, message=["SKUA_WORKERS", "1 to 65536"])


class Files(command.Case):
    def test_a_model_that_cannot_be_read_is_told_from_one_that_is_missing(self):
        missing, folder, empty = self.scratch / "none.toml", self.scratch / "folder.toml", self.scratch / "empty.toml"
        folder.mkdir()
        empty.touch()
        reasons = {missing: "No such file", folder: "Is a directory", empty: "empty", "/dev/zero": "larger than 1 MiB"}
        for path, reason in reasons.items():
            with self.subTest(path=path):
                self.refuses("sim", "fib", "--n", "5", "--machine", str(path), message=[f"machine model is '{path}' ({reason}"])
                if path != "/dev/zero":
                    self.refuses("experiment", str(path), message=[f"experiment is '{path}' ({reason}"])
        (self.scratch / "endless.toml").symlink_to("/dev/zero")
        self.refuses("experiment", str(self.scratch / "endless.toml"), message=["endless.toml' (larger than 1 MiB"])

    @unittest.skipIf(os.geteuid() == 0, "root may read every file")
    def test_a_model_without_permission_says_so(self):
        secret = pathlib.Path(self.malformed("secret.toml", b"name = 1"))
        secret.chmod(0)
        self.refuses("sim", "fib", "--n", "5", "--machine", str(secret), message=["secret.toml' (Permission denied)"])

    def test_keys_nested_without_end_are_refused(self):
        deep = self.malformed("deep.toml", b"a" + b".a" * 200_000 + b" = 1\n")
        self.refuses("sim", "fib", "--n", "5", "--machine", deep, allowed=False, message=["deep.toml:1: a key has more than 16 parts"])
        self.refuses("experiment", deep, allowed=False, message=["deep.toml:1: a key has more than 16 parts"])

    def malformed(self, name, content):
        path = self.scratch / name
        path.write_bytes(content)
        return str(path)

    def test_a_topology_file_that_is_missing_or_malformed_is_named(self):
        self.refuses("topology", "--xml", str(self.scratch / "none.xml"), allowed=False, message=["none.xml", "No such file"])
        for content in (b"", b"hello", b"<topology", b"<topology></topology>", b"\0" * 4096, b"<a><b></a></b>"):
            with self.subTest(content=content[:20]):
                self.refuses("topology", "--xml", self.malformed("bad.xml", content), allowed=False, message=["bad.xml"])
        self.refuses("run", "fib", "--xml", str(self.scratch), allowed=False, message=[str(self.scratch)])
        self.refuses("run", "fib", "--xml", "-", message=["--xml", "standard input"])

    def test_malformed_synthetic_machines_are_refused(self):
        for arguments in ("", "core", "core:0", "foo:2", "core:99999999", "core:4(size=3)"):
            with self.subTest(arguments=arguments):
                self.refuses("topology", "--synthetic", arguments)

    def test_a_picture_that_is_missing_or_malformed_is_named(self):
        self.refuses("run", "heat", "--input", str(self.scratch / "none.pgm"), allowed=False, message=["none.pgm", "No such file"])
        for content in (b"", b"hello", b"P5", b"P5 4 4 255\n1", b"P5 0 4 255\n", b"P2 2 2 255 1 2 3", b"P5 99999999 99999999 255\n"):
            with self.subTest(content=content[:20]):
                self.refuses("run", "heat", "--input", self.malformed("bad.pgm", content), allowed=False, message=["bad.pgm"])

    def test_maps_need_an_app_that_has_them_and_a_name_of_a_picture(self):
        svg = str(self.scratch / "map.svg")
        self.refuses("run", "fib", "--map", svg, message=["--map", "fib", "heat, sph"])
        self.refuses("compare", "fib", "--map-overlap", message=["--map-overlap", "fib", "heat, sph"])
        self.refuses("profile", "fib", "--picture", str(self.scratch / "profile.png"), message=["--picture", "profile.png", ".svg"])
        self.refuses("profile", "fib", "--picture", "/no/such/folder/profile.svg", message=["--picture", "/no/such/folder"])
        self.refuses("run", "heat", "--map", str(self.scratch / "map.jpg"), message=["--map", "map.jpg", ".svg or .png"])
        self.refuses("run", "heat", "--map", "/no/such/folder/map.svg", message=["--map", "/no/such/folder"])
        self.refuses("run", "heat", "--map", svg, "--peer", "serial", message=["--map", "--peer"])
        (self.scratch / "folder.svg").mkdir()
        self.refuses("run", "heat", "--map", str(self.scratch / "folder.svg"), code=1, message=["folder.svg", "directory"])


class Outputs(command.Case):
    """Whatever the machine refuses ends with exit code 1."""

    def test_an_empty_value_counts_as_missing(self):
        for subcommand in (["run", "fib", "--n", "5"], ["compare", "fib", "--n", "5"], ["list"], ["topology"], ["doctor"], ["sim", "fib", "--n", "5"]):
            with self.subTest(subcommand=subcommand[0]):
                self.refuses(*subcommand, "--json", "", message=["--json", "missing"])
        self.refuses("run", "heat", "--map", "", message=["--map", "missing"])
        self.refuses("calibrate", "--output", "", message=["--output", "missing"])
        self.refuses("experiment", "adws-sc19/fig12", "--output", "", message=["--output", "missing"])
        self.refuses("compare", "fib", "--html", "", message=["--html", "missing"])
        self.refuses("profile", "fib", "--picture", "", message=["--picture", "missing"])
        for subcommand in (["run", "fib"], ["compare", "fib"], ["topology"], ["doctor"]):
            self.refuses(*subcommand, "--places", "", message=["--places", "missing"])

    def test_two_results_in_one_file_are_refused(self):
        path = self.scratch / "m.svg"
        self.refuses("run", "heat", "--map", str(path), "--json", f"{self.scratch}/./m.svg", message=["--map is ", "because --json names the same file"])
        self.refuses("run", "heat", "--map", "m.svg", "--json", "./m.svg", cwd=self.scratch, message=["same file"])
        self.refuses("profile", "heat", "--picture", str(path), "--json", str(path), message=["--picture is ", "because --json names the same file"])
        self.assertFalse(path.exists())
        page = str(self.scratch / "page.html")
        self.refuses("compare", "fib", "--html", page, "--json", page, message=["--html is ", "because --json names the same file"])
        self.refuses("compare", "fib", "--html", "-", "--json", "-", message=["--html is '-'", "because --json names the same file"])

    def test_a_page_that_cannot_be_written_is_refused_before_anything_runs(self):
        # fib 60 would run for hours.
        endless = ["compare", "fib", "--n", "60", "--peers", "none", "--html"]
        nowhere = str(self.scratch / "no" / "such" / "page.html")
        self.refuses(*endless, nowhere, code=1, message=[f"cannot write {nowhere}", "No such file"])
        self.refuses(*endless, str(self.scratch), code=1, message=["directory"])

    def test_json_is_refused_where_nothing_can_be_written(self):
        nowhere = str(self.scratch / "no" / "such" / "folder.json")
        for subcommand in (["run", "fib", "--n", "12"], ["compare", "fib", "--n", "12", "--peers", "serial"], ["list"], ["topology"], ["doctor"]):
            with self.subTest(subcommand=subcommand[0]):
                self.refuses(*subcommand, "--json", nowhere, code=1, message=[nowhere, "No such file"])
                self.refuses(*subcommand, "--json", str(self.scratch), code=1, message=["directory"])

    def test_a_full_disk_is_a_failure(self):
        compare = ["compare", "fib", "--n", "12", "--peers", "serial", "--workers", "1", "--repeat", "1"]
        for subcommand in (["run", "fib", "--n", "12"], compare, ["list"], ["topology"], ["doctor"]):
            with self.subTest(subcommand=subcommand[0]):
                self.refuses(*subcommand, "--json", "/dev/full", code=1, message=["/dev/full", "No space"])
                if subcommand is compare:
                    self.refuses(*subcommand, "--html", "/dev/full", code=1, message=["/dev/full", "No space"])
                with open("/dev/full", "w", encoding="utf-8") as full:
                    self.refuses(*subcommand, code=1, message=["standard output", "No space"], stdout=full)
                    self.refuses(*subcommand, "--json", "-", code=1, message=["standard output", "No space"], stdout=full)

    def test_a_closed_output_is_a_failure_and_no_file_takes_its_number(self):
        for subcommand in (["run", "fib", "--n", "12"], ["list"]):
            with self.subTest(subcommand=subcommand[0]):
                # The pool's memory is a file, which would get descriptor 1 and the text.
                self.refuses(*subcommand, code=1, message=["standard output"], stdout=subprocess.DEVNULL, preexec_fn=lambda: os.close(1))

    def test_a_file_that_grows_too_large_is_an_error_and_leaves_no_part(self):
        def small_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

        out = self.scratch / "out.json"
        self.refuses("doctor", "--json", str(out), code=1, message=[str(out), "File too large"], preexec_fn=small_files)
        self.assertEqual(os.listdir(self.scratch), [])
        trace = self.scratch / "t"
        self.refuses("run", "fib", "--n", "12", "--trace", str(trace), allowed=False, message=[str(trace), "File too large"], preexec_fn=small_files)
        self.assertEqual(os.listdir(self.scratch), [])

    @unittest.skipIf(os.environ.get("SANITIZER"), "the sanitizer lives in the address space")
    def test_without_memory_the_error_names_the_limits(self):
        def few_data(kib):
            return lambda: resource.setrlimit(resource.RLIMIT_DATA, (kib << 10, kib << 10))

        for kib in (1_200, 3_000, 20_000):
            with self.subTest(kib=kib):
                self.refuses("run", "fib", "--n", "20", code=1, preexec_fn=few_data(kib), message=[f"data segment (ulimit -d) = {kib} KiB"])

    @unittest.skipIf(os.environ.get("SANITIZER"), "the sanitizer lives in the address space")
    def test_without_room_for_workers_the_error_names_the_limits(self):
        def little_room():
            resource.setrlimit(resource.RLIMIT_AS, (500 << 20, 500 << 20))

        # The first worker to fail speaks: one that gets no thread, or one that runs already and gets no stack for its fiber.
        self.refuses("run", "fib", "--workers", "500", "--stack", "16k", code=1, preexec_fn=little_room,
                     message=["SKUA_WORKERS", "SKUA_STACK", "ulimit -v"])

    def test_a_full_disk_leaves_the_old_file_and_no_half_of_a_new_one(self):
        def small_files():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))

        heat = ["run", "heat", "--n", "64", "--iterations", "1"]
        for arguments, name in ((["--map"], "map.svg"), (["--map"], "map.png"), (["--json"], "out.json"), (["--output"], "out.pgm")):
            with self.subTest(name=name):
                path = self.scratch / name
                self.refuses(*heat, *arguments, str(path), code=1, preexec_fn=small_files, message=[str(path), "File too large"])
                self.assertEqual(list(self.scratch.iterdir()), [], "no half of a file")
                path.write_text("old", encoding="utf-8")
                self.refuses(*heat, *arguments, str(path), code=1, preexec_fn=small_files, message=[str(path), "File too large"])
                self.assertEqual(path.read_text(encoding="utf-8"), "old")
                path.unlink()

    def test_nothing_is_measured_in_vain(self):
        # fib(60) would run for hours.
        self.refuses("run", "fib", "--n", "60", "--json", "/proc/none", code=1, message=["/proc/none"])


if __name__ == "__main__":
    command.main()
