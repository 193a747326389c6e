#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""cg has the solution and the residuals that SciPy's conjugate gradients have, on systems in each form that it reads:

    tests/references/systems_test.py SKUA [SEED]

A Laplacian of the plane, a random matrix plus its transpose with a heavy diagonal, one of whole numbers, and a graph's pattern. The recursion and its
order of additions differ in rounding only, so the residuals agree to a few digits until the last ones, and the numbers of iterations to one."""

import gzip
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy
import scipy
import scipy.io
import scipy.sparse
import scipy.sparse.linalg

TOLERANCE = 1e-9


def laplacian_of_the_plane(side):
    line = scipy.sparse.diags([-1, 2, -1], [-1, 0, 1], shape=(side, side), dtype=float)
    return scipy.sparse.kronsum(line, line).tocoo()


def random_matrix(n, dice, whole):
    some = scipy.sparse.random(n, n, density=5 / n, random_state=dice, data_rvs=(lambda k: dice.integers(-9, 10, k).astype(float)) if whole else dice.standard_normal)
    both = some + some.T
    heavy = numpy.asarray(abs(both).sum(axis=1)).ravel() + 1
    return (both - scipy.sparse.diags(both.diagonal()) + scipy.sparse.diags(heavy)).tocoo()


def systems(dice):
    """(name, the matrix that cg is meant to read, its text's arguments)"""
    plane = laplacian_of_the_plane(60)
    yield "plane", plane, {"a": plane, "symmetry": "symmetric"}
    yield "plane, general", plane, {"a": plane, "symmetry": "general"}
    some = random_matrix(2000, dice, False)
    yield "random", some, {"a": some, "symmetry": "symmetric", "precision": 17}
    numbers = random_matrix(1500, dice, True)
    yield "whole numbers", numbers, {"a": numbers.astype(int), "symmetry": "symmetric", "field": "integer"}
    edges = scipy.sparse.random(1000, 1000, density=0.002, random_state=dice)
    ring = scipy.sparse.coo_matrix((numpy.ones(1000), (numpy.arange(1000), (numpy.arange(1000) + 1) % 1000)), shape=(1000, 1000))
    graph = ((edges + edges.T + ring + ring.T) != 0).astype(float)
    graph.setdiag(0)
    graph.eliminate_zeros()
    laplacian = scipy.sparse.csgraph.laplacian(graph) + scipy.sparse.identity(1000)
    yield "pattern", laplacian, {"a": graph.tocoo(), "symmetry": "symmetric", "field": "pattern"}


def by_scipy(matrix, right):
    a = matrix.tocsr()
    length = numpy.linalg.norm(right)
    residuals = [1.0]
    found, info = scipy.sparse.linalg.cg(a, right, rtol=TOLERANCE, atol=0, callback=lambda x: residuals.append(numpy.linalg.norm(right - a @ x) / length))
    assert info == 0
    return found, residuals


def by_skua(skua, folder, text, right):
    (folder / "a.mtx.gz").write_bytes(gzip.compress(text))
    scipy.io.mmwrite(folder / "b.mtx", right.reshape(-1, 1), precision=17)
    line = [skua, "run", "cg", "--matrix", folder / "a.mtx.gz", "--rhs", folder / "b.mtx", "--tolerance", str(TOLERANCE), "--output", folder / "x.mtx",
            "--residuals", folder / "residuals", "--workers", "2", "--json", "-"]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    facts = json.loads(done.stdout)["rows"][0]["facts"]
    residuals = [float(line.split()[1]) for line in (folder / "residuals").read_text(encoding="utf-8").splitlines()]
    assert facts["iterations"] == len(residuals) - 1 and facts["converged"]
    return numpy.asarray(scipy.io.mmread(folder / "x.mtx")).ravel(), residuals


def main(skua, seed):
    dice = numpy.random.default_rng(seed)
    wrong = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for what, matrix, text in systems(dice):
            right = dice.standard_normal(matrix.shape[0])
            scipy.io.mmwrite(folder / "a.mtx", **text)
            ours, residuals = by_skua(skua, folder, (folder / "a.mtx").read_bytes(), right)
            theirs, right_residuals = by_scipy(matrix, right)
            away = numpy.linalg.norm(ours - theirs) / numpy.linalg.norm(theirs)
            both = list(zip(residuals, right_residuals))
            apart = max(abs(a - b) / b for a, b in both if b > 1e-7)
            is_right = away < 1e-6 and apart < 1e-3 and abs(len(residuals) - len(right_residuals)) <= 1
            wrong += not is_right
            print(f"{what}: {len(residuals) - 1} iterations, by SciPy {len(right_residuals) - 1}; residuals within {apart:.1e}, solutions within {away:.1e}: "
                  f"{'right' if is_right else 'WRONG'}", flush=True)
    print(f"seed {seed}, SciPy {scipy.__version__}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 1))
