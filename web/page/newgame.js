// The dialog for a new game.

import { byId, el } from "./dom.js";
import { LARGEST, newGame, RULES, SMALLEST } from "./state.js";
import { t } from "./texts.js";

/** Who plays black and white, by what the dialog calls it. */
export const PLAYERS = {
  black: ["person", "engine"], white: ["engine", "person"], people: ["person", "person"], engines: ["engine", "engine"],
};

/** What the dialog calls these players. */
export function nameOfPlayers(players) {
  return Object.keys(PLAYERS).find((name) => String(PLAYERS[name]) === String(players));
}

export class NewGameDialog {
  /** `levels` are those of the engine; `onStart(game)` gets the new game. */
  constructor(app, levels, onStart) {
    Object.assign(this, { app, levels, onStart });
    this.dialog = byId("new-dialog");
    byId("new-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.start();
    });
    // A square board stays square, until the height is chosen.
    byId("new-width").addEventListener("change", () => {
      if (byId("new-height").value === this.width) byId("new-height").value = byId("new-width").value;
      this.width = byId("new-width").value;
    });
    byId("new-cancel").addEventListener("click", () => this.dialog.close());
    byId("new-who").addEventListener("change", () => this.dim());
    byId("new-opening").addEventListener("change", () => this.dim());
    byId("new-level").addEventListener("change", () => this.dim());
    this.build();
  }

  /** Fills the lists, in the language in use. */
  build() {
    const { tree, game } = this.app;
    const { rule, width, height } = tree.ground;
    const usual = newGame();
    /** Chooses again what was chosen, at first what the game on the board has, and `otherwise` where that is not in the list. */
    const fill = (id, options, ofGame, otherwise) => {
      const select = byId(id);
      const value = select.value || String(ofGame);
      select.replaceChildren(...options.map(([key, text]) => el("option", { value: key }, text)));
      select.value = value;
      if (select.selectedIndex < 0) select.value = String(otherwise);
    };
    const sides = Array.from({ length: LARGEST - SMALLEST + 1 }, (_, index) => [index + SMALLEST, String(index + SMALLEST)]);
    fill("new-rule", RULES.map(([number, name]) => [number, t(`rule.${name}`)]), rule, 0);
    fill("new-width", sides, width, 15);
    fill("new-height", sides, height, 15);
    this.width = byId("new-width").value;
    fill("new-who", Object.keys(PLAYERS).map((one) => [one, t(`who.${one}`)]), nameOfPlayers(game.players), "black");
    fill("new-opening", ["free", "swap2-person", "swap2-engine"].map((opening) => [opening, t(`opening.${opening}`)]), "free", "free");
    fill("new-level", this.levels.map((level) => [level.strength, this.levelText(level)]), game.level, usual.level);
    fill("new-seconds", [1, 3, 10, 30, 60].map((seconds) => [seconds, t("seconds", { seconds })]), game.seconds, usual.seconds);
    fill("new-clock", [0, 3, 5, 10, 15, 30, 60].map((minutes) => [minutes, minutes ? t("minutes", { minutes }) : t("clock.none")]), game.minutes, usual.minutes);
    this.dim();
  }

  levelText({ name, elo }) {
    return `${t(`level.${name}`)} · ${t("elo", { elo })}`;
  }

  /** What the chosen level means, and fields that do not matter. */
  dim() {
    const strength = Number(byId("new-level").value);
    const level = this.levels.find((one) => one.strength === strength);
    byId("new-level-note").textContent = level
      ? level.score === null ? t("level.lowest") : t("level.score", { score: level.score })
      : "";
    const isSwap = byId("new-opening").value !== "free";
    const hasEngine = byId("new-who").value !== "people";
    byId("new-level").disabled = !hasEngine;
    byId("new-seconds").disabled = !hasEngine;
    for (const option of byId("new-who").options) {
      // Under swap2 the colours are chosen on the board.
      if (option.value === "black") option.textContent = t(isSwap ? "who.swap" : "who.black");
      if (option.value === "white") option.hidden = isSwap;
    }
  }

  open() {
    this.build();
    this.dialog.showModal();
  }

  start() {
    const value = (id) => byId(id).value;
    const ground = { rule: Number(value("new-rule")), width: Number(value("new-width")), height: Number(value("new-height")) };
    const game = newGame(ground);
    game.level = Number(value("new-level"));
    game.seconds = Number(value("new-seconds"));
    game.minutes = Number(value("new-clock"));
    const who = value("new-who");
    game.players = [...PLAYERS[who]];
    const opening = value("new-opening");
    if (opening !== "free") {
      const two = who === "people" ? ["person", "person"] : who === "engines" ? ["engine", "engine"] : ["person", "engine"];
      game.swap = { stage: "open", by: opening === "swap2-engine" ? two.toReversed() : two };
    }
    this.dialog.close();
    this.onStart(game);
  }
}
