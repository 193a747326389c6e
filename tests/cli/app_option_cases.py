# SPDX-License-Identifier: MIT
"""For each app a short command line, and for each of its own options a value that changes something: what app_options_test.py tries.

An option is tried in every mode in which its app runs. There it changes the result, or the command refuses it in one line that names the
option and the mode, or it is unseen there for one of the reasons below."""

import dataclasses

# Why nothing of a short run shows an effect, though the option has one.
REASONS = {
    "data": "the numbers that the tasks work on differ, not the tasks; the apps' own tests compare answers",
    "grain": "how a peer divides its work shows only in its times",
    "order": "which task runs first, or where, shows only with several workers: --virtual shows it",
    "time": "how long a task takes shows only in times",
    "limit": "a limit that a small run does not reach",
}


@dataclasses.dataclass
class Option:
    """`to`: the value to try, none for a flag. `line`: instead of the app's, in all modes or {mode: line}. `unseen`: {mode: reason}.
    `wrong`: values that make no sense, instead of those of its kind; `also_wrong`: besides these. `only_in`: the modes in which a change
    of every commit tries it, because it takes seconds elsewhere."""
    to: object = None
    line: object = None
    unseen: dict = dataclasses.field(default_factory=dict)
    wrong: object = None
    also_wrong: tuple = ()
    only_in: tuple = ()


PEERS = ("serial", "openmp", "tbb")
GRAIN = dict.fromkeys(PEERS, "grain")
DATA = {"threads": "data", "--virtual": "data", **dict.fromkeys(PEERS, "data")}
TIME = {"threads": "time", "--virtual": "time", **dict.fromkeys(PEERS, "time")}
ORDER = {"threads": "order"}
SERIAL_ORDER = {"serial": "order"}  # the serial elision runs spawned tasks in the order of their strategies


def of_data(to, **more):
    return Option(to, unseen=DATA, **more)


# What --help calls a value, and values of that kind that no option takes.
NUMBERS = ("nope", "-1", "nan", "1.5", "1e300", "99999999999999999999", "")
WRONG = {"N": NUMBERS, "X": ("nope", "nan", "inf", "-1", "1e300", ""), "WORD": ("nope", "")}
NO_FILE = ("/no/such/file", "")
NO_PICTURE = ("picture.gif", "/no/such/folder/picture.pgm", "")

# Files that the lines below name; the test writes them into the folder in which each command runs.
GIVEN_FILES = {
    "plate.pgm": b"P5\n64 64\n255\n" + bytes(range(256)) * 16,
    "graph.gr": b"p sp 3 3\na 1 2 5\na 2 3 4\na 1 3 20\n",
    "edges.txt": b"7 9\n9 12 4\n12 7\n", "either.txt": b"2 2\n2 2\n1 1\n",
    "water.xyz": b"3\n\nO 0 0 0.1173\nH 0 0.7572 -0.4692\nH 0 -0.7572 -0.4692\n",
    "bent.xyz": b"3\n\nO 0 0 0.1173\nH 0 0.8572 -0.4692\nH 0 -0.8572 -0.4692\n",
    "small.nw": b"BASIS\nH S\n 0.4 1\nO S\n 100 0.2\n 9 0.9\nO S\n 0.8 1\nO P\n 0.9 1\nEND\n",
    "other.nw": b"BASIS\nH S\n 0.4 1\nH S\n 1.4 1\nO S\n 100 0.2\n 9 0.9\nO S\n 0.8 1\nO P\n 0.9 1\nEND\n",
    "line.mtx": b"%%MatrixMarket matrix coordinate real symmetric\n3 3 5\n1 1 2\n2 1 -1\n2 2 3\n3 2 -1\n3 3 4\n",
    "rhs.mtx": b"%%MatrixMarket matrix array real general\n3 1\n0\n0\n1\n",
    "points.txt": b"# a triangle\n0 0\n4,0\n1 1\n0 4\n",
    "mesh.obj": b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n",
}
BINOMIAL = "--tree T3 --branching 20 --probability 0.1 --children 4"
HYBRID = "--tree T4 --depth 4 --branching 3 --probability 0.1 --children 4"
WITH_FIELD = "--n 64 --iterations 2 --leaf-rows 16 --leaf-columns 32"
MOLECULE = "--molecule water.xyz --basis small.nw"
SYSTEM = "--matrix line.mtx"
STYLE = {"openmp": "grain", "tbb": "grain"}

