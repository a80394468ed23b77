// Everything that is seen on the stage, and where it stands.

import { answer, cellSteps, formula, scoreLimits, scoreNote, shifted, stepWords, weightNote } from "./arithmetic.js";
import { colourTable } from "./colour.js";
import { Curves } from "./curves.js";
import { makeEditable } from "./editing.js";
import { Legend, swatch } from "./legends.js";
import { HeatMap } from "./map.js";
import { hasLogits } from "./maths.js";
import { Numbers } from "./numbers.js";
import { element, say } from "./page.js";
import { Presenter } from "./presenter.js";
import { fill } from "./scene.js";
import { pageSizes, roomZoom } from "./sizes.js";
import { Sliders } from "./sliders.js";
import { fillTable } from "./tables.js";
import { reading, rough, short } from "./words.js";

/**
 * @typedef {import("./scene.js").Scene} Scene
 * @typedef {import("./scene.js").View} View
 * @typedef {import("./maths.js").Picture} Picture
 * @typedef {import("./map.js").Cell} Cell
 * @typedef {import("./map.js").Hands & {
 *   move: (change: Partial<View>) => void, hold: (down: boolean) => void,
 *   add: () => void, opened: () => void, redraw: () => void, end: () => void, scores: import("./editing.js").Scores,
 * }} Hands what the board tells the stage
 */

const KINDS = ["raw", "scaled", "weights", "unscaled"];
export const SCALES = ["fixed", "fit", "own"];
const PHONE = 700; // pixels of width below which raw and scaled are tabs

export class Board {
  /**
   * @param {Scene} scene
   * @param {Hands} hands
   */
  constructor(scene, hands) {
    const { texts, colours } = scene;
    const scores = colourTable(colours.scores);
    const weights = colourTable(colours.weights);
    this.maps = KINDS.map(
      (kind, i) => new HeatMap(kind, i < 2 ? scores : weights, colours.masked, hands),
    );
    this.sliders = new Sliders(hands.move, hands.hold);
    this.presenter = new Presenter(hands);
    this.numbers = new Numbers();
    this.curves = new Curves();
    this.legends = [new Legend(colours.scores), new Legend(colours.weights)];
    this.formula = element("p", "formula");
    this.reading = element("p", "reading");
    this.arithmetic = element("p", "arithmetic");
    this.answer = element("p", "answer");
    this.spoken = element("p", "unseen");
    this.spoken.setAttribute("role", "status");
    this.logits = false;
    this.logitsButton = button(texts.after_steps, () => this.switchLogits(hands.redraw));
    this.maskKey = element("span", "mask-key", swatch(colours.masked), texts.masked);
    this.plus = button(texts.plus, hands.add);
    this.scales = SCALES.map((scale) => button(texts[`scale_${scale}`], () => hands.move({ scale })));
    this.tabs = KINDS.slice(0, 2).map((kind) => button(texts[kind], () => this.choose(kind)));
    this.numbersFold = fold(texts.numbers, this.numbers.root, hands.opened);
    this.curvesFold = fold(texts.curves, this.curves.root, hands.opened);
    this.pair = element("div", "two", this.maps[2].root, this.maps[3].root);
    this.root = element(
      "div",
      "stage",
      this.presenter.root,
      this.formula,
      this.sliders.root,
      this.reading,
      element("div", "maps", this.scoresSide(texts), this.weightsSide()),
      this.numbersFold,
      this.curvesFold,
      this.spoken,
    );
    if (scene.editable) makeEditable(this.maps[0], hands.scores);
    this.choose("raw");
    this.drawnCurves = /** @type {Scene | null} */ (null);
  }

  /** @param {import("./scene.js").Texts} texts */
  scoresSide(texts) {
    const scales = element("div", "choices", ...this.scales);
    scales.setAttribute("role", "group");
    scales.setAttribute("aria-label", texts.colours);
    const tabs = element("div", "choices tabs", ...this.tabs);
    const [raw, scaled] = this.maps;
    const scale = element("div", "scale", this.legends[0].root, scales);
    return element("div", "scores", tabs, raw.root, scaled.root, this.logitsButton, scale);
  }

