#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A reader's browser shows every figure of a study's page: with all kinds of parts, with none, and on a phone."""

import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import case_report  # noqa: E402  (it stands there)
from page_case import SKUA, PageCase  # noqa: E402

COUNTS = [1, 2, 4, 8, 16]
SHORT = ["study", "--quick", "--minutes", "0.1", "--only", "herd", "--workers", "16"]
TEXT = "document.getElementById('main').textContent"


def row(runner, workers, seconds, serial, **more):
    return {"runner": runner, "workers": workers, "median_s": seconds, "min_s": seconds * 0.98, "max_s": seconds * 1.03, "verified": True,
            "speedup_over_serial": serial / seconds, **more}


def scaling(app, serial, growth):
    rows = [row("serial", 1, serial, serial)]
    for n in COUNTS:
        for i, runner in enumerate(("auto", "random", "hierarchical", "adws", "numa-ws", "replay")):
            took = serial / n ** (growth - 0.03 * i)
            rows.append(row(runner, n, took, serial, work_s=0.7 * took * n, idle_s=0.2 * took * n, scheduling_s=0.1 * took * n, inflation_over_one=1 + 0.01 * n))
        rows += [row(peer, n, serial / n ** 0.6, serial) for peer in ("openmp", "tbb")]
    return {"kind": "scaling", "title": f"{app} --n 640", "ended_well": True, "why": "", "seconds": 3, "words": ["skua"], "is_repeated": False,
            "conditions": {"stolen": 0.1, "load_average": 3.5, "clock_spread": 0.3}, "result": {"rows": rows}}


def prediction(app, serial):
    rows = [row(runner, n, serial / n ** 0.9, serial) for n in COUNTS for runner in ("random", "hierarchical", "adws", "numa-ws", "replay")]
    return {"kind": "prediction", "title": f"{app} --n 640", "ended_well": True, "why": "", "seconds": 1, "words": ["skua"], "is_repeated": False, "result": {"rows": rows}}


def bench(title, rows):
    return {"kind": "bench", "title": title, "ended_well": True, "why": "", "seconds": 1, "words": ["bench"], "is_repeated": False,
            "result": {"rows": [{"what": f"operation {i}", "unit": "us", "median": 1.5 * i, "min": i, "p90": 2 * i, "max": 3 * i, "samples": 9} for i in range(rows)]}}


class Study(PageCase):
    without_drawing = {"summary", "limits", "predictions", "repeat", "bench/regions", "bench/steal"}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name in ("empty", "full"):
            cls.make(name)
        file = cls.folder / "full/study.json"
        study = json.loads(file.read_text(encoding="utf-8"))
        study["parts"] |= {"prediction/heat": prediction("heat", 0.1), "scaling/heat": scaling("heat", 0.1, 0.9), "scaling/fib": scaling("fib", 0.03, 1.0),
                           "bench/regions": bench("loops", 30), "bench/steal": bench("steals", 3)}
        file.write_text(json.dumps(study), encoding="utf-8")
        cls.make("full")

    @classmethod
    def make(cls, name):
        subprocess.run([SKUA, *SHORT, "--output", name], cwd=cls.folder, check=True, timeout=120, capture_output=True)

    def shown(self, which, name=None, **looks):
        return self.opened(self.folder / which / "study.html", name and f"study-{name}", **looks)

    def test_every_figure_is_painted(self):
        page = self.shown("full", name="full")
        self.expect_drawn(page, {"summary", "limits", "scaling", "predictions", "bench/regions", "bench/steal", "repeat"})
        self.assertEqual(page.value("document.querySelectorAll('[data-figure=scaling]').length"), 2)
        text = page.value(TEXT)
        for part in ("of linear", "predicted before anything was timed", "simulated", "no time was left", "processors taken by the host"):
            self.assertIn(part, text)

    def test_one_that_has_measured_nothing_says_so(self):
        page = self.shown("empty")
        self.expect_drawn(page, {"repeat"})
        self.assertIn("No app was measured", page.value(TEXT))

    def test_a_phone_shows_it_without_sideways_scrolling(self):
        page = self.shown("full", name="phone", width=390, height=844, dark=True)
        self.expect_no_sideways_scrolling(page, 390)

    def test_those_who_see_no_figure_have_words_and_tables(self):
        self.expect_words_and_tables(self.shown("full"), 2)


if __name__ == "__main__":
    case_report.main()
