# SPDX-License-Identifier: MIT
"""Where a rule can plant a fault in a C++ source: libclang finds the places, in bodies of functions, lambdas and templates.

A site has edits, texts that are inserted into its file (or replace something in it) and that never add a line. All sites
of a file can be edited at once: what they insert nests as the syntax does.
"""

import dataclasses
import pathlib
import re
import shlex
import sys

try:
    import clang.cindex as cindex
except ImportError:  # another python3 than Debian's, for which python3-clang-19 is installed
    sys.path.append("/usr/lib/python3/dist-packages")
    try:
        import clang.cindex as cindex
    except ImportError:
        cindex = None

RULES = {
    "call": "deletes a call",
    "assignment": "deletes an assignment",
    "operand": "drops an operand of && or ||",
    "border": "moves a border",
    "negation": "negates a condition",
    "exchange": "exchanges two neighbouring statements",
    "reset": "keeps what is reset",
    "order": "weakens a memory order",
    "exception": "swallows an exception",
    "arguments": "swaps two arguments of one type",
}

# What no deletion may survive of: by the names of what is called, or assigned to.
SERIOUS = {
    "wake": re.compile(r"wake|notify|unpark|futex|resume|hand_over|post\b", re.I),
    "release": re.compile(r"release|unlock|\bfree|give_back|leave|close|delete|unregister|unlink|fetch_sub|return_", re.I),
    "failure": re.compile(r"fail|throw|error|trouble|exception|cancel|abandon", re.I),
}
# Checks and what only ThreadSanitizer sees: no fault there changes what the library does.
IGNORED = re.compile(r"(skua::)?(invariant|expects|assert)\(|(\w+\.)?(tsan|asan)::")
RESET = re.compile(r"=\s*(\{\}|nullptr|0|0u|false|\w*::none|std::nullopt|\w+(::\w+)*\{\})\s*$|(\.|->)(reset|clear)\(\)$")


@dataclasses.dataclass
class Edit:
    """`text` replaces `length` bytes at `at`. `closes`: it ends something that an edit further left began."""

    at: int
    text: str
    closes: bool = False
    length: int = 0


@dataclasses.dataclass
class Site:
    file: str  # from the root of the tree
    line: int
    rule: str
    what: str  # the code it is about, on one line
    text: str  # the source line
    begin: int
    end: int
    edits: list
    serious: str = ""  # wake, release, reset, failure: what a deletion takes away
    function: str = ""
    number: int = 0
    # For exchanges: where each of the two statements begins and ends.
    pair: tuple = ()
    lines: tuple = ()  # on which something is inserted

    def __str__(self):
        kind = f" ({self.serious})" if self.serious else ""
        return f"{self.file}:{self.line}: {RULES[self.rule]}{kind}: {self.what}"


def without_comments(source):
    """The source with comments and the insides of strings blank, byte for byte in place."""
    def blank(found):
        text = found.group(0)
        if text[0] in "\"'" or text[0] == "R":
            return text[0] + re.sub(r"[^\n]", "_", text[1:-1]) + text[-1]
        return re.sub(r"[^\n]", " ", text)
    return re.sub(r"//[^\n]*|/\*.*?\*/|R\"\((?:.*?)\)\"|\"(?:\\.|[^\"\\\n])*\"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'", blank, source,
                  flags=re.S)


def one_line(text, limit=90):
    text = " ".join(text.split())
    return text if len(text) <= limit else text[:limit - 3] + "..."


def called_name(text):
    """What is called last at the outermost level, or assigned to; with its object, as names say the purpose together."""
    depth, flat = 0, []
    for c in text:
        if c in "([{":
            flat.append(c if depth == 0 else "")
            depth += 1
        elif c in ")]}":
            depth -= 1
            flat.append(c if depth == 0 else "")
        elif depth == 0:
            flat.append(c)
    return "".join(flat)


def seriousness(text):
    flat = called_name(text)
    if RESET.search(text):
        return "reset"
    if re.search(r"counts|trace|clock", flat):  # what is counted is told, and nobody waits for it
        return ""
    return next((kind for kind, words in SERIOUS.items() if words.search(flat)), "")


