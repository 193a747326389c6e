#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""study_folder.py: libraries of programs of any architecture are found as their loader would find them, and what is missing is said in a sentence."""

import pathlib
import shutil
import struct
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import study_folder as tool  # noqa: E402  (it stands beside this file)

X86_64, AARCH64, RISC_V = 62, 183, 243
OF_READELF = """
      [Requesting program interpreter: /lib/ld-linux-aarch64.so.1]

Dynamic section at offset 0x660710 contains 41 entries:
  Tag        Type                         Name/Value
 0x0000000000000001 (NEEDED)             Shared library: [libfmt.so.9]
 0x0000000000000001 (NEEDED)             Shared library: [libc.so.6]
 0x000000000000000e (SONAME)             Library soname: [libx.so.1]
 0x000000000000001d (RUNPATH)            Library runpath: [$ORIGIN/../lib:::/opt/lib]
"""


def elf(machine, needed=(), interpreter=None, run_path=None):
    """The bytes of a file that has what readelf reads: program headers and a dynamic section, in one segment at address 0."""
    strings = b"\0"
    entries = []
    for tag, texts in ((1, needed), (29, [run_path] if run_path else [])):
        for text in texts:
            entries.append((tag, len(strings)))
            strings += text.encode() + b"\0"
    loader = interpreter.encode() + b"\0" if interpreter else b""
    headers = 3 if interpreter else 2
    at_strings = 64 + 56 * headers
    at_loader = at_strings + len(strings)
    at_dynamic = (at_loader + len(loader) + 7) // 8 * 8
    entries += [(5, at_strings), (10, len(strings)), (0, 0)]
    dynamic = b"".join(struct.pack("<QQ", *entry) for entry in entries)
    size = at_dynamic + len(dynamic)

    def segment(kind, at, length):
        return struct.pack("<IIQQQQQQ", kind, 4, at, at, at, length, length, 8)

    head = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 3, machine, 1, 0, 64, 0, 0, 64, 56, headers, 64, 0, 0)
    segments = (segment(3, at_loader, len(loader)) if interpreter else b"") + segment(1, 0, size) + segment(2, at_dynamic, len(dynamic))
    return (head + segments + strings + loader).ljust(at_dynamic, b"\0") + dynamic


class Case(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name).resolve()
        # What this machine has installed must not matter.
        nothing = mock.patch.object(tool, "system_folders", lambda architecture: [self.root / "system" / architecture])
        nothing.start()
        self.addCleanup(nothing.stop)

    def file(self, name, *words, **more):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(elf(*words, **more))
        return path

    def program(self, name="build/bin/skua", machine=AARCH64, needed=("liba.so.1",), **more):
        return self.file(name, machine, needed, interpreter="/lib/ld-linux-aarch64.so.1", **more)


class Reading(Case):
    def test_what_readelf_says_is_understood(self):
        self.assertEqual(tool.needs_in(OF_READELF), ("/lib/ld-linux-aarch64.so.1", ["libfmt.so.9", "libc.so.6"], ["$ORIGIN/../lib", "/opt/lib"]))
        self.assertEqual(tool.needs_in("There is no dynamic section in this file.\n"), (None, [], []))

    def test_the_architecture_is_the_files(self):
        for machine, name in ((X86_64, "x86_64"), (AARCH64, "aarch64"), (RISC_V, None)):
            self.assertEqual(tool.architecture_of(self.file("f", machine)), name)
        for other in (b"", b"#!/bin/sh\n", b"INPUT ( libc.so.6 ) /* a linker's script */", b"\x7fELF\x01\x01" + elf(AARCH64)[6:], b"\x7fELF\x02\x02" + elf(AARCH64)[6:]):
            (self.root / "f").write_bytes(other)
            self.assertIsNone(tool.architecture_of(self.root / "f"))

    def test_strip_fits_the_architecture(self):
        here = {"strip": "/s", "llvm-strip": "/l"}
        with mock.patch.object(tool.platform, "machine", lambda: "x86_64"), mock.patch.object(tool.shutil, "which", here.get):
            self.assertEqual(tool.strip_of("x86_64"), "strip")
            self.assertEqual(tool.strip_of("aarch64"), "llvm-strip")
            here["aarch64-linux-gnu-strip"] = "/a"
            self.assertEqual(tool.strip_of("aarch64"), "aarch64-linux-gnu-strip")
            here.clear()
            with self.assertRaisesRegex(SystemExit, "no strip for aarch64 on this machine: aarch64-linux-gnu-strip, llvm-strip$"):
                tool.strip_of("aarch64")


