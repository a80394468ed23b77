// One heatmap: cells on a canvas of one pixel a cell, numbers on a second, labels and marks as HTML.

import { inkOn, pixel, shadeOf } from "./colour.js";
import { element, label, say } from "./page.js";
import { below, longest, stands } from "./sizes.js";

/**
 * @typedef {import("./colour.js").Colours} Colours
 * @typedef {{row: number, key: number}} Cell
 * @typedef {{
 *   hover: (cell: Cell | null) => void,
 *   pick: (cell: Cell) => void,
 *   current: () => Cell,
 * }} Hands what a map tells the stage about the person's pointer and keys
 */

const MOST_NUMBERS = 8; // up to so many rows and columns the cells carry their number
const LEAST_NUMBER = 24; // pixels of a cell that a number needs

export class HeatMap {
  /**
   * @param {string} kind
   * @param {Colours} colours
   * @param {number[]} masked
   * @param {Hands} hands
   */
  constructor(kind, colours, masked, hands) {
    this.kind = kind;
    this.colours = colours;
    this.maskedPixel = pixel(masked);
    this.maskedInk = inkOn(masked);
    this.hands = hands;
    /** @type {import("./sizes.js").Labels} */ this.labels = { rows: [], columns: [] };
    /** @type {Uint8Array | null} */ this.mask = null;
    /** @type {{rows: boolean[], columns: boolean[]}} */ this.special = { rows: [], columns: [] };
    this.rows = 0;
    this.columns = 0;
    this.cell = 0;
    this.zoom = 1; // of the numbers, for a room
    this.letters = 1; // of the labels

    this.title = element("h3", "title");
    this.formula = element("span", "formula");
    this.note = element("span", "note");
    this.cells = element("canvas", "cells");
    this.numbers = element("canvas", "numbers");
    this.frame = element("div", "frame");
    this.cursor = element("div", "cursor");
    this.same = element("div", "same");
    this.surface = element(
      "div", "surface", this.cells, this.numbers, this.frame, this.cursor, this.same,
    );
    this.surface.tabIndex = 0;
    this.surface.setAttribute("role", "application");
    this.rowLabels = element("div", "rows");
    this.columnLabels = element("div", "columns");
    this.sides = element("div", "sides");
    this.body = element(
      "div", "body", this.rowLabels, this.surface, this.sides, this.columnLabels,
    );
    this.table = element("table");
    const hidden = element("div", "unseen", this.table);
    const caption = element("figcaption", "", this.title, this.formula, this.note);
    this.root = element("figure", `map ${kind}`, caption, this.body, hidden);
    this.listen();
  }

  /**
   * @param {string[]} rows
   * @param {string[]} columns
   * @param {Uint8Array | null} mask n_q × n_k; columns beyond n_k are never masked
   * @param {number} maskColumns
   */
  load(rows, columns, mask, maskColumns) {
    this.labels = { rows, columns };
    this.rows = rows.length;
    this.columns = columns.length;
    this.mask = mask;
    this.maskColumns = maskColumns;
    this.cells.width = this.columns;
    this.cells.height = this.rows;
    const context = /** @type {CanvasRenderingContext2D} */ (this.cells.getContext("2d"));
    this.context = context;
    this.image = context.createImageData(this.columns, this.rows);
    this.words = new Uint32Array(this.image.data.buffer);
  }

  /**
   * Fit into a square of so many pixels.
   * @param {number} size
   * @param {number} largest cell
   * @param {number} across pixels for the labels of rows
   */
  layout(size, largest, across) {
    this.cell = Math.min(size / Math.max(this.rows, this.columns), largest);
    const width = this.cell * this.columns;
    const height = this.cell * this.rows;
    const widest = longest(this.labels.columns);
    const { letters } = this;
    this.body.style.gridTemplateColumns = `${across}px ${width}px`;
    this.body.style.gridTemplateRows = `${height}px ${below(widest, this.cell, letters)}px`;
    label(this.rowLabels, this.labels.rows, this.cell, "top", this.special.rows, letters);
    label(this.columnLabels, this.labels.columns, this.cell, "left", this.special.columns, letters);
    this.columnLabels.classList.toggle("upright", stands(widest, this.cell, letters));
    this.sharpen(width, height);
  }

  /**
   * The canvas of numbers has the pixels of the screen, whatever the zoom.
   * @param {number} width
   * @param {number} height
   */
  sharpen(width, height) {
    const ratio = devicePixelRatio || 1;
    this.hasNumbers =
      Math.max(this.rows, this.columns) <= MOST_NUMBERS && this.cell >= LEAST_NUMBER;
    this.numbers.width = this.hasNumbers ? Math.round(width * ratio) : 0;
    this.numbers.height = this.hasNumbers ? Math.round(height * ratio) : 0;
    const pen = /** @type {CanvasRenderingContext2D} */ (this.numbers.getContext("2d"));
    pen.scale(ratio, ratio);
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    this.fontSize = Math.min(18 * this.zoom, Math.max(10, this.cell * (this.zoom > 1 ? 0.34 : 0.26)));
    pen.font = `${this.fontSize}px ${getComputedStyle(this.root).fontFamily}`;
    this.pen = pen;
  }

