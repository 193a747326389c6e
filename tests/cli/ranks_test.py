#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""skua run on the ranks of a job, by the same command with each MPI that is here, and without; and skua sim --ranks."""

import collections
import json
import os
import pathlib
import re
import shutil
import signal
import struct
import tempfile
import unittest

import command

# The modules that were built: {"openmpi": "/path/to/libskua_mpi_openmpi.so", ...}; a program linked with each MPI; and how each is launched.
MPIS = {"openmpi": "Open MPI", "mpich": "MPICH"}
MODULES = {name: path for name in MPIS if (path := os.environ.get(f"MODULE_{name.upper()}"))}
EXAMPLES = {name: os.environ[f"EXAMPLE_{name.upper()}"] for name in MODULES}
LAUNCHERS = {"openmpi": ["mpirun.openmpi", "--oversubscribe"], "mpich": ["mpirun.mpich"]}
PATIENT = {"openmpi": ["--mca", "odls_base_sigkill_timeout", "5"], "mpich": []}  # after Ctrl-C; docs/ranks.md
# Open MPI refuses root unless it is told twice. MPICH asks a name server for an address that /etc/hosts lacks, and may wait for seconds at each start.
ON_THIS_HOST = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "RES_OPTIONS": "attempts:0"}
# MPICH's ranks spin where they wait, in each product of matrices: four iterations show what all 16 do, but to one that goes on after a death.
TO_THE_END = ["run", "hartree-fock", "--atoms", "2", "--tile", "10"]
FOCK = [*TO_THE_END, "--iterations", "4"]
SLOW = ["run", "uts", "--depth", "9", "--repeat", "1000000", "--no-verify"]  # one iteration a run
ENDLESS = ["run", "tce", "--iterations", "10000", "--ranks"]


def ranks_with(word):
    """Processes of the command that were given this word."""
    found = []
    for line in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = line.read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        if word in words and pathlib.Path(words[0]).name == "skua":
            found.append(int(line.parent.name))
    return found


Event = collections.namedtuple("Event", "what detail other id value")
KINDS = {5: "task_began", 6: "task_ended", 22: "message_sent", 23: "message_received", 24: "iteration_began", 25: "iteration_ended"}


def events_of(path):
    """Of all tracks of a trace (skua/parts/trace/trace_format.hpp), those of these kinds."""
    data = path.read_bytes()
    magic, tracks, capacity, tracks_at = (struct.unpack_from(form, data, at)[0] for form, at in (("8s", 0), ("<I", 8), ("<Q", 24), ("<Q", 64)))
    assert magic == b"SKUATRC1", magic
    found = []
    for track in range(tracks):
        at = tracks_at + track * (128 + 32 * capacity)
        head, = struct.unpack_from("<Q", data, at)
        assert head <= capacity, "no event is lost"
        for i in range(head):
            _, what, detail, _, other, number, value = struct.unpack_from("<QBBHIQQ", data, at + 128 + 32 * i)
            if what in KINDS:
                found.append(Event(KINDS[what], detail, other, number, value))
    return found


class OnRanks(command.Case):
    def on(self, mpi, ranks, *arguments, skua=command.SKUA):
        """(exit code, standard output, standard error) of the command on so many ranks."""
        launcher, *options = LAUNCHERS[mpi]
        return command.run(*options, "-n", str(ranks), skua, *arguments, program=launcher, variables=ON_THIS_HOST)

    def each(self):
        if not MODULES:
            self.skipTest("there is no MPI on this machine")
        return list(MODULES)

    def row(self, mpi, ranks, *arguments):
        code, out, err = self.on(mpi, ranks, *arguments, "--json", "-")
        self.assertEqual(code, 0, err)
        return json.loads(out)["rows"][0]


