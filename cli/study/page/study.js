// SPDX-License-Identifier: MIT
// A study, from top to bottom: what the machine is, how the apps scale beside the peers and beside what was predicted, the benches, and what was left out.

const partsOf = (data, kind) => Object.entries(data.parts).filter(([, part]) => part.kind === kind && part.ended_well);

function studyBanners(data) {
  return [...data.doubts.map((doubt) => make("p", {class: "banner"}, make("strong", {}, "Note. "), `${doubt[0].toUpperCase()}${doubt.slice(1)}.`)),
    data.interrupted && make("p", {class: "banner"}, make("strong", {}, "Interrupted. "), "The same command goes on where this study stopped.")];
}

function studyOrigin(data) {
  const m = data.machine;
  return make("p", {class: "origin"}, `${m.cpu}, ${m.usable_pus} of ${m.pus} PUs usable; ${m.kernel}; Skua ${m.skua_version}, ${m.compiler}, ${m.build_type}; ${data.began} to ${data.ended}.`);
}

/** A runner's speed-ups on each number of workers; null where it was not measured. */
function speedUps(rows, runner, counts) {
  return counts.map((n) => {
    const row = rows.find((r) => r.runner === runner && r.workers === n);
    return row && row.verified && typeof row.speedup_over_serial === "number" ? row.speedup_over_serial : null;
  });
}

/** Speed-ups of an app: what was measured as lines, and what was predicted as dashes of the same colours. */
function appCurves(panel, data, key, part) {
  const counts = data.worker_counts;
  const rows = part.result.rows;
  const runners = [...new Set(rows.map((r) => r.runner))].filter((name) => name !== "serial");
  const predicted = data.parts[key.replace("scaling/", "prediction/")];
  const paintOf = (name) => `series-${runners.indexOf(name) % SERIES}`;
  const measured = runners.map((name) => ({label: name, paint: paintOf(name), values: speedUps(rows, name, counts)})).filter((s) => s.values.some((v) => v !== null));
  const foretold = predicted && predicted.ended_well ? [...new Set(predicted.result.rows.map((r) => r.runner))].map((name) => (
    {label: `${name}, predicted`, paint: runners.includes(name) ? paintOf(name) : "soft", values: speedUps(predicted.result.rows, name, counts), dash: "ideal-dash", plain: true})) : [];
  const series = [...measured, ...foretold];
  const all = series.flatMap((s) => s.values).filter((v) => v !== null);
  if (all.length === 0) return;
  const isLog = counts.length > 2;
  const edge = isLog ? [counts[0] / 1.3, counts[counts.length - 1] * 1.3] : [counts[0] - 0.2, counts[counts.length - 1] + 0.2];
  chart(panel, {
    name: "scaling", title: part.title, x: counts, least: 0, most: Math.max(...all, counts[counts.length - 1]) * 1.05, xRange: edge, isLog: {x: isLog}, xTicks: counts,
    xTitle: "workers", yTitle: "times the serial speed", height: 240, grid: "y", label: `Speed-up of ${part.title} over the number of workers.`,
    series: [...series, {label: "ideal", paint: "soft", values: counts, dash: "ideal-dash", plain: true}],
    describe: (i) => `${words(counts[i], "worker")}: ${series.filter((s) => s.values[i] !== null).map((s) => `${s.label} ${ratio(s.values[i])}`).join(", ")}`,
    table: () => tableOf([{head: "runner", isText: true, value: (r) => r.runner}, {head: "workers", value: (r) => r.workers}, {head: "median", value: (r) => r.median_s, show: seconds},
      {head: "from", value: (r) => r.min_s, show: seconds}, {head: "to", value: (r) => r.max_s, show: seconds}, {head: "speed-up", value: (r) => r.speedup_over_serial, show: ratio}], rows),
  });
}

function scalingSection(data) {
  const parts = partsOf(data, "scaling");
  const panels = make("div", {class: "panels"});
  section("scaling", "How the apps scale", parts.length > 0 ? "Medians over interleaved rounds, compared with the serial elision; every answer verified. Dashes: what the simulator predicted on the model of this machine, before anything was timed." : "",
          parts.length > 0 ? panels : make("p", {class: "none"}, "No app was measured."));
  for (const [key, part] of parts) appCurves(panels, data, key, part);
}

