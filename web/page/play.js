// Playing: whose turn it is, the engine's moves, undo, hints, swap2 and the clocks.

import { Stopped } from "./engine.js";
import { t } from "./texts.js";
import { pointName } from "./points.js";

/** Milliseconds between two looks at the clocks. */
const TICK = 200;
/** Milliseconds for a hint, and for a question of swap2. */
const HINT_MS = 1500;
const SWAP_MS = 4000;

export class Play {
  constructor(app) {
    this.app = app;
    /** The question that the engine is asked now; null if there is none. */
    this.asked = null;
    this.hint = null;
    this.since = performance.now();
    setInterval(() => this.tick(), TICK);
  }

  /** Whether the person is playing, not analysing. */
  get isActive() {
    return this.app.settings.tab === "play";
  }

  get isThinking() {
    return this.asked !== null;
  }

  get isLeaf() {
    return this.app.tree.nodes[this.app.at].children.length === 0;
  }

  /** Who is to act here: `person` or `engine`; null when the game is over. */
  turn() {
    const { app } = this;
    if (app.isOver()) return null;
    const { swap } = app.game;
    if (swap) return swap.by[swap.stage === "open" || swap.stage === "last" ? 0 : 1];
    return app.game.players[app.tree.side(app.at)];
  }

  /** Whether swap2 asks which colour to take. */
  get isChoosing() {
    return ["choose", "last"].includes(this.app.game.swap?.stage) && !this.app.isOver();
  }

  /** Lets the engine act if it is its turn at the end of a line. */
  async proceed() {
    const { app } = this;
    this.stop();
    if (!this.isActive || !this.isLeaf || this.turn() !== "engine") return;
    await (app.game.swap ? this.answerSwap() : this.move());
  }

  /** Stops the engine's thinking. */
  stop() {
    this.hint = null;
    if (!this.isThinking) return;
    this.asked = null;
    this.app.engine.cancel();
  }

  /** Asks the engine and returns its answer; null if the question was stopped or the game went on meanwhile. */
  async ask(question) {
    const { app } = this;
    const { game, at } = app;
    const asked = { ...question, position: app.tree.position(at) };
    this.asked = asked;
    app.changed(true);
    try {
      const answer = await app.engine.ask(asked);
      // The same may have been asked again meanwhile: what a stopped search has found is no answer to that.
      return app.game === game && app.at === at && this.asked === asked ? answer : null;
    } catch (error) {
      if (!(error instanceof Stopped)) app.say(error.message, true);
      return null;
    } finally {
      if (this.asked === asked) this.asked = null;
      app.changed(true);
    }
  }

  /** The engine's move for the side to move. */
  async move() {
    const { game, tree, at } = this.app;
    let ms = game.seconds * 1000;
    if (this.hasClock) {
      ms = Math.min(ms, Math.max(50, (game.minutes * 60_000 - game.used[tree.side(at)]) / 20));
    }
    const question = { ask: "think", budget: { ms: Math.round(ms) }, level: game.level, seed: game.seed };
    const answer = await this.ask(question);
    if (answer?.best === null || answer?.best === undefined) return;
    this.app.play(answer.best);
    await this.proceed();
  }

  /** The engine's move now, whoever's turn it is. */
  async moveNow() {
    if (this.app.isOver() || this.isChoosing) return;
    if (this.isThinking) this.app.engine.stop();
    else if (this.app.game.swap) await this.proceed();
    else await this.move();
  }

  /** The person plays or places a stone. */
  async point(point) {
    const { app } = this;
    const name = pointName(point, app.tree.ground.width, app.tree.ground.height);
    const refusal = app.refusal(point);
    if (refusal) {
      app.say(t(refusal, { point: name }), true);
      return;
    }
    if (this.isActive && this.isChoosing) {
      app.say(t("swap.first"), true);
      return;
    }
    if (this.isActive && this.turn() === "engine" && this.isLeaf) {
      app.say(t("refused.turn"), true);
      return;
    }
    app.play(point);
    this.countStones();
    if (this.isActive) await this.proceed();
  }

