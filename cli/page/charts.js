// SPDX-License-Identifier: MIT
// Charts drawn by uPlot: stacked areas and bars, and lines. uPlot draws on one canvas, and we draw stacks from the highest
// sum down, so that each covers the rest of the one behind it.

/** An axis in the colours of the page. */
function axis(label, extra = {}) {
  return {label, labelSize: 20, size: extra.side === undefined ? 26 : 52, stroke: colour("soft"), labelFont: FONT,
          font: FONT, labelGap: 2, gap: 4,
          grid: {stroke: colour("line"), width: pixels("grid-width")}, ticks: {stroke: colour("line"), width: pixels("grid-width"), size: pixels("tick-length")}, ...extra};
}

/** Time on the x axis, in one unit that suits its length. */
function timeAxis(length) {
  const [size, unit] = timeUnit(length);
  return axis(`time (${unit})`, {values: (_, at) => at.map((v) => digits(v / size).replace(/\.?0+$/, (z) => (z.startsWith(".") ? "" : z)))});
}

/** Sums from the bottom up: [[a], [b], [c]] -> [a + b + c, a + b, a]. */
function stacked(parts) {
  const sums = [];
  parts.reduce((below, part) => {
    const sum = part.map((v, i) => v + (below ? below[i] : 0));
    sums.unshift(sum);
    return sum;
  }, null);
  return sums;
}

/** At each x a line from the low to the high value of each series, side by side so that none hides another. */
function drawSpreads(u, x, all) {
  const pen = u.ctx;
  const places = x.map((at) => u.valToPos(at, "x", true));
  const gap = Math.min(...places.slice(1).map((at, i) => at - places[i]));
  const one = window.devicePixelRatio || 1;
  const step = Math.min(5 * one, 0.7 * gap / all.length);
  pen.save();
  pen.setLineDash([]);
  pen.lineWidth = 1.5 * one;
  all.forEach((series, k) => {
    pen.strokeStyle = colour(series.paint);
    pen.beginPath();
    x.forEach((_, i) => {
      if (series.low[i] === null) return;
      const at = places[i] + (k - (all.length - 1) / 2) * step;
      const ends = [series.low[i], series.high[i]].map((value) => u.valToPos(value, "y", true));
      pen.moveTo(at, ends[0]);
      pen.lineTo(at, ends[1]);
      for (const end of ends) {
        pen.moveTo(at - step / 3, end);
        pen.lineTo(at + step / 3, end);
      }
    });
    pen.stroke();
  });
  pen.restore();
}

/**
 * A chart in a figure.
 *   x        numbers
 *   series   [{label, paint: name of a colour, values}], from the bottom up if stacked; of lines also {dash, plain: no
 *            points, low, high: the spread of each value}
 *   stack    whether they are stacked
 *   bars     whether they are bars
 *   most     upper end of the y axis
 *   least    its lower end, 0 unless it is said
 *   scales   what x and y scales have besides, {x: {...}, y: {...}}
 *   axes     () => [x axis, y axis]
 *   describe index => text
 */
function chart(panel, {name, title, label, x, series, stack, bars, most, least = 0, scales = {}, axes, describe, table, height = 230, legends, xRange}) {
  const values = stack ? stacked(series.map((s) => s.values)) : series.map((s) => s.values);
  const painted = stack ? [...series].reverse() : series;
  let plot = null;
  let at = -1;
  const options = (width, say) => ({
    width, height, legend: {show: false}, padding: [10, 8, 0, 0],
    cursor: {y: false, drag: {setScale: false, x: false, y: false}, points: {show: !stack && !bars}},
    scales: {x: {time: false, range: () => xRange || [x[0], x[x.length - 1]], ...scales.x}, y: {range: () => [least, most], ...scales.y}},
    axes: axes(),
    series: [{}, ...painted.map((s) => ({
      label: s.label, stroke: colour(s.paint), width: stack || bars ? 0 : pixels("curve-width"),
      fill: stack || bars ? colour(s.paint) : undefined, dash: s.dash,
      points: {show: !stack && !bars && !s.plain && x.length <= 60, size: pixels("dot-size"), fill: colour(s.paint)},
      spanGaps: false, paths: bars ? uPlot.paths.bars({size: [0.8, 44], align: 0}) : undefined}))],
    hooks: {draw: [(u) => drawSpreads(u, x, series.filter((s) => s.low))], setCursor: [(u) => {
      if (u.cursor.idx === null || u.cursor.idx === undefined) return;
      at = u.cursor.idx;
      say(describe(at));
    }]},
  });
  return figure(panel, {
    name, title, label, table, legends: legends || [legend(series.map((s) => [`--${s.paint}`, s.label, s.paint === "unknown", s.dash]))],
    draw(host, width, say) {
      if (plot) plot.destroy();
      plot = new uPlot(options(width, say), [x, ...values], host);
    },
    move(dx) {
      at = clamp(at + dx, 0, x.length - 1);
      plot.setCursor({left: plot.valToPos(x[at], "x"), top: 10});
    },
  });
}
