// The sentences that carry one picture's numbers: formula, notes under the titles, a cell's arithmetic.

import { hasLogits, logit, sharpness, weightColumns } from "./maths.js";
import { divisorName, fill } from "./scene.js";
import { rough, short } from "./words.js";

/**
 * @typedef {import("./scene.js").Scene} Scene
 * @typedef {import("./scene.js").View} View
 * @typedef {import("./maths.js").Picture} Picture
 * @typedef {import("./map.js").Cell} Cell
 */

const PALE = 0.1; // a map whose largest weight is below it looks blank on 0 … 1
const COLLAPSE = 2; // times that weights move less without scaling, from which on it is spoken of

/**
 * The formula with this picture's numbers.
 * @param {Scene} scene
 * @param {Picture} picture
 * @param {View} view
 */
export function formula(scene, picture, view) {
  const { texts } = scene;
  const root = short(Math.sqrt(picture.d_k));
  const steps = stepWords(scene);
  const words = { divisor: short(picture.divisor), d_k: picture.d_k, root, steps };
  const template = { sqrt: texts.formula_locked, own: texts.formula_own }[divisorName(view.divisor, scene)];
  return fill(template ?? texts.formula_free, words);
}

/**
 * What this model adds, to stand behind the scaled scores in a formula.
 * @param {Scene} scene
 */
export function stepWords(scene) {
  return scene.steps_words && `, ${scene.steps_words}`;
}

/**
 * The ends of the colours of raw and of scaled scores.
 * @param {Scene} scene
 * @param {Picture} picture
 * @param {View} view
 */
export function scoreLimits(scene, picture, view) {
  if (view.scale === "fixed") return [scene.colours.limit, scene.colours.limit];
  const largest = [picture.raw, picture.scaled].map(
    (values) => values.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1,
  );
  return view.scale === "own" ? largest : [Math.max(...largest), Math.max(...largest)];
}

/**
 * What the colours of a map of scores leave out.
 * @param {Scene} scene
 * @param {Float64Array} values
 * @param {number} limit
 * @param {string} scale
 */
export function scoreNote(scene, values, limit, scale) {
  if (scale === "own") return fill(scene.texts.own, { limit: short(limit) });
  let off = 0;
  for (const value of values) if (Math.abs(value) > limit) off += 1;
  return off ? fill(scene.texts.off, { off, cells: values.length }) : "";
}

/**
 * What a map of weights on 0 … 1 does not show.
 * @param {Scene} scene
 * @param {Float64Array} values
 */
export function weightNote(scene, values) {
  const most = values.reduce((largest, value) => Math.max(largest, value), 0);
  return most < PALE ? fill(scene.texts.pale, { most: short(most) }) : "";
}

/**
 * From q·k to the weight, with the numbers of one cell.
 * @param {Scene} scene
 * @param {Picture} picture
 * @param {Cell} at
 */
export function cellSteps(scene, picture, { row, key }) {
  const { texts, n_k } = scene;
  const weight = picture.weights[row * weightColumns(scene) + key];
  const query = scene.row_names[row];
  if (key === n_k) return fill(texts.steps_sink, { query, weight: short(weight) });
  const cell = row * n_k + key;
  const words = {
    query,
    key: scene.column_names[key],
    score: short(picture.raw[cell]),
    divisor: short(picture.divisor),
    scaled: short(picture.scaled[cell]),
  };
  if (scene.mask && !scene.mask[cell]) return fill(texts.steps_masked, words);
  const logits = rowLogits(scene, picture, row);
  const most = Math.max(...logits);
  const sum = logits.reduce((total, value) => total + Math.exp(value - most), 0);
  return fill(hasLogits(scene) ? texts.steps_changed : texts.steps, {
    ...words,
    steps: scene.steps_words,
    logit: short(logit(scene, picture.scaled[cell], cell)),
    most: short(most),
    sum: short(sum),
    weight: short(weight),
  });
}

/**
 * What scaling does to this picture's weights, and to what can be learned from them; empty where no
 * row has a choice.
 * @param {Scene} scene
 * @param {Picture} picture
 */
export function answer(scene, picture) {
  const { texts } = scene;
  const { rows, peak, slope } = sharpness(scene, picture.weights);
  if (!rows) return "";
  const bare = sharpness(scene, picture.unscaled);
  const words = {
    rows,
    peak: short(peak),
    slope: short(slope),
    bare_peak: short(bare.peak),
    bare_slope: short(bare.slope),
    ratio: rough(slope / bare.slope),
  };
  if (picture.divisor === 1) return fill(texts.answer_same, words);
  const collapses = slope / bare.slope >= COLLAPSE;
  return fill(texts.answer + (collapses ? texts.answer_collapse : ""), words);
}

/**
 * @param {Scene} scene
 * @param {Picture} picture
 * @param {number} row
 */
function rowLogits(scene, picture, row) {
  const logits = [...scene.sinks];
  for (let cell = row * scene.n_k; cell < (row + 1) * scene.n_k; cell++) {
    if (!scene.mask || scene.mask[cell]) logits.push(logit(scene, picture.scaled[cell], cell));
  }
  return logits;
}

/**
 * What a constant on the raw scores of a row makes of the scaled ones; empty without one.
 * @param {Scene} scene
 * @param {Picture} picture
 * @param {number} constant
 */
export function shifted(scene, { divisor }, constant) {
  const words = { constant: short(constant), divisor: short(divisor), shift: short(constant / divisor) };
  return constant ? fill(scene.texts.shifted, words) : "";
}