  /**
   * @param {number} row
   * @param {number} key
   */
  isMasked(row, key) {
    const { mask, maskColumns = 0 } = this;
    return mask !== null && key < maskColumns && !mask[row * maskColumns + key];
  }

  /**
   * @param {Float64Array} values
   * @param {number} low
   * @param {number} high
   */
  paint(values, low, high) {
    const { words, image, context, colours } = this;
    if (!words || !image || !context) return;
    for (let i = 0; i < words.length; i++) {
      words[i] = colours.pixels[shadeOf(values[i], low, high)];
    }
    if (this.mask) {
      for (let row = 0; row < this.rows; row++) {
        for (let key = 0; key < this.columns; key++) {
          if (this.isMasked(row, key)) words[row * this.columns + key] = this.maskedPixel;
        }
      }
    }
    context.putImageData(image, 0, 0);
    if (this.hasNumbers) this.write(values, low, high);
  }

  /**
   * @param {Float64Array} values
   * @param {number} low
   * @param {number} high
   */
  write(values, low, high) {
    const { pen, cell } = this;
    if (!pen) return;
    pen.clearRect(0, 0, cell * this.columns, cell * this.rows);
    for (let row = 0; row < this.rows; row++) {
      for (let key = 0; key < this.columns; key++) {
        const value = values[row * this.columns + key];
        const masked = this.isMasked(row, key);
        const text = masked ? "–" : this.fitting(value);
        pen.fillStyle = masked ? this.maskedInk : this.colours.inks[shadeOf(value, low, high)];
        pen.fillText(text, (key + 0.5) * cell, (row + 0.5) * cell);
      }
    }
  }

  /**
   * A number with two decimals, or as many as the cell has room for.
   * @param {number} value
   */
  fitting(value) {
    const room = (this.cell - 4) / ((this.fontSize ?? 10) * 0.56);
    for (const decimals of [2, 1, 0]) {
      const text = value.toFixed(decimals).replace("-", "−");
      if (text.length <= room) return text;
    }
    return "";
  }

  /** @param {Cell | null} cell */
  mark(cell) {
    this.cursor.hidden = cell === null || cell.key >= this.columns;
    if (cell) this.place(this.cursor, cell.row, cell.key, 1);
  }

  /** @param {number} row */
  pick(row) {
    this.place(this.frame, row, 0, this.columns);
  }

  /**
   * @param {HTMLElement} box
   * @param {number} row
   * @param {number} key
   * @param {number} keys
   */
  place(box, row, key, keys) {
    box.style.transform = `translate(${key * this.cell}px, ${row * this.cell}px)`;
    box.style.width = `${keys * this.cell}px`;
    box.style.height = `${this.cell}px`;
  }

  /**
   * @param {string} title
   * @param {string} formula
   * @param {string} note
   */
  caption(title, formula, note) {
    say(this.title, title);
    say(this.formula, formula);
    say(this.note, note);
  }

  listen() {
    const { surface, hands } = this;
    surface.addEventListener("pointermove", (event) => hands.hover(this.cellAt(event)));
    surface.addEventListener("pointerleave", (event) => {
      // A finger leaves with every tap; what it touched stays to be read.
      if (event.pointerType === "mouse") hands.hover(null);
    });
    surface.addEventListener("click", (event) => {
      const cell = this.cellAt(event);
      hands.hover(cell);
      hands.pick(cell);
    });
    surface.addEventListener("focus", () => {
      if (surface.matches(":focus-visible")) hands.hover(hands.current());
    });
    surface.addEventListener("blur", () => hands.hover(null));
    surface.addEventListener("keydown", (event) => this.key(event));
  }

  /** @param {MouseEvent} event */
  cellAt(event) {
    const box = this.surface.getBoundingClientRect();
    const row = Math.floor(((event.clientY - box.top) / box.height) * this.rows);
    const key = Math.floor(((event.clientX - box.left) / box.width) * this.columns);
    return this.inside(row, key);
  }

  /**
   * @param {number} row
   * @param {number} key
   * @returns {Cell}
   */
  inside(row, key) {
    return {
      row: Math.min(Math.max(row, 0), this.rows - 1),
      key: Math.min(Math.max(key, 0), this.columns - 1),
    };
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const moves = /** @type {{[key: string]: [number, number]}} */ ({
      ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1],
      Home: [0, -this.columns], End: [0, this.columns],
    });
    const { row, key } = this.hands.current();
    if (event.key in moves) {
      const [down, right] = moves[event.key];
      this.hands.hover(this.inside(row + down, key + right));
    } else if (event.key === "Enter" || event.key === " ") {
      this.hands.pick(this.inside(row, key));
    } else {
      return;
    }
    event.preventDefault();
  }
}
