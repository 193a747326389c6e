#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""visible_names.py finds what stands in namespace skua, in every form a declaration has, and nothing else."""

import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import case_report  # noqa: E402  (they stand beside this file)
import visible_names  # noqa: E402
from sources import Source  # noqa: E402

DECLARATIONS = {
    "class a;": {"a"},
    "[[deprecated(\"use b\")]] [[nodiscard]] inline int a() { return b(); } int z;": {"z"},
    "class a { int f() { return 1; } struct inner {}; };": {"a"},
    "struct alignas(64) a final : base<int>, other { using b = int; };": {"a"},
    "enum class a : unsigned { x, y };": {"a"},
    "template <class T, class = std::enable_if_t<(sizeof(T) > 2)>>\nstruct a {};": {"a"},
    "template <> struct a<int> { };": set(),
    "template <class T> requires std::integral<T> class a { };": {"a"},
    "template <class T>\nconcept a = requires(T t) { t.f(); { t.g() } -> std::same_as<int>; };": {"a"},
    "using a = std::vector<int>;": {"a"},
    "using other::a, third::b;": {"a", "b"},
    "using namespace std;": set(),
    "namespace a = std::chrono;": {"namespace a"},
    "int a(int b);": {"a"},
    "[[nodiscard]] inline auto a(int x = f(1)) noexcept -> std::pair<int, int> { return {x, 1}; }": {"a"},
    "template <class... T>\ndecltype(auto) a(T&&... t) { return f(std::forward<T>(t)...); }": {"a"},
    "void a(auto& here) requires (sizeof here == 8) { }": {"a"},
    "constexpr bool operator==(a const& x, a const& y) { return x.n == y.n; }": {"operator=="},
    "inline a operator|(a x, a y) { return {}; } int z;": {"operator|", "z"},
    'constexpr a operator""_kib(unsigned long long n);': {'operator""_kib'},
    "template <class T> void a<T>::grow() { } int z;": {"z"},
    "inline a::a(int n) : n_{n} { } int z;": {"z"},
    "template <class T> a<T>::~a() { }": set(),
    "a& a::operator=(a const&) = default;": set(),
    "template <class T> a(T) -> a<T>;": set(),
    "template <> void a<int>(int);": set(),
    "inline constexpr std::size_t a = 3, unused = 4;": {"a"},
    "inline constexpr place_id a{0};": {"a"},
    "constexpr auto a = [](int x) { return x; };": {"a"},
    "extern int const a[3];": {"a"},
    "inline constexpr std::array<int, 2> a{{1, 2}};": {"a"},
    "static_assert(sizeof(int) == 4); int z;": {"z"},
    "extern \"C\" { void a(int); }": {"a"},
    "#define a(x) \\\n  struct x {};\nint z;": {"z"},
    "// struct a {};\n/* int b; */ char const* z = \"struct a {};\";": {"z"},
}


def names(text):
    return visible_names.names_in(Source("skua/a.hpp", text))


class Declarations(unittest.TestCase):
    def test_every_form_of_a_declaration_gives_its_names(self):
        for text, expected in DECLARATIONS.items():
            with self.subTest(text=text):
                self.assertEqual(names(f"#pragma once\nnamespace skua {{\n{text}\n}}  // namespace skua\n"), expected)

    def test_all_of_them_together_give_all_names(self):
        whole = "namespace skua {\n" + "\n".join(DECLARATIONS) + "\n}\nint after;\n"
        self.assertEqual(names(whole), set().union(*DECLARATIONS.values()))

    def test_only_namespace_skua_itself_counts(self):
        text = ("struct a {};\nnamespace other { int b; }\nnamespace skua { int c; namespace runtime { int d; } int e; }\n"
                "namespace skua::runtime::deep { int f; namespace skua { int g; } }\nnamespace skua { namespace { int h; } }\n"
                "inline namespace skua { int i; }\nint j;\nnamespace skua { inline namespace v0 { int k; }}\n"
                "namespace skua { inline namespace v0 { namespace sim { int l; }}}\n")
        self.assertEqual(names(text), {"c", "e", "h", "i", "k", "namespace runtime", "namespace sim"})


class TheList(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "tests").mkdir()
        self.write("skua/skua.hpp", '#include "skua/a.hpp"\n#include <vector>\nnamespace skua { int face; }\n')
        self.write("skua/a.hpp", '#include "skua/skua.hpp"\nnamespace skua { struct a {}; }\n')
        self.write("docs/guide/names.md", "| name | page |\n|---|---|\n| `face`, `a` | one |\n\n## Old names\n| `a` | `b` |\n")
        self.write("skua/unseen.hpp", "namespace skua { struct unseen {}; }\n")

    def write(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")

    def run_on(self, *words):
        heard = io.StringIO()
        with contextlib.redirect_stdout(heard), contextlib.redirect_stderr(heard):
            status = visible_names.main([str(self.root), *words])
        return status, heard.getvalue().splitlines()

    def test_what_the_list_promises_is_what_is_seen(self):
        self.assertEqual(self.run_on("--update"), (0, ["2 names are visible, 2 are promised"]))
        self.assertEqual(self.run_on()[0], 0)

    def test_a_new_name_and_one_that_is_gone_are_named(self):
        self.run_on("--update")
        self.write("skua/a.hpp", "namespace skua { struct b {}; }\n")
        self.assertEqual(self.run_on(), (1, [
            "skua/a.hpp: b is visible in namespace skua, but tests/public_names.txt does not promise it",
            "tests/public_names.txt: a is promised, but skua/skua.hpp does not show it", "2 names are visible, 2 are promised"]))

    def test_without_a_list_every_name_is_new(self):
        status, lines = self.run_on()
        self.assertEqual((status, len(lines)), (1, 5))  # the page names two that nobody promises

    def test_the_page_has_each_promise_once(self):
        self.run_on("--update")
        self.write("docs/guide/names.md", "| `face` | `a` |\n| `face`, `b` | two |\n")
        self.assertEqual(self.run_on(), (1, [
            "docs/guide/names.md: a stands there 0 times, and is promised in tests/public_names.txt",
            "docs/guide/names.md: b stands there 1 times, and is not promised in tests/public_names.txt",
            "docs/guide/names.md: face stands there 2 times, and is promised in tests/public_names.txt",
            "2 names are visible, 2 are promised"]))

    def test_a_folder_without_the_header_is_an_error(self):
        (self.root / "skua/skua.hpp").unlink()
        self.assertEqual(self.run_on()[0], 2)


if __name__ == "__main__":
    case_report.main()
