// SPDX-License-Identifier: MIT
// Who is compared: names, colours, and groups by number of workers.

const SERIES = palette("series").length;

/** A colour for each name, the same in all figures; the serial elision, which is what the others are held against, is grey. */
function paintsOf(rows) {
  const names = [...new Set(rows.filter((r) => r.kind !== "serial").map((r) => r.runner))];
  return new Map([["serial", "soft"], ...names.map((name, i) => [name, `series-${i % SERIES}`])]);
}

/** Colours repeat after the eighth; the lines of the next eight are dashed. */
function dashOf(names, name) {
  return [undefined, "second-dash", "third-dash"][Math.floor(names.indexOf(name) / SERIES)];
}

/** [[workers, rows], ...]: the serial elision stands with the fewest workers, though they may be more than its one. */
function byWorkers(rows, counts) {
  return counts.map((n, i) => [n, rows.filter((r) => (r.kind === "serial" ? i === 0 : r.workers === n))]);
}

/** The name of a row where those of `title`, "2 workers", stand together. */
const nameIn = (title, row) => (row.kind === "serial" && title !== words(1, "worker") ? `${row.runner} (alone)` : row.runner);

const isRight = (row) => row.wrong_answers === 0;

/** What stands beside a name: nothing, or why the row does not count. */
const flaw = (row) => (isRight(row) ? "" : ` \u2013 ${words(row.wrong_answers, "wrong answer")}`);

/** "1.23" */
const ratio = (x) => (x < 0.1 ? x.toPrecision(2) : x.toFixed(2));
const within = (spread, show) => `${show(spread.low)} to ${show(spread.high)}`;
