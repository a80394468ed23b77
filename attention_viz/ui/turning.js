// Left and right arrow keys turn the pages of a lesson, from anywhere where they mean nothing else.

/**
 * @typedef {(name: string, value: unknown) => void} Report
 * @typedef {{heard: number[]}} Data heard: the last that the page has answered
 */

const TAKEN = "input, textarea, select, [contenteditable], [role=slider], [role=radio], [role=tab]";

class Turning {
  /** @param {Report} report */
  constructor(report) {
    this.report = report;
    this.born = Date.now();
    this.turned = 0; // by all presses so far
    this.told = 0; // as much of it as the page has been told
    this.waits = false;
    this.gone = new AbortController();
    const options = { signal: this.gone.signal };
    document.addEventListener("keydown", (event) => this.key(event), options);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const [target] = event.composedPath();
    const taken = target instanceof Element && target.closest(TAKEN);
    const modified = event.altKey || event.ctrlKey || event.metaKey || event.shiftKey;
    if (!way || taken || modified || event.defaultPrevented) return;
    this.turned += way;
    this.tell();
  }

  /**
   * One report at a time: with a second one, before the page has answered, the browser would send
   * what its other widgets showed before the first.
   */
  tell() {
    if (this.waits || this.told === this.turned) return;
    this.waits = true;
    this.told = this.turned;
    this.report("turned", [this.born, this.told]);
  }

  /** @param {Data} data */
  answered({ heard: [born, told] }) {
    if (born !== this.born || told !== this.told) return;
    this.waits = false;
    setTimeout(() => this.tell()); // the page's other widgets take their new values first
  }
}

/** @type {WeakMap<Node, Turning>} */
const turnings = new WeakMap();

/** @param {{data: Data, parentElement: HTMLElement | ShadowRoot, setStateValue: Report}} component */
export default function mount({ data, parentElement, setStateValue }) {
  const place = /** @type {HTMLElement} */ (parentElement.querySelector(".turning-place"));
  const turning = turnings.get(place) ?? new Turning(setStateValue);
  turnings.set(place, turning);
  turning.report = setStateValue;
  turning.answered(data);
  return () => {
    if (place.isConnected) return;
    turning.gone.abort();
    turnings.delete(place);
  };
}
