// The worker: answers one question at a time, and while it searches it looks several times a second whether to stop.
//
// Three ways to look, by what the browser has. One that can suspend WebAssembly suspends the search, takes in the messages that
// wait, and goes on. Otherwise no message reaches this thread while it searches: on a page served over HTTP the page then revokes
// the address of a small object in memory, which this thread tries to read. On a page opened from disk that does not work, and
// the page replaces this worker.

/** Milliseconds between two looks. */
const LOOK_EVERY = 40;

const canSuspend = "Suspending" in WebAssembly && "promising" in WebAssembly;
let canRead = false;
let current = { id: 0, flag: null };
let looked = 0;
/** The last question that the page has stopped, by its number. */
let stopped = 0;

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

/** Lets the messages that wait come in. */
function rest() {
  return new Promise((done) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      done();
    };
    port2.postMessage(null);
  });
}

globalThis.tengenIsDue = () => (canSuspend || canRead) && performance.now() - looked >= LOOK_EVERY;

globalThis.tengenLook = canSuspend
  ? async () => {
      await rest();
      looked = performance.now();
      return stopped >= current.id;
    }
  : () => {
      looked = performance.now();
      if (!isThere(current.flag)) stopped = current.id;
      return stopped >= current.id;
    };

globalThis.tengenReport = (text) => postMessage({ id: current.id, report: JSON.parse(text) });

/** Starts the engine; returns the function that answers the question that was put. */
async function open({ module, flag }) {
  const { instantiate } = WebAssembly;
  if (canSuspend) {
    // The bindings make a plain function of the look, during which the search could not be suspended.
    WebAssembly.instantiate = (what, imports) => {
      for (const functions of Object.values(imports)) {
        for (const name of Object.keys(functions)) {
          if (name.includes("tengenLook")) functions[name] = new WebAssembly.Suspending(globalThis.tengenLook);
        }
      }
      return instantiate(what, imports);
    };
  }
  const { run } = await wasm_bindgen({ module_or_path: module });
  WebAssembly.instantiate = instantiate;
  canRead = !canSuspend && isThere(flag);
  postMessage({ ready: true, canStop: canSuspend || canRead });
  return canSuspend ? WebAssembly.promising(run) : run;
}

/** The function that runs a question, when the engine has started; and the end of the last answer. */
let opened;
let answered = Promise.resolve();

async function answer({ id, flag, question }) {
  try {
    const run = await opened;
    current = { id, flag };
    looked = performance.now();
    // The page may have changed its mind before this thread was free.
    if (stopped >= id || (canRead && !isThere(flag))) {
      postMessage({ id, answer: { ok: null } });
      return;
    }
    wasm_bindgen.put(JSON.stringify(question));
    await run();
    postMessage({ id, answer: JSON.parse(wasm_bindgen.take()) });
  } catch (error) {
    postMessage({ id, answer: { error: String(error) }, broken: true });
  }
}

globalThis.onmessage = ({ data }) => {
  if (data.stop) stopped = data.stop;
  else if (data.module) opened = open(data);
  else answered = answered.then(() => answer(data));
};
