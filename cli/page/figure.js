// SPDX-License-Identifier: MIT
// What every figure has: a caption, a drawing between its axes, a line that says what is under the pointer or the keyboard's
// cursor, and the table with the same numbers. Places are percentages and colours are properties of CSS, so that a drawing
// follows the width and the colours of the page by itself.

/** An element: make("p", {class: "x", onclick: f}, "text", child, ...) */
function make(tag, attributes = {}, ...children) {
  const element = ["svg", "path"].includes(tag) ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((c) => c !== undefined && c !== null && c !== false && c !== ""));
  return element;
}

/** Swatches: [[colour variable or css, text, framed, dashed], ...]. Their colours follow the theme. */
function legend(entries) {
  const background = (paint, dashed) => (dashed ? `repeating-linear-gradient(90deg, ${paint} 0 4px, transparent 4px 6px)` : paint);
  return make("ul", {class: "legend", "aria-hidden": "true"}, entries.map(([paint, text, framed, dashed]) =>
    make("li", {}, make("i", {style: `background:${background(paint.startsWith("--") ? `var(${paint})` : paint, dashed)}`, class: framed && "framed"}), text)));
}

/** Hides the labels that touch the one before them, and those of cells that are wider than their cell. */
function thin(plot) {
  for (const labels of plot.querySelectorAll(".labels")) {
    let free = -Infinity;
    const isUpright = labels.classList.contains("ys");
    for (const label of labels.children) {
      const box = label.getBoundingClientRect();
      const [from, to] = isUpright ? [-box.bottom, -box.top] : [box.left - 6, box.right];
      label.style.visibility = from < free ? "hidden" : "";
      if (from >= free) free = to;
    }
  }
  for (const words of plot.querySelectorAll(".words")) words.style.visibility = words.scrollWidth > words.clientWidth ? "hidden" : "";
}

/**
 * Axes around an area, at most `widest` pixels wide: labels [[place from 0 to 1, text], ...], from the left and from the bottom
 * up. Lines at the labels of x if `grid` contains an x, at those of y if it contains a y.
 */
function axes(area, {xs, ys, xTitle, yTitle, widest = 1e5, grid = ""}) {
  const placed = (side, [at, text]) => make("span", {style: `${side}:${100 * at}%`}, text);
  const lines = (axis, side, all) => (grid.includes(axis) ? all.map(([at]) => make("i", {class: `line ${axis}`, style: `${side}:${100 * at}%`})) : []);
  area.prepend(...lines("x", "left", xs), ...lines("y", "bottom", ys));
  const longest = ys.reduce((most, [, text]) => (text.length > most.length ? text : most), "");
  return make("div", {class: "axes", style: `grid-template-columns:auto auto minmax(0, ${widest}px)`}, make("span", {class: "title upright"}, yTitle),
              make("div", {}, make("span", {class: "sizer"}, longest), make("div", {class: "labels ys"}, ys.map((y) => placed("bottom", y)))), area,
              make("div", {class: "labels xs"}, xs.map((x) => placed("left", x))), make("span", {class: "title"}, xTitle));
}

/**
 * A figure in `panel`.
 *   name           what data-figure says; tests look for it
 *   title          heading, if runs stand side by side
 *   label          what the drawing shows, for those who do not see it
 *   drawing        an element; `area` is the part of it with `rows` x `columns` things to point at
 *   columnAt       place from 0 to 1 => column, unless columns are equally wide
 *   mark           (row, column) => puts the cursor there
 *   describe       (row, column) => text
 *   legends        elements under the drawing
 *   table          a function that makes the table, when it is opened
 */
function figure(panel, {name, title, label, drawing, area, rows, columns, columnAt = (x) => Math.floor(x * columns), mark, describe, legends = [], table}) {
  const readout = make("output", {class: "readout", "aria-live": "polite"});
  let at = [-1, -1];
  const show = (row, column) => {
    at = [clamp(row, 0, rows - 1), clamp(column, 0, columns - 1)];
    mark(...at);
    readout.textContent = describe(...at);
  };
  const point = (event) => {
    const box = area.getBoundingClientRect();
    const [x, y] = [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
    if (x >= 0 && x < 1 && y >= 0 && y < 1) show(Math.floor(y * rows), columnAt(x));
  };
  const step = (key) => {
    const by = key.shiftKey ? 10 : 1;
    const [dx, dy] = {ArrowLeft: [-by, 0], ArrowRight: [by, 0], ArrowUp: [0, -by], ArrowDown: [0, by], Home: [-Infinity, 0], End: [Infinity, 0]}[key.key] || [];
    if (dx === undefined) return;
    key.preventDefault();
    show(at[0] + (columns === 1 ? dx + dy : dy), at[1] + (columns === 1 ? 0 : dx)); // along the only way that there is
  };
  const plot = make("div", {class: "plot", tabindex: "0", role: "img", "aria-label": `${label} Arrow keys move along it.`, onpointermove: point, onpointerdown: point, onkeydown: step}, drawing);
  const frame = make("figure", {class: "card", "data-figure": name}, title && make("h3", {}, title), plot, legends, readout);
  if (table) {
    const behind = make("details", {}, make("summary", {}, "Numbers"));
    behind.addEventListener("toggle", () => {
      if (behind.open && behind.children.length === 1) behind.append(table());
    });
    frame.append(behind);
  }
  panel.append(frame);
  new ResizeObserver(() => thin(plot)).observe(plot);
  frame.dataset.drawn = "yes";
  return frame;
}

/** Round values within [low, high], about `parts` of them, at least `least` apart. */
function ticksBetween(low, high, parts, least = 0) {
  const raw = Math.max((high - low) / Math.max(parts, 1), least, 1e-12);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= raw * 0.999);
  const first = Math.ceil(low / step - 1e-9);
  return Array.from({length: Math.max(Math.floor(high / step + 1e-9) - first + 1, 0)}, (_, i) => (first + i) * step);
}

/** "0.3" of a tick that is 0.30000000000000004 */
const tickText = (value) => `${parseFloat(value.toPrecision(6))}`;

const clamp = (x, low, high) => Math.min(Math.max(x, low), high);
