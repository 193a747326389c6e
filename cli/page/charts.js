// SPDX-License-Identifier: MIT
// Charts over an x axis: lines, stacked areas and bars. They are SVG, stretched to the size of the figure: strokes keep their
// width (non-scaling-stroke), and a point is a stroke without length.

const SIDE = 1000; // of the stretched picture

/** Sums from the bottom up: [[a], [b], [c]] -> [a + b + c, a + b, a]; drawn in this order each covers the rest of the one before. */
function stacked(parts) {
  const sums = [];
  parts.reduce((below, part) => {
    const sum = part.map((v, i) => v + (below ? below[i] : 0));
    sums.unshift(sum);
    return sum;
  }, null);
  return sums;
}

/** value => place from 0 to SIDE */
function scaleOf([from, to], isLog) {
  const of = isLog ? Math.log2 : (v) => v;
  return (v) => SIDE * clamp((of(v) - of(from)) / (of(to) - of(from) || 1), -1, 2);
}

/** A path in the colour of `paint`, a name of the look. */
const stroke = (of, paint, d, dash) => make("path", {class: of, d, style: `color:var(--${paint});${dash ? `stroke-dasharray:var(--${dash})` : ""}`});

/**
 * A chart in a figure.
 *   x        numbers
 *   series   [{label, paint: name of a colour, values}], from the bottom up if stacked; of lines also {dash: name of one,
 *            plain: no points, low, high: the spread of each value}
 *   stack    whether they are stacked
 *   bars     whether they are bars
 *   least, most, xRange    ends of the axes; isLog, {x, y}: which are logarithmic
 *   xTicks, yTicks         values with labels; else round ones, and with `whole` no fractions on x
 *   describe               index => text
 *   table                  unless the numbers of the chart are all
 */
function chart(panel, {name, title, label, x, series, stack, bars, most, least = 0, xRange = [x[0], x[x.length - 1]], isLog = {}, xTitle, yTitle,
                       xTicks, yTicks, whole, grid = "xy", describe, table, height = 200, legends}) {
  const [right, up] = [scaleOf(xRange, isLog.x), scaleOf([least, most], isLog.y)];
  const places = x.map(right);
  const y = (v) => SIDE - up(v);
  const wide = SIDE / clamp(panel.clientWidth, 300, 600); // of a pixel, about
  const gap = Math.min(SIDE, ...places.slice(1).map((at, i) => at - places[i]));
  const half = Math.min(0.4 * gap, 22 * wide);
  const shapeOf = (s, values) => {
    const there = places.map((at, i) => [at, values[i], i]).filter(([, v]) => v !== null);
    if (bars) return stroke("fill", s.paint, there.map(([at, v]) => `M${at - half} ${SIDE}V${y(v)}h${2 * half}V${SIDE}z`).join(""));
    if (stack) return stroke("fill", s.paint, `M${places[0]} ${SIDE}${there.map(([at, v]) => `L${at} ${y(v)}`).join("")}V${SIDE}z`);
    const line = there.map(([at, v, i]) => `${i > 0 && values[i - 1] !== null ? "L" : "M"}${at} ${y(v)}`).join("");
    const points = !s.plain && x.length <= 60 && stroke("points", s.paint, there.map(([at, v]) => `M${at} ${y(v)}h0`).join(""));
    return [stroke("curve", s.paint, line, s.dash), points];
  };
  // Lines from the low to the high value of each series, side by side so that none hides another.
  const spreads = series.filter((s) => s.low).map((s, k, all) => {
    const step = Math.min(5 * wide, 0.7 * gap / all.length);
    const end = (at, v) => `M${at - step / 3} ${y(v)}h${2 * step / 3}`;
    return stroke("spread", s.paint, places.map((place, i) => {
      const at = place + (k - (all.length - 1) / 2) * step;
      return s.low[i] === null ? "" : `M${at} ${y(s.low[i])}V${y(s.high[i])}${end(at, s.low[i])}${end(at, s.high[i])}`;
    }).join(""));
  });
  const values = stack ? stacked(series.map((s) => s.values)) : series.map((s) => s.values);
  const shapes = (stack ? [...series].reverse() : series).map((s, k) => shapeOf(s, values[k]));
  const cursor = make("i", {class: "cursor upright", hidden: true});
  const area = make("div", {class: "area", style: `height:${height - 50}px`},
                    make("svg", {viewBox: `0 0 ${SIDE} ${SIDE}`, preserveAspectRatio: "none"}, [...shapes, ...spreads].flat().filter(Boolean)), cursor);
  const xs = xTicks || ticksBetween(...xRange, 8, whole ? 1 : 0);
  const ys = yTicks || ticksBetween(least, most, 5);
  return figure(panel, {
    name, title, label, area, rows: 1, columns: x.length,
    table: table || (() => tableOf([{head: xTitle, value: (i) => tickText(x[i])}, ...series.map((s) => ({head: s.label, value: (i) => s.values[i], show: digits}))], x.map((_, i) => i))),
    drawing: axes(area, {xs: xs.map((v) => [right(v) / SIDE, tickText(v)]), ys: ys.map((v) => [up(v) / SIDE, tickText(v)]), xTitle, yTitle, grid}),
    columnAt: (at) => places.reduce((best, place, i) => (Math.abs(place - SIDE * at) < Math.abs(places[best] - SIDE * at) ? i : best), 0),
    mark(row, i) {
      cursor.hidden = false;
      cursor.style.left = `${places[i] / SIDE * 100}%`;
    },
    describe: (row, i) => describe(i),
    legends: legends || [legend(series.map((s) => [`--${s.paint}`, s.label, s.paint === "unknown", s.dash]))],
  });
}
