// Records: opened from a file, by drop, by paste; saved as files; the address to share.

import { byId, el } from "./dom.js";
import { Stopped } from "./engine.js";
import { GamesDialog } from "./games.js";
import { askReferee } from "./referee.js";
import { RULES } from "./state.js";
import { t } from "./texts.js";

/** The largest file that is read, in bytes. */
const LARGEST = 8_000_000;

export class RecordPanel {
  constructor(app) {
    this.app = app;
    /**
     * The file with several games that was opened last: its source, the board for games that name none, its name, games, and the
     * number and tree of the open one.
     */
    this.file = null;
    this.dialog = new GamesDialog(app, (number) => this.openGame(number));
    byId("other-game").addEventListener("click", () => this.dialog.open(this.file.name, this.file.games, this.file.number));
    byId("record-rule").addEventListener("change", () => {
      this.onBefore();
      app.setRule(Number(byId("record-rule").value));
      this.onChanged();
    });
    byId("open-file").addEventListener("click", () => byId("file").click());
    byId("file").addEventListener("change", async () => {
      const [file] = byId("file").files;
      await this.openFile(file);
      // The same file may be chosen again.
      byId("file").value = "";
    });
    for (const format of ["sgf", "psq", "moves"]) {
      byId(`save-${format}`).addEventListener("click", () => this.save(format));
    }
    byId("copy-address").addEventListener("click", () => this.copyAddress());
    byId("read-text").addEventListener("click", () => this.read(byId("record-text").value));
    document.addEventListener("dragover", (event) => event.preventDefault());
    document.addEventListener("drop", (event) => this.drop(event));
    document.addEventListener("paste", (event) => this.paste(event));
  }

  async openFile(file) {
    if (!file) return;
    if (file.size > LARGEST) {
      this.app.say(t("record.large"), true);
      return;
    }
    try {
      const bytes = new Uint8Array(await file.arrayBuffer());
      this.read(this.decoded(bytes), file.name);
    } catch (error) {
      // A folder, or a file that is gone.
      this.refuse(error);
    }
  }

  /** The text of a file; an array of its bytes if it is none, or in an encoding that only the engine knows. */
  decoded(bytes) {
    try {
      return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch {
      const array = [...bytes];
      const charset = askReferee({ ask: "charset", bytes: array });
      try {
        return charset === null ? array : new TextDecoder(charset).decode(bytes);
      } catch {
        return array;
      }
    }
  }

  /**
   * Opens the record of a text or of bytes; of several games the person chooses one. `onBefore` stops what thinks about the game on
   * the board, `onAfter` lets it go on while that game stays.
   */
  async read(source, name = "") {
    try {
      if (source.length === 0 || (typeof source === "string" && source.trim() === "")) throw new Error(t("record.empty"));
      if (source.length > LARGEST) throw new Error(t("record.large"));
      this.onBefore();
      this.app.say(t("record.reading"));
      const board = this.app.board();
      const games = await this.app.games(source, board);
      if (games.every((game) => "error" in game)) throw new Error(games[0].error);
      this.file = { source, board, name, games, number: null, tree: null };
      this.app.say("");
      if (games.length === 1) await this.openGame(0);
      else {
        this.dialog.open(name, games, null);
        this.onAfter();
      }
    } catch (error) {
      this.refuse(error);
    }
  }

  /** Opens a game of the file, and says what should be known about it. */
  async openGame(number) {
    const { app, file } = this;
    try {
      this.onBefore();
      const read = await app.read(file, number);
      Object.assign(file, { number, tree: app.tree });
      byId("record-text").value = "";
      const rule = app.ruleName(app.tree.ground.rule);
      const name = file.games.length > 1 ? t("games.of", { name: file.name || t("games.text"), number: number + 1, count: file.games.length }) : file.name;
      const parts = [name ? t("record.opened", { name }) : t("record.opened_text")];
      if (read.unknown_rule !== null) parts.push(t("record.unknown_rule", { name: read.unknown_rule, rule }));
      else if (!read.isNamed) parts.push(t("record.no_rule", { rule }));
      this.onOpened();
      app.say([...parts, ...read.notes].join(" "), read.unknown_rule !== null);
    } catch (error) {
      this.refuse(error);
    }
  }

  /** Says why there is no game. Whoever does something else meanwhile has stopped the reading. */
  refuse(error) {
    const isStopped = error instanceof Stopped;
    this.app.say(isStopped ? "" : t("record.bad", { reason: error.message }), !isStopped);
    if (!isStopped) this.onAfter();
  }

  /** What the address leaves out, in words; empty if it has everything. */
  leftOut() {
    const { variations, comments, allComments } = this.app.left;
    const parts = [];
    if (variations > 0) parts.push(t("link.variations", { count: variations }));
    if (comments > 0) parts.push(t("link.comments", { count: comments, all: allComments }));
    return parts.length > 0 ? t("link.left", { what: parts.join(t("link.and")) }) : "";
  }

  draw() {
    const { app, file } = this;
    const hasOthers = file !== null && file.tree === app.tree && file.games.length > 1;
    byId("other-game").hidden = !hasOthers;
    if (hasOthers) byId("other-game").textContent = t("games.other", { number: file.number + 1, count: file.games.length });
    const list = byId("record-rule");
    const options = RULES.map(([number]) => [number, app.ruleName(number)]);
    const shown = options.map(([, text]) => text).join();
    if (list.dataset.shown !== shown) {
      list.replaceChildren(...options.map(([value, text]) => el("option", { value }, text)));
      list.dataset.shown = shown;
    }
    list.value = String(app.tree.ground.rule);
    byId("link-note").textContent = this.leftOut();
  }

  async drop(event) {
    event.preventDefault();
    const file = event.dataTransfer.files[0];
    if (file) await this.openFile(file);
    else this.read(event.dataTransfer.getData("text"));
  }

  paste(event) {
    if (document.querySelector("dialog[open]") || event.target.closest?.("input, textarea, select")) return;
    const file = event.clipboardData.files[0];
    if (file) this.openFile(file);
    else this.read(event.clipboardData.getData("text"));
    event.preventDefault();
  }

  save(format) {
    try {
      const text = this.app.write(format);
      const ending = format === "moves" ? "txt" : format;
      const address = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
      const link = Object.assign(document.createElement("a"), { href: address, download: `tengen.${ending}` });
      link.click();
      setTimeout(() => URL.revokeObjectURL(address), 10_000);
      this.app.say(t("record.saved", { name: link.download }));
    } catch (error) {
      this.app.say(error.message, true);
    }
  }

  async copyAddress() {
    try {
      await navigator.clipboard.writeText(location.href);
      this.app.say(`${t("record.copied")} ${this.leftOut()}`);
    } catch {
      byId("record-text").value = location.href;
      byId("record-text").select();
      this.app.say(`${t("record.copy")} ${this.leftOut()}`);
    }
  }
}
