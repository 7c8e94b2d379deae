// The bench in Node, after a check that the network computes the same with and without SIMD128: prints `N nodes M nps`, as
// `pbrain-tengen bench` does in its last line. `node web/tests/bench.mjs FOLDER` with the folder that tengen-web-pack has written.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runInThisContext } from "node:vm";

const folder = process.argv[2] ?? "target/page";
globalThis.tengenReport = () => {};
globalThis.tengenIsDue = () => false;
globalThis.tengenLook = () => false;
const bindings = runInThisContext(`${readFileSync(join(folder, "tengen.js"), "utf8")}; wasm_bindgen`);
bindings.initSync({ module: readFileSync(join(folder, "tengen.wasm")) });
const ask = (question) => {
  const { ok, error } = JSON.parse(bindings.call(JSON.stringify({ ask: question })));
  if (error) throw new Error(error);
  return ok;
};
const { kernels, compared } = ask("kernels");
if (kernels.length < 2 || !kernels.some((name) => /Simd128/.test(name))) throw new Error(`kernels: ${kernels}`);
console.error(`${kernels.join(", ")}: ${compared} estimates as in the reference`);
const ok = ask("bench");
console.log(`${ok.nodes} nodes ${ok.speed} nps`);
