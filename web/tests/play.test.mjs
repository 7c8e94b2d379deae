// Playing: games under every rule, forbidden points, undo, hints, swap2, clocks.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { endBrowser, startBrowser, Window } from "./helper.mjs";

before(startBrowser);
after(endBrowser);

/** The corner points that a careless person plays one after the other. */
const CARELESS = ["a1", "c2", "e1", "g2", "i1", "k2", "m1", "o2", "a4", "c5", "e4", "g5", "k5", "m4", "o5", "a7", "c14", "e15"];

for (const rule of ["freestyle", "standard", "renju", "caro", "caro-exact"]) {
  test(`a whole game under ${rule}: who plays carelessly loses`, async () => {
    const window = await Window.open({ hash: `rule=${rule}&black=person&white=engine&level=60&seconds=1` });
    const { page } = window;
    for (let stones = 0; ; stones += 2) {
      const taken = await window.moves();
      const names = taken.match(/[a-o]\d+/g) ?? [];
      await window.click(CARELESS.find((name) => !names.includes(name)));
      await page.waitForFunction(
        ([count]) => (location.hash.match(/[a-o]\d+/g) ?? []).length >= count || /wins|draw/.test(document.getElementById("status").textContent),
        [stones + 2],
      );
      const status = await page.textContent("#status");
      if (/wins/.test(status)) {
        assert.match(status, /White wins: five in a row/);
        break;
      }
      assert.ok(stones < 30, `no end after ${stones} stones`);
    }
    assert.equal(await page.locator("line.row").count(), 1, "the winning row is drawn");
    await window.click("h1");
    await window.status(/The game is over/);
    assert.ok(await page.isHidden("#variation-tools"), "whoever plays has no use for them");
    await page.click("#play-review");
    await page.waitForSelector("#review-progress:not([hidden])");
    await window.close();
  });
}

test("a foul is refused and explained, on a click and while the pointer is on it", async () => {
  const window = await Window.open({ hash: "rule=renju&moves=h6a1h7o15g8a15i8o1&black=person&white=person" });
  await window.page.hover('[data-point="112"]');
  await window.page.waitForSelector("#explanation p");
  assert.match(await window.page.textContent("#explanation"), /double three, two real threes.*row 8: g8 h8 i8 are a real three/s);
  await window.click("h8");
  await window.status(/h8 is forbidden for black/);
  assert.equal(await window.moves(), "h6a1h7o15g8a15i8o1");
  await window.picture("foul");
  await window.page.selectOption("#language", "zh");
  await window.page.hover('[data-point="0"]');
  await window.page.hover('[data-point="112"]');
  await window.page.waitForFunction(() => /三三/.test(document.getElementById("explanation").textContent));
  await window.close();
});

test("undo takes back the person's move and the reply; a hint is a move", async () => {
  const window = await Window.open({ hash: "moves=&black=person&white=engine&level=20&seconds=1" });
  await window.click("h8");
  await window.waitForMoves(/h8[a-o]\d+/);
  await window.page.click("#undo");
  await window.page.waitForFunction(() => /at=0/.test(location.hash));
  await window.page.click("#hint");
  await window.status(/Hint: [a-o]\d+/);
  await window.page.waitForSelector(".hint.best");
  await window.close();
});

// Bug: Tengen did not answer the move that had been taken back, and a second click placed its stone.
test("the same move after an undo is answered, too", async () => {
  const window = await Window.open({ hash: "moves=&black=person&white=engine&level=20&seconds=1" });
  await window.click("h8");
  await window.waitForMoves(/h8[a-o]\d+/);
  await window.page.click("#undo");
  await window.page.waitForFunction(() => /at=0/.test(location.hash));
  await window.click("h8");
  await window.page.waitForFunction(() => /at=[2-9]/.test(location.hash));
  await window.close();
});

// Bug: while a hint was computed the button said that it stops a move, and did not move.
test("Move now during a hint is a move", async () => {
  const window = await Window.open({ hash: "moves=h8&black=person&white=person&level=20&seconds=1" });
  await window.page.click("#hint");
  await window.page.click('#move-now:text("Move now")');
  await window.waitForMoves(/h8[a-o]\d+/);
  await window.close();
});

