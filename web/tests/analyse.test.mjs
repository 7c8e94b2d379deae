// Analysis, proofs and reviews.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { endBrowser, serve, startBrowser, Window } from "./helper.mjs";

before(startBrowser);
after(endBrowser);

async function analyse(window) {
  await window.page.click("#tab-analyse");
  await window.page.click("#analyse-toggle");
  await window.page.waitForSelector("#analyse-lines li");
}

/** How long the page leaves a click without an answer, in milliseconds: the middle one of many. */
async function answerToClick(page) {
  return page.evaluate(async () => {
    const times = [];
    for (let i = 0; i < 21; i++) {
      const begin = performance.now();
      document.getElementById("numbers").click();
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      times.push(performance.now() - begin);
      await new Promise((done) => setTimeout(done, 50));
    }
    return times.sort((a, b) => a - b)[10];
  });
}

test("analysis shows lines, follows the board, and stops", async () => {
  const window = await Window.open({ hash: "moves=h8i9i8&black=person&white=person" });
  const { page } = window;
  await analyse(window);
  await page.waitForFunction(() => document.querySelectorAll("#analyse-lines li").length === 3);
  assert.match(await page.textContent("#analyse-figures"), /depth \d+\/\d+ · [\d ]+ nodes/);
  await window.picture("analysis");
  const ms = await answerToClick(page);
  assert.ok(ms < 100, `a click is answered after ${ms} ms`);
  // A move of a line is played, and the analysis goes on from there.
  await page.click("#analyse-lines .move.first");
  await window.waitForMoves(/h8i9i8[a-o]\d+&/);
  await page.waitForSelector("#analyse-lines li");
  await page.click("#analyse-toggle");
  // What was found before the click is drawn with it.
  await page.waitForFunction(() => document.getElementById("analyse-toggle").textContent === "Analyse");
  const figures = await page.textContent("#analyse-figures");
  await page.waitForTimeout(1500);
  assert.equal(await page.textContent("#analyse-figures"), figures, "it has stopped");
  await window.close();
});

// Bug: a hint during an analysis stopped it without a word, and its star stayed on the board at later positions.
test("a hint belongs to its position, and an analysis has no need of one", async () => {
  const window = await Window.open({ hash: "moves=h8i9i8&black=person&white=person" });
  const { page } = window;
  await page.click("#tab-analyse");
  await page.click("#hint");
  const point = /Hint: ([a-o]\d+)/.exec(await window.status(/Hint: [a-o]\d+/))[1];
  await page.waitForSelector(".hint.best");
  await window.click(point);
  await window.waitForMoves(new RegExp(`h8i9i8${point}`));
  await page.waitForFunction(() => document.querySelector(".hint") === null);
  await analyse(window);
  assert.ok(await page.isDisabled("#hint"));
  await window.close();
});

test("a blocked move is not suggested", async () => {
  const window = await Window.open({ hash: "moves=h8a1i8a3j8a5k8c9&black=person&white=person" });
  const { page } = window;
  await analyse(window);
  const five = await page.textContent("#analyse-lines .move.first");
  await page.click("#block-toggle");
  await window.click(five);
  await page.waitForSelector(".blocked");
  await page.waitForFunction(([old]) => {
    const first = document.querySelector("#analyse-lines .move.first");
    return first && first.textContent !== old;
  }, [five]);
  await window.close();
});

// Bug: the lines of one position stayed at others: with the name of the other player, after the end of a game, and after a proof.
test("the lines are those of the position on the board", async () => {
  const window = await Window.open({ hash: "moves=h8a1i8a3j8a5k8c9&black=person&white=person" });
  const { page } = window;
  const hasNone = () => page.waitForFunction(() => document.querySelectorAll("#analyse-lines li").length === 0);
  await analyse(window);
  await window.click("l8");
  await window.status(/Black wins/);
  await hasNone();
  assert.equal(await page.textContent("#analyse-figures"), "");
  await page.click("#go-back");
  await page.waitForSelector("#analyse-lines li");
  await page.click("#analyse-toggle");
  await window.click("o15");
  await hasNone();
  await window.close();
  // A proof needs the engine; then the analysis goes on where the proof leads.
  const proving = await Window.open({ hash: "moves=h8i9i8g8j8k8i7h6&black=person&white=person" });
  await analyse(proving);
  await proving.page.click("#proof-find");
  await proving.page.waitForSelector("#proof-panel:not([hidden]) .distance");
  const isAnalysed = (player) => proving.page.waitForFunction(([shown]) => {
    const taken = location.hash.match(/moves=([^&]*)/)[1].match(/[a-o]\d+/g);
    const first = [...document.querySelectorAll("#analyse-lines .first")].map((move) => move.textContent);
    return document.getElementById("analyse-note").textContent.startsWith(shown) && first.length > 0 && !first.some((move) => taken.includes(move));
  }, [player]);
  await isAnalysed("White");
  await proving.click("a1");
  await proving.waitForMoves(/h8i9i8g8j8k8i7h6[a-o]\d+a1[a-o]\d+&/);
  await isAnalysed("White");
  await proving.close();
});

