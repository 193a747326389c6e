// SPDX-License-Identifier: MIT
// The report, from top to bottom: what ran, what limits it, and the figures.

function sharesBar(run) {
  const all = ACTIVITIES.slice(0, 4).map((a) => [a, run.times[`${a}_s`]]);
  const total = all.reduce((sum, [, s]) => sum + s, 0) || 1;
  return make("div", {class: "shares", role: "img", "aria-label": `Time of all workers: ${shareText(all, total)}`},
              all.map(([a, s]) => make("span", {style: `width:${100 * s / total}%;background:var(--${a})`})));
}

function runCard(run, runs) {
  const total = ACTIVITIES.slice(0, 4).reduce((sum, a) => sum + run.times[`${a}_s`], 0) || 1;
  const share = (a) => percent(run.times[`${a}_s`] / total);
  const first = runs[0];
  const where = [run.program, run.policy && `policy ${run.policy}`, run.machine, run.host && `on ${run.host}`, run.version && `Skua ${run.version}`].filter(Boolean).join(", ");
  return make("article", {class: "card", "data-figure": "run", "data-drawn": "yes"},
    make("h3", {}, runs.length > 1 ? `${run.label}: ${run.title}` : run.title || run.label, run.simulated && make("span", {class: "tag"}, "simulated")),
    make("p", {class: "origin"}, where || "The trace does not say what ran."),
    run.uncounted && make("p", {class: "origin", "data-uncounted": run.uncounted_s}, run.uncounted),
    make("dl", {class: "facts"},
      fact("time", seconds(run.length_s), run !== first && run.program === first.program && run.whole && first.whole && `${digits(first.length_s / run.length_s)}\u00d7 as fast as ${first.label}`),
      fact("workers", count(run.workers), run.ranks > 1 ? `on ${run.ranks} ranks` : run.mean_busy !== null && `${digits(run.mean_busy)} work on average`),
      fact("steals", count(run.steals.total)),
      fact("work", share("work")), fact("scheduling", share("scheduling")), fact("idle", share("idle")), fact("asleep", share("asleep")),
      run.inflation !== null && fact("W_P/T_1", digits(run.inflation), "work inflation"),
      run.task_map.overlap !== null && fact("overlap", percent(run.task_map.overlap)),
      fact("events", count(run.events))),
    sharesBar(run), legend(ACTIVITIES.slice(0, 4).map((a) => [`--${a}`, a])));
}

function banners(report) {
  const all = [];
  const simulated = report.runs.filter((r) => r.simulated);
  if (simulated.length > 0) {
    all.push(make("p", {class: "banner"}, make("strong", {}, "Simulated. "), `${simulated.map((r) => r.label).join(", ")} ran in virtual time on a model of a machine: no time on this page was measured there.`));
  }
  for (const r of report.runs) {
    for (const g of r.gaps) all.push(make("p", {class: "banner", "data-gap": g.key}, make("strong", {}, `${g.title} `), report.runs.length > 1 ? `${r.label}: ${g.text}` : g.text));
    if (r.events === 0) all.push(make("p", {class: "banner"}, `The trace ${r.label} has no events.`));
  }
  return all;
}

function findingCard(f) {
  return make("article", {class: "card finding", "data-finding": f.key}, make("p", {class: "limit"}, f.limit), make("p", {}, f.evidence),
              make("p", {}, f.advice), f.command && commandLine(f.command));
}

function findings(report) {
  const many = report.runs.length > 1;
  const cards = report.runs.flatMap((r) => [many && make("h3", {}, r.label),
    ...(r.findings.length > 0 ? r.findings.map(findingCard) : [make("p", {class: "card fine"}, r.whole ? "No bottleneck found." : "No bottleneck found in what is known.")])].filter(Boolean).map((c) => [r, c]));
  const panels = make("div", {class: "panels"}, report.runs.map((r) => make("div", {style: "display:grid;gap:12px;align-content:start"}, cards.filter(([of]) => of === r).map(([, c]) => c))));
  return [panels, make("details", {}, make("summary", {}, "What the report looks for"), make("ul", {}, report.looks_for.map((line) => make("li", {}, line))))];
}