function limitsSection(data) {
  if (data.limits.length === 0) return;
  section("limits", "Where each stops, and why", "The fastest of Skua's schedulers on the most workers, and what took the rest of its workers' time.",
    make("div", {class: "card", "data-figure": "limits", "data-drawn": "yes"}, tableOf([
      {head: "app", isText: true, value: (r) => r.title}, {head: "scheduler", isText: true, value: (r) => r.runner}, {head: "workers", value: (r) => r.workers},
      {head: "speed-up", value: (r) => r.speed_up, show: ratio}, {head: "of linear", value: (r) => r.efficiency, show: percent}, {head: "longer work", value: (r) => r.work_inflation, show: percent},
      {head: "idle", value: (r) => r.idle_share, show: percent}, {head: "scheduling", value: (r) => r.scheduling_share, show: percent},
      {head: "best peer", isText: true, value: (r) => r.best_peer}, {head: "its speed-up", value: (r) => r.peer_speed_up, show: ratio}], data.limits, {whole: true, caption: "Limits"})));
}

function checksSection(data) {
  if (data.checks.length === 0) return;
  section("predictions", "Predictions beside measurements", "Speed-ups over the serial elision. Simulated figures come from this machine's own model, written before the measurements.",
    make("div", {class: "card", "data-figure": "predictions", "data-drawn": "yes"}, tableOf([
      {head: "app", isText: true, value: (r) => r.app}, {head: "scheduler", isText: true, value: (r) => r.runner}, {head: "workers", value: (r) => r.workers},
      {head: "predicted (simulated)", value: (r) => r.predicted, show: ratio}, {head: "measured", value: (r) => r.measured, show: ratio}, {head: "error", value: (r) => r.error, show: percent}],
    data.checks, {sortable: true, whole: true, caption: "Predictions"})));
}

function benchSection(data) {
  const parts = [...partsOf(data, "bench"), ...partsOf(data, "crowded")];
  if (parts.length === 0) return;
  section("benches", "Single operations, and a crowded machine", "Medians of many; from and to are the least and the largest.", ...parts.map(([key, part]) => {
    const rows = part.result.rows;
    const columns = part.kind === "bench"
      ? [{head: "what", isText: true, value: (r) => r.what}, {head: "median", value: (r) => r.median, show: digits}, {head: "from", value: (r) => r.min, show: digits},
        {head: "to", value: (r) => r.max, show: digits}, {head: "unit", isText: true, value: (r) => r.unit}]
      : [{head: "runner", isText: true, value: (r) => r.runner}, {head: "workers", value: (r) => r.workers}, {head: "median", value: (r) => r.median_s, show: seconds},
        {head: "speed-up", value: (r) => r.speedup_over_serial, show: ratio}];
    return make("details", {open: part.kind === "crowded" || rows.length < 12, "data-figure": key, "data-drawn": "yes"}, make("summary", {}, part.title), tableOf(columns, rows, {caption: part.title}));
  }));
}

function leftOutSection(data) {
  const rows = Object.entries(data.parts).filter(([, part]) => !part.ended_well);
  const restless = Object.entries(data.parts).filter(([, part]) => part.conditions && (part.conditions.stolen > 0.02 || part.conditions.clock_spread > 0.2));
  section("left-out", "What is missing or doubtful", "", rows.length === 0 ? make("p", {class: "none"}, "Nothing is missing.")
    : tableOf([{head: "part", isText: true, value: ([key]) => key}, {head: "why", isText: true, value: ([, part]) => part.why}], rows, {caption: "Parts that are missing"}),
  restless.length > 0 && tableOf([{head: "disturbed part", isText: true, value: ([key]) => key}, {head: "processors taken by the host", value: ([, part]) => part.conditions.stolen, show: percent},
    {head: "slowest of equal loops, over the fastest", value: ([, part]) => part.conditions.clock_spread, show: percent}, {head: "load", value: ([, part]) => part.conditions.load_average, show: digits}],
  restless, {caption: "Parts that were disturbed"}));
}

function main(data) {
  headline(`How ${data.machine.usable_pus} processors scale`, `${data.machine.cpu}: predicted, then measured.`, studyOrigin(data), ...studyBanners(data),
           data.summary.length > 0 && make("article", {class: "card summary", "data-figure": "summary", "data-drawn": "yes"}, data.summary.map((line) => make("p", {}, line))));
  limitsSection(data);
  scalingSection(data);
  checksSection(data);
  benchSection(data);
  leftOutSection(data);
  section("model", "The model of this machine", "", make("details", {}, make("summary", {}, "As calibrated before the predictions"),
    make("pre", {class: "command"}, data.parts.calibration && data.parts.calibration.ended_well ? data.parts.calibration.result : "There is none.")));
  section("repeat", "Repeat it", "", make("div", {class: "card", "data-figure": "repeat", "data-drawn": "yes"}, commandLine(data.command)));
  madeFrom(words(Object.keys(data.parts).length, "part"));
}
