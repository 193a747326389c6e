# SPDX-License-Identifier: MIT
"""Runs test programs with a fault: first without one, to learn which cases come to which faults, then fault by fault."""

import ctypes
import dataclasses
import os
import pathlib
import pickle
import re
import resource
import signal
import subprocess
import tempfile
import time

SLOWER = 5      # a case may take this many times what it took without a fault,
AT_LEAST_S = 10  # and this long in any case: the machine has other work
MEMORY_BYTES = 3 << 30
BATCH_S = 4     # cases of one program that take this long together run in one process
WRITTEN_BYTES = 256 << 20


@dataclasses.dataclass
class Ended:
    status: int | None  # None: it was stopped
    why: str
    seconds: float
    output: str


def resident_bytes(pid):
    try:
        return int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError, ValueError):
        return 0


LIBC = ctypes.CDLL(None)
DIES_WITH_PARENT = 1  # PR_SET_PDEATHSIG


def limits():
    LIBC.prctl(DIES_WITH_PARENT, signal.SIGKILL)  # the session of its own keeps a signal to this program from it
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (WRITTEN_BYTES, WRITTEN_BYTES))


def run(command, limit_s, environment, where):
    """Runs it in a process group of its own, which is gone when this returns."""
    with tempfile.TemporaryFile(dir=where) as output:
        began = time.monotonic()
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, cwd=where,
                                   env=environment, start_new_session=True, preexec_fn=limits)
        why, wait = "", 0.002
        try:
            while process.poll() is None:
                if time.monotonic() - began > limit_s:
                    why = f"did not end within {limit_s:.0f} s"
                elif resident_bytes(process.pid) > MEMORY_BYTES:
                    why = f"took more than {MEMORY_BYTES >> 30} GiB"
                if why:
                    break
                time.sleep(wait)
                wait = min(wait * 1.5, 0.1)
        finally:
            # Also what the program has left behind, whether it ended or not.
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
        output.seek(0)
        text = output.read().decode(errors="replace")
        return Ended(None if why else process.returncode, why, time.monotonic() - began, text)


@dataclasses.dataclass
class Case:
    program: pathlib.Path
    name: str
    seconds: float = 0
    reaches: bytes = b""


class Tests:
    """The cases of some programs, and what each reaches."""

    def __init__(self, programs, work, numbers, effort, longest_s, say):
        self.programs, self.work, self.numbers, self.say = programs, work, numbers, say
        self.longest_s = longest_s
        # Of our own variables only those that say how much a test does (SKUA_TEST_SCHEDULES).
        self.environment = {k: v for k, v in os.environ.items()
                            if not k.startswith(("GTEST_", "SKUA_", "FAULT")) or k.startswith("SKUA_TEST_")}
        self.environment |= {"TEST_EFFORT": effort}
        self.cases, self.left_out = [], []
        work.mkdir(parents=True, exist_ok=True)

    def _run(self, program, names, limit_s, **more):
        command = [str(program), "--gtest_filter=" + ":".join(names), "--gtest_fail_fast", "--gtest_color=no"]
        return run(command, limit_s, self.environment | more, self.work)

    def names_in(self, program):
        ended = run([str(program), "--gtest_list_tests"], 60, self.environment, self.work)
        if ended.status != 0:
            raise RuntimeError(f"{program} --gtest_list_tests: {ended.why or f'ended with {ended.status}'}")
        names, suite = {}, ""  # the cases that differ in their parameter run together
        for line in ended.output.splitlines():
            word = line.split("#")[0].rstrip()
            if re.match(r"\S+\.$", word):
                suite = word
            elif word.startswith("  ") and suite and "DISABLED_" not in suite + word and not suite.endswith("_mutant."):
                names[re.sub(r"/[^/]+$", "/*", suite + word.strip())] = None
        return list(names)

    def record(self, program, name):
        """Runs a case without a fault. None if it is of no use here."""
        with tempfile.NamedTemporaryFile(dir=self.work) as reached:
            reached.write(bytes(self.numbers + 1))
            reached.flush()
            ended = self._run(program, [name], self.longest_s, FAULT_REACHED=reached.name)
            if ended.status != 0:
                return f"{program.name} {name}: {ended.why or f'ended with {ended.status}'} without a fault"
            return Case(program, name, ended.seconds, pathlib.Path(reached.name).read_bytes())

    def learn(self, pool):
        """Kept for the next run while the programs are the same."""
        kept = self.work / "learnt.pickle"
        mark = [(str(p), p.stat().st_mtime_ns, self.environment["TEST_EFFORT"], self.longest_s) for p in self.programs]
        if kept.is_file():
            before, *learnt = pickle.loads(kept.read_bytes())
            if before == mark:
                self.cases, self.left_out = learnt
                return
        self._learn(pool)
        kept.write_bytes(pickle.dumps((mark, self.cases, self.left_out)))

    def _learn(self, pool):
        jobs = [(program, name) for program in self.programs for name in self.names_in(program)]
        for case in pool.map(lambda job: self.record(*job), jobs):
            if isinstance(case, str):
                self.left_out.append(case)
            else:
                self.cases.append(case)

    def reaching(self, number):
        """The cases that come to this fault, in batches of one program each, the fastest first: a fault that hangs costs no more
        than the limit of a short batch."""
        by_program = {}
        for case in sorted(self.cases, key=lambda c: c.seconds):
            if case.reaches[number]:
                by_program.setdefault(case.program, []).append(case)
        batches = []
        for cases in by_program.values():
            batch, total = [], 0
            for case in cases:
                if batch and total + case.seconds > BATCH_S:
                    batches.append(batch)
                    batch, total = [], 0
                batch.append(case)
                total += case.seconds
            batches.append(batch)
        return sorted(batches, key=lambda b: sum(c.seconds for c in b))

    def try_fault(self, number):
        """Who notices it, or None. A case that fails without the fault, too, as it may under load, is not believed."""
        for batch in self.reaching(number):
            for _ in range(2):
                ended = self._batch(batch, number)
                if ended.status == 0:
                    break
                if self._run(batch[0].program, [self.last_begun(ended) or "*"], self.longest_s).status == 0:
                    return f"{batch[0].program.name} {self.culprit(ended)}"
        return None

    def _batch(self, batch, number):
        limit = max(AT_LEAST_S, SLOWER * sum(c.seconds for c in batch))
        return self._run(batch[0].program, [c.name for c in batch], limit, FAULT=str(number))

    @staticmethod
    def last_begun(ended):
        begun = re.findall(r"^\[ RUN      \] (\S+)", ended.output, re.M)
        return begun[-1] if begun else None

    @classmethod
    def culprit(cls, ended):
        how = ended.why or (f"signal {-ended.status}" if ended.status < 0 else "failed")
        return f"{cls.last_begun(ended) or 'before its first case'} ({how})"
