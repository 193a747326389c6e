#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Molecules of hartree-fock have the energies that PySCF, an independent program, finds:

    tests/references/molecules_test.py SKUA

Water, methane and benzene in STO-3G and 6-31G, and water in cc-pVDZ, whose d functions are spherical, and in 6-31G*, whose d functions are
Cartesian. Total energies agree to 1e-8 hartree, those of orbitals to 1e-7. The basis sets are those of the package basis-set-exchange, in both
of the forms that the app reads."""

import json
import pathlib
import subprocess
import sys
import tempfile

import basis_set_exchange
from pyscf import gto, scf

BOHR = 0.529177210903  # angstrom, as in molecule.hpp
WATER = [("O", (0, 0, 0.1173)), ("H", (0, 0.7572, -0.4692)), ("H", (0, -0.7572, -0.4692))]
METHANE = [("C", (0, 0, 0)), *(("H", tuple(0.6276 * s for s in signs)) for signs in ((1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)))]
RING = [(1, 0), (0.5, 0.8660254), (-0.5, 0.8660254), (-1, 0), (-0.5, -0.8660254), (0.5, -0.8660254)]
BENZENE = [(symbol, (radius * x, radius * y, 0)) for symbol, radius in (("C", 1.397), ("H", 2.481)) for x, y in RING]
CASES = [(name, atoms, basis) for name, atoms in (("water", WATER), ("methane", METHANE), ("benzene", BENZENE)) for basis in ("STO-3G", "6-31G")]
CASES += [("water", WATER, "cc-pVDZ"), ("water", WATER, "6-31G*")]


def by_pyscf(atoms, text, is_cartesian):
    basis = {symbol: gto.basis.parse(text, symbol) for symbol in {symbol for symbol, _ in atoms}}
    molecule = gto.M(atom=[(symbol, [x / BOHR for x in at]) for symbol, at in atoms], unit="Bohr", basis=basis, cart=is_cartesian, verbose=0)
    field = scf.RHF(molecule)
    field.conv_tol = 1e-12
    field.conv_tol_grad = 1e-8
    field.direct_scf = False
    energy = field.kernel()
    assert field.converged
    return energy, list(field.mo_energy)


def by_skua(skua, folder, atoms, form, text):
    (folder / "molecule.xyz").write_text(f"{len(atoms)}\n\n" + "".join(f"{symbol} {x!r} {y!r} {z!r}\n" for symbol, (x, y, z) in atoms), encoding="utf-8")
    (folder / f"basis.{form}").write_text(text, encoding="utf-8")
    line = [skua, "run", "hartree-fock", "--molecule", folder / "molecule.xyz", "--basis", folder / f"basis.{form}", "--json", "-"]
    facts = json.loads(subprocess.run(line, check=True, capture_output=True, text=True).stdout)["rows"][0]["facts"]
    assert facts["converged"], facts
    return facts["energy_hartree"], facts["orbital_energies_hartree"]


def main(skua):
    wrong = 0
    with tempfile.TemporaryDirectory() as name:
        for molecule, atoms, basis in CASES:
            elements = sorted({symbol for symbol, _ in atoms})
            nwchem = basis_set_exchange.get_basis(basis, elements=elements, fmt="nwchem")
            energy, levels = by_pyscf(atoms, nwchem, basis == "6-31G*")
            for form in ("nwchem", "json"):
                ours, our_levels = by_skua(skua, pathlib.Path(name), atoms, form, basis_set_exchange.get_basis(basis, elements=elements, fmt=form))
                away = max(abs(a - b) for a, b in zip(levels, our_levels, strict=True))
                is_right = abs(ours - energy) < 1e-8 and away < 1e-7
                wrong += not is_right
                print(f"{molecule} in {basis}, {form}: {ours:.10f}, by PySCF {energy:.10f}; orbitals within {away:.1e}: {'right' if is_right else 'WRONG'}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
