// The drawing of the mechanism and its formula: a part that is pointed at lights up in both, and a
// click goes to its step.

/**
 * @typedef {{
 *   step: number, lit: string[], shapes: Record<string, string>,
 *   steps: Record<string, number>, absent: string[], words: string, picture: string, fault: string,
 * }} Data lit: parts of the present step; steps: where each part is taught; picture: a class name.
 * @typedef {(name: string, value: unknown) => void} Report
 */

/** @type {WeakMap<Node, AbortController>} */
const listening = new WeakMap();

/**
 * @param {{
 *   data: Data, parentElement: HTMLElement | ShadowRoot, setTriggerValue: Report,
 * }} component
 */
export default function ({ data, parentElement, setTriggerValue }) {
  const place = /** @type {HTMLElement} */ (parentElement.querySelector(".mechanism"));
  try {
    // Called again for every step: the listeners before are those of another step.
    listening.get(place)?.abort();
    const control = new AbortController();
    listening.set(place, control);
    write(data, place);
    listen(data, place, setTriggerValue, control.signal);
    return () => control.abort();
  } catch {
    place.textContent = data.fault;
  }
}

/**
 * @param {Data} data
 * @param {HTMLElement} place
 */
function write({ lit, shapes, steps, absent, words }, place) {
  for (const slot of place.querySelectorAll("[data-shape]")) {
    slot.textContent = shapes[slot.getAttribute("data-shape") ?? ""];
  }
  for (const part of parts(place)) {
    const name = nameOf(part);
    part.classList.toggle("lit", lit.includes(name));
    part.classList.toggle("absent", absent.includes(name));
  }
  for (const part of place.querySelectorAll("svg [data-part]")) {
    const name = nameOf(part);
    const said = [...part.querySelectorAll("text")].map((text) => text.textContent).join(", ");
    part.setAttribute("role", "button");
    part.setAttribute("tabindex", "0");
    part.setAttribute("aria-label", words.replace("{part}", said).replace("{step}", String(steps[name])));
    if (lit.includes(name)) part.setAttribute("aria-current", "step");
    else part.removeAttribute("aria-current");
  }
}

/**
 * @param {Data} data
 * @param {HTMLElement} place
 * @param {Report} report
 * @param {AbortSignal} signal
 */
function listen({ step, lit, steps, picture }, place, report, signal) {
  const go = (/** @type {number} */ to) => {
    if (to !== step) report("go", to);
  };
  const light = (/** @type {string} */ name) => {
    for (const part of parts(place)) part.classList.toggle("pointed", nameOf(part) === name);
    const shown = document.querySelector(`.${picture}`);
    if (shown instanceof HTMLElement) shown.style.outline = lit.includes(name) ? "3px solid" : "";
  };
  for (const part of parts(place)) {
    const name = nameOf(part);
    for (const kind of ["mouseover", "focusin"]) {
      // The innermost part counts: Q is a part of QKᵀ.
      part.addEventListener(kind, (event) => { event.stopPropagation(); light(name); }, { signal });
    }
    for (const kind of ["mouseout", "focusout"]) part.addEventListener(kind, () => light(""), { signal });
    part.addEventListener("click", (event) => { event.stopPropagation(); go(steps[name]); }, { signal });
    part.addEventListener("keydown", (event) => {
      const { key } = /** @type {KeyboardEvent} */ (event);
      if (key !== "Enter" && key !== " ") return;
      event.preventDefault();
      go(steps[name]);
    }, { signal });
  }
  const shown = document.querySelector(`.${picture}`);
  shown?.addEventListener("mouseenter", () => place.classList.add("looked"), { signal });
  shown?.addEventListener("mouseleave", () => place.classList.remove("looked"), { signal });
}

/** @param {HTMLElement} place */
function parts(place) {
  return [...place.querySelectorAll("[data-part]")];
}

/** @param {Element} part */
function nameOf(part) {
  return part.getAttribute("data-part") ?? "";
}
