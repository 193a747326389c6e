// SPDX-License-Identifier: MIT
// The figures of a comparison: times, speed-ups, ratios to the fastest peer, where the time went, and round by round.

const RUNNER = {head: "runner", isText: true, value: (r) => r.runner};
const spreadColumns = (head, of, show) => [{head, value: (r) => of(r).middle, show}, {head: "spread from", value: (r) => of(r).low, show}, {head: "to", value: (r) => of(r).high, show}];

const TIME_COLUMNS = [
  RUNNER,
  {head: "median", value: (r) => r.median_s, show: seconds},
  {head: "spread", value: (r) => r.spread_s.low, show: seconds},
  {head: "to", value: (r) => r.spread_s.high, show: seconds},
  {head: "fastest", value: (r) => r.min_s, show: seconds},
  {head: "slowest", value: (r) => r.max_s, show: seconds},
  {head: "answers", isText: true, value: (r) => (isRight(r) ? "verified" : words(r.wrong_answers, "wrong answer"))},
];

/** Times of those on as many workers. The axis ends a bit beyond the spreads, so that one slow round does not press the others together. */
function times(panel, rows, title, {paints}) {
  const most = Math.max(...rows.map((r) => r.spread_s.high));
  const to = Math.min(Math.max(...rows.map((r) => r.max_s)), 1.25 * most) * 1.03;
  const [size, unit] = timeUnit(to);
  rowChart(panel, {
    name: "times", title, from: 0, to: to / size, xTitle: `time (${unit})`,
    label: `Times with ${title}: ${rows.map((r) => `${r.runner} ${seconds(r.median_s)}`).join(", ")}.`,
    rows: rows.map((r) => ({name: nameIn(title, r) + flaw(r), text: seconds(r.median_s), faded: !isRight(r), of: r})),
    bars: ({of: {runner, spread_s: spread, times_s: each}}, at) => spreadBar((s) => at(s / size), {paint: paints.get(runner), ...spread, each}),
    describe: ({of: r}) => `${r.runner} with ${words(r.workers, "worker")}: median ${seconds(r.median_s)}, spread ${within(r.spread_s, seconds)}, ` +
      `all ${words(r.runs, "round")} ${seconds(r.min_s)} to ${seconds(r.max_s)}${flaw(r)}`,
    table: () => tableOf(TIME_COLUMNS, rows),
  });
}

/** One value for each count of workers: [values, lows, highs], null where it was not measured. */
function alongCounts(rows, counts, key) {
  const found = counts.map((n) => rows.find((r) => r.workers === n && r[key] && isRight(r)));
  return ["middle", "low", "high"].map((part) => found.map((r) => (r ? r[key][part] : null)));
}

const powersOfTwo = (low, high) => {
  const first = Math.ceil(Math.log2(low) - 0.05);
  return Array.from({length: Math.max(Math.floor(Math.log2(high)) - first + 1, 0)}, (_, i) => 2 ** (first + i));
};

/** A figure over the numbers of workers, a line for each name: speed-up or efficiency. */
function curves(panel, data, {name, title, key, unit, show, ideal}) {
  const {rows, worker_counts: counts, reference, paints, names} = data;
  const series = names.map((runner) => {
    const [values, low, high] = alongCounts(rows.filter((r) => r.runner === runner), counts, key);
    return {label: runner, paint: paints.get(runner), values, low, high, dash: dashOf(names, runner)};
  }).filter((s) => s.values.some((v) => v !== null));
  const all = [...series.flatMap((s) => s.high), ...counts.map(ideal)].filter((v) => v !== null);
  const lowest = Math.min(...series.flatMap((s) => s.low), ...counts.map(ideal)) || 1e-3;
  const most = Math.max(...all) * 1.05;
  const isLog = counts[counts.length - 1] >= 8 * counts[0]; // 1, 2, 4, .. 64 at equal distances
  const edge = isLog ? [counts[0] / 1.3, counts[counts.length - 1] * 1.3] : [counts[0] - 0.2, counts[counts.length - 1] + 0.2];
  const yLog = isLog && key === "speed_up";
  chart(panel, {
    name, title, x: counts, most: yLog ? most * 1.1 : most, least: yLog ? lowest / 1.1 : 0, xRange: edge,
    isLog: {x: isLog, y: yLog}, xTitle: "workers", yTitle: unit, height: 230, xTicks: counts, yTicks: yLog && powersOfTwo(lowest, most), grid: "y",
    label: `${title} over the number of workers, compared with ${reference.name}.`,
    series: [...series, {label: "ideal", paint: "soft", values: counts.map(ideal), dash: "ideal-dash", plain: true}],
    describe: (i) => `${words(counts[i], "worker")}: ${series.filter((s) => s.values[i] !== null).map((s) => `${s.label} ${show(s.values[i])} (${show(s.low[i])} to ${show(s.high[i])})`).join(", ")}`,
    table: () => tableOf([RUNNER, {head: "workers", value: (r) => r.workers}, ...spreadColumns(title, (r) => r[key], show)], rows.filter((r) => r[key] && isRight(r))),
  });
}

/** The same where there is one number of workers, and nothing to draw a curve through. */
function scalingBars(panel, data, {name, title, key, unit, show, ideal}) {
  const {worker_counts: [workers], reference, paints} = data;
  const rows = data.rows.filter((r) => r.kind !== "serial" && isRight(r) && r[key]);
  const to = Math.max(...rows.map((r) => r[key].high), ideal(workers)) * 1.06;
  rowChart(panel, {
    name, title, from: 0, to, xTitle: unit, marks: [[ideal(workers), "ideal"]],
    label: `${title} with ${words(workers, "worker")}, compared with ${reference.name}.`,
    rows: rows.map((r) => ({name: r.runner, text: show(r[key].middle), of: r})),
    bars: (row, at) => spreadBar(at, {paint: paints.get(row.of.runner), ...row.of[key]}),
    describe: ({of: r}) => `${r.runner}: ${title.toLowerCase()} ${show(r[key].middle)}, spread ${within(r[key], show)}`,
    table: () => tableOf([RUNNER, ...spreadColumns(title, (r) => r[key], show)], rows),
  });
}

