// Many heads as small maps on one colour scale: sorted, coloured by a number, opened by a click.

import { colourTable, pixel, shadeOf } from "./colour.js";
import { strip, swatch } from "./legends.js";
import { element, say } from "./page.js";

/**
 * @typedef {"entropy" | "peak" | "first" | "previous" | "itself"} Measure
 * @typedef {{
 *   key: (string | number)[], name: string, title: string, row: string, n_q: number, n_k: number,
 *   profile: {[name in Measure]: number | null},
 * }} Tile
 * @typedef {{
 *   tiles: Tile[], sortable: boolean, texts: {[key: string]: string},
 *   colours: {weights: number[][], masked: number[]},
 * }} Header
 * @typedef {(name: string, value: unknown) => void} Report
 */

/** @type {Measure[]} */
const MEASURES = ["entropy", "peak", "first", "previous", "itself"];
const ORDER = "order";
const NOTHING = "nothing";
const LEVELS = 254; // as packed by stage/gallery.py
const MASKED = 255;

class Gallery {
  /**
   * @param {Uint8Array} data
   * @param {Report} report
   */
  constructor(data, report) {
    this.report = report;
    /** @type {Uint8Array | null} */ this.data = null;
    this.sort = element("select");
    this.colour = element("select");
    this.direction = element("button", "direction");
    this.direction.type = "button";
    this.tiles = element("div", "tiles");
    this.tiles.setAttribute("role", "group");
    this.legend = element("div", "key");
    this.bar = element("div", "bar");
    this.root = element("div", "gallery", this.bar, this.tiles);
    this.highest = true;
    this.sort.addEventListener("change", () => this.arrange());
    this.colour.addEventListener("change", () => this.tint());
    this.direction.addEventListener("click", () => {
      this.highest = !this.highest;
      this.arrange();
    });
    this.tiles.addEventListener("keydown", (event) => this.walk(event));
    this.load(data);
  }

  /** @param {Uint8Array} data */
  load(data) {
    if (data === this.data) return;
    this.data = data;
    const length = new DataView(data.buffer, data.byteOffset).getUint32(0, true);
    const header = /** @type {Header} */ (
      JSON.parse(new TextDecoder().decode(data.subarray(4, 4 + length)))
    );
    this.header = header;
    const { texts, tiles } = header;
    this.colours = colourTable(header.colours.weights);
    this.tiles.setAttribute("aria-label", `${texts.heads}. ${texts.walk}`);
    if (!this.sort.options.length) {
      this.sort.append(...[ORDER, ...MEASURES].map((name) => new Option(texts[name], name)));
      this.colour.append(...[NOTHING, ...MEASURES].map((name) => new Option(texts[name], name)));
      this.colour.value = "peak";
      const scale = element("span", "scale", texts.low, strip(header.colours.weights), texts.high);
      this.masked = element("span", "scale", swatch(header.colours.masked), texts.masked);
      const sort = element("label", "", texts.sort, this.sort);
      const colour = element("label", "", texts.colour, this.colour);
      this.bar.append(...(header.sortable ? [sort, this.direction, colour] : []), scale, this.masked);
    }
    let start = 4 + length;
    /** @type {HTMLButtonElement[]} in the order of the model */
    this.made = tiles.map((tile) => {
      const cells = data.subarray(start, start + tile.n_q * tile.n_k);
      start += cells.length;
      return this.make(tile, cells);
    });
    if (this.masked) this.masked.hidden = !data.subarray(4 + length).includes(MASKED);
    this.arrange();
  }

  /**
   * @param {Tile} tile
   * @param {Uint8Array} cells
   */
  make(tile, cells) {
    const number = element("span", "number");
    const line = element("span", "of-line", tile.row && `${tile.row} · `);
    const name = element("span", "name", line, tile.name);
    const measures = MEASURES.flatMap((measure) => {
      const value = tile.profile[measure];
      return value === null ? [] : [`${this.texts[measure]} ${this.words(measure, value)}`];
    }).join(", ");
    const spoken = this.texts.spoken.replace("{title}", tile.title).replace("{measures}", measures);
    // Not an aria-label: the name of a button holds what is seen of it, for who says what they see.
    const words = element("span", "unseen", `${spoken} `);
    const made = element("button", "tile", words, this.picture(tile, cells), name, number);
    made.type = "button";
    made.tabIndex = -1;
    made.addEventListener("click", () => this.report("open", tile.key));
    made.title = `${tile.title}\n${measures.replaceAll(", ", "\n")}`;
    return made;
  }

  get texts() {
    return this.header?.texts ?? {};
  }

