// The stage before a room: a sentence, one question at a time, a hidden answer, a key for each step.

import { element, say, stepOf } from "./page.js";
import { divisorName, divisorValue, fill } from "./scene.js";
import { roomPlan, roomZoom } from "./sizes.js";

/**
 * @typedef {import("./scene.js").Scene} Scene
 * @typedef {import("./scene.js").View} View
 * @typedef {{move: (change: Partial<View>) => void, redraw: () => void, end: () => void}} Hands
 */

const EDGE = 12; // pixels that are left free below the maps

export class Presenter {
  /** @param {Hands} hands */
  constructor(hands) {
    this.hands = hands;
    /** @type {Scene | null} */ this.scene = null;
    /** @type {View | null} */ this.view = null;
    this.place = 0;
    this.told = false;
    this.reads = false; // whether the picked row is read as a sentence
    this.sentence = element("p", "sentence");
    this.named = element("p", "named");
    this.question = element("p", "question");
    this.question.setAttribute("role", "status");
    /** @type {[string, string, () => void][]} key, its words, what it does */
    this.steps = [
      ["a", "present_answer", () => this.tell()],
      ["n", "present_next", () => this.next()],
      ["d", "present_divisor", () => this.turnDivisor()],
      ["r", "present_row", () => this.turnRow()],
      ["Escape", "present_end", hands.end],
    ];
    this.buttons = this.steps.map(([key, , act]) => {
      const made = element("button", "");
      made.type = "button";
      made.setAttribute("aria-keyshortcuts", key);
      made.addEventListener("click", act);
      return made;
    });
    const line = element("div", "line", this.sentence, element("div", "keys", ...this.buttons));
    this.root = element("div", "presenter", line, this.question, this.named);
  }

  get isOn() {
    return (this.scene?.slides.length ?? 0) > 0;
  }

  /** The number of the question for the address; empty outside a room. */
  get word() {
    return this.isOn ? String(this.place + 1) : "";
  }

  /** @param {Scene} scene */
  load(scene) {
    const begins = !this.isOn && scene.in_address;
    this.scene = scene;
    this.root.hidden = !this.isOn;
    if (begins && this.isOn) this.place = linkedPlace(scene.slides.length);
    this.place = Math.min(this.place, Math.max(scene.slides.length - 1, 0));
    if (!this.isOn) this.told = this.reads = false;
    say(this.sentence, scene.rows.join(" "));
    this.sentence.title = scene.rows.join(" ");
    this.buttons.forEach((button, i) => {
      const [key, words] = this.steps[i];
      say(button, `${scene.texts[words]} · ${key === "Escape" ? "Esc" : key.toUpperCase()}`);
    });
  }

  /** @param {View} view */
  show(view) {
    if (this.isOn && this.view && this.view.row !== view.row) this.reads = true;
    this.view = view;
    const slide = this.scene?.slides[this.place];
    // An answer speaks of one picture: another one brings the question back.
    if (slide && !agree(view, slide.end)) this.told = false;
    if (slide) say(this.question, this.told ? slide.answer : this.ask(slide, view));
    this.buttons[0].setAttribute("aria-pressed", String(this.told));
  }

  /**
   * The question; where nothing is scaled, none about two maps can be answered.
   * @param {import("./scene.js").Slide} slide
   * @param {View} view
   */
  ask(slide, view) {
    const { scene } = this;
    const divides = scene && divisorValue(view.divisor, view.d_k, scene) !== 1;
    return slide.pair && scene && !divides ? scene.texts.present_same : slide.question;
  }

  /** The answer, with the picture it speaks of; or back to the question. */
  tell() {
    this.told = !this.told;
    this.turn();
  }

  next() {
    this.told = this.reads = false;
    this.place = (this.place + 1) % (this.scene?.slides.length || 1);
    this.turn();
  }

  turn() {
    const slide = this.scene?.slides[this.place];
    if (slide) this.hands.move(this.told ? slide.end : slide.begin);
  }

  turnDivisor() {
    if (!this.scene || !this.view) return;
    const lock = divisorName("own", this.scene);
    this.hands.move({ divisor: this.view.divisor === "1" ? lock : "1" });
  }

  turnRow() {
    this.reads = true;
    if (this.scene && this.view) this.hands.move({ row: (this.view.row + 1) % this.scene.n_q });
  }

  /**
   * Pixels that are left for maps, whether or not the sentence about their labels is there.
   * @param {HTMLElement} maps
   */
  heightFor(maps) {
    const above = Math.max(this.root.getBoundingClientRect().top, 0);
    const before = maps.getBoundingClientRect().top - this.root.getBoundingClientRect().top;
    return window.innerHeight - above - before + this.named.offsetHeight - EDGE;
  }

  /**
   * The plan of the maps; where not every token has a label, a sentence says so.
   * @param {import("./sizes.js").Labels} labels
   * @param {number} width
   * @param {HTMLElement} maps
   */
  plan(labels, width, maps) {
    const zoom = roomZoom(width);
    const height = this.heightFor(maps);
    let plan = roomPlan(labels, width, height, zoom);
    const step = stepOf(plan.cell, plan.letters);
    this.named.hidden = step === 1;
    const words = { n: labels.rows.length, step };
    say(this.named, fill(this.scene?.texts.present_named ?? "", words));
    if (step > 1) plan = roomPlan(labels, width, height - this.named.offsetHeight, zoom);
    return plan;
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const typing = event.composedPath().some(
      (node) => node instanceof HTMLElement && node.matches("input:not([type=range]), textarea"),
    );
    if (!this.isOn || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = this.steps.find(([key]) => key.toLowerCase() === event.key.toLowerCase());
    // The page's own button hears Escape, since there is a way out without a stage too.
    if (!step || event.key === "Escape") return;
    event.preventDefault();
    step[2]();
  }
}

/**
 * Whether a picture is where an answer needs it.
 * @param {View} view
 * @param {Partial<View>} end
 */
function agree(view, end) {
  const now = new Map(Object.entries(view));
  return Object.entries(end).every(([name, value]) => now.get(name) === value);
}

/**
 * Which question the address asks for, from 0.
 * @param {number} count how many there are
 */
function linkedPlace(count) {
  const word = new URLSearchParams(location.search).get("question") ?? "";
  return /^[1-9]$/.test(word) && Number(word) <= count ? Number(word) - 1 : 0;
}
