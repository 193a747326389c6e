# SPDX-License-Identifier: MIT
"""Reads what `skua run`, `compare`, `sim` and `experiment` write with --json (docs/json.md)."""

from __future__ import annotations

import json
import pathlib

import pandas as pd


def read_results(path: str | pathlib.Path) -> pd.DataFrame:
    """The rows of a document, one a row; app and subcommand stand in columns of these names. Throws ValueError if there are no rows."""
    document = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    if not isinstance(document, dict) or not isinstance(document.get("rows"), list):
        raise ValueError(f"{path} is no result of Skua: an object with `rows`, as skua compare --json writes it")
    table = pd.json_normalize(document["rows"])
    for key in ("subcommand", "app"):
        if key in document and key not in table:
            table.insert(0, key, document[key])
    return table


def speed_up(table: pd.DataFrame, baseline: str | None = None) -> pd.DataFrame:
    """Speed over one worker: a row for each number of workers, a column for each runner. With `baseline` all are compared with this runner on its
    fewest workers (`serial`); else each with itself on its fewest workers. Throws KeyError for a baseline that is not there."""
    times = table.dropna(subset=["median_s"]).pivot_table(index="workers", columns="runner", values="median_s", aggfunc="median")
    if baseline is not None and baseline not in times:
        raise KeyError(f"no runner is called {baseline}; there are: {', '.join(times)}")
    own = times.apply(lambda column: column.dropna().iloc[0])
    return own[baseline] / times if baseline is not None else own / times
