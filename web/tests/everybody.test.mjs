// For everybody: narrow screens, the keyboard alone, screen readers, both languages, dark and light.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { endBrowser, startBrowser, Window } from "./helper.mjs";

before(startBrowser);
after(endBrowser);

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The serious findings of the accessibility checker. */
async function findings(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  const serious = violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
  return serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).slice(0, 3).join(" ")}`);
}

for (const width of [320, 390, 768]) {
  test(`nothing sticks out at ${width} px, and a game can be played there`, async () => {
    const window = await Window.open({ width, height: 640, hash: "moves=&black=person&white=engine&level=0&seconds=1", hasTouch: true });
    const { page } = window;
    for (const tab of ["play", "analyse", "record"]) {
      await page.click(`#tab-${tab}`);
      const { scroll, client } = await page.evaluate(() => {
        const { scrollWidth, clientWidth } = document.documentElement;
        return { scroll: scrollWidth, client: clientWidth };
      });
      assert.ok(scroll <= client, `${tab}: ${scroll} > ${client}`);
      await window.picture(`${width}-${tab}`);
    }
    await page.click("#tab-play");
    await page.tap('[data-point="112"]');
    if (width < 400) {
      // Small cells: the first tap chooses, the second plays.
      await window.status(/Tap again to play h8/);
      await page.tap('[data-point="112"]');
    }
    await window.waitForMoves(/h8[a-o]\d+/);
    await window.close();
  });
}

// Bug: the explanation appeared between the finger's touch and its click, the page moved, and the tap was lost.
test("on a phone a tap on a forbidden point chooses it and explains it", async () => {
  const hash = "rule=renju&moves=h6a1h7o15g8a15i8o1&black=person&white=person";
  const window = await Window.open({ width: 320, height: 640, hash, hasTouch: true, isMobile: true });
  const { page } = window;
  await page.tap("#tab-analyse");
  await page.tap("#tab-play");
  await page.tap('[data-point="112"]');
  await window.status(/Tap again to play h8/);
  await page.waitForSelector("#explanation p");
  await page.tap('[data-point="112"]');
  await window.status(/h8 is forbidden for black/);
  await window.close();
});

// Bug: the first tap announced a move, also where the second one blocks the point.
test("on a phone the first tap says that the second one blocks the point", async () => {
  const hash = "moves=h8&black=person&white=person";
  const window = await Window.open({ width: 320, height: 640, hash, hasTouch: true, isMobile: true });
  const { page } = window;
  await page.tap("#tab-analyse");
  await page.tap("#block-toggle");
  await page.tap('[data-point="111"]');
  await window.status(/Tap again to block g8/);
  await page.tap('[data-point="111"]');
  await page.waitForSelector(".blocked");
  await page.tap('[data-point="111"]');
  await window.status(/Tap again to unblock g8/);
  await window.close();
});

// Bug: after each move the page scrolled down to the list of moves, and the board went out of sight.
test("on a phone the board stays in sight after a move, and the list of moves follows", async () => {
  const points = Array.from({ length: 60 }, (_, at) => `${String.fromCharCode(97 + (at % 15))}${1 + 3 * Math.floor(at / 15)}`);
  const hash = `moves=${points.join("")}&at=1&black=person&white=person`;
  const window = await Window.open({ width: 320, height: 640, hash, hasTouch: true, isMobile: true });
  const { page } = window;
  await page.click("#go-end");
  await page.waitForFunction(() => document.getElementById("moves").scrollTop > 0);
  assert.equal(await page.evaluate(() => scrollY), 0);
  const isSeen = await page.evaluate(() => {
    const [move, list] = [document.querySelector("#moves [aria-current]"), document.getElementById("moves")];
    return move.getBoundingClientRect().bottom <= list.getBoundingClientRect().bottom + 1;
  });
  assert.ok(isSeen, "the last move is in sight within the list");
  await window.close();
});

