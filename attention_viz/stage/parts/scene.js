// What the stage is given: one block of bytes, packed by stage/scene.py, and the words of the page.

/**
 * @typedef {{kind: "softcap", limit: number} | {kind: "bias"} | {kind: "sink", logit: number}} Step
 *
 * @typedef {{d_k: number, divisor: string, row: number, scale: string}} View
 *   What the person moves. The divisor is a name (sqrt, own, d_k, sqrt_d_model) or a number.
 *
 * @typedef {{scaled: number[][], unscaled: number[][]}} Band
 *   Quantiles of the mean entropy over other heads: [low, high], one number a stop.
 *
 * @typedef {{[key: string]: string}} Texts
 *
 * @typedef {{
 *   question: string, answer: string, begin: Partial<View>, end: Partial<View>, pair: boolean,
 * }} Slide
 *
 * @typedef {{
 *   n_q: number, n_k: number, d_model: number, stops: number[], fixed: string,
 *   rows: string[], columns: string[], row_names: string[], column_names: string[], same: boolean,
 *   special_rows: boolean[], special_columns: boolean[], own: number, steps_words: string,
 *   steps: Step[], masked: boolean, biased: boolean, prefix: string, init: View,
 *   band: Band | null, texts: Texts, in_address: boolean, editable: boolean, revision: number,
 *   slides: Slide[],
 *   colours: {scores: number[][], weights: number[][], masked: number[], limit: number},
 * }} Header
 *
 * @typedef {Header & {
 *   scores: Float32Array, mask: Uint8Array | null, bias: Float32Array | null, sinks: number[],
 * }} Scene
 *   scores: stops × n_q × n_k, torch's own; mask: 1 where a query may look.
 */

/**
 * @param {Uint8Array} bytes header length, header, scores, then bias and mask where there are any
 * @returns {Scene}
 */
export function unpack(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const headerLength = view.getUint32(0, true);
  const header = /** @type {Header} */ (
    JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + headerLength)))
  );
  let start = 4 + headerLength;
  const cells = header.n_q * header.n_k;
  /** @param {number} count */
  const floats = (count) => {
    // A copy: the numbers need not lie where a Float32Array may begin.
    const part = bytes.slice(start, start + 4 * count);
    start += 4 * count;
    return new Float32Array(part.buffer);
  };
  const scores = floats(header.stops.length * cells);
  const bias = header.biased ? floats(cells) : null;
  const mask = header.masked ? bytes.slice(start, start + cells) : null;
  const sinks = header.steps.flatMap((step) => (step.kind === "sink" ? [step.logit] : []));
  return { ...header, scores, bias, mask, sinks };
}

/**
 * The words of a template with its {gaps} filled.
 * @param {string} template
 * @param {{[gap: string]: string | number}} words
 */
export function fill(template, words) {
  return template.replace(/\{(\w+)\}/g, (gap, name) => String(words[name] ?? gap));
}

/**
 * What a divisor is called here: only a model has one of its own, every other head the paper's.
 * @param {string} divisor
 * @param {{own: number}} scene
 */
export function divisorName(divisor, { own }) {
  return divisor === "own" && !own ? "sqrt" : divisor;
}

/**
 * The number that a divisor stands for.
 * @param {string} divisor
 * @param {number} d_k
 * @param {{d_model: number, own: number}} scene its own divisor is 0 where it is √d_k
 */
export function divisorValue(divisor, d_k, { d_model, own }) {
  if (divisor === "sqrt") return Math.sqrt(d_k);
  if (divisor === "own") return own || Math.sqrt(d_k);
  if (divisor === "d_k") return d_k;
  if (divisor === "sqrt_d_model") return Math.sqrt(d_model);
  return Number(divisor);
}
