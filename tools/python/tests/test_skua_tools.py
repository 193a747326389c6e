# SPDX-License-Identifier: MIT
"""skua_tools against files that follow the format (skua/parts/trace/trace.md): what is written is what is read."""

import json
import pathlib
import re

import numpy as np
import pytest

from skua_tools import command, draw, look, read_results, read_trace, speed_up
from skua_tools import trace as format

ROOT = pathlib.Path(__file__).resolve().parents[3]


def write_trace(path, tracks, capacity=8, virtual=True, ns_per_tick=1.0, ended=True):
    """Tracks are lists of (ticks, kind, fields)."""
    names = b"\0fib\0"
    head = np.zeros(1, format.HEADER)
    description = b'{"policy": "random"}'
    head["magic"], head["tracks"], head["ranks"], head["is_virtual"], head["track_capacity"] = format.MAGIC, len(tracks), 1, virtual, capacity
    head["description_at"], head["description_size"] = 4096, len(description)
    head["names_at"], head["names_size"], head["tracks_at"] = 5000, len(names), 8192
    head["first"], head["second"] = (1000, 0), (2000, round(1000 * ns_per_tick))
    if ended:
        head["last"] = (5000, round(4000 * ns_per_tick))
    data = bytearray(8192)
    data[:head.nbytes] = head.tobytes()
    data[4096:4096 + len(description)] = description
    data[5000:5000 + len(names)] = names
    for events in tracks:
        control, ring = np.zeros(1, format.CONTROL), np.zeros(capacity, format.EVENT)
        control["head"] = len(events)
        for at, (ticks, kind, fields) in enumerate(events):
            slot = at % capacity
            ring[slot] = np.zeros(1, format.EVENT)[0]
            ring[slot]["ticks"], ring[slot]["kind"] = ticks, format.KINDS.index(kind)
            for name, value in fields.items():
                ring[slot][name] = value
        data += control.tobytes() + ring.tobytes()
    path.write_bytes(data)
    return path


@pytest.fixture
def two_workers(tmp_path):
    return write_trace(tmp_path / "t", [
        [(0, "working", {}), (0, "task_began", {"other": 1, "id": 7}), (20, "leaf", {"id": 4096, "value": 64}), (60, "idling", {}), (100, "sleeping", {})],
        [(0, "scheduling", {}), (50, "stolen", {"other": 0, "count": 2}), (50, "working", {}), (100, "scheduling", {})]])


def test_events_states_and_steals_are_those_that_were_written(two_workers):
    trace = read_trace(two_workers)
    assert (trace.workers, trace.is_virtual, trace.is_complete, trace.lost) == (2, True, True, [0, 0])
    assert trace.description == {"policy": "random"}
    assert list(trace.events["kind"][:3]) == ["working", "task_began", "leaf"]
    assert list(trace.events["name"][:2]) == ["", "fib"]
    assert trace.totals().loc[0].to_dict() == {"working": 60, "scheduling": 0, "idling": 40, "sleeping": 0}
    assert trace.totals().loc[1].to_dict() == {"working": 50, "scheduling": 50, "idling": 0, "sleeping": 0}
    assert trace.steals().to_numpy().tolist() == [[0, 0], [1, 0]]
    assert trace.leaves().to_dict("records") == [{"worker": 0, "begin_ns": 20, "address": 4096, "bytes": 64, "end_ns": 60}]
    assert trace.utilisation(2).tolist() == [0.5, 0.6]  # 50 of 100, then 10 + 50 of 100


def test_edges_of_flows_are_taken_out_of_the_events_that_hold_them(tmp_path):
    run = 3 << 32
    trace = read_trace(write_trace(tmp_path / "t", [
        [(0, "node_began", {"id": run, "other": 1}), (9, "node_ended", {"id": run, "count": 3, "other": 1, "value": 4 << 32 | 2}),
         (9, "released", {"id": run, "count": 1, "other": 5})],
        [(20, "node_ended", {"id": run + 4})]]))
    assert trace.events["name"][0] == "fib"
    assert trace.edges().to_dict("records") == [{"worker": 0, "time_ns": 9, "from": run, "to": run + to} for to in (1, 2, 4, 5)]
    assert len(read_trace(write_trace(tmp_path / "none", [[(0, "working", {})]])).edges()) == 0


def test_a_full_ring_keeps_the_newest_events_in_the_order_of_time(tmp_path):
    trace = read_trace(write_trace(tmp_path / "t", [[(i, "mark", {"value": i}) for i in range(11)]]))
    assert trace.lost == [3]
    assert list(trace.events["value"]) == list(range(3, 11))


def test_ticks_become_nanoseconds_by_the_clock_readings(tmp_path):
    for ended in (True, False):
        trace = read_trace(write_trace(tmp_path / "t", [[(1000, "working", {}), (3000, "idling", {})]], virtual=False, ns_per_tick=0.5, ended=ended))
        assert list(trace.events["time_ns"]) == [0, 1000]
        assert trace.is_complete == ended


