# SPDX-License-Identifier: MIT
"""python -m skua_omp: starts Python anew with Skua's library loaded before all others."""

import argparse
import os
import subprocess
import sys

import skua_omp

USAGE = "python -m skua_omp [--threads N] [--policy NAME] [--trace FILE] [--blas] [SCRIPT | -m MODULE | -c CODE] [ARGUMENT ...]"
MOST_THREADS = 16_384
ALONE = ("--help", "--blas")  # options without a value


def whole_number(text):
    if text.isascii() and text.isdigit() and 1 <= int(text) <= MOST_THREADS:
        return text
    raise argparse.ArgumentTypeError(f"'{text}' is not a number of threads; allowed: 1 to {MOST_THREADS}")


def parser():
    made = argparse.ArgumentParser(prog="python -m skua_omp", usage=USAGE, allow_abbrev=False, description=(
        "Runs Python so that all packages which use GCC's OpenMP run on Skua's workers. "
        "What stands behind our options is Python's: its own options, a script, -m, -c, or nothing for a session."))
    made.add_argument("--threads", metavar="N", type=whole_number, help="threads of a parallel region (OMP_NUM_THREADS)")
    made.add_argument("--policy", metavar="NAME", help="the scheduler of its tasks (SKUA_POLICY)")
    made.add_argument("--trace", metavar="FILE", help="write a trace for skua report (SKUA_TRACE)")
    made.add_argument("--blas", action="store_true", help="OpenBLAS and FFTW, too, in place of threads of their own (PYTHONSKUABLAS)")
    return made


def divided(words):
    """Our options, and what is Python's: from the first word on that is no long option of ours."""
    count = 0
    while count < len(words) and words[count].startswith("--"):
        if words[count] == "--":
            return words[:count], words[count + 1:]
        count += 1 if "=" in words[count] or words[count] in ALONE else 2
    return words[:count], words[count:]


def preloaded(library, others):
    """LD_PRELOAD with the library first, and once."""
    if set(library) & set(": "):
        raise SystemExit(f"python -m skua_omp: '{library}' has a blank or a colon, at which LD_PRELOAD is divided; install skua-omp into another folder")
    return ":".join([library, *(word for word in others.replace(" ", ":").split(":") if word not in ("", library))])


def main():
    ours, pythons = divided(["--help" if word == "-h" and i == 0 else word for i, word in enumerate(sys.argv[1:])])
    given = parser().parse_args(ours)
    environment = os.environ | {"LD_PRELOAD": preloaded(skua_omp.library(), os.environ.get("LD_PRELOAD", ""))}
    for name, value in (("OMP_NUM_THREADS", given.threads), ("SKUA_POLICY", given.policy), ("SKUA_TRACE", given.trace), ("PYTHONSKUABLAS", "1" if given.blas else None)):
        if value is not None:
            environment[name] = value
    # The options of this interpreter, as multiprocessing passes them on to its children.
    command = [sys.executable, *subprocess._args_from_interpreter_flags(), *pythons]  # noqa: SLF001
    sys.stdout.flush()
    os.execve(sys.executable, command, environment)


if __name__ == "__main__":
    main()
