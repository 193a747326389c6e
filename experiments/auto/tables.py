# SPDX-License-Identifier: MIT
"""The tables of README.md, as text. Everything between `<!-- begin: tables -->` and `<!-- end: tables -->` is the command's."""

import cases
import ratios

BEGIN, END = "<!-- begin: tables -->", "<!-- end: tables -->"
SKELETON = f"# `auto` and the best fixed policy, app by app\n\n{BEGIN}\n{END}\n"
REAL = "real"  # in place of a machine model


def in_ms(seconds):
    return f"{1e6 * seconds:.3g} us" if seconds < 1e-3 else f"{1e3 * seconds:.3g} ms"


def ratio3(value):
    return "-" if value is None else f"{value:.3f}"


def ratio(value):
    return "-" if value is None else f"{value:.2f}" if value < 10 else f"{value:.0f}"


def verdict(value, most):
    return "-" if value is None else f"{value:.3f} ({'holds' if value <= most else 'missed'})"


def name_of(machine, workers):
    return f"{workers} real workers" if machine == REAL else f"{machine}, {workers} workers"


def table(head, rows):
    return ["| " + " | ".join(head) + " |", "|" + "---|" * len(head), *("| " + " | ".join(row) + " |" for row in rows)]


# --- summary ----------------------------------------------------------------------------------------------------------

def summary_row(name, results):
    known, new = ([r for r in results if r.case.is_new is is_new] for is_new in (False, True))
    rated = [r for r in results if r.ratio is not None]
    worst = max(rated, key=lambda r: r.ratio, default=None)
    beyond = sum(r.is_beyond_spread is True for r in ratios.over_best_misses(results))
    return [name, f"{sum(r.differs for r in results)} of {len(results)}", verdict(ratios.mean_of(results), ratios.MOST_IN_MEAN),
            ratio3(ratios.mean_of(known)), ratio3(ratios.mean_of(new)), f"{worst.ratio:.2f} ({worst.case.name})" if worst else "-",
            f"{len(ratios.over_best_misses(results))} ({beyond})", str(len(ratios.over_random_misses(results)))]


def summary(found):
    head = ["machine", "inputs where policies differ", f"mean of auto / best (at most {ratios.MOST_IN_MEAN})", "known inputs", "new inputs",
            "worst", f"above {ratios.MOST} (beyond the spread)", f"above {ratios.MOST_OF_RANDOM} of random"]
    return table(head, (summary_row(name_of(*key), results) for key, results in found.items()))


# --- misses -----------------------------------------------------------------------------------------------------------

def shares(result, name):
    """Where the workers' time went under this policy: percent of the time of all of them."""
    row = next((r for r in result.document.get("rows", []) if r["runner"] == name), None)
    if row is None or row.get("work_s") is None:
        return "-"
    all_s = row["median_s"] * row["workers"]
    far = sum(row.get(key, 0) for key in ("remote_memory_bytes", "remote_cache_bytes"))
    return (f"{100 * row['work_s'] / all_s:.0f} / {100 * row['scheduling_s'] / all_s:.0f} / {100 * row['idle_s'] / all_s:.0f}, "
            f"{row['steals']}, {far / 2**20:.3g}")


def miss_rows(found):
    for (machine, workers), results in found.items():
        of_best, of_random = ratios.over_best_misses(results), ratios.over_random_misses(results)
        for r in dict.fromkeys([*of_best, *of_random]):
            yield [name_of(machine, workers), f"`{r.case.name}`", ratio3(r.ratio), r.best, {True: "yes", False: "no", None: "-"}[r.is_beyond_spread],
                   ratio3(r.over_random), shares(r, cases.AUTO), shares(r, r.best)]


def misses(found):
    rows = list(miss_rows(found))
    if not rows:
        return ["No input misses."]
    head = ["machine", "input", "auto / best", "best", "beyond the spread", "auto / random", "auto: work / scheduling / idle %, steals, far MiB", "best: the same"]
    return table(head, rows)


# --- one machine --------------------------------------------------------------------------------------------------------

def policies_in(results):
    names = [*cases.SEVEN, *(name for of_kind in cases.COMBINATIONS.values() for name in of_kind)]
    return [name for name in dict.fromkeys(names) if any(name in r.fixed for r in results)]


def machine_row(result, policies):
    of = [("**1.00**" if name == result.best else ratio(result.over_best(name))) if name in result.fixed else "failed" if name in result.failed else ""
          for name in policies]
    chosen, trials, lost = ratios.explored(result.report)
    explored = f"{trials}, {lost:.2g} %" if trials else ""
    least = result.fixed[result.best] if result.best else None
    spread = f"{result.auto.least / least.median:.2f} .. {result.auto.most / least.median:.2f}" if result.auto and least and result.auto.runs > 1 else "-"
    auto = "failed" if cases.AUTO in result.failed else ratio3(result.ratio)
    return [f"`{result.case.name}`", "new" if result.case.is_new else "", in_ms(least.median) if least else "-", f"**{auto}**", spread, *of,
            ", ".join(chosen), explored]


def machine_table(results):
    policies = policies_in(results)
    head = ["input", "", "best", "auto", "spread", *policies, "chosen", "trials, lost"]
    return table(head, (machine_row(r, policies) for r in results))


# --- the page -------------------------------------------------------------------------------------------------------------

def states_of(found):
    """The commits that made the results, with how many each."""
    commits = [r.document.get("commit", "unknown") for results in found.values() for r in results]
    return ", ".join(f"{commit} ({commits.count(commit)})" for commit in dict.fromkeys(commits))


def seeds_of(found):
    counts = sorted({r.document.get("seeds", 1) for (machine, _), results in found.items() if machine != REAL for r in results})
    return " or ".join(map(str, counts))


def warm_up_of(found):
    return max(r.document.get("warm_up_runs", 0) for results in found.values() for r in results)


def tables(found):
    if not found:
        return ["No results."]
    lines = [f"State of the code, with the number of results: {states_of(found)}.", ""]
    if seeds_of(found):
        lines += [f"Simulated times are medians of {seeds_of(found)} seeds{f', after {warm_up_of(found)} runs in the same pool' * (warm_up_of(found) > 0)}; leaves without arithmetic are timed on the machine that ran the command.", ""]
    lines += ["## Summary", "", *summary(found), "", "## Where `auto` misses", "", *misses(found), ""]
    for key, results in found.items():
        lines += [f"## {name_of(*key)[0].upper()}{name_of(*key)[1:]}", "", *machine_table(results), ""]
    return lines[:-1]


def page_of(found, page):
    """The page with its tables replaced."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the page has no {BEGIN} and {END}")
    return "\n".join([before + begin, "", *tables(found), "", end + after])
