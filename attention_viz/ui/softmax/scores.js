// Scores as sliders: drag one, and the bars of the weights follow; Python hears when it is let go.

/**
 * @typedef {{
 *   scores: number[], times: number, add: number, temperature: number, low: number, high: number,
 *   label: string, fault: string,
 * }} Data
 * @typedef {(name: string, value: unknown) => void} Report
 *
 * @param {{
 *   data: Data,
 *   parentElement: HTMLElement | ShadowRoot,
 *   setStateValue: Report,
 *   setTriggerValue: Report,
 * }} component
 */
export default function ({ data, parentElement, setStateValue, setTriggerValue }) {
  const place = /** @type {HTMLElement} */ (parentElement.querySelector(".scores"));
  try {
    // Both in one message: the stage says why.
    draw(data, place, (said) => {
      setStateValue("scores", said);
      setTriggerValue("scores", said);
    });
  } catch {
    place.textContent = data.fault;
  }
}

/**
 * @param {Data} data
 * @param {HTMLElement} place
 * @param {(scores: number[]) => void} report
 */
function draw(data, place, report) {
  const scores = [...data.scores];
  // The slider that has the keyboard's focus must live on: the lines are made anew only when their
  // number changes.
  if (place.children.length !== scores.length) {
    place.replaceChildren(...scores.map((_, i) => line(`${data.label} ${i + 1}`)));
  }
  const lines = [...place.children];
  const show = () => {
    const weights = softmax(scores.map((s) => (s * data.times + data.add) / data.temperature));
    lines.forEach((one, i) => {
      const bar = /** @type {HTMLElement} */ (one.querySelector(".weight"));
      bar.style.width = `${100 * weights[i]}%`;
      const words = /** @type {HTMLElement} */ (one.querySelector("output"));
      words.textContent = String(scores[i]).replaceAll("-", "−");
    });
  };
  lines.forEach((one, i) => {
    const slider = /** @type {HTMLInputElement} */ (one.querySelector("input"));
    slider.min = String(data.low);
    slider.max = String(data.high);
    slider.value = String(scores[i]);
    slider.oninput = () => {
      scores[i] = Number(slider.value);
      show();
    };
    slider.onchange = () => report([...scores]);
  });
  show();
}

/** @param {string} label */
function line(label) {
  const one = document.createElement("label");
  const [name, words, slider, track, bar] = ["span", "output", "input", "span", "span"].map((tag) =>
    document.createElement(tag),
  );
  name.textContent = label;
  slider.setAttribute("type", "range");
  slider.setAttribute("step", "0.1");
  slider.setAttribute("aria-label", label);
  track.className = "track";
  bar.className = "weight";
  track.append(bar);
  one.append(name, slider, words, track);
  return one;
}

/** @param {number[]} scores */
function softmax(scores) {
  const most = Math.max(...scores);
  const masses = scores.map((score) => Math.exp(score - most));
  const sum = masses.reduce((total, mass) => total + mass, 0);
  return masses.map((mass) => mass / sum);
}
