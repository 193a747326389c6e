// SPDX-License-Identifier: MIT
// The critical path of each flow: how long the run took beside what its path and its work allow, and what the path consists of.

/** "Flow of 816 nodes and 2040 edges, run 3 of 5" */
const flowName = (f) => `Flow of ${words(f.nodes, "node")} and ${words(f.edges, "edge")}${f.runs > 1 ? `, run ${f.shown} of ${count(f.runs)}: the longest` : ""}`;

function criticalPaths(panel, run, title) {
  for (const f of run.flows) criticalPath(panel, f, title ? `${title}: ${flowName(f)}` : flowName(f));
}

function criticalPath(panel, f, title) {
  const on = f.kinds.filter((k) => k.path_nodes > 0);
  const bars = [
    {name: "the run", paint: "ink", value: f.length_s, says: `The run took ${seconds(f.length_s)}, and its nodes ${seconds(f.work_s)} altogether`},
    {name: f.workers === 1 ? "work" : `work / ${words(f.workers, "worker")}`, paint: "work", value: f.work_s / f.workers, says: `Busy workers would take ${seconds(f.work_s / f.workers)}`},
    {name: "critical path (span)", paint: "accent", value: f.span_s, says: `The ${words(f.path_nodes, "node")} of the path take ${seconds(f.span_s)}, with any number of workers`},
    ...on.map((k) => ({name: `\u2026 of it ${k.name}`, paint: "overlap", value: k.path_s, share: k.path_s / f.span_s,
      says: `${k.name}: ${words(k.path_nodes, "node")} of the path, ${seconds(k.path_s)}, ${percent(k.path_s / f.span_s)} of it; ${words(k.nodes, "node")} altogether, ${seconds(k.work_s)}`})),
  ];
  const to = Math.max(...bars.map((b) => b.value), 1e-9) * 1.03;
  const [size, unit] = timeUnit(to);
  const frame = rowChart(panel, {
    name: "critical-path", title, from: 0, to: to / size, xTitle: `time (${unit})`,
    label: `${title}: ${bars.map((b) => `${b.name} ${seconds(b.value)}`).join(", ")}.`,
    rows: bars.map((b) => ({...b, text: b.share === undefined ? seconds(b.value) : `${seconds(b.value)}, ${percent(b.share)}`})),
    bars: (row, at) => partsBar(at, [[row.paint, row.value / size]]),
    describe: (row) => row.says,
    table: () => tableOf([{head: "node of the path", isText: true, value: (n) => `${count(n.position)}: ${n.name || "node"}`}, {head: "began", value: (n) => n.began_s, show: seconds},
      {head: "took", value: (n) => n.took_s, show: seconds}, {head: "of the path", value: (n) => n.took_s / f.span_s, show: percent},
      {head: "lay ready", value: (n) => n.waited_s, show: seconds}, {head: "workers", value: (n) => n.members}], f.path),
  });
  const facts = make("dl", {class: "facts"}, fact("time", seconds(f.length_s)), fact("span", seconds(f.span_s), words(f.path_nodes, "node")), fact("work", seconds(f.work_s)),
    fact("work / span", digits(f.parallelism), "workers that it can keep busy"), fact("lay ready", seconds(f.waited_s), "nodes of the path"));
  const partly = !f.complete && make("p", {class: "none"}, "Not all of it is in the trace: the numbers are of what is.");
  frame.querySelector("h3").after(make("p", {}, f.advice), ...[partly || []].flat(), facts);
  frame.querySelector("summary").textContent = f.path.length < f.path_nodes ? `The ${f.path.length} longest of the ${count(f.path_nodes)} nodes of the path` : "The nodes of the path";
  if (f.runs > 1) flowRuns(panel, f, title);
}

/** The runs of one flow, one after the other. */
function flowRuns(panel, f, title) {
  const x = f.rows.map((r) => r.number);
  const most = Math.max(...f.rows.map((r) => Math.max(r.length_s, r.span_s)), 1e-9);
  const [size, unit] = timeUnit(most);
  chart(panel, {
    name: "flow-runs", title: `${title.replace(/, run .*/, "")}: all ${words(f.runs, "run")}`, x, most: most / size * 1.08, xRange: edges(x), xTitle: "run", yTitle: unit, whole: true,
    label: `Time and span of ${words(f.runs, "run")}.`,
    series: [{label: "time", paint: "work", values: f.rows.map((r) => r.length_s / size)}, {label: "span", paint: "overlap", values: f.rows.map((r) => r.span_s / size)}],
    describe: (i) => `Run ${x[i]}: ${seconds(f.rows[i].length_s)}, span ${seconds(f.rows[i].span_s)}, work ${seconds(f.rows[i].work_s)}`,
    table: () => tableOf([{head: "run", value: (r) => r.number}, {head: "time", value: (r) => r.length_s, show: seconds}, {head: "span", value: (r) => r.span_s, show: seconds},
      {head: "work", value: (r) => r.work_s, show: seconds}, {head: "work / span", value: (r) => r.work_s / (r.span_s || 1e-9), show: digits}], f.rows),
  });
}