  weightsSide() {
    const below = element("div", "below", this.legends[1].root, this.maskKey, this.plus, this.answer);
    return element("div", "weights-side", this.pair, this.arithmetic, below);
  }

  /**
   * Which map of scores a phone shows.
   * @param {string} kind
   */
  choose(kind) {
    this.root.dataset.tab = kind;
    this.tabs.forEach((tab, i) => press(tab, KINDS[i] === kind));
  }

  /**
   * The second map of scores before this model's steps, or after them, as softmax sees it.
   * @param {() => void} redraw
   */
  switchLogits(redraw) {
    this.logits = !this.logits;
    redraw();
  }

  /** @param {Scene} scene */
  load(scene) {
    const { texts } = scene;
    this.presenter.load(scene);
    this.root.classList.toggle("presenting", this.presenter.isOn);
    this.logits &&= hasLogits(scene);
    this.logitsButton.hidden = !hasLogits(scene);
    const keys = scene.sinks.length ? [...scene.columns, texts.sink] : scene.columns;
    this.sliders.load(scene);
    this.maps.forEach((map, i) => {
      const isWeights = i > 1;
      map.load(scene.rows, isWeights ? keys : scene.columns, isWeights ? scene.mask : null, scene.n_k);
      map.special = { rows: scene.special_rows, columns: scene.special_columns };
      say(map.sides, texts.sides);
    });
    this.maskKey.hidden = scene.mask === null;
    this.plus.hidden = scene.editable; // there the person does it
    say(this.scales[0], fill(texts.scale_fixed, { limit: rough(scene.colours.limit) }));
    this.curvesFold.hidden = scene.stops.length < 2;
    this.numbers.load(scene, keys);
    this.drawnCurves = null;
  }

  /**
   * Fit into the width there is. Heights depend on the data and the window, never on the sliders.
   * @param {Scene} scene
   */
  layout(scene) {
    const width = this.root.clientWidth;
    if (!width) return;
    const phone = width < PHONE;
    this.root.classList.toggle("phone", phone);
    if (this.presenter.isOn) this.layoutRoom(width);
    else this.layoutPage(scene, width, phone);
    this.numbers.layout(Math.min(width, 900));
  }

  /**
   * @param {Scene} scene
   * @param {number} width
   * @param {boolean} phone
   */
  layoutPage(scene, width, phone) {
    const { scores, weights, across, column } = pageSizes(scene.rows, width, phone);
    this.root.style.setProperty("--scores", `${column}px`);
    this.maps.forEach((map, i) => {
      const unlabelled = phone && i === 3;
      map.root.classList.toggle("unlabelled", unlabelled);
      map.zoom = map.letters = 1;
      map.layout(i < 2 ? scores : weights, phone ? 72 : 130, unlabelled ? 0 : across);
    });
  }

  /**
   * Before a room there are only the maps of weights.
   * @param {number} width
   */
  layoutRoom(width) {
    const [, , weights, unscaled] = this.maps;
    const zoom = roomZoom(width);
    this.root.style.setProperty("--zoom", String(zoom));
    const { cell, letters, across, stacked } = this.presenter.plan(weights.labels, width, this.pair);
    this.root.style.setProperty("--letters", String(letters));
    this.root.classList.toggle("stacked", stacked);
    for (const map of [weights, unscaled]) {
      map.root.classList.remove("unlabelled");
      map.zoom = zoom;
      map.letters = letters;
      map.layout(cell * Math.max(map.rows, map.columns), cell, across);
    }
  }