// Bug: a move of a line under the pointer, replaced by a report, left its line on the board.
test("a line that is gone is shown no longer", async () => {
  const window = await Window.open({ hash: "moves=h8i9i8&black=person&white=person" });
  const { page } = window;
  await analyse(window);
  await page.hover("#analyse-lines li:nth-child(3) .move.first");
  await page.waitForSelector(".ghost");
  await page.selectOption("#analyse-count", "1");
  await page.waitForFunction(() => document.querySelectorAll("#analyse-lines li").length === 1);
  await page.waitForSelector(".ghost", { state: "detached" });
  await window.close();
});

// Bug: moves that were blocked in one game were also blocked in the next one, at the position with the same number.
test("a blocked move of one game is none of another", async () => {
  const window = await Window.open({ hash: "moves=h8a1&black=person&white=person" });
  const { page } = window;
  await page.click("#tab-analyse");
  await page.click("#block-toggle");
  await window.click("j9");
  await page.waitForSelector(".blocked");
  await window.paste("c3 d4");
  await window.waitForMoves(/c3d4&/);
  await page.waitForFunction(() => document.querySelectorAll("#board .stone").length === 2);
  assert.equal(await page.locator(".blocked").count(), 0);
  await window.close();
});

/** Makes a browser one that cannot suspend WebAssembly, as older ones: the script of the worker finds nothing for that. */
function cannotSuspend() {
  globalThis.Blob = class extends globalThis.Blob {
    constructor(parts, options) {
      super(options?.type === "text/javascript" ? ["delete WebAssembly.Suspending;", ...parts] : parts, options);
    }
  };
}

// Bug: on a page opened from disk every stop replaced the worker, and its table was lost.
for (const [where, isServed, script, keeps] of [
  ["from disk", false, undefined, true],
  ["over HTTP", true, undefined, true],
  ["over HTTP in an older browser", true, cannotSuspend, true],
  ["from disk in an older browser", false, cannotSuspend, false],
]) {
  test(`${where} a stop ${keeps ? "keeps" : "replaces"} the worker and what it remembers`, async () => {
    const server = isServed ? await serve() : null;
    const window = await Window.open({ address: server?.address, script, hash: "moves=h8i9i8&black=person&white=person" });
    await analyse(window);
    for (let i = 0; i < 3; i++) {
      await window.page.click("#go-back");
      await window.page.waitForSelector("#analyse-lines li");
    }
    await window.page.click("#analyse-toggle");
    // A proof and a review have workers of their own, which end with them.
    await window.page.click("#review-start");
    await window.page.waitForSelector("#review-progress:not([hidden])");
    await window.page.click("#review-start");
    await window.status(/The review was stopped/);
    await window.page.click("#analyse-toggle");
    await window.page.waitForSelector("#analyse-lines li");
    await window.page.click("#analyse-toggle");
    assert.equal(window.workers === 2, keeps, `${window.workers} workers`);
    await window.close();
    server?.end();
  });
}

