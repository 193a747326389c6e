# SPDX-License-Identifier: MIT
"""The look of all of Skua's pictures and pages on light ground. apps/picture/look.hpp decides it; a test compares the two."""

from __future__ import annotations

PAINTS = {
    "page": "#f6f7f8", "card": "#ffffff", "ink": "#1b1f24", "soft": "#57606a", "line": "#d5dade", "accent": "#0063a6",
    "warn": "#fff1d6", "warn-line": "#d98e00", "work": "#0072b2", "scheduling": "#e69f00", "idle": "#d58bb4", "asleep": "#c3c9cf",
    "unknown": "#ffffff", "overlap": "#009e73", "steal": "#d55e00", "send": "#009e73", "heat-low": "#e3eff8", "heat-high": "#08306b",
    "empty": "#eef0f2", "lost": "#b4bbc2", "series-0": "#0072b2", "series-1": "#d98200", "series-2": "#009e73", "series-3": "#b5538f",
    "series-4": "#2f9bd6", "series-5": "#8e2800", "series-6": "#8c6e00", "series-7": "#4a2f75"}
SERIES = [colour for name, colour in PAINTS.items() if name.startswith("series-")]
CURVE_WIDTH = 2.0  # pixels
DOT_SIZE = 5.0
DASHES = {"second": (7, 4), "third": (2, 3), "ideal": (4, 4)}

# What each curve has beside its colour, for those who do not see colours: marks as in apps/picture/svg.hpp, then dashes.
MARKS = ["o", "s", "^", "D", "v", "x"]
LINES = ["solid", (0, DASHES["second"]), (0, DASHES["third"])]
POINTS_PER_PIXEL = 0.75

# For matplotlib.rc_context.
STYLE = {
    "figure.facecolor": PAINTS["card"], "axes.facecolor": PAINTS["card"], "savefig.facecolor": PAINTS["card"],
    "text.color": PAINTS["ink"], "axes.labelcolor": PAINTS["soft"], "axes.edgecolor": PAINTS["line"], "legend.edgecolor": PAINTS["line"],
    "xtick.color": PAINTS["line"], "xtick.labelcolor": PAINTS["soft"], "ytick.color": PAINTS["line"], "ytick.labelcolor": PAINTS["soft"],
    "grid.color": PAINTS["line"], "lines.linewidth": CURVE_WIDTH * POINTS_PER_PIXEL, "lines.markersize": DOT_SIZE * POINTS_PER_PIXEL}


def curve(nth: int) -> dict:
    """How the nth curve of a picture is drawn: arguments of Axes.plot."""
    return {"color": SERIES[nth % len(SERIES)], "marker": MARKS[nth % len(MARKS)], "linestyle": LINES[nth // len(SERIES) % len(LINES)]}
