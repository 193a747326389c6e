# SPDX-License-Identifier: MIT
"""What the tests of all pages look at: that every figure is drawn, that the console is silent, and that nothing is fetched."""

import os
import pathlib
import tempfile
import unittest

from browser import Browser

SKUA = os.environ.get("SKUA_COMMAND", "build/dev/bin/skua")
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


class PageCase(unittest.TestCase):
    """One browser and one folder for all tests of a class."""

    without_canvas = frozenset()  # figures that are drawn without one

    @classmethod
    def setUpClass(cls):
        cls.browser = Browser(CHROMIUM)
        cls.addClassCleanup(cls.browser.__exit__, None, None, None)
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.folder = pathlib.Path(scratch.name)
        PICTURES.mkdir(parents=True, exist_ok=True)

    def opened(self, path, name=None, **looks):
        """The page, opened; its console has no errors, and it asks for nothing but itself."""
        self.assertLess(path.stat().st_size, MOST_BYTES)
        page = self.browser.open(path, **looks)
        self.assertEqual(page.console_errors(), [])
        self.assertEqual(page.requests(), [path.resolve().as_uri()])
        if name:
            page.picture(PICTURES / f"{name}.png")
        return page

    def expect_drawn(self, page, figures):
        """Exactly these figures, each drawn; all but those `without_canvas` are canvases with something on them."""
        found = page.value(FIGURES)
        self.assertEqual({name for name, _ in found}, figures)
        self.assertEqual([name for name, drawn in found if drawn != "yes"], [])
        painted = page.value(PAINTED)
        self.assertEqual(figures - {canvas["figure"] for canvas in painted}, self.without_canvas & figures)
        for canvas in painted:
            with self.subTest(canvas=canvas["figure"]):
                self.assertGreaterEqual(canvas["colours"], 3)
                self.assertGreater(canvas["share"], 0.01)

    def expect_dark(self, page):
        self.assertEqual(page.value("document.documentElement.dataset.theme"), "dark")
        red = page.value("parseInt(getComputedStyle(document.documentElement).backgroundColor.match(/\\d+/)[0])")
        self.assertLess(red, 60)

    def expect_no_sideways_scrolling(self, page, width):
        self.assertLessEqual(page.value("document.documentElement.scrollWidth"), width)

    def expect_keyboard_reads_all(self, page):
        for i in range(page.value("document.querySelectorAll('.plot').length")):
            plot = f"document.querySelectorAll('.plot')[{i}]"
            page.value(f"{plot}.focus()")
            for key in ("ArrowRight", "ArrowRight", "ArrowDown"):
                page.press(key)
            page.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")
            with self.subTest(figure=page.value(f"{plot}.closest('[data-figure]').dataset.figure")):
                self.assertNotEqual(page.value(f"{plot}.closest('[data-figure]').querySelector('output').textContent"), "")

    def expect_words_and_tables(self, page, least):
        """Whoever does not see a figure has its words, and a table with rows; at least so many figures have one."""
        self.assertEqual(page.value("[...document.querySelectorAll('.plot')].filter(p => !p.getAttribute('aria-label')).length"), 0)
        page.value("document.querySelectorAll('details').forEach(d => { d.open = true; })")
        page.value("new Promise(done => setTimeout(() => done(1), 50))")
        rows = page.value("[...document.querySelectorAll('[data-figure] details')].map(d => d.querySelectorAll('tbody tr').length)")
        self.assertGreaterEqual(len(rows), least)
        self.assertGreater(min(rows), 0)
