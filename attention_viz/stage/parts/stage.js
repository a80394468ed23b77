// The live stage: what the person moves, and when the rest of the page is told.

import { Board, SCALES } from "./board.js";
import { compute, emptyPicture } from "./maths.js";
import { divisorValue, fill, unpack } from "./scene.js";

/**
 * @typedef {import("./scene.js").Scene} Scene
 * @typedef {import("./scene.js").View} View
 * @typedef {import("./map.js").Cell} Cell
 * @typedef {(name: string, value: unknown) => void} Report
 * @typedef {{ setStateValue: Report, setTriggerValue: Report }} Python
 */

const QUIET = 250; // milliseconds without a movement, after which the rest of the page follows
const CONSTANT = 5; // "+5 to this row"

class Stage {
  /**
   * @param {Uint8Array} data
   * @param {Python} python
   */
  constructor(data, python) {
    this.data = data;
    this.python = python;
    this.scene = unpack(data);
    this.picture = emptyPicture(this.scene);
    this.view = { ...this.scene.init };
    this.added = false;
    this.held = false;
    this.unsent = false;
    this.asked = false;
    this.frame = 0;
    this.early = 0;
    this.timer = 0;
    this.page = location.pathname;
    /** @type {Cell | null} */ this.cell = null;
    this.board = new Board(this.scene, {
      move: (change) => this.move(change),
      hold: (down) => this.hold(down),
      hover: (cell) => this.hover(cell),
      pick: ({ row }) => this.move({ row }),
      current: () => this.cell ?? { row: this.view.row, key: 0 },
      add: () => this.add(),
      redraw: () => this.redraw(),
      opened: () => this.opened(),
      // Another value each time, or it is not told.
      end: () => this.python.setStateValue("end", Date.now()),
      scores: {
        get: ({ row, key }) => this.scene.scores[row * this.scene.n_k + key],
        set: (cell, value) => this.edit(cell, value),
        hold: (down) => this.hold(down),
        label: ({ row, key }) => this.nameOf(row, key),
      },
    });
    this.show(this.scene);
    // The width decides the size of the cells; the window, its zoom and height; before a room also
    // what is written above the maps.
    this.watcher = new ResizeObserver(() => this.layout());
    const { root, presenter, reading } = this.board;
    for (const seen of [root, presenter.root, reading]) this.watcher.observe(seen);
    this.gone = new AbortController();
    const options = { signal: this.gone.signal };
    window.addEventListener("resize", () => this.layout(), options);
    // One that a script made says nothing that the stage did not write itself.
    window.addEventListener("popstate", (event) => event.isTrusted && this.follow(), options);
    window.addEventListener("keydown", (event) => this.board.presenter.key(event), options);
    window.addEventListener("message", (event) => this.back(event), options);
    // Whoever turns to something else, such as a link to another page, has ended the movement.
    const told = () => this.unsent && this.settle();
    for (const turn of ["pointerdown", "focusout"])
      window.addEventListener(turn, told, { ...options, capture: true });
  }

  /**
   * New numbers on the same stage: what the person has moved stays where it was.
   * @param {Uint8Array} data
   */
  load(data) {
    if (data === this.data) return;
    this.data = data;
    const scene = unpack(data);
    const sameWords = scene.rows.join() === this.scene.rows.join();
    this.added &&= sameWords;
    if (!sameWords) this.cell = null;
    // Python begins anew, with another head: where it says, which is where the person was. A hand
    // that holds a slider has gone on since.
    const begins = JSON.stringify(scene.init) !== JSON.stringify(this.scene.init);
    if (begins && !this.held) this.view = { ...scene.init };
    this.scene = scene;
    this.picture = emptyPicture(scene);
    this.show(scene);
  }

  /** @param {Scene} scene */
  show(scene) {
    const below = scene.stops.filter((d_k) => d_k <= this.view.d_k);
    this.view.d_k = below.length ? below[below.length - 1] : scene.stops[0];
    this.view.row = Math.min(this.view.row, scene.n_q - 1);
    this.board.load(scene); // reads the address before it is written
    if (scene.in_address) this.writeAddress();
    this.layout();
    this.draw();
    this.board.tell(scene, this.picture, this.view);
    this.opened();
  }

  layout() {
    this.board.layout(this.scene);
    this.schedule();
  }

  /** @param {Partial<View>} change */
  move(change) {
    this.view = { ...this.view, ...change };
    this.unsent = true;
    this.page = location.pathname;
    if (this.held || this.early) this.schedule();
    else this.hurry();
    this.wait();
  }

  redraw() {
    this.schedule();
    this.wait();
  }

  add() {
    this.added = !this.added;
    this.redraw();
  }

  /**
   * A score typed or dragged.
   * @param {Cell} cell
   * @param {number} value
   */
  edit({ row, key }, value) {
    this.scene.scores[row * this.scene.n_k + key] = value;
    this.move({ row });
  }

  /**
   * @param {number} row
   * @param {number} key
   */
  nameOf(row, key) {
    const { texts, row_names, column_names } = this.scene;
    return fill(texts.score_of, { query: row_names[row], key: column_names[key] });
  }

  /** @param {Cell | null} cell */
  hover(cell) {
    this.cell = cell;
    this.board.mark(this.scene, this.picture, cell);
  }

