// SPDX-License-Identifier: MIT
// The figures over iterations, thieves and victims, teams, and the table of tasks.

function iterationShares(panel, run, title) {
  const rows = run.iterations.rows;
  const x = rows.map((r) => r.number);
  const series = [{label: "efficiency: work / (workers \u00d7 time)", paint: "work", values: rows.map((r) => (r.efficiency === null ? null : r.efficiency * 100))}];
  if (rows.some((r) => r.overlap !== null)) {
    series.push({label: "overlap: bytes that stay on their worker", paint: "overlap", values: rows.map((r) => (r.overlap === null ? null : r.overlap * 100))});
  }
  chart(panel, {
    name: "iterations", title, x, series, most: 100, xRange: edges(x), xTitle: "iteration", yTitle: "%", whole: true,
    label: `Efficiency and overlap of ${words(run.iterations.count, "iteration")}.`,
    describe: (i) => `Iteration ${x[i]}: ${seconds(rows[i].length_s / rows[i].joined)}, efficiency ${rows[i].efficiency === null ? "unknown" : percent(rows[i].efficiency)}${rows[i].overlap === null ? "" : `, overlap ${percent(rows[i].overlap)}`}, ${words(rows[i].steals, "steal")}`,
    table: () => tableOf([{head: "iteration", value: (r) => r.number}, {head: "time", value: (r) => r.length_s, show: seconds},
      {head: "efficiency", value: (r) => r.efficiency, show: percent}, {head: "overlap", value: (r) => r.overlap, show: percent},
      {head: "steals", value: (r) => r.steals, show: count}, {head: "tasks moved", value: (r) => r.moved, show: count}], rows),
  });
  const most = Math.max(...rows.map((r) => Math.max(r.steals, r.moved)), 1);
  chart(panel, {
    name: "iteration-steals", title: title && `${title}: tasks that changed their worker`, x, most: most * 1.08, xRange: edges(x), xTitle: "iteration", yTitle: "tasks", whole: true,
    label: `Steals and moved tasks of ${words(run.iterations.count, "iteration")}.`,
    series: [{label: "steals", paint: "steal", values: rows.map((r) => r.steals)},
      {label: "tasks that the policy moved", paint: "send", values: rows.map((r) => r.moved)}],
    describe: (i) => `Iteration ${x[i]}: ${words(rows[i].steals, "steal")}, ${words(rows[i].moved, "task")} moved by the policy`,
  });
}

function choices(panel, run, title) {
  const {says, changes, rows} = run.choices;
  panel.append(make("div", {class: "card", "data-figure": "choices", "data-drawn": "yes"}, title && make("h3", {}, title),
    says.length > 0 ? make("ul", {}, says.map((line) => make("li", {}, line))) : make("p", {class: "none"}, "The trace has no end of a region, at which auto says what it has chosen."),
    changes > 0 && tableOf([{head: "at", value: (c) => c.at_s, show: seconds}, {head: "scheduler", value: (c) => c.scheduler, isText: true},
      {head: "call", value: (c) => c.call, isText: true}, {head: "", value: (c) => (c.on_trial ? "on trial" : ""), isText: true},
      {head: "lost by trials so far", value: (c) => c.trials_lost_s, show: seconds}], rows,
      {caption: rows.length < changes ? `The first ${count(rows.length)} of ${words(changes, "change")} of the scheduler` : "Changes of the scheduler"})));
}

const edges = (x) => (x.length > 1 ? [x[0], x[x.length - 1]] : [x[0] - 1, x[0] + 1]);

