// The bench in Node: prints `N nodes M nps`, as `pbrain-tengen bench` does in its last line. `node web/tests/bench.mjs FOLDER`
// with the folder that tengen-web-pack has written.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runInThisContext } from "node:vm";

const folder = process.argv[2] ?? "target/page";
globalThis.tengenReport = () => {};
globalThis.tengenStops = () => false;
const bindings = runInThisContext(`${readFileSync(join(folder, "tengen.js"), "utf8")}; wasm_bindgen`);
bindings.initSync({ module: readFileSync(join(folder, "tengen.wasm")) });
const { ok, error } = JSON.parse(bindings.call('{"ask":"bench"}'));
if (error) throw new Error(error);
console.log(`${ok.nodes} nodes ${ok.speed} nps`);
