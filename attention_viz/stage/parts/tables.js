// Each map as a real table, for screen readers and programs: all rows while they are few, else the
// picked one.

import { element } from "./page.js";
import { exact } from "./words.js";

/** @typedef {import("./map.js").HeatMap} HeatMap */

const MOST_ROWS = 32;

/**
 * @param {HeatMap} map
 * @param {Float64Array} values
 * @param {number} picked
 * @param {string} corner
 */
export function fillTable(map, values, picked, corner) {
  const { labels, table, rows, columns } = map;
  const shown = rows <= MOST_ROWS && columns <= MOST_ROWS ? [...Array(rows).keys()] : [picked];
  const head = element("tr", "", heading(corner, "col"));
  for (const text of labels.columns) head.append(heading(text, "col"));
  const body = shown.map((row) => {
    const line = element("tr", "", heading(labels.rows[row], "row"));
    for (let key = 0; key < columns; key++) {
      const masked = map.isMasked(row, key);
      line.append(element("td", "", masked ? "–" : exact(values[row * columns + key])));
    }
    return line;
  });
  table.replaceChildren(element("thead", "", head), element("tbody", "", ...body));
}

/**
 * @param {string} text
 * @param {"row" | "col"} scope
 */
function heading(text, scope) {
  const made = element("th", "", text);
  made.scope = scope;
  return made;
}
