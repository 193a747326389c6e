# SPDX-License-Identifier: MIT
"""OpenMP in Python's packages on the workers of the runtime Skua.

    python -m skua_omp script.py ...

runs a script so that all packages which were compiled by GCC with OpenMP share one library and its threads, in place of a copy of libgomp each.
"""

import ctypes
import pathlib

__all__ = ["is_active", "library"]


def library():
    """The path of the library that this package carries, for LD_PRELOAD."""
    return str(pathlib.Path(__file__).resolve().parent / "libgomp-skua.so.1")


def is_active():
    """Whether code that is compiled for OpenMP and runs in this process calls Skua's library. Cost: reads a file of some hundred lines."""
    try:
        # What a library is given that asks for this name: the first one in the order of loading.
        called = ctypes.cast(ctypes.CDLL(None).GOMP_parallel, ctypes.c_void_p).value
    except AttributeError:
        return False
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
        for line in maps:
            first, last = (int(address, 16) for address in line.split(" ", 1)[0].split("-"))
            if first <= called < last:
                return "/libgomp-skua.so" in line
    return False