def test_a_file_that_is_cut_short_gives_what_it_has(two_workers):
    data = two_workers.read_bytes()
    whole = read_trace(two_workers)
    for size in range(8192, len(data), 16):
        two_workers.write_bytes(data[:size])
        assert len(read_trace(two_workers).events) <= len(whole.events)


def test_another_file_is_refused_by_name(tmp_path):
    (tmp_path / "x").write_text("no trace")
    with pytest.raises(ValueError, match="x is no trace"):
        read_trace(tmp_path / "x")


def test_the_layout_is_that_of_the_headers():
    event = (ROOT / "skua/parts/trace/event.hpp").read_text()
    names = re.search(r"names\{(.*?)\};", event, re.S)[1]
    assert tuple(re.findall(r'"(\w+)"', names)) == format.KINDS
    assert (format.EVENT.itemsize, format.CONTROL.itemsize) == (32, 128)
    fields = re.search(r"struct header \{(.*?)\n\};", (ROOT / "skua/parts/trace/trace_format.hpp").read_text(), re.S)[1]
    fields = re.sub(r"//.*|=[^,;]*", "", fields)
    declared = [n.strip() for line in re.findall(r"[\w:]+ ([^;]+);", fields) for n in line.split(",")]
    assert [n.replace("magic_number", "magic") for n in declared] == list(format.HEADER.names)


def test_the_look_is_that_of_all_pictures():
    header = (ROOT / "apps/picture/look.hpp").read_text()
    assert dict(re.findall(r'paint_of\("([\w-]+)", 0x(\w{6}), 0x\w{6}\)', header)) == {n: c.removeprefix("#") for n, c in look.PAINTS.items()}
    assert len(look.PAINTS) == header.count('paint_of("')
    dashes = {name: tuple(map(int, dash.split())) for name, dash in re.findall(r'(\w+)_dash = "([\d ]+)"', header)}
    assert dashes == look.DASHES
    sizes = {name: float(size) for name, size in re.findall(r"double (\w+) = (\d+);", header)}
    assert (look.CURVE_WIDTH, look.DOT_SIZE) == (sizes["curve_width"], sizes["dot_size"])
    assert len(look.SERIES) == 8
    forms = re.search(r"enum class form : std::uint8_t \{ (.*?) \};", (ROOT / "apps/picture/svg.hpp").read_text())[1].split(", ")
    names = {"o": "circle", "s": "square", "^": "triangle", "D": "diamond", "v": "inverted_triangle", "x": "cross"}
    assert [names[mark] for mark in look.MARKS] == forms


def test_plots_have_these_colours_and_no_other(two_workers, result):
    from matplotlib import colors, pyplot
    figure, axes = pyplot.subplots()
    draw.speed_up(axes, speed_up(read_results(result)))
    drawn = [colors.to_hex(line.get_color()) for line in axes.lines]
    assert drawn == [*look.SERIES[:len(drawn) - 1], look.PAINTS["soft"]]
    figure, axes = pyplot.subplots()
    draw.tasks(axes, read_trace(two_workers))
    filled = {colors.to_hex(c.get_facecolor()[0]) for c in axes.collections}
    assert filled == {look.PAINTS[name] for name in ("work", "scheduling", "idle", "asleep")}
    pyplot.close("all")


@pytest.fixture
def result(tmp_path):
    rows = [{"runner": r, "workers": w, "median_s": t, "verified": True, "simulated": False}
            for r, w, t in (("serial", 1, 8.0), ("random", 1, 10.0), ("random", 2, 5.0), ("adws", 1, 10.0), ("adws", 2, None))]
    path = tmp_path / "r.json"
    path.write_text(json.dumps({"subcommand": "compare", "app": "fib", "rows": rows}))
    return path


def test_results_become_speed_up(result):
    table = read_results(result)
    assert set(table["app"]) == {"fib"}
    assert speed_up(table).loc[2, "random"] == 2.0
    assert speed_up(table, "serial").loc[2, "random"] == 1.6
    with pytest.raises(KeyError, match="no runner is called tbb"):
        speed_up(table, "tbb")


@pytest.mark.parametrize("what", ["utilisation", "totals", "steals", "tasks", "speed-up"])
def test_every_plot_is_drawn(what, two_workers, result, tmp_path):
    picture = tmp_path / "p.svg"
    assert command.main([what, str(result if what == "speed-up" else two_workers), str(picture)]) == 0
    assert "<svg" in picture.read_text()


def test_a_senseless_request_says_why(result, tmp_path, capsys):
    assert command.main(["utilisation", str(result), str(tmp_path / "p.svg")]) == 2
    assert "is no trace" in capsys.readouterr().err