class Finder:
    """Finds the sites of one file."""

    FUNCTIONS = ("FUNCTION_DECL", "CXX_METHOD", "CONSTRUCTOR", "DESTRUCTOR", "CONVERSION_FUNCTION", "FUNCTION_TEMPLATE")
    HELPERS = {"<": "less", "<=": "less_equal", ">": "greater", ">=": "greater_equal"}

    def __init__(self, cursors, path, name):
        # Every byte one character, so that offsets are indices.
        self.source = pathlib.Path(path).read_bytes().decode("latin-1")
        self.code = without_comments(self.source)
        self.name = name
        self.path = str(path)
        self.sites = []
        self.function = ""
        self.macros = [(c.extent.start.offset, c.extent.end.offset) for c in cursors
                       if c.kind.name == "MACRO_INSTANTIATION"]
        self.macros += [(m.start(), m.end()) for m in re.finditer(r"^[ \t]*#.*$", self.code, re.M)]
        for c in cursors:
            self.outside(c)
        self.sites = [s for s in self.sites if not self.in_macro(s)]
        seen, kept = set(), []
        for s in sorted(self.sites, key=lambda s: (s.begin, -s.end)):
            key = (s.rule, s.begin, s.end, s.what)
            if key not in seen:
                seen.add(key)
                kept.append(s)
        self.sites = kept

    def in_macro(self, site):
        points = [site.begin, site.end - 1] + [e.at for e in site.edits]
        return any(a <= p < b for p in points for a, b in self.macros)

    def span(self, cursor):
        return cursor.extent.start.offset, cursor.extent.end.offset

    def here(self, cursor):
        start = cursor.extent.start
        return start.file is not None and start.file.name == self.path

    def add(self, rule, begin, end, edits, what=None, **more):
        start = self.source.rfind("\n", 0, begin) + 1
        stop = self.source.find("\n", begin)
        line = self.source[start:stop if stop >= 0 else None]
        code = what or self.code[begin:end]
        places = [e.at for e in edits] or [at for statement in more["pair"] for at in statement]
        self.sites.append(Site(self.name, self.line_at(begin), rule, one_line(code), line.strip(), begin, end, edits,
                               function=self.function, lines=tuple(sorted({self.line_at(at) for at in places})), **more))

    def line_at(self, offset):
        return self.source.count("\n", 0, offset) + 1

    def outside(self, cursor):
        kind = cursor.kind.name
        if kind in self.FUNCTIONS:
            body = next((c for c in cursor.get_children() if c.kind.name in ("COMPOUND_STMT", "CXX_TRY_STMT")), None)
            if body is None or not self.here(body):
                return
            self.function = cursor.spelling
            begin, end = self.span(body)
            if end <= begin or "consteval" in self.code[cursor.extent.start.offset:begin]:
                return
            self.noreturn = "[[noreturn]]" in self.code[max(0, cursor.extent.start.offset - 20):begin]
            self.orders(begin, end)
            self.inside(body)
        elif kind in ("NAMESPACE", "CLASS_DECL", "STRUCT_DECL", "UNION_DECL", "CLASS_TEMPLATE", "LINKAGE_SPEC",
                      "CLASS_TEMPLATE_PARTIAL_SPECIALIZATION", "UNEXPOSED_DECL", "FRIEND_DECL"):
            for c in cursor.get_children():
                if self.here(c):
                    self.outside(c)

    def orders(self, begin, end):
        for found in re.finditer(r"std::memory_order_(acquire|release|acq_rel|seq_cst)\b", self.code[begin:end]):
            a, b = begin + found.start(), begin + found.end()
            self.add("order", a, b, [Edit(a, "::planted::order({id}, "), Edit(b, ")", True)],
                     what=self.code[self.code.rfind("\n", 0, a) + 1:self.code.find("\n", b)])
        for found in re.finditer(r"std::exchange\(", self.code[begin:end]):
            a, b = begin + found.start(), begin + found.end()
            self.add("reset", a, b, [Edit(a, "::planted::exchange({id}, ", length=b - a)],
                     what=self.code[a:self.code.find("\n", b)],
                     serious="reset" if re.match(r"[^;\n]*,\s*(nullptr|0|false|\{\}|std::nullopt|\w+\{\})\)", self.code[b:]) else "")

    def inside(self, cursor):
        kind = cursor.kind.name
        if kind in ("STATIC_ASSERT", "CONCEPT_DECL") or not self.here(cursor) or IGNORED.match(self.code, cursor.extent.start.offset):
            return
        children = list(cursor.get_children())
        if kind in ("COMPOUND_STMT", "IF_STMT", "WHILE_STMT", "DO_STMT", "FOR_STMT", "CXX_FOR_RANGE_STMT", "CASE_STMT", "DEFAULT_STMT"):
            bodies = children[-1:] if kind in ("FOR_STMT", "CXX_FOR_RANGE_STMT") else children
            self.statements(kind, bodies)
        if kind in ("IF_STMT", "WHILE_STMT"):
            self.condition(cursor, children)
        elif kind == "BINARY_OPERATOR" and len(children) == 2:
            self.binary(children)
        elif kind == "CXX_CATCH_STMT":
            self.swallow(children[-1])
        elif kind == "CALL_EXPR":
            self.arguments(cursor)
        for c in children:
            self.inside(c)

    # ---- statements ----

    def ends(self, c):
        """Where the expression statement ends, behind its semicolon; None if it is none."""
        begin, end = self.span(c)
        if c.kind.is_declaration() or (c.kind.is_statement() and c.kind.name != "UNEXPOSED_STMT"):
            return None
        before = self.code[:begin].rstrip()
        if not before or not (before[-1] in ";{}):" or before.endswith("]]") or re.search(r"\b(else|do)$", before)):
            return None
        if before.endswith("::"):
            return None
        found = re.compile(r"\s*;").match(self.code, end)
        text = self.code[begin:end]
        if not found or not text.strip() or re.match(r"(static_cast<void>|\(void\)|co_return\b|return\b|co_yield\b|using\b|case\b)", text):
            return None
        return found.end()

    def statements(self, kind, children):
        run = []
        for c in children:
            end = self.ends(c)
            begin = c.extent.start.offset
            text = self.code[begin:c.extent.end.offset] if end else ""
            is_call = bool(end) and text.rstrip().endswith(")")
            is_assignment = bool(end) and bool(re.search(r"(?<![=!<>])=(?!=)|\+\+|--", called_name(text)))
            if end and text.startswith("throw") and not self.noreturn:
                self.deletion("exception", begin, end, text, "failure")
                is_call = is_assignment = False
            elif end and (is_assignment or is_call) and not text.startswith("throw") and not IGNORED.match(text):
                serious = seriousness(text)
                rule = "reset" if serious == "reset" else "assignment" if is_assignment else "call"
                self.deletion(rule, begin, end, text, serious)
            else:
                is_call = is_assignment = False
            if IGNORED.match(text):
                is_call = is_assignment = False
            if kind == "COMPOUND_STMT" and (is_call or is_assignment):
                run.append((begin, end, text))
            else:
                self.exchanges(run)
                run = []
        self.exchanges(run)

    def deletion(self, rule, begin, end, text, serious):
        self.add(rule, begin, end, [Edit(begin, "{{ if (!::planted::fault({id})) "), Edit(end, " }}", True)], what=text,
                 serious=serious)

    def exchanges(self, run):
        for first, second in zip(run, run[1:]):
            if not self.commute(first[2], second[2]):
                self.add("exchange", first[0], second[1], [], what=f"{one_line(first[2], 44)} <> {one_line(second[2], 44)}",
                         pair=(first[:2], second[:2]))

    @staticmethod
    def commute(a, b):
        """Two assignments without a call, neither of which reads or writes what the other writes."""
        if a == b:
            return True
        if "(" in a or "(" in b:
            return False
        targets = [set(re.findall(r"\w+", re.split(r"[-+|&^]?=", t)[0])[-1:]) for t in (a, b)]
        return not targets[0] & set(re.findall(r"\w+", b)) and not targets[1] & set(re.findall(r"\w+", a))

    # ---- expressions ----

    def condition(self, cursor, children):
        for c in children:
            begin, end = self.span(c)
            before, after = self.code[:begin].rstrip(), self.code[end:].lstrip()
            if not before.endswith("(") or not after.startswith(")") or not c.kind.is_expression():
                continue
            head = self.code[cursor.extent.start.offset:begin]
            if re.match(r"if\s+constexpr|if\s+consteval", head) or not re.match(r"(if|while)\s*\($", head):
                return
            text = self.code[begin:end]
            if re.search(r"&&|\|\||[^-<]>=?|<=?", re.sub(r"<[\w:, *]*>|->|<<|>>", "", called_name(text))) or text in ("true", "false"):
                return
            self.add("negation", begin, end, [Edit(begin, "::planted::fault({id}) != static_cast<bool>("), Edit(end, ")", True)])
            return

    def binary(self, children):
        (a, b), (c, d) = self.span(children[0]), self.span(children[1])
        between = self.code[b:c]
        operator = re.sub(r"[()\s]", "", between)
        if operator in ("&&", "and", "||", "or"):
            head = self.code[max(0, self.code.rfind(";", 0, a)):a]
            if "constexpr (" in head or "requires" in head:
                return
            dropped = "::planted::fault({id}) || " if operator in ("&&", "and") else "!::planted::fault({id}) && "
            for begin, end in ((a, b), (c, d)):
                self.add("operand", begin, end, [Edit(begin, "(" + dropped + "("), Edit(end, "))", True)],
                         what=f"{one_line(self.code[begin:end], 50)} of {one_line(self.code[a:d], 60)}")
        elif operator in self.HELPERS and between.strip() == operator:
            at = b + between.index(operator)
            self.add("border", a, d, [Edit(a, f"::planted::{self.HELPERS[operator]}({{id}}, ("),
                                      Edit(at, "), (", length=len(operator)), Edit(d, "))", True)])
        elif operator in ("+", "-") and self.code[c:d] == "1":
            self.add("border", c, d, [Edit(c, "(::planted::fault({id}) ? 0 : 1)", length=1)], what=self.code[a:d])

    def swallow(self, body):
        begin, end = self.span(body)
        if body.kind.name == "COMPOUND_STMT" and self.code[begin + 1:end - 1].strip():
            self.add("exception", begin, end, [Edit(begin + 1, " if (!::planted::fault({id})) {{"), Edit(end - 1, "}} ", True)],
                     what="catch " + self.code[begin:end], serious="failure")

    SIMPLE = re.compile(r"[A-Za-z_0-9][\w.:]*(->\w+|\(\))?(\.\w+)?$")

    def arguments(self, call):
        given = list(call.get_arguments())
        if any(g is None for g in given):
            return
        for x, y in zip(given, given[1:]):
            (a, b), (c, d) = self.span(x), self.span(y)
            p, q = self.code[a:b], self.code[c:d]
            kind = x.type.get_canonical().spelling
            if p == q or "memory_order" in p + q or not self.SIMPLE.match(p) or not self.SIMPLE.match(q) or \
                    p[0].isdigit() != q[0].isdigit() or \
                    self.code[b:c].strip() != "," or not kind or "dependent" in kind or "type-parameter" in kind or \
                    kind != y.type.get_canonical().spelling:
                continue
            self.add("arguments", a, d, [Edit(a, f"(::planted::fault({{id}}) ? {q} : "), Edit(b, ")", True),
                                         Edit(c, f"(::planted::fault({{id}}) ? {p} : "), Edit(d, ")", True)],
                     what=f"{p} <> {q} of {one_line(self.code[call.extent.start.offset:call.extent.end.offset], 60)}")


