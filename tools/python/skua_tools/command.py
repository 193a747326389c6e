# SPDX-License-Identifier: MIT
"""skua-plot: draws a trace or a result into a picture."""

from __future__ import annotations

import argparse
import sys

import matplotlib

from . import draw, look
from .results import read_results, speed_up
from .trace import read_trace

TRACE_PLOTS = {"utilisation": draw.utilisation, "totals": draw.totals, "steals": draw.steals, "tasks": draw.tasks}


def main(arguments: list[str] | None = None) -> int:
    """Returns the exit code: 0, or 2 if the request makes no sense."""
    parser = argparse.ArgumentParser(prog="skua-plot", description=__doc__)
    parser.add_argument("what", choices=[*TRACE_PLOTS, "speed-up"])
    parser.add_argument("input", help="a trace file, or for speed-up what skua compare --json or sim --json wrote")
    parser.add_argument("output", help="the picture: .png, .svg or .pdf")
    parser.add_argument("--baseline", help="speed-up: over this runner on its fewest workers; default: each over itself")
    chosen = parser.parse_args(arguments)
    matplotlib.use("Agg")
    from matplotlib import pyplot  # after the choice of Agg, so that no display is asked for

    with matplotlib.rc_context(look.STYLE):
        figure, axes = pyplot.subplots(figsize=(8, 4.5), layout="constrained")
        try:
            if chosen.what == "speed-up":
                draw.speed_up(axes, speed_up(read_results(chosen.input), chosen.baseline))
            else:
                TRACE_PLOTS[chosen.what](axes, read_trace(chosen.input))
            figure.savefig(chosen.output)
        except (OSError, ValueError, KeyError) as fault:
            print(f"skua-plot: {fault.args[0] if isinstance(fault, KeyError) else fault}", file=sys.stderr)
            return 2
        finally:
            pyplot.close(figure)
    return 0


if __name__ == "__main__":
    sys.exit(main())