  /**
   * @param {Tile} tile
   * @param {Uint8Array} cells
   */
  picture({ n_q, n_k }, cells) {
    const canvas = element("canvas");
    canvas.width = n_k;
    canvas.height = n_q;
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
    const image = context.createImageData(n_k, n_q);
    const pixels = new Uint32Array(image.data.buffer);
    const shades = this.colours?.pixels ?? pixels;
    const masked = pixel(this.header?.colours.masked ?? []);
    for (let i = 0; i < pixels.length; i++) {
      pixels[i] = cells[i] === MASKED ? masked : shades[shadeOf(cells[i], 0, LEVELS)];
    }
    context.putImageData(image, 0, 0);
    return canvas;
  }

  /** In the order of the model a line for each layer, otherwise one after the other. */
  arrange() {
    const { header, made } = this;
    if (!header || !made) return;
    const by = this.sort.value || ORDER;
    const order = header.tiles.map((_, i) => i);
    if (by !== ORDER) {
      const value = (/** @type {number} */ i) => header.tiles[i].profile[/** @type {Measure} */ (by)];
      const sign = this.highest ? -1 : 1;
      // What has no such number comes last.
      order.sort((i, j) => sign * ((value(i) ?? -sign * Infinity) - (value(j) ?? -sign * Infinity)) || i - j);
    }
    say(this.direction, this.highest ? this.texts.highest : this.texts.lowest);
    this.direction.hidden = by === ORDER;
    this.tiles.classList.toggle("lines", by === ORDER && header.sortable);
    const rows = new Map();
    for (const i of order) {
      const { row } = header.tiles[i];
      if (!rows.has(row)) rows.set(row, []);
      rows.get(row).push(made[i]);
    }
    if (by === ORDER && header.sortable) {
      const lines = [...rows].map(([row, tiles]) =>
        element("div", "line", element("span", "row", row), ...tiles),
      );
      this.tiles.replaceChildren(...lines);
    } else {
      this.tiles.replaceChildren(...order.map((i) => made[i]));
    }
    this.shown = order.map((i) => made[i]);
    this.shown.forEach((tile, place) => (tile.tabIndex = place ? -1 : 0));
    this.tint();
  }

  /** The number under each map, on the colour of its place between the least and the most. */
  tint() {
    const { header, made, colours } = this;
    if (!header || !made || !colours) return;
    const by = this.colour.value;
    const values = header.tiles.map(({ profile }) => profile[/** @type {Measure} */ (by)] ?? null);
    const there = values.flatMap((value) => (value === null ? [] : [value]));
    const [low, high] = [Math.min(...there), Math.max(...there)];
    made.forEach((tile, i) => {
      const number = /** @type {HTMLElement} */ (tile.querySelector(".number"));
      const value = values[i];
      const plain = value === null || !header.sortable;
      say(number, plain ? "" : value.toFixed(2));
      const shade = shadeOf(value ?? low, low, high > low ? high : low + 1);
      number.style.background = plain ? "" : css(colours.pixels[shade]);
      number.style.color = plain ? "" : colours.inks[shade];
    });
  }

  /** @param {KeyboardEvent} event */
  walk(event) {
    const tiles = this.shown ?? [];
    const here = tiles.findIndex((tile) => tile === event.target);
    if (here < 0) return;
    const top = tiles[here].getBoundingClientRect();
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    let next = step ? tiles[here + step] : undefined;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const down = event.key === "ArrowDown";
      const others = down ? tiles.slice(here + 1) : tiles.slice(0, here).reverse();
      next = others.find((tile) => {
        const place = tile.getBoundingClientRect();
        return Math.abs(place.left - top.left) < 4 && place.top !== top.top;
      });
    }
    if (!next) return;
    event.preventDefault();
    tiles[here].tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }

  /**
   * @param {Measure} measure
   * @param {number} value
   */
  words(measure, value) {
    const words = value.toFixed(2);
    return measure === "entropy" ? this.texts.unit_entropy.replace("{value}", words) : words;
  }
}

/** @param {number} pixel */
function css(pixel) {
  return `rgb(${pixel & 255} ${(pixel >> 8) & 255} ${(pixel >> 16) & 255})`;
}

/** @type {WeakMap<Node, Gallery>} */
const galleries = new WeakMap();

/**
 * @param {{
 *   data: Uint8Array, parentElement: HTMLElement | ShadowRoot, setTriggerValue?: Report,
 * }} component
 */
export default function mount({ data, parentElement, setTriggerValue = () => {} }) {
  const place = /** @type {HTMLElement} */ (parentElement.querySelector(".gallery-place"));
  try {
    const gallery = galleries.get(place) ?? new Gallery(data, setTriggerValue);
    gallery.report = setTriggerValue;
    gallery.load(data);
    if (!galleries.has(place)) place.replaceChildren(gallery.root);
    galleries.set(place, gallery);
  } catch {
    // A visitor would otherwise be shown the stack.
    place.textContent = "The heads could not be drawn: reload the page.";
  }
}
