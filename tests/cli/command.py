# SPDX-License-Identifier: MIT
"""How the tests of this folder run the command. They report their cases one by one: tools/case_report.py."""

import json
import os
import pathlib
import re
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


def start(*arguments, program=SKUA, **settings):
    settings.setdefault("stdin", subprocess.DEVNULL)
    settings.setdefault("stdout", subprocess.PIPE)
    settings.setdefault("stderr", subprocess.PIPE)
    return subprocess.Popen([program, *arguments], text=True, env=clean_environment(**settings.pop("variables", {})), **settings)


def run(*arguments, **settings):
    """(exit code, standard output, standard error)"""
    with start(*arguments, **settings) as process:
        try:
            out, err = process.communicate(timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    return process.returncode, out, err


def must_work(*arguments, **settings):
    """Standard output, outside of a test case."""
    code, out, err = run(*arguments, **settings)
    if code != 0:
        raise RuntimeError(f"skua {' '.join(arguments)} -> {code}: {err}")
    return out


def new_terminal():
    """Both ends of a terminal, as file descriptors. Small containers and fresh chroots have none: then the test is skipped."""
    try:
        return os.openpty()
    except OSError as error:
        raise unittest.SkipTest(f"no terminal can be made here ({error.strerror}): is /dev/pts mounted?") from error


def has_pool(pid):
    """Whether the process shows the memory of a pool. It may close other files meanwhile, or end."""
    folder = f"/proc/{pid}/fd"
    for name in os.listdir(folder) if os.path.exists(folder) else ():
        try:
            if os.readlink(f"{folder}/{name}").startswith("/memfd:skua-pool"):
                return True
        except FileNotFoundError:
            continue
    return False


def mode_refusal(names, of_command, err):
    """The command says that this option and a mode exclude each other."""
    said = re.fullmatch(rf"skua: {of_command}: (--[\w-]+|NAME) is given with(out)? (.+?); allowed: (one of them|only with \3), because .+\n", err)
    return bool(said) and any(said[1] == name or said[3] == name or said[3].startswith(name + " ") for name in names)


def is_one_line(err):
    return err.startswith("skua: ") and err.count("\n") == 1


class Case(unittest.TestCase):
    longMessage = True
    maxDiff = None

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)

    def works(self, *arguments, **settings):
        """Standard output of a command that must succeed and print no errors."""
        code, out, err = run(*arguments, **settings)
        self.assertEqual((code, err), (0, ""), f"skua {' '.join(arguments)}: {out}")
        return out

    def works_json(self, *arguments, **settings):
        return json.loads(self.works(*arguments, **settings))

    def refuses(self, *arguments, message=(), code=2, allowed=None, **settings):
        """The command ends with `code`, one line on standard error that holds all of `message`, and no output. A misused command
        (code 2) is told what is allowed; only a file with wrong contents is not (`allowed=False`)."""
        got, out, err = run(*arguments, **settings)
        summary = f"skua {' '.join(arguments)} -> {got}: {err}"
        self.assertEqual(got, code, summary)
        self.assertEqual(out, "" if settings.get("stdout") is None else None, summary)
        self.assertEqual(err.count("\n"), 1, summary)
        self.assertTrue(err.startswith("skua: ") and err.endswith("\n"), summary)
        for part in message:
            self.assertIn(part, err)
        if allowed or (allowed is None and code == 2):
            self.assertRegex(err, r" (is|has|are) .*; allowed: ", summary)


def main():
    case_report.main(verbosity=2)
