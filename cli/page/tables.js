// SPDX-License-Identifier: MIT
// Tables: those behind the figures, and that of the tasks, which a click on a heading sorts.

const MOST_ROWS = 500; // of a table behind a figure

/** columns: [{head, value: row => number or text, show: value => text, isText}] */
function tableOf(columns, rows, {sortable, caption, whole} = {}) {
  const body = make("tbody");
  const fill = (ordered) => body.replaceChildren(...ordered.slice(0, MOST_ROWS).map((row) => make("tr", {}, columns.map((c) => {
    const value = c.value(row);
    const shown = value === null || value === undefined ? "\u2013" : c.show ? c.show(value, row) : `${value}`;
    return make("td", {class: c.class || (c.isText ? "text" : undefined)}, shown);
  }))));
  const heads = columns.map((c) => make("th", {scope: "col", class: c.isText ? "text" : undefined},
    sortable ? make("button", {type: "button"}, c.head) : c.head));
  heads.forEach((head, i) => {
    if (!sortable) return;
    head.firstChild.addEventListener("click", () => {
      const up = head.getAttribute("aria-sort") === "descending";
      heads.forEach((h) => h.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const value = columns[i].value;
      const order = (a, b) => (value(a) < value(b) ? -1 : value(a) > value(b) ? 1 : 0);
      fill([...rows].sort((a, b) => (up ? order(a, b) : order(b, a))));
    });
  });
  fill(rows);
  const more = rows.length > MOST_ROWS && make("p", {class: "none"}, `The first ${MOST_ROWS} of ${count(rows.length)} rows.`);
  return make("div", {class: whole ? "scroll whole" : "scroll", tabindex: "0", role: "region", "aria-label": caption || "Table"},
              make("table", {}, make("thead", {}, make("tr", {}, heads)), body), more || null);
}
