# SPDX-License-Identifier: MIT
"""The text files of a checkout, as tidy.py reads them: C++ also without comments and without what strings contain."""

import bisect
import pathlib
import re
import subprocess

CODE_SUFFIXES = {".cpp", ".hpp"}
SCRIPT_SUFFIXES = {".py", ".rs", ".sh"}
TEXT_SUFFIXES = CODE_SUFFIXES | SCRIPT_SUFFIXES | {".md", ".txt", ".cmake", ".json", ".in", ".yml", ".toml"}
TEXT_NAMES = {"Makefile", ".clang-format", ".clang-tidy", "run", "install-packages"}

ABI = "v0"  # the inline namespace of what the library declares

TOKEN = re.compile(
    r"""(?P<comment>//(?:[^\n\\]|\\.|\\\n)*|/\*.*?\*/)
      | (?P<raw>R"(?P<delimiter>[^\s()\\]{0,16})\(.*?\)(?P=delimiter)")
      | (?P<number>\b[0-9](?:'?[\w.])*)
      | (?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')""",
    re.DOTALL | re.VERBOSE,
)


def blank(text):
    return re.sub(r"[^\n]", " ", text)


class Source:
    """One file: its text, and for C++ the same text without comments and without what strings contain."""

    def __init__(self, path, text):
        self.path = path
        self.text = text
        self.lines = text.splitlines()
        self.starts = [0] + [m.end() for m in re.finditer("\n", text)]
        self.is_code = pathlib.PurePosixPath(path).suffix in CODE_SUFFIXES
        self.is_header = path.endswith(".hpp")
        self.is_test = path.startswith("tests/") or re.search(r"_(test|model|bench)\.[ch]pp$", path) is not None
        self.is_library = self.is_code and path.startswith("skua/") and not self.is_test
        self.comments = {}  # line -> what is said there
        self.code = self.without_comments() if self.is_code else text
        self.code_lines = self.code.splitlines()

    def without_comments(self):
        def replace(match):
            if match["comment"]:
                first = self.line_of(match.start())
                for i, said in enumerate(match["comment"].splitlines()):
                    self.comments[first + i] = self.comments.get(first + i, "") + said.strip("/*! \t<")
                return blank(match.group())
            if match["number"]:
                return match.group()
            return '"' + blank(match.group()[1:-1]) + '"'

        return TOKEN.sub(replace, self.text)

    def without_directives(self):
        """The code, with blanks for what the preprocessor reads."""
        return re.sub(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", lambda m: blank(m[0]), self.code, flags=re.MULTILINE)

    def line_of(self, offset):
        return bisect.bisect_right(self.starts, offset)

    def includes(self):
        """(line, name, quoted) of every #include."""
        for number, line in enumerate(self.lines, 1):
            found = re.match(r"\s*#\s*include\s*([<\"])([^>\"]+)[>\"]", line)
            if found and self.code_lines[number - 1].lstrip().startswith("#"):
                yield number, found[2], found[1] == '"'


def tracked(root):
    """Paths of the tracked and new files below a root; without git, or where git refuses to read it, of all files that nobody builds there."""
    if (root / ".git").exists():
        listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=root, capture_output=True, check=False,
                                text=True)
        if listed.returncode == 0:
            return {p for p in listed.stdout.split("\0") if p and (root / p).is_file()}
    found = (p.relative_to(root) for p in root.rglob("*") if p.is_file())
    return {p.as_posix() for p in found if p.parts[0] != "build" and "target" not in p.parts[:-1]}


class Tree:
    """All text files of a checkout, by path from its root."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.sources = {}
        for path in sorted(tracked(self.root)):
            pure = pathlib.PurePosixPath(path)
            if pure.suffix in TEXT_SUFFIXES or pure.name in TEXT_NAMES:
                self.sources[path] = Source(path, (self.root / path).read_text(encoding="utf-8"))
        self.code = [s for s in self.sources.values() if s.is_code]
        self.library = [s for s in self.code if s.is_library]
        self.paths_of_name = {}
        for s in self.code:
            self.paths_of_name.setdefault(s.path.rpartition("/")[2], []).append(s.path)
        self.cmake = [s for p, s in self.sources.items() if p.endswith(("CMakeLists.txt", ".cmake"))]

    def variants(self, source, name):
        """Headers called `name` under the same top folder as `source`: CMake chooses one of several by architecture."""
        top = source.path.partition("/")[0] + "/"
        found = [path for path in self.paths_of_name.get(name.rpartition("/")[2], ()) if path.startswith(top) and path.endswith("/" + name)]
        return found if len(found) > 1 else []
