#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every rule of tidy.py fires on a bad sample, at the right line, and is quiet on a good one."""

import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import case_report  # noqa: E402  (they stand beside this file)
import tidy  # noqa: E402

SPDX = "// SPDX-License-Identifier: MIT\n"
HEADER = SPDX + "#pragma once\n"


def body(lines):
    return "{\n" + "  step();\n" * (lines - 2) + "}\n"


# rule: (files, where it fires). Files a sample needs besides the guilty one come from ALWAYS.
ALWAYS = {
    "tests/each/CMakeLists.txt": "foreach(name a)\n  add(${name}_test.cpp)\nendforeach()\n",
    "CMakeLists.txt": "main.cpp a.cpp a_test.cpp ids.hpp a.hpp platform.hpp hint.hpp program.hpp deque.hpp pool.hpp list.hpp pair.hpp watch.hpp",
    "skua/parts/base/ids.hpp": HEADER,
    "skua/parts/queue/deque.hpp": HEADER,
    "skua/program/hint.hpp": HEADER,
    "skua/program/program.hpp": HEADER,
    "skua/policy/list.hpp": HEADER,
    "skua/machine/threads/face/pool.hpp": HEADER,
    "skua/machine/threads/fork/join/pair.hpp": HEADER,
    "skua/machine/threads/engine/stall/watch.hpp": HEADER,
    "docs/papers/paper-sc19.md": "| section | what | file |\n|---|---|---|\n| 4.1, 4.2.1 | a | `ids.hpp` |\n| Fig. 2 | b | none: by hand |\n",
    "docs/papers/others.md": "| key | where |\n|---|---|\n| other-authors-99 | `deque.hpp` |\n",
    "cli/simulate/list.hpp": HEADER,
}


def including(*names):
    return SPDX + "".join(f'#include "{n}"\n' if "/" in n else f"#include <{n}>\n" for n in names)


