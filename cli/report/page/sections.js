// SPDX-License-Identifier: MIT
// The figures over time and over workers. Each takes one run; report.js sets those of several runs side by side, on one scale.

const labelOf = (state) => (state === "unknown" ? "unknown (events are missing)" : state);

/** The activities that occur in any run, so that no legend explains what nobody sees. */
function statesIn(runs) {
  return ACTIVITIES.filter((a) => a === "work" || runs.some((r) => r.times[`${a}_s`] > 0));
}

function shareText(parts, total) {
  return parts.filter(([, v]) => v > 0).map(([name, v]) => `${name} ${percent(v / total)}`).join(", ");
}

/** [retentive-hpdc12 Fig. 10] */
function utilisation(panel, run, title, shared) {
  const u = run.utilisation;
  const [size, unit] = timeUnit(shared.length);
  const x = u.work.map((_, i) => (i + 0.5) * u.bin_s / size);
  const at = (i) => statesIn([run]).map((a) => [a, u[a][i]]);
  chart(panel, {
    name: "utilisation", title, x, stack: true, most: run.workers, xRange: [0, shared.length / size], height: 230, xTitle: `time (${unit})`, yTitle: "workers",
    yTicks: ticksBetween(0, run.workers, 5, 1),
    label: `How many of ${words(run.workers, "worker")} worked, scheduled, idled and slept over ${seconds(run.length_s)}.`,
    series: statesIn([run]).map((a) => ({label: labelOf(a), paint: a, values: u[a]})),
    describe: (i) => `At ${seconds(x[i] * size)}: ${at(i).filter(([, v]) => v > 0.004).map(([a, v]) => `${digits(v)} ${a}`).join(", ") || "nothing"}`,
  });
}

function timeLines(panel, run, title, shared) {
  const t = run.time_lines;
  const [cells, steals, sends] = [unpack(t.cells), unpack(t.steals), unpack(t.sends)];
  const [size, unit] = timeUnit(shared.length);
  const n = t.columns;
  const shown = Math.max(1, Math.round(n * shared.length / run.length_s)); // columns until the longest run's end
  const first = ACTIVITIES.length;
  const paints = () => [...ACTIVITIES.map((a) => colour(a)), ...t.names.map((_, i) => taskColour(i))];
  let paint = [];
  const what = (code) => (code < first ? labelOf(ACTIVITIES[code]) : `work: ${t.names[code - first]}`);
  const marksOf = (values, offset) => {
    const places = [];
    values.forEach((v, i) => {
      const [column, row] = [i % n + 0.5, Math.floor(i / n) + offset];
      const last = places[places.length - 1];
      if (v && !(last && last[1] === row && column - last[0] < shown / 250)) places.push([column, row]); // where marks are dense, one stands for its neighbours
    });
    return places;
  };
  const used = new Set(cells);
  heat(panel, {
    name: "time-lines", title, rows: t.lines.length, columns: shown,
    cellHeight: clamp(Math.floor(520 / t.lines.length), 4, 26),
    label: `What each of ${words(run.workers, "worker")} did over ${seconds(run.length_s)}.`,
    paint: (r, c) => {
      if (r === 0 && c === 0) paint = paints();
      return c < n ? paint[cells[r * n + c]] : null;
    },
    xs: ticksBetween(0, shared.length / size, 10).map((v) => [v * size / t.column_s, tickText(v)]),
    ys: t.lines.map((w, i) => [i, `${w}`]),
    xTitle: `time (${unit})`, yTitle: "worker", marks: [["steal", marksOf(steals, 0.15)], ["send", marksOf(sends, 0.85)]],
    describe: (r, c) => {
      if (c >= n) return `After the end of this run`;
      const i = r * n + c;
      const extra = [[steals[i], "steal"], [sends[i], "task"]].filter(([k]) => k > 0)
        .map(([k, noun]) => (noun === "task" ? `${words(k, noun)} sent` : words(k, noun)));
      return `Worker ${t.lines[r]} at ${seconds((c + 0.5) * t.column_s)}: ${[what(cells[i]), ...extra].join(", ")}`;
    },
    legends: [legend([...t.names.slice(0, 6).map((name, i) => [`--task-${i % TASK_SHADES}`, name]),
      ...ACTIVITIES.map((a, i) => [`--${a}`, labelOf(a), a === "unknown"]).filter((_, i) => used.has(i)),
      ...(steals.some((v) => v) ? [["--steal", "a steal (above)"]] : []), ...(sends.some((v) => v) ? [["--send", "a task sent to another worker (below)"]] : [])])],
    table: () => tableOf([{head: "worker", value: (l) => t.lines[l]}, {head: "from", value: (l) => l, show: () => seconds(0)},
      {head: "mostly", isText: true, value: (l) => commonest(cells.subarray(l * n, (l + 1) * n), what)}], t.lines.map((_, l) => l)),
  });
}