  /**
   * @param {Scene} scene
   * @param {Picture} picture
   * @param {View} view
   * @param {number} constant added to the raw scores of the picked row
   */
  show(scene, picture, view, constant) {
    this.sliders.show(view);
    this.presenter.show(view);
    this.root.classList.toggle("reads", this.presenter.reads);
    say(this.formula, formula(scene, picture, view));
    say(this.reading, scene.prefix + reading(scene, picture.weights, view.row));
    this.scales.forEach((scale, i) => press(scale, SCALES[i] === view.scale));
    press(this.plus, constant !== 0);
    say(this.answer, answer(scene, picture) + shifted(scene, picture, constant));
    this.paint(scene, picture, view);
    if (this.numbersFold.open) this.numbers.show(scene, picture, view.row);
    if (this.curvesFold.open) {
      if (this.drawnCurves !== scene) this.curves.load(scene);
      this.drawnCurves = scene;
      this.curves.show(scene, picture);
    }
  }

  /**
   * @param {Scene} scene
   * @param {Picture} picture
   * @param {View} view
   */
  paint(scene, picture, view) {
    const { texts } = scene;
    const divisor = short(picture.divisor);
    const limits = scoreLimits(scene, picture, view);
    const same = picture.divisor === 1;
    press(this.logitsButton, this.logits);
    this.valuesOf(picture).forEach((values, i) => {
      const map = this.maps[i];
      const name = this.nameOf(map);
      const high = limits[i] ?? 1;
      const hidden = i === 3 && same;
      map.root.classList.toggle("is-same", hidden);
      say(map.same, hidden ? texts.same : "");
      if (!hidden) map.paint(values, i < 2 ? -high : 0, high);
      const note = i < 2 ? scoreNote(scene, values, high, view.scale) : weightNote(scene, values);
      const words = fill(texts[`formula_${name}`], { divisor, steps: stepWords(scene) });
      map.caption(texts[`title_${name}`] ?? texts[name], words, note);
      map.pick(view.row);
    });
    const end = view.scale === "own" ? texts.own_limit : rough(limits[0]);
    const [low, high] = view.scale === "fixed" ? [`≤ −${end}`, `≥ ${end}`] : [`−${end}`, end];
    this.legends[0].show(low, "0", high);
    this.legends[1].show("0", "0.5", "1");
  }

  /**
   * @param {Scene} scene
   * @param {Picture} picture
   * @param {Cell | null} cell
   */
  mark(scene, picture, cell) {
    this.maps.forEach((map) => map.mark(cell));
    say(this.arithmetic, cell ? cellSteps(scene, picture, cell) : scene.texts.hint);
  }

  /** @param {HeatMap} map what it shows now */
  nameOf(map) {
    return map.kind === "scaled" && this.logits ? "logits" : map.kind;
  }

  /** @param {Picture} picture in the order of the maps */
  valuesOf({ raw, scaled, logits, weights, unscaled }) {
    return [raw, this.logits ? logits : scaled, weights, unscaled];
  }

  /**
   * The tables, which are too slow for every frame.
   * @param {Scene} scene
   * @param {Picture} picture
   * @param {View} view
   */
  tell(scene, picture, view) {
    this.valuesOf(picture).forEach((values, i) => {
      const map = this.maps[i];
      const words = scene.texts[this.nameOf(map)];
      map.surface.setAttribute("aria-label", `${words}. ${scene.texts.walk}`);
      map.table.setAttribute("aria-label", words);
      fillTable(map, values, view.row, scene.texts.corner);
    });
  }

  /**
   * @param {Scene} scene
   * @param {View} view
   */
  speak(scene, view) {
    const size = scene.editable ? "" : `d_k ${view.d_k}. `;
    say(this.spoken, size + (this.reading.textContent ?? ""));
  }
}

/**
 * @param {string} text
 * @param {() => void} act
 */
function button(text, act) {
  const made = element("button", "", text);
  made.type = "button";
  made.addEventListener("click", act);
  return made;
}

/**
 * @param {HTMLButtonElement} made
 * @param {boolean} on
 */
function press(made, on) {
  made.setAttribute("aria-pressed", String(on));
}

/**
 * @param {string} title
 * @param {HTMLElement} content
 * @param {() => void} opened
 */
function fold(title, content, opened) {
  const made = element("details", "", element("summary", "", title), content);
  made.addEventListener("toggle", opened);
  return made;
}
