// Records: opened from a file, by drop, by paste; saved as files; the address to share.

import { byId } from "./dom.js";
import { t } from "./texts.js";

/** The largest file that is read, in bytes. */
const LARGEST = 2_000_000;

export class RecordPanel {
  constructor(app) {
    this.app = app;
    byId("open-file").addEventListener("click", () => byId("file").click());
    byId("file").addEventListener("change", async () => {
      await this.openFile(byId("file").files[0]);
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
    const bytes = new Uint8Array(await file.arrayBuffer());
    let text = "";
    try {
      text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch {
      // A library of RenLib, or a text in another encoding: the engine knows them.
      text = bytes;
    }
    this.read(text, file.name);
  }

  /** Opens the record of a text, or of bytes that are no UTF-8. */
  read(text, name = "") {
    try {
      if (text.length === 0 || (typeof text === "string" && text.trim() === "")) throw new Error(t("record.empty"));
      if (text.length > LARGEST) throw new Error(t("record.large"));
      this.onBefore();
      this.app.read(text);
      byId("record-text").value = "";
      this.app.say(t("record.opened", { name }));
      this.onOpened();
    } catch (error) {
      this.app.say(t("record.bad", { reason: error.message }), true);
    }
  }

  async drop(event) {
    event.preventDefault();
    const file = event.dataTransfer.files[0];
    if (file) await this.openFile(file);
    else this.read(event.dataTransfer.getData("text"));
  }

  paste(event) {
    if (event.target.closest?.("input, textarea, select, dialog")) return;
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
      this.app.say(t("record.copied"));
    } catch {
      byId("record-text").value = location.href;
      byId("record-text").select();
      this.app.say(t("record.copy"));
    }
  }
}
