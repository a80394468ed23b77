// The stage before a room: a sentence, one question at a time, a hidden answer, a key for each step.

import { element, say } from "./page.js";
import { divisorName } from "./scene.js";

/**
 * @typedef {import("./scene.js").Scene} Scene
 * @typedef {import("./scene.js").View} View
 * @typedef {{move: (change: Partial<View>) => void, redraw: () => void, end: () => void}} Hands
 */

const ZOOM = 620; // pixels of width for each time that letters are as large as usual
const ABOVE = 178; // pixels of a window's height that are not maps, at the usual size
const BETWEEN = 40;

export class Presenter {
  /** @param {Hands} hands */
  constructor(hands) {
    this.hands = hands;
    /** @type {Scene | null} */ this.scene = null;
    /** @type {View | null} */ this.view = null;
    this.place = 0;
    this.told = false;
    this.sentence = element("p", "sentence");
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
    this.root = element("div", "presenter", line, this.question);
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
    if (begins && this.isOn) this.place = linkedPlace();
    this.place = Math.min(this.place, Math.max(scene.slides.length - 1, 0));
    if (!this.isOn) this.told = false;
    say(this.sentence, scene.rows.join(" "));
    this.buttons.forEach((button, i) => {
      const [key, words] = this.steps[i];
      say(button, `${scene.texts[words]} · ${key === "Escape" ? "Esc" : key.toUpperCase()}`);
    });
  }

  /** @param {View} view */
  show(view) {
    this.view = view;
    const slide = this.scene?.slides[this.place];
    // An answer speaks of one picture: another one brings the question back.
    if (slide && !agree(view, slide.end)) this.told = false;
    if (slide) say(this.question, this.told ? slide.answer : slide.question);
    this.buttons[0].setAttribute("aria-pressed", String(this.told));
  }

  /** The answer, with the picture it speaks of; or back to the question. */
  tell() {
    this.told = !this.told;
    this.turn();
  }

  next() {
    this.told = false;
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
    if (this.scene && this.view) this.hands.move({ row: (this.view.row + 1) % this.scene.n_q });
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const typing = event.composedPath().some(
      (node) => node instanceof HTMLElement && node.matches("input:not([type=range]), textarea"),
    );
    if (!this.isOn || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = this.steps.find(([key]) => key.toLowerCase() === event.key.toLowerCase());
    if (!step) return;
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

/** Which question the address asks for, from 0. */
function linkedPlace() {
  const word = new URLSearchParams(location.search).get("question") ?? "";
  return /^[1-9]$/.test(word) ? Number(word) - 1 : 0;
}

/**
 * How many times the usual size letters have before a room.
 * @param {number} width
 */
export function roomZoom(width) {
  return Math.max(1, Math.min(width / ZOOM, window.innerHeight / 350));
}

/**
 * Pixels of the maps before a room, where only those of weights are shown.
 * @param {number} width
 * @param {number} across pixels for the labels of rows
 * @param {number} zoom
 */
export function roomSizes(width, across, zoom) {
  const high = Math.max(window.innerHeight - ABOVE * zoom, 200);
  return { scores: 0, weights: Math.min((width - 2 * across - BETWEEN) / 2, high) };
}
