// Starts the page and connects its parts.

import { App } from "./app.js";
import { Analysis } from "./analysis.js";
import { BoardView } from "./board.js";
import { byId, el } from "./dom.js";
import { Engine } from "./engine.js";
import { MoveList } from "./movelist.js";
import { nameOfPlayers, NewGameDialog, PLAYERS } from "./newgame.js";
import { Play } from "./play.js";
import { Proof } from "./proof.js";
import { RecordPanel } from "./recordpanel.js";
import { askReferee, openReferee } from "./referee.js";
import { Review } from "./review.js";
import { Screen } from "./screen.js";
import { forgetSaved, fromAddress, load, newGame, restore, RULES, SETTINGS } from "./state.js";
import { LANGUAGE_NAMES, languageInUse, setLanguage, t } from "./texts.js";
import { pointName } from "./points.js";

const TABS = ["play", "analyse", "record"];
const THEMES = ["auto", "light", "dark"];
/** Nodes for each position of a review. */
const EFFORTS = [["quick", 10_000], ["usual", 50_000], ["deep", 300_000]];

class Page {
  constructor(module, game, settings) {
    const engine = new Engine(module);
    this.app = new App(engine, game, settings);
    const { app } = this;
    app.ruleName = (number) => t(`rule.${RULES.find(([rule]) => rule === number)[1]}`);
    const about = askReferee({ ask: "about" });
    this.version = about.version;
    this.proof = new Proof(app);
    this.play = new Play(app);
    this.analysis = new Analysis(app, this.proof);
    this.review = new Review(app);
    this.moves = new MoveList(app);
    this.screen = new Screen(app, this.play, this.analysis, about.levels);
    this.records = new RecordPanel(app);
    this.dialog = new NewGameDialog(app, about.levels, (fresh) => this.begin(fresh));
    this.board = new BoardView(byId("board"), {
      onPoint: (point) => this.point(point),
      onMenu: (point) => this.menu(point),
      onLook: (point, isTap) => this.look(point, isTap),
    });
    this.records.onBefore = () => this.leave();
    this.records.onAfter = () => this.arrive();
    this.records.onOpened = () => {
      this.proof.clear();
      this.openTab("analyse");
    };
    this.records.onChanged = () => {
      this.proof.clear();
      this.openTab("record");
    };
    this.moves.onJump = (at) => this.jump(at);
    this.review.onJump = () => this.arrive();
    this.proof.onJump = () => this.analysis.restart();
    app.onLook = () => this.drawBoard();
    this.isDue = false;
    this.isHeld = false;
    app.listen(() => this.due());
    this.connect();
    this.speak();
    this.openTab(settings.tab);
  }

  /** Draws before the next picture of the screen, however often something changes. */
  due() {
    if (this.isDue) return;
    this.isDue = true;
    const draw = () => {
      this.isDue = false;
      if (!this.isHeld) this.draw();
    };
    // A page in the background gets no pictures, but the game goes on.
    if (document.hidden) setTimeout(draw, 0);
    else requestAnimationFrame(draw);
  }

  /** A button that is pressed must not be replaced before it is let go; what is due meanwhile is drawn then. */
  hold() {
    const set = (isHeld) => {
      if (this.isHeld && !isHeld) this.due();
      this.isHeld = isHeld;
    };
    // Another mouse button may open a menu of the browser, and then its release is not told.
    document.addEventListener("pointerdown", (event) => set(event.button === 0 && event.target.closest("button, .curve") !== null));
    for (const end of ["pointerup", "pointercancel"]) document.addEventListener(end, () => setTimeout(() => set(false)));
  }

  /** Connects buttons, lists and keys. */
  connect() {
    const { app, play } = this;
    const click = (id, act) => byId(id).addEventListener("click", act);
    click("new-game", () => this.dialog.open());
    click("undo", () => {
      play.undo();
      this.arrive();
    });
    click("hint", () => play.showHint());
    click("move-now", () => play.moveNow());
    click("go-start", () => this.jump(0));
    click("go-back", () => this.step(-1));
    click("go-forward", () => this.step(1));
    click("go-end", () => this.jump(app.tree.end(app.at)));
    click("analyse-toggle", () => this.analysis.toggle());
    click("block-toggle", () => {
      this.analysis.blocks = !this.analysis.blocks;
      app.changed(true);
    });
    click("proof-find", () => this.proof.find());
    click("review-start", () => this.startReview());
    click("play-review", () => {
      this.openTab("analyse");
      this.startReview();
    });
    click("promote", () => {
      app.promote(app.at);
      app.changed();
    });
    click("cut", () => this.jump(app.tree.cut(app.at)));
    click("theme", () => {
      app.settings.theme = THEMES[(THEMES.indexOf(app.settings.theme) + 1) % THEMES.length];
      this.speak();
      app.changed();
    });
    click("about-open", () => byId("about").showModal());
    click("about-close", () => byId("about").close());
    byId("who").addEventListener("change", () => {
      this.leave();
      app.game.players = [...PLAYERS[byId("who").value]];
      app.changed();
      this.arrive();
    });
    byId("numbers").addEventListener("change", () => {
      app.settings.numbers = byId("numbers").checked;
      app.changed();
    });
    byId("language").addEventListener("change", () => {
      app.settings.language = byId("language").value;
      this.speak();
      app.changed();
    });
    byId("analyse-count").addEventListener("change", () => {
      app.settings.lines = Number(byId("analyse-count").value);
      app.changed();
      this.analysis.follow();
    });
    // What runs under the open tab goes on.
    for (const tab of TABS) click(`tab-${tab}`, () => tab !== app.settings.tab && this.openTab(tab));
    document.querySelector("[role=tablist]").addEventListener("keydown", (event) => this.tabKey(event));
    document.addEventListener("keydown", (event) => this.key(event));
    this.hold();
    window.addEventListener("hashchange", () => this.openAddress());
  }