class Ranks(OnRanks):
    def test_the_energy_is_the_same_on_any_number_of_ranks_and_with_any_balance(self):
        alone = self.works_json(*FOCK, "--ranks", "--json", "-")["rows"][0]
        self.assertEqual(alone["facts"]["tasks"], 81)
        for mpi in self.each():
            for ranks, balance in ((1, "retentive"), (2, "steal"), (3, "none"), (4, "retentive"), (2, "hierarchical:arity=2"), (3, "tempered"), (3, "auto")):
                row = self.row(mpi, ranks, *FOCK, "--balance", balance)
                self.assertEqual((row["ranks"], row["runner"], row["verified"]), (ranks, balance, True))
                self.assertAlmostEqual(row["facts"]["energy_hartree"], alone["facts"]["energy_hartree"], delta=1e-9)
                self.assertEqual([i["tasks"] for i in row["iterations"]][0], 81)

    def test_each_rank_writes_a_trace_and_together_they_have_every_task_and_both_ends_of_every_message(self):
        for mpi in self.each():
            with tempfile.TemporaryDirectory() as folder:
                row = self.row(mpi, 4, *FOCK, "--trace", folder + "/t")
                self.assertEqual(sorted(os.listdir(folder)), ["t.0", "t.1", "t.2", "t.3"])
                traces = [events_of(pathlib.Path(folder) / f"t.{rank}") for rank in range(4)]
            ran = sum(i["tasks"] for i in row["iterations"])
            self.assertEqual(sum(e.value for t in traces for e in t if e.what == "task_ended"), ran)
            ends = {"message_sent": collections.Counter(), "message_received": collections.Counter()}
            for rank, events in enumerate(traces):
                self.assertEqual([e.value for e in events if e.what == "iteration_ended"], [i["iteration"] for i in row["iterations"]])
                for e in events:
                    if e.what in ends:
                        pair = (rank, e.other) if e.what == "message_sent" else (e.other, rank)
                        ends[e.what][pair, "messages"] += 1
                        ends[e.what][pair, "bytes"] += e.value
            self.assertEqual(*ends.values())
            self.assertGreater(len(ends["message_sent"]), 0)

    def test_null_tasks_run_once_and_not_again(self):
        for mpi in self.each():
            row = self.row(mpi, 2, "run", "hartree-fock", "--atoms", "8", "--tile", "10", "--iterations", "3", "--no-verify")
            first, *rest = row["iterations"]
            self.assertEqual(first["kept"], row["facts"]["non_null_tasks"])
            self.assertTrue(all(i["tasks"] == first["kept"] < first["tasks"] for i in rest))

    def test_a_tree_that_its_tasks_spawn_is_counted_right(self):
        for mpi in self.each():
            row = self.row(mpi, 3, "run", "uts", "--depth", "7")
            self.assertTrue(row["verified"])
            self.assertEqual(len(row["iterations"]), 1)

    def test_a_contraction_is_right_in_each_iteration_and_after_a_restart(self):
        tce = ["run", "tce", "--iterations", "3", "--ranks"]
        for mpi in self.each():
            for ranks, more in ((1, []), (2, ["--workers", "2"]), (3, ["--balance", "hierarchical"])):
                row = self.row(mpi, ranks, *tce, *more)
                self.assertTrue(row["verified"])
                self.assertEqual([i["tasks"] for i in row["iterations"]], 3 * [row["facts"]["tasks"]])
            folder = str(self.scratch / f"tce-{mpi}")
            self.row(mpi, 3, *tce, "--checkpoint", folder)
            row = self.row(mpi, 2, "run", "tce", "--ranks", "--iterations", "5", "--checkpoint", folder)
            self.assertTrue(row["verified"])
            self.assertEqual(len(row["iterations"]), 2)

    def test_no_rank_holds_a_whole_tensor_unless_its_tasks_may_run_again(self):
        for mpi in self.each():
            alone = self.row(mpi, 1, "run", "tce", "--ranks")
            self.assertEqual((alone["verified"], alone["remote_bytes"]), (True, 0))
            row = self.row(mpi, 3, "run", "tce", "--balance", "none")
            self.assertTrue(row["verified"])
            self.assertGreater(row["remote_bytes"], 0)
            self.assertEqual(row["facts"], alone["facts"])
            for recover in ("--recover", "--recover=drop"):
                copies = self.row(mpi, 3, "run", "tce", recover)
                self.assertEqual((copies["verified"], copies["remote_bytes"], copies["facts"]), (True, None, alone["facts"]))

    def test_no_rank_holds_a_whole_matrix_unless_its_tasks_may_run_again(self):
        # Nine matrices of 1.8 MiB.
        fock = ["run", "hartree-fock", "--atoms", "32", "--tile", "60", "--threshold", "5e-2", "--iterations", "1", "--no-verify"]
        for mpi in self.each():
            alone = self.row(mpi, 1, *fock, "--ranks")
            self.assertEqual(alone["remote_bytes"], 0)
            row = self.row(mpi, 4, *fock, "--balance", "none")
            self.assertGreater(row["remote_bytes"], 0)
            self.assertAlmostEqual(row["facts"]["energy_hartree"] / alone["facts"]["energy_hartree"], 1, delta=1e-12)
            limit = (alone["ranks_memory_bytes"] >> 20) - 6
            self.assertLess(row["ranks_memory_bytes"], limit << 20)
            self.row(mpi, 4, *fock, "--balance", "none", "--max-memory", str(limit))
            code, _, err = self.on(mpi, 1, *fock, "--ranks", "--max-memory", str(limit))
            self.assertRegex(f"{code}: {err}", f"1: .*a rank had [0-9.]+ MiB resident, more than --max-memory {limit}")
            for recover in ("--recover", "--recover=drop"):
                copies = self.row(mpi, 2, *FOCK, recover)
                self.assertEqual((copies["verified"], copies["remote_bytes"]), (True, None))

    def test_a_checkpoint_fits_the_kind_of_job_that_wrote_it(self):
        for mpi in self.each():
            for first, then, said in (([], ["--recover"], "of a job without --recover"), (["--recover"], [], "of a job with --recover")):
                folder = str(self.scratch / f"{mpi}-{len(first)}")
                self.row(mpi, 2, *FOCK, "--ranks", "--checkpoint", folder, *first)
                code, _, err = self.on(mpi, 2, *FOCK, "--ranks", "--checkpoint", folder, *then)
                self.assertNotEqual(code, 0)
                self.assertIn(said, err)

    def test_a_restart_on_fewer_ranks_is_right_under_each_balance(self):
        for mpi in self.each():
            for balance in ("none", "steal", "retentive", "auto", "hierarchical"):
                folder = str(self.scratch / f"balance-{mpi}-{balance}")
                options = ["--ranks", "--balance", balance, "--checkpoint", folder]
                self.row(mpi, 4, "run", "tce", "--iterations", "2", *options)
                row = self.row(mpi, 2, "run", "tce", "--iterations", "4", *options)
                self.assertTrue(row["verified"])
                self.assertEqual([i["tasks"] for i in row["iterations"]], 2 * [row["facts"]["tasks"]])

    def test_workers_of_a_rank_share_its_tasks(self):
        for mpi in self.each():
            for ranks, workers, serve in ((1, 2, "between-tasks"), (2, 2, "thread"), (2, 3, "between-tasks"), (3, 3, "thread")):
                row = self.row(mpi, ranks, "run", "uts", "--depth", "7", "--workers", str(workers), "--serve", serve)
                self.assertEqual((row["ranks"], row["workers"], row["verified"]), (ranks, workers, True))
                self.assertEqual(row["iterations"][0]["workers"], ranks * workers)
                self.assertTrue(self.row(mpi, ranks, *FOCK, "--workers", str(workers), "--serve", serve)["verified"])

    def test_a_rank_has_as_many_workers_as_it_has_processors_for(self):
        pool = self.works_json("run", "uts", "--depth", "5", "--json", "-")["rows"][0]["workers"]
        alone = self.works_json("run", "uts", "--depth", "5", "--ranks", "--json", "-")
        self.assertEqual(alone["rows"][0]["workers"], pool)
        self.assertIn(f"workers {pool} per rank", self.works("run", "uts", "--depth", "5", "--ranks"))
        for mpi in self.each():
            ranks = min(alone["machine"]["usable_pus"] * 2, 8)
            workers = self.row(mpi, ranks, "run", "uts", "--depth", "5")["workers"]
            self.assertEqual(workers, max(1, pool // ranks))

    def test_only_rank_0_speaks_and_a_mistake_ends_all(self):
        for mpi in self.each():
            code, out, err = self.on(mpi, 3, *FOCK)
            self.assertEqual((code, out.count("answer  right")), (0, 1), err)
            code, out, err = self.on(mpi, 2, "run", "fib")
            self.assertNotEqual(code, 0)
            self.assertIn("fib, which does not run on ranks; allowed: ", err)
            code, out, err = self.on(mpi, 2, *FOCK, "--balance", "perfectly")
            self.assertNotEqual(code, 0)
            self.assertIn("--balance", err)

    def interrupted(self, mpi, number, whom, *more, job_of=ENDLESS, launched=()):
        """(exit code, document, text, errors) of a long job that gets this signal after an iteration; `whom` chooses whom to send it to, of the
        launcher's process and the ranks' (ascending)."""
        path = self.scratch / f"{mpi}-{number}.json"
        launcher, *options = LAUNCHERS[mpi]
        arguments = [*options, *launched, "-n", "3", command.SKUA, *job_of, *more, "--json", str(path)]
        with command.start(*arguments, program=launcher, variables=ON_THIS_HOST) as job:
            self.addCleanup(job.kill)
            text = ""
            for line in job.stdout:
                text += line
                if text.count("  iteration ") == 3:
                    os.kill(whom(job.pid, sorted(ranks_with(str(path)))), number)
                    break
            rest, err = job.communicate(timeout=command.TIMEOUT_S)
        self.assertEqual(ranks_with(str(path)), [], "a process was left behind")
        self.assertTrue(path.exists(), err)
        return job.returncode, json.loads(path.read_text(encoding="utf-8")), text + rest, err

    def test_all_ranks_end_with_the_same_iteration_when_one_of_them_gets_a_signal(self):
        for mpi in self.each():
            for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
                for whom in (min, max):  # rank 0 writes; the others only tell it
                    with self.subTest(mpi=mpi, signal=number.name, rank=whom.__name__):
                        got, made, text, err = self.interrupted(mpi, number, lambda _, ranks, whom=whom: whom(ranks))
                        self.assertEqual(got, code)
                        self.assertIs(made["interrupted"], True)
                        (row,) = made["rows"]
                        self.assertEqual((row["times_s"], row["median_s"], row["verified"], row["facts"]), ([], None, None, {}))
                        done = [i["iteration"] for i in row["iterations"]]
                        self.assertGreaterEqual(len(done), 3)
                        self.assertEqual(done, list(range(1, len(done) + 1)))
                        self.assertEqual({i["tasks"] for i in row["iterations"]}, {row["iterations"][0]["tasks"]}, "each is complete")
                        self.assertIn(f"interrupted after 0 of 1 run; {len(done)} iterations in all\n", text)
                        self.assertIn("skua: run: interrupted after 0 of 1 run", err)

    def test_a_job_that_was_interrupted_goes_on_from_its_checkpoint(self):
        for mpi in self.each():
            folder = str(self.scratch / f"checkpoint-{mpi}")
            _, made, *_ = self.interrupted(mpi, signal.SIGTERM, lambda _, ranks: ranks[1], "--checkpoint", folder)
            done = len(made["rows"][0]["iterations"])
            row = self.row(mpi, 2, "run", "tce", "--ranks", "--iterations", str(done + 2), "--checkpoint", folder)
            self.assertTrue(row["verified"])
            self.assertEqual(len(row["iterations"]), 2)

    def test_ctrl_c_reaches_the_ranks_through_the_launcher(self):
        for mpi in self.each():
            # Open MPI's launcher takes no output while it waits for the ranks: a job that says much would wait for it.
            # The launcher's own exit code is its own affair.
            _, made, *_ = self.interrupted(mpi, signal.SIGINT, lambda launcher, _: launcher, job_of=SLOW, launched=PATIENT[mpi])
            self.assertIs(made["interrupted"], True)
            (row,) = made["rows"]
            self.assertGreaterEqual(len(row["times_s"]), 3)
            self.assertEqual(len(row["times_s"]), len(row["iterations"]))

    def test_a_job_whose_rank_was_killed_goes_on_with_fewer_ranks(self):
        alone = self.works_json(*TO_THE_END, "--ranks", "--json", "-")["rows"][0]["facts"]["energy_hartree"]
        for mpi in self.each():
            folder = str(self.scratch / mpi)
            launcher, *options = LAUNCHERS[mpi]
            with command.start(*options, "-n", "3", command.SKUA, *TO_THE_END, "--checkpoint", folder, program=launcher, variables=ON_THIS_HOST) as job:
                for line in job.stdout:
                    if "iteration 3:" in line:
                        os.kill(max(ranks_with(folder)), signal.SIGKILL)
                        break
                job.stdout.read()
                self.assertNotEqual(job.wait(timeout=60), 0)
            self.assertEqual(ranks_with(folder), [], "a process was left behind")
            row = self.row(mpi, 2, *TO_THE_END, "--checkpoint", folder)
            self.assertLess(len(row["iterations"]), row["facts"]["iterations"])
            self.assertAlmostEqual(row["facts"]["energy_hartree"], alone, delta=1e-9)

    def test_tasks_of_a_killed_rank_run_again_on_the_others(self):
        if "openmpi" not in self.each():
            self.skipTest("only Open MPI lets the others live")
        alone = self.works_json(*TO_THE_END, "--ranks", "--json", "-")["rows"][0]["facts"]["energy_hartree"]
        mark = str(self.scratch)  # by which its processes are known
        arguments = ["--enable-recovery", "--oversubscribe", "-n", "4", command.SKUA, *TO_THE_END, "--recover", "--deadline", "5"]
        with command.start(*arguments, "--checkpoint", mark, program="mpirun.openmpi", variables=ON_THIS_HOST) as job:
            out = ""
            for line in job.stdout:
                out += line
                if "iteration 3:" in line:
                    os.kill(sorted(ranks_with(mark))[2], signal.SIGKILL)
                    break
            rest, err = job.communicate(timeout=60)
        found = re.search(r"energy_hartree\s+(-[\d.]+)", rest)
        if found:
            self.assertAlmostEqual(float(found[1]), alone, delta=1e-9)
        else:
            # It was between two iterations: an error is allowed, if it says which rank it was.
            self.assertRegex(err, r"rank \d died: its process has ended")
        self.assertEqual(ranks_with(mark), [], "a process was left behind")

    def test_what_becomes_of_lost_tasks_is_one_of_two_things(self):
        self.refuses(*FOCK, "--ranks", "--recover=perhaps", message=("--recover", "run-again, drop"))
        self.refuses(*FOCK, "--ranks", "--recover", "--deadline", "0", message=("--deadline",))
        self.works(*FOCK, "--ranks", "--recover", "--deadline", "1")

    def test_a_checkpoint_that_does_not_fit_is_refused_by_every_rank(self):
        for mpi in self.each():
            folder = self.scratch / mpi
            self.row(mpi, 2, *FOCK, "--checkpoint", str(folder))
            for arguments in (["run", "hartree-fock", "--atoms", "3", "--tile", "20"], ["run", "uts"]):
                code, out, err = self.on(mpi, 2, *arguments, "--checkpoint", str(folder))
                self.assertNotEqual(code, 0)
                self.assertIn("checkpoint", err)
            (folder / "hartree-fock.checkpoint").write_text("nothing", encoding="utf-8")
            code, out, err = self.on(mpi, 2, *FOCK, "--checkpoint", str(folder))
            self.assertNotEqual(code, 0)
            self.assertIn("is damaged", err)

    def test_what_ranks_do_not_have_is_refused(self):
        self.refuses("run", "fib", "--ranks", message=("fib", "hartree-fock", "synthetic-loads"))
        self.refuses("run", "uts", "--ranks", "--serve", "always", message=("--serve", "between-tasks, thread"))
        self.refuses("run", "uts", "--ranks", "--policy", "adws", message=("--policy",))
        self.refuses(*FOCK, "--ranks", "--peer", "serial", message=("--peer",))


class OneCommand(OnRanks):
    """The states of skua/machine/ranks/mpi/modules.md: the command where no module is, where one is, and where both are."""

    def installed(self, *modules):
        """A copy of the command with only these modules."""
        prefix = pathlib.Path(tempfile.mkdtemp(dir=self.scratch))
        (prefix / "bin").mkdir()
        shutil.copy(command.SKUA, prefix / "bin/skua")
        beside = os.path.relpath(pathlib.Path(next(iter(MODULES.values()))).parent, pathlib.Path(command.SKUA).parent)
        folder = pathlib.Path(os.path.normpath(prefix / "bin" / beside))
        folder.mkdir(parents=True)
        for mpi in modules:
            shutil.copy(MODULES[mpi], folder)
        return str(prefix / "bin/skua"), folder

    def test_the_same_command_runs_on_the_ranks_of_whichever_launcher_starts_it(self):
        for mpi in self.each():
            for ranks in (1, 2, 4):
                code, out, err = self.on(mpi, ranks, *FOCK, "--ranks")
                self.assertEqual(code, 0, err)
                self.assertRegex(out, rf"^hartree-fock on {ranks} ranks? of {MPIS[mpi]}\b.*, --balance auto\n")
                self.assertEqual(out.count("answer  right"), 1)
                self.assertIn(MPIS[mpi], self.row(mpi, ranks, *FOCK, "--ranks")["mpi"])

    def test_without_a_launcher_it_runs_one_rank_whatever_modules_there_are(self):
        self.assertIn("hartree-fock on 1 rank, --balance", self.works(*FOCK, "--ranks"))
        self.each()
        for modules in ((), tuple(MODULES)):
            skua, _ = self.installed(*modules)
            self.assertIn("hartree-fock on 1 rank, --balance", self.works(*FOCK, "--ranks", program=skua))

    def test_with_one_module_it_runs_under_its_launcher_and_refuses_the_other_one(self):
        for mpi in self.each():
            skua, folder = self.installed(mpi)
            code, out, err = self.on(mpi, 2, *FOCK, skua=skua)
            self.assertEqual((code, out.count("answer  right")), (0, 1), err)
            for other in set(MODULES) - {mpi}:
                # MPICH's launcher may lose what processes say that end at once.
                code, out, err = next((run for run in (self.on(other, 3, *FOCK, skua=skua) for _ in range(3)) if run[2]), (0, "", ""))
                self.assertEqual((code != 0, "answer" in out), (True, False))
                self.assertIn(f"mpirun of {MPIS[other]} started 3 processes", err)
                self.assertIn(f"{folder}/libskua_mpi_{other}.so is missing; install the package skua-{other}", err)

    def test_with_no_module_it_refuses_several_processes_and_runs_as_one(self):
        self.each()
        skua, _ = self.installed()
        for variables, said in (({"OMPI_COMM_WORLD_SIZE": "4"}, "no module for Open MPI"), ({"PMI_SIZE": "4"}, "no module for MPICH"),
                                ({"SLURM_STEP_ID": "0", "SLURM_STEP_NUM_TASKS": "2"}, "srun without a PMI started 2 processes"),
                                ({"PMIX_RANK": "0"}, "a launcher with PMIx started this process")):
            code, out, err = command.run("run", "uts", program=skua, variables=variables)
            self.assertEqual((code, out, err.count("\n")), (2, "", 1), err)
            self.assertIn(said, err)
            self.assertIn("install the package skua-", err)
        for variables in ({"OMPI_COMM_WORLD_SIZE": "1"}, {"PMI_SIZE": "1"}):
            self.assertIn("on 1 rank, --balance", self.works(*FOCK, "--ranks", program=skua, variables=variables))

    def test_signs_of_two_launchers_are_refused_with_both_names(self):
        self.refuses("run", "uts", variables={"OMPI_COMM_WORLD_SIZE": "4", "PMI_SIZE": "2", "MPI_LOCALNRANKS": "2"}, allowed=False,
                     message=("OMPI_COMM_WORLD_SIZE is 4", "PMI_SIZE is 2", "env -u OMPI_COMM_WORLD_SIZE or env -u PMI_SIZE"))

    def test_a_module_that_cannot_be_loaded_is_named_with_the_reason(self):
        for mpi in self.each():
            skua, folder = self.installed(mpi)
            path = folder / pathlib.Path(MODULES[mpi]).name
            variable = {"openmpi": "OMPI_COMM_WORLD_SIZE", "mpich": "PMI_SIZE"}[mpi]
            whole = path.read_bytes()
            said = json.loads(command.run("doctor", "--json", program=skua)[1])["ranks"]
            self.assertIn(MPIS[mpi], said["mpi"][mpi]["version"])
            build = re.search(rb"\d+\.\d+\.\d+-[0-9a-f]{12}", whole)[0]
            for text, why in ((b"no library", "file too short|invalid ELF header"), (whole.replace(build, build[:-4] + b"zzzz"), "is the module of another build of Skua")):
                path.write_bytes(text)
                code, out, err = command.run("run", "uts", program=skua, variables={variable: "4"})
                self.assertEqual((code, out, err.count("\n")), (1, "", 1), err)
                self.assertIn(str(path), err)
                self.assertRegex(err, why)
                said = json.loads(command.run("doctor", "--json", program=skua)[1])["ranks"]
                self.assertIsNone(said["mpi"][mpi]["version"])
                self.assertRegex(said["mpi"][mpi]["why_not"], why)

    def test_a_rank_whose_mpi_does_not_find_the_others_says_so(self):
        # As srun without a PMI starts one of two processes.
        slurm = {"SLURM_JOB_ID": "7", "SLURM_STEP_ID": "0", "SLURM_STEP_NUM_TASKS": "2", "SLURM_PROCID": "0"}
        for mpi in self.each():
            skua, _ = self.installed(mpi)
            code, out, err = command.run("run", "uts", program=skua, variables=ON_THIS_HOST | slurm)
            self.assertEqual((code, out, err.count("\n")), (2, "", 1), err)
            self.assertIn(f"MPI says 1 rank, but SLURM_STEP_NUM_TASKS says 2: {MPIS[mpi]} does not find the other ranks through srun without a PMI", err)

    def test_doctor_lists_the_modules_and_what_would_be_chosen(self):
        said = self.works_json("doctor", "--json")["ranks"]
        self.assertEqual((said["launcher"], said["runs_on"], sorted(said["mpi"])), (None, "one rank, without MPI", sorted(MPIS)))
        for mpi in self.each():
            self.assertEqual(said["mpi"][mpi]["module"], MODULES[mpi])
            self.assertIn(MPIS[mpi], said["mpi"][mpi]["version"])
            code, out, err = self.on(mpi, 1, "doctor", "--json")
            self.assertEqual(code, 0, err)
            here = json.loads(out)["ranks"]
            self.assertIn(f"mpirun of {MPIS[mpi]}", here["launcher"])
            self.assertEqual(here["runs_on"], "the ranks of " + said["mpi"][mpi]["version"])
        self.assertRegex(self.works("doctor"), r"(?s)Ranks\n  launcher +none\n  Open MPI .*\n  run --ranks on +one rank, without MPI\n")
        skua, folder = self.installed()
        text = self.works("doctor", program=skua, variables={"PMI_SIZE": "2"})
        self.assertIn("no module; install the package skua-mpich, or build Skua where libmpich-dev is installed", text)
        self.assertRegex(text, r"run --ranks on +nothing: mpirun of MPICH started 2 processes")

    def test_a_program_of_one_mpi_under_the_launcher_of_another_says_so_and_does_not_run(self):
        if len(self.each()) < 2:
            self.skipTest("there is one MPI on this machine")
        for linked, path in EXAMPLES.items():
            for mpi in MODULES:
                launcher, *options = LAUNCHERS[mpi]
                code, out, err = command.run(*options, "-n", "3", path, program=launcher, variables=ON_THIS_HOST)
                if mpi == linked:
                    self.assertEqual((code, err), (0, ""))
                else:
                    self.assertNotEqual(code, 0)
                    self.assertIn("MPI says 1 rank, but ", err)
                    self.assertIn(f"mpirun of {MPIS[mpi]} started this program, which is linked with {MPIS[linked]}", err)
                    self.assertNotRegex(out, r"\d\.\d{9}: ", "no rank printed its area")


class Simulated(command.Case):
    def rows(self, *arguments):
        return self.works_json("sim", "hartree-fock", "--atoms", "16", *arguments, "--machine", "hopper", "--json", "-")["rows"]

    def test_every_app_on_ranks_with_a_known_load_is_simulated(self):
        self.assertEqual(len(self.works_json("sim", "tce", "--machine", "hopper", "--ranks", "24", "--iterations", "2", "--json", "-")["rows"]), 2)

    def test_retention_steals_less_in_each_iteration_and_is_the_same_run_again(self):
        arguments = ("--ranks", "48", "--iterations", "3")
        first, second, third = self.rows(*arguments)
        self.assertGreater(first["successful_mean"], 2 * third["successful_mean"])
        self.assertGreaterEqual(third["efficiency"], first["efficiency"])
        self.assertEqual(self.rows(*arguments)[2], third)

    def test_balancers_take_the_place_of_stealing(self):
        rows = self.rows("--ranks", "48", "--balance", "tempered", "--iterations", "2")
        self.assertEqual(rows[1]["attempted_mean"], 0)
        self.assertGreater(rows[1]["migrations"], 0)
        self.assertGreater(rows[1]["balance_s"], 0)

    def test_no_rank_hears_the_times_of_all_tasks_from_a_balancer_without_a_centre(self):
        tasks = None
        heard = {}
        for how in ("centralised", "hierarchical", "tempered"):
            first, second = self.rows("--ranks", "240", "--balance", how, "--iterations", "2")
            tasks = round(second["tasks_mean"] * 240)
            heard[how] = second["balance_most_times"]
            self.assertIsNone(first["balance_messages"])
            self.assertGreater(second["balance_messages"], 240)
        self.assertLess(heard["hierarchical"], heard["centralised"])
        self.assertLess(heard["tempered"], tasks / 4)

    def test_mistakes_are_named(self):
        self.refuses("sim", "hartree-fock", "--ranks", "0", "--machine", "hopper", message=("--ranks",))
        self.refuses("sim", "hartree-fock", "--ranks", "8", "--machine", "summit", message=("cluster", "hopper, intrepid, titan"))
        self.refuses("sim", "hartree-fock", "--ranks", "8", "--machine", "hopper", "--floor", "nan", message=("--floor",))
        code, _, err = command.run("sim", "fib", "--ranks", "8", "--machine", "hopper")
        self.assertEqual(code, 2)
        self.assertIn("fib has no tasks for simulated ranks", err)


if __name__ == "__main__":
    command.main()
