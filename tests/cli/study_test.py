#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""skua study: predictions before measurements, going on after an interrupt, and its folder (make study) in an empty root."""

import json
import pathlib
import shutil
import signal
import subprocess
import time

import command

ROOT = pathlib.Path(__file__).resolve().parents[2]
ONE_APP = ["--quick", "--only", "heat-640", "--policies", "random,adws", "--workers", "2"]


def study_in(folder):
    return json.loads((folder / "study.json").read_text())


class Study(command.Case):
    def test_predicts_then_measures_and_goes_on(self):
        made, program = self.in_an_empty_root()
        self.succeeds(program, *ONE_APP)
        folder = made / "skua-study"
        found = study_in(folder)
        keys = list(found["parts"])
        self.assertLess(keys.index("prediction/heat-640"), keys.index("scaling/heat-640"))
        for key in ("machine", "scaling/heat-640"):
            self.assertTrue(found["parts"][key]["ended_well"], found["parts"][key]["why"])
        if found["parts"]["calibration"]["ended_well"]:  # it fails where other programs keep the processors busy
            self.assertTrue(found["parts"]["prediction/heat-640"]["ended_well"], found["parts"]["prediction/heat-640"]["why"])
            self.assertEqual({c["workers"] for c in found["checks"]}, {1, 2})
        self.assertEqual(found["limits"][0]["workers"], 2)
        page = (folder / "study.html").read_text()
        self.assertIn("Skua study", page)
        self.assertNotIn("http://", page.replace("http://www.w3.org", ""))
        before = found["parts"]["scaling/heat-640"]
        self.assertIn("are kept", self.succeeds(program, *ONE_APP))
        self.assertEqual(study_in(folder)["parts"]["scaling/heat-640"], before)
        refused = subprocess.run([*program, *ONE_APP[:-1], "1"], capture_output=True, text=True, check=False)
        self.assertEqual(refused.returncode, 2, refused.stderr)
        self.assertIn("another machine, build or kind", refused.stderr)

    def test_an_interrupted_one_has_a_page(self):
        folder = self.scratch / "s"
        with command.start("study", *ONE_APP, "--output", str(folder)) as study:
            for _ in range(600):
                if (folder / "study.json").exists() and "machine" in study_in(folder)["parts"]:
                    break
                time.sleep(0.05)
            study.send_signal(signal.SIGINT)
            _, err = study.communicate(timeout=command.TIMEOUT_S)
        self.assertEqual(study.returncode, 130, err)
        self.assertTrue(study_in(folder)["interrupted"])
        self.assertTrue((folder / "study.html").exists())

    def test_leaves_out_what_is_not_there_or_has_no_time(self):
        folder = self.scratch / "s"
        code, _, err = command.run("study", "--quick", "--only", "herd", "--minutes", "0.1", "--output", str(folder), "--workers", "2")
        self.assertEqual(code, 0, err)
        part = study_in(folder)["parts"]["bench/herd"]
        self.assertFalse(part["ended_well"])
        self.assertRegex(part["why"], "is not there|no time was left")

    def test_refuses_senseless_requests(self):
        self.refuses("study", "--only", "heat-64", message=["--only is 'heat-64'; allowed: ", "did you mean 'heat-640'"])
        self.refuses("study", "--minutes", "0", message=["--minutes"])
        self.refuses("study", "--workers", "0", message=["--workers"])
        self.refuses("study", "--policies", "fifo", message=["fifo"])
        (self.scratch / "file").write_text("")
        self.refuses("study", "--output", str(self.scratch / "file"), code=1, message=["file/parts"])

    def in_an_empty_root(self):
        """Its folder and the words that start it there; without the tools or the rights for that, the command itself."""
        made = self.scratch / "made"
        build = pathlib.Path(command.SKUA).resolve().parents[1]
        if shutil.which("patchelf") and (build / "bin/skua-study").exists():  # sanitizers have no static runtime
            self.succeeds(["python3", str(ROOT / "tools/study_folder.py"), str(build), str(made), "--most-mib", "400"])
            box = ["bwrap", "--bind", str(made), "/study", "--proc", "/proc", "--dev", "/dev", "--ro-bind", "/sys", "/sys", "--unshare-net", "/study/study"]
            if shutil.which("bwrap") and subprocess.run([*box, "--help"], capture_output=True, check=False).returncode == 0:
                return made, box
            return made, [str(made / "study")]
        return made, [command.SKUA, "study", "--output", str(made / "skua-study")]

    def succeeds(self, words, *more):
        done = subprocess.run([*words, *more], capture_output=True, text=True, timeout=command.TIMEOUT_S, check=False)
        self.assertEqual(done.returncode, 0, f"{words}: {done.stdout}{done.stderr}")
        return done.stdout + done.stderr


if __name__ == "__main__":
    command.main()
