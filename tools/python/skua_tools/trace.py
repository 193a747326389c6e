# SPDX-License-Identifier: MIT
"""Reads trace files, whose format is explained in skua/parts/trace/trace.md, straight into numpy arrays."""

from __future__ import annotations

import dataclasses
import json
import pathlib
from typing import Any

import numpy as np
import pandas as pd

MAGIC = b"SKUATRC1"

# The kinds of events in the order of their numbers: trace::kind of skua/parts/trace/event.hpp, which a test compares with this.
KINDS = ("none", "working", "scheduling", "idling", "sleeping", "task_began", "task_ended", "leaf", "stolen", "lost", "exposed", "sent", "parked",
         "moved", "resumed", "member_began", "member_ended", "called", "left", "region_opened", "region_closed", "mark", "message_sent",
         "message_received", "iteration_began", "iteration_ended", "flow_began", "flow_ended", "node_began", "node_ended", "released")
# What a worker does from such an event until the next one.
STATES = ("working", "scheduling", "idling", "sleeping")

READING = np.dtype([("ticks", "<u8"), ("monotonic_ns", "<u8")])
HEADER = np.dtype([("magic", "S8"), ("tracks", "<u4"), ("rank", "<u4"), ("ranks", "<u4"), ("is_virtual", "<u4"), ("track_capacity", "<u8"),
                   ("description_at", "<u8"), ("description_size", "<u8"), ("names_at", "<u8"), ("names_size", "<u8"), ("tracks_at", "<u8"),
                   ("file_bytes", "<u8"), ("wall_ns", "<u8"), ("correction_ns", "<i8"), ("first", READING), ("second", READING),
                   ("last", READING)])
CONTROL = np.dtype([("head", "<u8"), ("latest", READING), ("unused", "<u8", 13)])
EVENT = np.dtype([("ticks", "<u8"), ("kind", "u1"), ("detail", "u1"), ("count", "<u2"), ("other", "<u4"), ("id", "<u8"), ("value", "<u8")])


@dataclasses.dataclass(frozen=True)
class Trace:
    """A trace that has been read."""
    #: worker, time_ns (since the trace began), kind, detail, count, other, id, value and name; in the order of time for each worker.
    events: pd.DataFrame
    #: For each worker, how many older events were overwritten.
    lost: list[int]
    description: dict[str, Any]
    workers: int
    is_virtual: bool
    is_complete: bool

    def intervals(self) -> pd.DataFrame:
        """worker, state, begin_ns and end_ns of all that the workers did, states of one worker one after the other."""
        changes = self.events[self.events["kind"].isin(STATES)]
        table = changes[["worker", "kind", "time_ns"]].rename(columns={"kind": "state", "time_ns": "begin_ns"})
        last = int(self.events["time_ns"].max()) if len(self.events) else 0
        table["end_ns"] = table.groupby("worker")["begin_ns"].shift(-1).fillna(last).astype("int64")
        return table.reset_index(drop=True)

    def totals(self) -> pd.DataFrame:
        """Nanoseconds in each state, a row for each worker."""
        spans = self.intervals()
        spans["ns"] = spans["end_ns"] - spans["begin_ns"]
        table = spans.pivot_table(index="worker", columns="state", values="ns", aggfunc="sum", fill_value=0)
        return table.reindex(index=range(self.workers), columns=list(STATES), fill_value=0)

    def edges(self) -> pd.DataFrame:
        """worker, time_ns, from and to of the edges of flows: ids of nodes, when the first of them had ended."""
        ended = self.events[self.events["kind"].isin(("node_ended", "released"))]
        value = ended["value"].astype("uint64")
        numbers = (ended["other"].astype("uint64"), value & np.uint64(0xFFFFFFFF), value >> np.uint64(32))
        run = ended["id"].astype("uint64") & np.uint64(0xFFFFFFFF00000000)
        parts = []
        for place, number in enumerate(numbers):
            part = pd.DataFrame({"worker": ended["worker"], "time_ns": ended["time_ns"], "from": ended["id"], "to": run | number})
            parts.append(part[ended["count"] > place])
        return pd.concat(parts).sort_index(kind="stable").reset_index(drop=True)

    def utilisation(self, bins: int = 100) -> pd.Series:
        """The share of the workers that work, in so many parts of the trace of equal length; indexed by the parts' beginnings in ns."""
        end = max(int(self.events["time_ns"].max()) if len(self.events) else 0, 1)
        edges = np.linspace(0, end, bins + 1)
        busy = np.zeros(bins)
        for span in self.intervals().query("state == 'working'").itertuples():
            busy += np.clip(np.minimum(edges[1:], span.end_ns) - np.maximum(edges[:-1], span.begin_ns), 0, None)
        return pd.Series(busy / (edges[1] * max(self.workers, 1)), index=edges[:-1], name="utilisation")

    def steals(self) -> pd.DataFrame:
        """How often the row's worker stole from the column's."""
        taken = self.events[self.events["kind"] == "stolen"]
        every = range(self.workers)
        return pd.crosstab(taken["worker"], taken["other"]).reindex(index=every, columns=every, fill_value=0)

    def leaves(self) -> pd.DataFrame:
        """worker, begin_ns, end_ns, address and bytes of the leaves: each lasts until the next event of its worker."""
        table = self.events[["worker", "time_ns", "kind", "id", "value"]].copy()
        table["end_ns"] = table.groupby("worker")["time_ns"].shift(-1)
        table = table[table["kind"] == "leaf"].drop(columns="kind")
        return table.rename(columns={"time_ns": "begin_ns", "id": "address", "value": "bytes"}).reset_index(drop=True)


