// SPDX-License-Identifier: MIT
// Charts with a row for each thing that is compared: bars or dots with their spread, and bars of several parts. The name stands
// to the left of its row, or above it where the page is narrow; what it comes to stands to the right.

const ROW = {bar: pixels("bar-height"), wide: 28, narrow: 44, line: 15};

/** Round values within [low, high], about `parts` of them. */
function ticksBetween(low, high, parts) {
  const raw = (high - low) / Math.max(parts, 1);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((k) => k * power).find((s) => s >= raw * 0.999);
  const first = Math.ceil(low / step - 1e-9);
  const count = Math.floor(high / step + 1e-9) - first + 1;
  return Array.from({length: count}, (_, i) => (first + i) * step);
}

/** Cuts `words` to `width` pixels. */
function fitted(pen, words, width) {
  if (pen.measureText(words).width <= width) return words;
  let kept = words.length;
  while (kept > 1 && pen.measureText(`${words.slice(0, kept)}\u2026`).width > width) --kept;
  return `${words.slice(0, kept)}\u2026`;
}

/**
 *   rows       [{name, text}, ...] and what drawRow needs
 *   from, to   ends of the x axis
 *   tick       value => text
 *   xTitle
 *   marks      [[value, text], ...]: vertical lines
 *   drawRow    (pen, row, x, top): x takes a value to its pixel, the bar's upper edge is at `top`
 *   describe   row => text
 */
function rowChart(panel, {name, title, label, rows, from, to, tick, xTitle, marks = [], drawRow, describe, table, legends}) {
  let box = null;
  let at = -1;
  let host = null;
  const layOut = (pen, width) => {
    const widest = Math.max(...rows.map((r) => pen.measureText(r.name).width), 0);
    const above = widest > width * 0.34;
    const right = Math.ceil(Math.max(...rows.map((r) => pen.measureText(r.text).width), 0)) + 12;
    const left = above ? 2 : Math.ceil(widest) + 12;
    const top = marks.length > 0 ? 20 : 4;
    const tall = above ? ROW.narrow : ROW.wide;
    box = {left, top, above, tall, width: Math.max(width - left - right, 40), height: tall * rows.length, all: width};
  };
  const x = (value) => box.left + (clamp(value, from, to) - from) / (to - from) * box.width;
  const barTop = (i) => box.top + i * box.tall + (box.above ? ROW.line + 7 : (box.tall - ROW.bar) / 2);
  const line = (pen, value, paint, dash) => {
    pen.strokeStyle = colour(paint);
    pen.setLineDash(dash);
    pen.beginPath();
    pen.moveTo(Math.round(x(value)) + 0.5, box.top - 2);
    pen.lineTo(Math.round(x(value)) + 0.5, box.top + box.height + 4);
    pen.stroke();
    pen.setLineDash([]);
  };
  const drawAxis = (pen) => {
    pen.font = FONT;
    pen.fillStyle = colour("soft");
    pen.textBaseline = "top";
    pen.textAlign = "center";
    let free = -Infinity;
    for (const value of ticksBetween(from, to, clamp(Math.floor(box.width / 50), 2, 10))) {
      line(pen, value, "line", []);
      const words = tick(value);
      const half = pen.measureText(words).width / 2;
      const centre = clamp(x(value), half, box.all - half);
      if (centre - half < free + 8) continue;
      pen.fillText(words, centre, box.top + box.height + 8);
      free = centre + half;
    }
    pen.fillText(xTitle, clamp(box.left + box.width / 2, pen.measureText(xTitle).width / 2, box.all), box.top + box.height + 26);
  };
  const drawMarks = (pen) => {
    pen.textBaseline = "bottom";
    pen.textAlign = "center";
    for (const [value, words] of marks) {
      line(pen, value, "soft", [4, 3]);
      const half = pen.measureText(words).width / 2;
      pen.fillStyle = colour("soft");
      pen.fillText(words, clamp(x(value), half + 1, box.all - half - 1), box.top - 4);
    }
  };
  const drawRows = (pen) => {
    rows.forEach((row, i) => {
      const top = barTop(i);
      drawRow(pen, row, x, top);
      pen.font = FONT;
      pen.textBaseline = "middle";
      pen.textAlign = box.above ? "left" : "right";
      pen.fillStyle = colour("ink");
      pen.fillText(fitted(pen, row.name, box.all - 4), box.above ? box.left : box.left - 8, box.above ? top - 10 : top + ROW.bar / 2);
      pen.textAlign = "right";
      pen.fillStyle = colour(row.faded ? "soft" : "ink");
      pen.fillText(row.text, box.all - 2, top + ROW.bar / 2);
    });
  };
  const show = (say) => {
    let cursor = host.querySelector(".cursor");
    if (!cursor) {
      cursor = make("div", {class: "cursor", style: "position:absolute;pointer-events:none;border:2px solid var(--ink);border-radius:4px;left:0"});
      host.append(cursor);
    }
    cursor.style.top = `${box.top + at * box.tall}px`;
    cursor.style.width = `${box.all}px`;
    cursor.style.height = `${box.tall}px`;
    say(describe(rows[at]));
  };
  return figure(panel, {
    name, title, label, legends, table,
    draw(into, width, say) {
      host = into;
      const [canvas, pen] = canvasIn(host, width, 10);
      layOut(pen, width);
      const [, sharp] = canvasIn(host, width, box.top + box.height + 44);
      drawAxis(sharp);
      drawRows(sharp);
      drawMarks(sharp);
      const point = (event) => {
        const row = Math.floor((event.clientY - canvas.getBoundingClientRect().top - box.top) / box.tall);
        if (row < 0 || row >= rows.length) return;
        at = row;
        show(say);
      };
      canvas.onpointermove = point;
      canvas.onpointerdown = point;
      if (at >= 0) show(say);
    },
    move(dx, dy, say) {
      at = clamp(at + dx + dy, 0, rows.length - 1);
      show(say);
    },
  });
}