def compiler_arguments(entry):
    """What of a command in compile_commands.json says how a source is to be understood."""
    words = shlex.split(entry["command"])
    kept, take_next = [], False
    for word in words:
        if take_next:
            kept.append(word)
            take_next = False
        elif word in ("-isystem", "-I", "-D"):
            kept.append(word)
            take_next = True
        elif re.match(r"-(I|D|std=|isystem)", word):
            kept.append(word)
    return kept


def parsed(index, path, arguments, text=None):
    return index.parse(str(path), args=["-xc++", *arguments, "-DSKUA_CHECKED=1", "-w"],
                       unsaved_files=None if text is None else [(str(path), text)],
                       options=cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD)


def find(root, names, commands):
    """The sites of these files, and what could not be parsed. `commands`: compile_commands.json, as it was read."""
    if cindex is None:
        raise RuntimeError("python3 cannot import clang.cindex; Debian's package python3-clang-19 has it (tools/install-packages nightly)")
    by_file = {c["file"]: c for c in commands}
    usual = next((c for c in commands if c["file"].startswith(str(root / "skua"))), commands[0])
    index = cindex.Index.create()
    headers = [name for name in names if name.endswith(".hpp")]
    # Sources one by one, as two may give the same name to different things; headers all at once.
    units = [([name], root / name, None) for name in names if name not in headers]
    if headers:
        units.append((headers, root / "every_header.cpp", "".join(f'#include "{root / name}"\n' for name in headers)))
    found, wrong = [], []
    for its_names, path, text in units:
        unit = parsed(index, path, compiler_arguments(by_file.get(str(path), usual)), text)
        errors = [d for d in unit.diagnostics if d.severity >= cindex.Diagnostic.Error]
        if errors:
            wrong.append(f"{path.relative_to(root)}: {errors[0].location.file}:{errors[0].location.line}: {errors[0].spelling}")
        by_name = {}
        for cursor in unit.cursor.get_children():
            if cursor.location.file:
                by_name.setdefault(cursor.location.file.name, []).append(cursor)
        for name in its_names:
            found += Finder(by_name.get(str(root / name), []), root / name, name).sites
    found.sort(key=lambda s: s.file)  # stable: those of a file stay in order
    for number, site in enumerate(found, 1):
        site.number = number
    return found, wrong
