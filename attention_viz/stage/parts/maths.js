// The steps after the scores, as torch does them, in float64: divide, add what the model adds, mask,
// softmax over the keys of each row.

/**
 * @typedef {import("./scene.js").Scene} Scene
 *
 * @typedef {{
 *   raw: Float64Array, scaled: Float64Array, logits: Float64Array, weights: Float64Array,
 *   unscaled: Float64Array, divisor: number, d_k: number,
 * }} Picture
 *   raw, scaled and logits are n_q × n_k, logits only where a model has steps; the weights have one column more where there is a sink.
 */

/**
 * How many columns the weights have: the keys, and one for what goes to the sink.
 * @param {Scene} scene
 */
export function weightColumns(scene) {
  return scene.n_k + (scene.sinks.length ? 1 : 0);
}

/**
 * Room for the numbers of one picture, used again at every move.
 * @param {Scene} scene
 * @returns {Picture}
 */
export function emptyPicture(scene) {
  const cells = scene.n_q * scene.n_k;
  const weights = scene.n_q * weightColumns(scene);
  return {
    raw: new Float64Array(cells),
    scaled: new Float64Array(cells),
    logits: new Float64Array(cells),
    weights: new Float64Array(weights),
    unscaled: new Float64Array(weights),
    divisor: 1,
    d_k: 1,
  };
}

/**
 * @param {Scene} scene
 * @param {Picture} picture filled in place
 * @param {number} stop index of d_k
 * @param {number} divisor
 * @param {{row: number, constant: number}} added to the raw scores of one row
 */
export function compute(scene, picture, stop, divisor, added) {
  const { raw, scaled, logits } = picture;
  const first = stop * raw.length;
  for (let i = 0; i < raw.length; i++) raw[i] = scene.scores[first + i];
  if (added.constant) {
    const start = added.row * scene.n_k;
    for (let i = start; i < start + scene.n_k; i++) raw[i] += added.constant;
  }
  for (let i = 0; i < raw.length; i++) scaled[i] = raw[i] / divisor;
  if (hasLogits(scene)) {
    for (let i = 0; i < raw.length; i++) logits[i] = logit(scene, scaled[i], i);
  }
  softmax(scene, scaled, picture.weights);
  softmax(scene, raw, picture.unscaled);
  picture.divisor = divisor;
  picture.d_k = scene.stops[stop];
}

/**
 * Whether a model changes scores between scaling and mask.
 * @param {Scene} scene
 */
export function hasLogits(scene) {
  return scene.steps.some((step) => step.kind !== "sink");
}

/**
 * What softmax sees at one cell, before the mask.
 * @param {Scene} scene
 * @param {number} score
 * @param {number} cell
 */
export function logit(scene, score, cell) {
  let value = score;
  for (const step of scene.steps) {
    if (step.kind === "softcap") value = step.limit * Math.tanh(value / step.limit);
    if (step.kind === "bias" && scene.bias) value += scene.bias[cell];
  }
  return value;
}

/**
 * @param {Scene} scene
 * @param {Float64Array} scores n_q × n_k
 * @param {Float64Array} weights filled; rows with nothing to look at get zeros
 */
export function softmax(scene, scores, weights) {
  const { n_q, n_k, mask, sinks } = scene;
  const columns = weightColumns(scene);
  const plain = scene.steps.length === 0;
  for (let row = 0; row < n_q; row++) {
    const from = row * n_k;
    const to = row * columns;
    let largest = -Infinity;
    for (let key = 0; key < n_k; key++) {
      const cell = from + key;
      const value = plain ? scores[cell] : logit(scene, scores[cell], cell);
      weights[to + key] = mask && !mask[cell] ? -Infinity : value;
      if (weights[to + key] > largest) largest = weights[to + key];
    }
    if (largest === -Infinity) {
      weights.fill(0, to, to + columns);
      continue;
    }
    for (const sink of sinks) largest = Math.max(largest, sink);
    let total = 0;
    for (let key = 0; key < n_k; key++) {
      // Shifted by the largest, so that exp cannot overflow.
      const mass = Math.exp(weights[to + key] - largest);
      weights[to + key] = mass;
      total += mass;
    }
    let sunk = 0;
    for (const sink of sinks) sunk += Math.exp(sink - largest);
    for (let key = 0; key < n_k; key++) weights[to + key] /= total + sunk;
    if (sinks.length) weights[to + n_k] = sunk / (total + sunk);
  }
}