  /** Says everything in the chosen language, in the chosen colours. */
  speak() {
    const { settings } = this.app;
    setLanguage(settings.language);
    document.documentElement.dataset.theme = settings.theme;
    for (const node of document.querySelectorAll("[data-text]")) node.textContent = t(node.dataset.text);
    for (const node of document.querySelectorAll("[data-label]")) node.setAttribute("aria-label", t(node.dataset.label));
    for (const node of document.querySelectorAll(".icon")) node.title = node.getAttribute("aria-label");
    for (const node of document.querySelectorAll("[data-title]")) node.title = t(node.dataset.title);
    const options = (id, list, chosen) => {
      byId(id).replaceChildren(...list.map(([value, text]) => el("option", { value }, text)));
      byId(id).value = String(chosen);
    };
    options("who", Object.keys(PLAYERS).map((name) => [name, t(`who.${name}`)]), nameOfPlayers(this.app.game.players));
    options("language", LANGUAGE_NAMES, languageInUse());
    options("analyse-count", [1, 2, 3, 5, 8, 12].map((count) => [count, String(count)]), settings.lines);
    options("review-nodes", EFFORTS.map(([name, nodes]) => [nodes, t(`effort.${name}`)]), byId("review-nodes").value || EFFORTS[1][1]);
    byId("theme").textContent = { auto: "◐", light: "☀", dark: "☾" }[settings.theme];
    byId("theme").title = t(`theme.${settings.theme}`);
    byId("theme").setAttribute("aria-label", t(`theme.${settings.theme}`));
    byId("about-title").textContent = t("about.title", { version: this.version });
    byId("about-text").textContent = t("about.text");
    byId("about-how").replaceChildren(...TABS.map((tab) => el("li", {}, el("strong", {}, t(`tab.${tab}`)), `: ${t(`how.${tab}`)}`)));
    byId("about-keys").replaceChildren(...["board", "walk", "undo", "analyse"].map((key) => el("li", {}, t(`key.${key}`))));
    byId("numbers").checked = settings.numbers;
    // The labels of the board are in the language of their making.
    this.board.width = null;
    this.dialog.build();
  }

  /** The person chose a point. */
  async point(point) {
    const { app, play, proof, analysis } = this;
    if (this.screen.looked !== point) this.screen.looked = point;
    if (app.settings.tab === "analyse" && analysis.blocks) {
      analysis.toggleBlock(point);
      return;
    }
    if (app.settings.tab !== "play" && proof.awaitsReply && app.refusal(point) === null) {
      proof.reply(point);
      return;
    }
    await play.point(point);
    analysis.follow();
  }

  /** The second action on a point: it is blocked for the analysis. */
  menu(point) {
    if (this.app.settings.tab === "analyse") this.analysis.toggleBlock(point);
  }

  /** The person looks at a point; `isTap`: by the first of two taps. */
  look(point, isTap) {
    const { app, screen, analysis } = this;
    screen.looked = point;
    if (isTap) {
      const { width, height } = app.tree.ground;
      const blocks = analysis.isActive && analysis.blocks;
      const key = !blocks ? "status.tap" : analysis.blockedHere().includes(point) ? "status.unblock" : "status.block";
      app.say(t(key, { point: pointName(point, width, height) }));
      return;
    }
    screen.drawExplanation();
  }

  /** Leaves the position: nothing thinks any more. A review is about the whole game: `keepsReview` lets it go on. */
  leave(keepsReview = false) {
    this.play.stop();
    if (!keepsReview || !this.review.isBusy) this.app.engine.cancel();
    this.analysis.clear();
  }

  jump(at) {
    if (at === this.app.at) return;
    this.leave(true);
    this.app.go(at);
    this.arrive();
  }

