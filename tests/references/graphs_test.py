#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""sssp finds the distances that networkx finds, on networks like those of roads, in each format that it reads.

    tests/references/graphs_test.py SKUA [SEED]

A network is a grid of crossings with random places, of whose roads some are missing and some lead one way; lengths are Euclid's, rounded."""

import gzip
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile
import zlib

import networkx


def roads(side, dice, symmetric):
    """A directed graph with nodes 1 to side * side."""
    graph = networkx.DiGraph()
    graph.add_nodes_from(range(1, side * side + 1))
    place = {(r, c): (r + 0.8 * dice.random(), c + 0.8 * dice.random()) for r in range(side) for c in range(side)}
    for (r, c), here in place.items():
        for other in ((r + 1, c), (r, c + 1), (r + 1, c + 1)):
            if other not in place or dice.random() < 0.3:
                continue
            length = round(1000 * math.dist(here, place[other]))
            ends = [1 + r * side + c, 1 + other[0] * side + other[1]]
            graph.add_edge(*ends, weight=length)
            if symmetric or dice.random() < 0.9:
                graph.add_edge(*reversed(ends), weight=length)
    return graph


def as_dimacs(graph):
    lines = [f"a {a} {b} {d['weight']}" for a, b, d in graph.edges(data=True)]
    return "\n".join([f"c roads\np sp {len(graph)} {len(lines)}", *lines, ""])


def as_metis(graph):
    lines = [" ".join(f"{b} {graph[a][b]['weight']}" for b in graph[a]) for a in sorted(graph)]
    return "\n".join([f"% roads\n{len(graph)} {graph.number_of_edges() // 2} 001", *lines, ""])


def as_edges(graph):
    return "".join(["# Directed graph: roads\n# FromNodeId\tToNodeId\n", *(f"{a}\t{b}\t{d['weight']}\n" for a, b, d in graph.edges(data=True))])


def check(skua, folder, name, data, graph, source):
    (folder / name).write_bytes(data)
    out = folder / "distances"
    done = subprocess.run([skua, "run", "sssp", "--graph", folder / name, "--source", str(source), "--output", out, "--workers", "2", "--json", "-"],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{name}: {done.stderr}")
    right = networkx.single_source_dijkstra_path_length(graph, source)
    text = "".join(f"{n} {d}\n" for n, d in sorted(right.items())).encode()
    facts = json.loads(done.stdout)["rows"][0]["facts"]
    said = facts["reached"], facts["distance_sum"], facts["crc32"]
    expected = len(right), sum(right.values()), f"{zlib.crc32(text):08x}"
    if out.read_bytes() != text or said != expected:
        raise SystemExit(f"{name}: from node {source} sssp says {said}; networkx finds {expected}")


def main(skua, seed):
    dice = random.Random(seed)
    checked = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for side in (1, 2, 9, 40, 120):
            one_way, both_ways = roads(side, dice, False), roads(side, dice, True)
            names = dict(zip(sorted(one_way), sorted(dice.sample(range(2**63 - 1), len(one_way))), strict=True))
            apart = networkx.relabel_nodes(one_way, names)
            texts = [("roads.gr", as_dimacs(one_way), one_way), ("roads.graph", as_metis(both_ways), both_ways), ("roads.txt", as_edges(apart), apart)]
            for file, text, graph in texts:
                if file == "roads.txt" and graph.number_of_edges() == 0:
                    continue
                source = dice.choice(sorted(set(sum(graph.edges, ())) or graph))
                for ending, data in (("", text.encode()), (".gz", gzip.compress(text.encode()))):
                    check(skua, folder, file + ending, data, graph, source)
                    checked += 1
    print(f"seed {seed}: {checked} files, the distances of networkx {networkx.__version__}")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1)
