// The two sliders: head size by its stops, divisor by its logarithm, and what the divisor is locked to.

import { element, say } from "./page.js";
import { divisorName, divisorValue, fill } from "./scene.js";
import { short } from "./words.js";

/**
 * @typedef {import("./scene.js").Scene} Scene
 * @typedef {import("./scene.js").View} View
 */

const STEPS = 1000;
const LOWEST = -2; // the divisor's slider runs over powers of 2
const HIGHEST = 9;
const THUMB = 22; // pixels, as in the style sheet
const NAMED = ["own", "sqrt", "1", "d_k", "sqrt_d_model"];
const LOCKS = ["own", "sqrt"];
const SNAP = 0.012; // of the slider's length

/** @param {number} divisor share of the slider's length */
function placeOf(divisor) {
  return (Math.log2(divisor) - LOWEST) / (HIGHEST - LOWEST);
}

/** @param {number} place */
function divisorAt(place) {
  return 2 ** (LOWEST + place * (HIGHEST - LOWEST));
}

export class Sliders {
  /**
   * @param {(change: Partial<View>) => void} move
   * @param {(down: boolean) => void} hold told while a pointer holds a slider
   */
  constructor(move, hold) {
    this.move = move;
    this.size = slider("d_k", hold);
    this.divisor = slider("divisor", hold);
    this.divisor.max = String(STEPS);
    this.sizeWords = element("label", "words");
    this.divisorWords = element("label", "words");
    this.sizeMarks = element("div", "marks");
    this.divisorMarks = element("div", "marks");
    this.sizeNote = element("p", "note");
    this.choices = element("div", "choices");
    this.choices.setAttribute("role", "group");
    this.buttons = NAMED.map((name) => this.button(name));
    this.choices.append(...this.buttons);
    this.root = element(
      "div", "sliders",
      element("div", "control", this.sizeWords, this.size, this.sizeMarks, this.sizeNote),
      element("div", "control", this.divisorWords, this.divisor, this.divisorMarks, this.choices),
    );
    this.size.addEventListener("input", () => {
      if (this.scene) move({ d_k: this.scene.stops[Number(this.size.value)] });
    });
    this.divisor.addEventListener("input", () => move({ divisor: this.atSlider() }));
  }

  /** @param {string} name */
  button(name) {
    const made = element("button");
    made.type = "button";
    made.addEventListener("click", () => {
      const isOn = made.getAttribute("aria-pressed") === "true";
      // The lock opens where it is; any other choice is taken again.
      const value = LOCKS.includes(name) && isOn ? String(this.value ?? 1) : name;
      this.move({ divisor: value });
    });
    return made;
  }

  /** A divisor from the slider's place: a named one where the thumb is nearly on it. */
  atSlider() {
    const place = Number(this.divisor.value) / STEPS;
    for (const name of NAMED.slice(LOCKS.length)) {
      if (this.scene && Math.abs(placeOf(this.valueOf(name)) - place) < SNAP) return name;
    }
    return divisorAt(place).toPrecision(4);
  }

  /** @param {string} name */
  valueOf(name) {
    const { scene, d_k } = this;
    return scene && d_k ? divisorValue(name, d_k, scene) : 1;
  }

  /** Whether a model divides by √d_k, as the paper does. */
  ownIsRoot() {
    const root = this.valueOf("sqrt");
    return Math.abs(this.valueOf("own") - root) < 1e-6 * root;
  }

  /**
   * Whether a name is offered: a model's own divisor is, and √d_k beside it where it is another.
   * @param {string} name
   */
  offers(name) {
    const { editable = false, own = 0 } = this.scene ?? {};
    if (editable) return name === "1"; // no d_k and no d_model
    if (name === "own") return own > 0;
    return name !== "sqrt" || own === 0 || !this.ownIsRoot();
  }

  /** @param {Scene} scene */
  load(scene) {
    this.scene = scene;
    const last = scene.stops.length - 1;
    this.size.max = String(last);
    this.size.disabled = scene.fixed !== "" || last === 0;
    say(this.sizeNote, scene.fixed);
    this.choices.setAttribute("aria-label", scene.texts.divisor);
    this.size.title = scene.fixed;
    const marked = [1, 4, 16, 64, 256, 512].filter((d_k) => scene.stops.includes(d_k));
    this.sizeMarks.replaceChildren(
      ...marked.map((d_k) => mark(last ? scene.stops.indexOf(d_k) / last : 0, String(d_k))),
    );
  }

  /** @param {View} view */
  show(view) {
    const { scene } = this;
    if (!scene) return;
    const { texts } = scene;
    this.d_k = view.d_k;
    const value = this.valueOf(view.divisor);
    this.value = value;
    const name = divisorName(view.divisor, scene);
    const locked = LOCKS.includes(name);
    const stop = String(scene.stops.indexOf(view.d_k));
    if (this.size.value !== stop) this.size.value = stop;
    this.size.setAttribute("aria-valuetext", String(view.d_k));
    say(this.sizeWords, fill(texts.d_k_words, { d_k: view.d_k }));
    this.divisor.disabled = locked;
    // While the person moves this slider, its thumb is where the finger is.
    const place = String(Math.round(placeOf(value) * STEPS));
    if (locked || this.atSlider() !== view.divisor) this.divisor.value = place;
    this.divisor.setAttribute("aria-valuetext", short(value));
    // A loaded head's d_k is a fact; its divisor still says which d_k would ask for it.
    const free = scene.fixed ? texts.divisor_as_if : texts.divisor_free;
    const root = short(Math.sqrt(view.d_k));
    const square = short(value * value);
    const words = { divisor: short(value), d_k: view.d_k, root, square };
    const held = name === "own" ? texts.divisor_owned : texts.divisor_locked;
    say(this.divisorWords, fill(locked ? held : free, words));
    this.showChoices(name, texts);
  }

  /**
   * @param {string} pressed
   * @param {import("./scene.js").Texts} texts
   */
  showChoices(pressed, texts) {
    this.buttons.forEach((button, i) => {
      const name = NAMED[i];
      button.hidden = !this.offers(name);
      button.setAttribute("aria-pressed", String(name === pressed));
      const words = name === "own" && this.ownIsRoot() ? texts.divisor_own_root : texts[`divisor_${name}`];
      say(button, fill(words, { value: short(this.valueOf(name)) }));
    });
    const places = NAMED.map((name) => placeOf(this.valueOf(name)));
    if (this.divisorMarks.childElementCount === 0) {
      this.divisorMarks.append(...NAMED.map(() => mark(0, "")));
    }
    places.forEach((place, i) => {
      const tick = /** @type {HTMLElement} */ (this.divisorMarks.children[i]);
      tick.hidden = place < 0 || place > 1 || !this.offers(NAMED[i]);
      tick.style.left = across(place);
    });
  }
}

/**
 * @param {string} name
 * @param {(down: boolean) => void} hold
 */
function slider(name, hold) {
  const made = element("input");
  made.type = "range";
  made.min = "0";
  made.step = "1";
  made.setAttribute("aria-label", name);
  made.addEventListener("pointerdown", () => hold(true));
  for (const end of ["pointerup", "pointercancel", "change"]) {
    made.addEventListener(end, () => hold(false));
  }
  return made;
}

/**
 * @param {number} place
 * @param {string} text
 */
function mark(place, text) {
  const made = element("span", "mark", text);
  made.style.left = across(place);
  return made;
}

/** @param {number} place where the middle of the thumb is, there */
function across(place) {
  return `calc(${place} * (100% - ${THUMB}px) + ${THUMB / 2}px)`;
}
