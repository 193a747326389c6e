#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Plant faults by rule, and count how many of them the tests notice.

    tools/fault_rules.py GROUP... [--sample N] [--seed S] [--least PERCENT] [--jobs N] [--work DIRECTORY]
                         [--folder NAME] [--serious] [--number N] [--effort part|full] [--list]
    tools/fault_rules.py --check

A rule finds every place in a folder's sources where it applies (tools/faults/sites.py): it deletes a call or an assignment, drops
an operand of a condition, moves a border, exchanges two statements, keeps what is reset, weakens a memory order, swallows
an exception, swaps two arguments. All faults of a group (tools/faults/folders.toml) are compiled into one copy of the
tree, under build/faults, and an environment variable chooses one, so that a fault costs its tests and no build. Each
case runs once without a fault and says which faults it came to; a fault is tried with the cases that come to it.

A sample of N faults is drawn with the seed S. --serious draws only deletions of a wake, a release, a reset or a note of
failure; --folder draws from one folder. A fault is noticed if a case fails, crashes or hangs; without the fault the same cases must
pass again right after. Otherwise it survives: because nothing comes to it, or because no case tells it apart. One
that nothing can tell apart is in tools/faults/unobservable.toml with the reason; an entry whose line is not in its file
is stale and fails the run.

The exit status is 0 if no entry is stale and at least PERCENT of the faults were noticed that something can observe.
"""

import argparse
import concurrent.futures
import hashlib
import json
import pathlib
import pickle
import random
import sys
import time
import tomllib

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from faults import build, sites, trial  # noqa: E402  (they stand beside this file)

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ROOT / "tools" / "faults" / "folders.toml"
UNOBSERVABLE = ROOT / "tools" / "faults" / "unobservable.toml"
NOT_OURS = ("_test.cpp", "_test.hpp", "_model.cpp", "_bench.cpp", "_for_test.hpp")


class UseError(Exception):
    """What was asked for cannot be done; the text says why."""


def read_groups(path=FOLDERS):
    groups = tomllib.loads(path.read_text())
    for name, group in groups.items():
        wanted = {"under", "folders", "tests"} - group.keys()
        if wanted:
            raise UseError(f"{path}: {name} lacks {', '.join(sorted(wanted))}")
    return groups


def sources(root, group, only=None):
    """The files of a group's folders: file -> folder. Tests are no place for faults."""
    found = {}
    for folder in group["folders"]:
        if only is not None and folder != only:
            continue
        where = root / group["under"] / folder
        if not where.is_dir():
            raise UseError(f"there is no folder {where}")
        for path in sorted(where.iterdir()):
            if path.suffix in (".cpp", ".hpp") and not path.name.endswith(NOT_OURS):
                found[str(path.relative_to(root))] = f"{group['under']}/{folder}".rstrip("/")
    return found


def read_unobservable(path):
    entries = []
    for file, lines in tomllib.loads(path.read_text()).items():
        for line, rules in lines.items():
            if not isinstance(rules, dict):
                raise UseError(f"{path}: {line!r} of {file} lacks a rule and why")
            for rule, why in rules.items():
                if rule not in sites.RULES:
                    raise UseError(f"{path}: {rule!r} is no rule; there are {', '.join(sites.RULES)}")
                entries += [{"file": file, "line": line, "rule": rule, "why": why}] if isinstance(why, str) else \
                    [{"file": file, "line": line, "rule": rule, "what": what, "why": of} for what, of in why.items()]
    return entries


def stale(root, entries):
    """The entries whose line does not stand in their file any more."""
    gone = []
    for e in entries:
        path = root / e["file"]
        if not path.is_file() or e["line"] not in (line.strip() for line in path.read_text().splitlines()):
            gone.append(f"{e['file']}: there is no line `{e['line']}` any more; is its fault observable now?")
    return gone


