#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the command writes as JSON and CSV is what docs/json.md promises, key by key: nothing else, nothing less, of the types that the
page names. A key that the page names for a subcommand and that none of these runs shows fails as well."""

import csv
import json
import pathlib
import re
import unittest

import command

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "json.md"
HEAD = ["key", "type", "unit", "where", "meaning"]
COMMON = ["runner", "workers", "median_s", "verified", "simulated"]
PEERS = "serial,openmp,tbb" if command.PEERS_RUN else "serial"

TYPES = {"text": lambda v: isinstance(v, str),
         "bool": lambda v: isinstance(v, bool),
         "count": lambda v: isinstance(v, int) and not isinstance(v, bool) and v >= 0,
         "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
         "object": lambda v: isinstance(v, dict)}
# A unit that names end in, and the other way round.
ENDINGS = {"s": "_s", "ns": "_ns", "bytes": "_bytes"}

TINY = ["heat", "--n", "64", "--iterations", "3", "--leaf-rows", "16", "--leaf-columns", "32"]
SIM = ["--workers", "1,4", "--policies", "random,adws", "--json", "-"]
OWN_EXPERIMENT = """title = "t"
where = "1, Fig. 2"
claim = "it is so"
machine = "xeon-6130-4s"
workers = [1, 4]
app = "heat"
options = "--n 128 --iterations 2 --leaf-rows 32 --leaf-columns 32"
[[series]]
name = "random"
policy = "random"
[[series]]
name = "static"
dealing = "static"
[[expect]]
says = "four are faster than one"
quantity = "scalability"
of = "random@4"
at_least = 0.1
"""


class Key:
    """A line of the page: `rows[].workers`, its type, and per subcommand whether it is always there."""

    def __init__(self, path, kind, unit, where):
        self.path, self.unit = path, unit
        self.kind, self.may_be_null = kind.removesuffix(" or null"), kind.endswith(" or null")
        self.always = {}
        for name, condition in re.findall(r"([a-z -]+?)\s*(\([^)]*\))?(?:,|$)", where):
            self.always[name.strip()] = not condition
        self.wraps, self.of = [], self.kind
        while found := re.fullmatch(r"(list|map) of (.+)", self.of):
            self.wraps.append(found[1])
            self.of = found[2]

    def accepts(self, value, wraps=None):
        wraps = self.wraps if wraps is None else wraps
        if value is None and self.may_be_null:
            return True
        if not wraps:
            return TYPES[self.of](value)
        inside = value if wraps[0] == "list" else value.values() if isinstance(value, dict) else None
        return isinstance(value, list if wraps[0] == "list" else dict) and all(self.accepts(v, wraps[1:]) for v in inside)


def keys_of(text):
    """The lines of all tables with the head of a table of keys."""
    keys, inside = [], False
    for line in text.splitlines():
        cells = [c.strip() for c in line.strip("|").split("|")] if line.startswith("|") else []
        if cells == HEAD:
            inside = True
        elif not cells:
            inside = False
        elif inside and not set(cells[0]) <= {"-", ":"}:
            keys.append(Key(cells[0].strip("`"), cells[1], cells[2], cells[3]))
    return keys


def visits(value, path=""):
    """(path, value) of everything inside a document: `rows[].workers`."""
    for key, inside in value.items():
        below = f"{path}.{key}" if path else key
        yield below, inside
        if isinstance(inside, dict):
            yield from visits(inside, below)
        elif isinstance(inside, list):
            for one in inside:
                if isinstance(one, dict):
                    yield from visits(one, below + "[]")


def objects(value, path):
    """The objects at a path that ends in a key of theirs: for `rows[].workers` the rows."""
    parts = path.split(".")[:-1]
    found = [value]
    for part in parts:
        name = part.removesuffix("[]")
        inside = [o[name] for o in found if o.get(name) is not None]
        found = [one for each in inside for one in each] if part.endswith("[]") else inside
    return found


class Page(command.Case):
    """The page itself."""

    KEYS = keys_of(PAGE.read_text(encoding="utf-8"))

    def test_it_names_every_key_once(self):
        paths = [k.path for k in self.KEYS]
        self.assertGreater(len(paths), 50)
        self.assertEqual(sorted(paths), sorted(set(paths)))

    def test_types_are_known_and_units_agree_with_names(self):
        for key in self.KEYS:
            with self.subTest(key=key.path):
                self.assertIn(key.of, TYPES)
                self.assertTrue(key.always)
                for unit, ending in ENDINGS.items():
                    self.assertEqual(key.unit == unit, key.path.endswith(ending))
                if key.of == "count":
                    self.assertIn(key.unit, ("", "bytes", "ns"))

    def test_a_name_has_one_type_and_one_unit_wherever_it_stands(self):
        seen = {}
        for key in self.KEYS:
            name = key.path.rpartition(".")[2]
            kind, unit = seen.setdefault(name, (key.kind, key.unit))
            with self.subTest(key=key.path):
                self.assertEqual((key.kind, key.unit), (kind, unit))


class Schema(command.Case):
    """Every document against the page."""

    def check(self, subcommand, documents):
        """All documents of one subcommand, which together show every key that the page names for it."""
        named = {k.path: k for k in Page.KEYS if subcommand in k.always}
        self.assertTrue(named, f"the page names no key of skua {subcommand}")
        shown = set()
        for document in documents:
            free = []
            for path, value in visits(document):
                if any(path.startswith(f + ".") for f in free):
                    continue
                if path not in named:
                    self.fail(f"skua {subcommand} writes {path}, which docs/json.md does not name for it")
                self.assertTrue(named[path].accepts(value), f"skua {subcommand}: {path} is {value!r}, on the page: {named[path].kind}")
                shown.add(path)
                # Of an app, or of a machine: what is inside is not on the page.
                if isinstance(value, dict) and not any(n.startswith(path + ".") for n in named):
                    free.append(path)
            for path, key in named.items():
                if key.always[subcommand]:
                    if not all(path.rpartition(".")[2] in one for one in objects(document, path)):
                        self.fail(f"skua {subcommand} lacks {path} somewhere")
        self.assertEqual(sorted(set(named) - shown), [], f"docs/json.md names keys that skua {subcommand} never wrote in these runs")

    def common(self, document):
        self.assertTrue(document["rows"])
        for row in document["rows"]:
            self.assertEqual(list(row)[:len(COMMON)], COMMON)
        return document

    def test_run(self):
        plain = ["run", "fib", "--n", "12", "--json", "-"]
        documents = [self.works_json(*plain), self.works_json(*plain, "--no-verify"), self.works_json(*plain, "--peer", "serial"),
                     self.works_json("run", *TINY, "--policy", "auto", "--workers", "2", "--repeat", "3", "--stats", "--map", str(self.scratch / "map.svg"), "--json", "-")]
        self.check("run", [self.common(d) for d in documents])

    def test_run_on_virtual_workers(self):
        plain = ["run", *TINY, "--virtual", "--workers", "4", "--repeat", "2", "--json", "-"]
        self.check("run --virtual", [self.common(self.works_json(*plain, *more)) for more in ([], ["--no-verify"])])

    def test_compare(self):
        plain = ["compare", *TINY, "--policies", "random,adws", "--peers", PEERS, "--workers", "1,2", "--repeat", "2", "--json", "-"]
        few = ["compare", "fib", "--n", "12", "--policies", "random", "--peers", "none", "--workers", "2", "--repeat", "1", "--json", "-"]
        self.check("compare", [self.common(self.works_json(*c)) for c in (plain, [*plain, "--breakdown"], few)])

    def test_sim(self):
        documents = [self.works_json("sim", *TINY, *SIM), self.works_json("sim", *TINY, *SIM, "--breakdown", "--no-verify", "--seeds", "3"),
                     self.works_json("sim", "fib", "--n", "12", *SIM)]
        self.check("sim", [self.common(d) for d in documents])

    def test_profile(self):
        advised = ["profile", "fib", "--n", "16", "--task-ns", "5", *SIM]
        self.check("profile", [self.common(self.works_json(*c)) for c in (["profile", *TINY, *SIM], advised)])

    def test_ranks(self):
        document = self.works_json("run", "hartree-fock", "--ranks", "--json", "-")
        self.common(document)
        self.check("run --ranks", [document])
        document = self.works_json("sim", "hartree-fock", "--ranks", "30", "--machine", "titan", "--json", "-")
        self.common(document)
        self.check("sim --ranks", [document])

    def test_balance(self):
        loads = self.scratch / "loads.csv"
        loads.write_text("rank,load\n0,5\n0,7\n2,1\n", encoding="utf-8")
        plain = ["balance", "--distribution", "lognormal", "--tasks", "100", "--ranks", "9", "--repeat", "2", "--how", "none,tempered", "--json", "-"]
        phases = self.scratch / "phases.csv"
        phases.write_text("0,5,1\n2,1,1\n", encoding="utf-8")
        of_file = ["balance", "--json", "-", "--loads"]
        lines = (plain, [*plain, "--machine", "hopper"], [*of_file, str(loads)], [*of_file, str(phases)])
        self.check("balance", [self.common(self.works_json(*c)) for c in lines])

    def test_experiment(self):
        own = self.scratch / "own.toml"
        own.write_text(OWN_EXPERIMENT, encoding="utf-8")
        documents = []
        for arguments, stem in (([str(own)], "own-own"), (["adws-sc19/fig12", "--quick"], "adws-sc19-fig12-quick")):
            self.works("experiment", *arguments, "--output", str(self.scratch))
            documents.append(self.common(json.loads((self.scratch / f"{stem}.json").read_text(encoding="utf-8"))))
            with (self.scratch / f"{stem}.csv").open(encoding="utf-8", newline="") as file:
                lines = list(csv.reader(file))
            rows = documents[-1]["rows"]
            self.assertEqual(lines[0], list(rows[0]))
            as_text = [["" if v is None else v if isinstance(v, str) else json.dumps(v) for v in row.values()] for row in rows]
            self.assertEqual([[float(c) if re.fullmatch(r"-?\d[\d.e+-]*", c) else c for c in line] for line in lines[1:]],
                             [[float(c) if re.fullmatch(r"-?\d[\d.e+-]*", c) else c for c in line] for line in as_text])
        self.check("experiment", documents)

    def test_experiment_vary(self):
        own = self.scratch / "own.toml"
        own.write_text(OWN_EXPERIMENT, encoding="utf-8")
        self.works("experiment", str(own), "--vary", "prices.steal_ns,core.flops_per_ns", "--output", str(self.scratch))
        document = json.loads((self.scratch / "own-own-vary.json").read_text(encoding="utf-8"))
        self.check("experiment --vary", [document])
        with (self.scratch / "own-own-vary.csv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        figures = [f for claim in document["claims"] for f in claim["figures"]]
        self.assertEqual([r["figure"] for r in rows], [f["figure"] for f in figures])
        self.assertEqual([float(r["value_at_low"]) for r in rows], [f["value_at_low"] for f in figures])


class Check(unittest.TestCase):
    """The check fails where it must: on samples."""

    def fails(self, document):
        keys = keys_of("| key | type | unit | where | meaning |\n|---|---|---|---|---|\n"
                       "| `rows` | list of object | | it | |\n| `rows[].n` | count | | it | |\n| `rows[].t_s` | number or null | s | it (some) | |\n"
                       "| `rows[].m` | map of count | | it (some) | |\n")
        old, Page.KEYS = Page.KEYS, keys
        try:
            Schema().check("it", [document])
        except AssertionError as fault:
            return str(fault)
        finally:
            Page.KEYS = old
        return ""

    def test_a_good_document_passes(self):
        self.assertEqual(self.fails({"rows": [{"n": 1, "t_s": None, "m": {"a": 1}}, {"n": 2}]}), "")

    def test_a_bad_one_is_told_why(self):
        for document, why in (({"rows": [{"n": 1, "t_s": 1, "m": {}, "x": 1}]}, "does not name"),
                              ({"rows": [{"n": 1, "t_s": 1, "m": {}}, {"t_s": 1}]}, "lacks rows[].n"),
                              ({"rows": [{"n": True, "t_s": 1, "m": {}}]}, "on the page: count"),
                              ({"rows": [{"n": 1.5, "t_s": 1, "m": {}}]}, "on the page: count"),
                              ({"rows": [{"n": None, "t_s": 1, "m": {}}]}, "on the page: count"),
                              ({"rows": [{"n": 1, "t_s": "1", "m": {}}]}, "on the page: number"),
                              ({"rows": [{"n": 1, "t_s": 1, "m": {"a": "b"}}]}, "on the page: map of count"),
                              ({"rows": [{"n": 1, "m": {}}]}, "never wrote"),
                              ({}, "lacks rows")):
            with self.subTest(document=document):
                self.assertIn(why, self.fails(document))


if __name__ == "__main__":
    command.main()
