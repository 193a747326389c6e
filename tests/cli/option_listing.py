# SPDX-License-Identifier: MIT
"""The commands and their options, as the program itself lists them: `skua --help`, `skua CMD --help`, `skua CMD APP --help`."""

import dataclasses
import re

import command

# "  -o, --output FILE|- [default]   what it does", or an argument: "  TRACE   what it does".
LINE = re.compile(r"^  (?P<names>(?:-\w, )?--[\w-]+(?:, --[\w-]+)*|[A-Z]+)(?: (?P<kind>[^ \[]\S*))?(?: .*)?$")


@dataclasses.dataclass(frozen=True)
class Option:
    names: tuple  # each as typed; an argument: its word
    kind: str  # what --help calls the value; empty: a flag, or an argument

    @property
    def name(self):
        return next((n for n in self.names if n.startswith("--")), self.names[0])

    @property
    def is_argument(self):
        return not self.name.startswith("-")


def sections(text):
    """{heading: its lines}"""
    found, lines = {}, None
    for line in text.splitlines():
        if re.fullmatch(r"[A-Z]\w*:", line):
            lines = found.setdefault(line[:-1], [])
        elif line and not line.startswith(" "):
            lines = None
        elif lines is not None and line.strip():
            lines.append(line)
    return found


def words_of(lines):
    """The first word of each entry: of a list of subcommands or apps."""
    return [line.split()[0] for line in lines if re.match(r"  \S", line)]


def commands():
    return words_of(sections(command.must_work("--help"))["Subcommands"])


def apps(of_command):
    return words_of(sections(command.must_work(of_command, "--help")).get("Apps", []))


def options(*path):
    """Of a command, or of an app below one. Every line that begins an entry must be understood: none is left out."""
    found = []
    for heading, lines in sections(command.must_work(*path, "--help")).items():
        if heading in ("Subcommands", "Apps"):
            continue
        for line in lines:
            if not re.match(r"  \S", line):
                continue  # the rest of an explanation
            entry = LINE.match(line)
            if entry is None:
                raise ValueError(f"skua {' '.join(path)} --help: cannot read {line!r}")
            found.append(Option(tuple(entry["names"].split(", ")), (entry["kind"] or "").strip()))
    return found