// Figures over time: those of several runs stand below each other, so that their times line up.
const OVER_TIME = ["utilisation", "time-lines"];

/** id, title, explanation, which runs have it, what draws it, what is said if none has. */
const FIGURES = [
  ["utilisation", "Utilisation over time", "How many workers worked, scheduled, idled or slept.", (r) => r.events > 0, utilisation],
  ["time-lines", "Time lines of the workers", "What each worker did for most of each column. Point at it for the task\u2019s name.", (r) => r.events > 0, timeLines],
  ["worker-times", "Time of each worker", "Work, scheduling, idle and asleep time add up to the run.", (r) => r.events > 0, workerTimes],
  ["busy-workers", "Parallelism", "For what share of the run how many workers worked at once. A serial part shows at 1, waiting for something outside at 0.", (r) => r.events > 0 && r.workers > 1 && r.known_s > 0, busyWorkers],
  ["task-map", "Task map", "Which worker ran the tasks of each part of memory, iteration by iteration. Level bands mean that data stay with their worker. A block that did not run in an iteration keeps its colour.", (r) => r.task_map.items > 0 && r.task_map.numbers.length > 0, taskMap,
    "No trace has both iterations and leaves that say what they write: here.leaf(writes{...}, kernel), and marks named iteration."],
  ["iterations", "Balance of the iterations", "Efficiency, overlap, steals, and tasks that the policy moved, per iteration.", (r) => r.iterations.count > 0, iterationShares,
    "No trace has iterations: neither marks named iteration, nor task collections, nor several calls of a pool."],
  ["steal-matrix", "Steals", "Steals by thief and victim, and by distance.", (r) => r.steals.total > 0, (p, r, t) => { stealMatrix(p, r, t); stealDistances(p, r, t); }, "No worker stole a task."],
  ["critical-path", "Critical path", "Of the chains of nodes that wait for each other the one that takes longest, in each flow: no number of workers makes the run faster. Nodes count with what they wait for inside.", (r) => r.flows.length > 0, criticalPaths, null],
  ["choices", "What auto chose", "For each call the scheduler that the policy auto ended with, why, and what its trials cost; and when another scheduler was in force.", (r) => r.choices.says.length > 0 || r.choices.changes > 0, choices, null],
  ["openmp", "OpenMP: regions and loops", "By place in the code. Imbalance: busy time of the busiest member over that of a member on average. A click on a heading sorts.", (r) => r.openmp !== null, openmp, null],
  ["teams", "Widths of teams", "How many workers moldable tasks ran on, by type and software topology address.", (r) => r.teams.length > 0, teams, null],
  ["tasks", "Tasks", "Own time: without tasks that were called inside, and without waits. Tasks that were not stolen are called by their parents, whose time includes them. A click on a heading sorts.", (r) => r.tasks.length > 0, tasks, "No task ended in these traces."],
];

function main(report) {
  const {runs} = report;
  const shared = {length: Math.max(...runs.map((r) => r.length_s), 1e-9)};
  const programs = [...new Set(runs.map((r) => r.app || r.label))];
  headline(runs.length > 1 ? programs.join(", ") : runs[0].title || runs[0].label, runs.length > 1 ? `${words(runs.length, "run")}, side by side on the same scales.` : "What one run did, and what limited it.",
           ...banners(report), make("div", {class: "panels"}, runs.map((r) => runCard(r, runs))));
  section("findings", runs.length > 1 ? "What limits these runs" : "What limits this run", "", ...findings(report));
  for (const [id, title, explain, has, draw, otherwise] of FIGURES) {
    const shown = runs.filter(has);
    if (shown.length === 0 && !otherwise) continue;
    const panels = make("div", {class: OVER_TIME.includes(id) ? "panels stack" : "panels"});
    section(id, title, explain, shown.length > 0 ? panels : make("p", {class: "none"}, otherwise));
    for (const run of shown) draw(panels, run, runs.length > 1 ? run.label : undefined, shared);
  }
  madeFrom(words(runs.reduce((n, r) => n + r.events, 0), "event"));
}
