#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The shell commands that the pages show are commands that exist: sub-commands, apps, options and policies of `skua` against the
real command's help, targets of make, presets of cmake. Blocks marked `run` (pages.py) are executed; those that need an
installation by packages_test.py.

    SKUA_COMMAND=build/dev/bin/skua tests/docs/commands_test.py ROOT
"""

import functools
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

import pages

SKUA = str(pathlib.Path(os.environ.get("SKUA_COMMAND", "build/dev/bin/skua")).resolve())
COMMAND = r"(skua|make|cmake) [a-z-]"  # what a block without a language may show among other text
STARTERS = ("mpirun", "srun", "time", "nice", "numactl")
POLICY_OPTIONS = ("--policy", "--policies")


def clean_environment():
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("SKUA_", "OMP_"))}
    return kept | {"PATH": f"{pathlib.Path(SKUA).parent}:{os.environ['PATH']}"}


@functools.cache
def help_of(*words):
    """What `skua WORDS --help` prints; None if there is no such subcommand or app."""
    done = subprocess.run([SKUA, *words, "--help"], capture_output=True, text=True, env=clean_environment(), check=False)
    return done.stdout if done.returncode == 0 else None


@functools.cache
def section(heading, *words):
    """The names in a section of a help text, say "Apps:"."""
    lines = (help_of(*words) or "").splitlines()
    names = set()
    for line in lines[lines.index(heading) + 1:] if heading in lines else []:
        if not line.startswith(" "):
            break
        names.add(line.split()[0])
    return names


@functools.cache
def policies():
    done = subprocess.run([SKUA, "list"], capture_output=True, text=True, env=clean_environment(), check=True)
    lines = done.stdout.split("\nPolicies")[1].split("\n\n")[0].splitlines()[1:]
    return {line.split()[0] for line in lines if line.startswith("  ") and not line.startswith("   ")} | {"none"}


def options_of(text):
    return set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", "\n".join(line[:32] for line in text.splitlines())))


def wrong_with_skua(root, words):
    """`words` follow `skua`."""
    if not words or words[0] in ("--version", "--help"):
        return
    if words[0] not in section("Subcommands:"):
        yield f"skua has no subcommand {words[0]}"
        return
    if words[0] == "omp" and "--" in words:
        words = words[: words.index("--")]  # the rest is another program's
    path = [words[0]]
    allowed = options_of(help_of(words[0]))
    apps = section("Apps:", words[0])
    operands = [w for w in words[1:] if not w.startswith("-")]
    named = [w for w in operands if w in apps]
    if apps and operands and words[1:2] == operands[:1] and operands[0] not in apps and not operands[0].isupper():
        yield f"skua {words[0]} has no app {operands[0]}"
    if named:
        path.append(named[0])
        allowed |= options_of(help_of(*path))
    for at, word in enumerate(words):
        option, equals, value = word.partition("=")
        if not option.startswith("-") or option == "-" or re.match(r"-\d", option):
            continue
        if option not in allowed:
            yield f"skua {' '.join(path)} has no option {option}"
        if option in POLICY_OPTIONS:
            for name in re.split(r",(?![a-z-]+=)", value if equals else (words + [""])[at + 1]):
                name = name.removeprefix("checked:").split(":")[0]
                if not name.isupper() and name not in policies() and not (root / name).exists():
                    yield f"there is no policy {name}"
    if words[0] == "experiment":
        for name in operands[:1]:
            if not name.isupper() and "/" in name and not (root / "experiments" / f"{name}.toml").is_file() and not name.endswith(".toml"):
                yield f"there is no experiment {name}"


def wrong_with_make(root, words):
    targets = set(re.findall(r"^([a-z0-9-]+):", pages.read(root, "Makefile"), re.MULTILINE))
    for word in words:
        if not word.startswith("-") and "=" not in word and not re.fullmatch(r"\$\(.*|\d+\)?", word) and word not in targets:
            yield f"make has no target {word}"


def wrong_with_cmake(root, words):
    presets = {p["name"] for p in json.loads(pages.read(root, "CMakePresets.json"))["configurePresets"]}
    for option, value in zip(words, words[1:]):
        if option == "--preset" and value not in presets:
            yield f"cmake has no preset {value}"


def parts_of(command):
    """The words of each program that a command line starts, without what sets variables for it and what redirects it."""
    reader = shlex.shlex(command, posix=True, punctuation_chars=True)
    reader.whitespace_split = True
    parts, redirects = [[]], False
    for word in reader:
        if redirects or set(word) <= set("<>&") and set(word) & set("<>"):
            redirects = not redirects
        elif set(word) <= set("();|&"):
            parts.append([])
        elif parts[-1] or not re.match(r"[A-Za-z_]\w*=", word):
            parts[-1].append(word)
    return [words for words in parts if words]


def commands(block):
    """(line, command) of each command of a block; a backslash continues a line."""
    line = block.line
    text = block.text
    shows_output = block.language == "console" or re.search(r"^\$ ", text, re.MULTILINE)
    for joined in re.sub(r"\\\n", "\0", text).splitlines():
        command = joined.replace("\0", " ")
        if shows_output:
            command = command[2:] if command.startswith("$ ") else ""
        if command.strip() and (block.language in pages.SHELL or re.match(COMMAND, command)):
            yield line, command
        line += joined.count("\0") + 1


def is_shell(block):
    if block.language in pages.SHELL:
        return True
    return block.language == "" and re.search(rf"^(\$ )?{COMMAND}", block.text, re.MULTILINE)


def wrong_in(root, block):
    checks = {"skua": wrong_with_skua, "make": wrong_with_make, "cmake": wrong_with_cmake}
    for line, command in commands(block):
        try:
            parts = parts_of(command)
        except ValueError as fault:
            yield f"{block.page}:{line}: {fault}"
            continue
        for words in parts:
            names = [pathlib.PurePath(word).name for word in words]
            starts = names.index("skua") if names[0].startswith(STARTERS) and "skua" in names else 0
            if names[starts] in checks:
                yield from (f"{block.page}:{line}: {wrong}" for wrong in checks[names[starts]](root, words[starts + 1:]))


def run(block, folder, environment):
    """A sentence if the commands of the block fail in this folder."""
    script = "\n".join(command for _, command in commands(block))
    done = subprocess.run(["bash", "-euc", script], capture_output=True, text=True, cwd=folder, check=False, env=environment)
    return [] if done.returncode == 0 else [f"{block.where}: fails with {done.returncode}: {done.stderr.strip()}"]


def main(root):
    assert list(wrong_with_skua(root, ["fly"])) and list(wrong_with_skua(root, ["run", "fib", "--wings", "2"])), "sees nothing"
    assert list(wrong_with_skua(root, ["run", "fib", "--policy", "bird"])) and list(wrong_with_make(root, ["nest"])), "sees nothing"
    shell = [block for name in pages.documentation(root) for block in pages.blocks(root, name) if is_shell(block)]
    wrong = [sentence for block in shell for sentence in wrong_in(root, block)]
    marked = [block for block in shell if "run" in block.comments and not pages.needs_installation(block)]
    for block in marked if not wrong else []:
        with tempfile.TemporaryDirectory() as scratch:
            for name, text in pages.named_files(pages.blocks(root, block.page)).items():
                pathlib.Path(scratch, name).write_text(text, encoding="utf-8")
            wrong += run(block, scratch, clean_environment())
    count = sum(len(list(commands(block))) for block in shell)
    print("\n".join(wrong) or f"{count} commands in {len(shell)} blocks exist; {len(marked)} blocks were executed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
