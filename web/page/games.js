// The games of a file with several: one is chosen, and another one later.

import { byId, el } from "./dom.js";
import { RESULTS } from "./state.js";
import { t } from "./texts.js";

/** Fewest and most entries that are shown at a time. */
const [FEWEST, MOST] = [4, 12];
/** Words of a game's entry are searched for after this many milliseconds without typing. */
const TYPING = 120;

export class GamesDialog {
  /** `onChoose(number)` opens a game of the file. */
  constructor(app, onChoose) {
    Object.assign(this, { app, onChoose });
    this.games = [];
    this.dialog = byId("games-dialog");
    byId("games-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.choose();
    });
    byId("games-cancel").addEventListener("click", () => this.dialog.close());
    byId("games-list").addEventListener("dblclick", () => this.choose());
    byId("games-list").addEventListener("change", () => this.dim());
    byId("games-list").addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      this.choose();
    });
    byId("games-find").addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.fill(), TYPING);
    });
  }

  /** Shows the games of a file; `chosen` is the number of the one that is open, or null. */
  open(name, games, chosen) {
    Object.assign(this, { games, chosen });
    byId("games-title").textContent = t("games.title", { name: name || t("games.text"), count: games.length });
    byId("games-find").value = "";
    this.fill();
    this.dialog.showModal();
    byId("games-list").focus();
  }

  /** Lists the games that have the words of the field. */
  fill() {
    const words = byId("games-find").value.toLowerCase().split(/\s+/).filter((word) => word);
    const entries = this.games.map((game, number) => ({ number, game, text: this.entry(game, number) }));
    const found = entries.filter(({ text }) => words.every((word) => text.toLowerCase().includes(word)));
    const list = byId("games-list");
    list.size = Math.min(Math.max(this.games.length, FEWEST), MOST);
    list.replaceChildren(...found.map(({ number, game, text }) => el("option", { value: number, disabled: "error" in game }, text)));
    const wanted = found.find(({ number }) => number === this.chosen) ?? found.find(({ game }) => !("error" in game));
    list.value = wanted ? String(wanted.number) : "";
    this.dim();
  }

  dim() {
    const { value, selectedOptions } = byId("games-list");
    byId("games-open").disabled = value === "";
    // On a phone the list has no room for all of it.
    byId("games-note").textContent = selectedOptions[0]?.textContent ?? "";
  }

  /** A game in one line. */
  entry(game, number) {
    if ("error" in game) return t("games.bad", { number: number + 1, reason: game.error });
    const { players, width, height, moves, rule, winner } = game;
    const names = players.some((name) => name) ? `${players[0] || "?"} – ${players[1] || "?"}` : null;
    const result = winner === null ? null : t(`games.${RESULTS[winner]}`);
    const parts = [names, `${width} × ${height}`, t("games.moves", { moves }), rule === null ? null : this.app.ruleName(rule), result];
    return `${number + 1}. ${parts.filter((part) => part !== null).join(" · ")}`;
  }

  choose() {
    const { value } = byId("games-list");
    if (value === "") return;
    this.dialog.close();
    this.onChoose(Number(value));
  }
}
