// Playing: whose turn it is, the engine's moves, undo, hints, swap2 and the clocks.

import { Stopped } from "./engine.js";
import { t } from "./texts.js";
import { pointName } from "./points.js";

/** Milliseconds between two looks at the clocks. */
const TICK = 200;
/** Milliseconds for a hint, and for a question of swap2. */
const HINT_MS = 1500;
const SWAP_MS = 4000;
/** Milliseconds for a move where a stop left none. */
const HURRY_MS = 100;

/** The stage of swap2 with so many stones on the board. */
function stageOf(stones) {
  return ["open", "open", "open", "choose", "two"][stones] ?? "last";
}

export class Play {
  constructor(app) {
    this.app = app;
    /** The question that the engine is asked now; null if there is none. */
    this.asked = null;
    /** The question that was stopped for the sake of its move: where the stop leaves none, it is asked again. */
    this.hurried = null;
    /** The point that was shown, and the node where: `{ node, point }`. */
    this.hint = null;
    /** The node where the game stands after a move or an undo. */
    this.live = null;
    this.since = performance.now();
    setInterval(() => this.tick(), TICK);
    document.addEventListener("visibilitychange", () => {
      // A page in the background may be frozen, without a tick, and closed without a word: its clock is kept.
      this.since = performance.now();
      if (document.hidden) app.changed();
    });
    addEventListener("pagehide", () => app.changed());
  }

  /** Whether the person is playing, not analysing. */
  get isActive() {
    return this.app.settings.tab === "play";
  }

  get isThinking() {
    return this.asked !== null;
  }

  /** Whether it computes a move, not a hint. */
  get isMoving() {
    return this.isThinking && this.asked.ask !== "analyse";
  }

  /** Whether the game goes on here: at the end of a line, or where a move or an undo has led. Elsewhere the person looks around. */
  get isLive() {
    const node = this.app.tree.nodes[this.app.at];
    return node.children.length === 0 || node === this.live;
  }

  /** The game goes on from the node on the board. */
  goOn() {
    this.live = this.app.tree.nodes[this.app.at];
  }

  /** Who is to act at a node: `person` or `engine`. */
  player(at) {
    const { game, tree } = this.app;
    if (!game.swap) return game.players[tree.side(at)];
    return game.swap.by[["open", "last"].includes(stageOf(tree.path(at).length)) ? 0 : 1];
  }

  /** Who is to act here; null when the game is over. */
  turn() {
    return this.app.isOver() ? null : this.player(this.app.at);
  }

  /** Whether swap2 asks which colour to take. */
  get isChoosing() {
    return this.isActive && ["choose", "last"].includes(this.app.game.swap?.stage) && !this.app.isOver();
  }

  /** Whether it asks the person. */
  get isAsked() {
    return this.isChoosing && this.turn() === "person";
  }

  /** Lets the engine act if it is its turn where the game goes on. */
  async proceed() {
    const { app } = this;
    this.stop();
    if (!this.isActive || !this.isLive || this.turn() !== "engine") return;
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
      else if (this.asked === asked && this.hurried === asked) return this.ask({ ...question, budget: { ms: HURRY_MS } });
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
    this.goOn();
    await this.proceed();
  }

  /** The engine's move now, whoever's turn it is. */
  async moveNow() {
    if (this.app.isOver()) return;
    if (this.isMoving) {
      this.hurried = this.asked;
      this.app.engine.stop();
      return;
    }
    this.stop();
    if (!this.app.game.swap) await this.move();
    else if (this.turn() === "engine") await this.answerSwap();
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
    if (this.isAsked) {
      app.say(t("swap.first"), true);
      return;
    }
    if (this.isActive && this.turn() === "engine" && (this.isLive || app.game.swap)) {
      app.say(t("refused.turn"), true);
      return;
    }
    app.play(point);
    this.goOn();
    this.followSwap();
    if (this.isActive) await this.proceed();
  }

