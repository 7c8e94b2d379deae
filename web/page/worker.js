// The worker: answers one question at a time.
//
// While the engine searches, no message reaches this thread. To stop it, the page revokes the address of a small object in
// memory, which this thread tries to read several times a second.

/** Milliseconds between two looks. */
const LOOK_EVERY = 40;

let current = { id: 0, flag: null };
let looked = 0;
let canLook = false;

/** Whether the object at this address is still there. */
function isThere(flag) {
  try {
    const request = new XMLHttpRequest();
    request.open("GET", flag, false);
    request.send();
    return request.status === 200 && request.responseText === "go";
  } catch {
    return false;
  }
}

globalThis.tengenStops = () => {
  if (!canLook || current.flag === null) return false;
  const now = performance.now();
  if (now - looked < LOOK_EVERY) return false;
  looked = now;
  if (!isThere(current.flag)) current.flag = null;
  return current.flag === null;
};

globalThis.tengenReport = (text) => postMessage({ id: current.id, report: JSON.parse(text) });

globalThis.onmessage = async ({ data }) => {
  if (data.module) {
    await wasm_bindgen({ module_or_path: data.module });
    // A page opened from a file on disk has objects that its worker cannot read.
    canLook = isThere(data.flag);
    postMessage({ ready: true, canLook });
    return;
  }
  current = { id: data.id, flag: data.flag };
  looked = performance.now();
  // The page may have changed its mind before this thread was free.
  if (canLook && !isThere(data.flag)) {
    postMessage({ id: data.id, answer: { ok: null } });
    return;
  }
  try {
    postMessage({ id: data.id, answer: JSON.parse(wasm_bindgen.call(JSON.stringify(data.question))) });
  } catch (error) {
    postMessage({ id: data.id, answer: { error: String(error) }, broken: true });
  }
};
