// The browser for the tests, and the few things that every test does with the page.

import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const file = resolve(process.env.TENGEN_PAGE ?? join(root, process.env.CARGO_TARGET_DIR ?? "target", "page/tengen.html"));
/** Where pictures of the page go. */
const pictures = join(dirname(file), "screenshots");
/** Milliseconds until a test gives up waiting; machines may be busy. */
const PATIENCE = 60_000;

const executablePath = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/google-chrome"].find((path) => path && existsSync(path));
let browser;

/** Starts the browser once. */
export async function startBrowser() {
  browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
}

/** Ends it. */
export async function endBrowser() {
  await browser.close();
}

/** A window with the page, opened from disk or from `address`. Errors on the page fail the test that closes it. */
export class Window {
  static async open({ hash = "", width = 1280, height = 860, address = pathToFileURL(file).href, script, ...context } = {}) {
    const window = new Window();
    window.context = await browser.newContext({ viewport: { width, height }, locale: "en-GB", ...context });
    if (script) await window.context.addInitScript(script);
    window.page = await window.context.newPage();
    window.page.setDefaultTimeout(PATIENCE);
    window.errors = [];
    window.requests = [];
    window.workers = 0;
    window.page.on("pageerror", (error) => window.errors.push(error.message));
    window.page.on("console", (message) => message.type() === "error" && window.errors.push(message.text()));
    window.page.on("request", (request) => window.requests.push(request.url()));
    window.page.on("worker", () => (window.workers += 1));
    await window.page.goto(`${address}${hash ? `#${hash}` : ""}`);
    await window.ready();
    return window;
  }

  async ready() {
    await this.page.waitForSelector("#page:not([hidden])");
  }

  async close() {
    await this.context.close();
    if (this.errors.length > 0) throw new Error(`errors on the page: ${this.errors.join("; ")}`);
  }

  /** Waits until the line of the game matches. */
  async status(pattern) {
    await this.page.waitForFunction(([source]) => new RegExp(source).test(document.getElementById("status").textContent), [pattern.source]);
    return this.page.textContent("#status");
  }

  /** Clicks a point by its name on a board of so many points. */
  async click(name, width = 15, height = width) {
    await this.page.click(`[data-point="${pointNumber(name, width, height)}"]`);
  }

  /** Pastes a text on the page. */
  async paste(text) {
    await this.page.evaluate(([pasted]) => {
      const data = new DataTransfer();
      data.setData("text", pasted);
      document.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
    }, [text]);
  }

  /** The moves of the address. */
  async moves() {
    return this.page.evaluate(() => /moves=([^&]*)/.exec(location.hash)?.[1] ?? "");
  }

  async waitForMoves(pattern) {
    await this.page.waitForFunction(([source]) => new RegExp(source).test(location.hash), [`moves=${pattern.source}`]);
  }

  async picture(name) {
    mkdirSync(pictures, { recursive: true });
    await this.page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
  }
}

/** The number of a point such as `h8`. */
export function pointNumber(name, width = 15, height = width) {
  return (height - Number(name.slice(1))) * width + name.charCodeAt(0) - 97;
}

/** Serves the page over HTTP; returns its address and how to end. */
export async function serve() {
  const text = readFileSync(file);
  const server = createServer((request, response) => {
    response.setHeader("content-type", "text/html; charset=utf-8");
    response.end(text);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { address: `http://127.0.0.1:${server.address().port}/`, end: () => server.close() };
}
