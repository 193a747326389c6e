// SPDX-License-Identifier: MIT
// Charts with a row for each thing that is compared: bars or dots with their spread, and bars of several parts. The name stands
// to the left of its row, or above it where the page is narrow; what it comes to stands to the right.

/**
 *   rows       [{name, text, faded}, ...] and what `bars` needs
 *   from, to   ends of the x axis
 *   xTitle
 *   marks      [[value, text], ...]: vertical lines
 *   bars       (row, at) => elements; `at` takes a value to its place in percent
 *   describe   row => text
 */
function rowChart(panel, {name, title, label, rows, from, to, xTitle, marks = [], bars, describe, table, legends}) {
  const at = (value) => 100 * (clamp(value, from, to) - from) / (to - from);
  const placed = (tag, of, value, ...words) => make(tag, {class: of, style: `left:${at(value)}%`}, ...words);
  const ticks = ticksBetween(from, to, 6);
  const cursor = make("i", {class: "cursor", hidden: true});
  const behind = make("div", {class: "behind", style: `grid-row:2 / span ${rows.length}`}, ticks.map((v) => placed("i", "line x", v)));
  const drawing = make("div", {class: "rows", style: `grid-template-rows:auto repeat(${rows.length}, 1fr) auto`},
    make("div", {class: "labels marks"}, marks.map(([v, words]) => make("span", {style: `left:${at(v)}%;transform:translateX(-${at(v)}%)`}, words))), behind,
    rows.map((row, i) => make("div", {class: row.faded ? "row faded" : "row", style: `grid-row:${i + 2}`},
      make("span", {class: "name"}, row.name), make("div", {class: "track"}, bars(row, at)), make("span", {class: "value"}, row.text))),
    make("div", {class: "behind", style: `grid-row:2 / span ${rows.length}`}, marks.map(([v]) => placed("i", "line x mark", v))), cursor,
    make("div", {class: "axis"}, make("div", {class: "labels xs"}, ticks.map((v) => placed("span", "", v, tickText(v)))), make("span", {class: "title"}, xTitle)));
  return figure(panel, {
    name, title, label, legends, table, drawing, rows: rows.length, columns: 1,
    area: {getBoundingClientRect: () => new DOMRect(drawing.getBoundingClientRect().x, behind.getBoundingClientRect().y, drawing.clientWidth, behind.clientHeight)},
    mark(r) {
      cursor.hidden = false;
      cursor.style.gridRow = r + 2;
    },
    describe: (r) => describe(rows[r]),
  });
}

/** A bar from 0, or a dot, with its spread: a line with ends from the low to the high one. Below it, a tick for each of `each`. */
function spreadBar(at, {paint, low, middle, high, each = [], dot}) {
  return [make("i", {class: dot ? "dot" : "bar", style: `left:${at(dot ? middle : 0)}%;${dot ? "" : `width:${at(middle) - at(0)}%;`}background:var(--${paint})`}),
    ...each.map((value) => make("i", {class: "tick", style: `left:${at(value)}%`})),
    make("i", {class: "spread", style: `left:${at(low)}%;width:${at(high) - at(low)}%;${dot ? `color:var(--${paint})` : ""}`})];
}

/** A bar of parts, [[paint, value], ...]. */
function partsBar(at, parts) {
  let sum = 0;
  return parts.map(([paint, value]) => {
    const from = at(sum);
    sum += value;
    return make("i", {class: "bar", style: `left:${from}%;width:${at(sum) - from}%;background:var(--${paint})`});
  });
}