  /** After a jump, or where nothing came of leaving: what should think, thinks. */
  arrive() {
    this.play.followSwap();
    if (!this.play.isThinking) this.play.proceed();
    this.analysis.follow();
  }

  step(by) {
    const { tree, at } = this.app;
    this.jump(by < 0 ? (tree.nodes[at].parent ?? 0) : tree.next(at));
  }

  /** Begins a new game. */
  begin(game) {
    this.leave();
    this.proof.clear();
    this.app.open(game);
    this.openTab("play");
  }

  async startReview() {
    if (this.analysis.isOn) this.analysis.toggle();
    await this.review.start(Number(byId("review-nodes").value));
  }

  openTab(tab) {
    const { settings } = this.app;
    settings.tab = TABS.includes(tab) ? tab : "play";
    this.leave();
    this.app.message = { text: "", isError: false };
    for (const one of TABS) {
      const isOpen = one === settings.tab;
      byId(`tab-${one}`).setAttribute("aria-selected", String(isOpen));
      byId(`tab-${one}`).tabIndex = isOpen ? 0 : -1;
      byId(`panel-${one}`).hidden = !isOpen;
    }
    this.app.changed();
    this.arrive();
  }

  tabKey(event) {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    const tab = TABS[(TABS.indexOf(this.app.settings.tab) + by + TABS.length) % TABS.length];
    this.openTab(tab);
    byId(`tab-${tab}`).focus();
  }

  /** Keys that work everywhere except in fields and dialogs. */
  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
    if (document.querySelector("dialog[open]") || event.target.closest?.("input, textarea, select")) return;
    if (event.target.closest?.(".cell") && !/^[uhman]$/.test(event.key)) return;
    const acts = {
      ArrowLeft: () => this.step(-1),
      ArrowRight: () => this.step(1),
      Home: () => this.jump(0),
      End: () => this.jump(this.app.tree.end(this.app.at)),
      u: () => byId("undo").click(),
      h: () => byId("hint").click(),
      m: () => byId("move-now").click(),
      a: () => {
        if (this.app.settings.tab !== "analyse") this.openTab("analyse");
        this.analysis.toggle();
      },
      n: () => this.dialog.open(),
    };
    const act = acts[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  /** Opens the game of the address, as after a click on a link to a position. */
  openAddress() {
    const address = location.hash.slice(1);
    try {
      const game = fromAddress(address);
      askReferee({ ask: "judge", position: game.tree.position(game.at) });
      this.leave();
      this.proof.clear();
      forgetSaved();
      this.app.open(game);
      this.openTab(this.app.settings.tab);
    } catch (error) {
      this.app.say(t("address.bad", { reason: error.message }), true);
    }
  }

  drawBoard() {
    const { app, play, analysis } = this;
    const { tree, at } = app;
    const { width, height } = tree.ground;
    this.board.build(width, height);
    document.documentElement.style.setProperty("--frame-ratio", (width + 0.8) / (height + 0.8));
    const { end, forbidden } = app.judge();
    const hints = analysis.isRunning ? analysis.hints() : play.hints();
    this.board.draw({
      stones: tree.stones(at),
      last: tree.nodes[at].point,
      forbidden,
      row: end?.kind === "five" ? end.stones : [],
      hints: app.shown.length > 0 ? [] : hints,
      blocked: analysis.isActive ? analysis.blockedHere() : [],
      line: app.shown.filter((point) => !tree.stones(at).has(point)),
      lineSide: tree.side(at),
      hasNumbers: app.settings.numbers,
    });
  }

  draw() {
    this.drawBoard();
    this.screen.draw();
    this.moves.draw();
    if (this.app.settings.tab === "record") this.records.draw();
    if (this.app.settings.tab === "analyse") {
      this.analysis.draw();
      this.proof.draw();
      this.review.draw();
    }
  }
}

/** The game to begin with: that of the address, else that of the last visit, else a new one. */
function firstGame() {
  const address = location.hash.slice(1);
  try {
    const game = restore(address) ?? newGame();
    askReferee({ ask: "judge", position: game.tree.position(game.at) });
    return { game };
  } catch (error) {
    // What an earlier visit left is not the person's mistake.
    return { game: newGame(), error: address === "" ? null : error.message };
  }
}

async function start() {
  const saved = load();
  const settings = { ...SETTINGS, language: navigator.language.split("-")[0], ...saved.settings };
  setLanguage(settings.language);
  try {
    const module = await openReferee();
    const { game, error } = firstGame();
    const page = new Page(module, game, settings);
    byId("loading").hidden = true;
    byId("page").hidden = false;
    if (error) page.app.say(t("address.bad", { reason: error }), true);
  } catch (error) {
    byId("loading").textContent = t("engine.failed", { reason: error.message });
  }
}

start();