// Bug: the move taken back stayed the main line, and the game that was played was saved as its variation.
test("what is played after an undo is the main line", async () => {
  const window = await Window.open({ hash: "moves=&black=person&white=person" });
  await window.click("h8");
  await window.click("i9");
  await window.page.click("#undo");
  await window.click("j10");
  await window.page.waitForFunction(() => /moves=h8j10\(i9\)/.test(decodeURIComponent(location.hash)));
  await window.close();
});

test("the engine can begin, and plays on when it is asked to", async () => {
  const window = await Window.open({ hash: "moves=&black=engine&white=person&level=100&seconds=1" });
  await window.waitForMoves(/h8/);
  await window.page.click("#move-now");
  await window.waitForMoves(/h8[a-o]\d+[a-o]\d+/);
  await window.close();
});

test("a search that takes long is cut short by Stop and move", async () => {
  const window = await Window.open({ hash: "moves=h8i9&black=engine&white=person&level=100&seconds=60" });
  await window.status(/thinking/);
  await window.page.waitForTimeout(1500);
  await window.page.click("#move-now");
  await window.waitForMoves(/h8i9[a-o]\d+/);
  await window.close();
});

/** Puts a worker in place of the engine that cannot be stopped, has found h9, and then prefers j10. */
function prefersAnother() {
  const work = ({ data: { id, module } }) => {
    if (module) return postMessage({ ready: true, canStop: false });
    const line = { chance: 0.5, plies: null, pv: [97], rank: 1, depth: 5, seldepth: 6, nodes: 100, ms: 10 };
    postMessage({ id, report: { line } });
    return postMessage({ id, report: { leads: 84 } });
  };
  globalThis.Blob = class extends globalThis.Blob {
    constructor(parts, options) {
      super(options?.type === "text/javascript" ? [`onmessage = ${work}`] : parts, options);
    }
  };
}

// Bug: where the worker cannot be stopped, the move of the last finished iteration was played, also if it had been refuted since.
test("Stop and move plays the move that the unfinished iteration prefers", async () => {
  const window = await Window.open({ hash: "moves=h8i9&black=engine&white=person&level=100&seconds=60", script: prefersAnother });
  await window.status(/thinking/);
  await window.page.waitForTimeout(500);
  await window.page.click("#move-now");
  await window.waitForMoves(/h8i9j10/);
  await window.close();
});

/** Makes a worker slow to start. */
function slowWorker() {
  globalThis.Blob = class extends globalThis.Blob {
    constructor(parts, options) {
      const wait = "for (const end = Date.now() + 2000; Date.now() < end;);";
      super(options?.type === "text/javascript" ? [wait, ...parts] : parts, options);
    }
  };
}

// Bug: a search that was stopped before the worker was ready left Tengen without a move, and under swap2 its questions disappeared.
for (const [what, hash, isDone] of [
  ["a move", "moves=h8&black=person&white=engine&level=100&seconds=60", /moves=h8[a-o]\d/],
  ["swap2", "moves=h8a1i8&swap=choose-person-engine&level=100&seconds=60", /^(?!.*swap=choose)/],
]) {
  test(`Stop and move before the worker is ready: ${what} is answered`, async () => {
    const window = await Window.open({ hash, script: slowWorker });
    await window.page.click('#move-now:text("Stop and move")');
    await window.page.waitForFunction(([source]) => new RegExp(source).test(location.hash), [isDone.source]);
    await window.close();
  });
}

// Bug: Tengen, playing against itself, played the move that was taken back again at once.
test("an undo while Tengen plays against itself stays, and Move now goes on", async () => {
  const window = await Window.open({ hash: "moves=h8i9&black=engine&white=engine&level=100&seconds=60" });
  const { page } = window;
  await window.status(/thinking/);
  await page.click("#undo");
  await window.status(/Black played h8. Tengen is to move/);
  await page.click("#move-now");
  await window.status(/thinking/);
  await window.close();
});

// Bug: the page said that nobody could win any more.
test("a draw under renju says that no more stones may be played", async () => {
  const window = await Window.open({ hash: "rule=renju&size=5&moves=c3&black=person&white=person" });
  await window.status(/A draw: no more stones may be played/);
  await window.close();
});