function scaling(panel, data) {
  const one = data.reference.workers;
  const draw = data.worker_counts.length > 1 ? curves : scalingBars;
  draw(panel, data, {name: "speed-up", title: "Speed-up", key: "speed_up", unit: "times as fast", show: ratio, ideal: (n) => n / one});
  draw(panel, data, {name: "efficiency", title: "Efficiency", key: "efficiency", unit: "speed-up / workers", show: ratio, ideal: () => 1});
}

const sideOf = (r) => (r.to_peer.peer === r.runner ? "the peer itself" : !r.to_peer.is_apart ? "within the spread" : r.to_peer.middle > 1 ? "faster" : "slower");

/** Each beside the fastest peer on as many workers: right of 1 is faster. */
function ratios(panel, rows, title, {paints}) {
  const shown = rows.filter((r) => r.to_peer && r.kind !== "serial" && isRight(r));
  const peer = shown[0].to_peer.peer;
  const low = Math.min(...shown.map((r) => r.to_peer.low), 1);
  const high = Math.max(...shown.map((r) => r.to_peer.high), 1);
  const room = Math.max((high - low) * 0.06, 0.02);
  rowChart(panel, {
    name: "ratios", title: `${title}: beside ${peer}`, from: Math.max(low - room, 0), to: high + room, xTitle: `time of ${peer} / own time`,
    marks: [[1, `as fast as ${peer}`]],
    label: `Ratios to ${peer}, the fastest peer with ${title}: ${shown.map((r) => `${r.runner} ${ratio(r.to_peer.middle)}, ${sideOf(r)}`).join("; ")}.`,
    rows: shown.map((r) => ({name: r.runner, text: ratio(r.to_peer.middle), of: r})),
    bars: (row, at) => spreadBar(at, {paint: paints.get(row.of.runner), ...row.of.to_peer, dot: true}),
    describe: ({of: r}) => `${r.runner}: ${ratio(r.to_peer.middle)}, spread ${within(r.to_peer, ratio)}: ${sideOf(r)}`,
    table: () => tableOf([RUNNER, ...spreadColumns("ratio", (r) => r.to_peer, ratio), {head: `beside ${peer}`, isText: true, value: sideOf}], shown),
  });
}

const PARTS = ["work", "scheduling", "idle"];

/** [numa-ws-2018 Fig. 3] */
function breakdowns(panel, rows, title) {
  const shown = rows.filter((r) => r.per_worker);
  const sum = (r) => PARTS.reduce((all, part) => all + r[`${part}_s`], 0);
  const to = Math.max(...shown.map(sum)) * 1.02;
  const [size, unit] = timeUnit(to);
  const split = (r) => `${PARTS.map((part) => `${part} ${percent(r[`${part}_s`] / sum(r))}`).join(", ")}`;
  const each = shown.flatMap((r) => [{...r, worker: "all"}, ...(r.workers > 1 ? r.per_worker.map((w) => ({...w, runner: r.runner})) : [])]);
  rowChart(panel, {
    name: "breakdown", title, from: 0, to: to / size, xTitle: `time of all workers (${unit})`,
    label: `Where the workers' time went with ${title}: ${shown.map((r) => `${r.runner}: ${split(r)}`).join("; ")}.`,
    rows: shown.map((r) => ({name: r.runner, text: r.inflation_over_one === null ? "" : `W_P/T_1 ${ratio(r.inflation_over_one)}`, of: r})),
    bars: (row, at) => partsBar(at, PARTS.map((part) => [part, row.of[`${part}_s`] / size])),
    describe: ({of: r}) => `${r.runner} with ${words(r.workers, "worker")}: ${split(r)} of ${seconds(sum(r))}`,
    legends: [legend(PARTS.map((part) => [`--${part}`, part]))],
    table: () => tableOf([RUNNER, {head: "worker", value: (r) => r.worker},
      ...PARTS.map((part) => ({head: part, value: (r) => r[`${part}_s`], show: seconds})),
      {head: "W_P/T_1", value: (r) => r.inflation_over_one, show: ratio}, {head: "T_1/T_S", value: (r) => r.overhead, show: ratio}], each),
  });
}

/** Round by round: whether the machine changed meanwhile. */
function rounds(panel, rows, title, {paints, names}) {
  const n = Math.max(...rows.map((r) => r.times_s.length));
  const x = Array.from({length: n}, (_, i) => i + 1);
  const to = Math.max(...rows.map((r) => r.max_s)) * 1.05;
  const [size, unit] = timeUnit(to);
  chart(panel, {
    name: "rounds", title, x, most: to / size, xRange: n > 1 ? [1, n] : [0, 2], xTitle: "round", yTitle: `time (${unit})`, whole: true,
    label: `Times with ${title} in each of ${words(n, "round")}.`,
    series: rows.map((r) => ({label: nameIn(title, r), paint: paints.get(r.runner), values: r.times_s.map((s) => s / size), dash: dashOf(names, r.runner)})),
    describe: (i) => `Round ${x[i]}: ${rows.map((r) => `${r.runner} ${seconds(r.times_s[i])}`).join(", ")}`,
  });
}
