# SPDX-License-Identifier: MIT
"""For each command its modes, and for each of its options a value that changes something: what options_test.py tries.

A mode is a command line whose result repeats itself, and a view of that result: what an option may change. The view leaves out what
differs from run to run and what merely repeats the command line. An option is tried in every mode. There it changes the view, or
the command refuses it in one line that names the option and the mode.
"""

import dataclasses
import json
import re

TIME = re.compile(r"-?\d[\d.]*(e[-+]?\d+)? *(ns|us|ms|s|%|x)(?![\w])")


@dataclasses.dataclass
class Result:
    code: int
    out: str
    err: str
    files: dict  # {name: bytes}, of the folder in which the command ran


@dataclasses.dataclass
class Mode:
    line: list
    view: object  # Result -> what is compared


@dataclasses.dataclass
class Case:
    """`to`: the value to try, none for a flag. `line`: instead of the mode's, in one mode ({mode: line}) or in all. `wrong`: values that
    make no sense, instead of those of its kind; `also_wrong`: besides these."""
    to: object = None
    line: object = None
    view: object = None
    wrong: object = None
    also_wrong: tuple = ()
    may_fail: bool = False  # the effect of the value may be that the program fails


@dataclasses.dataclass
class Unseen:
    """Nothing of a short run shows the effect; `proof`: the file and the name of the test that does. The command still has to refuse
    impossible values."""
    reason: str
    proof: tuple
    to: object = None
    wrong: object = None
    line: object = None


@dataclasses.dataclass
class Default:
    """This name says what holds anyhow: the result must be that of the line without it."""
    line: object = None


def whole(result):
    return result


def document(result):
    return json.loads(result.out)


def rows(result):
    """What was computed, without what repeats the command line. Standard error and files count as well."""
    return json.loads(result.out)["rows"], result.err, result.files


def settled_text(text):
    """Without times, shares of time, and what follows from them."""
    text = re.sub(r"^(?:  memory  |    started ).*\n", "", text, flags=re.MULTILINE)
    return re.sub(r" +", " ", TIME.sub("TIME", text))


def places_of_trace(data):
    """What the pool says of itself in its trace."""
    description = json.loads(data[4096:data.index(b"\0", 4096)])
    return description["policy"], description["workers"]


def settled(result):
    """Of a run on threads. In JSON files what does not depend on the time; of a trace what its pool is; of other files that they are there."""
    files = {}
    for name, data in result.files.items():
        if name == "document":
            found = json.loads(data)
            rows = [({k: r.get(k) for k in ("runner", "workers", "verified", "runs")}, sorted(r.get("facts", {}).items()), sorted(r), len(r["times_s"]),
                     r.get("map_overlap") is None) for r in found["rows"]]
            files[name] = (rows, len(rows[0][0]), found.get("added_for_breakdown"))
        elif data.startswith(b"SKUATRC1"):
            files[name] = places_of_trace(data)
        else:
            files[name] = True
    return settled_text(result.out), settled_text(result.err), files, result.code


def settled_files(result):
    """Of a run on threads whose text has columns of times: its documents."""
    return settled(Result(result.code, "", result.err, result.files)), "  work  " in result.out


def outline(result):
    """What the command writes, and where, and how much of it if it is a trace."""
    return bool(result.out), sorted((name, data.startswith(b"SKUATRC1") and len(data)) for name, data in result.files.items())


def has_peers(line):
    """Such lines are left out where a sanitizer cannot follow the peers' threads."""
    return any("openmp" in word for word in line)


WORDS = ("nope", "")
NUMBERS = ("nope", "-1", "nan", "1.5", "99999999999999999999", "")
# By what --help calls the value.
WRONG = {
    "N": (*NUMBERS, "0"), "K": (*NUMBERS, "0"), "MS": (*NUMBERS, "0"), "N,N,...": (*NUMBERS, "0"), "N,M": (*NUMBERS, "0,0", "1,nan"),
    "SHARE": ("nope", "-1", "nan", "inf", "1.1", ""), "F": ("nope", "-1", "nan", "inf", ""), "PERCENT": ("nope", "-1", "nan", "inf", ""),
    "SECONDS": ("nope", "-1", "nan", "inf", ""), "TIME": ("nope", "-1us", "nan", "5", "inf", ""), "SIZE": ("nope", "-1", "nan", "0", ""),
    "RATE:TIME": ("nope", "1:nan", "-1:1us", "nan:1us", "0:1us", "10:0us", "10:inf", ""), "on|off": ("maybe", "2", ""),
    "FILE": ("/no/such/folder/file", ""), "FILE|-": ("/no/such/folder/file", ""), "DIR": ("/proc/none", ""), "FOLDER": ("/proc/none", ""),
    "NAME": WORDS, "NAMES": WORDS, "LIST": WORDS, "WHERE": WORDS, "KIND": WORDS, "HOW": WORDS, "FORMAT": WORDS, "FIGURES": WORDS,
    "TOPOLOGY": ("nope", "core:0", "core:-1", ""), "NAME|FILE": WORDS,
}