/** A bar from 0, or a dot, with its spread: a line with ends from the low to the high one. Behind it, a tick for each of `each`. */
function drawSpread(pen, row, x, top, {paint, low, middle, high, each = [], dot}) {
  const centre = top + ROW.bar / 2;
  pen.globalAlpha = row.faded ? 0.35 : 1;
  pen.fillStyle = colour(paint);
  if (dot) {
    pen.beginPath();
    pen.arc(x(middle), centre, 5, 0, 2 * Math.PI);
    pen.fill();
  } else {
    pen.fillRect(x(0), top, Math.max(x(middle) - x(0), 1), ROW.bar);
  }
  pen.globalAlpha = 0.6;
  pen.fillStyle = colour("ink");
  for (const value of each) pen.fillRect(x(value) - 0.5, top + ROW.bar + 2, 1, 5);
  pen.globalAlpha = 1;
  pen.beginPath();
  pen.moveTo(x(low), centre);
  pen.lineTo(x(high), centre);
  for (const end of [low, high]) {
    pen.moveTo(x(end), centre - 4);
    pen.lineTo(x(end), centre + 4);
  }
  if (!dot) { // an edge, so that bars of any colour show it
    pen.lineWidth = 4;
    pen.strokeStyle = colour("card");
    pen.stroke();
  }
  pen.lineWidth = 2;
  pen.strokeStyle = dot ? colour(paint) : colour("ink");
  pen.stroke();
  pen.lineWidth = 1;
}

/** A bar of parts, [[paint, value], ...]. */
function drawParts(pen, row, x, top, parts) {
  let sum = 0;
  for (const [paint, value] of parts) {
    pen.fillStyle = colour(paint);
    pen.fillRect(x(sum), top, x(sum + value) - x(sum), ROW.bar);
    sum += value;
  }
}
