// What a term means, where it stands: a pointer that rests on it, or the focus on what is named by it.

/**
 * @typedef {{term: string, meaning: string}} Entry
 * @typedef {{entries: Entry[]}} Data
 */

const REST = 350; // milliseconds that a pointer rests before a meaning is shown
const AROUND = 40; // letters beside the pointer in which a term is looked for
const GAP = 14; // pixels between a term and its meaning

class Glossary {
  /** @param {HTMLElement} place where colours and fonts are those of the page */
  constructor(place) {
    this.place = place;
    /** @type {Entry[]} */ this.entries = [];
    this.timer = 0;
    this.note = document.createElement("div");
    this.note.setAttribute("role", "tooltip");
    this.note.hidden = true;
    document.body.append(this.note);
    this.gone = new AbortController();
    const options = { signal: this.gone.signal, passive: true };
    document.addEventListener("pointermove", (event) => this.wait(event), options);
    document.addEventListener("pointerdown", () => this.hide(), options);
    document.addEventListener("scroll", () => this.hide(), { ...options, capture: true });
    document.addEventListener("keydown", ({ key }) => key === "Escape" && this.hide(), options);
    document.addEventListener("focusin", (event) => this.focused(event), options);
    document.addEventListener("focusout", () => this.hide(), options);
  }

  /** @param {PointerEvent} event */
  wait({ clientX, clientY, buttons, pointerType }) {
    clearTimeout(this.timer);
    if (buttons || pointerType === "touch") return;
    this.timer = setTimeout(() => {
      const found = this.find(textAt(clientX, clientY));
      if (found) this.show(found, clientX, clientY);
      else this.hide();
    }, REST);
  }

  /** @param {FocusEvent} event the focus of a keyboard, not of a click */
  focused(event) {
    const target = /** @type {HTMLElement} */ (event.composedPath()[0]);
    if (!target.matches?.(":focus-visible")) return;
    const name = target.getAttribute("aria-label") ?? target.textContent ?? "";
    const found = this.entries.find(({ term }) => holds(name.slice(0, AROUND), term));
    const { left, bottom } = target.getBoundingClientRect();
    if (found) this.show(found, left, bottom);
  }

  /** @param {{text: string, at: number} | null} under */
  find(under) {
    if (!under) return undefined;
    const from = Math.max(under.at - AROUND, 0);
    const near = under.text.slice(from, under.at + AROUND);
    return this.entries.find(({ term }) => holds(near, term, under.at - from));
  }

  /**
   * @param {Entry} entry
   * @param {number} x
   * @param {number} y
   */
  show({ term, meaning }, x, y) {
    const style = getComputedStyle(this.place);
    const colour = (/** @type {string} */ name) => style.getPropertyValue(name);
    this.note.style.cssText =
      "position:fixed;z-index:999999;max-width:min(24rem,90vw);padding:8px 12px;font-size:15px;" +
      `pointer-events:none;line-height:1.35;border-radius:8px;font-family:${style.fontFamily};` +
      `color:${colour("--st-text-color")};background:${colour("--st-background-color")};` +
      `border:1px solid ${colour("--st-primary-color")}`;
    const strong = document.createElement("strong");
    strong.textContent = `${term}: `;
    this.note.replaceChildren(strong, meaning);
    this.note.hidden = false;
    const { width, height } = this.note.getBoundingClientRect();
    const below = y + GAP + height < window.innerHeight;
    this.note.style.left = `${Math.max(Math.min(x, window.innerWidth - width - 8), 8)}px`;
    this.note.style.top = `${below ? y + GAP : y - GAP - height}px`;
  }

  hide() {
    clearTimeout(this.timer);
    this.note.hidden = true;
  }

  close() {
    this.gone.abort();
    this.note.remove();
  }
}

/**
 * Whether a text has a term as whole words, over one place when it is given.
 * @param {string} text
 * @param {string} term
 * @param {number} [at]
 */
function holds(text, term, at) {
  const words = term.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  for (const match of text.matchAll(new RegExp(`(?<![\\p{L}\\p{N}])${words}(?![\\p{L}\\p{N}])`, "giu"))) {
    if (at === undefined || (match.index <= at && at <= match.index + term.length)) return true;
  }
  return false;
}

/**
 * The text under a point, in shadow roots too; null where there is none, or where a browser cannot say.
 * @param {number} x
 * @param {number} y
 */
function textAt(x, y) {
  const shadowRoots = [...document.querySelectorAll("*")].flatMap((e) => e.shadowRoot ?? []);
  // @ts-ignore - newer than the checker's list of the DOM
  const caret = document.caretPositionFromPoint?.(x, y, { shadowRoots });
  const node = caret?.offsetNode;
  if (node?.nodeType !== Node.TEXT_NODE || node.parentElement?.closest("input, textarea")) return null;
  // Beside the end of a line the caret is in its text, and the pointer is not on it.
  const range = document.createRange();
  range.selectNodeContents(node);
  const on = [...range.getClientRects()].some(
    ({ left, right, top, bottom }) => x >= left && x <= right && y >= top && y <= bottom,
  );
  return on ? { text: node.textContent ?? "", at: caret?.offset ?? 0 } : null;
}

/** @type {WeakMap<Node, Glossary>} */
const glossaries = new WeakMap();

/** @param {{data: Data, parentElement: HTMLElement | ShadowRoot}} component */
export default function mount({ data, parentElement }) {
  const place = /** @type {HTMLElement} */ (parentElement.querySelector(".glossary-place"));
  const glossary = glossaries.get(place) ?? new Glossary(place);
  glossaries.set(place, glossary);
  glossary.entries = data.entries;
  return () => {
    if (place.isConnected) return;
    glossary.close();
    glossaries.delete(place);
  };
}
