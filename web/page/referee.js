// The rules and the records, on the page itself: answers come at once.

/** The engine's module, unpacked from the page and compiled. */
async function compiled() {
  const text = document.getElementById("engine").textContent;
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compile(await new Response(stream).arrayBuffer());
}

// The engine reports and asks for a stop only while it searches, which it does in the worker.
globalThis.tengenReport = () => {};
globalThis.tengenIsDue = () => false;
globalThis.tengenLook = () => false;

/** Makes the engine ready on this page; returns its module for the worker. */
export async function openReferee() {
  const module = await compiled();
  await wasm_bindgen({ module_or_path: module });
  return module;
}

/** Asks the engine; throws an error with one line if it cannot answer. */
export function askReferee(question) {
  const answer = JSON.parse(wasm_bindgen.call(JSON.stringify(question)));
  if (answer.error !== undefined) throw new Error(answer.error);
  return answer.ok;
}
