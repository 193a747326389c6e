#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A rank leaves its job while the others wait for it, in every way that leaving.cpp knows, with each MPI that is here."""

import os
import pathlib
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import case_report  # noqa: E402  (it stands there)

PROGRAMS = {name: path for name in ("openmpi", "mpich") if (path := os.environ.get(f"LEAVING_{name.upper()}"))}
LAUNCHERS = {"openmpi": ["mpirun.openmpi", "--oversubscribe"], "mpich": ["mpirun.mpich"]}
# As in tests/cli/ranks_test.py.
ON_THIS_HOST = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "RES_OPTIONS": "attempts:0"}
HANGS_S = 60
DIFFER = "collective calls differ: rank {} is in {}, rank {} in the end of its session"


class Leaving(unittest.TestCase):
    longMessage = True

    def each(self):
        if not PROGRAMS:
            self.skipTest("there is no MPI on this machine")
        return list(PROGRAMS)

    def on(self, mpi, *arguments, ranks=3):
        """(exit code, standard error) of the job. It must end by itself."""
        with subprocess.Popen([*LAUNCHERS[mpi], "-n", str(ranks), PROGRAMS[mpi], *arguments], text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=os.environ | ON_THIS_HOST, start_new_session=True) as job:
            try:
                _, err = job.communicate(timeout=HANGS_S)
            except subprocess.TimeoutExpired:
                os.killpg(job.pid, signal.SIGKILL)
                _, err = job.communicate()
                self.fail(f"{mpi}: {' '.join(arguments)} hangs: {err}")
        return job.returncode, err

    def ends(self, *arguments, rank, reason):
        """The job fails, and one rank says why. In which order a launcher prints its own lines and those of the ranks, it does not promise."""
        for mpi in self.each():
            code, err = self.on(mpi, *arguments)
            said = f"{mpi}: {' '.join(arguments)} -> {code}: {err}"
            self.assertNotEqual(code, 0, said)
            self.assertEqual(err.count("; ending the job\n"), 1, said)
            self.assertIn(f"skua: rank {rank}: {reason}", err, said)

    def test_a_job_without_a_fault_says_nothing(self):
        for mpi in self.each():
            for ranks in (1, 2, 5):
                self.assertEqual(self.on(mpi, "orderly", ranks=ranks), (0, ""))
                self.assertEqual(self.on(mpi, "orderly", "5", ranks=ranks), (0, ""))

    def test_a_task_throws(self):
        for deadline in ((), ("2",)):
            self.ends("task_throws", *deadline, rank=1, reason="integral 3 did not converge")

    def test_an_exception_of_the_program(self):
        for deadline in ((), ("2",)):
            self.ends("throws_between", *deadline, rank=1, reason="it left its session by an exception")

    def test_its_handler_reports_it_before(self):
        for mpi in self.each():
            _, err = self.on(mpi, "throws_between")
            self.assertLess(err.find("handler: file not found"), err.find("skua: rank 1"), err)
            self.assertGreaterEqual(err.find("handler: file not found"), 0, err)

    def test_its_handler_does_not_end(self):
        for mpi in self.each():
            code, err = self.on(mpi, "handler_never_ends")
            self.assertNotEqual(code, 0, err)
            self.assertIn("skua: rank 1 left its session by an exception, and has not exited after 5 s; ending the job", err)

    def test_a_rank_returns_early(self):
        for deadline in ((), ("2",)):
            self.ends("returns_before_process", *deadline, rank=1, reason=DIFFER.format(0, "process of 'all'", 1))
            self.ends("returns_before_a_barrier", *deadline, rank=1, reason=DIFFER.format(0, "barrier", 1))
        # The leaver is the root.
        for call in ("broadcast", "gather"):
            direction = "from" if call == "broadcast" else "to"
            self.ends(f"returns_before_a_{call}", rank=1, reason=DIFFER.format(0, f"{call} of one 'int' {direction} rank 1", 1))

    def test_std_exit(self):
        for deadline in ((), ("2",)):
            self.ends("std_exit", *deadline, rank=1, reason="it left by std::exit, before the end of its session")

    def test_what_no_handler_sees(self):
        """The launcher may be faster than the ranks. MPICH's kills the others after _exit(0), and may return 0."""
        for mpi in self.each():
            for how in ("underscore_exit", "killed"):
                for deadline in ((), ("2",)):
                    code, err = self.on(mpi, how, *deadline)
                    if (mpi, how) != ("mpich", "underscore_exit"):
                        self.assertNotEqual(code, 0, f"{mpi}: {how}: {err}")

    def test_a_stopped_rank(self):
        self.ends("stopped", "1", rank=0, reason="rank 1 died: its process has been stopped for 1.")

    def test_rank_0_is_stopped(self):
        self.ends("rank_0_stopped", "1", rank=1, reason="rank 0 died: its process has been stopped for 1.")

    def test_misuse_of_mpi_is_refused_in_a_sentence(self):
        for how, sentence in (
                ("session_after_finalize", "MPI has been finalised, and cannot be initialised again; allowed: one session in a process"),
                ("session_in_another_thread", "a session in another thread than the one that initialised MPI"),
                ("pool_beside_a_single_thread", "has the workers of a rank_pool, but MPI was initialised for one thread; allowed: MPI_Init_thread")):
            for mpi in self.each():
                code, err = self.on(mpi, how)
                self.assertNotEqual(code, 0, f"{mpi}: {how}: {err}")
                self.assertIn(sentence, err, f"{mpi}: {how}")

    def test_mpi_is_finalised_before_the_session_ends(self):
        for mpi in self.each():
            code, err = self.on(mpi, "finalises_too_early")
            self.assertEqual(code, 0, f"{mpi}: {err}")
            self.assertEqual(err.count("MPI_Finalize was called before the end of the session; allowed: after it\n"), 3, f"{mpi}: {err}")

    def test_no_deadline_for_what_follows_the_last_call(self):
        for mpi in self.each():
            self.assertEqual(self.on(mpi, "writes_after_the_last_call", "1"), (0, ""), mpi)


if __name__ == "__main__":
    case_report.main()
