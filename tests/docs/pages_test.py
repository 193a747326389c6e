#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The readers of pages find every block and table that the tests of the documentation check, and refuse what would escape them."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import case_report  # noqa: E402  (it stands there)
import commands_test  # noqa: E402
import cpp_blocks  # noqa: E402
import links_test  # noqa: E402
import pages  # noqa: E402

PAGE = """\
# A page

<!-- before
int x = 1;

int y = 2;
-->
<!-- after
check(x < y);
-->
```cpp
++x;
```

  ```sh
  skua doctor
  ```

<!-- compiled -->
| before | now |
|---|---|
| `a | b` | `f(1 \\| 2);` as well as `this` |
| words | only words |
"""


def read(text):
    return list(pages.elements("p.md", text))


class a_page(unittest.TestCase):
    def setUp(self):
        self.blocks = read(PAGE)

    def test_has_its_blocks_with_their_lines_and_comments(self):
        self.assertEqual([(b.language, b.line, b.text.splitlines()[0]) for b in self.blocks],
                         [("cpp", 12, "++x;"), ("sh", 16, "skua doctor"), ("table", 20, "| before | now |")])
        self.assertEqual(self.blocks[0].comments, {"before": (4, "int x = 1;\n\nint y = 2;"), "after": (9, "check(x < y);")})
        self.assertEqual(self.blocks[1].comments, {})

    def test_has_the_code_that_begins_the_last_cell_of_each_row(self):
        self.assertEqual(list(pages.code_cells(self.blocks[2])), [(22, "f(1 | 2);")])

    def test_with_a_comment_for_no_block_is_refused(self):
        with self.assertRaises(ValueError):
            read("<!-- run -->\nSome words.\n")

    def test_with_a_block_without_an_end_is_refused(self):
        with self.assertRaises(ValueError):
            read("```cpp\nint x;\n")

    def test_gives_files_their_names(self):
        self.assertEqual(list(pages.named_files(read("```cpp\n// a.cpp\nint x;\n```\n```toml\n# b.toml\n```\n"))), ["a.cpp", "b.toml"])


class a_program(unittest.TestCase):
    def source(self, text):
        block = read(text)[0]
        return cpp_blocks.Piece(block, block.line, block.text).source()

    def test_of_a_piece_runs_it_between_its_comments_in_a_task(self):
        includes, code = self.source("<!-- before\n#include <array>\nint x = 1;\n-->\n<!-- after\ncheck(x == 2);\n-->\n```cpp\n++x;\n```\n")
        self.assertEqual(includes, ["#include <array>"])
        self.assertRegex(code, r"(?s)in_a_task.*int x = 1;.*\+\+x;.*check\(x == 2\);")
        self.assertIn('#line 9 "p.md"\n++x;', code)

    def test_of_a_whole_program_calls_its_main(self):
        self.assertIn("check(program() == 0);", self.source("```cpp\nint main() { return 0; }\n```\n")[1])

    def test_of_declarations_stands_outside_of_functions(self):
        code = self.source("<!-- file -->\n```cpp\nvoid f() {}\n```\n")[1]
        self.assertLess(code.index("void f"), code.index("TEST("))


class a_command_line(unittest.TestCase):
    def test_is_the_words_of_each_program_in_it(self):
        self.assertEqual(commands_test.parts_of("A=1 skua run fib --n 3 > /tmp/x | jq '.a | b' && make test # why"),
                         [["skua", "run", "fib", "--n", "3"], ["jq", ".a | b"], ["make", "test"]])

    def test_of_a_console_begins_with_a_dollar_and_goes_on_after_a_backslash(self):
        block = read("```console\n$ skua list \\\n    --help\noutput\n$ make help\n```\n")[0]
        self.assertEqual([(line, " ".join(command.split())) for line, command in commands_test.commands(block)],
                         [(2, "skua list --help"), (5, "make help")])


class a_link(unittest.TestCase):
    def test_in_code_or_in_a_comment_is_none(self):
        self.assertNotIn("[", links_test.prose("`[a](b)`\n<!-- [a](b) -->\n```\n[a](b)\n```\n"))


if __name__ == "__main__":
    case_report.main()
