// Small pieces of HTML. Text is always set as text, never parsed.

export const LETTER = 7.2; // pixels of one, about
export const LINE = 19; // pixels from one label to the next

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {string} className
 * @param {(Node | string)[]} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function element(tag, className = "", ...children) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

/**
 * Change a text only when it is another: an unchanged one costs no layout.
 * @param {Node} node
 * @param {string} text
 */
export function say(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/**
 * Each how manieth label there is room for.
 * @param {number} cell pixels
 * @param {number} zoom how many times the usual size the letters have
 */
export function stepOf(cell, zoom) {
  return Math.max(1, Math.ceil((zoom * LINE) / cell));
}

/**
 * Labels along an axis, as many as there is room for.
 * @param {HTMLElement} axis
 * @param {string[]} labels
 * @param {number} cell pixels
 * @param {"top" | "left"} side
 * @param {boolean[]} special which of them have a job of their own in a model
 * @param {number} zoom how many times the usual size the letters have
 */
export function label(axis, labels, cell, side, special = [], zoom = 1) {
  const step = stepOf(cell, zoom);
  axis.replaceChildren(
    ...labels.flatMap((text, i) => {
      if (i % step) return [];
      const tick = element("span", special[i] ? "tick special" : "tick", element("bdi", "", text));
      tick.style[side] = `${(i + 0.5) * cell}px`;
      tick.title = text;
      tick.classList.toggle("joined", text.includes("\u200d"));
      return [tick];
    }),
  );
}