test("a proven win is played to its end against any reply, with the distance", async () => {
  const window = await Window.open({ hash: "moves=h8i9i8g8j8k8i7h6&black=person&white=person" });
  const { page } = window;
  await page.click("#tab-analyse");
  await page.click("#proof-find");
  await page.waitForSelector("#proof-panel:not([hidden]) .distance");
  let left = Number(/in (\d+)/.exec(await page.textContent("#proof-panel .distance"))[1]);
  await window.picture("proof");
  for (let turn = 0; ; turn++) {
    assert.ok(turn < 20, "the proof ends");
    // The longest listed defence, or else any free point.
    const listed = page.locator("#proof-panel .replies .move");
    if ((await listed.count()) > 0) await listed.first().click();
    else {
      const taken = (await window.moves()).match(/[a-o]\d+/g);
      await window.click(["a1", "c1", "e1", "g1", "k1", "m1", "o1", "a3", "c3", "e3"].find((name) => !taken.includes(name)));
    }
    await page.waitForTimeout(150);
    const text = await page.textContent("#proof-panel");
    if (/has won, as proven/.test(text)) break;
    const now = Number(/in (\d+) at most/.exec(text)[1]);
    assert.ok(now < left, `${now} is not nearer than ${left}`);
    left = now;
  }
  await window.status(/Black wins/);
  await window.close();
});

// Bug: after a step back the attacker's move was played as the defender's reply, and the distance was one ply too small.
test("a proof is played from before a reply only, and a search for one ends when the board shows another position", async () => {
  const window = await Window.open({ hash: "moves=h8i9i8g8j8k8i7h6&black=person&white=person" });
  const { page } = window;
  await page.click("#tab-analyse");
  await page.click("#proof-find");
  await page.waitForSelector("#proof-panel:not([hidden]) .distance");
  await page.click("#go-back");
  await page.waitForSelector("#proof-panel", { state: "hidden" });
  await page.click("#go-forward");
  await page.waitForSelector("#proof-panel:not([hidden]) .distance");
  // Bug: a proof that was found after an undo pulled the board back to its position.
  await page.evaluate(() => (location.hash = "moves=h8a1&black=person&white=person"));
  await window.waitForMoves(/h8a1&/);
  await page.click("#proof-find");
  await page.click("#tab-play");
  await page.click("#undo");
  await page.click("#tab-analyse");
  await page.waitForFunction(() => !/Stop/.test(document.getElementById("proof-find").textContent));
  assert.match(await page.evaluate(() => location.hash), /at=1/);
  await window.close();
});

// Bug: who stopped an analysis that waited for the proof stopped the proof.
test("a proof goes on when the analysis is stopped", async () => {
  const window = await Window.open({ hash: "moves=h8i9&black=person&white=person" });
  const { page } = window;
  await analyse(window);
  await page.click("#proof-find");
  await page.click("#analyse-toggle");
  await page.waitForSelector('#analyse-toggle:text("Analyse")');
  assert.equal(await page.textContent("#proof-find"), "Stop the proof");
  assert.match(await page.textContent("#status"), /Looking for a proven win/);
  await window.close();
});

// Bug: after the end of a game nothing happened, without a word.
test("a proof is refused after the end of the game", async () => {
  const window = await Window.open({ hash: "moves=h8a1h9a3h10a5h11a7h12&black=person&white=person" });
  await window.page.click("#tab-analyse");
  await window.page.click("#proof-find");
  await window.status(/The game is over/);
  await window.close();
});

