# SPDX-License-Identifier: MIT
"""Draws traces and results with matplotlib, in the colours of Skua's other pictures. Every function draws into an Axes and
returns it; look.STYLE sets the colours of the axes themselves."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap

from . import look
from .trace import STATES, Trace

COLOURS = {"working": look.PAINTS["work"], "scheduling": look.PAINTS["scheduling"], "idling": look.PAINTS["idle"],
           "sleeping": look.PAINTS["asleep"]}
HEAT = LinearSegmentedColormap.from_list("skua", [look.PAINTS["heat-low"], look.PAINTS["heat-high"]])


def utilisation(axes: Axes, trace: Trace) -> Axes:
    """The share of workers that work, over time."""
    share = trace.utilisation()
    axes.fill_between(share.index / 1e6, share.to_numpy(), step="post", color=COLOURS["working"])
    axes.set(xlabel=_time_label(trace), ylabel="share of workers at work", ylim=(0, 1))
    return axes


def totals(axes: Axes, trace: Trace) -> Axes:
    """Where each worker's time went."""
    (trace.totals() / 1e6).plot.barh(stacked=True, ax=axes, color=[COLOURS[s] for s in STATES], width=0.8)
    axes.set(xlabel=_time_label(trace), ylabel="worker")
    return axes


def steals(axes: Axes, trace: Trace) -> Axes:
    """Who stole from whom, and how often."""
    image = axes.imshow(trace.steals().to_numpy(), cmap=HEAT, interpolation="nearest")
    axes.figure.colorbar(image, ax=axes, label="steals")
    axes.set(xlabel="victim", ylabel="thief")
    return axes


def tasks(axes: Axes, trace: Trace) -> Axes:
    """Which worker did what, over time."""
    for (worker, state), spans in trace.intervals().groupby(["worker", "state"]):
        bars = [(b / 1e6, (e - b) / 1e6) for b, e in zip(spans["begin_ns"], spans["end_ns"])]
        axes.broken_barh(bars, (worker - 0.4, 0.8), facecolors=COLOURS[state])
    axes.set(xlabel=_time_label(trace), ylabel="worker")
    return axes


def speed_up(axes: Axes, table: pd.DataFrame) -> Axes:
    """Curves of skua_tools.speed_up, and the ideal."""
    for nth, runner in enumerate(table.columns):
        axes.plot(table.index, table[runner], label=runner, **look.curve(nth))
    axes.plot(table.index, table.index / table.index.min(), linestyle=(0, look.DASHES["ideal"]), color=look.PAINTS["soft"], label="ideal")
    axes.set(xlabel="workers", ylabel="speed-up")
    axes.legend()
    return axes


def _time_label(trace: Trace) -> str:
    return "ms (simulated)" if trace.is_virtual else "ms"
