#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hull has the vertices that SciPy (Qhull) finds, on points in each form that it reads:

    tests/references/hulls_test.py SKUA [SEED]

Clouds, circles and squares of the plane, as text, compressed text and .npy of both types, both orders of bytes and both orders of axes."""

import gzip
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy
import scipy
import scipy.spatial


def clouds(dice):
    yield "a triangle", numpy.array([[0, 0], [4, 0], [1, 1], [0, 4]], dtype=float)
    yield "a cloud", dice.standard_normal((20_000, 2))
    angles = dice.uniform(0, 2 * numpy.pi, 500)
    yield "a circle", numpy.stack([numpy.cos(angles), numpy.sin(angles)], axis=1)
    yield "whole numbers, many twice", dice.integers(-1000, 1000, (5000, 2)).astype(float)
    yield "far from the origin", dice.uniform(0, 1000, (3000, 2)) + [500_000, 4_600_000]


def files(folder, points):
    text = "# x, y\n" + "".join(f"{x!r}, {y!r}\n" for x, y in points.tolist())
    (folder / "p.txt").write_text(text, encoding="utf-8")
    yield folder / "p.txt", points
    (folder / "p.gz").write_bytes(gzip.compress(text.encode()))
    yield folder / "p.gz", points
    for kind in ("<f8", ">f8", "<f4", ">f4"):
        for order in (numpy.ascontiguousarray, numpy.asfortranarray):
            stored = order(points.astype(kind))
            numpy.save(folder / "p.npy", stored)
            yield folder / "p.npy", stored.astype(float)


def by_skua(skua, file):
    out = file.parent / "hull"
    done = subprocess.run([skua, "run", "hull", "--input", file, "--leaf", "100", "--output", out, "--workers", "2", "--json", "-"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{file}: {done.stderr}")
    lines = [line.split() for line in out.read_text(encoding="utf-8").splitlines()]
    facts = json.loads(done.stdout)["rows"][0]["facts"]
    assert facts["vertices"] == len(lines)
    return [int(line[0]) for line in lines], [(float(x), float(y)) for _, x, y in lines]


def main(skua, seed):
    dice = numpy.random.default_rng(seed)
    checked = 0
    with tempfile.TemporaryDirectory() as name:
        for what, points in clouds(dice):
            for file, stored in files(pathlib.Path(name), points):
                indices, ours = by_skua(skua, file)
                theirs = [tuple(v) for v in stored[scipy.spatial.ConvexHull(stored).vertices].tolist()]
                first = theirs.index(min(theirs))
                if ours != theirs[first:] + theirs[:first] or [tuple(v) for v in stored[indices].tolist()] != ours:
                    raise SystemExit(f"{what}, {file.name}, seed {seed}: hull says {ours}; SciPy finds {theirs}")
                checked += 1
    print(f"seed {seed}: {checked} files, the vertices of SciPy {scipy.__version__}")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 1)
