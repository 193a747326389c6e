#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each rule of figures.py fires on a bad sample and is quiet on a good one."""

import copy
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import case_report  # noqa: E402  (they stand beside this file)
import figures  # noqa: E402

RECORD = "# Measurements\n\n## How cheap is a fork?\n\n| GCC | 48.00<!-- fork.instructions --> |\n\n## Another\n\n12 ns\n"
PAGE = "# Forks\n\nA fork costs 48.00<!-- fork.instructions --> instructions.\n"
DATA = {
    "fork": {"kind": "measured", "what": "fib", "command": "fib_alone", "machine": "a VM", "compiler": "GCC 12", "date": "2026-11-26", "runs": "a count",
             "recorded": "docs/measurements.md#how-cheap-is-a-fork",
             "figures": {"instructions": {"value": "48.00", "unit": "instructions", "what": "a fork-join"}}},
}


class rules(unittest.TestCase):
    def setUp(self):
        self.data = copy.deepcopy(DATA)
        self.pages = {"docs/measurements.md": RECORD, "docs/guide/forks.md": PAGE}

    def wrong(self):
        return figures.wrong(self.data, self.pages)

    def fires(self, sentence):
        found = self.wrong()
        self.assertEqual(len(found), 1, found)
        self.assertIn(sentence, found[0])

    def test_pages_that_quote_their_source_are_right(self):
        self.assertEqual(self.wrong(), [])

    def test_a_page_that_says_another_figure_is_named_with_its_line(self):
        self.pages["docs/guide/forks.md"] = PAGE.replace("48.00", "51")
        self.fires("docs/guide/forks.md:3: '51' stands in front of fork.instructions, which is 48.00")

    def test_so_is_a_record_that_says_another(self):
        self.pages["docs/measurements.md"] = RECORD.replace("48.00", "48.01")
        self.fires("docs/measurements.md:5: '48.01'")

    def test_another_way_to_write_the_same_number_is_another_figure(self):
        self.pages["docs/guide/forks.md"] = PAGE.replace("48.00", "148.00")
        self.fires("'148.00'")

    def test_a_bold_number_is_quoted_as_well(self):
        self.pages["docs/guide/forks.md"] = PAGE.replace("48.00<!-- fork.instructions -->", "**48.00**<!-- fork.instructions -->")
        self.assertEqual(self.wrong(), [])

    def test_a_comment_of_a_source_file_quotes_too(self):
        self.pages["skua/here.hpp"] = "/// A join takes 48.00 [figure: fork.instructions] instructions.\n"
        self.assertEqual(self.wrong(), [])
        self.pages["skua/here.hpp"] = "/// A join takes 50 [figure: fork.instructions] instructions.\n"
        self.fires("skua/here.hpp:1: '50'")

    def test_a_marker_without_an_entry_is_found(self):
        self.pages["docs/flows.md"] = "A node costs 77<!-- flow.least --> ns.\n"
        self.fires("docs/flows.md:1: flow.least is no figure")

    def test_a_marker_without_a_number_is_found(self):
        self.pages["docs/flows.md"] = "Cheap<!-- fork.instructions -->\n"
        self.fires("'' stands in front of fork.instructions")

    def test_an_entry_that_only_its_record_quotes_is_found(self):
        del self.pages["docs/guide/forks.md"]
        self.fires("fork.instructions is quoted by no page but its record")

    def test_an_entry_that_its_record_does_not_quote_is_found(self):
        self.pages["docs/measurements.md"] = RECORD.replace("<!-- fork.instructions -->", "")
        self.fires("fork.instructions is not quoted where it is recorded")

    def test_a_quotation_in_another_section_is_no_record(self):
        self.data["fork"]["recorded"] = "docs/measurements.md#another"
        self.fires("is not quoted where it is recorded")

    def test_a_record_that_is_no_section_is_found(self):
        self.data["fork"]["recorded"] = "docs/measurements.md#how-dear"
        self.fires("is no section of a page")

    def test_an_entry_needs_all_of_its_fields_and_no_others(self):
        del self.data["fork"]["machine"]
        self.fires("[fork] lacks machine")
        self.data["fork"] |= {"machine": "a VM", "kind": "guessed"}
        self.fires("kind is 'guessed'")
        self.data["fork"]["kind"] = "simulated"
        del self.data["fork"]["figures"]["instructions"]["unit"]
        self.fires("needed: unit, value, what")


class bare_numbers(unittest.TestCase):
    def setUp(self):
        self.data = copy.deepcopy(DATA)

    def wrong(self, text, page="docs/guide/forks.md"):
        return figures.wrong(self.data, {"docs/measurements.md": RECORD, "docs/guide/forks.md": PAGE} | {page: PAGE + text})

    def test_numbers_with_a_unit_of_speed_need_an_entry(self):
        for text in ("takes 5 ns", "takes 5ns", "1.5 us", "50 ms", "twice, 3 times", "51 instructions", "0.003% of a core", "10 percent", "4x as fast"):
            self.assertEqual(len(self.wrong(text)), 1, text)

    def test_so_do_decimals_and_cells_of_tables(self):
        for text in ("speed-up 22.0 here", "| fib | 72 |", "| fib | **72** (random) |"):
            self.assertEqual(len(self.wrong(text)), 1, text)

    def test_other_numbers_need_none(self):
        for text in ("at 1000 x 1000", "8 pieces per worker", "GCC 12.2 and CMake 3.25", "10:30", "heat 640", "| 4 workers |", "fib(36)", "SC 2019", "8 MiB"):
            self.assertEqual(self.wrong(text), [], text)

    def test_what_readers_do_not_read_as_prose_needs_none(self):
        for text in ("```sh\nSKUA_SPIN=50 ms\n```\n", "`50 ms`", "<!-- it took 50 ms\nand 3 us -->", "[x](a.md#50-ms-1.5)"):
            self.assertEqual(self.wrong(text), [], text)

    def test_pages_that_record_are_not_asked(self):
        self.assertEqual(self.wrong("takes 5 ns", page="docs/flows.md"), [])

    def test_an_exception_covers_its_text_on_its_page(self):
        self.data["allowed"] = [{"page": "docs/guide/*.md", "text": "lends a thread after 50 ms", "why": "a constant"}]
        self.assertEqual(self.wrong("lends a thread after 50 ms"), [])
        self.assertEqual(len(self.wrong("lends a thread after 50 ms; 50 ms")), 1)

    def test_an_exception_that_allows_nothing_is_found(self):
        self.data["allowed"] = [{"page": "README.md", "text": "50 ms", "why": "a constant"}]
        self.assertIn("allows nothing on README.md", self.wrong("")[0])


if __name__ == "__main__":
    case_report.main()
