#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every row of old_words.py finds its words where they are used, and leaves alone what only looks like them."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import case_report  # noqa: E402  (they stand beside this file)
import old_words  # noqa: E402
from sources import Source  # noqa: E402

FINDER = old_words.Finder()
IN_THREADS = "skua/machine/threads/a.hpp"
IN_COMMAND = "cli/a.cpp"


def new_words(path, text):
    """What the table says instead, for every old word in a file."""
    return [said.partition("; say: ")[2] for _, said in old_words.findings(Source(path, text), FINDER)]


# A sentence of a comment, or a name between backticks; the folder; the word instead.
OLD_SENTENCES = [
    ("A strand waits on its own stack.", IN_THREADS, "fiber"),
    ("Strands nest.", IN_THREADS, "fiber"),
    ("whoever sits on a seat", IN_THREADS, "worker slot"),
    ("the crew of a pool", "examples/a.cpp", "pool_core"),
    ("see the dormitory", IN_THREADS, "sleep_state"),
    ("the lock of beds", IN_THREADS, "sleeper"),
    ("it gets up at once", IN_THREADS, "wake up"),
    ("Who dozes is woken.", IN_THREADS, "fall asleep, sleep"),
    ("children are unsaid", IN_THREADS, "no_place"),
    ("written on its card", "skua/policy/a.hpp", "tag_fields"),
    ("a filing with a lock", "skua/parts/queue/a.hpp", "tagged_queue"),
    ("as a division (division.md)", IN_THREADS, "exposed_group"),
    ("forks that are not shown", "skua/policy/a.hpp", "exposed (forks, groups)"),
    ("after the group is shown", IN_THREADS, "exposed (forks, groups)"),
    ("A poke is seen at the next push.", IN_THREADS, "request attention"),
    ("poked again", "docs/a.md", "request attention"),
    ("joins that were robbed", IN_THREADS, "steal, stolen"),
    ("a theft is counted", "apps/a.hpp", "steal, stolen"),
    ("on any venue", "skua/program/a.hpp", "executor"),
    ("it is laid aside", "skua/machine/sim/a.hpp", "preempt, preempted"),
    ("lays something aside", "skua/machine/sim/a.hpp", "preempt, preempted"),
    ("it gives way", "skua/policy/a.hpp", "preempt, preempted"),
    ("that calls for help", IN_THREADS, "notify_work, wake_up or notify_worker"),
    ("on the tabletop", "docs/a.md", "simulator"),
    ("a game is played", "docs/a.md", "run"),
    ("the referee sees it", "skua/machine/sim/a.hpp", "validator"),
    ("an onlooker hears", "skua/machine/sim/a.hpp", "observer"),
    ("the deeds of a worker", "docs/a.md", "operation"),
    ("verbs do not allocate", "skua/policy/a.hpp", "action"),
    ("one file per verb", IN_COMMAND, "subcommand (of skua) or action (of a policy)"),
    ("a complaint in one line", IN_COMMAND, "usage error"),
    ("A mind may divide.", "skua/policy/a.hpp", "worker_policy, of_worker"),
    ("the minds of a region", "docs/a.md", "worker_policy, of_worker"),
    ("one `mind` per worker", "CONTRIBUTING.md", "worker_policy, of_worker"),
    ("a worker that hunts", IN_THREADS, "next_probe"),
    ("carries it out", "docs/a.md", "execute"),
    ("settling down", "skua/machine/threads/pages/a.hpp", "distribute (pages), relocate (tasks) or take_outcome (of a group)"),
    ("its time book", "docs/a.md", "time account"),
    ("the tally of a worker", IN_THREADS, "counters"),
    ("in an interlude", IN_THREADS, "nested task"),
]

