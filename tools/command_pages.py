#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The manual page of a command and its completion for bash, zsh and fish, made from what its --help says.

    tools/command_pages.py COMMAND FOLDER

writes skua.1, skua.bash, _skua and skua.fish into FOLDER. The help is the only source, so that page and completion never say less or something else;
it has a line "Subcommands:" or "Options:" in front of indented lines, "name  what it is for", and other headings of the same kind.
"""

import datetime
import os
import pathlib
import re
import subprocess
import sys
import typing

NAME = "skua"
ENTRY = re.compile(r"^  (\S.*?)(?: {2,}(\S.*))?$")


class Entry(typing.NamedTuple):
    """An option, a subcommand or an app: "--seed, --schedule-seed N" and what it is for."""
    words: str
    about: str

    @property
    def flags(self):
        return re.findall(r"(?<![\w-])(--?[a-zA-Z][\w-]*)", self.words)

    @property
    def takes_value(self):
        return bool(re.search(r"[A-Z<\[]", re.sub(r"--?[\w-]+", "", self.words)))


class Page(typing.NamedTuple):
    about: str
    usage: str
    sections: dict[str, list[Entry]]
    footer: str

    @property
    def options(self):
        return [e for entries in self.sections.values() for e in entries if e.flags]


def read_help(text):
    """What a help page consists of."""
    about, usage, footer, sections, section = [], "", [], {}, None
    for line in text.splitlines():
        entry = ENTRY.match(line)
        if line.startswith("Usage: "):
            usage = line.removeprefix("Usage: ")
        elif line.endswith(":") and not line.startswith(" "):
            section = sections.setdefault(line[:-1], [])
        elif entry and section is not None:
            section.append(Entry(entry[1], entry[2] or ""))
        elif line.startswith(" ") and section:  # a description that goes on
            section[-1] = section[-1]._replace(about=f"{section[-1].about} {line.strip()}".strip())
        elif line.strip():
            (footer if usage else about).append(line.strip())
    return Page(" ".join(about), usage, sections, " ".join(footer))


def pages_of(command):
    """The page of the command itself, and those of its subcommands by name."""
    def help_of(*words):
        return subprocess.run([command, *words, "--help"], check=True, text=True, capture_output=True).stdout
    root = read_help(help_of())
    names = [e.words for e in root.sections.get("Subcommands", [])]
    if not names:
        raise SystemExit(f"command_pages: {command} --help has no subcommands")
    return root, {name: read_help(help_of(name)) for name in names}


# --- the manual page --------------------------------------------------------------------------------------------------

def roff(text):
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return "\\&" + escaped if escaped.startswith((".", "\\(aq")) else escaped


def man_entries(entries):
    for e in entries:
        yield f".TP\n.B {roff(e.words)}\n{roff(e.about) or chr(92) + '&'}"


def man_page(root, subcommands, version):
    # A build may be repeated bit by bit: the date is that of the sources where it is given.
    day = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "0")) or datetime.datetime.now().timestamp(), datetime.timezone.utc)
    lines = [f'.TH SKUA 1 "{day:%Y-%m-%d}" "{roff(version)}" "User Commands"', ".SH NAME", f"{NAME} \\- {roff(root.about.rstrip('.'))}",
             ".SH SYNOPSIS", f".B {NAME}\n{roff(root.usage.removeprefix(NAME + ' '))}", ".SH OPTIONS"]
    for section, entries in root.sections.items():
        if section != "Options":
            lines.append(f".SH {roff(section.upper())}")
        lines += man_entries(entries)
    for name, page in subcommands.items():
        lines += [f".SH {NAME.upper()} {roff(name.upper())}", roff(page.about[:1].upper() + page.about[1:]) + ".", ".PP", f".B {roff(page.usage)}"]
        for section, entries in page.sections.items():
            # Every page has the apps; once is enough.
            if section != "Apps" or name == "run":
                lines += [f".SS {roff(section)}", *man_entries(entries)]
    lines += [".SH EXIT STATUS", *man_entries([Entry("0", "done"), Entry("1", "a wrong answer, or the machine refused something"),
                                               Entry("2", "the request makes no sense; the message says what is allowed"),
                                               Entry("130, 143", "SIGINT (Ctrl-C) or SIGTERM ended it; what was complete by then is written and marked as interrupted")]),
              ".SH ENVIRONMENT", roff("SKUA_POLICY, SKUA_WORKERS and others choose what options leave out; skua doctor shows all of them."), ""]
    return "\n".join(lines)


# --- completion -------------------------------------------------------------------------------------------------------

def words_after(page):
    """What may stand first after a subcommand, beside options: the names of apps, where it takes one."""
    return [e.words for e in page.sections.get("Apps", [])] if re.search(r"\bAPPS?\b", page.usage) else []


def bash(root, subcommands):
    cases = "\n".join(f'    {name}) options="{" ".join(f for e in page.options for f in e.flags)}" words="{" ".join(words_after(page))}" ;;'
                      for name, page in subcommands.items())
    return f"""# bash completion for {NAME}
_{NAME}() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} options= words=
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "{' '.join([*subcommands, *(f for e in root.options for f in e.flags)])}" -- "$current"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
{cases}
  esac
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
  elif ((COMP_CWORD == 2)) && [[ -n $words ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$current"))
  else
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}}
complete -o filenames -F _{NAME} {NAME}
"""


def zsh_text(text):
    return re.sub(r"([\[\]:\\])", r"\\\1", text).replace("'", "'\\''")


def zsh(root, subcommands):
    listed = "\n".join(f"    '{name}:{zsh_text(page.about)}'" for name, page in subcommands.items())
    cases = []
    for name, page in subcommands.items():
        specs = [f"'{flag}[{zsh_text(e.about)}]{':value:_files' if e.takes_value else ''}'" for e in page.options for flag in e.flags]
        words = words_after(page)
        specs.append(f"'1:app:({' '.join(words)})'" if words else "'*:file:_files'")
        cases.append(f"    {name}) _arguments {' '.join(specs)} ;;")
    return f"""#compdef {NAME}
_{NAME}() {{
  local -a subcommands=(
{listed}
  )
  if ((CURRENT == 2)); then
    _describe subcommand subcommands
    return
  fi
  local subcommand=$words[2]
  shift words
  ((CURRENT--))
  case $subcommand in
{chr(10).join(cases)}
  esac
}}
_{NAME} "$@"
"""


def fish_text(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def fish(subcommands):
    lines = [f"# fish completion for {NAME}", f"complete -c {NAME} -f"]
    for name, page in subcommands.items():
        lines.append(f"complete -c {NAME} -n __fish_use_subcommand -a {name} -d {fish_text(page.about)}")
        seen = f"-n '__fish_seen_subcommand_from {name}'"
        lines += [f"complete -c {NAME} {seen} -a {word}" for word in words_after(page)]
        for e in page.options:
            for flag in e.flags:
                kind = f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}"
                lines.append(f"complete -c {NAME} {seen} {kind}{' -r -F' if e.takes_value else ''} -d {fish_text(e.about)}")
    return "\n".join([*lines, ""])


def main():
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    command, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    root, subcommands = pages_of(command)
    version = subprocess.run([command, "--version"], check=True, text=True, capture_output=True).stdout.strip()
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in {"skua.1": man_page(root, subcommands, version), "skua.bash": bash(root, subcommands), "_skua": zsh(root, subcommands),
                       "skua.fish": fish(subcommands)}.items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
