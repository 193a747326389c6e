# SPDX-License-Identifier: MIT
"""Words that Skua does not use any more, and what it says instead; tidy.py refuses the old ones by this table.

They were private words: a reader who knows rayon, oneTBB or the papers had to learn them first. docs/glossary.md has the
words that stay. A row is told by what it looks for:

  names    parts of an identifier between its underscores, alone or several in a row (`seat` finds `seat_of`, `laid_aside`
           finds `is_laid_aside`), in code and, in prose, between backticks; `lane::kept` finds just that
  phrases  a regular expression over whole words, in comments, strings and pages
  within   folders; everywhere if there are none
  but      paths where the word means something else
"""

import re
import typing


class Row(typing.NamedTuple):
    new: str
    names: str = ""
    phrases: str = ""
    within: tuple = ()
    but: tuple = ()


THREADS = ("skua/machine/threads/", "skua/parts/")
MACHINES = ("skua/machine/",)
LIBRARY = ("skua/",)
COMMAND = ("cli/", "tests/cli/")
A_MIND = r"(?<!change\s)(?<!changes\s)(?<!changed\s)(?:an?|the|its|each|every|one|no|this|whose|its own|of|if|all|its|greedy|sound|worker's) minds?"

ROWS = [
    # In the recorder and the simulator a strand is what runs between two steps of a task, as in the literature.
    Row("fiber", "strand strands", "strands?", within=(*THREADS, "tests/valgrind/", "CHANGELOG.md", "docs/roadmap.md")),
    Row("worker slot", "seat seats seated", "seats?|seated", within=(*MACHINES, "docs/", "README.md")),
    Row("pool_core", "crew crews", "crews?"),
    Row("sleep_state", "dormitory", "dormitor(?:y|ies)"),
    Row("sleeper", "bed beds bedroom", "beds?|bedrooms?", within=MACHINES),
    Row("wake up", "get_up gets_up", "(?:get|gets|got) up", within=MACHINES),
    Row("fall asleep, sleep", "doze dozes dozing", "doz(?:e|es|ed|ing)"),
    Row("place_hint, hinted_place", "said_place"),
    Row("no_place", "unsaid", "unsaid"),
    Row("tag_fields", "card cards", "cards?", within=LIBRARY),
    Row("tagged_entry", "filed", within=LIBRARY),
    Row("tagged_queue", "filing", "filings?"),
    Row("lane::local", "lane::kept"),
    Row("lane::mailbox", "lane::slot"),
    Row("exposed_group", "division divisions", "divisions?|divisions?\\.md", within=MACHINES),
    Row("exposed_scope", "shown_scope"),
    Row("expose_groups", "show_groups"),
    Row("exposed", "shown", within=MACHINES, but=("skua/machine/sim/model/",)),
    Row("exposed (forks, groups)", phrases="(?:forks?|groups?|joins?|scopes?|children) (?:that )?(?:is|are|was|were)(?: not| never)? shown",
        within=("skua/machine/", "skua/policy/")),
    Row("request attention", "poke pokes poked poking", "pok(?:e|es|ed|ing)"),
    Row("poll", "attend", within=(*LIBRARY, "bench/", "cli/")),
    Row("steal, stolen", "rob robs robbed robber theft thefts unrobbed", "rob(?:s|bed|bing|ber|bers)?|thefts?"),
    Row("executor", "venue venues", "venues?"),
    Row("preempt, preempted", "laid_aside lay_aside gives_way give_way",
        "(?:lay|lays|laid|laying) (?:\\w+ )?aside|(?:give|gives|gave|giving) way"),
    Row("notify_work, wake_up or notify_worker", "call_help help_not_called call_up call_its_worker its_worker_not_called",
        "calls? (?:for )?help"),
    Row("waiter", "gate", within=MACHINES),
    Row("simulator", "tabletop", "tabletops?"),
    Row("run", "play plays played game games", "play(?:s|ed|ing)?|games?"),
    Row("validator", "referee", "referees?"),
    Row("observer", "onlooker onlookers", "onlookers?"),
    Row("operation", "deed deeds", "deeds?"),
    Row("action", "verb verbs", "verbs?", within=LIBRARY),
    Row("subcommand (of skua) or action (of a policy)", "verb verbs", "verbs?", but=LIBRARY),
    Row("arguments", "app_words map_words app_of_words", within=COMMAND),
    Row("usage error", "complaint complaints", "complaints?"),
    Row("worker_policy, of_worker", "mind minds", A_MIND),
    Row("next_probe", "hunt hunts hunting hunter", "hunt(?:s|ed|ing|er|ers)?"),
    Row("execute", "carry_out carries_out", "carr(?:y|ies|ied|ying) (?:\\w+ )?out"),
    Row("policy", "thinks", within=MACHINES),
    Row("distribute (pages), relocate (tasks) or take_outcome (of a group)", "settle settled settling", "settling down",
        within=LIBRARY),
    Row("time account", "time_book", "time books?"),
    Row("activity", "doing", within=MACHINES),
    Row("counters", "tally tallies", "tall(?:y|ies)", within=LIBRARY),
    Row("run_on(slot)", "welcome", within=LIBRARY),
    Row("back_off", "breathe", within=LIBRARY),
    Row("short_sleep", "nap", within=MACHINES),
    Row("nested task", "interlude interludes", "interludes?"),
    Row("oversubscribed", "crowded", within=LIBRARY),
]

