#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Run the tests of memory and places on a machine with four NUMA nodes, emulated.

    tools/numa_bed.py BUILD_DIRECTORY [--cpus N] [--nodes N] [--timeout SECONDS] [--kernel vmlinuz]

QEMU (without KVM, so it works inside virtual machines) boots Debian's own kernel with an initramfs that holds the test
programs of BUILD_DIRECTORY and the libraries they need. The machine has the nodes, the SLIT and the kernel's default
for transparent huge pages, which is "always": a trap for whoever places small pages. What the guest says is printed;
the exit status is 0 only if every program ran, passed, and skipped nothing. Only placement can be tested so: times and
bandwidths of an emulated machine mean nothing.

The kernel comes from Debian's archive, as a package that is unpacked in BUILD_DIRECTORY and never installed (group
numa-kernel of tools/packages.txt), unless --kernel names one.
"""

import argparse
import gzip
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import threading

HERE = pathlib.Path(__file__).resolve().parent

# Program, its arguments. None of these cases may be skipped in the bed.
PROGRAMS = [
    ("memory_test", []),
    ("topology_test", ["--gtest_filter=pin.*:affinity.*:topology.this_machine*:places_from.*:default_places.*"]),
    ("numa_test", []),
    ("apps_numa_test", []),
]

INIT = """#!/bin/busybox sh
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t sysfs sys /sys
/bin/busybox mount -t devtmpfs dev /dev
/bin/busybox mount -t tmpfs tmp /tmp
export PATH=/bin HOME=/tmp GTEST_COLOR=no SKUA_TEST_SLIT="{slit}"
echo "numa_bed: booted"
{runs}
echo "numa_bed: done"
/bin/busybox poweroff -f
"""


class Unusable(Exception):
    """The bed cannot be made; says what is missing and what would help."""


def slit(nodes):
    """Nodes on a ring, 10 at home, 10 more a hop and 1 more for the first: 21, 31, ... row by row."""
    return [[10 if a == b else 11 + 10 * min((a - b) % nodes, (b - a) % nodes) for b in range(nodes)] for a in range(nodes)]


def verdict(programs, log):
    """What was wrong, one sentence each; empty if every program passed and skipped nothing."""
    wrong = []
    for name in programs:
        said = re.search(rf"^numa_bed: begin {re.escape(name)}\n(.*?)^numa_bed: end {re.escape(name)} (\d+)$", log,
                         re.DOTALL | re.MULTILINE)
        if not said:
            wrong.append(f"{name} did not run to its end")
            continue
        if said[2] != "0":
            wrong.append(f"{name} ended with {said[2]}")
        if "[       OK ]" not in said[1]:
            wrong.append(f"{name} passed no test")
        skipped = sorted(set(re.findall(r"^\[  SKIPPED \] (\S+\.\S+)", said[1], re.MULTILINE)))
        wrong += [f"{name} skipped {case}" for case in skipped]
    if not re.search(r"^numa_bed: done$", log, re.MULTILINE):
        wrong.append("the guest did not come to its end")
    return wrong


# --- the kernel -----------------------------------------------------------------------------------------------------

def package_of_kernel():
    listed = (line.split() for line in (HERE / "packages.txt").read_text(encoding="utf-8").splitlines())
    return next(words[0] for words in listed if len(words) == 2 and words[1] == "numa-kernel")


def said_by(*command, **more):
    try:
        return subprocess.run(command, check=True, capture_output=True, text=True, **more).stdout
    except FileNotFoundError:
        raise Unusable(f"there is no {command[0]} here; give a kernel with --kernel") from None
    except subprocess.CalledProcessError as fault:
        raise Unusable(f"{' '.join(command)} failed: {fault.stderr.strip().splitlines()[-1:]}") from None


def fetched_kernel(folder):
    """The vmlinuz of the package, downloaded and unpacked if it is not there yet."""
    if there := sorted(folder.glob("boot/vmlinuz-*")):
        return there[-1]
    folder.mkdir(parents=True, exist_ok=True)
    depends = said_by("apt-cache", "depends", "--important", package_of_kernel())
    real = re.search(r"Depends: (linux-image-\S+)", depends)
    if not real:
        raise Unusable(f"apt knows no kernel behind {package_of_kernel()}; run apt-get update, or give one with --kernel")
    said_by("apt-get", "download", real[1], cwd=folder)
    package = next(folder.glob("linux-image-*.deb"))
    unpacked = folder / "unpacked"
    said_by("dpkg-deb", "-x", str(package), str(unpacked))
    (folder / "boot").mkdir(exist_ok=True)
    for image in unpacked.glob("boot/vmlinuz-*"):
        shutil.move(image, folder / "boot" / image.name)
    shutil.rmtree(unpacked)
    package.unlink()
    return sorted(folder.glob("boot/vmlinuz-*"))[-1]


# --- the initramfs --------------------------------------------------------------------------------------------------

def libraries_of(program):
    """Absolute paths of what the dynamic linker loads, itself included."""
    found = said_by("ldd", str(program))
    if "not found" in found:
        raise Unusable(f"ldd does not find all libraries of {program}")
    return re.findall(r"(?:=> )?(/\S+) \(0x", found)


def cpio(entries):
    """An archive in the `newc` format that the kernel unpacks, from {path: (mode, content)}."""
    archive = bytearray()

    def add(name, mode, content, number):
        fields = [number, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name) + 1, 0]
        archive.extend(b"070701" + b"".join(b"%08X" % f for f in fields) + name.encode() + b"\0")
        archive.extend(b"\0" * (-len(archive) % 4))
        archive.extend(content)
        archive.extend(b"\0" * (-len(archive) % 4))

    for number, (name, (mode, content)) in enumerate(sorted(entries.items()), 1):
        add(name, mode, content, number)
    add("TRAILER!!!", 0, b"", 0)
    return bytes(archive)


def initramfs(programs, init, busybox):
    files = {"init": init.encode(), "bin/busybox": busybox.read_bytes()}
    for program in programs:
        files[f"bin/{program.name}"] = program.read_bytes()
        for library in libraries_of(program):
            files[library.lstrip("/")] = pathlib.Path(library).read_bytes()
    folders = {"proc", "sys", "dev", "tmp"}
    for name in files:
        folders |= {str(p) for p in pathlib.PurePosixPath(name).parents} - {"."}
    entries = {name: (stat.S_IFDIR | 0o755, b"") for name in folders}
    entries |= {name: (stat.S_IFREG | 0o755, content) for name, content in files.items()}
    return gzip.compress(cpio(entries), 1)


def init_script(nodes):
    runs = []
    for name, arguments in PROGRAMS:
        words = " ".join([f"/bin/{name}", *(f"'{a}'" for a in arguments)])
        runs.append(f'echo "numa_bed: begin {name}"; {words}; echo "numa_bed: end {name} $?"')
    return INIT.format(runs="\n".join(runs), slit=" ".join(str(d) for row in slit(nodes) for d in row))


# --- the machine ----------------------------------------------------------------------------------------------------

def machine(qemu, asked, kernel, initrd):
    each = asked.cpus // asked.nodes
    node_mib = 256
    words = [qemu, "-M", "q35", "-accel", "tcg,thread=multi", "-cpu", "max", "-m", f"{node_mib * asked.nodes}M",
             "-smp", f"{asked.cpus},sockets={asked.nodes},cores={each},threads=1"]
    for n in range(asked.nodes):
        words += ["-object", f"memory-backend-ram,id=m{n},size={node_mib}M",
                  "-numa", f"node,nodeid={n},memdev=m{n},cpus={n * each}-{n * each + each - 1}"]
    for a, row in enumerate(slit(asked.nodes)):
        words += [w for b, d in enumerate(row) if a != b for w in ("-numa", f"dist,src={a},dst={b},val={d}")]
    # -1: a panic ends the guest at once. Without a TSC that agrees across emulated processors the kernel warns at length.
    return words + ["-kernel", str(kernel), "-initrd", str(initrd), "-nographic", "-no-reboot", "-nodefaults", "-serial",
                    "stdio", "-append", "console=ttyS0 quiet panic=-1 nokaslr mitigations=off tsc=unstable numa_balancing=disable"]


def boot(words, seconds):
    """All that the guest said on its console, which is printed meanwhile. At most so many seconds."""
    guest = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    alarm = threading.Timer(seconds, guest.kill)
    alarm.start()
    lines = []
    for raw in guest.stdout:
        lines.append(raw.decode(errors="replace").rstrip("\r\n"))
        print(lines[-1], flush=True)
    alarm.cancel()
    guest.wait()
    return "\n".join(lines) + "\n"


def prepare(asked):
    """The words that start the guest."""
    qemu, busybox = shutil.which("qemu-system-x86_64"), shutil.which("busybox")
    if not qemu or not busybox:
        raise Unusable("qemu-system-x86_64 and a static busybox are needed; tools/install-packages numa installs them")
    if asked.nodes < 2 or asked.cpus % asked.nodes or asked.cpus < asked.nodes:
        raise Unusable(f"{asked.cpus} processors on {asked.nodes} nodes: take two nodes or more, each with equally many")
    programs = [asked.build / "tests" / name for name, _ in PROGRAMS]
    for program in programs:
        if not program.is_file():
            raise Unusable(f"there is no {program}; build it first, as `make numa` does")
    scratch = asked.build / "numa"
    kernel = asked.kernel or fetched_kernel(scratch)
    if not kernel.is_file():
        raise Unusable(f"there is no kernel {kernel}")
    scratch.mkdir(parents=True, exist_ok=True)
    initrd = scratch / "initrd.gz"
    initrd.write_bytes(initramfs(programs, init_script(asked.nodes), pathlib.Path(busybox)))
    return machine(qemu, asked, kernel, initrd)


def main(arguments):
    words = argparse.ArgumentParser(prog="numa_bed.py", description=__doc__.splitlines()[0])
    words.add_argument("build", type=pathlib.Path, help="a build directory that has the tests, e.g. build/dev")
    words.add_argument("--cpus", type=int, default=8)
    words.add_argument("--nodes", type=int, default=4)
    words.add_argument("--timeout", type=float, default=300, help="seconds for the whole run")
    words.add_argument("--kernel", type=pathlib.Path, help="a vmlinuz with NUMA, ACPI and a serial console built in")
    asked = words.parse_args(arguments)
    try:
        command = prepare(asked)
    except Unusable as why:
        print(f"numa_bed.py: {why}", file=sys.stderr)
        return 2
    wrong = verdict([name for name, _ in PROGRAMS], boot(command, asked.timeout))
    for sentence in wrong:
        print(f"numa_bed: {sentence}")
    print(f"numa_bed: {'failed' if wrong else 'passed'} on {asked.nodes} nodes with {asked.cpus} processors")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
