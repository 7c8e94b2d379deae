// Analysis: live lines for the position on the board, with moves that can be blocked.

import { byId, el, replace } from "./dom.js";
import { Stopped } from "./engine.js";
import { pointName } from "./points.js";
import { t } from "./texts.js";

/** Milliseconds that a position must stay on the board before it is analysed: whoever steps through a game passes many. */
const REST = 100;
/** Moves of a line that are shown. */
const SHOWN = 14;

/** A winning chance in per cent. Nothing is certain before it is proven. */
function percent(chance) {
  return Math.min(Math.max(Math.round(chance * 100), 1), 99);
}

/** The winning chance in words: `56 %`, or how a proven result ends. */
export function chanceText({ chance, plies }) {
  if (plies === null) return `${percent(chance)} %`;
  return plies > 0 ? t("wins.in", { plies }) : t("loses.in", { plies: -plies });
}

/** The same, short enough for the board. */
function chanceMark({ chance, plies }) {
  if (plies === null) return String(percent(chance));
  return plies > 0 ? `+${plies}` : `−${-plies}`;
}

export class Analysis {
  constructor(app, proof) {
    Object.assign(this, { app, proof });
    this.isOn = false;
    this.blocks = false;
    /** Blocked points by node. */
    this.blocked = new WeakMap();
    this.clear();
    // A button that is pressed must not be replaced before it is let go.
    this.isHeld = false;
    byId("analyse-lines").addEventListener("pointerdown", () => (this.isHeld = true));
    for (const end of ["pointerup", "pointercancel"]) {
      document.addEventListener(end, () => setTimeout(() => (this.isHeld = false)));
    }
  }

  clear() {
    clearTimeout(this.timer);
    this.lines = [];
    this.asked = null;
  }

  get isActive() {
    return this.app.settings.tab === "analyse";
  }

  /** Whether positions on the board are analysed: their lines are the hints. */
  get isRunning() {
    return this.isActive && this.isOn;
  }

  /** The node on the board. */
  get here() {
    const { tree, at } = this.app;
    return tree.nodes[at];
  }

  /** The blocked moves of the position on the board. */
  blockedHere() {
    return this.blocked.get(this.here) ?? [];
  }

  /** Blocks a move here, or unblocks it. */
  toggleBlock(point) {
    if (this.app.tree.stones(this.app.at).has(point)) return;
    const here = this.blockedHere();
    const others = here.filter((other) => other !== point);
    this.blocked.set(this.here, others.length < here.length ? others : [...here, point]);
    this.asked = null;
    this.app.changed();
    this.follow();
  }

  /** Starts or stops. */
  toggle() {
    this.isOn = !this.isOn;
    if (!this.isOn) this.app.engine.cancel();
    this.asked = null;
    this.app.changed();
    this.follow();
  }

  /** Analyses the position on the board, if it stays there. */
  follow() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.begin(), REST);
  }

  /** Analyses the position on the board, if analysis is on and has not begun with it. */
  async begin() {
    const { app } = this;
    if (!this.isRunning || app.isOver() || this.proof.isBusy) return;
    const key = `${app.at} ${app.settings.lines} ${this.blockedHere()}`;
    if (this.asked === key) return;
    this.clear();
    this.asked = key;
    const position = app.tree.position(app.at);
    const question = { ask: "analyse", position, budget: {}, lines: app.settings.lines, blocked: this.blockedHere() };
    try {
      await app.engine.ask(question, (report) => this.receive(report, key));
    } catch (error) {
      if (!(error instanceof Stopped)) app.say(error.message, true);
    }
    if (this.asked === key) this.app.changed(true);
  }

  /** Takes in a line. The lines of an iteration come worst first, the best one last. */
  receive(report, key) {
    if (this.asked !== key || !report.line) return;
    const { line } = report;
    this.lines = this.lines.filter((old) => old.rank !== line.rank).concat(line).sort((a, b) => a.rank - b.rank);
    if (line.rank === 1) this.app.tree.nodes[this.app.at].worth = { chance: line.chance, plies: line.plies, depth: line.depth };
    this.app.changed(true);
  }

  /** The suggested moves for the board. */
  hints() {
    const seen = new Set();
    const shown = [];
    for (const line of this.lines) {
      const point = line.pv[0];
      if (!seen.has(point)) shown.push({ point, text: chanceMark(line) });
      seen.add(point);
    }
    return shown;
  }

  /** Draws the panel. */
  draw() {
    byId("analyse-toggle").textContent = t(this.isOn ? "analyse.stop" : "analyse.start");
    byId("analyse-toggle").setAttribute("aria-pressed", String(this.isOn));
    byId("block-toggle").setAttribute("aria-pressed", String(this.blocks));
    const [best] = this.lines;
    const speed = best && best.ms > 0 ? Math.round(best.nodes / best.ms) : null;
    byId("analyse-figures").textContent = best
      ? t("analyse.figures", { depth: best.depth, seldepth: best.seldepth, nodes: thousands(best.nodes), speed: speed ?? "–" })
      : this.isOn && !this.app.isOver() ? t("analyse.begins") : "";
    byId("analyse-note").textContent = best ? t("analyse.note", { player: t(this.app.tree.side(this.app.at) === 0 ? "black" : "white") }) : "";
    if (!this.isHeld) replace(byId("analyse-lines"), ...this.lines.map((line) => this.row(line)));
  }

  row(line) {
    const { width, height } = this.app.tree.ground;
    const moves = line.pv.slice(0, SHOWN).map((point, index) =>
      el("button", {
        class: index === 0 ? "move first" : "move",
        type: "button",
        "data-key": `line ${line.rank} ${index}`,
        onclick: () => this.playLine(line.pv.slice(0, index + 1)),
        onpointerenter: () => this.look(line.pv.slice(0, index + 1)),
        onpointerleave: () => this.look([]),
        onfocus: () => this.look(line.pv.slice(0, index + 1)),
        onblur: () => this.look([]),
      }, pointName(point, width, height)));
    const kind = line.plies === null ? "chance" : line.plies > 0 ? "chance won" : "chance lost";
    return el("li", {}, el("span", { class: kind }, chanceText(line)), el("span", { class: "pv" }, ...moves));
  }

  /** Shows moves in advance on the board. */
  look(points) {
    this.app.shown = points;
    this.app.onLook?.();
  }

  /** Plays a line into the tree. */
  playLine(points) {
    let { at } = this.app;
    for (const point of points) {
      if (this.app.refusal(point, at)) break;
      at = this.app.tree.play(at, point);
    }
    this.app.go(at);
    this.follow();
  }
}

/** A number with blanks between thousands. */
export function thousands(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, " ");
}
