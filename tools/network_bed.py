#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run ranks on three hosts that are namespaces of this one, behind a switch that delays frames and links that can be cut.

    tools/network_bed.py SKUA

SKUA is a command beside the module for Open MPI. Its hartree-fock runs over TCP with a rank on each host: with a delay of 0.5 and of 2 ms each way
the energy is that of one rank; a link that is cut for 3 s changes nothing; a link that is cut for good ends the job with a
line that names a rank, within the deadline and the time that the launcher takes, and no process is left. (MPICH's TCP does
not end reliably here: it is tested over shared memory only.)

Needs root, network namespaces, ethtool and Open MPI; without them it says so and ends with 0.
"""

import argparse
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
HOSTS = [1, 2, 3]
PROGRAM = ["run", "hartree-fock", "--atoms", "16", "--tile", "20", "--no-verify"]
DEADLINE_S = 5
LAUNCHER_S = 40  # how long mpirun and its daemons may take to give up a host

AGENT = """#!/bin/sh
# What Open MPI calls instead of ssh: HOST COMMAND...
host=$1; shift
name=skbed${{host##*.}}
exec ip netns exec $name unshare --uts sh -c "hostname $name; export TMPDIR={folder}/$name; mkdir -p \\$TMPDIR; $*"
"""


def run(*command, check=True):
    return subprocess.run(command, check=check, text=True, capture_output=True)


def missing():
    """What keeps the bed from running here; nothing: nothing does."""
    if os.geteuid() != 0:
        return "it needs root"
    for tool in ("ip", "ethtool", "unshare", "mpirun.openmpi"):
        if shutil.which(tool) is None:
            return f"{tool} is not here"
    if run("ip", "netns", "add", "skbedtry", check=False).returncode != 0:
        return "network namespaces are not allowed here"
    run("ip", "netns", "del", "skbedtry")
    return None


def energy_in(out):
    found = re.search(r"energy_hartree\s+(-?[\d.]+)", out)
    return found and float(found[1])


def started_here(folder):
    """Processes that carry the folder of this bed in their environment: daemons and ranks of all hosts."""
    mark = f"TMPDIR={folder}/skbed".encode()
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if mark in (process / "environ").read_bytes():
                found.append(int(process.name))
        except OSError:
            pass
    return found


class Network:
    """Three hosts and the switch between them, while it lives."""

    def __init__(self, delay_us):
        self.delay_us = delay_us
        self.switch = None

    def __enter__(self):
        self.remove()
        run("ip", "netns", "add", "skbed0")
        for host in HOSTS:
            run("ip", "netns", "add", f"skbed{host}")
            run("ip", "link", "add", f"skport{host}", "netns", "skbed0", "type", "veth", "peer", "name", "eth0", "netns", f"skbed{host}")
            # Linux repeats what is not acknowledged for a quarter of an hour before it gives up a connection; Open MPI's daemons wait for that.
            run("ip", "netns", "exec", f"skbed{host}", "sysctl", "-qw", "net.ipv4.tcp_retries2=5")
            run("ip", "-n", f"skbed{host}", "addr", "add", f"10.77.0.{host}/24", "dev", "eth0")
            for name, interface in ((f"skbed{host}", "eth0"), (f"skbed{host}", "lo"), ("skbed0", f"skport{host}")):
                run("ip", "-n", name, "link", "set", interface, "up")
                if interface != "lo":
                    run("ip", "netns", "exec", name, "ethtool", "-K", interface, "tx", "off", "gso", "off", "tso", "off", "gro", "off")
        self.switch = subprocess.Popen(["ip", "netns", "exec", "skbed0", sys.executable, str(HERE / "network_switch.py"),
                                        "--delay-us", str(self.delay_us), *(f"skport{h}" for h in HOSTS)])
        return self

    def __exit__(self, *_):
        if self.switch:
            self.switch.terminate()
            self.switch.wait()
        self.remove()

    @staticmethod
    def remove():
        for host in (0, *HOSTS):
            run("ip", "netns", "del", f"skbed{host}", check=False)

    @staticmethod
    def link(host, state):
        run("ip", "-n", "skbed0", "link", "set", f"skport{host}", state)


class Job:
    """The program with a rank on each host."""

    def __init__(self, skua, folder, *more):
        agent = folder / "agent"
        agent.write_text(AGENT.format(folder=folder))
        agent.chmod(0o755)
        hosts = ",".join(f"10.77.0.{h}:4" for h in HOSTS)
        settings = {"plm_rsh_agent": agent, "plm_rsh_no_tree_spawn": 1, "btl": "tcp,self", "pml": "ob1", "btl_tcp_if_include": "eth0",
                    "oob_tcp_if_include": "eth0", "mpi_yield_when_idle": 1, "oob_tcp_keepalive_time": 5,
                    "oob_tcp_keepalive_intvl": 2, "oob_tcp_keepalive_probes": 3}
        mca = [word for key, value in settings.items() for word in ("--mca", key, str(value))]
        command = ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "-n", str(len(HOSTS)), "--host", hosts, "--map-by", "node",
                   "--bind-to", "none", *mca, skua, *PROGRAM, *more]
        self.process = subprocess.Popen([agent, "10.77.0.1", *command], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def until_iteration(self, number):
        """Reads what it says until that iteration has ended."""
        said = ""
        for line in self.process.stdout:
            said += line
            if f"iteration {number}:" in line:
                break
        return said

    def finish(self, timeout):
        """(exit status, standard output, standard error); the status is None if it did not end in time."""
        try:
            out, err = self.process.communicate(timeout=timeout)
            return self.process.returncode, out, err
        except subprocess.TimeoutExpired:
            return None, "", ""


class Bed:
    def __init__(self, skua, folder):
        self.skua, self.folder = skua, folder
        alone = run(skua, *PROGRAM, "--ranks", "--workers", "1")
        self.energy = energy_in(alone.stdout)
        self.failures = 0

    def say(self, name, wrong, began):
        self.failures += wrong is not None
        print(f"  {name}: {wrong or 'right'} ({time.monotonic() - began:.1f} s)", flush=True)

    def verdict(self, out, err):
        energy = energy_in(out)
        if energy is None:
            return f"no energy: {err[-400:]}"
        if not re.search(r"non_null_tasks\s+6404", out):
            return "not 6404 tasks that have work"
        return None if abs(energy - self.energy) < 1e-9 else f"{energy} instead of {self.energy}"

    def with_delay(self, delay_us):
        began = time.monotonic()
        with Network(delay_us):
            _, out, err = Job(self.skua, self.folder).finish(300)
            self.say(f"delay of {delay_us / 1000} ms", self.verdict(out, err), began)
        self.sweep()

    def cut_for_a_while(self):
        began = time.monotonic()
        with Network(500):
            job = Job(self.skua, self.folder, "--deadline", "15")
            said = job.until_iteration(1)
            Network.link(3, "down")
            time.sleep(3)
            Network.link(3, "up")
            _, out, err = job.finish(300)
            self.say("link cut for 3 s", self.verdict(said + out, err), began)
        self.sweep()

    def cut_for_good(self):
        began = time.monotonic()
        with Network(500):
            job = Job(self.skua, self.folder, "--deadline", str(DEADLINE_S))
            job.until_iteration(1)
            Network.link(3, "down")
            cut = time.monotonic()
            status, _, err = job.finish(DEADLINE_S + LAUNCHER_S)
            if status is None:
                wrong = "did not end"
            elif status == 0:
                wrong = "ended as if nothing had happened"
            elif not re.search(r"rank \d died: it was silent for", err):
                wrong = f"no rank is named: {err[-400:]}"
            else:
                wrong = self.left_after(LAUNCHER_S - (time.monotonic() - cut) + DEADLINE_S)
            self.say("link cut for good", wrong, began)
        self.sweep()

    def left_after(self, seconds):
        """Waits for daemons and ranks of the host that was cut off; says who stays."""
        last = time.monotonic() + seconds
        while started_here(self.folder) and time.monotonic() < last:
            time.sleep(0.5)
        left = started_here(self.folder)
        return f"{len(left)} processes are left" if left else None

    def sweep(self):
        for process in started_here(self.folder):
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("skua")
    given = words.parse_args()
    reason = missing()
    if reason:
        print(f"network_bed: not run: {reason}")
        return 0
    with tempfile.TemporaryDirectory(prefix="network_bed_") as name:
        bed = Bed(str(pathlib.Path(given.skua).resolve()), pathlib.Path(name))
        try:
            for delay_us in (500, 2000):
                bed.with_delay(delay_us)
            bed.cut_for_a_while()
            bed.cut_for_good()
        finally:
            bed.sweep()
            Network.remove()
    print(f"network_bed: {bed.failures} failures")
    return 1 if bed.failures else 0


if __name__ == "__main__":
    sys.exit(main())
