# SPDX-License-Identifier: MIT
"""What is run: apps with their inputs, the policies, the machines."""

import dataclasses

# `auto` is compared with each of these, and with the combinations that differ from all of them in an app of that kind: without
# strategies and addresses X is only:X to the last digit (skua/policy/combined/combined.md).
SEVEN = tuple(f"only:{name}" for name in ("random", "hierarchical", "adws", "numa-ws", "replay", "strategies", "arms"))
COMBINATIONS = {"forks": (), "spawned": ("adws", "random"), "nodes": ("adws", "random")}
AUTO = "auto:explain"  # decides as auto does, and says what it has found

MACHINES = (("xeon-6130-4s", 16), ("xeon-6130-4s", 64), ("opteron-6168-4s", 48), ("chiplet-2x96", 96))


@dataclasses.dataclass(frozen=True)
class Case:
    app: str
    options: str
    kind: str            # "forks", "spawned" or "nodes": what its program has besides forks
    is_new: bool         # no rule of auto was made on this input
    effort: str          # "quick": also run with --quick; "long": only with --full
    by_chance: bool = False  # its time depends on who finds what first: three times as many seeds
    simulated: str = ""      # options of skua sim only

    @property
    def name(self):
        return f"{self.app} {self.options}".strip()


def inputs_of(app, kind, known, new, *, long=(), **others):
    """`known`: the inputs on which rules were made; so is `long`. `new`: others. The first of `known` and of `new` is run with --quick."""
    return [Case(app, options, kind, inputs is new, "long" if inputs is long else "quick" if options == inputs[0] else "normal", **others)
            for inputs in (known, long, new) for options in inputs]


# Without a fixed time of a task, fib, nqueens and uts would differ from run to run of the command: their tasks are timed here.
CASES = [
    *inputs_of("fib", "forks", ["--n 20"], ["--n 17", "--n 23"], long=["--n 26"], simulated="--task-ns 7"),
    *inputs_of("nqueens", "forks", ["--n 9"], ["--n 8", "--n 10"], simulated="--task-ns 40"),
    *inputs_of("uts", "forks", ["--tree T5 --depth 16"], ["--type geometric --depth 7", "--tree T3 --branching 400 --seed 5"],
               long=["--tree T5"], by_chance=True, simulated="--task-ns 100"),
    *inputs_of("matmul", "forks", ["--n 1024"], ["--n 384", "--n 800 --m 200 --k 1600"]),
    *inputs_of("matmul-z", "forks", ["--n 1024"], ["--n 512"]),
    *inputs_of("strassen", "forks", ["--n 1024"], ["--n 512", "--n 1600"]),
    *inputs_of("strassen-z", "forks", ["--n 1024"], ["--n 512"]),
    *inputs_of("heat", "forks", ["--n 512 --iterations 500"], ["--n 200 --iterations 300", "--n 1500 --iterations 40"],
               long=["--n 640 --iterations 2000"]),
    *inputs_of("sph", "forks", ["--steps 10"], ["--scale 2 --steps 40 --hints none", "--dim 3 --steps 1"]),
    *inputs_of("cilksort", "forks", ["--n 3000000"], ["--n 200000", "--n 1000000 --key-bits 64"]),
    *inputs_of("cg", "forks", ["--class S"], ["--class S --leaf-rows 16"], long=["--class W"]),
    *inputs_of("hull", "forks", ["--n 2000000"], ["--n 300000", "--n 300000 --points on"]),
    *inputs_of("hartree-fock", "forks", ["--atoms 3"], ["--atoms 2", "--atoms 3 --tile 10"]),
    *inputs_of("tce", "forks", [""], ["--iterations 5", "--iterations 3 --hints work"]),
    *inputs_of("synthetic-loads", "forks", [""], ["--shape uniform --tasks 700 --mean-us 20", "--shape table3 --tasks 300"]),
    *inputs_of("bipartition", "spawned", [""], ["--n 24 --instances 4", "--n 26 --density 0.3 --weights 9"], by_chance=True),
    *inputs_of("sssp", "spawned", ["--n 1000"], ["--n 400", "--n 700 --density 0.2"], by_chance=True),
    *inputs_of("puzzle15", "spawned", ["--moves 30"], ["--moves 40 --seed 3"], by_chance=True),
    *inputs_of("quicksort", "spawned", ["--n 2000000"], ["--n 300000"]),
    *inputs_of("strips", "spawned", ["--triangles 300000"], ["--triangles 50000", "--triangles 150000 --interval 512"]),
    *inputs_of("prefix-sum", "spawned", ["--n 30000000"], ["--n 2000000", "--n 500000 --arrays 8"]),
    *inputs_of("mix", "spawned", ["--of 'prefix-sum --n 4000000, uts --tree T5 --form spawn --depth 13'"],
               ["--of 'heat --n 256 --iterations 50, nqueens --n 9'", "--of 'cilksort --n 500000, strips --triangles 50000'"], by_chance=True),
    *inputs_of("chains", "nodes", ["--parallelism 4", "--parallelism 16"], ["--parallelism 7 --tasks 700 --size 96", "--parallelism 40 --tasks 2000 --size 64",
                                                                            "--kernel triad --parallelism 8 --tasks 400"]),
    *inputs_of("sparselu", "nodes", ["--blocks 32", ""], ["--blocks 24 --size 48", "--blocks 48 --size 24"]),
    *inputs_of("cholesky", "nodes", ["--n 2048"], ["--n 1024 --tile 64", "--n 1536 --tile 128"], long=["--n 4096"]),
    *inputs_of("heat-dag", "nodes", ["--iterations 40"], ["--n 512 --block 64 --iterations 40", "--n 512 --block 64 --iterations 40 --overlap 8"]),
    *inputs_of("matmul-dag", "nodes", [""], ["--n 512 --leaf 64", "--n 768 --form in-place"]),
    *inputs_of("random-dag", "nodes", ["--layers 60"], ["--layers 20 --width 400", "--layers 60 --width 60 --growing --seed 7"]),
    *inputs_of("fmm", "nodes", [""], ["--n 5000", "--n 10000 --distribution cluster --leaf 32"]),
    *inputs_of("qr", "nodes", ["--n 1024 --tile 128"], ["--n 768 --tile 64"]),
    *inputs_of("nbody-chain", "nodes", [""], ["--n 400", "--n 300 --access remote"]),
]


EFFORTS = {"quick": ("quick",), "normal": ("quick", "normal"), "full": ("quick", "normal", "long")}


def chosen(apps=None, effort="normal"):
    """The cases of these apps (all: None). Raises KeyError with the first one that has none."""
    known = {case.app for case in CASES}
    for app in apps or ():
        if app not in known:
            raise KeyError(app)
    return [case for case in CASES if (apps is None or case.app in apps) and case.effort in EFFORTS[effort]]


def policies_for(case):
    return [*SEVEN, *COMBINATIONS[case.kind], AUTO]
