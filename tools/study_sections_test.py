#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""study_sections.py: a study becomes a section, whose figures are those of its file, and a page that says something else is found."""

import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import study_sections as tool  # noqa: E402  (it stands beside this file)

STUDY = {
    "began": "2026-11-29 18:00:00 UTC", "of": {"quick": True}, "doubts": ["the load average was 1.00"],
    "machine": {"cpu": "A", "pus": 4, "usable_pus": 2, "kernel": "Linux", "compiler": "GCC", "build_type": "Release"},
    "limits": [{"title": "heat", "runner": "adws", "workers": 2, "speed_up": 1.9, "efficiency": 0.95, "best_peer": "tbb", "peer_speed_up": 1.8, "says": ""},
               {"title": "fib", "runner": "auto", "workers": 2, "speed_up": 1.0, "efficiency": 0.5, "best_peer": None, "peer_speed_up": None, "says": "idle"}],
    "summary": ["heat: 1.90", "Of 4 speed-ups that were predicted, 3 are right."],
    "parts": {"bench/herd": {"kind": "bench", "ended_well": True, "why": "", "conditions": {"load_average": 0.5, "stolen": 0.03},
                             "result": {"rows": [{"what": "wake", "unit": "us", "median": 12345.6, "min": 1, "max": 2, "samples": 9}]}},
              "bench/fork": {"kind": "bench", "ended_well": False, "why": "no time was left"}},
}


class StudySections(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.root = pathlib.Path(self.scratch.name)
        (self.root / "docs").mkdir()
        self.page = self.root / tool.PAGE
        self.page.write_text(f"before\n{tool.BEGIN}\nold\n{tool.END}\nafter\n")
        (self.root / "study.json").write_text(json.dumps(STUDY))

    def add(self, name="a-2"):
        tool.main([str(self.root), "--add", str(self.root / "study.json"), name])

    def test_a_study_becomes_a_section(self):
        self.add()
        text = self.page.read_text()
        self.assertTrue(text.startswith("before\n") and text.endswith("after\n"))
        for part in ("### A, 2 of 4 processors", "`skua study --quick`", "The load average was 1.00.", "up to 3 % of the processors", "| `heat` | adws | 2 | 1.90 | 95 % | tbb | 1.80 |  |",
                     "| `fib` | auto | 2 | 1.00 | 50 % |  |  | idle |", "Of 4 speed-ups", "| wake | 12346 | 1 | 2 | us |", "bench/fork (no time was left)"):
            self.assertIn(part, text)
        self.assertNotIn("old", text)
        self.assertEqual(tool.main([str(self.root)]), 0)

    def test_a_page_that_says_something_else_is_found(self):
        self.add()
        self.page.write_text(self.page.read_text().replace("1.90", "1.91"))
        with self.assertRaisesRegex(SystemExit, "are not those of docs/studies"):
            tool.main([str(self.root)])
        tool.main([str(self.root), "--write"])
        self.assertEqual(tool.main([str(self.root)]), 0)

    def test_wrong_names_files_and_pages_are_refused(self):
        with self.assertRaisesRegex(SystemExit, "NAME is '../a'"):
            self.add("../a")
        (self.root / "study.json").write_text('{"study": 1}')
        with self.assertRaisesRegex(SystemExit, "no study that has ended"):
            self.add()
        self.page.write_text("no markers")
        with self.assertRaisesRegex(SystemExit, "markers"):
            tool.main([str(self.root), "--write"])


if __name__ == "__main__":
    unittest.main()
