#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A reader's browser shows every figure of a report: in light and dark, on a phone, by keyboard and on paper, without a network."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import case_report  # noqa: E402  (it stands there)
from browser import Browser  # noqa: E402

SKUA = os.environ.get("SKUA_COMMAND", "build/dev/bin/skua")
WRITE_TRACES = os.environ.get("WRITE_TRACES", "build/dev/tests/write_traces")
CHROMIUM = os.environ.get("CHROMIUM", "chromium")
PICTURES = pathlib.Path(os.environ.get("PICTURES", "build/dev/tests/browser"))
MOST_BYTES = 2 << 20

# Pixels of a canvas that are not of the colour that most of them have.
PAINTED = """[...document.querySelectorAll('[data-figure] canvas')].map(canvas => {
  const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  const counts = new Map();
  for (let i = 0; i < data.length; i += 4) {
    const paint = (data[i] << 24 | data[i + 1] << 16 | data[i + 2] << 8 | data[i + 3]) >>> 0;
    counts.set(paint, (counts.get(paint) || 0) + 1);
  }
  return {figure: canvas.closest('[data-figure]').dataset.figure, colours: counts.size, share: 1 - Math.max(...counts.values()) / (data.length / 4)};
})"""
FIGURES = "[...document.querySelectorAll('[data-figure]')].map(f => [f.dataset.figure, f.dataset.drawn || 'no'])"

OF_EVERY_RUN = {"run", "utilisation", "time-lines", "worker-times", "tasks"}
OF_SEVERAL_WORKERS = OF_EVERY_RUN | {"busy-workers"}
OF_ITERATIONS = OF_SEVERAL_WORKERS | {"task-map", "iterations", "iteration-steals", "steal-matrix", "steal-distances"}


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.scratch.cleanup)
        cls.folder = pathlib.Path(cls.scratch.name)
        subprocess.run([WRITE_TRACES, cls.folder], check=True, timeout=300)
        cls.browser = Browser(CHROMIUM)
        cls.addClassCleanup(cls.browser.__exit__, None, None, None)
        PICTURES.mkdir(parents=True, exist_ok=True)

    def page_of(self, *traces):
        page = self.folder / f"{'-'.join(traces)}.html"
        if not page.exists():
            subprocess.run([SKUA, "report", *traces, "-o", page], cwd=self.folder, check=True, timeout=300, stdout=subprocess.DEVNULL)
        self.assertLess(page.stat().st_size, MOST_BYTES)
        return page

    def shown(self, *traces, name=None, **looks):
        """The page of these traces, opened; its console has no errors, and it asks for nothing but itself."""
        path = self.page_of(*traces)
        page = self.browser.open(path, **looks)
        self.assertEqual(page.console_errors(), [])
        self.assertEqual(page.requests(), [path.resolve().as_uri()])
        if name:
            page.picture(PICTURES / f"{name}.png")
        return page

    def expect_drawn(self, page, figures):
        found = page.value(FIGURES)
        self.assertEqual({name for name, _ in found}, figures)
        self.assertEqual([name for name, drawn in found if drawn != "yes"], [])
        painted = page.value(PAINTED)
        self.assertGreaterEqual(len(painted), len(figures) - 3, "all but the table, the cards and the bars are canvases")
        for canvas in painted:
            with self.subTest(canvas=canvas["figure"]):
                self.assertGreaterEqual(canvas["colours"], 3)
                self.assertGreater(canvas["share"], 0.01)

    def expect_no_sideways_scrolling(self, page, width):
        self.assertLessEqual(page.value("document.documentElement.scrollWidth"), width)

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
        self.assertEqual(page.value("document.documentElement.dataset.theme"), "dark")
        red = page.value("parseInt(getComputedStyle(document.documentElement).backgroundColor.match(/\\d+/)[0])")
        self.assertLess(red, 60)

    def test_a_phone_shows_all_of_it_without_sideways_scrolling(self):
        page = self.shown("iterated", name="phone", width=390, height=844)
        self.expect_drawn(page, OF_ITERATIONS)
        self.expect_no_sideways_scrolling(page, 390)
        self.expect_no_sideways_scrolling(self.shown("ranks", name="phone-ranks", width=390, height=844, dark=True), 390)

    def test_ranks_and_teams_are_one_run(self):
        page = self.shown("ranks", name="ranks")
        self.expect_drawn(page, OF_SEVERAL_WORKERS | {"teams", "iterations", "iteration-steals", "steal-matrix", "steal-distances"})
        # Groups of eight workers lie a quarter of the line of addresses apart.
        teams = page.value("(async () => { const d = document.querySelector('#teams details'); const shown = new Promise(r => d.addEventListener('toggle', r));"
                           " d.open = true; await shown; await new Promise(requestAnimationFrame); return document.querySelector('#teams').textContent; })()")
        for row in ("gemm, type 0, address 0", "gemm, type 0, address 0.250", "syrk, type 1, address 0.500"):
            self.assertIn(row, teams)
        self.assertIn("on 2 ranks", page.value("document.querySelector('[data-figure=run]').textContent"))

    def test_simulated_crashed_and_empty_traces_say_so(self):
        for trace, words in (("simulated", "Simulated."), ("crashed", "Incomplete."), ("crashed", "Events were lost."), ("empty", "has no events")):
            with self.subTest(trace=trace):
                page = self.shown(trace, name=trace)
                self.assertIn(words, page.value("[...document.querySelectorAll('.banner')].map(b => b.textContent).join(' ')"))
        self.assertEqual(self.shown("steady").value("document.querySelectorAll('[data-finding]').length"), 0)

    def test_a_million_events_are_a_small_page(self):
        page = self.shown("million", name="million")
        self.expect_drawn(page, OF_SEVERAL_WORKERS | {"steal-matrix", "steal-distances"})
        loaded = page.value("(({loadEventEnd, startTime}) => loadEventEnd - startTime)(performance.getEntriesByType('navigation')[0])")
        print(f"10^6 events: {self.page_of('million').stat().st_size / 1e6:.2f} MB, loaded and drawn in {loaded:.0f} ms, "
              f"of which drawing took {page.value('document.documentElement.dataset.drawMs')} ms", file=sys.stderr)

    def test_the_keyboard_reaches_every_figure_and_reads_it(self):
        page = self.shown("iterated")
        figures = page.value("document.querySelectorAll('.plot').length")
        for i in range(figures):
            plot = f"document.querySelectorAll('.plot')[{i}]"
            page.value(f"{plot}.focus()")
            for key in ("ArrowRight", "ArrowRight", "ArrowDown"):
                page.press(key)
            page.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")
            with self.subTest(figure=page.value(f"{plot}.closest('[data-figure]').dataset.figure")):
                self.assertNotEqual(page.value(f"{plot}.closest('[data-figure]').querySelector('output').textContent"), "")
        page = self.shown("iterated")  # a page on which nothing had the focus
        page.press("Tab")
        self.assertEqual(page.value("document.activeElement.textContent"), "Skip to the report")

    def test_what_is_seen_has_words_and_a_table(self):
        page = self.shown("iterated")
        self.assertEqual(page.value("[...document.querySelectorAll('.plot')].filter(p => !p.getAttribute('aria-label')).length"), 0)
        page.value("document.querySelectorAll('details').forEach(d => { d.open = true; })")
        page.value("new Promise(done => setTimeout(() => done(1), 50))")
        rows = page.value("[...document.querySelectorAll('[data-figure] details')].map(d => d.querySelectorAll('tbody tr').length)")
        self.assertGreater(len(rows), 5)
        self.assertGreater(min(rows), 0)
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