PACKAGES = ["--synthetic", "package:2 core:2"]
XML = """<?xml version="1.0"?><!DOCTYPE topology SYSTEM "hwloc2.dtd"><topology version="2.0"><object type="Machine" os_index="0" cpuset="0x7" complete_cpuset="0x7"
 allowed_cpuset="0x7" nodeset="0x1" complete_nodeset="0x1" allowed_nodeset="0x1" gp_index="1"><object type="NUMANode" os_index="0" cpuset="0x7" complete_cpuset="0x7"
 nodeset="0x1" complete_nodeset="0x1" gp_index="2" local_memory="1048576"/>%s</object></topology>""" % "".join(
    f'<object type="Core" os_index="{i}" cpuset="{1 << i:#x}" complete_cpuset="{1 << i:#x}" nodeset="0x1" complete_nodeset="0x1" gp_index="{3 + 2 * i}"><object type="PU" '
    f'os_index="{i}" cpuset="{1 << i:#x}" complete_cpuset="{1 << i:#x}" nodeset="0x1" complete_nodeset="0x1" gp_index="{4 + 2 * i}"/></object>' for i in range(3))
EXPERIMENT = """title = "%s"
where = "1, Fig. 2"
claim = "it is so"
quantity = "time"
machine = "xeon-6130-4s"
workers = [4]
app = "heat"
options = "--n 256 --iterations 3 --leaf-rows 32"
quick = "--n 256 --iterations 2"
[[panel]]
name = "one"
[[panel]]
name = "two"
options = "--alpha 0.5"
[[series]]
name = "random"
policy = "random"
[[expect]]
says = "it takes its time"
of = "random@4"
at_least = 1e-9
"""
# Files that command lines name; options_test.py writes them into the folder in which each command runs.
GIVEN_FILES = {
    "three.xml": XML.encode(), "other.csv": b"0,7\n1,2\n1,5\n2,1\n", "many.csv": "".join(f"{i % 16 // 3},{1000 + 37 * i % 501}\n" for i in range(200)).encode(),
    "phases.csv": b"0,7,1\n1,2,1\n1,5,2\n2,1,2\n",
    "partitions": b"0,1\n1,2\n1\n", "wrong": b"nonsense\n",
    "own.toml": (EXPERIMENT % "one").encode(), "second.toml": (EXPERIMENT % "two").encode(),
}

ROUNDED = [*NUMBERS]  # whole numbers of which 0 is one
TRACE_OPTIONS = {"--trace": Case("t")}
# The options of a pool, where a command only shows what they choose.
SHOWN_POOL = {
    "--policy": Case("adws"), "--workers": Case("3"), "--places": Case("{0}"), "--partitions": Case("partitions", line=["doctor", *PACKAGES], also_wrong=("wrong",)),
    "--history": Case("h", wrong=("/no/such/folder/h", "")), "--trace": Case("t", wrong=("/no/such/folder/t", "")), "--pin": Case("off"), "--spin": Case("7us", wrong=("nope", "-1us", "nan", "5", "")), "--count-forks": Case("on"), "--stack": Case("64k"),
    "--synthetic": Case("package:2 core:2"), "--xml": Case("three.xml", also_wrong=("wrong",)),
}


def scattered(*line):
    return Case(line=[*line, *PACKAGES, "--workers", "2"])


def loads_in_ns(result):
    return document(result)["average_load"]


def times_left_out(result):
    found = [{k: v for k, v in row.items() if k != "median_s"} for row in json.loads(result.out)["rows"]]
    return found, result.err, sorted(result.files)


