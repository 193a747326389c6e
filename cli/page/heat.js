// SPDX-License-Identifier: MIT
// Pictures made of cells: time lines, task maps, matrices. A cell is a pixel of a canvas, which is stretched.

/**
 *   rows, columns      how many cells
 *   cellHeight         pixels, unless cells are `square`
 *   paint(r, c)        a colour, or null
 *   xs, ys             [[column or row (may be a fraction), text], ...]
 *   text(r, c)         [what stands in a cell, if it has room, its colour]
 *   marks              [[colour, [[column, row], ...]], ...]: dots on top
 *   describe(r, c)     text
 *   gaps               whether cells stand apart
 */
function heat(panel, {name, title, label, rows, columns, cellHeight, square, paint, xs, ys, xTitle, yTitle, text, marks = [], describe, legends, table, gaps}) {
  const canvas = make("canvas", {width: columns, height: rows, style: "image-rendering:pixelated"});
  const cursor = make("i", {class: "cursor", hidden: true});
  const box = (r, c) => `left:${100 * c / columns}%;top:${100 * r / rows}%;width:${100 / columns}%;height:${100 / rows}%`;
  const size = square ? `aspect-ratio:${columns}/${rows}` : `height:${cellHeight * rows}px`;
  const hasTexts = text && (square ? Math.min(480 / columns, 40) : cellHeight) >= 13;
  const texts = !hasTexts ? [] : Array.from({length: rows * columns}, (_, i) => [Math.floor(i / columns), i % columns]).map(([r, c]) => {
    const [words, ink] = text(r, c) || [];
    return words && make("span", {class: "words", style: `${box(r, c)};color:var(--${ink})`}, words);
  });
  const dots = marks.map(([colour, places]) => stroke("marks", colour, places.map(([c, r]) => `M${c} ${r}h0`).join("")));
  const area = make("div", {class: "area", style: size}, canvas,
                    gaps && make("div", {class: "gaps", style: `background-size:${100 / columns}% 100%, 100% ${100 / rows}%`}), texts,
                    make("svg", {viewBox: `0 0 ${columns} ${rows}`, preserveAspectRatio: "none"}, dots), cursor);
  const draw = () => {
    const pen = canvas.getContext("2d");
    for (let r = 0; r < rows; ++r) {
      for (let c = 0, end = 0; c < columns; c = end) {
        pen.fillStyle = paint(r, c) || "transparent";
        while (end < columns && paint(r, end) === paint(r, c)) ++end;
        pen.clearRect(c, r, end - c, 1);
        pen.fillRect(c, r, end - c, 1);
      }
    }
  };
  redraws.add(draw);
  draw();
  return figure(panel, {
    name, title, label, legends, table, area, rows, columns, describe,
    drawing: axes(area, {xs: xs.map(([c, words]) => [c / columns, words]), ys: [...ys].reverse().map(([r, words]) => [1 - (r + 0.5) / rows, words]), xTitle, yTitle,
                          widest: square && Math.min(520, 40 * columns) || undefined}),
    mark(r, c) {
      cursor.hidden = false;
      cursor.style = box(r, c);
    },
  });
}
