// SPDX-License-Identifier: MIT
// A comparison, from top to bottom: the question, who is the fastest, the figures, and how to repeat it.

function banners(data) {
  return [
    ...data.rows.filter((r) => !isRight(r)).map((r) => make("p", {class: "banner"}, make("strong", {}, "Wrong answers. "),
      `${r.runner} with ${words(r.workers, "worker")} gave ${words(r.wrong_answers, "wrong answer")} (${r.first_error}). Its times are pale, and nothing is compared with them.`)),
    ...data.notes.map((note) => make("p", {class: "banner"}, make("strong", {}, "Note. "), `${note[0].toUpperCase()}${note.slice(1)}.`)),
  ];
}

function origin(data) {
  const m = data.machine;
  return make("p", {class: "origin"}, `${m.cpu}, ${m.usable_pus} of ${m.pus} PUs usable; ${m.kernel}; Skua ${m.skua_version}, ${m.compiler}, ${m.build_type}; ` +
    `load average before the first run ${m.load_average === null ? "not known" : m.load_average.toFixed(2)}; ${data.date}.`);
}

function allNumbers(data) {
  const mapped = data.rows.some((r) => r.map_shares);
  const times = TIME_COLUMNS.slice(1).filter((c) => c.head !== "answers" || !data.rows.every(isRight));
  const columns = [{head: "runner", value: (r) => r.runner}, {head: "workers", value: (r) => r.workers}, ...times,
    {head: "speed-up", value: (r) => r.speed_up && r.speed_up.middle, show: ratio}, {head: "efficiency", value: (r) => r.efficiency && r.efficiency.middle, show: ratio},
    {head: "vs peer", value: (r) => r.to_peer && r.to_peer.middle, show: ratio},
    ...(mapped ? [{head: "overlap", value: (r) => r.map_overlap, show: percent},
      {head: "largest share", value: (r) => r.map_shares && Math.max(...r.map_shares), show: percent}] : [])];
  return make("div", {class: "card", "data-figure": "numbers", "data-drawn": "yes"}, tableOf(columns, data.rows, {sortable: true, whole: true, caption: "All numbers"}),
    mapped && make("p", {class: "none"}, "Overlap: work that stays on its worker from iteration to iteration. Largest share: work of the busiest worker."));
}

/** What an app says of its last run: sizes and results. */
function facts(data) {
  const [row] = data.rows;
  const entries = Object.entries(row.facts || {}).filter(([, value]) => value !== null && typeof value !== "object");
  if (entries.length === 0) return null;
  return make("details", {}, make("summary", {}, `What ${data.app} says of its last run`),
    tableOf([{head: "fact", value: ([key]) => key.replaceAll("_", " ")}, {head: "value", value: ([, value]) => `${value}`}], entries));
}

/** A section with a panel for each number of workers for which there is something to draw. */
function byCount(id, title, explain, data, has, draw, otherwise) {
  const groups = byWorkers(data.rows, data.worker_counts).map(([n, rows]) => [n, rows.filter(has)]).filter(([, rows]) => rows.length > 0);
  const panels = make("div", {class: "panels"});
  section(id, title, groups.length > 0 && explain, groups.length > 0 ? panels : make("p", {class: "none"}, otherwise));
  for (const [n, rows] of groups) draw(panels, rows, words(n, "worker"), data);
}

function main(data) {
  const {rows, reference} = data;
  data.paints = paintsOf(rows);
  data.names = [...data.paints.keys()].filter((name) => name !== "serial");
  const right = rows.every(isRight);
  headline(data.question, `${data.names.join(", ")}: ${words(rows[0].runs, "round")}, interleaved${right ? "; every answer verified" : ""}.`,
           origin(data), ...banners(data),
           data.summary.length > 0 && make("article", {class: "card summary", "data-figure": "summary", "data-drawn": "yes"}, data.summary.map((line) => make("p", {}, line))));
  byCount("times", "Times", `Medians. The line on each bar is the spread, ${data.spread}; below it stands a tick for each round, at the end of the axis if it took longer. Where two spreads overlap, this measurement does not tell who is faster.`,
          data, () => true, times);
  const scales = make("div", {class: "panels"});
  section("scaling", "Speed-up and efficiency", reference ? `Compared with ${reference.name}${reference.runner === "serial" ? "" : ", the fastest with the fewest workers, because the serial elision did not run"}. ` +
    `Efficiency is the speed-up / the number of workers${reference.workers > 1 ? `, and 1 for ${reference.name}` : ""}. Lines with ends are spreads.` : "", reference ? scales : make("p", {class: "none"}, "No answer was right."));
  if (reference) scaling(scales, data);
  byCount("peers", "Beside the fastest peer", "Time of the fastest other runtime with as many workers / own time: right of 1 is faster than that peer. A line that touches 1 is within the spread.",
          data, (r) => r.to_peer && r.kind !== "serial" && isRight(r), ratios, "No other runtime ran in parallel and gave right answers (--peers).");
  if (rows.some((r) => r.per_worker)) {
    byCount("breakdown", "Where the workers\u2019 time went", `Medians over the rounds. W_P/T_1 is work inflation: the workers\u2019 work / the time of one worker under the same policy.` +
      (data.added_for_breakdown.length > 0 ? ` Measured for this figure: ${data.added_for_breakdown.join(", ")}.` : ""), data, (r) => r.per_worker, breakdowns);
  }
  byCount("rounds", "Round by round", "A line that bends shows that the machine changed meanwhile. In each round everybody runs once, in a new order, so that this hits all alike.", data, () => true, rounds);
  section("numbers", "All numbers", "", make("p", {class: "explain on-screen"}, "A click on a heading sorts."), allNumbers(data));
  section("repeat", "Repeat it", `Warm-up: ${words(data.warm_up_rounds, "round")}, verified and not timed. Seed of the order: ${data.seed_of_order}.`,
          make("div", {class: "card", "data-figure": "repeat", "data-drawn": "yes"}, commandLine(data.command), facts(data)));
  madeFrom(words(rows.reduce((n, r) => n + r.runs, 0), "timed run"));
}
