// Numbers and weights in words.

import { fill } from "./scene.js";
import { allowedKeys, weightColumns } from "./maths.js";

/** @typedef {import("./scene.js").Scene} Scene */

/**
 * Four significant digits, without trailing zeros.
 * @param {number} value
 */
export function short(value) {
  if (value === 0) return "0";
  return Number.isFinite(value) ? String(Number(value.toPrecision(4))).replace("-", "−") : "–";
}

/**
 * Three significant digits, where there is little room.
 * @param {number} value
 */
export function rough(value) {
  return String(Number(value.toPrecision(3)));
}

/**
 * Nine significant digits, for tables and programs.
 * @param {number} value
 */
export function exact(value) {
  return String(Number(value.toPrecision(9)));
}

/**
 * A share as a whole per cent; what rounds to 0 or 100 without being so says which side.
 * @param {Scene} scene
 * @param {number} share
 */
export function percent(scene, share) {
  if (share > 0 && share < 0.005) return scene.texts.under;
  if (share >= 0.995 && share < 1) return scene.texts.over;
  return fill(scene.texts.percent, { share: Math.round(100 * share) });
}

/**
 * What one query looks at, as one sentence: the same as read_row of Python.
 * @param {Scene} scene
 * @param {Float64Array} weights
 * @param {number} row
 */
export function reading(scene, weights, row) {
  const { texts } = scene;
  const query = scene.row_names[row];
  if (allowedKeys(scene, row) === 0) return fill(texts.nothing, { query });
  const columns = weightColumns(scene);
  const keys = [];
  for (let key = 0; key < columns; key++) {
    const looked = key === scene.n_k || !scene.mask || scene.mask[row * scene.n_k + key];
    if (looked) keys.push({ key, share: weights[row * columns + key] });
  }
  keys.sort((one, other) => other.share - one.share);
  const named = keys.length === 4 ? keys : keys.slice(0, 3);
  const parts = named.map(({ key, share }) =>
    fill(texts.share, { share: percent(scene, share), key: nameOf(scene, key, row) }),
  );
  const others = keys.slice(named.length);
  if (others.length) {
    const share = percent(scene, others.reduce((sum, other) => sum + other.share, 0));
    parts.push(fill(texts.others, { share, count: others.length }));
  }
  return fill(texts.focuses, { query, shares: joined(texts, parts) });
}

/**
 * @param {Scene} scene
 * @param {number} key
 * @param {number} row
 */
function nameOf(scene, key, row) {
  if (key === scene.n_k) return scene.texts.sink_name;
  return scene.same && key === row ? scene.texts.itself : scene.column_names[key];
}

/**
 * @param {import("./scene.js").Texts} texts
 * @param {string[]} parts
 */
function joined(texts, parts) {
  if (parts.length === 1) return parts[0];
  return parts.slice(0, -1).join(", ") + texts.and + parts[parts.length - 1];
}
