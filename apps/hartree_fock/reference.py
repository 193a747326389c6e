#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The energies that hartree_fock_test.cpp compares with, by PySCF, an independent program:

    python3 -m venv /tmp/pyscf && /tmp/pyscf/bin/pip install pyscf
    /tmp/pyscf/bin/python apps/hartree_fock/reference.py 1 2 4

prints the restricted Hartree-Fock energy of chains of so many atoms, in hartree. Six functions of each atom lie beside it:
they sit on ghosts, atoms without charge or electrons.
"""

import sys

from pyscf import gto, scf

ON_ATOM = [1741, 262.1, 60.33, 17.62, 5.933, 2.185, 0.859, 0.1806, 0.05835]
BESIDE = 0.3
DISPLACEMENT = 1.6
SPACING = 4.0


def chain(atoms):
    """The molecule: atoms on the x axis and ghosts around each."""
    where = []
    for a in range(atoms):
        x = SPACING * a
        where.append(("Be", (x, 0, 0)))
        for axis in range(3):
            for sign in (1, -1):
                at = [x, 0, 0]
                at[axis] += sign * DISPLACEMENT
                where.append(("ghost-Be", tuple(at)))
    basis = {"Be": [[0, [e, 1]] for e in ON_ATOM], "ghost-Be": [[0, [BESIDE, 1]]]}
    return gto.M(atom=where, unit="Bohr", basis=basis, verbose=0)


def main():
    for atoms in map(int, sys.argv[1:]):
        field = scf.RHF(chain(atoms))
        field.conv_tol = 1e-12
        field.direct_scf = False
        energy = field.kernel()
        print(f"Be{atoms}: {energy:.10f} Ha, converged: {field.converged}, functions: {field.mol.nao}")


if __name__ == "__main__":
    main()
