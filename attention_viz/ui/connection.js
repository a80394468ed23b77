// The page goes on where it was when the server behind it is another one: after a restart, on the
// next of several servers, or on the same one after it has given the visit up.
//
// A server that does not know the visit reads the address. Streamlit sends it the address that the
// page was opened with, knowing nothing of what was written into it since; and it asks for no run
// at all when nothing was running, so that a fragment that moves next is one that nobody knows.
// "popstate" is how a browser says that the address is another one: Streamlit takes it over, and
// asks for a run with it.

const OFTEN = 200; // milliseconds between looks at the address while there is no server

/** @type {AbortController | undefined} */
let watch;
let timer = 0; // of the looks; 0 while there is a server
let told = ""; // the address that Streamlit knows

export default function () {
  watch?.abort();
  const own = new AbortController();
  watch = own;
  window.addEventListener("message", hear, { signal: own.signal });
  return () => {
    if (watch !== own) return; // a newer mount has overtaken this one
    own.abort();
    rest();
  };
}

/** @param {MessageEvent} event what Streamlit says to a page that may be around this one */
function hear({ source, data }) {
  if (source !== window) return;
  if (data?.type === "WEBSOCKET_DISCONNECTED") {
    rest();
    timer = setInterval(() => location.search === told || tell(), OFTEN);
    tell();
  } else if (data?.type === "WEBSOCKET_CONNECTED" && timer) {
    rest();
    tell();
  }
}

function rest() {
  clearInterval(timer);
  timer = 0;
}

function tell() {
  told = location.search;
  window.dispatchEvent(new PopStateEvent("popstate", { state: history.state }));
}