// Bug: every report of an analysis drew curve, proof and buttons anew: clicks were lost, and the proof was read out again and again.
test("reports leave alone what is pressed or has not changed", async () => {
  const window = await Window.open({ hash: "moves=h8i9i8g8j8k8i7h6&black=person&white=person" });
  const { page } = window;
  await page.click("#tab-analyse");
  await page.click("#proof-find");
  const distance = await page.waitForSelector("#proof-panel:not([hidden]) .distance");
  await page.click("#analyse-toggle");
  await page.waitForSelector("#analyse-lines li");
  await page.waitForTimeout(500);
  assert.ok(await distance.evaluate((shown) => shown.isConnected), "the text of the proof stays");
  // Two analysed positions make a curve. It is pressed while reports come.
  await page.click("#go-start");
  for (const at of [1, 2]) {
    await page.click("#go-forward");
    await page.waitForFunction(([node]) => location.hash.includes(`at=${node}&`), [at]);
    await page.waitForSelector("#analyse-lines li");
  }
  await page.locator("#curve").scrollIntoViewIfNeeded();
  const box = await page.locator("#curve").boundingBox();
  await page.mouse.move(box.x + 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.waitForTimeout(2000);
  await page.mouse.up();
  await page.waitForFunction(() => /at=1&/.test(location.hash));
  await window.close();
});

// Bug: the end of one proof was taken for a position of the next one, and drawing it failed.
test("a second proof knows nothing of the first", async () => {
  const window = await Window.open({ hash: "moves=h8a1h9a3h10a5h11a7&black=person&white=person" });
  const { page } = window;
  await page.click("#tab-analyse");
  await page.click("#proof-find");
  await window.status(/Black wins/);
  await window.paste("h8 a1 h9 a3 h10 a5 o1 o3 o5 o8");
  await window.waitForMoves(/h8a1h9a3h10a5o1o3o5o8&/);
  await page.click('#moves button:text("6. a5")');
  await page.click("#proof-find");
  await page.waitForSelector("#proof-panel:not([hidden]) .distance");
  await page.click('#moves button:text("9. o5")');
  await page.waitForSelector("#proof-panel", { state: "hidden" });
  await window.close();
});

/** A window with a quick review under way. */
async function reviewing() {
  const window = await Window.open({ hash: "moves=h8i9i8g8j8k8i7h6&black=person&white=person" });
  const { page } = window;
  await page.click("#tab-analyse");
  await page.selectOption("#review-nodes", "10000");
  await page.click("#review-start");
  await page.waitForSelector("#review-progress:not([hidden])");
  return window;
}

test("a review goes on while the person steps through the game", async () => {
  const window = await reviewing();
  const { page } = window;
  await page.click("#go-back");
  await page.click('#moves button:text("3. i8")');
  await window.status(/Black: inaccuracies/);
  await page.waitForFunction(() => document.getElementById("review-remark").textContent.startsWith("i8"));
  await window.close();
});

// Bug: a click on the tab that was open stopped what ran there.
test("a review goes on when its tab is clicked again", async () => {
  const window = await reviewing();
  await window.page.click("#tab-analyse");
  await window.status(/Black: inaccuracies/);
  await window.close();
});

test("the review of a known game is that of the native build", async () => {
  const known = JSON.parse(readFileSync(new URL("review.json", import.meta.url)));
  const window = await Window.open({ hash: `moves=${known.moves}&black=person&white=person` });
  const { page } = window;
  await page.click("#tab-analyse");
  await page.selectOption("#review-nodes", "10000");
  await page.click("#review-start");
  await page.waitForSelector("#curve:not([hidden]) svg");
  const names = known.moves.match(/[a-o]\d+/g);
  const signs = { inaccuracy: "?!", mistake: "?", "missed win": "??" };
  const shown = await page.locator("#moves > button").allTextContents();
  const expected = known.review.map(({ mark }, index) => `${index + 1}. ${names[index]}${signs[mark] ?? ""}`);
  assert.deepEqual(shown.slice(1), expected);
  for (const [index, { mark, before, after }] of known.review.entries()) {
    if (before.plies !== null || after.plies !== null) continue;
    await page.click(`#moves > button >> nth=${index + 1}`);
    const percent = (chance) => `${Math.min(Math.max(Math.round(chance * 100), 1), 99)} %`;
    const start = `${names[index]} ${mark}`;
    await page.waitForFunction(([text]) => document.getElementById("review-remark").textContent.startsWith(text), [start]);
    assert.ok((await page.textContent("#review-remark")).includes(`${percent(before.chance)} → ${percent(after.chance)}`));
  }
  assert.ok((await page.locator(".curve .mark").count()) > 0, "mistakes are marked on the curve");
  await window.picture("review");
  // Saved as SGF and opened again, the game still has the review.
  const text = () => page.textContent("#moves");
  const marked = await text();
  await page.click("#tab-record");
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#save-sgf")]);
  const sgf = readFileSync(await download.path(), "utf8");
  await page.fill("#record-text", "h8");
  await page.click("#read-text");
  await window.waitForMoves(/h8&/);
  await page.click("#tab-record");
  await page.fill("#record-text", sgf);
  await page.click("#read-text");
  await page.waitForFunction(([marked]) => document.getElementById("moves").textContent === marked, [marked]);
  await page.waitForSelector("#curve:not([hidden]) svg");
  // A reload keeps the review, too.
  await page.reload();
  await window.ready();
  await page.waitForFunction(([sign]) => document.getElementById("moves").textContent.includes(sign), [expected[8]]);
  await window.close();
});
