// Turns the pages of a lesson: the left and right arrow keys, and an entry of the history for each
// page, so that Back retraces them.

/**
 * @typedef {{
 *   name: string, group: string, at: number, last: number, heard: number, hint: string,
 * }} Data name: the key of the address; group: the class of the widget that chooses a page; at: the
 *   page that is drawn; heard: the turns that Python knows of.
 * @typedef {(name: string, value: unknown) => void} Report
 */

// Where arrow keys have a meaning of their own.
const TAKEN = "input, textarea, select, [contenteditable], [role=slider], [role=radio], [role=tab]";

/** @type {WeakMap<Node, Turning>} */
const turnings = new WeakMap();

/**
 * @param {{
 *   data: Data, parentElement: HTMLElement | ShadowRoot, setTriggerValue: Report,
 * }} component
 */
export default function ({ data, parentElement, setTriggerValue }) {
  const place = /** @type {HTMLElement} */ (parentElement.querySelector(".turning"));
  place.textContent = data.hint;
  const turning = turnings.get(place) ?? new Turning(data);
  turnings.set(place, turning);
  turning.load(data, setTriggerValue);
  return () => {
    // Streamlit also calls this for a mount that a newer one has overtaken, on the same place.
    if (place.isConnected) return;
    turning.gone.abort();
    turnings.delete(place);
  };
}

class Turning {
  /** @param {Data} data */
  constructor(data) {
    this.data = data;
    this.at = data.at; // where the person is, drawn or not
    this.turns = data.heard;
    this.asked = data.at; // the page that was asked for last
    this.waits = false; // for it
    this.path = location.pathname;
    /** @type {Report} */ this.report = () => {};
    this.write("replaceState");
    this.gone = new AbortController();
    const { signal } = this.gone;
    document.addEventListener("keydown", (event) => {
      if (!isWithin(event, TAKEN) && !event.defaultPrevented) this.press(event);
    }, { signal });
    // In the group that chooses a page the focus moves, which ends the event there, and the page
    // goes with it.
    document.addEventListener("keydown", (event) => {
      if (isWithin(event, `.${data.group}`)) this.press(event);
    }, { signal, capture: true });
    window.addEventListener("popstate", () => this.follow(), { signal });
  }

  /**
   * @param {Data} data
   * @param {Report} report
   */
  load(data, report) {
    this.data = data;
    this.report = report;
    // Drawn before the latest turn was heard of: that page is still to come.
    if (data.heard < this.turns) return;
    this.turns = data.heard;
    if (this.waits) {
      this.waits = false;
      if (this.at !== this.asked) {
        setTimeout(() => this.tell()); // the page's other widgets take their new values first
        return;
      }
    }
    this.at = data.at;
    if (this.addressed() !== this.at) this.write("pushState");
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const to = this.at + (way ?? 0);
    if (!way || hasModifier(event) || to < 1 || to > this.data.last) return;
    this.turn(to);
    this.write("pushState");
  }

  follow() {
    const to = this.addressed();
    const isPage = to >= 1 && to <= this.data.last && to !== this.at;
    if (location.pathname === this.path && isPage) this.turn(to);
  }

  /** @param {number} to */
  turn(to) {
    this.at = to;
    this.tell();
  }

  /**
   * One report at a time: with a second one, before the page has answered, the browser would send
   * what its other widgets showed before the first. A report says where it leads, so that of several
   * quick turns the last is enough.
   */
  tell() {
    if (this.waits || this.at === this.data.at) return;
    this.waits = true;
    this.asked = this.at;
    this.turns += 1;
    this.report("turn", { to: this.at, turns: this.turns });
  }

  addressed() {
    return Number(new URLSearchParams(location.search).get(this.data.name));
  }

  /** @param {"pushState" | "replaceState"} how */
  write(how) {
    const query = new URLSearchParams(location.search);
    query.set(this.data.name, String(this.at));
    history[how](history.state, "", `${location.pathname}?${query}${location.hash}`);
  }
}

/** @param {KeyboardEvent} event */
function hasModifier(event) {
  return event.altKey || event.ctrlKey || event.metaKey || event.shiftKey;
}

/**
 * @param {Event} event
 * @param {string} selector
 */
function isWithin(event, selector) {
  const [target] = event.composedPath();
  return target instanceof Element && target.closest(selector) !== null;
}