def reason(site, entries):
    """Why nothing can observe this fault, if that is known."""
    return next((e["why"] for e in entries if (e["file"], e["line"], e["rule"]) == (site.file, site.text, site.rule) and
                 e.get("what", site.what) == site.what), None)


def draw(candidates, size, seed):
    """The same sites, size and seed give the same sample, in the order of the sources."""
    chosen = random.Random(seed).sample(candidates, min(size, len(candidates)))
    return sorted(chosen, key=lambda s: s.number)


def share(noticed, of):
    return f"{noticed} of {of}" + (f" ({100 * noticed / of:.0f} %)" if of else "")


def table(results):
    """Lines: for each folder, rule and serious kind, how many faults were noticed of those that something can observe."""
    lines = []
    for title, key in (("folder", lambda r: r["folder"]), ("rule", lambda r: r["rule"]),
                       ("deletion of", lambda r: r["serious"])):
        rows = {}
        for r in results:
            if key(r) and r["how"] != "unobservable":
                rows.setdefault(key(r), []).append(r["how"])
        lines += [f"  {title} {name}: {share(hows.count('noticed'), len(hows))}" +
                  (f", {hows.count('not reached')} not reached" if "not reached" in hows else "")
                  for name, hows in sorted(rows.items())]
    return lines


def percent(results):
    counted = [r["how"] for r in results if r["how"] != "unobservable"]
    return 100 * counted.count("noticed") / len(counted) if counted else 100


