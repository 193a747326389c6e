# SPDX-License-Identifier: MIT
"""Traces and results of Skua as pandas tables."""

from .results import read_results, speed_up
from .trace import Trace, read_trace

__all__ = ["Trace", "read_results", "read_trace", "speed_up"]