FIB = ["fib", "--n", "16"]
HEAT = ["heat", "--n", "256", "--iterations", "2", "--leaf-rows", "32"]
THREADS = ["run", *FIB, "--workers", "2", "--trace", "t", "--json", "document"]
VIRTUAL = ["run", *FIB, "--virtual", "--workers", "4", "--json", "-"]
PEER = ["run", *FIB, "--peer", "openmp", "--workers", "2", "--json", "document"]
ON_UTS = {"threads": ["run", "uts", "--depth", "3"]}  # for options that stand for --ranks
RANKS = ["run", "uts", "--depth", "3", "--ranks", "--json", "document"]
POOLS = ["compare", "fib", "--n", "12", "--repeat", "2", "--peers", "serial", "--policies", "random", "--workers", "2", "--trace", "t", "--json", "document"]
MAPPED = ["compare", *HEAT, "--repeat", "1", "--peers", "none", "--policies", "random", "--workers", "2", "--json", "document"]
NO_POOLS = ["compare", "fib", "--n", "12", "--repeat", "2", "--peers", "serial,openmp", "--policies", "none", "--workers", "2", "--json", "document"]
WIDE = [*HEAT, "--machine", "xeon-6130-4s", "--policies", "random,adws", "--workers", "4,20"]
ONE = [*HEAT, "--policies", "adws", "--workers", "4"]
SIM, PROFILE = ["sim", *WIDE, "--json", "-"], ["profile", *WIDE, "--json", "-"]
SIM_RANKS = ["sim", "hartree-fock", "--atoms", "4", "--machine", "hopper", "--ranks", "50", "--iterations", "2", "--json", "-"]
TASKS = ["fib", "--n", "12", "--task-ns", "50", "--policies", "adws", "--workers", "4", "--json", "-"]
LIVE = ["strassen", "--n", "128", "--cutoff", "64", "--leaf", "32", "--policies", "random", "--workers", "4", "--json", "-"]
DEALT = ["balance", "--ranks", "20", "--tasks", "200", "--distribution", "table3", "--json", "-"]
OWN = ["experiment", "own.toml", "--output", "o"]
POOL_TEST, HOME_TEST = "skua/machine/threads/face/pool_test.cpp", "skua/machine/threads/engine/core/home_processor_test.cpp"
SPIN = Unseen("how long a worker searches shows only in times", (POOL_TEST, "works_with_no_spin_and_with_endless_spin"), to="1ms", wrong=("nope", "-1us", "nan", "5", ""))
COUNT_FORKS = Unseen("the tables of times show no forks", ("skua/machine/threads/engine/core/counted_test.cpp", "are_forks_at_once_by_a_pool_that_is_told_to"), to="on")
PIN = Unseen("a binding shows only while a worker runs", (HOME_TEST, "workers_that_somebody_wants_pinned_are_bound_while_they_run_tasks"), to="off")


def simulation(command_name, wide):
    """The options of a simulation, for sim and profile; `wide` is the usual line."""
    tasks, live = [command_name, *TASKS], [command_name, *LIVE]
    return {
        "--machine": Case({"workers": "chiplet-2x96", "--ranks": "titan"}), "--policies": Case("numa-ws", also_wrong=("random,random", "none")), "--workers": Case("7", wrong=(*NUMBERS, "0", "65")),
        "--placement": Case("interleave", also_wrong=("bind:9", "bind:-1")), "--seed": Case("2", wrong=NUMBERS), "--schedule-seed": Case("2", wrong=NUMBERS),
        "--seeds": Case("3"), "--warm-up": Case("1", wrong=NUMBERS), "--task-ns": Case("60", line={"workers": tasks}, wrong=NUMBERS),
        "--noise": Case("10000:20us"), "--deques": Case("owner-fences"), "--measured-leaves": Case(), "--live": Case(view={"workers": document}),
        "--recorded": Case(view={"workers": document}, line={"workers": live}),
    }


