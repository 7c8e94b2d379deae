// Records, the address, reloads, and no request to anywhere.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { endBrowser, startBrowser, Window } from "./helper.mjs";

before(startBrowser);
after(endBrowser);

async function saved(window, format) {
  await window.page.click("#tab-record");
  const [download] = await Promise.all([window.page.waitForEvent("download"), window.page.click(`#save-${format}`)]);
  return readFileSync(await download.path(), "utf8");
}

async function read(window, text) {
  await window.page.click("#tab-record");
  await window.page.fill("#record-text", text);
  await window.page.click("#read-text");
}

test("a game with variations goes out as SGF and comes back; psq and moves keep the line", async () => {
  const window = await Window.open({ hash: "rule=renju&moves=h8i9(j9h9)h7(g7)i7&black=person&white=person" });
  const sgf = await saved(window, "sgf");
  assert.match(sgf, /SZ\[15\]RU\[4\].*;B\[hh\]\(;W\[ig\]/s);
  await read(window, "h8");
  await window.waitForMoves(/h8&/);
  await read(window, sgf);
  await window.waitForMoves(/h8i9\(j9h9\)h7\(g7\)i7/);
  assert.match(await window.page.evaluate(() => location.hash), /rule=renju/);
  // Comments stay, also over a reload.
  await read(window, "(;SZ[15];B[hh]C[centre];W[ii])");
  await window.page.click("#go-back");
  await window.page.waitForFunction(() => document.getElementById("comment").textContent === "centre");
  await window.page.reload();
  await window.ready();
  await window.page.waitForFunction(() => document.getElementById("comment").textContent === "centre");
  assert.match(await saved(window, "sgf"), /;B\[hh\]C\[centre\];W\[ii\]/);
  await read(window, sgf);
  for (const format of ["psq", "moves"]) {
    const text = await saved(window, format);
    await read(window, "a1");
    await window.waitForMoves(/a1&/);
    await read(window, text);
    await window.waitForMoves(/h8i9h7i7&/);
  }
  await window.close();
});

test("files are opened by the chooser, by drop and by paste", async () => {
  const window = await Window.open();
  const { page } = window;
  await page.setInputFiles("#file", { name: "a.psq", mimeType: "text/plain", buffer: Buffer.from("Piskvorky 15x15, 0\n8,8,0\n9,9,5\n") });
  await window.waitForMoves(/h8i7&/);
  // A text in another encoding, in which the second byte of a character looks like a bracket.
  const gbk = Buffer.concat([Buffer.from("(;SZ[15]CA[GBK]PB["), Buffer.from([0xb5, 0x5d]), Buffer.from("];B[cc];W[dd])")]);
  await page.setInputFiles("#file", { name: "c.sgf", mimeType: "text/plain", buffer: gbk });
  await window.waitForMoves(/c13d12&/);
  await page.evaluate(() => {
    const data = new DataTransfer();
    data.items.add(new File(["(;SZ[15];B[aa];W[bb])"], "b.sgf"));
    document.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
  });
  await window.waitForMoves(/a15b14&/);
  await page.evaluate(() => {
    const data = new DataTransfer();
    data.setData("text", "c3 d4 e5");
    document.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
  });
  await window.waitForMoves(/c3d4e5&/);
  await window.close();
});

test("what is no game gets one line, and the game on the board stays", async () => {
  const window = await Window.open({ hash: "moves=h8i9&black=person&white=person" });
  for (const text of ["hello", "(;SZ[15];B[hh];W[hh])", "(;SZ[40])", "Piskvorky 15x15\n99,1,0", "   "]) {
    await read(window, text);
    const status = await window.status(/This is no game/);
    assert.ok(!status.includes("\n") && status.length < 400, status);
    assert.equal(await window.moves(), "h8i9");
  }
  await window.page.evaluate(() => (location.hash = "size=99&moves=h8"));
  await window.status(/The address holds no game/);
  await window.close();
});

test("a link opens its position, and a reload keeps the game", async () => {
  const window = await Window.open({ hash: "rule=caro&size=20x18&moves=j10k11(k10j9)l12&at=2&black=person&white=person" });
  const { page } = window;
  assert.equal(await page.locator(".cell").count(), 360);
  await window.status(/White played k11/);
  const hash = await page.evaluate(() => location.hash);
  await page.reload();
  await window.ready();
  assert.equal(await page.evaluate(() => location.hash), hash);
  // Without an address, the last visit is what the browser kept.
  const address = page.url().split("#")[0];
  await page.goto("about:blank");
  await page.goto(address);
  await window.ready();
  await window.status(/White played k11/);
  await window.close();
});

test("nothing is asked of any server, also offline", async () => {
  const window = await Window.open({ hash: "moves=h8&black=person&white=engine&level=100&seconds=1", offline: true });
  await window.waitForMoves(/h8[a-o]\d+/);
  const other = window.requests.filter((address) => !/^(file|blob|data):/.test(address));
  assert.deepEqual(other, []);
  assert.deepEqual(await window.context.cookies(), []);
  await window.close();
});