def parse(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("group", nargs="*", help="of tools/faults/folders.toml")
    parser.add_argument("--sample", type=int, default=100, help="how many faults of each group (100)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--least", type=float, default=0, help="percent that must be noticed, or the run fails (0)")
    parser.add_argument("--jobs", type=int, default=2, help="test programs at a time, and compilers (2)")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build" / "faults")
    parser.add_argument("--commands", type=pathlib.Path, default=ROOT / "build" / "dev" / "compile_commands.json",
                        help="how the sources are compiled (build/dev/compile_commands.json)")
    parser.add_argument("--folder", help="only faults of this folder of the group")
    parser.add_argument("--number", type=int, action="append", help="this fault, as --list numbers them; may be repeated")
    parser.add_argument("--serious", action="store_true", help="only deletions of a wake, a release, a reset, a note of failure")
    parser.add_argument("--effort", choices=("part", "full"), default="part", help="TEST_EFFORT (docs/reliability.md)")
    parser.add_argument("--longest", type=float, default=30, help="seconds that a case may take without a fault (30)")
    parser.add_argument("--launcher", default="", help="as CMAKE_CXX_COMPILER_LAUNCHER")
    parser.add_argument("--list", action="store_true", help="print the faults and try none")
    parser.add_argument("--check", action="store_true", help="only look whether an entry of unobservable.toml is stale")
    options = parser.parse_args(arguments)
    if not options.check and not options.group:
        parser.error("name a group of tools/faults/folders.toml, or --check")
    for name in ("sample", "jobs", "longest"):
        if getattr(options, name) < 1:
            parser.error(f"--{name} must be at least 1")
    if not 0 <= options.least <= 100:
        parser.error("--least is a percentage")
    return options


def say(text):
    print(text, flush=True)


def found_before(kept, names, commands):
    """The sites of these files. Parsing takes a minute or two, so that they are kept until a file, or the finder, changes."""
    known = hashlib.sha256(pathlib.Path(sites.__file__).read_bytes())
    for name in sorted(names):
        known.update(name.encode() + b"\0" + (ROOT / name).read_bytes())
    if kept.is_file():
        mark, result = pickle.loads(kept.read_bytes())
        if mark == known.digest():
            return result
    result = sites.find(ROOT, sorted(names), json.loads(commands.read_text()))
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_bytes(pickle.dumps((known.digest(), result)))
    return result


def candidates_of(found, folders, options):
    kept = [s for s in found if not options.serious or s.serious]
    if options.folder is not None:
        kept = [s for s in kept if folders[s.file].endswith(options.folder)]
    if options.number:
        known = {s.number for s in found}
        wrong = [n for n in options.number if n not in known]
        if wrong:
            raise UseError(f"there is no fault {wrong[0]}; --list prints them")
        kept = [s for s in found if s.number in options.number]
    return kept


def try_group(name, group, options, entries):
    """Tries a sample; the results, one dictionary each."""
    began = time.monotonic()
    if options.folder is not None and options.folder not in group["folders"]:
        raise UseError(f"{name} has no folder {options.folder!r}; it has {', '.join(f or repr(f) for f in group['folders'])}")
    if not options.commands.is_file():
        raise UseError(f"there is no {options.commands}; cmake --preset dev makes it")
    folders = sources(ROOT, group)
    found, wrong = found_before(options.work / name / "sites.pickle", folders, options.commands)
    for text in wrong:
        say(f"not parsed whole: {text}")
    if options.list:
        for s in candidates_of(found, folders, options):
            say(f"{s.number} {s}")
        return []
    bench = build.Bench(ROOT, (options.work / name).resolve(), found, say)
    bench.make(group["tests"], options.jobs, options.launcher)
    say(f"{name}: {len(bench.sites)} faults in {len(folders)} files; {len(bench.dropped)} more do not compile "
        f"({time.monotonic() - began:.0f} s)")
    programs = [bench.build / "tests" / test for test in group["tests"]]
    tests = trial.Tests(programs, options.work.resolve() / name / "runs", len(found), options.effort, options.longest, say)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        tests.learn(pool)
        for text in tests.left_out:
            say(f"not used: {text}")
        say(f"{name}: {len(tests.cases)} cases of {len(programs)} programs ({time.monotonic() - began:.0f} s)")
        sample = draw(candidates_of(bench.sites, folders, options), options.sample, options.seed)

        def try_one(site):
            why = reason(site, entries)
            if why:
                how, by = "unobservable", why
            elif not tests.reaching(site.number):
                how, by = "not reached", ""
            else:
                by = tests.try_fault(site.number)
                how = "noticed" if by else "survived"
            say(f"{how}: {site.number} {site}" + (f" [{by}]" if by else ""))
            return {"number": site.number, "file": site.file, "line": site.line, "text": site.text, "rule": site.rule,
                    "what": site.what, "serious": site.serious, "folder": folders[site.file], "how": how, "by": by or ""}

        try:
            results = list(pool.map(try_one, sample))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    (options.work / name / "results.json").write_text(json.dumps(results, indent=1))
    say(f"{name}: {share(sum(r['how'] == 'noticed' for r in results), sum(r['how'] != 'unobservable' for r in results))} noticed, "
        f"{sum(r['how'] == 'unobservable' for r in results)} that nothing can observe; sample {len(sample)}, "
        f"seed {options.seed}, effort {options.effort}, {time.monotonic() - began:.0f} s")
    for line in table(results):
        say(line)
    return results


def main():
    options = parse()
    try:
        groups = read_groups()
        entries = read_unobservable(UNOBSERVABLE)
        gone = stale(ROOT, entries)
        for text in gone:
            say(f"{UNOBSERVABLE.relative_to(ROOT)}: {text}")
        if options.check:
            sys.exit(1 if gone else 0)
        unknown = [g for g in options.group if g not in groups]
        if unknown:
            raise UseError(f"there is no group {unknown[0]!r}; there are {', '.join(groups)}")
        poor = False
        for name in options.group:
            results = try_group(name, groups[name], options, entries)
            poor |= percent(results) < options.least
    except (UseError, build.BuildError, RuntimeError, OSError, tomllib.TOMLDecodeError) as error:
        sys.exit(f"fault_rules.py: {error}")
    sys.exit(1 if gone or poor else 0)


if __name__ == "__main__":
    main()