GOOD_CODE = {
    "apps/hull/cap.hpp": "struct division { point farthest; };  // of the points by a line\n",
    "apps/uts/problem.hpp": "struct tally { long nodes; };\n",
    "skua/program/task_tree.hpp": "enum class node_kind { task, leaf, strand };  ///< strand: what ran between two of the above\n",
    "skua/parts/topology/layout.hpp": "struct layout { int seats; };  // the seating of workers\n",
    IN_THREADS: "int worker_slot; bool preempted; lane l = lane::local;  // in a slot; woken; robust; a thread\n",
    "skua/policy/a.hpp": "class worker_policy; placement remind(); auto fields = tag_fields::read(t);  // keep in mind; it changed its mind\n",
    "skua/machine/sim/model/a.hpp": "double shown = 1 - hidden;\n",
    "skua/machine/sim/a.hpp": "void run(simulator&); int display; int gamete;  // as is shown in figure 8\n",
    IN_COMMAND: "int proverb; auto aggregate = 1;  // it verbally says so\n",
    "examples/a.cpp": "int discard; int huntingdon; int seats_left;\n",
    "tools/numa_bed.py": "# the test bed\n",
    "docs/a.md": "A robust way. What is shown in a table. Bear in mind that strands of the task tree stay. `carried`, `display`.\n",
}


class OldWords(unittest.TestCase):
    def test_every_name_of_every_row_is_found_in_code(self):
        for row in old_words.ROWS:
            folder = (row.within or ("apps/",))[0]
            path = folder if folder.endswith((".md", ".txt")) else folder + "a.hpp"
            for name in row.names.split() if path.endswith(".hpp") else ():
                for code in (f"int {name};\n", f"auto x = {name}(1);\n") + ((f"int my_{name}_;\n",) if "::" not in name else ()):
                    with self.subTest(code=code, path=path):
                        self.assertEqual(new_words(path, code), [row.new])

    def test_old_sentences_are_found_in_comments_strings_and_pages(self):
        for sentence, path, new in OLD_SENTENCES:
            texts = [sentence + "\n"] if path.endswith(".md") else [f"int x;  // {sentence}\n", f'auto s = "{sentence}";\n']
            for text in texts:
                if "`" in sentence and '"' in text:
                    continue
                with self.subTest(text=text):
                    self.assertIn(new, new_words(path, text))

    def test_every_row_with_a_phrase_has_a_sentence(self):
        tried = {new for _, _, new in OLD_SENTENCES}
        self.assertEqual([row.new for row in old_words.ROWS if row.phrases and row.new not in tried], [])

    def test_a_phrase_may_go_on_in_the_next_line(self):
        self.assertEqual(new_words(IN_THREADS, "// it is laid\n// aside\nint x;\n"), ["preempt, preempted"])
        self.assertEqual(new_words("docs/a.md", "it is laid\naside\n"), ["preempt, preempted"])

    def test_a_file_may_not_be_called_by_an_old_word(self):
        self.assertEqual(new_words("skua/machine/sim/referee.hpp", ""), ["validator"])
        self.assertEqual(new_words("tests/cli/verbs_test.py", ""), ["subcommand (of skua) or action (of a policy)"])

    def test_good_text_is_quiet(self):
        for path, text in GOOD_CODE.items():
            with self.subTest(path=path, text=text):
                self.assertEqual(new_words(path, text), [])

    def test_no_word_that_is_recommended_is_refused(self):
        # This also fails if a script that renames identifiers was let loose on the table.
        for row in old_words.ROWS:
            for folder in ("skua/machine/threads/", "skua/policy/", "cli/", "docs/"):
                with self.subTest(new=row.new, folder=folder):
                    self.assertEqual(new_words(folder + "a.md", f"{row.new} `{row.new.replace(' ', '_')}`\n"), [])

    def test_the_sentence_names_the_old_and_the_new_word(self):
        (found,) = old_words.findings(Source("docs/a.md", "fine\n\na tabletop\n"), FINDER)
        self.assertEqual(found, (3, "'tabletop' is a word that Skua does not use any more; say: simulator"))


if __name__ == "__main__":
    case_report.main()