/**
 * How many keys a query may look at.
 * @param {Scene} scene
 * @param {number} row
 */
export function allowedKeys(scene, row) {
  if (!scene.mask) return scene.n_k;
  let count = 0;
  for (let key = 0; key < scene.n_k; key++) count += scene.mask[row * scene.n_k + key];
  return count;
}

/**
 * Entropy in nats of the part of a row that reaches keys; NaN when none may be looked at.
 * @param {Scene} scene
 * @param {Float64Array} weights
 * @param {number} row
 */
export function entropy(scene, weights, row) {
  if (allowedKeys(scene, row) === 0) return NaN;
  const start = row * weightColumns(scene);
  let sum = 0;
  for (let key = 0; key < scene.n_k; key++) sum += weights[start + key];
  let total = 0;
  for (let key = 0; key < scene.n_k; key++) {
    const share = weights[start + key] / sum;
    if (share > 0) total -= share * Math.log(share);
  }
  return Math.min(Math.max(total, 0), Math.log(allowedKeys(scene, row)));
}

/**
 * The mean entropy over the rows that have one.
 * @param {Scene} scene
 * @param {Float64Array} weights
 */
export function meanEntropy(scene, weights) {
  let total = 0;
  let rows = 0;
  for (let row = 0; row < scene.n_q; row++) {
    const nats = entropy(scene, weights, row);
    if (Number.isNaN(nats)) continue;
    total += nats;
    rows += 1;
  }
  return total / rows;
}

/**
 * How sharp a map is and how far it still moves, in the mean over the rows that have a choice.
 * @param {Scene} scene
 * @param {Float64Array} weights
 * @returns {{rows: number, peak: number, slope: number}} slope: the norm of softmax's Jacobian
 */
export function sharpness(scene, weights) {
  const columns = weightColumns(scene);
  let rows = 0;
  let peak = 0;
  let slope = 0;
  for (let row = 0; row < scene.n_q; row++) {
    if (allowedKeys(scene, row) < 2) continue;
    const all = weights.subarray(row * columns, (row + 1) * columns);
    rows += 1;
    peak += all.subarray(0, scene.n_k).reduce((most, weight) => Math.max(most, weight), 0);
    slope += jacobianNorm(all);
  }
  return { rows, peak: peak / rows, slope: slope / rows };
}

/**
 * The norm of diag(p) − p pᵀ, as sums of what is above 0: a saturated row would lose its digits to
 * differences.
 * @param {Float64Array} row p
 */
function jacobianNorm(row) {
  const top = row.indexOf(row.reduce((most, weight) => Math.max(most, weight), 0));
  const rest = row.reduce((sum, weight, i) => (i === top ? sum : sum + weight), 0);
  let before = 0;
  let total = 0;
  row.forEach((weight, i) => {
    const own = weight * (i === top ? rest : 1 - weight);
    total += own ** 2 + 2 * weight ** 2 * before;
    before += weight ** 2;
  });
  return Math.sqrt(total);
}

/**
 * The mean entropy at every stop, scaled by √d_k and unscaled.
 * @param {Scene} scene
 */
export function entropyCurves(scene) {
  const picture = emptyPicture(scene);
  /** @type {number[]} */ const scaled = [];
  /** @type {number[]} */ const unscaled = [];
  scene.stops.forEach((d_k, stop) => {
    compute(scene, picture, stop, Math.sqrt(d_k), { row: 0, constant: 0 });
    scaled.push(meanEntropy(scene, picture.weights));
    unscaled.push(meanEntropy(scene, picture.unscaled));
  });
  return { scaled, unscaled };
}