# {command: ({mode: Mode}, {option: Case, Unseen or Default})}; --help has a test of its own.
COMMANDS = {
    "doctor": ({"": Mode(["doctor"], whole)}, {**SHOWN_POOL, "--scatter": scattered("doctor"), "--json": Case("document")}),
    "topology": ({"": Mode(["topology"], whole)},
                 {**{name: SHOWN_POOL[name] for name in ("--workers", "--places", "--synthetic", "--xml")}, "--scatter": scattered("topology"), "--json": Case("document")}),
    "list": ({"": Mode(["list"], whole)}, {"--json": Case("document")}),
    "run": ({"threads": Mode(THREADS, settled), "--peer": Mode(PEER, settled), "--virtual": Mode(VIRTUAL, rows), "--ranks": Mode(RANKS, settled)}, {
        "--peer": Case("serial", line={"threads": ["run", *FIB], "--peer": ["run", *FIB, "--peer", "openmp"]}), "--repeat": Case("3"), "--verify": Default(), "--no-verify": Case(),
        "--map": Case("map.svg", line={"threads": ["run", *HEAT, "--workers", "2"]}, also_wrong=("map.jpg",)), "--stats": Case(),
        "--virtual": Case(line={"threads": ["run", *FIB, "--workers", "2"], "--virtual": ["run", *FIB, "--workers", "2"]}, view={"--virtual": settled}),
        "--ranks": Case(line={"threads": ["run", "uts", "--depth", "3"], "--ranks": ["run", "uts", "--depth", "3"]}),
        "--balance": Case("steal", line={"threads": ["run", "uts", "--depth", "3"]}),
        "--victims": Unseen("without other ranks nobody asks", ("tests/cli/victims_test.py", '"--victims", "lifelines"'), to="lifelines", wrong=("nope", ""), line=ON_UTS),
        "--checkpoint": Case("c", line={"threads": ["run", "tce"], "--ranks": ["run", "tce", "--ranks"]}),
        "--recover": Unseen("no rank of a healthy job dies", ("tests/cli/ranks_test.py", '"--recover", "--deadline", "5"'), wrong=("=nope", "=0"), line=ON_UTS),
        "--deadline": Unseen("every rank of a healthy job answers in time", ("tests/cli/ranks_test.py", '"--recover", "--deadline", "5"'), to="30", wrong=("nope", "-1", "nan", "0", "1.5", ""), line=ON_UTS),
        "--max-memory": Unseen("a small job has enough", ("tests/cli/ranks_test.py", '"--max-memory", str(limit)'), to="100000", wrong=("nope", "-1", "nan", "0", "1.5", ""), line=ON_UTS),
        "--serve": Unseen("without other ranks nobody asks", ("tests/cli/ranks_test.py", '"--serve", serve'), to="thread", line=ON_UTS),
        "--json": Case("other"), "--seed": Case("2", wrong=NUMBERS), "--schedule-seed": Case("2", wrong=NUMBERS), "--policy": Case("adws"), "--workers": Case("3"),
        "--places": Case("{0},{1}", line={"threads": [*THREADS, *PACKAGES], "--virtual": ["run", *FIB, "--virtual", *PACKAGES, "--policy", "numa-ws", "--json", "-"]}),
        "--partitions": Case("partitions", line={"threads": ["run", *FIB, "--trace", "t", *PACKAGES]}, also_wrong=("wrong",)),
        "--history": Case("h", line={"threads": ["run", *FIB, "--policy", "auto"]}, wrong=("/no/such/folder/h", "wrong", "")), "--trace": Case("u", wrong=("/no/such/folder/t",)), "--pin": PIN, "--spin": SPIN,
        "--count-forks": Case("on", line={"threads": ["run", *FIB, "--workers", "1", "--stats"]}),
        "--stack": Case("16k", line={"threads": ["run", "uts", "--tree", "T3", "--workers", "2"]}, may_fail=True),
        "--synthetic": Case("package:2 core:2", line={"--virtual": ["run", *FIB, "--virtual", "--policy", "adws", "--json", "-"]}),
        "--xml": Case("three.xml", also_wrong=("wrong",), line={"threads": ["run", *FIB, "--trace", "t"], "--virtual": ["run", *FIB, "--virtual", "--policy", "adws", "--json", "-"]}),
        "--scatter": Case(line={"threads": [*THREADS, *PACKAGES], "--virtual": ["run", *FIB, "--virtual", "--workers", "4", "--synthetic", "package:2 numa:1 l3:2 core:2", "--policy", "adws", "--json", "-"]}),
    }),
    "compare": ({"pools": Mode(POOLS, settled_files), "--policies none": Mode(NO_POOLS, settled_files)}, {
        "--policies": Case("adws", also_wrong=("random,random",)), "--peers": Case({"pools": "none", "--policies none": "serial"}, also_wrong=("serial,serial",)), "--workers": Case("1"), "--repeat": Case("3"),
        "--warmup": Unseen("rounds before the timed ones leave nothing behind", ("cli/measure/measure_test.cpp", "one_wrong_answer_among_right_ones_is_found_and_named_even_in_the_warm_up"), to="2", wrong=NUMBERS),
        "--seed-of-order": Unseen("an order shows only in times", ("cli/measure/measure_test.cpp", "every_runner_runs_once_per_round_in_an_order_that_changes_and_depends_on_the_seed_only"), to="7", wrong=NUMBERS),
        "--map-overlap": Default(line={"pools": MAPPED}), "--no-map-overlap": Case(line={"pools": MAPPED}),
        "--breakdown": Case(), "--json": Case("other"), "--html": Case("page.html"), "--places": Case("{0},{1}", line={"pools": [*POOLS, *PACKAGES]}), "--partitions": Case("partitions", line={"pools": [*POOLS, *PACKAGES]}, also_wrong=("wrong",)),
        "--history": Case("h", line={"pools": ["compare", *FIB, "--repeat", "1", "--peers", "none", "--policies", "auto"]}, wrong=("/no/such/folder/h", "wrong", "")), "--trace": Case("u", wrong=("/no/such/folder/t",)),
        "--pin": PIN, "--spin": SPIN, "--count-forks": COUNT_FORKS, "--stack": Case("16k", line={"pools": ["compare", "uts", "--tree", "T3", "--workers", "2", "--repeat", "1", "--peers", "none"]}, may_fail=True),
        "--synthetic": Case("package:2 core:2"), "--xml": Case("three.xml", also_wrong=("wrong",)), "--scatter": Case(line={"pools": [*POOLS, *PACKAGES]}),
    }),
    "sim": ({"workers": Mode(SIM, rows), "--ranks": Mode(SIM_RANKS, rows)}, {
        "--verify": Default(), "--no-verify": Case(), "--alone": Default(), "--no-alone": Case(), "--breakdown": Case(), "--progress": Case(), "--json": Case("other", view=whole),
        "--trace": Case("t", line={"workers": ["sim", *ONE]}, view=whole, wrong=("/no/such/folder/t",)),
        "--trace-size": Case("64k", line={"workers": ["sim", *ONE, "--trace", "t"]}, view=outline),
        **simulation("sim", SIM),
        "--ranks": Case("60", also_wrong=("10000001",)), "--iterations": Case("3", line={"workers": ["sim", *TASKS]}), "--balance": Case("steal", also_wrong=("nope",)), "--floor": Case("0.9"), "--variation": Case("0.5"), "--pattern": Case("drift", wrong=("nope", ""), line={"--ranks": [*SIM_RANKS, "--variation", "0.5"]}),
        "--longest-pause": Case("1us", line={"--ranks": [*SIM_RANKS, "--floor", "0"]}, also_wrong=("0us",)), "--victims": Case("lifelines", wrong=("nope", "")), "--every-attempt": Case(),
    }),
    "profile": ({"workers": Mode(PROFILE, rows)}, {
        "--verify": Default(), "--no-verify": Case(), "--picture": Case("picture.svg", also_wrong=("picture.jpg",)), "--json": Case("other", view=whole), **simulation("profile", PROFILE),
    }),
    "experiment": ({"list": Mode(["experiment"], whole), "NAME": Mode(OWN, whole), "--vary": Mode([*OWN, "--vary=core.flops_per_ns"], whole)}, {
        "NAME": Case({"list": "own.toml", "NAME": "second.toml", "--vary": "second.toml"}, wrong=("nope", "/no/such/file.toml", "wrong")),
        "--output": Case("p"), "--panel": Case("one"), "--machine": Case("epyc-7763", also_wrong=("measured-2core",)), "--vary": Case("prices.spawn_ns"), "--threshold": Case("1000"), "--quick": Case(),
    }),
    "balance": ({"distribution": Mode(DEALT, times_left_out), "--loads": Mode(["balance", "--loads", "many.csv", "--how", "tempered,hierarchical", "--json", "-"], times_left_out)}, {
        "--distribution": Case("uniform"), "--ranks": Case("30"), "--tasks": Case("300"), "--pattern": Case("2,3"), "--cost-model": Case("0.9"), "--loads": Case("other.csv", also_wrong=("wrong",)),
        "--output": Case("out.csv", line={"--loads": ["balance", "--loads", "many.csv", "--how", "tempered", "--json", "-"]}), "--unit": Case("us", view={"--loads": loads_in_ns}, wrong=WORDS), "--phase": Case("1", line={"--loads": ["balance", "--loads", "phases.csv", "--how", "tempered", "--json", "-"]}, wrong=NUMBERS),
        "--how": Case("hierarchical", also_wrong=("none,none",)), "--machine": Case("hopper"), "--repeat": Case("2"), "--seed": Case("2", wrong=NUMBERS), "--picture": Case("picture.svg", also_wrong=("picture.jpg",)),
        "--json": Case("other", view=outline),
    }),
    "export": ({"": Mode(["export", "trace", "-o", "out.csv"], whole)}, {
        "TRACE": Case("second", wrong=("nope", "wrong")), "-o": Case("out.json"), "--output": Case("out.json"), "--format": Case("json"),
    }),
    "report": ({"page": Mode(["report", "trace", "--output", "page.html"], whole), "--json": Mode(["report", "trace", "--json", "document"], whole)}, {
        "TRACE": Case("second", wrong=("nope", "wrong")), "-o": Case("other.html"), "--output": Case("other.html"), "--from": Case("0.000001", also_wrong=("1e9",)), "--to": Case("0.000002", also_wrong=("0",)),
        "--json": Case("other"),
    }),
}
