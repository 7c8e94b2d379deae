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
    // The list stays where its buttons are replaced: a button that is gone does not tell that the pointer has left it.
    const list = byId("analyse-lines");
    for (const kind of ["pointerover", "focusin"]) list.addEventListener(kind, ({ target }) => this.look(target.closest("button")));
    for (const kind of ["pointerleave", "focusout"]) list.addEventListener(kind, () => this.look(null));
    this.clear();
  }

  clear() {
    clearTimeout(this.timer);
    /** What has been found, and at which node. */
    this.lines = [];
    this.node = null;
    this.asked = null;
    /** The move that is looked at, `{ rank, index }` in a line; null if there is none. */
    this.looked = null;
    this.app.shown = [];
  }

  /** The lines of the position on the board. */
  linesHere() {
    return this.node === this.here ? this.lines : [];
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
    this.restart();
  }

  /** Starts or stops. */
  toggle() {
    this.isOn = !this.isOn;
    if (!this.isOn) this.stop();
    this.restart();
  }

  /** Stops the search of the analysis, and nothing else. */
  stop() {
    const { engine } = this.app;
    if (engine.latest === this.question) engine.cancel();
  }

  /** Analyses the position on the board anew, after something else has used the engine or the question has changed. */
  restart() {
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
    const { app, here } = this;
    if (!this.isRunning || this.proof.isBusy) return;
    if (app.isOver()) {
      if (this.node !== null) this.stop();
      this.clear();
      return;
    }
    const blocked = this.blockedHere();
    const key = `${app.at} ${app.settings.lines} ${blocked}`;
    if (this.asked === key) return;
    this.clear();
    Object.assign(this, { asked: key, node: here });
    this.question = { ask: "analyse", position: app.tree.position(app.at), budget: {}, lines: app.settings.lines, blocked };
    try {
      await app.engine.ask(this.question, ({ line }) => line && this.asked === key && this.receive(line, blocked.length === 0));
    } catch (error) {
      if (!(error instanceof Stopped)) app.say(error.message, true);
    }
    if (this.asked === key) this.app.changed(true);
  }

  /** Takes in a line. The lines of an iteration come worst first, the best one last; `isFree`: with no move blocked. */
  receive(line, isFree) {
    this.lines = this.lines.filter((old) => old.rank !== line.rank).concat(line).sort((a, b) => a.rank - b.rank);
    if (line.rank === 1 && isFree) this.node.worth = { chance: line.chance, plies: line.plies, depth: line.depth };
    if (this.looked) this.show();
    this.app.changed(true);
  }

  /** The suggested moves for the board. */
  hints() {
    const seen = new Set();
    const shown = [];
    for (const line of this.linesHere()) {
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
    const lines = this.linesHere();
    const [best] = lines;
    const speed = best && best.ms > 0 ? Math.round(best.nodes / best.ms) : null;
    byId("analyse-figures").textContent = best
      ? t("analyse.figures", { depth: best.depth, seldepth: best.seldepth, nodes: thousands(best.nodes), speed: speed ?? "–" })
      : this.isOn && !this.app.isOver() ? t("analyse.begins") : "";
    byId("analyse-note").textContent = best ? t("analyse.note", { player: t(this.app.tree.side(this.app.at) === 0 ? "black" : "white") }) : "";
    replace(byId("analyse-lines"), ...lines.map((line) => this.row(line)));
  }

  row(line) {
    const { width, height } = this.app.tree.ground;
    const moves = line.pv.slice(0, SHOWN).map((point, index) =>
      el("button", {
        class: index === 0 ? "move first" : "move",
        type: "button",
        "data-key": `line ${line.rank} ${index}`,
        "data-rank": line.rank,
        "data-index": index,
        onclick: () => this.playLine(line.pv.slice(0, index + 1)),
      }, pointName(point, width, height)));
    const kind = line.plies === null ? "chance" : line.plies > 0 ? "chance won" : "chance lost";
    return el("li", {}, el("span", { class: kind }, chanceText(line)), el("span", { class: "pv" }, ...moves));
  }

  /** Looks at the move of a button, or at none (null). */
  look(button) {
    this.looked = button && { rank: Number(button.dataset.rank), index: Number(button.dataset.index) };
    this.show();
    this.app.onLook?.();
  }

  /** Shows the line up to the move that is looked at in advance on the board. */
  show() {
    const line = this.looked && this.linesHere().find(({ rank }) => rank === this.looked.rank);
    this.app.shown = line ? line.pv.slice(0, this.looked.index + 1) : [];
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
