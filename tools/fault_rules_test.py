#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What fault_rules.py plants and what it makes of what tests say."""

import contextlib
import io
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import case_report  # noqa: E402  (they stand beside this file)
import fault_rules  # noqa: E402
from faults import build, rewrite, sites, trial  # noqa: E402

RUNTIME = pathlib.Path(__file__).resolve().parent / "faults" / "runtime.hpp"

SAMPLE = r"""
#include <atomic>
#include <cstdio>
#include <stdexcept>
#include <utility>
struct box { int* p = nullptr; void reset() { p = nullptr; } };
inline void note(int n) { std::printf("%d ", n); }  // a call in a comment: note(1);
constexpr void invariant(bool, char const*) {}
template <class T> bool between(T low, T x, T high) { return low <= x && x < high; }
static_assert(1 < 2 && 2 < 3);
int difference(int a, int b) { return a - b; }
std::atomic<int> word{0};
int both(int a, int b) {
  invariant(a == a && b == b, "never planted");
  if (a > 0 || b > 0)
    note(1);
  else
    note(2);
  for (int i = 0; i < 2; ++i) note(3);
  int x = 0;
  x = a;
  note(x);
  word.store(x, std::memory_order_release);
  try {
    if (b == 7) throw std::runtime_error("seven; \"(quoted)");
  } catch (std::exception const&) {
    note(4);
    throw;
  }
  int const old = std::exchange(x, 0);
  return difference(a, b) + old + x;
}
int main(int n, char**) {
  box one{&n};
  one.reset();
  std::printf("%d ", one.p == nullptr);
  try { std::printf("%d %d\n", both(n, 2), between(1, n, 3)); both(1, 7); } catch (std::exception const&) { std::puts("caught"); }
}
"""