@unittest.skipUnless(shutil.which("readelf"), "there is no readelf on this machine")
class Libraries(Case):
    def test_are_found_through_others_each_once_and_of_the_architecture(self):
        self.file("system/aarch64/ld-linux-aarch64.so.1", AARCH64)
        self.file("system/aarch64/liba.so.1.2", AARCH64, ["libb.so.2", "libc.so.6"])
        (self.root / "system/aarch64/liba.so.1").symlink_to("liba.so.1.2")
        self.file("system/aarch64/libb.so.2", AARCH64, ["libc.so.6", "liba.so.1"])  # a circle
        self.file("system/aarch64/libc.so.6", AARCH64, ["ld-linux-aarch64.so.1"])
        self.file("given/libb.so.2", X86_64)
        self.file("given/libc.so.6", AARCH64, ["ld-linux-aarch64.so.1"])
        found = tool.libraries_of(self.program(needed=["liba.so.1", "libc.so.6"]), [self.root / "given"])
        self.assertEqual({name: str(path.relative_to(self.root)) for name, path in found.items()},
                         {"ld-linux-aarch64.so.1": "system/aarch64/ld-linux-aarch64.so.1", "liba.so.1": "system/aarch64/liba.so.1.2",
                          "libb.so.2": "system/aarch64/libb.so.2", "libc.so.6": "given/libc.so.6"})

    def test_run_paths_come_first(self):
        self.file("system/aarch64/ld-linux-aarch64.so.1", AARCH64)
        self.file("given/liba.so.1", AARCH64)
        own = self.file("build/lib/liba.so.1", AARCH64, ["libb.so.2"], run_path="${ORIGIN}/more")
        self.file("build/lib/more/libb.so.2", AARCH64)
        found = tool.libraries_of(self.program(run_path="/nowhere:$ORIGIN/../lib"), [self.root / "given"])
        self.assertEqual(found["liba.so.1"], own)
        self.assertEqual(found["libb.so.2"], own.parent / "more/libb.so.2")

    def test_what_is_missing_is_said_in_one_sentence(self):
        program = self.program()
        with self.assertRaisesRegex(SystemExit, r"^study_folder: \S+/bin/skua needs ld-linux-aarch64.so.1, and none of .*system/aarch64 has one for aarch64; .*$"):
            tool.libraries_of(program, [])
        self.file("system/aarch64/ld-linux-aarch64.so.1", AARCH64)
        library = self.file("system/aarch64/liba.so.1", AARCH64, ["libb.so.2"])
        self.file("given/libb.so.2", X86_64)  # another architecture's is none
        with self.assertRaisesRegex(SystemExit, f"^study_folder: {library} needs libb.so.2, and none of {self.root}/given, [^\n]* for aarch64; --libraries names more folders$"):
            tool.libraries_of(program, [self.root / "given"])

    def test_programs_that_cannot_be_packed_are_refused(self):
        with self.assertRaisesRegex(SystemExit, "f is no 64-bit program of x86_64 or aarch64"):
            tool.libraries_of(self.file("f", RISC_V), [])
        with self.assertRaisesRegex(SystemExit, "f names no loader; it must be linked dynamically"):
            tool.libraries_of(self.file("f", AARCH64), [])


@unittest.skipUnless(shutil.which("readelf"), "there is no readelf on this machine")
class Folders(Case):
    def test_of_a_foreign_architecture(self):
        self.parts_of_a_build()
        words = self.build()
        lib = self.root / "made/lib"
        self.assertEqual({f.name for f in lib.iterdir()}, {"ld-linux-aarch64.so.1", "liba.so.1", "libc.so.6"})
        self.assertEqual([w for w in words if w[0] != "patchelf"],
                         [("aarch64-linux-gnu-strip", "-o", self.root / "made" / to, self.root / "build/bin" / of)
                          for to, of in (("bin/skua", "skua"), ("bin/herd_bench", "herd_bench"), ("study", "skua-study"))])
        self.assertIn(("patchelf", "--set-interpreter", "lib/ld-linux-aarch64.so.1", "--force-rpath", "--set-rpath", "$ORIGIN/../lib", self.root / "made/bin/herd_bench"), words)
        self.assertEqual([w[-1] for w in words if w[0] == "patchelf" and w[-1].parent == lib], [lib / "liba.so.1"])  # not the loader's own
        self.assertEqual(self.build(), words)  # over the one that is there

    def test_of_two_architectures_or_over_something_else_are_refused(self):
        self.parts_of_a_build()
        self.program("build/bin/wake_bench", X86_64)
        with self.assertRaisesRegex(SystemExit, "wake_bench and .*/skua are of different architectures"):
            self.build()
        self.assertFalse((self.root / "made").exists())
        (self.root / "made").mkdir()
        with self.assertRaisesRegex(SystemExit, "is there and is no study"):
            self.build()

    def parts_of_a_build(self):
        for name in ("skua", "herd_bench"):
            self.program(f"build/bin/{name}", needed=["liba.so.1"])
        self.file("build/bin/skua-study", AARCH64)
        self.file("system/aarch64/ld-linux-aarch64.so.1", AARCH64)
        self.file("system/aarch64/liba.so.1", AARCH64, ["libc.so.6"])
        self.file("system/aarch64/libc.so.6", AARCH64, ["ld-linux-aarch64.so.1"])

    def build(self):
        """The strips and patchelfs that making the folder takes; neither would take such small files."""
        asked = []
        run = tool.run

        def instead(*words):
            if words[0] == "readelf":
                return run(*words)
            asked.append(words)
            if words[0] != "patchelf":
                shutil.copy(words[3], words[2])
            return ""

        with mock.patch.object(tool, "run", instead), mock.patch.object(tool, "strip_of", lambda architecture: f"{architecture}-linux-gnu-strip"):
            tool.build(self.root / "build", self.root / "made", [])
        return asked


if __name__ == "__main__":
    unittest.main()
