// SPDX-License-Identifier: MIT
// What every figure has: a caption, a drawing that fits its width, a line that says what is under the pointer or the
// keyboard's cursor, and the table with the same numbers.

const FONT = `${look("text-size")} ${look("font")}`; // of what is painted

/** An element: make("p", {class: "x", onclick: f}, "text", child, ...) */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
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

/**
 * A figure in `panel`.
 *   name      what data-figure says; tests look for it
 *   title     heading, if runs stand side by side
 *   label     what the drawing shows, for those who do not see it
 *   draw      (host, width) => paints anew; called when width or colours change
 *   move      (dx, dy, jump) => moves the cursor, for the keyboard
 *   legends   elements under the drawing
 *   table     a function that makes the table, when it is opened
 */
function figure(panel, {name, title, label, draw, move, legends = [], table}) {
  const host = make("div", {class: "plot", tabindex: "0", role: "img", "aria-label": `${label} Arrow keys move along it.`});
  const readout = make("output", {class: "readout", "aria-live": "polite"});
  const frame = make("figure", {class: "card", "data-figure": name}, title && make("h3", {}, title), host, legends, readout);
  if (table) {
    const behind = make("details", {}, make("summary", {}, "Numbers"));
    behind.addEventListener("toggle", () => {
      if (behind.open && behind.children.length === 1) behind.append(table());
    });
    frame.append(behind);
  }
  panel.append(frame);
  let drawn = 0;
  const redraw = () => {
    const width = Math.floor(host.clientWidth);
    if (width < 50) return;
    drawn = width;
    draw(host, width, (text) => { readout.textContent = text; });
    frame.dataset.drawn = "yes";
  };
  host.addEventListener("keydown", (key) => {
    const by = key.shiftKey ? 10 : 1;
    const step = {ArrowLeft: [-by, 0], ArrowRight: [by, 0], ArrowUp: [0, -by], ArrowDown: [0, by],
                  Home: [-Infinity, 0], End: [Infinity, 0]}[key.key];
    if (!step || !move) return;
    key.preventDefault();
    move(step[0], step[1], (text) => { readout.textContent = text; });
  });
  redraws.add(redraw);
  new ResizeObserver(() => {
    if (Math.floor(host.clientWidth) !== drawn) requestAnimationFrame(redraw);
  }).observe(host);
  redraw();
  return frame;
}

/** A canvas of `width` x `height` CSS pixels that is sharp on any screen; keeps the one that is there. */
function canvasIn(host, width, height) {
  let canvas = host.querySelector("canvas");
  if (!canvas) {
    canvas = make("canvas");
    host.append(canvas);
  }
  const scale = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  pen.font = FONT;
  return [canvas, pen];
}

/** Round values that divide [0, most] into at most `parts`. */
function ticks(most, parts) {
  if (!(most > 0)) return [0];
  const raw = most / Math.max(parts, 1);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= raw * 0.999);
  return Array.from({length: Math.floor(most / step + 1e-9) + 1}, (_, i) => i * step);
}

const clamp = (x, low, high) => Math.min(Math.max(x, low), high);
