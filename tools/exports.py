#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the shared library exports, against what it may export and what programs need.

    tools/exports.py LIST SHARED_OBJECT ARCHIVE FOLDER...
    tools/exports.py --update LIST ARCHIVE FOLDER...
    tools/exports.py --debian LIST

LIST is skua/skua.symbols: demangled names, one a line, sorted; one that is newer than the ABI's first version has its version behind it. The linker exports these and hides the rest (cmake/exports.cmake). The archive holds
all that could be exported; the folders hold object files of programs (apps, examples, the command, tests of the public API).

The check fails if the shared object exports anything else, if a name of the list is gone from the library, and if a program uses what is not on the
list: such a program links with the archive and not with the shared object. The same holds for the virtual table of a class whose constructor or
destructor is on the list: whether an inline function of the header refers to the table depends on what the compiler optimises. A name that is gone, or has another signature, breaks programs that are
already compiled: then the library's ABI number has to rise as well (SKUA_ABI in cmake/exports.cmake).

--update adds what programs need and drops what is gone. What no program of ours uses, and users should have, is added to the list by hand.

--debian prints the list that Debian's package is built with (debian/libskuaABI.symbols): beside each name, and beside each pattern of
templates.symbols, the first version that had it, so that a package which uses the name depends on that version.
"""

import argparse
import pathlib
import re
import subprocess
import sys

# Of these there is a copy in every program that uses them; the library's is exported for catch clauses of other shared objects.
ALWAYS = ("typeinfo for ", "typeinfo name for ", "vtable for ")
HEAD = "# What programs may link of the shared library, demangled. tools/exports.py --update adds what our programs need, and drops what is gone."


def facts(root):
    """(the project's version, the ABI's number, the first version that had it)"""
    version = re.search(r"project\(skua VERSION ([0-9.]+)", (root / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
    abi = re.search(r"set\(SKUA_ABI (\d+)\)  # since ([0-9.]+)", (root / "cmake/exports.cmake").read_text(encoding="utf-8"))
    return version, abi[1], abi[2]


def nm(*arguments):
    """Pairs of a symbol's kind and its demangled name."""
    done = subprocess.run(["nm", "--demangle", "--format=posix", *arguments], check=True, text=True, capture_output=True)
    for line in done.stdout.splitlines():
        name, _, rest = line.rpartition(" U")  # undefined ones have neither value nor size
        if name and not rest.strip():
            yield "U", name
            continue
        fields = line.rsplit(" ", 3)
        if len(fields) == 4 and len(fields[1]) == 1:
            yield fields[1], fields[0].partition("@@")[0]  # without the version that the linker adds


def read_list(path):
    """name -> its version, or nothing: the ABI's first one."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    return {name: version for name, _, version in (line.partition(" @") for line in lines if line and not line.startswith("#"))}


def defined_in(symbols):
    """Of an archive's symbols, what the library defines once: no templates, no inline functions."""
    return {name for kind, name in symbols if kind in "TDBR" and name.startswith("skua::")}


def needed_by(folders, defined):
    objects = [str(path) for folder in folders for path in pathlib.Path(folder).rglob("*.o")]
    needed = set()
    for at in range(0, len(objects), 100):
        needed |= {name for kind, name in nm("--undefined-only", *objects[at:at + 100]) if kind == "U"}
    return needed & defined


def tables_of(names, symbols):
    """The virtual tables among an archive's symbols, of classes whose constructor or destructor is among the names."""
    classes = {owner for name in names for owner, _, member in [name.partition("(")[0].rpartition("::")]
               if member.removeprefix("~") == owner.rpartition("::")[2]}
    return {f"vtable for {owner}" for owner in classes} & {name for _, name in symbols}


def faults(listed, exported, strong, defined, needed):
    """Sentences about what does not agree. `strong`: those exported that the library defines once."""
    for name in sorted(n for n in strong - listed if not n.startswith("skua_")):  # those of C are all exported
        yield f"exported, but not on the list: {name}"
    for name in sorted(needed - listed):
        yield f"needed by programs, but not on the list: {name}"
    for name in sorted(listed - exported):
        yield f"on the list, but {'hidden' if name in defined else 'gone from the library'}: {name}"


def update(path, symbols, needed):
    listed, defined = read_list(path), defined_in(symbols)
    names = needed | {name for name in listed if name in defined or name.startswith(ALWAYS)}
    names |= tables_of(names, symbols)
    version, _, first = facts(path.resolve().parents[1])
    of_name = {name: listed.get(name, "" if version == first else version) for name in names}
    path.write_text("\n".join([HEAD, *(f"{name} @{of}" if of else name for name, of in sorted(of_name.items())), ""]), encoding="utf-8")


def debian(path):
    """The text of Debian's list. A pattern, in which * stands for any text, is Perl's regular expression there."""
    _, abi, first = facts(path.resolve().parents[1])
    templates = (".*".join(map(re.escape, pattern.split("*"))) for pattern in read_list(path.with_name("templates.symbols")))
    return "\n".join([f"libskua.so.{abi} libskua{abi} #MINVER#", "* Build-Depends-Package: libskua-dev", f" SKUA_{abi}@SKUA_{abi} {first}",
                      f' (regex)"^skua_.*@SKUA_{abi}$" {first}',
                      *(f' (c++)"{name}@SKUA_{abi}" {version or first}' for name, version in read_list(path).items()),
                      *(f' (c++|regex|optional)"^{text}@SKUA_{abi}$" {first}' for text in templates), ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--debian", action="store_true")
    parser.add_argument("list", type=pathlib.Path)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    chosen = parser.parse_args()
    if chosen.debian:
        print(debian(chosen.list), end="")
        return 0
    if chosen.update:
        archive, *folders = chosen.files
        symbols = list(nm("--defined-only", str(archive)))
        update(chosen.list, symbols, needed_by(folders, defined_in(symbols)))
        return 0
    shared, archive, *folders = chosen.files
    dynamic = [(kind, name) for kind, name in nm("--dynamic", "--defined-only", str(shared)) if kind != "A"]
    exported = {name for _, name in dynamic}
    strong = {name for kind, name in dynamic if kind not in "WV"}  # the others are those of skua/templates.symbols
    symbols = list(nm("--defined-only", str(archive)))
    defined = defined_in(symbols)
    listed = read_list(chosen.list).keys()
    needed = needed_by(folders, defined) | tables_of(listed, symbols)
    found = list(faults(listed, exported, strong, defined, needed))
    for fault in found:
        print(fault)
    print(f"{len(exported)} exported, {len(needed)} of them used by the programs here; {len(found)} faults")
    if found:
        print("tools/exports.py --update adds what programs need and drops what is gone")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