def read_trace(path: str | pathlib.Path) -> Trace:
    """The trace in a file. Throws ValueError, which names the file, if it is none; a file cut short gives what it has."""
    data = pathlib.Path(path).read_bytes()
    if len(data) < HEADER.itemsize or not data.startswith(MAGIC):
        raise ValueError(f"{path} is no trace of Skua: it does not begin with {MAGIC.decode()}")
    head = np.frombuffer(data, HEADER, 1)[0]
    names = data[int(head["names_at"]):int(head["names_at"] + head["names_size"])]
    text = data[int(head["description_at"]):int(head["description_at"] + head["description_size"])]
    capacity, at = int(head["track_capacity"]), int(head["tracks_at"])
    track_bytes = CONTROL.itemsize + capacity * EVENT.itemsize
    tracks, controls, lost = [], [], []
    for worker in range(int(head["tracks"])):
        begin = at + worker * track_bytes
        if begin + CONTROL.itemsize > len(data):
            lost.append(0)
            continue
        control = np.frombuffer(data, CONTROL, 1, begin)[0]
        room = min(capacity, (len(data) - begin - CONTROL.itemsize) // EVENT.itemsize)
        ring = np.frombuffer(data, EVENT, room, begin + CONTROL.itemsize)
        written = int(control["head"])
        kept = min(written, capacity)
        places = (np.arange(written - kept, written, dtype=np.uint64) % np.uint64(max(capacity, 1))).astype(np.int64)
        places = places[places < room]
        lost.append(written - len(places))
        controls.append(control)
        tracks.append((worker, ring[places]))
    return Trace(_table(tracks, _clock(head, controls), names), lost, json.loads(text.decode("utf-8") or "{}"), int(head["tracks"]),
                 bool(head["is_virtual"]), bool(head["last"]["ticks"]))


def _clock(head: np.void, controls: list[np.void]) -> tuple[int, float]:
    """The first tick, and nanoseconds per tick: a line through the first and the last pair of readings."""
    first = head["first"]
    if head["is_virtual"]:
        return 0, 1.0
    pairs = [head["second"], head["last"], *(c["latest"] for c in controls)]
    last = max(pairs, key=lambda p: int(p["ticks"]))
    ticks = int(last["ticks"]) - int(first["ticks"])
    return int(first["ticks"]), (int(last["monotonic_ns"]) - int(first["monotonic_ns"])) / ticks if ticks > 0 else 1.0


NAMED = ("task_began", "member_began", "node_began", "region_opened", "mark")


def _table(tracks: list[tuple[int, np.ndarray]], clock: tuple[int, float], names: bytes) -> pd.DataFrame:
    first, ns_per_tick = clock
    parts = []
    for worker, events in tracks:
        ticks = (events["ticks"].astype(np.int64) - np.int64(first)).clip(min=0)
        part = pd.DataFrame({name: events[name] for name in ("detail", "count", "other", "id", "value")})
        part.insert(0, "kind", [KINDS[k] if k < len(KINDS) else "unknown" for k in events["kind"]])
        part.insert(0, "time_ns", (ticks * ns_per_tick).round().astype(np.int64))
        part.insert(0, "worker", worker)
        parts.append(part)
    if not parts:
        return pd.DataFrame(columns=["worker", "time_ns", "kind", "detail", "count", "other", "id", "value", "name"])
    table = pd.concat(parts, ignore_index=True)
    table["name"] = [_text(names, other) if kind in NAMED else "" for kind, other in zip(table["kind"], table["other"])]
    return table


def _text(names: bytes, at: int) -> str:
    end = names.find(b"\0", at)
    return names[at:end if end >= 0 else len(names)].decode("utf-8", "replace")