class Rules(unittest.TestCase):
    """The rules on a small source, which is then compiled and run with each of its faults."""

    @classmethod
    def setUpClass(cls):
        if sites.cindex is None:
            raise unittest.SkipTest("python3 has no clang.cindex here (Debian: python3-clang-19)")
        if not shutil.which("c++"):
            raise unittest.SkipTest("there is no c++ here")
        cls.folder = tempfile.TemporaryDirectory()
        root = pathlib.Path(cls.folder.name).resolve()
        (root / "a.cpp").write_text(SAMPLE)
        commands = [{"file": str(root / "a.cpp"), "command": "c++ -std=c++20 -c a.cpp"}]
        cls.found, cls.wrong = sites.find(root, ["a.cpp"], commands)
        (root / "b.cpp").write_bytes(rewrite.rewritten((root / "a.cpp").read_bytes(), cls.found))
        subprocess.run(["c++", "-std=c++20", "-w", "-include", str(RUNTIME), str(root / "b.cpp"), "-o", str(root / "b")], check=True)
        cls.root = root

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def output(self, number, **more):
        return subprocess.run([str(self.root / "b")], capture_output=True, text=True, timeout=60,
                              env=os.environ | {"FAULT": str(number)} | more).stdout

    def one(self, rule, what):
        chosen = [s for s in self.found if s.rule == rule and what in s.what]
        self.assertEqual(len(chosen), 1, (rule, what, [str(s) for s in self.found]))
        return chosen[0]

    RIGHT = "1 1 3 3 1 0 1\n1 3 3 1 4 caught\n"

    def test_without_a_fault_nothing_changes(self):
        self.assertEqual(self.wrong, [])
        self.assertEqual(self.output(0), self.RIGHT)
        self.assertEqual(self.output(len(self.found) + 1), self.RIGHT)

    def test_lines_stay_where_they_are(self):
        self.assertEqual((self.root / "b.cpp").read_text().count("\n"), SAMPLE.count("\n"))

    def test_each_rule_does_what_it_says(self):
        for rule, what, wanted in (
                ("call", "note(1)", "1 3 3 1 0 1\n3 3 1 4 caught\n"),
                ("call", "note(3)", "1 1 1 0 1\n1 1 4 caught\n"),
                ("assignment", "x = a", "1 1 3 3 0 -1 1\n1 3 3 0 4 caught\n"),
                ("operand", "x < high of", self.RIGHT),
                ("border", "i < 2", "1 1 3 3 3 1 0 1\n1 3 3 3 1 4 caught\n"),
                ("border", "low <= x", "1 1 3 3 1 0 0\n1 3 3 1 4 caught\n"),
                ("negation", "b == 7", "1 1 3 3 1 4 caught\n"),
                ("exchange", "x = a <> note(x)", "1 1 3 3 0 0 1\n1 3 3 0 4 caught\n"),
                ("reset", "one.reset()", "0 1 3 3 1 0 1\n1 3 3 1 4 caught\n"),
                ("reset", "std::exchange", "1 1 3 3 1 1 1\n1 3 3 1 4 caught\n"),
                ("exception", "catch { note(4); throw;", "1 1 3 3 1 0 1\n1 3 3 1 "),
                ("exception", "throw std::runtime_error", "1 1 3 3 1 0 1\n1 3 3 1 "),
                ("arguments", "a <> b of difference", "1 1 3 3 1 2 1\n1 3 3 1 4 caught\n")):
            with self.subTest(rule=rule, what=what):
                self.assertEqual(self.output(self.one(rule, what).number), wanted)
        self.one("order", "memory_order_release")

    def test_what_is_left_alone(self):
        for s in self.found:
            self.assertNotIn("invariant", s.what)
            self.assertNotIn("static_assert", s.text)
        self.assertEqual([s.number for s in self.found], list(range(1, len(self.found) + 1)))

    def test_what_is_deleted_is_named(self):
        self.assertEqual(self.one("reset", "one.reset()").serious, "reset")
        self.assertEqual(self.one("call", "note(1)").serious, "")

    def test_which_faults_a_run_came_to(self):
        marks = self.root / "marks"
        marks.write_bytes(bytes(len(self.found) + 1))
        self.output(0, FAULT_REACHED=str(marks))
        reached = marks.read_bytes()
        self.assertTrue(reached[self.one("call", "note(1)").number])
        self.assertFalse(reached[self.one("call", "note(2)").number])


class Names(unittest.TestCase):
    def test_serious_deletions(self):
        for text, wanted in (("sleep_.wake_one(w)", "wake"), ("lock.unlock()", "release"), ("free_ = {}", "reset"),
                             ("slots.clear()", "reset"), ("g.fail(std::current_exception())", "failure"), ("a.add(unlock(b))", ""),
                             ("x = y", ""), ("me.ready_ = nullptr", "reset")):
            self.assertEqual(sites.seriousness(text), wanted, text)

    def test_statements_that_commute_are_not_exchanged(self):
        self.assertTrue(sites.Finder.commute("a.x = 1", "a.y = 2"))
        self.assertFalse(sites.Finder.commute("a.x = 1", "b = a.x"))
        self.assertFalse(sites.Finder.commute("f(x)", "x = 1"))

    def test_comments_and_strings_are_blank(self):
        blank = sites.without_comments('a; // b(")\n"x\\"(y" /* c\n(d */ \'(\' 1\'000 e')
        self.assertNotIn("(", blank)
        self.assertEqual(blank.count("\n"), 2)
        self.assertTrue(blank.startswith("a; ") and blank.endswith("1'000 e"))


def site(number, rule="call", text="f();", file="x.hpp", lines=(1,), **more):
    return sites.Site(file, lines[0], rule, text[:-1], text, 0, 1, [], number=number, lines=lines, **more)