BAD = {
    "layers": [
        ("skua/parts/base/a.cpp", including("skua/parts/queue/deque.hpp"), 2),
        ("skua/parts/topology/a.cpp", including("skua/parts/base/ids.hpp", "skua/parts/queue/deque.hpp"), 3),
        ("skua/parts/context/a.cpp", including("skua/program/hint.hpp"), 2),
        ("skua/program/a.cpp", including("skua/policy/list.hpp"), 2),
        ("skua/program/a.cpp", including("skua/machine/threads/face/pool.hpp"), 2),
        ("skua/policy/a.cpp", including("skua/program/program.hpp"), 2),
        ("skua/policy/a.cpp", including("skua/parts/queue/deque.hpp"), 2),
        ("skua/policy/deep/a.cpp", including("skua/machine/threads/face/pool.hpp"), 2),
        ("skua/machine/sim/a.cpp", including("skua/machine/threads/face/pool.hpp"), 2),
        ("skua/machine/sim/a.cpp", including("skua/parts/queue/deque.hpp"), 2),
        ("skua/machine/threads/a.cpp", including("skua/parts/base/none.hpp"), 2),
        ("skua/machine/threads/lane/a.cpp", including("skua/machine/threads/face/pool.hpp"), 2),
        ("skua/machine/threads/fork/group/a.hpp", HEADER + including("skua/machine/threads/fork/join/pair.hpp")[len(SPDX):], 3),
        ("skua/machine/threads/engine/loop/a.hpp", HEADER + including("skua/machine/threads/engine/stall/watch.hpp")[len(SPDX):], 3),
        ("skua/machine/threads/observe/a.cpp", including("skua/machine/threads/face/pool.hpp"), 2),
        ("skua/machine/threads/cellar/a.cpp", including("skua/machine/threads/face/pool.hpp"), 2),
        ("skua/program/a.cpp", including("examples/fib.cpp"), 2),
        ("skua/newcomer/a.cpp", including("skua/parts/base/ids.hpp"), 2),
        ("skua/policy/a.cpp", SPDX + '#include "list.hpp"\n', 2),
        ("cli/text/a.cpp", including("cli/simulate/list.hpp"), 2),
        ("cli/measure/a.cpp", including("cli/simulate/list.hpp"), 2),
    ],
    "libraries": [("skua/machine/threads/a.cpp", SPDX + "#include <hwloc.h>\n", 2),
                  ("skua/parts/topology/a.cpp", SPDX + "#include <boost/context/fiber.hpp>\n", 2)],
    "thick_headers": [("apps/a.cpp", including("CLI/CLI.hpp"), 2), ("cli/a.hpp", HEADER + "#include <nlohmann/json.hpp>\n", 3),
                      ("cli/experiment/a.cpp", including("string", "toml++/toml.h"), 3), ("cli/a.cpp", including("fmt/ranges.h"), 2)],
    "pure_policies": [("skua/policy/a.cpp", including("vector", "thread"), 3),
                      ("skua/policy/a.hpp", HEADER + "#include <atomic>\n", 3),
                      ("skua/policy/a.cpp", including("unistd.h"), 2)],
    "file_size": [("apps/a.cpp", SPDX + "int x;\n" * 500, 501), ("tools/a.py", "# SPDX-License-Identifier: MIT\n" * 501, 501)],
    "function_size": [
        ("apps/a.cpp", SPDX + "namespace n {\nvoid f() " + body(61) + "}\n", 3),
        ("apps/a.cpp", SPDX + "struct s : base<int> {\n  s() : a_{1}, b_{2} " + body(61) + "  int a_;\n};\n", 3),
        ("apps/a.cpp", SPDX + "template <class T>\nauto f(T&& t) const noexcept -> std::vector<T> " + body(61), 3),
        ("apps/a.cpp", SPDX + "int x{3};\nauto g = [](auto& here) " + body(61).rstrip() + ";\n", 3),
        ("apps/a_test.cpp", SPDX + "TEST(suite, name) " + body(61), 2),
        ("apps/a.cpp", SPDX + "class s {\n public:\n  int f() noexcept(true) " + body(61) + "};\n", 4),
    ],
    "conditionals": [("skua/parts/base/a.cpp", SPDX + "#if defined(X)\n#endif\n", 2),
                     ("apps/a.cpp", SPDX + "# ifdef X\n#endif\n", 2)],
    "macros": [("apps/a.cpp", SPDX + "#define TWICE(x) ((x) + (x))\n", 2)],
    "pragma_once": [("apps/a.hpp", SPDX + "int f();\n", 1)],
    "named_orders": [
        ("skua/parts/queue/a.cpp", SPDX + "int f() { return top.load(); }\n", 2),
        ("skua/parts/queue/a.cpp", SPDX + "void f() {\n  p->count.fetch_add(\n      1);\n}\n", 3),
        ("skua/parts/queue/a.cpp", SPDX + "void f() { top.store(slots[index(1)]); }\n", 2),
        ("skua/parts/queue/a.cpp", SPDX + "std::atomic<int> count_{0};\nvoid f() { count_++; }\n", 3),
        ("skua/parts/queue/a.cpp", SPDX + "std::atomic<std::uint64_t> count_ = 0;\nvoid f() { count_ = 3; }\n", 3),
        ("skua/parts/queue/a.cpp", SPDX + "void f() { top.load(); }  // relaxed is not said in the code\n", 2),
    ],
    "partner_comments": [
        ("skua/parts/queue/a.cpp", SPDX + "\n\n\n\nint x = top.load(std::memory_order_acquire);\n", 6),
        ("skua/parts/queue/a.cpp", SPDX + "\n\n\n\ntop.store(1, release);  // ok\n", 6),
        ("skua/parts/queue/a.cpp", SPDX + "\n\n\n\nstd::atomic_thread_fence(std::memory_order::seq_cst);\n", 6),
        ("skua/parts/queue/a.cpp", SPDX + "\n\n\n\nSync::light_fence();\n", 6),
        ("skua/parts/queue/a.cpp", SPDX + "// pairs with the thief's load of top\n\n\n\n\ntop.store(1, release);\n", 7),
    ],
    "one_thread_local": [("skua/machine/threads/a.cpp", SPDX + "thread_local int a;\nthread_local int b;\n", 3)],
    "words": [("apps/a.cpp", SPDX + "// TODO: later\n", 2),
              ("apps/a.cpp", SPDX + 'auto p = "/home/me/x";\n', 2)],
    "numbered_reports": [("apps/a.cpp", SPDX + "int f();  // see issue 12\n", 2), ("docs/a.md", "Fixed as #12 said.\n", 1)],
    "old_words": [("apps/a.cpp", SPDX + "int x;\nint my_venue;\n", 3), ("docs/a.md", "On the\ntabletop.\n", 2),
                  ("skua/machine/sim/a.cpp", SPDX + "// Who is not called for\n// is laid\n// aside.\n", 3)],
    "papers": [("apps/a.cpp", SPDX + "// From [nobody-2020 4].\n", 2),
               ("apps/a.cpp", SPDX + "// From [paper-sc19 4.3].\n", 2),
               ("apps/a.cpp", SPDX + "// From [paper-sc19 4.2; other-authors-99, nobody-2020 1].\nint x;  // [paper-sc19 4.2, 5.1]\n", 3),
               ("skua/program/a.hpp", HEADER + "// It goes on [paper-sc19 4.2.1,\n// Fig. 3].\n", 3),
               ("docs/papers/bad-2001.md", "It is in `parts/none.hpp`.\n", 1),
               ("docs/papers/bad-2001.md", "It is\nin `ids.hpp:nothing_there`.\n", 2),
               ("docs/papers/bad-2001.md", "\n`deque.hpp` `main`\n", 2),
               ("docs/papers/bad-2001.md", "Tested: `no_test_begins_...`.\n", 1),
               ("docs/papers/bad-2001.md", "The class `nothing_there`.\n", 1),
               ("docs/papers/bad-2001.md", "| section | file |\n|---|---|\n| 1 | |\n", 3),
               ("docs/papers/bad-2001.md", "| row | where | test |\n|---|---|---|\n| 1 | nowhere | none |\n", 3),
               ("docs/papers/bad-2001.md", "| row | where | test |\n|---|---|---|\n| 1 | not built: later | none |\n", 3)],
    "traces": [("docs/tour.md", "### (a) Where?\n\n1. `parts/none.hpp`\n", 3),
               ("docs/tour.md", "### (a) Where?\n\n1. `parts/queue/deque.hpp`,\n   `nothing_there` runs.\n", 3)],
    "test_names": [("apps/a_test.cpp", SPDX + "TEST(heat, IsRight) {}\n", 2), ("apps/a_test.cpp", SPDX + "TEST(Heat, is_right_at_last) {}\n", 2),
                   ("apps/a_test.cpp", SPDX + "TEST_F(heat, rounding) {}\n", 2), ("apps/a_test.cpp", SPDX + "\nTYPED_TEST(heat, odd_shapes) {}\n", 3),
                   ("apps/a_test.cpp", SPDX + "TEST_P(heatDeathTest, it_ends_the_process) {}\n", 2)],
    "silent_skips": [("apps/a_test.cpp", SPDX + "void f() {\n  if (under_tsan) return;\n}\n", 3),
                     ("apps/a_test.cpp", SPDX + "void f() {\n  for (;;) {\n    if (skua::under_asan || x > 1) {\n      continue;\n    }\n  }\n}\n", 4),
                     ("apps/a_test.cpp", SPDX + "void f() {\n  if constexpr (!skua::checked) return;\n}\n", 3),
                     ("apps/a_test.cpp", SPDX + "void f() {\n  if (one_node()) GTEST_SKIP();\n}\n", 3)],
    "thread_ids": [("apps/a_test.cpp", SPDX + "void f() {\n  auto const me = std::this_thread::get_id();\n}\n", 3),
                   ("tests/programs/a.hpp", HEADER + "inline auto f(std::thread& t) { return t.get_id(); }\n", 3),
                   ("skua/parts/queue/a_model.cpp", SPDX + "auto f() { return pthread_self(); }\n", 2)],
    "namespaces": [("skua/program/a.cpp", SPDX + "namespace skua { inline namespace v0 { namespace detail {}}}\n", 2),
               ("skua/program/a.cpp", SPDX + "namespace skua {}\n", 2), ("tests/a.cpp", SPDX + "namespace skua::runtime {}\n", 2),
               ("tests/a.cpp", SPDX + "namespace skua::inline v0::runtime {}\n", 2),
               ("apps/detail/a.cpp", SPDX, 1),
               ("apps/a.hpp", HEADER + "using namespace std;\n", 3)],
    "library_manners": [("skua/program/a.cpp", SPDX + 'void f() { std::cerr << "x"; }\n', 2),
                        ("skua/program/a.cpp", SPDX + "void f() { std::exit(1); }\n", 2),
                        ("skua/program/a.cpp", SPDX + "std::mt19937 dice;\n", 2),
                        ("skua/program/a.cpp", SPDX + "int f() { return rand(); }\n", 2)],
    "no_versions": [("apps/heat2/heat2.cpp", SPDX, 1), ("apps/heat_new.cpp", SPDX, 1), ("apps/heat_v2_test.cpp", SPDX, 1),
                    ("apps/a.cpp", SPDX + "struct task_old {\n};\n", 2)],
    "spdx": [("apps/a.cpp", "int x;\n", 1), ("tools/a.py", "#!/usr/bin/env python3\nimport sys\n", 1), ("apps/a.hpp", "", 1)],
    "merged": [("docs/a.md", "a\n" + 7 * "<" + " HEAD\n", 2), ("apps/a.cpp", SPDX + 7 * ">" + " other\n", 2)],
    "white_space": [("apps/a.cpp", SPDX + "int x; \n", 2), ("docs/a.md", "a\tb\n", 1), ("apps/a.cpp", SPDX + "int x;", 2)],
    "dead_files": [("apps/lonely.hpp", HEADER, 1), ("apps/lonely.cpp", SPDX, 1),
                   ("tests/each/other_test.cpp", SPDX, 1)],
}

