// A proven win, played against whatever the person tries.

import { byId, el, hasNews, replace } from "./dom.js";
import { Stopped } from "./engine.js";
import { pointName } from "./points.js";
import { languageInUse, t } from "./texts.js";

/** Milliseconds that the search for a proof may take. */
const PROOF_MS = 20_000;

export class Proof {
  /** `onJump` is called after a search, which has stopped others, and after the proof has gone to another position. */
  constructor(app) {
    this.app = app;
    this.isBusy = false;
    /** The position of the search, `{ tree, at }`; null once it is left. */
    this.sought = null;
    this.clear();
    app.listen(() => this.follow());
  }

  clear() {
    this.proof = null;
    this.steps = new Map();
    /** The node of the five. */
    this.over = null;
  }

  /** Ends the search when the board shows another position. */
  follow() {
    const { app, sought } = this;
    if (!sought || (app.tree === sought.tree && app.at === sought.at)) return;
    this.sought = null;
    app.engine.cancel();
  }

  /** Looks for a proven win of the side to move. */
  async find() {
    const { app } = this;
    if (this.isBusy) {
      app.engine.cancel();
      return;
    }
    if (app.isOver()) {
      app.say(t("refused.over"), true);
      return;
    }
    this.clear();
    this.isBusy = true;
    app.say(t("proof.looking"));
    const { at, tree } = app;
    this.sought = { tree, at };
    try {
      const question = { ask: "prove", position: tree.position(at), ms: PROOF_MS };
      const proof = await app.engine.ask(question, undefined, true);
      if (!this.sought) return;
      this.sought = null;
      if (proof === null) {
        app.say(t("proof.none"));
      } else {
        this.begin(proof, tree, at);
      }
    } catch (error) {
      if (!(error instanceof Stopped)) app.say(error.message, true);
      else app.say(t("proof.stopped"));
    } finally {
      this.isBusy = false;
      this.sought = null;
      this.onJump();
    }
  }

  begin(proof, tree, at) {
    Object.assign(this, { proof, tree, side: tree.side(at), from: at });
    this.steps.set(at, proof.nodes.length - 1);
    this.app.go(at);
    this.attack();
    this.onJump();
  }

  /** Whether the position on the board belongs to the proof: before a reply. */
  get isOpen() {
    const { at, tree } = this.app;
    if (this.proof === null || tree !== this.tree) return false;
    return this.over === at || (this.steps.has(at) && tree.side(at) !== this.side);
  }

  /** Whether the person is to reply here. */
  get awaitsReply() {
    return this.isOpen && this.app.tree.side(this.app.at) !== this.side && !this.app.isOver();
  }

  /** Plays the attacker's move of the step at the position on the board. */
  attack() {
    const { app } = this;
    const step = this.steps.get(app.at);
    const [five] = app.judge().wins;
    // Where the attacker can make five, that is the answer to everything.
    const point = step === "five" ? five : this.proof.nodes[step][0];
    const at = app.tree.play(app.at, point);
    this.steps.set(at, step);
    app.go(at);
    if (app.isOver()) this.over = at;
  }

  /** Answers a reply. Every legal one has an answer. */
  reply(point) {
    const { app } = this;
    const step = this.steps.get(app.at);
    const at = app.tree.play(app.at, point);
    const [, replies, rest] = step === "five" ? [null, [], null] : this.proof.nodes[step];
    const listed = replies.find(([reply]) => reply === point);
    app.go(at);
    const next = app.judge().wins.length > 0 ? "five" : (listed?.[1] ?? rest);
    if (app.isOver()) {
      this.over = at;
    } else if (next !== null) {
      this.steps.set(at, next);
      this.attack();
    }
    this.onJump();
  }

  /** Plies to the five after the attacker's move of a step. */
  left(step) {
    return step === "five" ? 0 : this.proof.distances[step] - 1;
  }

  /** Draws the panel. */
  draw() {
    const { app } = this;
    byId("proof-find").textContent = t(this.isBusy ? "proof.cancel" : "proof.find");
    const panel = byId("proof-panel");
    panel.hidden = !this.isOpen;
    // Whatever replaces the text has it read out again.
    if (!this.isOpen || !hasNews(panel, this.proof, app.at, languageInUse())) return;
    const { width, height } = app.tree.ground;
    const name = (point) => pointName(point, width, height);
    const winner = t(this.side === 0 ? "black" : "white");
    if (app.isOver()) {
      replace(panel, el("p", {}, t("proof.done", { winner })), this.againButton());
      return;
    }
    const step = this.steps.get(app.at);
    const replies = step === "five" ? [] : this.proof.nodes[step][1];
    const buttons = replies.map(([point, child]) =>
      el("button", { type: "button", class: "move", "data-key": `reply ${point}`, onclick: () => this.reply(point) },
        `${name(point)} · ${this.proof.distances[child]}`));
    replace(
      panel,
      el("p", { class: "distance" }, t("proof.left", { winner, plies: this.left(step) })),
      el("p", {}, t(replies.length > 0 ? "proof.reply" : "proof.any")),
      el("p", { class: "replies" }, ...buttons),
      this.againButton(),
    );
  }

  againButton() {
    return el("button", { type: "button", "data-key": "again", onclick: () => this.begin(this.proof, this.tree, this.from) }, t("proof.again"));
  }
}
