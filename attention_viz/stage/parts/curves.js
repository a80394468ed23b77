// Behind the second fold: mean entropy against d_k, scaled and not, over the band of other heads, with
// a marker where the slider is.

import { entropyCurves, meanEntropy } from "./maths.js";
import { element } from "./page.js";
import { fill } from "./scene.js";

/**
 * @typedef {import("./scene.js").Scene} Scene
 * @typedef {import("./maths.js").Picture} Picture
 */

const WIDTH = 640;
const HEIGHT = 260;
const LEFT = 52;
const RIGHT = 16;
const TOP = 28;
const BOTTOM = 44;
const SVG = "http://www.w3.org/2000/svg";

export class Curves {
  constructor() {
    this.svg = document.createElementNS(SVG, "svg");
    this.svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
    this.svg.setAttribute("role", "img");
    this.markers = ["scaled", "unscaled"].map((kind) => shape("circle", kind, { r: 6 }));
    this.rule = shape("line", "rule", { y1: TOP, y2: HEIGHT - BOTTOM });
    this.key = element("p", "key");
    this.root = element("div", "curves", this.key, this.svg);
    this.most = 1;
    /** @type {number[]} */ this.stops = [];
  }

  /** @param {Scene} scene */
  load(scene) {
    const { texts, band } = scene;
    this.stops = scene.stops;
    this.most = Math.log(scene.n_k);
    const curves = entropyCurves(scene);
    const bands = band ? [area(this, band.scaled, "scaled"), area(this, band.unscaled, "unscaled")] : [];
    this.svg.replaceChildren(
      ...this.axes(texts), ...bands,
      line(this, curves.scaled, "scaled"), line(this, curves.unscaled, "unscaled"),
      this.rule, ...this.markers,
    );
    // Only a page of the app, whose address follows the stage, has a server that draws them.
    const waiting = scene.in_address ? texts.band_waits : "";
    const swatch = (/** @type {string} */ kind) => element("i", `swatch ${kind}`);
    this.key.replaceChildren(
      swatch("scaled"), texts.curve_scaled, swatch("unscaled"), texts.curve_unscaled,
      element("span", "band-note", band ? texts.band : waiting),
    );
  }

  /**
   * @param {Scene} scene
   * @param {Picture} picture
   */
  show(scene, picture) {
    const nats = [meanEntropy(scene, picture.weights), meanEntropy(scene, picture.unscaled)];
    const x = String(this.x(picture.d_k));
    this.rule.setAttribute("x1", x);
    this.rule.setAttribute("x2", x);
    this.markers.forEach((marker, i) => {
      marker.setAttribute("cx", x);
      marker.setAttribute("cy", String(this.y(nats[i])));
      marker.toggleAttribute("hidden", Number.isNaN(nats[i]));
    });
    const [scaled, unscaled] = nats.map((value) => value.toFixed(2));
    const most = this.most.toFixed(2);
    const words = { d_k: picture.d_k, scaled, unscaled, most };
    this.svg.setAttribute("aria-label", fill(scene.texts.curves_alt, words));
  }

  /** @param {number} d_k */
  x(d_k) {
    const last = Math.log2(this.stops[this.stops.length - 1]) || 1;
    return LEFT + (Math.log2(d_k) / last) * (WIDTH - LEFT - RIGHT);
  }

  /** @param {number} nats */
  y(nats) {
    return TOP + (1 - nats / (this.most || 1)) * (HEIGHT - TOP - BOTTOM);
  }

  /** @param {import("./scene.js").Texts} texts */
  axes(texts) {
    const bottom = HEIGHT - BOTTOM;
    const ticks = this.stops.filter((d_k) => Number.isInteger(Math.log2(d_k)));
    return [
      ...ticks.map((d_k) => written(String(d_k), this.x(d_k), bottom + 18, "middle")),
      ...[0, this.most / 2, this.most].flatMap((nats) => [
        shape("line", "grid", { x1: LEFT, x2: WIDTH - RIGHT, y1: this.y(nats), y2: this.y(nats) }),
        written(nats.toFixed(2), LEFT - 6, this.y(nats) + 4, "end"),
      ]),
      written(texts.curves_x, (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6, "middle"),
      written(texts.curves_y, LEFT, TOP - 12, "start"),
    ];
  }
}

/**
 * @param {Curves} curves
 * @param {number[]} nats
 * @param {string} kind
 */
function line(curves, nats, kind) {
  const points = nats.map((value, i) => `${curves.x(curves.stops[i])},${curves.y(value)}`);
  return shape("polyline", kind, { points: points.join(" ") });
}

/**
 * @param {Curves} curves
 * @param {number[][]} quantiles
 * @param {string} kind
 */
function area(curves, [low, high], kind) {
  const point = (/** @type {number} */ value, /** @type {number} */ i) =>
    `${curves.x(curves.stops[i])},${curves.y(value)}`;
  const points = [...low.map(point), ...high.map(point).reverse()];
  return shape("polygon", kind, { points: points.join(" ") });
}

/**
 * @param {string} text
 * @param {number} x
 * @param {number} y
 * @param {string} anchor
 */
function written(text, x, y, anchor) {
  const made = shape("text", "", { x, y, "text-anchor": anchor });
  made.textContent = text;
  return made;
}

/**
 * @param {string} tag
 * @param {string} kind
 * @param {{[name: string]: string | number}} attributes
 */
function shape(tag, kind, attributes) {
  const made = document.createElementNS(SVG, tag);
  if (kind) made.setAttribute("class", kind);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  return made;
}
