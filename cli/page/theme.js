// SPDX-License-Identifier: MIT
// The look (apps/picture/look.hpp): light or dark as the system has it, or as the reader chooses; light on paper. Canvases
// are painted again when that changes; the rest follows by itself.

const ACTIVITIES = ["work", "scheduling", "idle", "asleep", "unknown"];
const NOBODY = 0xffff;

const redraws = new Set(); // functions, one per canvas

const known = new Map(); // asking for a style is slow, and pictures have many cells

/** A colour of the look that pages and pictures share (apps/picture/look.hpp). */
function colour(name) {
  if (!known.has(name)) known.set(name, getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim());
  return known.get(name);
}

/** The colours NAME-0, NAME-1, ... */
function palette(name) {
  const all = [];
  while (colour(`${name}-${all.length}`)) all.push(colour(`${name}-${all.length}`));
  return all;
}

const FEW = palette("worker");
const MANY = palette("worker-of-many"); // where neighbours look alike

function channels(hex) {
  return [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
}

/** Between two colours, 0 <= t <= 1. */
function mix(from, to, t) {
  const a = channels(from);
  const b = channels(to);
  return `rgb(${a.map((v, i) => Math.round(v + (b[i] - v) * t)).join(",")})`;
}

function workerColour(worker, workers) {
  if (workers <= FEW.length) return FEW[worker % FEW.length];
  const at = (worker / Math.max(workers - 1, 1)) * (MANY.length - 1);
  const low = Math.min(Math.floor(at), MANY.length - 2);
  return mix(MANY[low], MANY[low + 1], at - low);
}

const TASK_SHADES = 5;

/** Tasks are work, so they have its colour, in a shade for each name. */
function taskColour(index) {
  const away = document.documentElement.dataset.theme === "dark" ? "#ffffff" : "#00203a";
  const toward = document.documentElement.dataset.theme === "dark" ? "#0b2c44" : "#9bd3f5";
  return [colour("work"), mix(colour("work"), toward, 0.45), mix(colour("work"), away, 0.42),
          mix(colour("work"), toward, 0.75), mix(colour("work"), away, 0.7)][index % TASK_SHADES];
}

/** For a count, on a scale of logarithms up to `most`. */
function heatColour(n, most) {
  if (!n) return colour("empty");
  return mix(colour("heat-low"), colour("heat-high"), most <= 1 ? 1 : Math.log(n) / Math.log(most));
}

const THEMES = ["automatic", "light", "dark"];

function setUpTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const root = document.documentElement;
  const button = document.getElementById("theme");
  let chosen = "automatic";
  try {
    chosen = THEMES.includes(localStorage.getItem("skua-theme")) ? localStorage.getItem("skua-theme") : chosen;
  } catch { /* a page from a file may have no storage */ }
  const apply = (onPaper) => {
    root.dataset.theme = onPaper ? "light" : chosen === "automatic" ? (dark.matches ? "dark" : "light") : chosen;
    root.classList.toggle("on-paper", onPaper);
    root.style.colorScheme = root.dataset.theme;
    button.textContent = `Colours: ${chosen}`;
    known.clear();
    for (let i = 0; i < TASK_SHADES; ++i) root.style.setProperty(`--task-${i}`, taskColour(i));
    for (const redraw of redraws) redraw();
  };
  button.addEventListener("click", () => {
    chosen = THEMES[(THEMES.indexOf(chosen) + 1) % THEMES.length];
    try {
      localStorage.setItem("skua-theme", chosen);
    } catch { /* then it holds for this visit */ }
    apply(false);
  });
  dark.addEventListener("change", () => apply(false));
  addEventListener("beforeprint", () => apply(true));
  addEventListener("afterprint", () => apply(false));
  apply(false);
}
