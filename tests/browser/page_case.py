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

# What a drawing shows: the colours of the pixels of its canvas, or of its shapes and bars; the share of it that is not of the
# colour that most of it has, or that shapes cover; and its visible labels, which of them touch, and which leave the figure.
PAINTED = """[...document.querySelectorAll('[data-figure] .plot')].map(plot => {
  const canvas = plot.querySelector('canvas');
  const counts = new Map([['ground', 1]]);
  let share = 0;
  if (canvas) counts.clear();
  if (canvas) {
    const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    for (let i = 0; i < data.length; i += 4) {
      const paint = (data[i] << 24 | data[i + 1] << 16 | data[i + 2] << 8 | data[i + 3]) >>> 0;
      counts.set(paint, (counts.get(paint) || 0) + 1);
    }
    share = canvas.getBoundingClientRect().height > 10 ? 1 - Math.max(...counts.values()) / (data.length / 4) : 0;
  }
  const whole = plot.getBoundingClientRect();
  for (const shape of plot.querySelectorAll('path, .track > i')) {
    const style = getComputedStyle(shape);
    const box = shape.getBoundingClientRect();
    if (shape.tagName === 'path' ? !shape.getTotalLength() : !box.width) continue;
    const paint = shape.tagName === 'path' ? style.color : `${style.backgroundColor} ${style.backgroundImage}`;
    counts.set(paint, 1);
    share += Math.max(box.width, 2) * Math.max(box.height, 2) / (whole.width * whole.height);
  }
  const [area, below] = [plot.querySelector('.area'), plot.querySelector('.axes > .labels.xs')];
  const askew = area ? Math.abs(area.getBoundingClientRect().width - below.getBoundingClientRect().width) : 0;
  const touching = [];
  const outside = [];
  for (const all of plot.querySelectorAll('.labels')) {
    const seen = [...all.children, ...plot.querySelectorAll('.title')].filter(l => l.textContent && l.style.visibility !== 'hidden').map(l => [l.textContent, l.getBoundingClientRect()]);
    seen.forEach(([words, a], i) => {
      if (a.left < whole.left - 8 || a.right > whole.right + 8) outside.push(words);
      for (const [other, b] of seen.slice(0, i))
        if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1) touching.push(`${words} | ${other}`);
    });
  }
  return {figure: plot.closest('[data-figure]').dataset.figure, colours: counts.size, share, askew, touching, outside,
          labels: [...plot.querySelectorAll('.labels > span')].filter(l => l.textContent && l.style.visibility !== 'hidden').length};
})"""
FIGURES = "[...document.querySelectorAll('[data-figure]')].map(f => [f.dataset.figure, f.dataset.drawn || 'no'])"


class PageCase(unittest.TestCase):
    """One browser and one folder for all tests of a class."""

    without_drawing = frozenset()  # figures that are texts and tables

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

    def expect_drawn(self, page, figures, flat=frozenset()):
        """Exactly these figures, each drawn; all but those `without_drawing` have something on them, and labels that can be read.
        Those that are `flat` have one colour."""
        found = page.value(FIGURES)
        self.assertEqual({name for name, _ in found}, figures)
        self.assertEqual([name for name, drawn in found if drawn != "yes"], [])
        painted = page.value(PAINTED)
        self.assertEqual(figures - {drawing["figure"] for drawing in painted}, self.without_drawing & figures)
        for drawing in painted:
            with self.subTest(drawing=drawing["figure"]):
                if drawing["figure"] not in flat:
                    self.assertGreaterEqual(drawing["colours"], 2)
                    self.assertGreater(drawing["share"], 0.01)
                self.assertGreaterEqual(drawing["labels"], 2)
                self.assertEqual((drawing["touching"], drawing["outside"]), ([], []))
                self.assertLess(drawing["askew"], 1, "labels stand below what they name")

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