// Bug: whatever stopped Tengen's search without leaving the position left Tengen without a move, and its clock ran out.
for (const [what, act] of [
  ["a key that leads nowhere", ({ page }) => page.keyboard.press("End")],
  ["a step back and forward", async ({ page }) => {
    await page.keyboard.press("ArrowLeft");
    await page.waitForFunction(() => /at=1/.test(location.hash));
    await page.keyboard.press("ArrowRight");
  }],
  ["a text that is no game", (window) => window.paste("hello")],
  ["a file of which no game is opened", async (window) => {
    await window.paste("(;SZ[15];B[aa])(;SZ[15];B[bb])");
    await window.page.click("#games-cancel");
  }],
]) {
  test(`after ${what} Tengen thinks on`, async () => {
    const window = await Window.open({ hash: "moves=h8i9&black=engine&white=person&level=100&seconds=3" });
    await window.status(/thinking/);
    await act(window);
    await window.waitForMoves(/h8i9[a-o]\d+/);
    await window.close();
  });
}

test("a new game on a board that is no square", async () => {
  const window = await Window.open();
  const { page } = window;
  await page.click("#new-game");
  await page.selectOption("#new-width", "20");
  assert.equal(await page.inputValue("#new-height"), "20", "a square stays one until the height is chosen");
  await page.selectOption("#new-height", "15");
  await page.selectOption("#new-seconds", "1");
  await page.click("#new-start");
  await page.waitForFunction(() => document.querySelectorAll(".cell").length === 300);
  await window.click("t15", 20, 15);
  await window.waitForMoves(/t15[a-t]\d+&/);
  assert.match(await page.evaluate(() => location.hash), /size=20x15/);
  await window.picture("board-20x15");
  await window.close();
});

test("the dialog for a new game begins with the game on the board; the buttons below stay where they are", async () => {
  const window = await Window.open({ hash: "rule=renju&size=17x13&black=engine&white=person&level=40&seconds=10" });
  const { page } = window;
  await page.click("#new-game");
  const chosen = () => page.evaluate(() => ["rule", "width", "height", "who", "level", "seconds"].map((id) => document.getElementById(`new-${id}`).value));
  assert.deepEqual(await chosen(), ["4", "17", "13", "white", "40", "10"]);
  await page.click("#new-cancel");
  const top = async (text) => {
    await page.evaluate((shown) => (document.getElementById("status").textContent = shown), text);
    return (await page.locator("#undo").boundingBox()).y;
  };
  assert.equal(await top(""), await top("White played h8. Tengen is thinking about a reply. ".repeat(2)));
  await window.close();
});

test("swap2: Tengen places three stones, the person chooses", async () => {
  const window = await Window.open();
  const { page } = window;
  await page.click("#new-game");
  await page.selectOption("#new-opening", "swap2-engine");
  await page.selectOption("#new-level", "100");
  await page.selectOption("#new-seconds", "1");
  await page.click("#new-start");
  await page.waitForSelector("#swap button");
  assert.equal((await window.moves()).match(/[a-o]\d+/g).length, 3);
  assert.equal(await page.locator("#swap button").count(), 3);
  await window.picture("swap2");
  await page.click('[data-key="swap.black"]');
  await window.waitForMoves(/([a-o]\d+){4}/);
  await window.status(/Black to move/);
  assert.match(await page.textContent("#players"), /You.*Tengen/s);
  // Bug: an undo took Tengen's stones of the opening back one by one, and the choice never came again.
  assert.equal(await page.isEnabled("#undo"), false);
  await page.reload();
  await window.ready();
  assert.equal(await page.isEnabled("#undo"), false);
  await window.close();
});

// Bug: under swap2 the stage stayed where it was while the board went back or on: nobody could act, or a fourth stone was placed.
test("swap2: the stage follows the stones on the board", async () => {
  const window = await Window.open({ hash: "moves=h8a1i8c9d10&swap=last-person-engine&level=0&seconds=1" });
  const { page } = window;
  await page.waitForSelector("#swap button");
  // Back over Tengen's own stones and its choice, to the person's third stone.
  await page.click("#undo");
  await window.status(/White played a1/);
  await page.click("#go-end");
  await window.status(/Black played d10/);
  assert.equal(await page.locator("#swap button").count(), 2, "the person is asked again");
  await window.click("o1");
  await window.status(/Choose a colour first/);
  // Among its stones Tengen can be asked to go on: it places them anew.
  await page.click("#go-back");
  await window.status(/Tengen is to move/);
  await window.click("o1");
  await window.status(/It is Tengen’s turn/);
  await page.click("#move-now");
  await page.waitForFunction(() => document.getElementById("swap").hidden || document.querySelector("#swap button"));
  await window.close();
  // Where Tengen opens, no stone before its third one is the person's.
  const opened = await Window.open({ hash: "moves=h8a1i8&swap=choose-engine-person&level=0&seconds=1" });
  await opened.page.waitForSelector("#swap button");
  assert.ok(await opened.page.isDisabled("#undo"));
  await opened.page.click("#go-back");
  await opened.page.click("#go-forward");
  await opened.page.waitForSelector("#swap button");
  assert.ok(await opened.page.isDisabled("#move-now"), "the person is to choose");
  // What is tried in an analysis is no part of the opening.
  await opened.page.click("#tab-analyse");
  await opened.click("c3");
  await opened.page.click("#go-back");
  await opened.page.click("#tab-play");
  await opened.page.waitForSelector("#swap button");
  assert.equal(await opened.page.locator("#swap button").count(), 3);
  await opened.close();
});

