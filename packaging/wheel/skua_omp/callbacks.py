# SPDX-License-Identifier: MIT
"""OpenBLAS and FFTW on the threads of OpenMP: `python -m skua_omp --blas`."""

import ctypes
import importlib.machinery
import pathlib

import skua_omp

__all__ = ["attach", "watch"]
_library = None


def attach():
    """Lets the copies of OpenBLAS and FFTW that this process has loaded run on OpenMP's threads, and returns how many are new. Those that use OpenMP already are left alone. Nothing
    happens if Skua's library is not active: a team of libgomp may be smaller than these need."""
    global _library
    if _library is None:
        if not skua_omp.is_active():
            return 0
        _library = ctypes.CDLL(str(pathlib.Path(__file__).resolve().parent / "libskua-callbacks.so"))
    return _library.skua_attach_callbacks()


def watch():
    """Attaches now, and after each import that loads a library."""
    plain = importlib.machinery.ExtensionFileLoader.create_module

    def create_module(loader, spec):
        module = plain(loader, spec)
        attach()
        return module

    importlib.machinery.ExtensionFileLoader.create_module = create_module
    attach()
