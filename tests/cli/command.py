# SPDX-License-Identifier: MIT
"""How the tests of this folder run the command. They report their cases one by one: tools/case_report.py."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import case_report  # noqa: E402  (it stands there)

SKUA = os.environ.get("SKUA_COMMAND", "build/dev/bin/skua")
EXAMPLE = os.environ.get("EXAMPLE_FIB", "build/dev/bin/example_fib")
# ThreadSanitizer does not see how oneTBB and OpenMP's library synchronize.
PEERS_RUN = os.environ.get("SANITIZER", "") != "thread"
TIMEOUT_S = 120


def clean_environment(**extra):
    """Ours without what would choose a pool, and with `extra`."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("SKUA_", "OMP_"))}
    return kept | extra


def start(*words, program=SKUA, **settings):
    settings.setdefault("stdin", subprocess.DEVNULL)
    settings.setdefault("stdout", subprocess.PIPE)
    settings.setdefault("stderr", subprocess.PIPE)
    return subprocess.Popen([program, *words], text=True, env=clean_environment(**settings.pop("variables", {})), **settings)


def run(*words, **settings):
    """(exit code, standard output, standard error)"""
    with start(*words, **settings) as process:
        try:
            out, err = process.communicate(timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    return process.returncode, out, err


class Case(unittest.TestCase):
    longMessage = True
    maxDiff = None

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)

    def works(self, *words, **settings):
        """Standard output of a command that must succeed and complain of nothing."""
        code, out, err = run(*words, **settings)
        self.assertEqual((code, err), (0, ""), f"skua {' '.join(words)}: {out}")
        return out

    def works_json(self, *words, **settings):
        return json.loads(self.works(*words, **settings))

    def refuses(self, *words, says=(), code=2, **settings):
        """The command ends with `code`, one line on standard error that holds all of `says`, and no output."""
        got, out, err = run(*words, **settings)
        told = f"skua {' '.join(words)} -> {got}: {err}"
        self.assertEqual(got, code, told)
        self.assertEqual(out, "" if settings.get("stdout") is None else None, told)
        self.assertEqual(err.count("\n"), 1, told)
        self.assertTrue(err.startswith("skua: ") and err.endswith("\n"), told)
        for part in says:
            self.assertIn(part, err)


def main():
    case_report.main(verbosity=2)