// Bug: that Tengen had taken black was said only after the whole game that it played against itself, in place of the result.
test("swap2: Tengen says which colour it takes, and in the end who has won", async () => {
  const window = await Window.open({ hash: "moves=h8a1i8o15j8&swap=last-engine-engine&level=100&seconds=1" });
  await window.status(/Tengen takes black/);
  await window.status(/wins/);
  await window.close();
});

test("swap2: the person places three stones, Tengen answers; two people choose among themselves", async () => {
  const window = await Window.open();
  const { page } = window;
  await page.click("#new-game");
  await page.selectOption("#new-opening", "swap2-person");
  await page.click("#new-start");
  for (const name of ["h8", "a1", "j9"]) await window.click(name);
  // Tengen takes a colour, or places two stones and lets the person choose.
  await page.waitForFunction(() => document.getElementById("swap").hidden || document.querySelector("#swap button"));
  await page.click("#new-game");
  await page.selectOption("#new-who", "people");
  await page.click("#new-start");
  for (const name of ["h8", "a1", "j9"]) await window.click(name);
  await page.click('[data-key="swap.more"]');
  for (const name of ["a3", "c3"]) await window.click(name);
  await page.waitForSelector("#swap button");
  assert.equal(await page.locator("#swap button").count(), 2);
  await page.click('[data-key="swap.white"]');
  await window.click("d4");
  await window.status(/White played d4/);
  await window.close();
});

test("whoever runs out of time loses", async () => {
  const window = await Window.open({ hash: "moves=h8i9&black=person&white=person&clock=1&used=58-0" });
  await window.status(/Black ran out of time/);
  await window.close();
});

// Bug: the time for which a browser had frozen the page in the background was taken from the clock at the return.
test("the clock does not count the time in the background", async () => {
  const script = () => {
    const now = performance.now.bind(performance);
    globalThis.frozen = 0;
    performance.now = () => now() + globalThis.frozen;
  };
  const window = await Window.open({ hash: "moves=h8i9&black=person&white=person&clock=3", script });
  const { page } = window;
  await page.evaluate(() => {
    const turn = (isHidden) => {
      Object.defineProperty(document, "hidden", { value: isHidden, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    };
    turn(true);
    globalThis.frozen = 200_000;
    turn(false);
  });
  await page.waitForFunction(() => /^2:5[0-8]$/.test(document.getElementById("clock-0").textContent));
  assert.match(await page.textContent("#status"), /Black to move/);
  await window.close();
});

// Bug: after a loss on time every end of a line counted as the end of the game, and an undo lost the game again at once.
test("after a loss on time variations can be played and analysed, and the game without a clock", async () => {
  const window = await Window.open({ hash: "moves=h8i9&black=person&white=person&clock=1&used=59-0" });
  const { page } = window;
  await window.status(/Black ran out of time/);
  await page.click("#undo");
  await window.click("j9");
  await window.status(/Black to move/);
  await page.waitForTimeout(500);
  await window.click("j8");
  await window.waitForMoves(/h8j9\(i9\)j8/);
  await page.reload();
  await window.status(/White to move/);
  await page.waitForTimeout(500);
  await window.status(/White to move/);
  await page.click("#tab-analyse");
  await page.click("#analyse-toggle");
  await page.waitForSelector("#analyse-lines li");
  await page.click("#go-start");
  await page.click('#moves button:text("i9")');
  await window.status(/Black ran out of time/);
  await window.click("j10");
  await window.status(/The game is over/);
  await window.close();
});