function stealMatrix(panel, run, title) {
  const {of, names, counts} = run.steals.matrix;
  const n = names.length;
  const most = Math.max(...counts, 1);
  const ink = (v) => (Math.log(v) / Math.log(Math.max(most, 2)) > 0.45 ? "card" : "ink");
  heat(panel, {
    name: "steal-matrix", title, rows: n, columns: n, square: true, gaps: n <= 24,
    label: `Steals by thief and victim, ${n} ${of}s: ${count(run.steals.total)} altogether.`,
    paint: (r, c) => heatColour(counts[r * n + c], most),
    text: (r, c) => {
      const v = counts[r * n + c];
      return v ? [count(v), ink(v)] : null;
    },
    xs: names.map((name, i) => [i + 0.5, name]), ys: names.map((name, i) => [i, name]),
    xTitle: `victim (${of})`, yTitle: `thief (${of})`,
    describe: (r, c) => `${of} ${names[r]} stole ${words(counts[r * n + c], "task")} from ${of} ${names[c]}`,
    legends: [make("p", {class: "legend", "aria-hidden": "true"}, "1", make("i", {class: "ramp", style: "width:90px;margin:5px 6px;background:linear-gradient(to right, var(--heat-low), var(--heat-high))"}),
      `${count(most)} steals (logarithmic)`, make("i", {style: "background:var(--empty);margin-left:14px", class: "framed"}), "none")],
    table: () => tableOf([{head: `thief (${of})`, value: (p) => names[Math.floor(p / n)], isText: true}, {head: `victim (${of})`, value: (p) => names[p % n]},
      {head: "steals", value: (p) => counts[p], show: count}],
      counts.map((_, p) => p).filter((p) => counts[p]).sort((a, b) => counts[b] - counts[a])),
  });
}

function stealDistances(panel, run, title) {
  const s = run.steals;
  const most = Math.max(...s.by_distance.map((d) => d.steals), 1);
  panel.append(make("div", {class: "card", "data-figure": "steal-distances", "data-drawn": "yes"}, make("h3", {}, title ? `${title}: how far` : "How far"),
    tableOf([{head: "from", value: (d) => d.name, isText: true}, {head: "steals", value: (d) => d.steals, show: count},
      {head: "share", value: (d) => d.steals / s.total, show: percent},
      {head: "", class: "bars", value: (d) => d.steals, show: (v) => make("span", {class: "bar", style: `width:${100 * v / most}%`, "aria-hidden": "true"})}], s.by_distance, {whole: true, caption: "Steals by distance"}),
    make("p", {class: "none"}, `${s.attempts >= s.total ? `${words(s.attempts, "attempt")} brought` : "Thieves took"} ${words(s.total, "task")}; ` +
      `${words(s.lost_races, "time")} another worker was first. The policy sent ${words(s.sent, "task")} to other workers and moved ` +
      `${words(s.moved, "waiting task")}; tasks waited ${words(s.parked, "time")}.`)));
}

/** One row for all teams in the same sixteenth of the line of addresses: a blocked matrix has an address per block. */
function byPartOfTheLine(groups) {
  const PARTS = 16;
  const rows = new Map();
  for (const g of groups) {
    const at = Number(BigInt(g.address)) / 2 ** 32; // a position from 0 to 1 on the line
    const key = `${g.type}:${Math.floor(at * PARTS)}:${g.name}`;
    const row = rows.get(key) || {name: g.name, type: g.type, from: at, to: at, widths: []};
    rows.set(key, row);
    row.from = Math.min(row.from, at);
    row.to = Math.max(row.to, at);
    for (const w of g.widths) {
      const same = row.widths.find((have) => have.width === w.width);
      if (!same) {
        row.widths.push({...w});
        continue;
      }
      const all = same.teams + w.teams;
      same.mean_s = (same.mean_s * same.teams + w.mean_s * w.teams) / all;
      same.teams = all;
    }
  }
  return [...rows.values()];
}

