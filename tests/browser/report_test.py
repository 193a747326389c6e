#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A reader's browser shows every figure of a report: in light and dark, on a phone, by keyboard and on paper, without a network."""

import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import case_report  # noqa: E402  (it stands there)
from page_case import PICTURES, SKUA, PageCase  # noqa: E402

WRITE_TRACES = os.environ.get("WRITE_TRACES", "build/dev/tests/write_traces")

OF_EVERY_RUN = {"run", "utilisation", "time-lines", "worker-times", "tasks"}
OF_SEVERAL_WORKERS = OF_EVERY_RUN | {"busy-workers"}
OF_ITERATIONS = OF_SEVERAL_WORKERS | {"task-map", "iterations", "iteration-steals", "steal-matrix", "steal-distances"}


class Report(PageCase):
    without_drawing = {"run", "tasks", "steal-distances"}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        subprocess.run([WRITE_TRACES, cls.folder], check=True, timeout=300)

    def page_of(self, *traces):
        page = self.folder / f"{'-'.join(traces)}.html"
        if not page.exists():
            subprocess.run([SKUA, "report", *traces, "-o", page], cwd=self.folder, check=True, timeout=300, stdout=subprocess.DEVNULL)
        return page

    def shown(self, *traces, name=None, **looks):
        return self.opened(self.page_of(*traces), name, **looks)

    def test_every_figure_of_a_run_is_painted(self):
        self.expect_drawn(self.shown("iterated", name="one-run"), OF_ITERATIONS)

    def test_runs_are_compared_side_by_side(self):
        page = self.shown("iterated", "alone", name="two-runs")
        self.expect_drawn(page, OF_ITERATIONS)
        self.assertEqual(page.value("document.querySelectorAll('[data-figure=utilisation]').length"), 2)
        self.assertIn("W_P/T_1", page.value("document.querySelector('[data-figure=run]').textContent"))

    def test_dark_pages_are_dark_and_painted(self):
        page = self.shown("iterated", "alone", name="dark", dark=True)
        self.expect_drawn(page, OF_ITERATIONS)
        self.expect_dark(page)

    def test_a_phone_shows_all_of_it_without_sideways_scrolling(self):
        page = self.shown("iterated", name="phone", width=390, height=844)
        self.expect_drawn(page, OF_ITERATIONS)
        self.expect_no_sideways_scrolling(page, 390)
        self.expect_no_sideways_scrolling(self.shown("ranks", name="phone-ranks", width=390, height=844, dark=True), 390)

    def test_the_narrowest_phone_needs_no_sideways_scrolling_either(self):
        self.assertIn("iterated_stencil_of_five_points", self.shown("chosen", name="narrow-chosen", width=320, height=844).value("document.querySelector('[data-figure=choices]').textContent"))
        for which in ("chosen", "iterated", "ranks", "flows", "steady", "crashed"):
            for width in (320, 390, 1280):
                with self.subTest(page=which, width=width):
                    page = self.shown(which, width=width, height=844)
                    page.value("document.querySelectorAll('details').forEach(d => { d.open = true; })")
                    self.expect_no_sideways_scrolling(page, width)

    def test_ranks_and_teams_are_one_run(self):
        page = self.shown("ranks", name="ranks")
        self.expect_drawn(page, OF_SEVERAL_WORKERS | {"teams", "iterations", "iteration-steals", "steal-matrix", "steal-distances"})
        # Groups of eight workers lie a quarter of the line of addresses apart.
        teams = page.value("(async () => { const d = document.querySelector('#teams details'); const shown = new Promise(r => d.addEventListener('toggle', r));"
                           " d.open = true; await shown; await new Promise(requestAnimationFrame); return document.querySelector('#teams').textContent; })()")
        for row in ("gemm, type 0, address 0", "gemm, type 0, address 0.250", "syrk, type 1, address 0.500"):
            self.assertIn(row, teams)
        self.assertIn("on 2 ranks", page.value("document.querySelector('[data-figure=run]').textContent"))

    def test_flows_show_their_critical_paths(self):
        page = self.shown("flows", name="flows")
        self.expect_drawn(page, OF_EVERY_RUN | {"busy-workers", "critical-path", "flow-runs"})
        shown = page.value("[...document.querySelectorAll('[data-figure=critical-path]')].map(f => f.textContent)")
        self.assertEqual(len(shown), 2)
        self.assertIn("Flow of 44 nodes and 70 edges, run 2 of 3: the longest", shown[0])
        self.assertIn("more workers do not make it faster. Split or speed up update", shown[1])
        nodes = page.value("(async () => { const d = document.querySelector('[data-figure=critical-path] details'); const open = new Promise(r => d.addEventListener('toggle', r));"
                           " d.open = true; await open; await new Promise(requestAnimationFrame); return [...d.querySelectorAll('tbody tr')].map(r => r.children[0].textContent); })()")
        self.assertEqual(nodes[0], "1: factor")
        self.assertEqual(len(nodes), 8)
        self.expect_keyboard_reads_all(page)
        self.expect_no_sideways_scrolling(self.shown("flows", name="phone-flows", width=390, height=844, dark=True), 390)

    def test_simulated_crashed_and_empty_traces_say_so(self):
        for trace, words in (("simulated", "Simulated."), ("crashed", "Incomplete."), ("crashed", "Events were lost."), ("empty", "has no events")):
            with self.subTest(trace=trace):
                page = self.shown(trace, name=trace)
                self.assertIn(words, page.value("[...document.querySelectorAll('.banner')].map(b => b.textContent).join(' ')"))
        self.assertEqual(self.shown("steady").value("document.querySelectorAll('[data-finding]').length"), 0)

    def test_a_million_events_are_a_small_page(self):
        page = self.shown("million", name="million")
        self.expect_drawn(page, OF_SEVERAL_WORKERS | {"steal-matrix", "steal-distances"}, flat={"time-lines"})  # fib and nothing else
        loaded = page.value("(({loadEventEnd, startTime}) => loadEventEnd - startTime)(performance.getEntriesByType('navigation')[0])")
        print(f"10^6 events: {self.page_of('million').stat().st_size / 1e6:.2f} MB, loaded and drawn in {loaded:.0f} ms, "
              f"of which drawing took {page.value('document.documentElement.dataset.drawMs')} ms", file=sys.stderr)

    def test_the_keyboard_reaches_every_figure_and_reads_it(self):
        page = self.shown("iterated")
        self.expect_keyboard_reads_all(page)
        page = self.shown("iterated")  # a page on which nothing had the focus
        page.press("Tab")
        self.assertEqual(page.value("document.activeElement.textContent"), "Skip to the report")

    def test_what_is_seen_has_words_and_a_table(self):
        page = self.shown("iterated")
        self.expect_words_and_tables(page, 6)
        page.value("[...document.querySelectorAll('#tasks th button')].find(b => b.textContent === 'count').click()")
        counts = page.value("[...document.querySelectorAll('#tasks tbody tr')].map(r => +r.children[1].textContent.replace(/\\D/g, ''))")
        self.assertEqual(counts, sorted(counts, reverse=True))

    def test_the_button_changes_the_colours_of_canvases_too(self):
        page = self.shown("iterated")
        corner = "(() => { const c = document.querySelector('[data-figure=time-lines] canvas'); return c.toDataURL(); })()"
        light = page.value(corner)
        page.value("document.getElementById('theme').click()")
        page.value("document.getElementById('theme').click()")
        self.assertEqual(page.value("document.documentElement.dataset.theme"), "dark")
        self.assertNotEqual(page.value(corner), light)

    def test_it_prints(self):
        page = self.shown("iterated", dark=True)
        page.print_to(PICTURES / "printed.pdf")
        self.assertGreater((PICTURES / "printed.pdf").stat().st_size, 20_000)
        self.assertEqual(page.value("document.documentElement.dataset.theme"), "dark", "it is what it was before")

    def test_the_data_of_the_page_are_those_of_json(self):
        page = self.shown("iterated")
        printed = subprocess.run([SKUA, "report", "iterated", "--json"], cwd=self.folder, check=True, timeout=300, capture_output=True).stdout
        self.assertEqual(page.value("JSON.parse(document.getElementById('data').textContent)"), json.loads(printed))


if __name__ == "__main__":
    case_report.main(verbosity=2)
