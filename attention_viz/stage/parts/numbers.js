// Behind the first fold: the picked row in numbers, and as bars, scaled beside unscaled.

import { allowedKeys, entropy, weightColumns } from "./maths.js";
import { element, label, say } from "./page.js";
import { fill } from "./scene.js";
import { short } from "./words.js";

/**
 * @typedef {import("./scene.js").Scene} Scene
 * @typedef {import("./maths.js").Picture} Picture
 */

const MEASURES = ["row_sum", "peak", "entropy", "support"];
const WIDEST = 64; // pixels of one key

export class Numbers {
  constructor() {
    this.heads = element("tr");
    this.lines = MEASURES.map(() => ({
      name: element("th"),
      scaled: element("td"),
      unscaled: element("td"),
    }));
    const body = this.lines.map(({ name, scaled, unscaled }) => {
      name.scope = "row";
      return element("tr", "", name, scaled, unscaled);
    });
    const head = element("thead", "", this.heads);
    this.table = element("table", "measures", head, element("tbody", "", ...body));
    this.bars = element("div", "bars");
    this.bars.setAttribute("role", "img");
    this.names = element("div", "columns upright");
    this.chart = element("div", "chart", this.bars, this.names);
    this.root = element("div", "numbers", this.table, this.chart);
  }

  /**
   * @param {Scene} scene
   * @param {string[]} columns
   */
  load(scene, columns) {
    const { texts } = scene;
    const heads = [texts.measure, texts.with_divisor, texts.without_scaling].map((text) => {
      const made = element("th", "", text);
      made.scope = "col";
      return made;
    });
    heads[1].className = "scaled";
    heads[2].className = "unscaled";
    this.heads.replaceChildren(...heads);
    this.columns = columns;
    this.pairs = columns.map(() => ({
      scaled: element("i", "scaled"),
      unscaled: element("i", "unscaled"),
    }));
    this.bars.replaceChildren(
      ...this.pairs.map(({ scaled, unscaled }) => element("div", "pair", scaled, unscaled)),
    );
  }

  /** @param {number} width pixels there are */
  layout(width) {
    if (!this.columns) return;
    const cell = Math.min(WIDEST, (width - 8) / this.columns.length);
    this.bars.style.gridTemplateColumns = `repeat(${this.columns.length}, ${cell}px)`;
    label(this.names, this.columns, cell, "left");
  }

  /**
   * @param {Scene} scene
   * @param {Picture} picture
   * @param {number} row
   */
  show(scene, picture, row) {
    const scaled = measures(scene, picture.weights, row);
    const unscaled = measures(scene, picture.unscaled, row);
    const most = mostOf(scene, row);
    this.lines.forEach((line, i) => {
      say(line.name, fill(scene.texts[MEASURES[i]], { most: most[i] }));
      say(line.scaled, scaled[i]);
      say(line.unscaled, unscaled[i]);
    });
    const start = row * weightColumns(scene);
    this.pairs?.forEach((pair, key) => {
      pair.scaled.style.transform = `scaleY(${picture.weights[start + key]})`;
      pair.unscaled.style.transform = `scaleY(${picture.unscaled[start + key]})`;
    });
    this.bars.setAttribute("aria-label", `${scene.texts.bars} ${scene.row_names[row]}`);
  }
}

/**
 * Row sum, peak, entropy, effective tokens: of one row, in words.
 * @param {Scene} scene
 * @param {Float64Array} weights
 * @param {number} row
 */
function measures(scene, weights, row) {
  const allowed = allowedKeys(scene, row);
  if (allowed === 0) return ["0", "–", "–", "–"];
  const columns = weightColumns(scene);
  const keys = weights.subarray(row * columns, row * columns + scene.n_k);
  const sum = keys.reduce((total, weight) => total + weight, 0);
  const nats = entropy(scene, weights, row);
  return [
    short(sum),
    short(keys.reduce((most, weight) => Math.max(most, weight), 0)),
    nats.toFixed(3),
    Math.exp(nats).toFixed(2),
  ];
}

/**
 * What each measure of a row can be at most, where that depends on the row.
 * @param {Scene} scene
 * @param {number} row
 */
function mostOf(scene, row) {
  const allowed = allowedKeys(scene, row);
  return ["", "", allowed ? Math.log(allowed).toFixed(3) : "–", allowed];
}
