// Scores by hand: type over a cell of the raw scores, or drag it up and down.

import { element } from "./page.js";
import { short } from "./words.js";

/**
 * @typedef {import("./map.js").HeatMap} HeatMap
 * @typedef {import("./map.js").Cell} Cell
 * @typedef {{
 *   get: (cell: Cell) => number, set: (cell: Cell, value: number) => void,
 *   hold: (down: boolean) => void, label: (cell: Cell) => string,
 * }} Scores
 */

const PER_PIXEL = 0.05;
const CLICK = 4; // pixels that a hand moves without meaning to
const MOST = 1000;

/**
 * @param {HeatMap} map
 * @param {Scores} scores
 */
export function makeEditable(map, scores) {
  const { surface } = map;
  const field = element("input", "typed");
  field.type = "text";
  field.inputMode = "decimal";
  field.hidden = true;
  surface.append(field);
  surface.classList.add("editable");
  /** @type {Cell | null} */ let open = null;

  /** @param {Cell} cell @param {string} text */
  const type = (cell, text) => {
    open = cell;
    field.hidden = false;
    field.value = text;
    field.setAttribute("aria-label", scores.label(cell));
    map.place(field, cell.row, cell.key, 1);
    field.focus();
  };
  /** @param {boolean} keep */
  const close = (keep) => {
    if (!open) return;
    const cell = open;
    open = null;
    const value = Number(field.value.replace(",", ".").replace("−", "-"));
    if (keep && field.value.trim() !== "" && Math.abs(value) <= MOST) scores.set(cell, value);
    field.hidden = true;
  };
  field.addEventListener("blur", () => close(true));
  field.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key !== "Enter" && event.key !== "Escape") return;
    close(event.key === "Enter");
    surface.focus();
  });
  field.addEventListener("click", (event) => event.stopPropagation());

  surface.addEventListener("keydown", (event) => {
    if (!/^[-−+.,0-9]$/.test(event.key) || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    type(map.hands.current(), event.key);
  });
  surface.addEventListener("dblclick", (event) => {
    const cell = map.cellAt(event);
    type(cell, short(scores.get(cell)).replace("−", "-"));
    field.select();
  });
  surface.addEventListener("pointerdown", (event) => {
    if (event.target === field) return;
    drag(map, scores, event);
  });
}

/**
 * Up is more: the cell under the pointer follows it until it is let go.
 * @param {HeatMap} map
 * @param {Scores} scores
 * @param {PointerEvent} down
 */
function drag(map, scores, down) {
  const { surface } = map;
  const cell = map.cellAt(down);
  const start = scores.get(cell);
  let moved = false;
  const end = new AbortController();
  const options = { signal: end.signal };
  /** @param {PointerEvent} event */
  const follow = (event) => {
    const up = down.clientY - event.clientY;
    if (!moved && Math.abs(up) < CLICK) return;
    if (!moved) scores.hold(true);
    moved = true;
    const value = Math.round((start + up * PER_PIXEL) * 100) / 100;
    scores.set(cell, Math.max(-MOST, Math.min(MOST, value)));
  };
  const stop = () => {
    end.abort();
    if (moved) scores.hold(false);
  };
  surface.setPointerCapture(down.pointerId);
  surface.addEventListener("pointermove", follow, options);
  for (const name of ["pointerup", "pointercancel", "lostpointercapture"]) {
    surface.addEventListener(name, stop, options);
  }
}