GOOD = [
    # Every arrow that may be drawn, and a test beside its source that reaches for all.
    {"skua/parts/queue/a.cpp": including("skua/parts/base/ids.hpp", "skua/parts/queue/deque.hpp", "atomic")},
    {"skua/policy/a.cpp": including("skua/parts/base/ids.hpp", "skua/program/hint.hpp", "skua/policy/list.hpp", "vector"),
     "skua/policy/a_test.cpp": including("skua/machine/threads/face/pool.hpp", "thread")},
    {"skua/machine/threads/a.cpp": including("skua/parts/queue/deque.hpp", "skua/program/program.hpp", "skua/policy/list.hpp")},
    {"skua/machine/threads/engine/stall/a.hpp": HEADER + including("skua/machine/threads/fork/join/pair.hpp")[len(SPDX):],
     "skua/machine/threads/engine/core/a.cpp": including("skua/machine/threads/engine/stall/watch.hpp"),
     "skua/machine/threads/face/a.hpp": HEADER + including("skua/machine/threads/engine/stall/watch.hpp")[len(SPDX):]},
    {"skua/machine/sim/a.cpp": including("skua/program/program.hpp", "skua/policy/list.hpp")},
    {"cli/a.cpp": including("apps/list.hpp", "cli/simulate/list.hpp", "skua/machine/threads/face/pool.hpp"), "apps/list.hpp": HEADER},
    {"cli/experiment/a.cpp": including("cli/simulate/list.hpp"), "cli/simulate/a.cpp": including("cli/simulate/list.hpp")},
    {"cli/text/command.cpp": SPDX + "#include <CLI/CLI.hpp>\n", "cli/text/CMakeLists.txt": "command.cpp\n"},
    {"apps/simd/x86/wide.hpp": HEADER, "apps/simd/other/wide.hpp": HEADER,
     "apps/simd/a.cpp": SPDX + '#include "wide.hpp"  // CMake chooses the folder by architecture\n'},
    {"skua/parts/topology/a.cpp": SPDX + "#include <hwloc.h>\n"},
    {"skua/parts/base/platform.hpp": HEADER + "#if defined(__x86_64__)\n#endif\n"},
    # Sizes: as long as is allowed, a class and a table that are longer, and braces in strings and comments.
    {"apps/a.cpp": SPDX + "int x;\n" * 499},
    {"apps/a.cpp": SPDX + "namespace n {\nvoid f() " + body(60) + "}\n"},
    {"apps/a.cpp": SPDX + "struct s {\n" + "  int f() { return 1; }\n" * 70 + "};\n"},
    {"apps/a.cpp": SPDX + "template <class T>\n  requires std::is_same_v<T, int>\nclass s final : public base<T> {\n"
                   + "  int x_ = 1;\n" * 70 + "};\n"},
    {"apps/a.cpp": SPDX + "std::vector<int> const table = {\n" + "  1,\n" * 70 + "};\n"},
    {"apps/a.cpp": SPDX + "enum class kind : std::uint8_t {\n" + "  one,\n" * 70 + "};\n"},
    {"apps/a.cpp": SPDX + 'void f() { p("{"); /* { */ q(\'{\', 1\'000); r(R"x({")x"); }  // {\n' + "int x;\n" * 70},
    {"apps/a_test.cpp": SPDX + "#define CHECK_ALL(x) EXPECT_TRUE(x)\n"},
    # Orders: relaxed needs no reason, the others have one; aliases and parameters count; so do multi-line calls.
    {"skua/parts/queue/a.cpp": SPDX + "int f() { return top.load(std::memory_order_relaxed); }\n"},
    {"skua/parts/queue/a.cpp": SPDX + "// Pairs with: thief, load of bottom.\nvoid f() {\n  bottom.store(\n      1, release);\n}\n"},
    {"skua/parts/queue/a.cpp": SPDX + "void f() { top.store(1, release); }  // pairs with the load in steal\n"},
    {"skua/parts/queue/a.cpp": SPDX + "int f(std::memory_order order) { return top.load(order); }\n"},
    {"skua/parts/queue/a.cpp": SPDX + "std::atomic<int> count_ = 0;\nbool f() { return my_count_ == 0; }\n"},
    {"skua/parts/queue/a_test.cpp": SPDX + "int f() { return top.load(); }\n"},
    {"skua/machine/threads/a.cpp": SPDX + "thread_local int only;  // one thread_local, said twice\n"},
    # Tags: a section, one that is listed by its parts, a figure by either name, places in a section, rows, free text of others.
    {"apps/a.cpp": SPDX + "// [paper-sc19 4.1], [paper-sc19 4.2, 5-8, Lemma 1; paper-sc19 Figure 2], [other-authors-99, all of it]\nint x[3];\n"},
    {"apps/a.cpp": SPDX + "// [good-2001 R7; good-2001 III, V-B] a[i-1], [a-z0-9]\n",
     "docs/papers/good-2001.md": "| row | paper | where | why |\n|---|---|---|---|\n| R7 | II, III | `skua/parts/base/ids.hpp`, `parts/queue` | is |\n"
                                 "| R8 | V-B | `a.cpp:main`; `a.cpp` `main`, `x` | `it_ends_...`, `it_ends_well_always`, `main(x)`, `@p` |\n",
     "a.cpp": SPDX + "int main(int x) { return x; }\n", "apps/a_test.cpp": SPDX + "TEST(good_DeathTest, it_ends_well_always) {}\n"},
    {"docs/papers/good-2001.md": "| row | where | test |\n|---|---|---|\n| 1 | not built: nobody would use it, and it costs a word | none |\n"},
    {"apps/a_test.cpp": SPDX + 'void f() {\n  if (under_tsan) GTEST_SKIP() << "it is slow";\n  if (depth == 0) return;\n}\n',
     "apps/a.cpp": SPDX + "void f() {\n  if (under_tsan) return;\n}\n"},
    {"apps/a_test.cpp": SPDX + "long f() { return this_thread_number(); }  // not get_id()\nint target_id(int);\n",
     "skua/machine/threads/a.cpp": SPDX + "void f() { name(pthread_self()); }\n"},
    # A step may use the names of its trace's files and the interface of policies.
    {"docs/tour.md": "### (a) Where?\n\n1. `parts/queue/good.hpp`: `good::go`.\n2. `good` asks\n   `policy::place(x)`.\n\n## Else\n\n1. `any`\n",
     "skua/parts/queue/good.hpp": HEADER + "struct good { void go(); };\n", "a.cpp": including("skua/parts/queue/good.hpp", "skua/policy/policy.hpp"),
     "skua/policy/policy.hpp": HEADER + "struct policy { int place(int x); };\n"},
    # Words that only look like the barred ones.
    {"skua/program/a.cpp": SPDX + "void on_exit_of(int);\nint operand(int);\nusing fiber = boost::context::detail::fcontext_t;\n"},
    {"apps/a.cpp": SPDX + "using namespace std;\nstruct sha1 {};\nstruct uint64 {};\nauto worker = \"#1\";\n"},
    {"docs/a.md": "# 1. A heading\n\nSee [below](a.md#2-sizes); `/usr/bin` is nobody's home.\n"},
    {"tools/a.py": "#!/usr/bin/env python3\n# SPDX-License-Identifier: MIT\n", "Makefile": "a:\n\ttrue\n"},
    {"apps/each/CMakeLists.txt": "foreach(name one)\n  add(${name}.cpp)\nendforeach()\n", "apps/each/one.cpp": SPDX},
    {"apps/each/CMakeLists.txt": "many(leaf wide)\n", "apps/many.cmake": "add(${app}/${base}_${width}.cpp)\n",
     "apps/each/leaf_wide.cpp": SPDX},
]