  /** @param {boolean} down */
  hold(down) {
    // A range also says "change" for each key, which nobody held: those wait until they rest.
    const released = this.held && !down;
    this.held = down;
    if (released && this.unsent) this.wait(0);
  }

  /** The band of other heads takes the server a moment, so it is asked for when it is looked at. */
  opened() {
    const open = this.board.curvesFold.open;
    if (open !== this.asked) this.python.setStateValue("curves", open);
    this.asked = open;
    this.schedule();
  }

  schedule() {
    this.frame ||= requestAnimationFrame(() => this.tryDraw());
  }

  /**
   * The first key before a frame is drawn at once, while the browser waits for the frame: all that is
   * left to do in it is to paint. What a pointer holds moves with the frames anyway.
   */
  hurry() {
    this.early = requestAnimationFrame(() => (this.early = 0));
    this.tryDraw();
  }

  tryDraw() {
    try {
      this.draw();
    } catch {
      this.board.root.textContent = this.scene.texts.fault;
    }
  }

  draw() {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    const { scene, picture, view } = this;
    const stop = scene.stops.indexOf(view.d_k);
    const divisor = divisorValue(view.divisor, view.d_k, scene);
    const added = { row: view.row, constant: this.added ? CONSTANT : 0 };
    compute(scene, picture, stop, divisor, added);
    this.board.show(scene, picture, view, added.constant);
    this.board.mark(scene, picture, this.cell);
  }

  wait(milliseconds = QUIET) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.settle(), milliseconds);
  }

  /** The last movement is over: tables, spoken sentence, address, and Python. */
  settle() {
    if (this.frame) this.draw();
    this.board.tell(this.scene, this.picture, this.view);
    if (!this.unsent || this.held) return;
    this.unsent = false;
    // A page that was left can be told nothing: Streamlit would clear the one that took its place.
    if (location.pathname !== this.page) return;
    this.board.speak(this.scene, this.view);
    if (this.scene.in_address) this.writeAddress();
    const { editable, scores, revision } = this.scene;
    const said = editable ? { ...this.view, scores: [...scores], revision } : this.view;
    // Both in one message. A trigger is all that is kept where another page is asked for before Python
    // has heard; state is said again with whatever is told next, should this be lost.
    this.python.setStateValue("view", said);
    this.python.setTriggerValue("view", said);
  }

  /**
   * What was told while there was no server is lost.
   * @param {MessageEvent} event what Streamlit says to a page that may be around this one
   */
  back({ source, data }) {
    if (source !== window || data?.type !== "WEBSOCKET_CONNECTED") return;
    this.unsent = true;
    this.settle();
  }

  /** In place: an entry of the history for each move would make Back useless. */
  writeAddress() {
    const query = new URLSearchParams(location.search);
    for (const [name, value] of Object.entries(this.view)) query.set(name, String(value));
    const { word } = this.board.presenter;
    if (word) query.set("question", word);
    else query.delete("question");
    if (`?${query}` === location.search) return;
    history.replaceState(history.state, "", `${location.pathname}?${query}${location.hash}`);
  }

  /** Back or Forward to another address of this page: show what it says. */
  follow() {
    if (!this.scene.in_address) return;
    const query = new URLSearchParams(location.search);
    const read = (/** @type {string} */ name) => query.get(name) ?? "";
    /** @type {Partial<View>} */ const said = {};
    if (this.scene.stops.includes(Number(read("d_k")))) said.d_k = Number(read("d_k"));
    const row = Number(read("row") || NaN);
    if (Number.isInteger(row) && row >= 0 && row < this.scene.n_q) said.row = row;
    if (divisorValue(read("divisor"), 1, this.scene) > 0) said.divisor = read("divisor");
    if (SCALES.includes(read("scale"))) said.scale = read("scale");
    const now = JSON.stringify(this.view);
    if (JSON.stringify({ ...this.view, ...said }) !== now) this.move(said);
  }

  close() {
    this.gone.abort();
    this.watcher.disconnect();
    clearTimeout(this.timer);
    cancelAnimationFrame(this.frame);
    cancelAnimationFrame(this.early);
    this.board.root.remove();
  }
}

/** @type {WeakMap<Node, Stage>} */
const stages = new WeakMap();

/**
 * Streamlit calls this for the first data, for new data and when the theme changes, with nothing in
 * between; a page without Streamlit calls it once.
 * @param {{
 *   data: Uint8Array, parentElement: HTMLElement | ShadowRoot, setStateValue?: Report,
 *   setTriggerValue?: Report,
 * }} component
 */
export default function mount({
  data,
  parentElement,
  setStateValue = () => {},
  setTriggerValue = () => {},
}) {
  const python = { setStateValue, setTriggerValue };
  const place = /** @type {HTMLElement} */ (parentElement.querySelector(".stage-place"));
  try {
    let stage = stages.get(place);
    if (stage) {
      stage.python = python;
      stage.load(data);
    } else {
      stage = new Stage(data, python);
      stages.set(place, stage);
      place.replaceChildren(stage.board.root);
      stage.layout();
    }
  } catch {
    // A visitor would otherwise be shown the stack.
    place.textContent = "The stage could not be drawn: reload the page.";
  }
  return () => {
    // Streamlit also calls this for a mount that a newer one has overtaken, on the same place.
    if (place.isConnected) return;
    stages.get(place)?.close();
    stages.delete(place);
  };
}
