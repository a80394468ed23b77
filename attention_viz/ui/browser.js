// What only the browser can do for the page: keep the address in step with the settings without
// adding to the history, hand out a link with every key, and say whether the window is narrow.

/** @type {WeakMap<Node, AbortController>} */
const watches = new WeakMap();

/**
 * @typedef {{
 *   own: Record<string, string>, changed: string[], theirs: string[], copy: string, copied: string,
 *   narrow: boolean,
 * }} Data own: keys that Python knows, and their words; theirs: keys that the stage writes; narrow:
 *   what Python takes the window for.
 *
 * @param {{
 *   data: Data,
 *   parentElement: HTMLElement | ShadowRoot,
 *   setStateValue: (name: string, value: unknown) => void,
 * }} component
 */
export default function ({ data, parentElement, setStateValue }) {
  try {
    writeAddress(data);
    drawButton(data, parentElement);
    return watch(data, parentElement, setStateValue);
  } catch {
    parentElement.textContent = "The link to this picture could not be made: reload the page.";
  }
}

/** @param {Data} data */
function writeAddress({ own, changed }) {
  const query = new URLSearchParams(location.search);
  for (const key of Object.keys(own)) query.delete(key);
  for (const key of changed) query.set(key, own[key]);
  const search = query.toString() ? `?${query}` : "";
  if (search === location.search) return;
  history.replaceState(history.state, "", location.pathname + search + location.hash);
}

/**
 * @param {Data} data
 * @param {HTMLElement | ShadowRoot} parentElement
 */
function drawButton({ own, theirs, copy, copied }, parentElement) {
  const button = /** @type {HTMLButtonElement} */ (parentElement.querySelector("button"));
  const field = /** @type {HTMLInputElement} */ (parentElement.querySelector("input"));
  button.textContent = copy;
  field.hidden = true;
  button.onclick = async () => {
    const every = new URLSearchParams(own);
    const now = new URLSearchParams(location.search);
    for (const key of theirs) every.set(key, now.get(key) ?? "");
    const link = `${location.origin}${location.pathname}?${every}`;
    try {
      await navigator.clipboard.writeText(link);
      button.textContent = copied;
    } catch {
      // No permission, or a page served without TLS: hand the link over to be copied by hand.
      field.value = link;
      field.hidden = false;
      field.select();
    }
  };
}

/**
 * The width of the window, and Back or Forward to an older address of this page: Python does not
 * hear of those, so what it knows is still so.
 * @param {Data} data
 * @param {Node} parentElement
 * @param {(name: string, value: unknown) => void} setStateValue
 */
function watch(data, parentElement, setStateValue) {
  watches.get(parentElement)?.abort(); // called again for new data: one watch is enough
  const watch = new AbortController();
  watches.set(parentElement, watch);
  const page = location.pathname;
  const follow = () => location.pathname === page && writeAddress(data);
  window.addEventListener("popstate", follow, { signal: watch.signal });
  const narrow = matchMedia("(max-width: 640px)");
  const report = () => setStateValue("narrow", narrow.matches);
  if (narrow.matches !== data.narrow) report();
  narrow.addEventListener("change", report, { signal: watch.signal });
  return () => watch.abort();
}