class Errors(unittest.TestCase):
    def test_an_error_leads_to_the_faults_of_its_line(self):
        tree, made = pathlib.Path("/t"), pathlib.Path("/b/c")
        every = [site(1), site(2, lines=(2, 5)), site(3, file="y.hpp")]
        self.assertEqual(build.to_blame("/t/x.hpp:5:3: error: no\n", tree, made, every), {2})
        self.assertEqual(build.to_blame("../../t/x.hpp:5:3: error: no\n", tree, made, every), {2})
        self.assertEqual(build.to_blame("/t/x.hpp:7:3: error: no\n", tree, made, every), set())
        self.assertEqual(build.to_blame("/t/y.hpp:1:3:   required from here\n/u/z.hpp:9:1: error: no\n", tree, made, every), {3})
        self.assertEqual(build.to_blame("/t/x.hpp:1:3: warning: no\n", tree, made, every), set())


class Runs(unittest.TestCase):
    """Programs that behave like gtest's."""

    def setUp(self):
        kept = tempfile.TemporaryDirectory()
        self.addCleanup(kept.cleanup)
        self.folder = pathlib.Path(kept.name)

    def program(self, body):
        path = self.folder / "a_test"
        path.write_text(f"#!{sys.executable}\nimport os, sys, time\nfault = os.environ.get('FAULT', '0')\n"
                        "if '--gtest_list_tests' in sys.argv: print('one.\\n  a\\none_mutant.\\n  b\\n  DISABLED_c'); sys.exit()\n"
                        "print('[ RUN      ] one.a', flush=True)\n"
                        "if 'FAULT_REACHED' in os.environ: f = open(os.environ['FAULT_REACHED'], 'r+b'); f.seek(1); f.write(b'\\1\\1')\n"
                        + body)
        path.chmod(0o755)
        tests = trial.Tests([path], self.folder / "runs", 5, "part", 5, print)
        results = [tests.record(path, name) for name in tests.names_in(path)]
        tests.cases = [r for r in results if not isinstance(r, str)]
        return tests, results

    def test_who_notices(self):
        tests, _ = self.program("sys.exit(fault == '1')")
        self.assertEqual([c.name for c in tests.cases], ["one.a"])
        self.assertEqual(tests.try_fault(1), "a_test one.a (failed)")
        self.assertIsNone(tests.try_fault(2))
        self.assertEqual(tests.reaching(3), [])

    def test_a_case_that_fails_without_a_fault_is_not_used(self):
        _, results = self.program("sys.exit(3)")
        self.assertEqual(results, ["a_test one.a: ended with 3 without a fault"])

    def test_who_fails_by_itself_has_noticed_nothing(self):
        tests, _ = self.program(f"p = {str(self.folder / 'n')!r}\nn = len(open(p).read()) if os.path.exists(p) else 0\n"
                                "open(p, 'a').write('x')\nsys.exit(n in (1, 2))")
        self.assertIsNone(tests.try_fault(1))

    def test_who_hangs_has_noticed_and_leaves_nobody(self):
        at_least = trial.AT_LEAST_S
        trial.AT_LEAST_S = 1
        self.addCleanup(setattr, trial, "AT_LEAST_S", at_least)
        child = self.folder / "child"
        tests, _ = self.program(f"if fault == '1':\n  if os.fork() == 0: open({str(child)!r}, 'w').write(str(os.getpid()))\n  time.sleep(600)")
        self.assertRegex(tests.try_fault(1), r"one\.a \(did not end within")
        self.ends(int(child.read_text()))

    def test_who_is_killed_leaves_nobody(self):
        name = self.folder / "child"
        sleeper = f"import os, time; open({str(name)!r}, 'w').write(str(os.getpid())); time.sleep(600)"
        body = f"import sys; sys.path.insert(0, {str(RUNTIME.parent.parent)!r}); from faults import trial; " \
               f"trial.run([sys.executable, '-c', {sleeper!r}], 500, None, '/')"
        parent = subprocess.Popen([sys.executable, "-c", body])
        self.addCleanup(parent.kill)
        while not (name.exists() and name.read_text()):
            self.assertIsNone(parent.poll())
            time.sleep(0.01)
        parent.kill()
        parent.wait()
        self.ends(int(name.read_text()))

    def ends(self, pid):
        for _ in range(1000):  # whoever adopted it may need a moment to see it dead
            try:
                if pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z":
                    return
            except OSError:
                return
            time.sleep(0.05)
        self.fail("a child lives on")