# {app: (its line, in all modes or {mode: line}, {option: case})}
APPS = {
    "fib": ("--n 12", {"--n": Option("11", also_wrong=("0", "94")), "--hints": Option("work", unseen=ORDER)}),
    "nqueens": ("--n 6", {"--n": Option("5", also_wrong=("0", "19"))}),
    "uts": ("--depth 4", {
        "--tree": Option("T5"), "--type": Option("hybrid"), "--shape": Option("linear"), "--depth": Option("3", also_wrong=("0",)),
        "--branching": Option("3", also_wrong=("0",)), "--probability": Option("0.2", line=BINOMIAL, also_wrong=("1.1",)),
        "--children": Option("9", line=BINOMIAL, also_wrong=("0",)), "--shift": Option("0.9", line=HYBRID, also_wrong=("1.1",)), "--seed": Option("3"),
        "--form": Option("spawn", unseen=SERIAL_ORDER), "--strategy": Option("none", line="--depth 4 --form spawn", unseen=SERIAL_ORDER),
    }),
    "matmul": ("--n 96 --leaf 32", {
        "--n": Option("64", also_wrong=("0", "32769")), "--m": Option("64", also_wrong=("0",)), "--k": Option("64", also_wrong=("0",)),
        "--leaf": Option("64", unseen=GRAIN, also_wrong=("0", "31")), "--seed": of_data("2"), "--tight": Option(line="--n 256 --leaf 128", unseen=DATA | {"sim": "data"}),
    }),
    "matmul-z": ("--n 96 --leaf 32", {
        "--n": Option("64", also_wrong=("0", "32769")), "--m": Option("64", also_wrong=("0",)), "--k": Option("64", also_wrong=("0",)),
        "--leaf": Option("64", unseen=GRAIN, also_wrong=("0", "31")), "--seed": of_data("2"),
    }),
    "strassen": ("--n 128 --cutoff 64 --leaf 32", {
        "--n": Option("200", also_wrong=("0",)), "--cutoff": Option("32", also_wrong=("0", "31")), "--leaf": Option("64", unseen=GRAIN, also_wrong=("0", "31")),
        "--seed": of_data("2"), "--tight": Option(line="--n 512 --cutoff 256 --leaf 128", unseen={"--virtual": "data"}),
    }),
    "strassen-z": ("--n 128 --cutoff 64 --leaf 32", {
        "--n": Option("200", also_wrong=("0",)), "--cutoff": Option("32", also_wrong=("0", "31")), "--leaf": Option("64", unseen=GRAIN, also_wrong=("0", "31")), "--seed": of_data("2"),
    }),
    "heat": ({"": WITH_FIELD, "openmp": "--n 64 --iterations 2", "tbb": "--n 64 --iterations 2 --leaf-rows 16"}, {
        "--n": Option("32", also_wrong=("0",)), "--input": Option("plate.pgm", line={"": "--iterations 2 --leaf-rows 16", "openmp": "--iterations 2"}, wrong=(*NO_FILE[:1], "mesh.obj")),
        "--output": Option("out.pgm", wrong=NO_PICTURE[:2]), "--iterations": Option("3", also_wrong=("0",)), "--leaf-rows": Option("8", unseen=GRAIN | ORDER, also_wrong=("0",)),
        "--leaf-columns": Option("64", unseen=GRAIN, also_wrong=("0",)), "--leaf-cols": Option("64", unseen=GRAIN, also_wrong=("0",)),
        "--alpha": Option("0.5", unseen=ORDER, also_wrong=("1.1",)), "--alpha-kind": Option("random", line=f"{WITH_FIELD} --alpha 0.5", unseen=ORDER),
        "--seed": Option("2", unseen={"--virtual": "data"}), "--openmp": Option("dynamic", unseen=STYLE), "--tbb": Option("static", unseen=STYLE),
    }),
    "sph": ("--scale 1 --steps 2", {
        "--dim": Option("3", only_in=("threads",), also_wrong=("1", "4")), "--scale": Option("2", also_wrong=("0", "65")), "--steps": Option("3", also_wrong=("0",)), "--leaf": Option("32", also_wrong=("0",)),
        "--hints": Option("none", unseen=ORDER), "--output": Option("out.pgm", wrong=NO_PICTURE[:2]), "--openmp": Option("static", unseen=STYLE), "--tbb": Option("static", unseen=STYLE),
    }),
    "cilksort": ("--n 10000", {
        "--n": Option("50000", unseen=dict.fromkeys(PEERS, "data"), also_wrong=("0",)), "--key-bits": Option("64", unseen=DATA, also_wrong=("16",)), "--seed": of_data("2"),
    }),
    "cg": ("--class S", {
        "--class": Option("W", only_in=("threads", *PEERS)), "--leaf-rows": Option("32", also_wrong=("0",)), "--openmp": Option("tasks", unseen=STYLE), "--tbb": Option("static", unseen=STYLE),
        "--matrix": Option("line.mtx", line="", wrong=(*NO_FILE[:1], "rhs.mtx", "/dev/zero", "/")), "--rhs": Option("rhs.mtx", line=f"{SYSTEM} --tolerance 0.3", wrong=(*NO_FILE[:1], "line.mtx", "/dev/zero", "/")),
        "--output": Option("solution.mtx", line=SYSTEM, wrong=("/no/such/folder/solution", "/dev")), "--residuals": Option("history", line=SYSTEM, wrong=("/no/such/folder/history", "/dev")),
        "--tolerance": Option("0.5", line=SYSTEM, also_wrong=("0", "1.1")), "--iterations": Option("4", line=SYSTEM, unseen=dict.fromkeys((*PEERS, "threads", "--virtual", "sim"), "limit"), also_wrong=("0",)),
    }),
    "hull": ("--n 3000 --leaf 200", {
        "--input": Option("points.txt", line="--leaf 200", wrong=(*NO_FILE[:1], "mesh.obj", "/dev/zero", "/")), "--output": Option("hull.txt", wrong=("/no/such/folder/hull", "/dev")),
        "--points": Option("on"), "--n": Option("2000", also_wrong=("0",)), "--leaf": Option("100", unseen=GRAIN, also_wrong=("0", "15")), "--seed": Option("2"),
    }),
    "bipartition": ("--n 10", {
        "--n": Option("11", also_wrong=("0", "1", "65")), "--density": Option("0.3", also_wrong=("1.1",)), "--weights": Option("5", also_wrong=("0",)),
        "--instances": Option("2", also_wrong=("0",)), "--seed": Option("2"), "--strategy": Option("none"),
    }),
    "sssp": ("--n 50", {
        "--graph": Option("graph.gr", line="", wrong=(*NO_FILE[:1], "mesh.obj", "/dev/zero")), "--format": Option("edges", line="--graph either.txt", also_wrong=("dimacs",)),
        "--undirected": Option(line="--graph edges.txt"), "--output": Option("distances", wrong=("/no/such/folder/distances", "/dev")), "--source": Option("2", also_wrong=("0", "51")), "--n": Option("40", also_wrong=("0",)),
        "--density": Option("0.3", also_wrong=("1.1",)), "--longest": Option("5", also_wrong=("0",)), "--seed": Option("2"), "--dense": Option(),
        "--strategy": Option("none"),
    }),
    "puzzle15": ({"": "--moves 8 --table-mib 1", "serial": "--moves 8"}, {
        "--instance": Option("1 2 3 0 4 5 6 7 8 9 10 11 12 13 14 15", line="--table-mib 1", wrong=("korf:0", "korf:101", "1 2 3", "nope")), "--moves": Option("9", also_wrong=("1001",)), "--seed": Option("2"),
        "--table-mib": Option("2", unseen={"threads": "limit", "--virtual": "limit", "sim": "limit"}, also_wrong=("0",)), "--strategy": Option("none", unseen=ORDER),
    }),
    "latency": ("--levels 4 --shortest-us 1 --longest-us 3 --urgent-us 1", {
        "--levels": Option("3", also_wrong=("0", "21")), "--shortest-us": Option("2", unseen=TIME, also_wrong=("4",)), "--longest-us": Option("5", unseen=TIME, also_wrong=("0.5",)),
        "--urgent-us": Option("3", unseen=TIME), "--urgent": Option("0.9", unseen={"serial": "time", "tbb": "time"}, also_wrong=("1.1",)), "--seed": Option("2", unseen=TIME), "--strategy": Option("none", unseen=TIME),
    }),
    "quicksort": ("--n 20000", {
        "--n": Option("9000", unseen=dict.fromkeys(PEERS, "data"), also_wrong=("0",)), "--input": Option("sorted", unseen=dict.fromkeys(PEERS, "data")),
        "--seed": Option("2", unseen=dict.fromkeys((*PEERS, "threads"), "data")), "--cutoff": Option("128", unseen=GRAIN, also_wrong=("0",)), "--strategy": Option("none", unseen=SERIAL_ORDER),
    }),
    "strips": ("--triangles 500 --interval 64", {
        "--mesh": Option("mesh.obj", line="--interval 64", wrong=(*NO_FILE[:1], "plate.pgm", "graph.gr", "/dev/zero")), "--triangles": Option("600", also_wrong=("0",)), "--seed": Option("2"),
        "--interval": Option("32", also_wrong=("0",)), "--strategy": Option("none"), "--output": Option("strips", wrong=("/no/such/folder/strips", "/dev")),
    }),
    "prefix-sum": ({"": "--n 20000 --block 1024", "serial": "--n 20000"}, {
        "--n": Option("30000", unseen={"--virtual": "data"}, also_wrong=("0",)), "--arrays": Option("2", also_wrong=("0",)), "--block": Option("512", also_wrong=("0",)),
        "--seed": of_data("2"), "--strategy": Option("none"),
    }),
    "mix": ("--of 'fib --n 8, nqueens --n 5'", {"--of": Option("fib --n 7, nqueens --n 5", wrong=("nope", "fib --m 3", "fib --n 0", ","))}),
    "chains": ("--tasks 16 --size 32", {
        "--parallelism": Option("4", unseen=dict.fromkeys((*PEERS, "threads"), "data"), also_wrong=("0",)), "--tasks": Option("20", unseen=dict.fromkeys(PEERS, "data"), also_wrong=("0",)),
        "--kernel": of_data("triad"), "--size": of_data("64", also_wrong=("0",)), "--seed": of_data("2"),
    }),
    "sparselu": ("--blocks 6 --size 8", {"--blocks": Option("5", also_wrong=("0",)), "--size": of_data("10", also_wrong=("0",)), "--seed": of_data("2")}),
    "cholesky": ("--n 128 --tile 32", {
        "--n": Option("96", also_wrong=("0",)), "--tile": Option("64", unseen=GRAIN, also_wrong=("0",)), "--seed": of_data("2"), "--dot": Option("graph.dot", wrong=("/no/such/folder/graph.dot",)),
    }),
    "heat-dag": ("--n 64 --block 16 --iterations 4", {
        "--n": Option("32", unseen=dict.fromkeys(PEERS, "data"), also_wrong=("0",)), "--block": Option("32", unseen=GRAIN, also_wrong=("0",)),
        "--iterations": Option("6", unseen=dict.fromkeys(PEERS, "data"), also_wrong=("0",)), "--overlap": Option("2", unseen=ORDER, also_wrong=("0", "3")), "--seed": of_data("2"),
    }),
    "matmul-dag": ("--n 128 --leaf 32", {
        "--n": Option("64", also_wrong=("0",)), "--leaf": Option("64", unseen=GRAIN, also_wrong=("0",)), "--form": Option("in-place", unseen=GRAIN), "--seed": of_data("2"),
    }),
    "random-dag": ("--layers 6 --width 5 --rounds 10", {
        "--layers": Option("5", unseen={"serial": "data"}, also_wrong=("0",)), "--width": Option("4", unseen={"serial": "data"}, also_wrong=("0",)),
        "--edges": Option("2", unseen={"serial": "data", "threads": "order"}, also_wrong=("0",)), "--rounds": Option("20", unseen=TIME | {"sim": "time"}, also_wrong=("0",)),
        "--seed": Option("2", unseen={"serial": "data", "threads": "order"}), "--growing": Option(unseen={"serial": "data", "threads": "order"}),
    }),
    "fmm": ("--n 2000 --order 4 --leaf 16", {
        "--n": Option("1200", also_wrong=("0",)), "--order": Option("5", unseen={"--virtual": "data"}, also_wrong=("0",)), "--leaf": Option("8", unseen={"--virtual": "data"}, also_wrong=("0",)),
        "--theta": Option("0.3", unseen={"--virtual": "data"}, also_wrong=("0.05", "0.95")), "--distribution": Option("cluster"), "--seed": Option("2", unseen={"--virtual": "data"}),
    }),
    "qr": ("--n 128 --tile 32", {"--n": Option("96", also_wrong=("0",)), "--tile": Option("64", unseen=GRAIN, also_wrong=("0",)), "--seed": of_data("2")}),
    "nbody-chain": ("--n 50 --iterations 3", {
        "--n": Option("40", unseen={"--virtual": "data"}, also_wrong=("0",)), "--iterations": Option("4", also_wrong=("0",)), "--access": Option("remote", unseen=ORDER),
        "--arrays": Option("fresh", unseen=dict.fromkeys((*PEERS, "threads", "--virtual"), "data")), "--seed": of_data("2"),
    }),
    "hartree-fock": ({"": "--atoms 2 --tile 10 --tolerance 0.01", "sim --ranks": "--atoms 2 --tile 10"}, {
        "--atoms": Option("1", also_wrong=("0",)), "--tile": Option("15", also_wrong=("0",)), "--threshold": Option("0.01", also_wrong=("1.1",)), "--tolerance": Option("0.1", also_wrong=("1.1",)),
        "--iterations": Option("3", also_wrong=("0",)), "--hints": Option("work", unseen=ORDER), "--count-only": Option(line="--atoms 2 --tile 10"),
        "--molecule": Option("bent.xyz", line=MOLECULE, wrong=(*NO_FILE[:1], "small.nw", "/dev/zero")),
        "--basis": Option("other.nw", line=MOLECULE, wrong=(*NO_FILE[:1], "bent.xyz", "/dev/zero")),
        "--charge": Option("2", line=MOLECULE, also_wrong=("1", "10")),
    }),
    "tce": ("", {
        "--scale": Option("paper", line="--count-only", unseen={"--virtual": "data", "sim": "data"}), "--hints": Option("work", unseen=ORDER), "--seed": Option("2", unseen=DATA | {"--ranks": "data"}),
        "--iterations": Option("2", unseen={"serial": "time"}, also_wrong=("0",)), "--count-only": Option(unseen={"serial": "time"}),
    }),
    "synthetic-loads": ({"": "--tasks 50 --mean-us 2", "--ranks": "--tasks 50 --mean-us 2 --iterations 2", "sim --ranks": "--tasks 50 --mean-us 20 --iterations 2"}, {
        "--tasks": Option("40", also_wrong=("0",)), "--shape": Option("uniform", unseen={"--virtual": "time"}), "--mean-us": Option("3", unseen={"--virtual": "time"}),
        "--alone-us": Option("5", unseen={"threads": "time", "serial": "time"}),
        "--floor": Option("0.5", line="--tasks 50 --mean-us 2 --shape table3", unseen={"--virtual": "time"}), "--hints": Option("work", unseen=ORDER), "--seed": Option("2", unseen={"--virtual": "time"}),
        "--iterations": Option("3", also_wrong=("0", "1001")), "--variation": Option("0.5", also_wrong=("1.1",)),
        "--pattern": Option("drift", line="--tasks 50 --mean-us 2 --iterations 2 --variation 0.5", wrong=("nope", "")), "--sleep": Option(unseen=dict.fromkeys(("threads", "--virtual", "serial", "--ranks"), "time")),
    }),
}
