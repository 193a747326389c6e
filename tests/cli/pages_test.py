#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The manual page and the completions that tools/command_pages.py makes know every subcommand and every option of the command."""

import pathlib
import re
import shutil
import subprocess
import sys

import command
from command import Case, SKUA, run

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "command_pages.py"


def help_of(*words):
    return run(*words, "--help")[1]


def subcommands():
    listed = help_of().partition("Subcommands:\n")[2]
    return re.findall(r"^  ([a-z]+) ", listed, re.M)


def options_of(name):
    """What stands in front of the descriptions."""
    lines = [line[2:] for line in help_of(name).splitlines() if line.startswith("  -")]
    return {word for line in lines for word in re.findall(r"(?<![\w-])--[a-z][\w-]*", line.split("  ")[0])}


class Pages(Case):
    def setUp(self):
        super().setUp()
        subprocess.run([sys.executable, TOOL, SKUA, self.scratch], check=True)

    def text(self, name):
        return (self.scratch / name).read_text(encoding="utf-8")

    def completed(self, *words):
        """What bash offers for the last of the words."""
        script = f'source {self.scratch}/skua.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _skua; printf "%s\\n" "${{COMPREPLY[@]}}"'
        done = subprocess.run(["bash", "-c", script, "bash", "skua", *words], check=True, text=True, capture_output=True)
        return done.stdout.split()

    def test_the_manual_has_a_section_for_each_subcommand_with_its_options(self):
        sections = dict(re.findall(r"^\.SH SKUA ([A-Z]+)\n(.*?)(?=^\.SH |\Z)", self.text("skua.1"), re.M | re.S))
        self.assertEqual(set(sections), {name.upper() for name in subcommands()})
        for name in subcommands():
            said = sections[name.upper()].replace("\\-", "-")
            for option in options_of(name):
                self.assertRegex(said, rf"\.B .*{option}\b", f"skua {name}")

    def test_the_manual_is_well_formed(self):
        if shutil.which("groff") is None:
            self.skipTest("there is no groff on this machine")
        done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z", self.scratch / "skua.1"], text=True, capture_output=True, check=True)
        self.assertEqual(done.stderr, "")

    def test_bash_completes_every_subcommand_and_option(self):
        self.assertGreaterEqual(set(self.completed("")), set(subcommands()))
        for name in subcommands():
            begin = name[:-1]
            self.assertEqual(sorted(self.completed(begin)), sorted(n for n in subcommands() if n.startswith(begin)))
            self.assertGreaterEqual(set(self.completed(name, "--")), options_of(name), name)
        self.assertEqual(self.completed("run", "nq"), ["nqueens"])

    def test_zsh_and_fish_know_every_subcommand_and_option(self):
        zsh, fish = self.text("_skua"), self.text("skua.fish")
        for name in subcommands():
            case = re.search(rf"^    {name}\) (.*) ;;$", zsh, re.M)
            self.assertIsNotNone(case, name)
            self.assertRegex(zsh, rf"(?m)^    '{name}:")
            self.assertIn(f"-n __fish_use_subcommand -a {name} ", fish)
            for option in options_of(name):
                self.assertIn(f"'{option}[", case[1])
                self.assertRegex(fish, rf"from {name}' -l {option[2:]} ")

    def test_the_shells_that_are_here_accept_them(self):
        shells = {"bash": "skua.bash", "zsh": "_skua", "fish": "skua.fish"}
        for shell in filter(shutil.which, shells):
            done = subprocess.run([shell, "-n", self.scratch / shells[shell]], text=True, capture_output=True)
            self.assertEqual((done.returncode, done.stderr), (0, ""), shell)


if __name__ == "__main__":
    command.main()
