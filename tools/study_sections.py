#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The sections of docs/measurements.md that come from studies of machines (skua study), one per machine. docs/studies/*.json has their figures.

    tools/study_sections.py [ROOT]                        says whether the page has what the files say; exits with 1 if not
    tools/study_sections.py --write                       writes the sections anew
    tools/study_sections.py --add skua-study/study.json epyc-2    keeps what the page needs of a study as docs/studies/epyc-2.json, and writes

The text between the two markers of the page belongs to this program.
"""

import argparse
import json
import pathlib
import re
import sys

PAGE, FOLDER = "docs/measurements.md", "docs/studies"
BEGIN, END = "<!-- begin: studies -->", "<!-- end: studies -->"
WRITE = "tools/study_sections.py --write"
SHOWN_BENCHES = ("herd", "near_far", "wake", "steal")


def kept(study):
    """What the page needs, and what tells where it came from. Raises KeyError if this is no study that has ended."""
    parts = study["parts"]
    conditions = [part["conditions"] for part in parts.values() if part.get("conditions")]
    benches = {key: [{name: row[name] for name in ("what", "unit", "median", "min", "max")} for row in part["result"]["rows"]]
               for key, part in parts.items() if part["kind"] == "bench" and part["ended_well"] and key.removeprefix("bench/") in SHOWN_BENCHES}
    return {"began": study["began"], "kind": "quick" if study["of"]["quick"] else "whole", "machine": study["machine"], "doubts": study["doubts"],
            "load": [find(c["load_average"] for c in conditions if c["load_average"] is not None) for find in (min, max)],
            "stolen_share": max((c["stolen"] for c in conditions if c["stolen"] is not None), default=None), "limits": study["limits"],
            "prediction": next((line for line in study["summary"] if "predicted" in line), ""), "benches": benches,
            "missing": {key: part["why"] for key, part in parts.items() if not part["ended_well"]}}


def sentence(text):
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")


def digits(value):
    return "" if value is None else f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"


def table(head, rows):
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *("| " + " | ".join(row) + " |" for row in rows)])


def section(name, study):
    machine = study["machine"]
    load = f"load average {digits(study['load'][0])} to {digits(study['load'][1])}"
    if study["stolen_share"]:
        load += f", up to {100 * study['stolen_share']:.0f} % of the processors taken by the host"
    text = [f"### {machine['cpu']}, {machine['usable_pus']} of {machine['pus']} processors",
            f"`skua study{' --quick' if study['kind'] == 'quick' else ''}`, {study['began']}; {machine['kernel']}, {machine['compiler']}, "
            f"{machine['build_type']}; {load}. The figures: [{name}.json](studies/{name}.json)." + "".join(" " + sentence(d) for d in study["doubts"]),
            table(["app", "scheduler", "workers", "times serial", "of linear", "best peer", "times serial", "what took the rest"],
                  [[f"`{r['title']}`", r["runner"], str(r["workers"]), f"{r['speed_up']:.2f}", f"{100 * r['efficiency']:.0f} %", r["best_peer"] or "",
                    f"{r['peer_speed_up']:.2f}" if r["best_peer"] else "", r["says"]] for r in study["limits"]])]
    if study["prediction"]:
        text.append(sentence(study["prediction"]))
    rows = [row for bench in study["benches"].values() for row in bench]
    if rows:
        text.append(table(["what", "median", "least", "most", "unit"],
                          [[r["what"], digits(r["median"]), digits(r["min"]), digits(r["max"]), r["unit"]] for r in rows]))
    if study["missing"]:
        text.append("Left out: " + "; ".join(f"{key} ({why})" for key, why in study["missing"].items()) + ".")
    return "\n\n".join(text)


def sections(root):
    files = sorted((root / FOLDER).glob("*.json"))
    return "\n\n".join(section(file.stem, json.loads(file.read_text())) for file in files)


def with_sections(page, made):
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        sys.exit(f"{PAGE}: the markers {BEGIN} and {END} are missing")
    return f"{before}{begin}\n\n{made}\n\n{end}{after}"


def add(root, source, name):
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]*", name):
        sys.exit(f"NAME is '{name}'; allowed: lower-case letters, digits and -")
    try:
        found = kept(json.loads(pathlib.Path(source).read_text()))
    except (OSError, ValueError, KeyError) as fault:
        sys.exit(f"{source} is no study that has ended: {fault!r}")
    (root / FOLDER).mkdir(exist_ok=True)
    (root / FOLDER / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n")


def main(words=None):
    reader = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    reader.add_argument("root", nargs="?", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    reader.add_argument("--write", action="store_true")
    reader.add_argument("--add", nargs=2, metavar=("STUDY", "NAME"))
    args = reader.parse_args(words)
    if args.add:
        add(args.root, *args.add)
    page = args.root / PAGE
    text = page.read_text()
    made = with_sections(text, sections(args.root))
    if args.write or args.add:
        page.write_text(made)
    elif made != text:
        sys.exit(f"{PAGE}: its sections are not those of {FOLDER}; {WRITE}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
