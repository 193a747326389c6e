#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The pictures of `skua run --map`, `skua experiment`, `skua profile` and `skua balance` in a browser: light, dark, on a narrow screen and on paper."""

import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import case_report  # noqa: E402  (it stands there)
from page_case import PICTURES, SKUA, PageCase  # noqa: E402

EXPERIMENTS = ["adws-sc19/fig12", "arms-2021/fig11", "numa-ws-2018/fig8", "numa-ws-2018/fig9", "arms-2021/table6"]  # curves, bars, parts of bars
MAPS = {"heat-few": ["heat", "--n", "256", "--leaf-rows", "32", "--leaf-cols", "32", "--iterations", "4", "--workers", "4"],
        "heat-many": ["heat", "--n", "256", "--leaf-rows", "32", "--leaf-cols", "32", "--iterations", "2", "--workers", "40"],
        "sph": ["sph", "--scale", "1", "--steps", "3", "--workers", "3"]}
HEAT = ["heat", "--n", "512", "--iterations", "5", "--leaf-rows", "32", "--leaf-cols", "128"]
PROFILES = {"profile": HEAT,  # several curves, and bounds in the picture
            "profile-seeds": ["sph", "--scale", "1", "--steps", "2", "--seeds", "5", "--workers", "1,2,4,8,16,32,48,64"],
            "profile-many": [*HEAT, "--workers", "16,64", "--policies",
                             "random,hierarchical,adws,adws:no-steal,adws:paper,numa-ws,numa-ws:bias=50,numa-ws:as-released,numa-ws:threshold=1000"],
            "profile-one": ["fib", "--n", "12", "--task-ns", "5", "--workers", "1", "--policies", "random"]}
BALANCES = {"balance-few": ["--ranks", "12", "--tasks", "300"],
            "balance-many": ["--ranks", "9600", "--how", "none,hierarchical:arity=16,binned,tempered:fanout=4", "--repeat", "2"]}

# Texts that cover each other, by more than the rims of their boxes, or stand outside of the picture.
MISPLACED = """(() => {
  const all = [...document.querySelectorAll('text')].map(e => [e.textContent, e.getBoundingClientRect()]);
  const page = document.documentElement.getBoundingClientRect();
  const rim = 0.2 * parseFloat(getComputedStyle(document.documentElement).fontSize);
  const bad = [];
  all.forEach(([words, a], i) => {
    if (a.left < page.left || a.right > page.right + 0.5 || a.top < page.top || a.bottom > page.bottom + 0.5) bad.push(words);
    for (const [other, b] of all.slice(0, i)) {
      if (a.left < b.right && b.left < a.right && a.top + rim < b.bottom - rim && b.top + rim < a.bottom - rim) bad.push(`${words} | ${other}`);
    }
  });
  return bad;
})()"""
TEXTS = "document.querySelectorAll('text').length"
INK = "parseInt(getComputedStyle(document.querySelector('text')).fill.match(/\\d+/)[0])"
GROUND = "parseInt(getComputedStyle(document.querySelector('rect')).fill.match(/\\d+/)[0])"
AROUND = "parseInt(getComputedStyle(document.documentElement).backgroundColor.match(/\\d+/)[0])"


class Pictures(PageCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.files = {}
        for name in EXPERIMENTS:
            subprocess.run([SKUA, "experiment", name, "--quick", "--output", str(cls.folder)], check=True, stdout=subprocess.DEVNULL)
            cls.files[name.replace("/", "-")] = cls.folder / f"{name.replace('/', '-')}-quick.svg"
        for name, arguments in MAPS.items():
            cls.files[name] = cls.folder / f"{name}.svg"
            subprocess.run([SKUA, "run", *arguments, "--map", str(cls.files[name])], check=True, stdout=subprocess.DEVNULL)
        for name, arguments in PROFILES.items():
            cls.files[name] = cls.folder / f"{name}.svg"
            subprocess.run([SKUA, "profile", *arguments, "--picture", str(cls.files[name])], check=True, stdout=subprocess.DEVNULL)
        for name, arguments in BALANCES.items():
            cls.files[name] = cls.folder / f"{name}.svg"
            subprocess.run([SKUA, "balance", *arguments, "--picture", str(cls.files[name])], check=True, stdout=subprocess.DEVNULL)

    def each(self, look, **how):
        for name, path in self.files.items():
            with self.subTest(picture=name):
                page = self.opened(path, ready="true", **how)
                page.picture(PICTURES / f"picture-{name}-{look}.png")
                yield page

    def test_they_are_dark_on_light_ground_and_no_text_covers_another(self):
        for page in self.each("light"):
            self.assertGreater(page.value(TEXTS), 5)
            self.assertEqual(page.value(MISPLACED), [])
            self.assertLess(page.value(INK), 100)
            self.assertGreater(page.value(GROUND), 200)

    def test_they_are_light_on_dark_ground_if_the_reader_wants_dark_pages(self):
        for page in self.each("dark", dark=True):
            self.assertGreater(page.value(INK), 150)
            self.assertLess(page.value(GROUND), 60)
            self.assertLess(page.value(AROUND), 60)

    def test_they_are_light_on_paper_even_so(self):
        for page in self.each("paper", dark=True):
            page.call("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}])
            self.assertLess(page.value(INK), 100)
            self.assertGreater(page.value(GROUND), 200)
            page.call("Emulation.setEmulatedMedia", media="")

    def test_they_fit_a_narrow_screen_with_texts_that_can_be_read(self):
        for page in self.each("narrow", width=400, mobile=False):
            self.expect_no_sideways_scrolling(page, 400)
            self.assertEqual(page.value(MISPLACED), [])
            size = page.value("document.documentElement.getBoundingClientRect().width") / 560 * 12
            self.assertGreaterEqual(size, 8)


if __name__ == "__main__":
    case_report.main(verbosity=2)