test("the keyboard alone starts a game, plays, undoes, analyses and walks", async () => {
  const window = await Window.open();
  const { page } = window;
  const press = (...keys) => keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());
  await press("n");
  await page.waitForSelector("#new-dialog[open]");
  await page.focus("#new-who");
  await page.keyboard.press("End");
  await page.focus("#new-who");
  await page.keyboard.type("Two");
  await page.focus("#new-start");
  await press("Enter");
  for (let i = 0; i < 20; i++) {
    await press("Tab");
    if (await page.evaluate(() => document.activeElement.classList.contains("cell"))) break;
  }
  await press("Enter");
  await window.waitForMoves(/h8&/);
  await press("ArrowRight", "ArrowUp", " ");
  await window.waitForMoves(/h8i9&/);
  await press("u");
  await window.status(/White to move/);
  await press("a");
  await page.waitForSelector("#analyse-lines li");
  await press("a");
  await page.focus("#go-start");
  await press("Home");
  await page.waitForFunction(() => /at=0/.test(location.hash));
  await press("ArrowRight");
  await page.waitForFunction(() => /at=1/.test(location.hash));
  await window.close();
});

// Bug: with nothing focused in an open dialog, keys and a pasted text changed the game behind it.
test("keys and a pasted text leave the game behind a dialog alone", async () => {
  const window = await Window.open({ hash: "moves=h8i9&black=person&white=person" });
  const { page } = window;
  await page.click("#about-open");
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press("ArrowLeft");
  assert.match(await page.evaluate(() => location.hash), /moves=h8i9&at=2/);
  await window.paste("a1 b2");
  await page.click("#about-close");
  await page.click("#go-back");
  await page.waitForFunction(() => /moves=h8i9&at=1/.test(location.hash));
  await window.close();
});

test("screen readers hear what is on a point and what happened", async () => {
  const window = await Window.open({ hash: "rule=renju&moves=h6a1h7o15g8a15i8o1&black=person&white=person" });
  const { page } = window;
  const label = (point) => page.getAttribute(`[data-point="${point}"]`, "aria-label");
  assert.equal(await label(9 * 15 + 7), "h6, Black, move 1");
  assert.equal(await label(14 * 15 + 14), "o1, White, move 8, last move");
  assert.equal(await label(112), "h8, forbidden");
  assert.equal(await page.getAttribute("#status", "role"), "status");
  await window.close();
});

for (const [language, colorScheme] of [["en", "light"], ["zh", "dark"]]) {
  test(`the accessibility checker has no serious finding, ${language}, ${colorScheme}`, async () => {
    const window = await Window.open({ hash: "moves=h8i9i8(j9)g8&black=person&white=engine&at=2", colorScheme });
    const { page } = window;
    await page.selectOption("#language", language);
    for (const tab of ["play", "analyse", "record"]) {
      await page.click(`#tab-${tab}`);
      await page.waitForTimeout(200);
      assert.deepEqual(await findings(page), [], tab);
    }
    await page.click("#new-game");
    assert.deepEqual(await findings(page), [], "new game");
    await window.picture(`new-game-${language}`);
    await page.click("#new-cancel");
    await page.click("#about-open");
    assert.deepEqual(await findings(page), [], "help");
    await page.click("#about-close");
    await page.setInputFiles("#file", { name: "two.sgf", mimeType: "text/plain", buffer: Buffer.from("(;SZ[15];B[hh])(;SZ[15];B[aa])") });
    await page.waitForSelector("#games-dialog[open]");
    assert.deepEqual(await findings(page), [], "games");
    await page.click("#games-cancel");
    await page.click("#tab-analyse");
    await window.picture(`analyse-${language}`);
    await window.close();
  });
}

test("all languages say the same things", async () => {
  const texts = await Promise.all(["en", "zh"].map(async (name) => {
    const source = readFileSync(new URL(`../page/${name}.js`, import.meta.url), "utf8");
    const module = await import(`data:text/javascript,${encodeURIComponent(source)}`);
    return module[name.toUpperCase()];
  }));
  const [en, ...others] = texts;
  const holes = (text) => (text.match(/\{\w+\}/g) ?? []).sort().join();
  for (const [index, other] of others.entries()) {
    for (const [key, text] of Object.entries(en)) {
      assert.ok(key in other, `${key} has no text in language ${index + 2}`);
      assert.equal(holes(other[key]), holes(text), key);
    }
    const extra = Object.keys(other).filter((key) => !(key in en) && !key.startsWith("explain."));
    assert.deepEqual(extra, []);
  }
});