function commonest(cells, what) {
  const counts = new Map();
  for (const c of cells) counts.set(c, (counts.get(c) || 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).slice(0, 4).map(([c, k]) => `${what(c)} ${percent(k / cells.length)}`).join(", ");
}

/** [numa-ws-2018 Fig. 8] */
function workerTimes(panel, run, title, shared) {
  const rows = run.rows;
  const states = statesIn([run]);
  const each = rows[0] ? rows[0].workers : 1;
  const [size, unit] = timeUnit(shared.length);
  const name = (r) => (r.workers === 1 ? `Worker ${r.worker}` : `Workers ${r.worker} to ${r.worker + r.workers - 1}`);
  chart(panel, {
    name: "worker-times", title, bars: true, stack: true, x: rows.map((r) => r.worker),
    xRange: [-0.5 * each, run.workers - 1 + 0.5 * each], most: shared.length * each / size, height: 230,
    xTitle: "worker", yTitle: `time (${unit})`, whole: true, grid: "y",
    label: "Work, scheduling, idle and asleep time of each worker.",
    series: states.map((a) => ({label: labelOf(a), paint: a, values: rows.map((r) => r[`${a}_s`] / size)})),
    describe: (i) => `${name(rows[i])}: ${states.map((a) => `${a} ${seconds(rows[i][`${a}_s`])}`).join(", ")}; ${words(rows[i].steals, "steal")}`,
    table: () => tableOf([{head: "worker", value: (r) => r.worker}, {head: "rank", value: (r) => r.rank}, {head: "place", value: (r) => (r.place < 0 ? null : r.place)},
      {head: "processor", value: (r) => (r.processor < 0 ? null : r.processor)},
      ...(rows.some((r) => r.speed) ? [{head: "speed of its core", value: (r) => r.speed, show: digits}] : []),
      ...states.map((a) => ({head: labelOf(a), value: (r) => r[`${a}_s`], show: seconds})),
      {head: "tasks", value: (r) => r.tasks, show: count}, {head: "steals", value: (r) => r.steals, show: count}], rows),
  });
}

function busyWorkers(panel, run, title) {
  const busy = run.utilisation.busy_s;
  const total = busy.reduce((a, b) => a + b, 0) || 1;
  const values = busy.map((s) => s / total * 100);
  const most = Math.max(...values, 1);
  const whole = run.known_s >= run.length_s * 0.9999 ? "the run" : "the known time";
  chart(panel, {
    name: "busy-workers", title, bars: true, x: busy.map((_, k) => k), xRange: [-0.6, busy.length - 0.4], most: Math.min(100, most * 1.1),
    xTitle: "workers that work at once", yTitle: `share of ${whole} (%)`, whole: true, grid: "y",
    label: `For what share of ${whole} how many workers worked at once.`,
    series: [{label: `share of ${whole}; ${digits(run.mean_busy)} workers work on average`, paint: "work", values}],
    describe: (k) => `${words(k, "worker")} at once: ${percent(values[k] / 100)} of ${whole}, ${seconds(busy[k])}`,
    table: () => tableOf([{head: "workers at once", value: (k) => k}, {head: "time", value: (k) => busy[k], show: seconds},
      {head: `share of ${whole}`, value: (k) => values[k] / 100, show: percent}], busy.map((_, k) => k)),
  });
}

/** [adws-sc19 Figure 1] */
function taskMap(panel, run, title) {
  const m = run.task_map;
  const owners = unpack16(m.owners);
  const columns = m.numbers.length;
  const rows = m.addresses.length;
  const lowest = BigInt(m.addresses[0] || 0);
  const few = run.workers <= FEW.length;
  const last = run.workers - 1;
  heat(panel, {
    name: "task-map", title, rows, columns, cellHeight: clamp(Math.floor(320 / rows), 1.7, 18),
    label: `Which worker ran the tasks of each part of memory in each of ${words(columns, "iteration")}.`,
    paint: (r, c) => (owners[r * columns + c] === NOBODY ? colour("empty") : workerColour(owners[r * columns + c], run.workers)),
    xs: ticksBetween(0, columns - 1, 10, 1).map((c) => [c + 0.5, `${m.numbers[c]}`]), ys: [[0, "low"], [rows - 1, "high"]],
    xTitle: "iteration", yTitle: "address",
    describe: (r, c) => {
      const owner = owners[r * columns + c];
      return `Iteration ${m.numbers[c]}, lowest address + ${bytes(Number(BigInt(m.addresses[r]) - lowest))}: ${owner === NOBODY ? "no worker" : `worker ${owner}`}`;
    },
    legends: [make("p", {class: "readout"}, m.overlap === null ? "One iteration only: no overlap." :
      `Overlap ${percent(m.overlap)}: bytes that stay on their worker from one iteration to the next, on average. ${words(m.items, "block")}, ${bytes(m.bytes)}.`),
      few ? legend(Array.from({length: run.workers}, (_, w) => [workerColour(w, run.workers), `worker ${w}`]))
        : make("p", {class: "legend", "aria-hidden": "true"}, "worker 0", make("i", {class: "ramp", style: `width:90px;margin:5px 6px;background:linear-gradient(to right, ${MANY.join(",")})`}), `${last}`)],
    table: () => tableOf([{head: "worker", value: (w) => w}, {head: "share of the cells", value: (w) => owners.filter((o) => o === w).length / owners.length, show: percent}],
      Array.from({length: Math.min(run.workers, MOST_ROWS)}, (_, w) => w)),
  });
}