NAME = re.compile(r"[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*")
IN_BACKTICKS = re.compile(r"`[^`\n]*`")


class Finder:
    """The table, made ready to look through many files."""

    def __init__(self, rows=tuple(ROWS)):
        self.rows = rows
        self.starts = {}  # first part of a name -> (row, all its parts)
        self.qualified = {}  # lane::kept -> row
        for row in rows:
            for name in row.names.split():
                if "::" in name:
                    self.qualified[name] = row
                else:
                    parts = tuple(name.split("_"))
                    self.starts.setdefault(parts[0], []).append((row, parts))
        self.known = {}  # identifiers come up a hundred times each
        # Without a \b in front, which would hide from `re` with what letters a match begins and cost five times as much.
        # A blank also matches the end of a line of comment.
        phrases = ((row, row.phrases.replace(" ", r"[\s/*>]+")) for row in rows if row.phrases)
        self.phrases = [(row, re.compile(rf"(?:{phrase})\b")) for row, phrase in phrases]

    def in_name(self, name):
        """(row, what was found) of every old word in an identifier, perhaps a qualified one."""
        for end in (found.end() for found in re.finditer(r"\w+", name)):
            pair = "::".join(name[:end].split("::")[-2:])
            if pair in self.qualified:
                yield self.qualified[pair], pair
        for identifier in name.split("::"):
            # Template parameters are in CamelCase, but one word each is enough for them.
            parts = [p.lower() for p in identifier.strip("_").split("_")]
            for at, part in enumerate(parts):
                for row, wanted in self.starts.get(part, ()):
                    if tuple(parts[at : at + len(wanted)]) == wanted:
                        yield row, "_".join(wanted)

    def in_code(self, text):
        """(offset, row, what was found) of every old word among the identifiers of a text."""
        for name in NAME.finditer(text):
            found_in = self.known.get(name[0])
            if found_in is None:
                found_in = self.known[name[0]] = tuple(self.in_name(name[0]))
            for row, found in found_in:
                yield name.start(), row, found

    def in_prose(self, text):
        """The same in sentences, and in what they have between backticks."""
        lowered = text.lower()
        for row, pattern in self.phrases:
            for found in pattern.finditer(lowered):
                if not re.match(r"\w", lowered[found.start() - 1 : found.start()]):
                    yield found.start(), row, " ".join(re.findall(r"\w+", found[0]))
        for quoted in IN_BACKTICKS.finditer(text):
            for at, row, found in self.in_code(quoted[0]):
                yield quoted.start() + at, row, found


def holds_for(row, path):
    return (not row.within or path.startswith(row.within)) and not path.startswith(row.but)


def prose_of(source):
    """What is not code, at the offsets where it stands: comments and strings of C++, the whole of any other file."""
    if not source.is_code:
        return source.text
    return "".join(c if code == " " or c == "\n" else " " for c, code in zip(source.text, source.code))


def findings(source, finder):
    """(line, sentence) for every old word in a file and in its name."""
    found = [(0, *hit) for hit in finder.in_name(re.sub(r"\W", "_", source.path))]
    found += finder.in_prose(prose_of(source))
    if not source.path.endswith((".md", ".txt")):
        found += finder.in_code(source.code)
    seen = set()
    for at, row, old in found:
        line = source.line_of(at)
        if holds_for(row, source.path) and (line, old) not in seen:
            seen.add((line, old))
            yield line, f"'{old}' is a word that Skua does not use any more; say: {row.new}"
