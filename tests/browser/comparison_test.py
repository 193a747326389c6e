#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A reader's browser shows every figure of skua compare --html: in light and dark, on a phone, by keyboard and on paper, without a
network."""

import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import case_report  # noqa: E402  (it stands there)
from page_case import PICTURES, SKUA, PageCase  # noqa: E402

WRITE_COMPARISONS = os.environ.get("WRITE_COMPARISONS", "build/dev/tests/write_comparisons")
# ThreadSanitizer does not see how oneTBB and OpenMP's library synchronize.
PEERS_RUN = os.environ.get("SANITIZER", "") != "thread"
MEASURED = ["compare", "heat", "--n", "128", "--iterations", "10", "--policies", "random,adws", "--peers",
            "serial,openmp:static,tbb" if PEERS_RUN else "serial", "--workers", "1,2", "--repeat", "3", "--breakdown"]

ALWAYS = {"summary", "times", "speed-up", "efficiency", "rounds", "numbers", "repeat"}
WITH_PEERS = ALWAYS | {"ratios"}
OF_THE_MEASURED = (WITH_PEERS if PEERS_RUN else ALWAYS) | {"breakdown"}
TEXT = "document.getElementById('main').textContent"


class Comparison(PageCase):
    without_drawing = {"summary", "numbers", "repeat"}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        subprocess.run([WRITE_COMPARISONS, cls.folder], check=True, timeout=300)
        subprocess.run([SKUA, *MEASURED, "--html", "measured.html", "--json", "measured.json"], cwd=cls.folder, check=True, timeout=300,
                       stdout=subprocess.DEVNULL)

    def shown(self, which, name=None, **looks):
        return self.opened(self.folder / f"{which}.html", name and f"comparison-{name}", **looks)

    def test_every_figure_of_a_measurement_is_painted(self):
        page = self.shown("measured", name="measured")
        self.expect_drawn(page, OF_THE_MEASURED)
        # A panel for each number of workers.
        for figure in OF_THE_MEASURED & {"times", "ratios", "breakdown", "rounds"}:
            self.assertEqual(page.value(f"document.querySelectorAll('[data-figure={figure}]').length"), 2, figure)

    def test_it_says_what_was_asked_where_and_how_to_repeat_it(self):
        page = self.shown("measured")
        machine = json.loads((self.folder / "measured.json").read_text(encoding="utf-8"))["machine"]
        self.assertEqual(page.value("document.querySelector('h1').textContent"), "Which runs heat --n 128 --iterations 10 fastest on 1 and 2 workers?")
        text = page.value(TEXT)
        for part in ("3 rounds", "every answer verified", machine["cpu"], machine["compiler"], "speed-up", "W_P/T_1"):
            self.assertIn(part, text)
        command = page.value("document.querySelector('.command code').textContent")
        self.assertTrue(command.endswith(" ".join(["skua", *MEASURED, "--html", "measured.html", "--json", "measured.json"])), command)

    def test_the_data_of_the_page_are_those_of_json(self):
        data = self.shown("measured").value("JSON.parse(document.getElementById('data').textContent)")
        written = json.loads((self.folder / "measured.json").read_text(encoding="utf-8"))
        for key, value in written.items():
            if key != "rows":
                self.assertEqual(data[key], value, key)
        self.assertEqual([{k: shown[k] for k in row} for shown, row in zip(data["rows"], written["rows"], strict=True)], written["rows"])

    def test_dark_pages_are_dark_and_painted(self):
        page = self.shown("measured", name="dark", dark=True)
        self.expect_dark(page)
        self.expect_drawn(page, OF_THE_MEASURED)

    def test_a_phone_shows_all_of_it_without_sideways_scrolling(self):
        for which, figures in (("measured", OF_THE_MEASURED), ("names", WITH_PEERS), ("many", WITH_PEERS)):
            with self.subTest(page=which):
                page = self.shown(which, name=f"phone-{which}", width=390, height=844, dark=which == "names")
                self.expect_drawn(page, figures)
                self.expect_no_sideways_scrolling(page, 390)

    def test_many_workers_have_curves_and_the_page_says_over_what(self):
        page = self.shown("many", name="many")
        self.expect_drawn(page, WITH_PEERS)
        self.assertEqual(page.value("document.querySelectorAll('[data-figure=times]').length"), 7)
        self.assertEqual(page.value("document.querySelectorAll('[data-figure=speed-up] .area svg').length"), 1)
        self.assertRegex(page.value(TEXT), "Compared with [a-z:]+ on 1 worker, the fastest with the fewest workers, because the serial elision did not run")

    def test_wrong_answers_are_shown_as_such_and_compared_with_nothing(self):
        page = self.shown("wrong", name="wrong")
        self.expect_drawn(page, WITH_PEERS)
        banners = page.value("[...document.querySelectorAll('.banner')].map(b => b.textContent)")
        self.assertEqual(sum("Wrong answers." in b for b in banners), 4)
        self.assertIn("adws with 2 workers gave 3 wrong answers (the sum is 7, not 8).", " ".join(banners))
        self.assertIn("Note. Before 3 of 90 runs a peer's threads were still spinning (OMP_WAIT_POLICY?).", banners)
        text = page.value(TEXT)
        self.assertNotIn("every answer verified", text)
        self.assertIn("beside tbb", text)
        self.assertNotIn("beside openmp", text)
        self.assertNotIn("adws is the fastest", text)

    def test_more_contenders_than_colours_fit(self):
        page = self.shown("names", name="names")
        self.expect_drawn(page, WITH_PEERS)
        self.expect_no_sideways_scrolling(page, 1280)

    def test_no_text_becomes_a_part_of_the_page(self):
        page = self.shown("hostile", name="hostile")
        self.expect_drawn(page, ALWAYS)
        self.assertIsNone(page.value("window.hurt || null"))
        self.assertIn("</script><script>window.hurt = 1</script>", page.value(TEXT))
        self.assertIn("Note. {{script}}.", page.value(TEXT))

    def test_the_keyboard_reaches_every_figure_and_reads_it(self):
        for which in ("measured", "names"):
            self.expect_keyboard_reads_all(self.shown(which))
        page = self.shown("measured")  # a page on which nothing had the focus
        page.press("Tab")
        self.assertEqual(page.value("document.activeElement.textContent"), "Skip to the comparison")

    def test_what_is_seen_has_words_and_a_table(self):
        page = self.shown("measured")
        self.expect_words_and_tables(page, 10)
        page.value("[...document.querySelectorAll('#numbers th button')].find(b => b.textContent === 'workers').click()")
        self.assertEqual(page.value("document.querySelector('#numbers tbody tr').children[1].textContent"), "2")

    def test_it_prints(self):
        page = self.shown("measured", dark=True)
        page.print_to(PICTURES / "comparison-printed.pdf")
        self.assertGreater((PICTURES / "comparison-printed.pdf").stat().st_size, 20_000)
        self.assertEqual(page.value("document.documentElement.dataset.theme"), "dark", "it is what it was before")


if __name__ == "__main__":
    case_report.main(verbosity=2)