class Report(unittest.TestCase):
    def test_the_same_seed_draws_the_same(self):
        every = [site(n) for n in range(1, 200)]
        first = [s.number for s in fault_rules.draw(every, 20, 7)]
        self.assertEqual(first, [s.number for s in fault_rules.draw(every, 20, 7)])
        self.assertNotEqual(first, [s.number for s in fault_rules.draw(every, 20, 8)])
        self.assertEqual(first, sorted(first))
        self.assertEqual(len(fault_rules.draw(every[:3], 20, 7)), 3)

    def test_the_score(self):
        def of(how, folder="f", serious=""):
            return {"how": how, "folder": folder, "rule": "call", "serious": serious}
        results = [of("noticed"), of("survived", serious="wake"), of("not reached"), of("unobservable", "g"), of("noticed")]
        self.assertEqual(fault_rules.percent(results), 50)
        self.assertEqual(fault_rules.table(results), ["  folder f: 2 of 4 (50 %), 1 not reached", "  rule call: 2 of 4 (50 %), 1 not reached",
                                                      "  deletion of wake: 0 of 1 (0 %)"])

    def test_an_entry_whose_line_is_gone_is_stale(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "x.hpp").write_text("  f();\n")
            entry = {"file": "x.hpp", "line": "f();", "rule": "call", "why": "nobody looks"}
            self.assertEqual(fault_rules.stale(root, [entry]), [])
            self.assertEqual(fault_rules.reason(site(1), [entry]), "nobody looks")
            self.assertIsNone(fault_rules.reason(site(1), [entry | {"what": "g()"}]))
            self.assertIsNone(fault_rules.reason(site(1, rule="order"), [entry]))
            (root / "x.hpp").write_text("  f(1);\n")
            self.assertEqual(len(fault_rules.stale(root, [entry])), 1)

    def test_wrong_use_is_said(self):
        def said(*arguments):
            text = io.StringIO()
            with contextlib.redirect_stderr(text), self.assertRaises(SystemExit):
                fault_rules.parse(arguments)
            return text.getvalue()
        self.assertIn("name a group", said())
        self.assertIn("--sample must be", said("policy", "--sample", "0"))
        self.assertIn("percentage", said("policy", "--least", "101"))
        ended = subprocess.run([sys.executable, fault_rules.__file__, "no-such-group"], capture_output=True, text=True)
        self.assertEqual(ended.returncode, 1)
        self.assertIn("there is no group 'no-such-group'; there are threads", ended.stderr)

    def test_entries_and_groups_are_complete(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "u.toml"
            path.write_text('["x"]\n"f();" = "call"\n')
            with self.assertRaisesRegex(fault_rules.UseError, "lacks a rule and why"):
                fault_rules.read_unobservable(path)
            path.write_text('["x"]\n"f();".cal = "y"\n')
            with self.assertRaisesRegex(fault_rules.UseError, "'cal' is no rule"):
                fault_rules.read_unobservable(path)
            path.write_text('["x"]\n"f();".call = "y"\n"f();".border."1" = "z"\n')
            self.assertEqual(fault_rules.read_unobservable(path), [{"file": "x", "line": "f();", "rule": "call", "why": "y"},
                                                                   {"file": "x", "line": "f();", "rule": "border", "what": "1", "why": "z"}])
        for group in fault_rules.read_groups().values():
            for folder in group["folders"]:
                self.assertTrue(fault_rules.sources(fault_rules.ROOT, group, folder), folder)


if __name__ == "__main__":
    case_report.main()
