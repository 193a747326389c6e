#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""skua export: traces written here byte by byte, as trace.md describes them, come out in every format."""

import csv
import io
import json
import os
import struct
import unittest

import command

PAGE, NAMES = 4096, 256 << 10
WORKING, BEGAN, ENDED, STOLEN, SENT, RECEIVED = 1, 5, 6, 8, 22, 23


def event(ticks, what, detail=0, count=0, other=0, ident=0, value=0):
    return struct.pack("<QBBHIQQ", ticks, what, detail, count, other, ident, value)


def trace_file(tracks, rank=0, ranks=1, began=1000, names=b"\0", capacity=1024, complete=True, about=None):
    """The bytes of a trace whose ticks are nanoseconds. tracks: lists of events."""
    description = json.dumps(about or {"program": "fib", "policy": "adws"}).encode()
    track_bytes = 128 + 32 * capacity
    tracks_at = 2 * PAGE + NAMES
    size = tracks_at + track_bytes * len(tracks)
    head = b"SKUATRC1" + struct.pack("<IIII", len(tracks), rank, ranks, 0)
    head += struct.pack("<QQQQQQQ", capacity, PAGE, len(description), 2 * PAGE, len(names), tracks_at, size)
    head += struct.pack("<Qq", 1_700_000_000_000_000_000, 0)
    head += struct.pack("<QQQQ", 0, began, 10, began + 10)
    head += struct.pack("<QQ", *((100_000, began + 100_000) if complete else (0, 0)))
    data = head.ljust(PAGE, b"\0") + description.ljust(PAGE, b"\0") + names.ljust(NAMES, b"\0")
    for events in tracks:
        data += struct.pack("<Q", len(events)).ljust(128, b"\0")
        data += b"".join(events[-capacity:]).ljust(32 * capacity, b"\0")
    return data


class Export(command.Case):
    def write(self, name, *arguments, **settings):
        path = self.scratch / name
        path.write_bytes(trace_file(*arguments, **settings))
        return path

    def pair(self):
        """Traces of two ranks, of which one sends a message to the other; named t."""
        names = b"\0root\0"
        self.write("t.0", [[event(10, WORKING), event(20, BEGAN, other=1, ident=7), event(30, SENT, other=1, ident=5, value=64),
                            event(90, ENDED, ident=7)], []], rank=0, ranks=2, names=names)
        self.write("t.1", [[event(15, RECEIVED, other=0, ident=5, value=64)]], rank=1, ranks=2, began=1020)
        return str(self.scratch / "t")

    def test_the_traces_of_all_ranks_go_into_one_file_side_by_side(self):
        out = self.scratch / "t.json"
        said = self.works("export", self.pair(), "-o", str(out))
        self.assertEqual(said, f"{out}: 5 events of 3 workers\n")
        events = json.loads(out.read_text(encoding="utf-8"))["traceEvents"]
        self.assertEqual([e["args"]["name"] for e in events if e["name"] == "process_name"], ["rank 0: fib, adws", "rank 1: fib, adws"])
        (root,) = [e for e in events if e["name"] == "root"]
        self.assertEqual((root["ph"], root["ts"], root["dur"]), ("X", 0.02, 0.07))
        ends = [(e["ph"], e["pid"], e["ts"]) for e in events if e["ph"] in "sf"]
        self.assertEqual(ends, [("s", 1, 0.03), ("f", 2, 0.035)])

    def test_csv_has_the_events_in_the_order_of_time(self):
        rows = list(csv.DictReader(io.StringIO(self.works("export", self.pair(), "-o", "-", "--format", "csv"))))
        self.assertEqual([(r["time_ns"], r["rank"], r["event"], r["name"]) for r in rows],
                         [("10", "0", "working", ""), ("20", "0", "task_began", "root"), ("30", "0", "message_sent", ""),
                          ("35", "1", "message_received", ""), ("90", "0", "task_ended", "")])

    def test_the_ending_or_an_option_chooses_the_format(self):
        base = self.pair()
        packets = self.scratch / "a.pftrace"
        self.works("export", base, "-o", str(packets))
        other = self.scratch / "a.bin"
        self.works("export", base, "-o", str(other), "--format", "perfetto")
        self.assertEqual(packets.read_bytes(), other.read_bytes())
        self.assertIn(b"root", packets.read_bytes())
        self.assertEqual(packets.read_bytes()[0], 0x0A, "the field `packet` of a message Trace")

    def test_otf2_is_a_new_folder_where_the_library_is(self):
        folder = self.scratch / "a.otf2"
        base = self.pair()
        if "which this build cannot write" in " ".join(self.works("export", "--help").split()):
            self.refuses("export", base, "-o", str(folder), message=["--format is 'otf2'; allowed: perfetto, json"])
            self.skipTest("this build found no OTF2 library")
        self.assertEqual(self.works("export", base, "-o", str(folder)), "")
        self.assertTrue((folder / "traces.otf2").is_file())
        self.refuses("export", base, "-o", str(folder), message=["-o is '", "a folder that does not exist yet"])

    def test_a_ring_that_ran_over_and_a_process_that_died_are_said(self):
        path = self.write("t", [[event(i, WORKING + i % 2) for i in range(1030)]], complete=False)
        out = self.scratch / "t.pftrace"
        self.assertEqual(self.works("export", str(path), "-o", str(out)),
                         f"{out}: 1024 events of 1 worker; 6 before them were overwritten; 1 of 1 trace not ended by its process\n")

    def test_what_is_no_trace_or_no_format_is_refused(self):
        text = self.scratch / "text"
        text.write_text("hello", encoding="utf-8")
        out = str(self.scratch / "x.json")
        self.refuses("export", str(self.scratch / "none"), "-o", out, message=["none' is not there"], allowed=False)
        self.refuses("export", str(text), "-o", out, message=["text' is no trace of Skua"], allowed=False)
        base = self.pair()
        self.refuses("export", base, message=["--output"], allowed=False)
        self.refuses("export", "-o", out, message=["TRACE"], allowed=False)
        self.refuses("export", base, "-o", "x.txt", message=["-o is 'x.txt'; allowed: a name that ends in .pftrace, "])
        self.refuses("export", base, "-o", out, "--format", "jsn", message=["--format is 'jsn'; allowed: perfetto, json", "did you mean 'json'?"])
        self.refuses("export", base, "-o", base + ".0", "--format", "json", message=["-o is '", "a file other than"])
        self.assertNotIn("x.json", os.listdir(self.scratch))

    def test_output_that_cannot_be_written_is_said_in_one_line(self):
        base = self.pair()
        self.refuses("export", base, "-o", "/dev/full", "--format", "json", code=1, message=["/dev/full", "No space"])
        self.refuses("export", base, "-o", "/no/such/x.json", code=1, message=["/no/such/x.json"])


if __name__ == "__main__":
    command.main()
