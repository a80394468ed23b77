// Strips of colour with words at their ends, on a canvas: forced colours would take a gradient away.

import { colourTable, pixel } from "./colour.js";
import { element, say } from "./page.js";

const LENGTH = 128;

export class Legend {
  /** @param {number[][]} anchors */
  constructor(anchors) {
    this.ends = [element("span"), element("span"), element("span")];
    this.root = element("div", "legend", strip(anchors), element("div", "ends", ...this.ends));
  }

  /** @param {string[]} texts lowest, middle, highest */
  show(...texts) {
    texts.forEach((text, i) => say(this.ends[i], text));
  }
}

/** @param {number[][]} anchors all shades of a scale */
export function strip(anchors) {
  const { pixels } = colourTable(anchors);
  return canvas(LENGTH, (i) => pixels[Math.round((i / (LENGTH - 1)) * (pixels.length - 1))]);
}

/** @param {number[]} rgb */
export function swatch(rgb) {
  return canvas(1, () => pixel(rgb));
}

/**
 * @param {number} length
 * @param {(i: number) => number} colour
 */
function canvas(length, colour) {
  const made = element("canvas", "strip");
  made.width = length;
  made.height = 1;
  const context = /** @type {CanvasRenderingContext2D} */ (made.getContext("2d"));
  const image = context.createImageData(length, 1);
  const words = new Uint32Array(image.data.buffer);
  for (let i = 0; i < length; i++) words[i] = colour(i);
  context.putImageData(image, 0, 0);
  return made;
}
