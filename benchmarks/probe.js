// Runs in each page that is measured and looks at its picture at every frame. A picture is the cells
// of the stage's canvas of weights or of the first of many small maps, the still picture of a page
// without a stage, Plotly's heatmaps, or bertviz's lines; a blank one is none.

(() => {
  const probe = {
    frames: 0, // the browser asked for
    moved: 0, // of them, those before which the pointer moved
    pictures: 0, // of them, those that brought another picture
    first: 0, // milliseconds from the start of navigation to the first picture
    waits: [], // milliseconds from a key or button pressed to the end of the first frame with it
    text: "", // on a page without pictures this text is one
  };
  window.probe = probe;
  let canvas = null;
  let last = null;
  let pointer = false;
  let pressed = 0;

  addEventListener("pointermove", () => (pointer = true), true);
  addEventListener("keydown", (event) => (pressed = event.timeStamp), true);
  addEventListener("pointerdown", (event) => (pressed = event.timeStamp), true);

  // querySelector does not look into shadow roots, and the stage is inside one.
  function find(root, selector) {
    const here = root.querySelector(selector);
    if (here) return here;
    for (const element of root.querySelectorAll("*")) {
      const inside = element.shadowRoot && find(element.shadowRoot, selector);
      if (inside) return inside;
    }
    return null;
  }

  function cells() {
    if (!canvas?.isConnected) canvas = find(document, ".map.weights canvas.cells, .tile canvas");
    if (!canvas?.width || !canvas.height) return null;
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const pixels = new Uint32Array(data.buffer);
    if (pixels.every((pixel) => pixel === pixels[0])) return null;
    let hash = 0;
    for (const pixel of pixels) hash = (Math.imul(hash, 31) + pixel) | 0;
    return hash;
  }

  // A chart that is drawn anew stands beside the one it replaces for a while: the last one counts.
  function heatmaps() {
    const chart = [...document.querySelectorAll(".js-plotly-plot")].at(-1);
    const images = [...(chart?.querySelectorAll(".heatmaplayer image") ?? [])];
    return images.map((image) => image.href.baseVal).join() || null;
  }

  // A page with a stage holds a still picture too, for paper.
  function still() {
    if (document.querySelector(".live")) return null;
    return document.querySelector(".still svg") && "still";
  }

  function lines() {
    return document.querySelector("#vis svg line") && "lines";
  }

  function words() {
    return probe.text && document.body?.textContent.includes(probe.text) ? probe.text : null;
  }

  function look() {
    const picture = words() ?? lines() ?? still() ?? heatmaps() ?? cells();
    if (picture === null || picture === last) return;
    last = picture;
    probe.pictures += 1;
    const now = performance.now();
    probe.first ||= now;
    if (pressed) probe.waits.push(now - pressed);
    pressed = 0;
  }

  // A message posted in a frame arrives when that frame was painted. It may come late, even after the
  // next frame, so what the frame before has left is looked at too; what was drawn since a key was
  // pressed after that frame is not painted yet.
  const after = new MessageChannel();
  after.port1.onmessage = look;
  let before = 0;
  function frame() {
    if (pressed <= before) look();
    before = performance.now();
    probe.frames += 1;
    probe.moved += Number(pointer);
    pointer = false;
    if (pressed || !probe.first) after.port2.postMessage(null);
    requestAnimationFrame(frame);
  }
  requestAnimationFrame(frame);
})();
