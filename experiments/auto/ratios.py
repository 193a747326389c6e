# SPDX-License-Identifier: MIT
"""What follows from the times of one case: ratios to the best fixed policy, and whether they meet the targets."""

import dataclasses
import math
import re

MOST = 1.05         # of the best fixed policy's time, in each case
MOST_IN_MEAN = 1.01  # the same, geometric mean
MOST_OF_RANDOM = 1.02
DIFFERENCE = 1.05   # policies differ in a case if the slowest fixed one takes so much of the best one's time


@dataclasses.dataclass(frozen=True)
class Times:
    """Of one policy: the median of its runs, and the fastest and the slowest of them, in seconds."""
    median: float
    least: float
    most: float
    runs: int = 1


@dataclasses.dataclass(frozen=True, eq=False)
class Result:
    """One case on one machine. `fixed` and `auto` have the times of those that ran; a policy that failed is missing."""
    case: object
    fixed: dict
    auto: Times | None
    report: str = ""    # of auto, one line per call site
    failed: dict = dataclasses.field(default_factory=dict)    # policy: why
    document: dict = dataclasses.field(default_factory=dict)  # of the command

    @property
    def best(self):
        """The name of the fastest fixed policy; None if none ran."""
        return min(self.fixed, key=lambda name: self.fixed[name].median, default=None)

    def over_best(self, name):
        """The time of a fixed policy over that of the best; None if it failed."""
        return self.fixed[name].median / self.fixed[self.best].median if name in self.fixed else None

    @property
    def ratio(self):
        """The time of auto over that of the best fixed policy; None if either is missing."""
        return self.auto.median / self.fixed[self.best].median if self.auto and self.fixed else None

    @property
    def over_random(self):
        return self.auto.median / self.fixed["only:random"].median if self.auto and "only:random" in self.fixed else None

    @property
    def differs(self):
        """Whether it matters which fixed policy one takes."""
        return len(self.fixed) > 1 and max(t.median for t in self.fixed.values()) >= DIFFERENCE * self.fixed[self.best].median

    @property
    def is_beyond_spread(self):
        """No run of auto was as fast as the slowest run of the best fixed policy. None: there was one run of each, so nobody knows."""
        if self.auto is None or not self.fixed or self.auto.runs < 2:
            return None
        return self.auto.least > self.fixed[self.best].most


def geometric_mean(values):
    """None of no values."""
    values = list(values)
    return math.exp(sum(math.log(v) for v in values) / len(values)) if values else None


def mean_of(results):
    """The geometric mean of auto's ratios to the best, of the cases where policies differ."""
    return geometric_mean(r.ratio for r in results if r.ratio is not None and r.differs)


def over_best_misses(results):
    """Those further from the best than MOST, the furthest first."""
    return sorted((r for r in results if r.ratio is not None and r.ratio > MOST), key=lambda r: -r.ratio)


def over_random_misses(results):
    return sorted((r for r in results if r.over_random is not None and r.over_random > MOST_OF_RANDOM), key=lambda r: -r.over_random)


# "auto: NAME: adws (the first choice), 1 calls of 9.2 us; 0 trials lost 0 % of the time"
LINE = re.compile(r": ([\w-]+) \((?:the first choice|it spawns|its calls are short|measured)[^;]*;[^;]*; (\d+) trials?(?: lost ([\d.e+-]+) %)?")


def explored(report):
    """(schedulers chosen, trials, percent of the time that they lost) of auto's report; of several call sites the largest loss."""
    found = LINE.findall(report)
    return list(dict.fromkeys(name for name, _, _ in found)), sum(int(n) for _, n, _ in found), max((float(lost or 0) for _, _, lost in found), default=0.0)
