# SPDX-License-Identifier: MIT
"""Inserts all faults into a source at once. Lines stay where they are, so that a compiler's error leads to its faults."""

from faults.sites import Edit


def runs_of(sites):
    """Exchanges of neighbours in a row: the pairs 1-2, 2-3, ... of one run share a loop, as a statement stands in one only."""
    runs, open_runs = [], {}
    for site in sorted((s for s in sites if s.pair), key=lambda s: s.pair):
        run = open_runs.pop(site.pair[0], None)
        if run is None:
            run = []
            runs.append(run)
        run.append(site)
        open_runs[site.pair[1]] = run
    return runs


def edits_of_run(run):
    statements = [run[0].pair[0], *(s.pair[1] for s in run)]
    numbers = ", ".join(f"{s.number}u" for s in run)
    edits = [Edit(statements[0][0], f"for (unsigned step_ = 0; step_ < {len(statements)}u; ++step_) "
                                    f"switch (::planted::turn(step_, {{{numbers}}})) {{ case 0: ")]
    edits += [Edit(begin, f"break; case {i}: ") for i, (begin, _) in enumerate(statements[1:], 1)]
    edits.append(Edit(statements[-1][1], " break; }", True))
    return edits


def rewritten(source, sites):
    """`source` (bytes) with the faults of `sites`."""
    text = source.decode("latin-1")
    runs = runs_of(sites)
    # Outer before inner: a run around its statements, then by where a site begins, the longer one first.
    ordered = [((run[0].begin, -run[-1].end, 0), edits_of_run(run)) for run in runs]
    for site in sites:
        if not site.pair:
            edits = [Edit(e.at, e.text.format(id=f"{site.number}u") if e.text else "", e.closes, e.length) for e in site.edits]
            ordered.append(((site.begin, -site.end, 1), edits))
    ordered.sort(key=lambda o: o[0])
    every = [(e, rank) for rank, (_, edits) in enumerate(ordered) for e in edits]
    # At one place: what closes comes first, the inner one before the outer; then what opens, the outer one before the inner;
    # what replaces comes last, as it stands for what follows.
    every.sort(key=lambda p: (p[0].at, 0 if p[0].closes else 1 if p[0].length == 0 else 2, -p[1] if p[0].closes else p[1]))
    out, at = [], 0
    for edit, _ in every:
        if edit.at < at:
            raise ValueError(f"edits overlap at byte {edit.at}")
        out.append(text[at:edit.at])
        out.append(edit.text)
        at = edit.at + edit.length
    out.append(text[at:])
    return "".join(out).encode("latin-1")