/** [arms-2021 Fig. 10] */
function teams(panel, whole, title) {
  const run = {teams: byPartOfTheLine(whole.teams).sort((a, b) => a.type - b.type || a.from - b.from)};
  const widths = [...new Set(run.teams.flatMap((g) => g.widths.map((w) => w.width)))].sort((a, b) => a - b);
  const rowName = (g) => `${g.name}, type ${g.type}, address ${digits(g.from)}${g.to > g.from ? ` to ${digits(g.to)}` : ""}`;
  const cell = (r, c) => run.teams[r].widths.find((w) => w.width === widths[c]);
  const all = run.teams.map((g) => g.widths.reduce((sum, w) => sum + w.teams, 0));
  const share = (r, c) => (cell(r, c) ? cell(r, c).teams / all[r] : 0);
  heat(panel, {
    name: "teams", title, rows: run.teams.length, columns: widths.length, cellHeight: 22, gaps: true,
    label: "Shares of the widths of teams, for each type and address of tasks.",
    paint: (r, c) => (share(r, c) > 0 ? mix(colour("heat-low"), colour("heat-high"), share(r, c)) : colour("empty")),
    text: (r, c) => (share(r, c) > 0 ? [percent(share(r, c)), share(r, c) > 0.45 ? "card" : "ink"] : null),
    xs: widths.map((w, i) => [i + 0.5, `${w}`]), ys: run.teams.map((g, i) => [i, rowName(g)]),
    xTitle: "workers in the team", yTitle: "",
    describe: (r, c) => `${rowName(run.teams[r])}, width ${widths[c]}: ${cell(r, c) ? `${words(Math.round(cell(r, c).teams), "team")}, ${percent(share(r, c))}, ${seconds(cell(r, c).mean_s)} each` : "no team"}`,
    table: () => tableOf([{head: "task", isText: true, value: (e) => rowName(e.g)}, {head: "width", value: (e) => e.w.width},
      {head: "teams", value: (e) => e.w.teams, show: (v) => count(v)}, {head: "mean time", value: (e) => e.w.mean_s, show: seconds}],
      run.teams.flatMap((g) => g.widths.map((w) => ({g, w})))),
  });
}

function openmp(panel, run, title) {
  const {regions, loops, serial_s, serial, places} = run.openmp;
  const of = (title_, table) => make("div", {class: "card", "data-figure": "openmp", "data-drawn": "yes"}, make("h3", {}, title ? `${title}: ${title_}` : title_), table);
  const first = {head: "place", class: "place", value: (r) => r.place};
  panel.append(of(`Parallel regions, and ${percent(serial)} of the run (${seconds(serial_s)}) outside of them`,
    tableOf([first, {head: "regions", value: (r) => r.calls, show: count}, {head: "total", value: (r) => r.total_s, show: seconds}, {head: "mean", value: (r) => r.mean_s, show: seconds},
      {head: "members", value: (r) => r.members}, {head: "level", value: (r) => r.level}, {head: "imbalance", value: (r) => r.imbalance, show: digits},
      {head: "starting", value: (r) => r.starting, show: percent}, {head: "at barriers", value: (r) => r.at_barriers, show: percent}, {head: "at locks", value: (r) => r.at_locks, show: percent},
      {head: "for tasks", value: (r) => r.for_tasks, show: percent}, {head: "serial before", value: (r) => r.serial_before_s, show: seconds}], regions,
      {sortable: true, caption: regions.length < places ? `The first ${count(regions.length)} of ${words(places, "place")}` : "Parallel regions by place"})));
  if (loops.length === 0) return;
  panel.append(of("Work-sharing loops and sections",
    tableOf([first, {head: "kind", isText: true, value: (l) => l.kind}, {head: "runs", value: (l) => l.runs, show: count}, {head: "iterations", value: (l) => l.iterations, show: count},
      {head: "chunks", value: (l) => l.chunks, show: count}, {head: "total of all members", value: (l) => l.total_s, show: seconds}, {head: "imbalance", value: (l) => l.imbalance, show: digits}],
      loops, {sortable: true, caption: "Loops by place"})));
}

function tasks(panel, run, title) {
  const total = run.times.work_s || 1;
  panel.append(make("div", {class: "card", "data-figure": "tasks", "data-drawn": "yes"}, title && make("h3", {}, title),
    tableOf([{head: "task", isText: false, value: (t) => t.name}, {head: "count", value: (t) => t.count, show: count},
      {head: "total", value: (t) => t.total_s, show: seconds}, {head: "of work", value: (t) => t.total_s / total, show: percent},
      {head: "mean", value: (t) => t.mean_s, show: seconds}, {head: "p50", value: (t) => t.p50_s, show: seconds},
      {head: "p99", value: (t) => t.p99_s, show: seconds}, {head: "max", value: (t) => t.max_s, show: seconds}], run.tasks, {sortable: true, caption: "Tasks by name"})));
}