  /** Goes on with swap2 when the stones of a stage are placed. */
  countStones() {
    const { swap } = this.app.game;
    if (!swap) return;
    const stones = this.app.tree.path(this.app.at).length;
    if (swap.stage === "open" && stones >= 3) swap.stage = "choose";
    if (swap.stage === "two" && stones >= 5) swap.stage = "last";
    this.app.changed();
  }

  /** Whoever chooses under swap2 takes a colour (0 black, 1 white), or `two`: places two more stones. */
  async choose(choice) {
    const { game } = this.app;
    const { stage, by } = game.swap;
    if (choice === "two") {
      game.swap.stage = "two";
    } else {
      const chooser = stage === "choose" ? 1 : 0;
      game.players = [by[choice === 0 ? chooser : 1 - chooser], by[choice === 1 ? chooser : 1 - chooser]];
      game.swap = null;
    }
    this.app.changed();
    await this.proceed();
  }

  /** The engine acts under swap2. */
  async answerSwap() {
    const { app } = this;
    const { stage } = app.game.swap;
    if (stage === "two") return;
    const answer = await this.ask({ ask: "swap2", budget: { ms: SWAP_MS }, seed: app.game.seed });
    if (!answer) return;
    const { swap, place } = answer;
    if (stage !== "open" && swap) {
      await this.choose(0);
      app.say(t("swap.took_black"));
      return;
    }
    if (stage === "choose" && place.length === 2) app.game.swap.stage = "two";
    if (stage !== "open" && place.length === 1) {
      const chooser = stage === "choose" ? 1 : 0;
      const { by } = app.game.swap;
      app.game.players = [by[1 - chooser], by[chooser]];
      app.game.swap = null;
    }
    for (const point of place) app.play(point);
    this.countStones();
    if (stage !== "open" && place.length === 1) app.say(t("swap.took_white"));
    await this.proceed();
  }

  /** Takes back the last move, and against the engine the person's own before it. */
  undo() {
    const { app } = this;
    this.stop();
    if (app.at === 0) return;
    const back = () => app.tree.nodes[app.at].parent;
    app.go(back());
    if (this.isActive && !app.game.swap && app.game.players.includes("engine") && app.game.players.includes("person")) {
      while (app.at > 0 && app.game.players[app.tree.side(app.at)] === "engine") app.go(back());
    }
    this.rewindSwap();
  }

  /** After an undo among the stones of the opening, their stage is on again. */
  rewindSwap() {
    const { swap } = this.app.game;
    if (!swap) return;
    const stones = this.app.tree.path(this.app.at).length;
    if (stones < 3) swap.stage = "open";
    else if (stones === 3 && swap.stage !== "two") swap.stage = "choose";
    else if (stones < 5 && swap.stage === "last") swap.stage = "two";
    this.app.changed();
  }

  /** Shows a good move. */
  async showHint() {
    const { app } = this;
    if (app.isOver() || this.isChoosing) return;
    this.stop();
    const answer = await this.ask({ ask: "analyse", budget: { ms: HINT_MS }, lines: 1, blocked: [] });
    if (answer?.best === null || answer?.best === undefined) return;
    this.hint = answer.best;
    const { width, height } = app.tree.ground;
    app.say(t("hint", { point: pointName(answer.best, width, height) }));
  }

  /** Whether time counts: who ran out of it has lost, and what is played from an earlier move has no clock. */
  get hasClock() {
    const { minutes, late } = this.app.game;
    return minutes > 0 && late === null;
  }

  /** Whether the clocks run. */
  get isRunning() {
    const { app } = this;
    return this.isActive && this.isLeaf && !app.game.swap && app.game.late === null && app.at > 0 && !app.isOver() && !document.hidden;
  }

  tick() {
    const now = performance.now();
    const passed = now - this.since;
    this.since = now;
    if (!this.isRunning) return;
    const { game, tree, at } = this.app;
    const side = tree.side(at);
    game.used[side] += passed;
    if (this.hasClock && game.used[side] >= game.minutes * 60_000) {
      game.late = { side, at };
      this.stop();
      this.app.changed();
    }
    this.onTick?.();
  }
}