  /** The stage of swap2 follows the stones on the board. */
  followSwap() {
    const { app } = this;
    const { swap } = app.game;
    if (!swap || !this.isActive) return;
    swap.stage = stageOf(app.tree.path(app.at).length);
    app.changed();
  }

  /** Whoever chooses under swap2 takes a colour (0 black, 1 white), or `two`: places two more stones. */
  async choose(choice) {
    const { game } = this.app;
    const { stage, by } = game.swap;
    if (choice === "two") {
      game.swap.stage = "two";
    } else {
      const chooser = stage === "choose" ? 1 : 0;
      this.endSwap([by[choice === 0 ? chooser : 1 - chooser], by[choice === 1 ? chooser : 1 - chooser]]);
    }
    this.app.changed();
    await this.proceed();
  }

  /** Ends swap2 with these players of black and white: the stones on the board are the opening. */
  endSwap(players) {
    const { game, tree, at } = this.app;
    Object.assign(game, { players, swap: null, opening: tree.path(at).length });
  }

  /** The engine acts under swap2. */
  async answerSwap() {
    const { app } = this;
    // The engine places the stones of a stage together: among them, it begins with the first one again.
    while (![0, 3, 5].includes(app.tree.path(app.at).length)) app.go(app.tree.nodes[app.at].parent);
    this.followSwap();
    const { stage } = app.game.swap;
    const answer = await this.ask({ ask: "swap2", budget: { ms: SWAP_MS }, seed: app.game.seed });
    if (!answer) return;
    const { swap, place } = answer;
    if (stage !== "open" && swap) {
      app.say(t("swap.took_black"));
      await this.choose(0);
      return;
    }
    if (stage !== "open" && place.length === 1) {
      const chooser = stage === "choose" ? 1 : 0;
      const { by } = app.game.swap;
      this.endSwap([by[1 - chooser], by[chooser]]);
    }
    for (const point of place) app.play(point);
    this.followSwap();
    if (stage !== "open" && place.length === 1) app.say(t("swap.took_white"));
    await this.proceed();
  }

  /**
   * Where an undo leads: before the last move, against the engine before the person's own last one; null if there is none, or only
   * within the opening.
   */
  undoTarget() {
    const { game, tree, at } = this.app;
    const length = (node) => tree.path(node).length;
    const players = game.swap?.by ?? game.players;
    const isAgainstEngine = this.isActive && players.includes("engine") && players.includes("person");
    let before = tree.nodes[at].parent;
    while (isAgainstEngine && before !== null && this.player(before) === "engine") before = tree.nodes[before].parent;
    const isWithinOpening = before !== null && length(before) < game.opening && game.opening <= length(at);
    return isWithinOpening ? null : before;
  }

  /** Takes back the last move, and against the engine the person's own before it. */
  undo() {
    const at = this.undoTarget();
    if (at === null) return;
    this.stop();
    this.app.go(at);
    // Tengen would play the move again.
    if (this.player(at) === "person") this.goOn();
  }

  /** Shows a good move. */
  async showHint() {
    const { app } = this;
    if (app.isOver() || this.isChoosing) return;
    this.stop();
    const answer = await this.ask({ ask: "analyse", budget: { ms: HINT_MS }, lines: 1, blocked: [] });
    if (answer?.best === null || answer?.best === undefined) return;
    this.hint = { node: app.tree.nodes[app.at], point: answer.best };
    const { width, height } = app.tree.ground;
    app.say(t("hint", { point: pointName(answer.best, width, height) }));
  }

  /** Whether time counts: who ran out of it has lost, and what is played from an earlier move has no clock. */
  get hasClock() {
    const { minutes, late } = this.app.game;
    return minutes > 0 && late === null;
  }

  /** The hint for the board, at the position for which it was given. */
  hints() {
    const { tree, at } = this.app;
    return this.hint?.node === tree.nodes[at] ? [{ point: this.hint.point, text: "★" }] : [];
  }

  /** Whether the clocks run. */
  get isRunning() {
    const { app } = this;
    return this.isActive && this.isLive && !app.game.swap && app.game.late === null && app.at > 0 && !app.isOver() && !document.hidden;
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