def check(files):
    with tempfile.TemporaryDirectory() as folder:
        for path, text in {**ALWAYS, **files}.items():
            full = pathlib.Path(folder, path)
            full.parent.mkdir(parents=True, exist_ok=True)
            full.write_text(text if path != "CMakeLists.txt" else text + "\n", encoding="utf-8")
        return tidy.findings(tidy.Tree(folder))


class TidyTest(unittest.TestCase):
    def test_every_rule_has_a_bad_sample(self):
        self.assertEqual(set(BAD), set(tidy.RULES))

    def test_bad_samples_are_found_where_they_are(self):
        for rule, samples in BAD.items():
            for path, text, line in samples:
                with self.subTest(rule=rule, path=path, text=text[:200]):
                    found = [(p, n) for p, n, _, name in check({path: text}) if name == rule]
                    self.assertEqual(found, [(path, line)])

    def test_good_samples_are_quiet(self):
        for files in GOOD:
            with self.subTest(files=files):
                self.assertEqual(check(files), [])

    def test_rules_that_the_tree_does_not_obey_yet_are_checked_on_request_only(self):
        self.assertLessEqual(tidy.NOT_YET, set(tidy.RULES))
        with tempfile.TemporaryDirectory() as folder:
            for path, text in {**ALWAYS, "docs/a.md": "on the tabletop\n"}.items():
                full = pathlib.Path(folder, path)
                full.parent.mkdir(parents=True, exist_ok=True)
                full.write_text(text if text.endswith("\n") else text + "\n", encoding="utf-8")
            with contextlib.redirect_stdout(io.StringIO()) as heard:
                self.assertEqual(tidy.main([folder, "--all"]), 1)
            self.assertIn("docs/a.md:1: 'tabletop' is a word", heard.getvalue())
            with contextlib.redirect_stdout(io.StringIO()):
                self.assertEqual(tidy.main([folder]), 1 if "old_words" not in tidy.NOT_YET else 0)

    def test_a_tree_without_sources_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(tidy.main([folder]), 2)
            self.assertEqual(tidy.main([folder, folder]), 2)


if __name__ == "__main__":
    case_report.main()
