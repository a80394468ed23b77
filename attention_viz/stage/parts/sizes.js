// How large the maps are: on the page, and before a room.

import { LETTER, LINE } from "./page.js";

// What a reader counts as one letter: an emoji of several people is one.
const LETTERS = new Intl.Segmenter();
const WIDE = /[\p{Extended_Pictographic}\p{Regional_Indicator}\p{sc=Han}\p{sc=Kana}\p{sc=Hira}\p{sc=Hang}]/u;
const LONGEST_LABEL = 84; // pixels; what is longer ends in an ellipsis
const LYING = 24; // pixels of labels that do not stand upright
const SIDES = 44; // pixels of the words "query, key" in the corner
const LEGEND = 246; // pixels of the legend of scores with its choices
const GAPS = 58; // pixels between the three columns of maps
const BESIDES = 352; // pixels of a window's height that are not maps
const ZOOM = 620; // pixels of width for each time that letters are as large as usual
const BETWEEN = 40; // pixels from one map to the other
const CAPTION = 26; // pixels of the title of a map, at the usual size
const LEAST_LETTERS = 0.75; // of the usual size: the smallest that are still read
const ROOMY = 1.5; // cells of one line of a label that is larger than usual: maps come first
const CORNER = 14; // pixels beside the longest label of a row
const LONGEST_ROW = 96; // pixels of a label of a row, at the usual size

/**
 * Pixels of a map of scores and of one of weights, of the labels of rows, and of the column of
 * scores. The pair of weights is the picture that people remember, so it gets the larger part.
 * @param {string[]} rows
 * @param {number} width
 * @param {boolean} phone
 */
export function pageSizes(rows, width, phone) {
  const across = Math.min(phone ? 52 : 96, Math.max(SIDES, CORNER + LETTER * longest(rows)));
  if (phone) {
    const scores = Math.min(width - across - 8, 360);
    return { scores, weights: (width - across - 12) / 2, across, column: scores + across };
  }
  const height = Math.max(window.innerHeight - BESIDES, 280);
  const scores = Math.min(width * 0.22, (height - 130) / 2);
  const column = Math.max(scores + across, LEGEND);
  const rest = width - column - 2 * across - GAPS;
  return { scores, weights: Math.min(rest / 2, height), across, column };
}

/**
 * Pixels below a map for the labels of its columns, which stand upright where they are wider than a
 * cell.
 * @param {number} widest letters of the longest
 * @param {number} cell pixels
 * @param {number} letters how many times the usual size they have
 */
export function below(widest, cell, letters) {
  const upright = Math.min(LONGEST_LABEL, 10 + widest * LETTER);
  return letters * (stands(widest, cell, letters) ? upright : LYING);
}

/**
 * @param {number} widest
 * @param {number} cell
 * @param {number} letters
 */
export function stands(widest, cell, letters) {
  return letters * widest * LETTER + 6 > cell;
}

/**
 * How many times the usual size letters have before a room.
 * @param {number} width
 */
export function roomZoom(width) {
  return Math.max(1, Math.min(width / ZOOM, window.innerHeight / 350));
}

/**
 * @typedef {{rows: string[], columns: string[]}} Labels
 * @typedef {{cell: number, letters: number, across: number, stacked: boolean}} Plan
 *   Pixels of a cell; how many times the usual size its labels have; pixels beside it for those of
 *   rows; whether one map stands above the other.
 */

/**
 * Two maps before a room, beside or above one another: as large as fits with all their labels.
 * @param {Labels} labels
 * @param {number} width
 * @param {number} height
 * @param {number} zoom
 * @returns {Plan}
 */
export function roomPlan(labels, width, height, zoom) {
  const beside = fit(labels, (width - BETWEEN) / 2, height - CAPTION * zoom, zoom);
  const above = fit(labels, width, height / 2 - CAPTION * zoom, zoom);
  const stacked = above.cell > beside.cell;
  return { ...(stacked ? above : beside), stacked };
}

/**
 * One map with its labels in so many pixels. Labels shrink until there is a line for each token.
 * @param {Labels} labels
 * @param {number} width
 * @param {number} height
 * @param {number} zoom
 */
function fit({ rows, columns }, width, height, zoom) {
  const widest = longest(columns);
  const besides = longest(rows);
  const count = Math.max(rows.length, columns.length);
  for (let letters = zoom; ; letters = Math.max(LEAST_LETTERS, letters - 0.05)) {
    const across = letters * Math.min(LONGEST_ROW, CORNER + LETTER * besides);
    const room = (/** @type {number} */ labels) => Math.min(width - across, height - labels) / count;
    const cell = Math.max(1, room(below(widest, room(letters * LYING), letters)));
    const line = letters > 1 ? ROOMY * LINE : LINE;
    if (cell >= letters * line || letters <= LEAST_LETTERS) return { cell, letters, across };
  }
}

/**
 * Letters of the longest, where emoji and letters of East Asia are as wide as two.
 * @param {string[]} labels
 */
export function longest(labels) {
  return Math.max(...labels.map(breadth));
}

/** @param {string} label */
function breadth(label) {
  let letters = 0;
  for (const { segment } of LETTERS.segment(label)) letters += WIDE.test(segment) ? 2 : 1;
  return letters;
}
