// SPDX-License-Identifier: MIT
// Pictures made of cells: time lines, task maps, matrices.

/**
 *   rows, columns      how many cells
 *   cellHeight         pixels
 *   paint(r, c)        a colour, or null
 *   xLabels            () => [[column (may be a fraction), text], ...]
 *   yLabels            [[row, text], ...]; those that do not fit are left out
 *   xTitle, yTitle
 *   text(r, c)         what stands in a cell, if it has room
 *   over(pen, box)     draws on top; box: {left, top, width, height, cellWidth, cellHeight}
 *   describe(r, c)     text
 */
function heat(panel, {name, title, label, rows, columns, cellHeight, square, paint, xLabels, yLabels, xTitle, yTitle, text, over,
                      describe, legends, table, gap = 0}) {
  let box = null;
  let at = [-1, -1];
  let host = null;
  const drawAxes = (pen) => {
    pen.fillStyle = colour("soft");
    pen.textBaseline = "middle";
    pen.textAlign = "right";
    let free = -Infinity;
    for (const [row, words] of yLabels) {
      const y = box.top + (row + 0.5) * box.cellHeight;
      if (y - free < 13) continue;
      pen.fillText(words, box.left - 7, y);
      free = y;
    }
    pen.textBaseline = "top";
    let right = -Infinity;
    for (const [column, words] of xLabels(box.width)) {
      const x = box.left + column * box.cellWidth;
      const half = pen.measureText(words).width / 2;
      const centre = Math.min(x, box.left + box.width - half);
      if (centre - half < right + 8) continue;
      pen.textAlign = "center";
      pen.fillText(words, centre, box.top + box.height + 6);
      right = centre + half;
    }
    pen.textAlign = "center";
    pen.fillText(xTitle, box.left + box.width / 2, box.top + box.height + 24);
    pen.save();
    pen.translate(2, box.top + box.height / 2);
    pen.rotate(-Math.PI / 2);
    pen.fillText(yTitle, 0, 0);
    pen.restore();
  };
  const drawCells = (pen) => {
    for (let r = 0; r < rows; ++r) {
      const y = box.top + Math.round(r * box.cellHeight);
      const tall = box.top + Math.round((r + 1) * box.cellHeight) - y - gap;
      for (let c = 0; c < columns;) {
        const fill = paint(r, c);
        let end = c + 1;
        while (gap === 0 && end < columns && paint(r, end) === fill) ++end;
        if (fill) {
          const x = box.left + Math.floor(c * box.cellWidth);
          pen.fillStyle = fill;
          pen.fillRect(x, y, box.left + Math.ceil(end * box.cellWidth) - x - gap, Math.max(tall, 1));
        }
        c = end;
      }
    }
  };
  const drawTexts = (pen) => {
    if (!text || box.cellHeight < 13) return;
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    for (let r = 0; r < rows; ++r) {
      for (let c = 0; c < columns; ++c) {
        const [words, ink] = text(r, c) || [];
        if (!words || pen.measureText(words).width > box.cellWidth - 4) continue;
        pen.fillStyle = ink;
        pen.fillText(words, box.left + (c + 0.5) * box.cellWidth - gap / 2, box.top + (r + 0.5) * box.cellHeight);
      }
    }
  };
  const draw = (into, width, say) => {
    host = into;
    const [canvas, pen] = canvasIn(host, width, 10);
    const widest = Math.max(...yLabels.map(([, words]) => pen.measureText(words).width), 0);
    const left = Math.ceil(Math.min(widest, width * 0.4)) + 30;
    const room = Math.max(width - left - 2, 40);
    const wide = square ? Math.min(room, 520) : room;
    const tall = square ? Math.min(wide / columns, 40) : cellHeight;
    box = {left, top: 4, width: square ? tall * columns : wide, height: tall * rows, cellWidth: square ? tall : wide / columns, cellHeight: tall};
    const [, sharp] = canvasIn(host, width, Math.ceil(box.height) + 46);
    drawCells(sharp);
    if (over) over(sharp, box);
    drawTexts(sharp);
    drawAxes(sharp);
    const point = (event) => {
      const area = canvas.getBoundingClientRect();
      const c = Math.floor((event.clientX - area.left - box.left) / box.cellWidth);
      const r = Math.floor((event.clientY - area.top - box.top) / box.cellHeight);
      if (c < 0 || r < 0 || c >= columns || r >= rows) return;
      at = [r, c];
      show(say);
    };
    canvas.onpointermove = point;
    canvas.onpointerdown = point;
  };
  const show = (say) => {
    let cursor = host.querySelector(".cursor");
    if (!cursor) {
      cursor = make("div", {class: "cursor", style: "position:absolute;pointer-events:none;border:2px solid var(--ink);border-radius:2px"});
      host.append(cursor);
    }
    const width = Math.max(box.cellWidth, 3);
    cursor.style.left = `${box.left + at[1] * box.cellWidth - 1}px`;
    cursor.style.top = `${box.top + at[0] * box.cellHeight - 1}px`;
    cursor.style.width = `${width + 2}px`;
    cursor.style.height = `${Math.max(box.cellHeight, 3) + 2}px`;
    say(describe(at[0], at[1]));
  };
  return figure(panel, {
    name, title, label, legends, table, draw,
    move(dx, dy, say) {
      at = [clamp(at[0] + dy, 0, rows - 1), clamp(at[1] + dx, 0, columns - 1)];
      show(say);
    },
  });
}
