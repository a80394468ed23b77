// Numbers to colours, by tables made once: a lookup a cell, and ink that can be read on it.

const SHADES = 511; // odd, so that 0 has the middle shade to itself

/**
 * @typedef {{pixels: Uint32Array, inks: string[]}} Colours
 *   pixels: as an ImageData holds them; inks: black or white, whichever contrasts more.
 */

/**
 * @param {number[][]} anchors
 * @returns {Colours}
 */
export function colourTable(anchors) {
  const pixels = new Uint32Array(SHADES);
  const inks = [];
  for (let i = 0; i < SHADES; i++) {
    const place = (i / (SHADES - 1)) * (anchors.length - 1);
    const below = Math.min(Math.floor(place), anchors.length - 2);
    const part = place - below;
    const rgb = anchors[below].map((low, c) =>
      Math.round(low + part * (anchors[below + 1][c] - low)),
    );
    pixels[i] = pixel(rgb);
    inks.push(inkOn(rgb));
  }
  return { pixels, inks };
}

/**
 * The index of a value's shade; values beyond the ends take the last.
 * @param {number} value
 * @param {number} low
 * @param {number} high
 */
export function shadeOf(value, low, high) {
  const fraction = (value - low) / (high - low);
  return Math.round(Math.min(Math.max(fraction, 0), 1) * (SHADES - 1));
}

/** @param {number[]} rgb */
export function pixel([red, green, blue]) {
  return ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;
}

/** @param {number[]} rgb */
export function inkOn(rgb) {
  const light = luminance(rgb);
  return (light + 0.05) / 0.05 > 1.05 / (light + 0.05) ? "#000" : "#fff";
}

/** @param {number[]} rgb relative luminance; source: WCAG 2.2 */
function luminance(rgb) {
  const [red, green, blue] = rgb.map((channel) => {
    const c = channel / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
