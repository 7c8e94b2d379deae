// What is around the board: players and clocks, the line that says what happens, explanations, the questions of swap2.

import { byId, el, replace } from "./dom.js";
import { explanationLines } from "./explain.js";
import { nameOfPlayers } from "./newgame.js";
import { pointName } from "./points.js";
import { askReferee } from "./referee.js";
import { RESULTS } from "./state.js";
import { t } from "./texts.js";

/** Milliseconds as minutes and seconds. */
function clockText(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

export class Screen {
  constructor(app, play, analysis, levels) {
    Object.assign(this, { app, play, analysis, levels });
    /** The forbidden point that the person looks at. */
    this.looked = null;
    this.explained = new Map();
    play.onTick = () => this.drawClocks();
  }

  colour(side) {
    return t(side === 0 ? "black" : "white");
  }

  levelName() {
    const level = this.levels.findLast((one) => one.strength <= this.app.game.level);
    return t(`level.${level.name}`);
  }

  name(point) {
    const { width, height } = this.app.tree.ground;
    return pointName(point, width, height);
  }

  draw() {
    this.drawPlayers();
    this.drawStatus();
    this.drawExplanation();
    this.drawSwap();
    const { play, analysis, app } = this;
    byId("move-now").textContent = t(play.isMoving ? "move.stop" : "move.now");
    const mayMove = play.isActive && !app.isOver() && !(app.game.swap && play.turn() === "person");
    byId("move-now").disabled = !mayMove;
    byId("play-review").hidden = !app.isOver() || app.at === 0;
    byId("undo").disabled = play.undoTarget() === null;
    const mayAsk = !app.isOver() && !play.isChoosing && !analysis.isRunning && !(play.isThinking && play.turn() === "engine");
    byId("hint").disabled = !mayAsk;
    byId("go-start").disabled = byId("go-back").disabled = app.at === 0;
    byId("go-forward").disabled = byId("go-end").disabled = app.tree.nodes[app.at].children.length === 0;
    byId("who").value = nameOfPlayers(app.game.players);
    // Under swap2 the colours are chosen on the board.
    byId("who-bar").hidden = app.game.swap !== null;
    this.drawNote();
  }

  drawNote() {
    const { tree, game } = this.app;
    const { rule, width, height } = tree.ground;
    const level = this.levels.findLast((one) => one.strength <= game.level);
    const parts = [t("note.game", { rule: this.app.ruleName(rule), width, height })];
    const hasEngine = game.swap ? game.swap.by.includes("engine") : game.players.includes("engine");
    if (hasEngine) {
      parts.push(t("note.level", { level: this.levelName(), elo: t("elo", { elo: level.elo }), seconds: game.seconds }));
    }
    if (game.winner !== null) parts.push(t("note.result", { result: t(`games.${RESULTS[game.winner]}`) }));
    byId("game-note").textContent = parts.join(" ");
  }

  playerText(side) {
    const { game } = this.app;
    if (game.players[side] === "engine") return t("player.engine", { level: this.levelName() });
    if (game.names[side]) return game.names[side];
    return t(game.players[1 - side] === "engine" ? "player.person" : "player.one");
  }

  drawPlayers() {
    const { app } = this;
    const over = app.isOver();
    const { swap } = app.game;
    const who = (kind) => t(kind === "engine" ? "engine" : "you");
    const cards = [0, 1].map((side) => {
      const text = swap ? t(side === 0 ? "player.opens" : "player.chooses", { who: who(swap.by[side]) }) : this.playerText(side);
      const isTurn = !over && !swap && app.tree.side(app.at) === side;
      return el("div", { class: isTurn ? "player turn" : "player" },
        swap ? null : el("span", { class: `dot ${side === 0 ? "black" : "white"}`, role: "img", "aria-label": this.colour(side) }),
        el("span", { class: "name", title: text }, text),
        swap ? null : el("span", { class: "clock", id: `clock-${side}` }));
    });
    byId("players").replaceChildren(...cards);
    this.drawClocks();
  }

  drawClocks() {
    const { game } = this.app;
    for (const side of [0, 1]) {
      const place = byId(`clock-${side}`);
      const ms = game.minutes > 0 ? game.minutes * 60_000 - game.used[side] : game.used[side];
      if (place) place.textContent = clockText(ms);
    }
  }

  /** What the game says at the node on the board. */
  statusText() {
    const { app, play } = this;
    const { end, side } = app.judge();
    const { game, tree, at } = app;
    if (end?.kind === "five") {
      const player = this.colour(end.winner);
      const count = end.stones.length;
      return count === 5 ? t("status.five", { player }) : t("status.row", { player, count });
    }
    if (end?.kind === "draw") return t("status.draw");
    if (end?.kind === "foul") {
      return t("status.foul", { point: this.name(end.foul.point), ruling: t(`ruling.${end.foul.ruling}`) });
    }
    if (app.isOver()) return t("status.late", { player: this.colour(game.late.side) });
    const before = at > 0 ? `${t("status.played", { player: this.colour(1 - side), point: this.name(tree.nodes[at].point) })} ` : "";
    if (play.isThinking && play.turn() === "engine") return `${before}${t("status.thinking")}`;
    if (play.isActive && play.turn() === "engine") return `${before}${t("status.engine_waits")}`;
    const isPerson = play.isActive && !game.swap && play.turn() === "person";
    const isYours = isPerson && game.players.includes("engine");
    const click = isPerson && at === 0 ? ` ${t("status.click")}` : "";
    return `${before}${t(isYours ? "status.yours" : "status.turn", { player: this.colour(side) })}${click}`;
  }

  drawStatus() {
    const { text, isError } = this.app.message;
    const place = byId("status");
    const shown = text || this.statusText();
    if (place.textContent !== shown) place.textContent = shown;
    place.classList.toggle("error", isError);
  }

  /** Explains the forbidden point that is looked at, or the foul that ended the game. */
  drawExplanation() {
    const { app } = this;
    const { end, forbidden } = app.judge();
    const place = byId("explanation");
    const foul = end?.kind === "foul" ? end.foul : null;
    const explained = foul ?? (forbidden.includes(this.looked) ? this.explain(this.looked) : null);
    if (!explained) {
      if (place.childElementCount > 0) place.replaceChildren();
      return;
    }
    const lines = explanationLines(explained, app.tree.ground);
    const text = lines.map((line) => line.text).join("\n");
    if (place.dataset.text === text && place.childElementCount > 0) return;
    place.dataset.text = text;
    place.replaceChildren(...lines.map(({ depth, text: line }) => el("p", { style: `--depth: ${depth}` }, line)));
  }

  explain(point) {
    const key = `${this.app.at} ${point}`;
    if (this.memory !== this.app.tree) this.explained.clear();
    this.memory = this.app.tree;
    if (!this.explained.has(key)) {
      this.explained.set(key, askReferee({ ask: "explain", position: this.app.tree.position(this.app.at), point }));
    }
    return this.explained.get(key);
  }

  drawSwap() {
    const { app, play } = this;
    const { swap } = app.game;
    const panel = byId("swap");
    const kind = play.turn();
    // At an earlier move Tengen chooses only when it is asked to move on.
    const isWaiting = play.isChoosing && kind === "engine" && !play.isThinking;
    panel.hidden = !swap || !play.isActive || app.isOver() || isWaiting;
    if (panel.hidden) return;
    const who = t(kind === "engine" ? "engine" : "you");
    if (!play.isChoosing) {
      replace(panel, el("p", {}, t(`swap.${swap.stage}`, { who })));
      return;
    }
    if (kind === "engine") {
      replace(panel, el("p", {}, t("status.thinking")));
      return;
    }
    const button = (choice, key) =>
      el("button", { type: "button", "data-key": key, onclick: () => play.choose(choice) }, t(key));
    replace(panel,
      el("p", {}, t(`swap.${swap.stage}`)),
      el("div", { class: "bar" }, button(0, "swap.black"), button(1, "swap.white"),
        swap.stage === "choose" ? button("two", "swap.more") : null));
  }
}
