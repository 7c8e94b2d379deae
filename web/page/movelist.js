// The moves of the game: the line that goes on first, variations in brackets.

import { byId, el, hasNews, replace } from "./dom.js";
import { pointName } from "./points.js";
import { SIGNS } from "./review.js";
import { languageInUse, t } from "./texts.js";

export class MoveList {
  constructor(app) {
    this.app = app;
  }

  draw() {
    const { app } = this;
    const { tree, at } = app;
    const list = byId("moves");
    // A tree may be large.
    if (!hasNews(list, tree, at, tree.nodes.length, tree.changes, app.settings.tab, languageInUse())) return;
    const rows = [this.button(0, t("moves.start"))];
    // A stack of nodes whose children are to be shown, and of rows that wait.
    const open = [{ node: 0, number: 0, into: rows }];
    while (open.length > 0) {
      const { node, number, into } = open.pop();
      const [first, ...others] = tree.nodes[node].children;
      if (first === undefined) continue;
      into.push(this.move(first, number + 1));
      for (const other of others) {
        const row = el("div", { class: "variation" });
        const inner = [this.move(other, number + 1)];
        this.line(other, number + 1, inner);
        row.append(...inner);
        into.push(row);
      }
      open.push({ node: first, number: number + 1, into });
    }
    replace(list, ...rows);
    this.show(list.querySelector("[aria-current]"));
    // On the main line there is nothing to promote, and whoever plays takes moves back.
    const isMain = tree.isMain(at);
    byId("variation-tools").hidden = at === 0 || (isMain && app.settings.tab === "play");
    byId("promote").hidden = isMain;
    const { comment } = tree.nodes[app.at];
    byId("comment").hidden = !comment;
    byId("comment").textContent = comment ?? "";
  }

  /** Scrolls the list, and not the page, to a move. */
  show(move) {
    const list = byId("moves");
    const [place, box] = [move.getBoundingClientRect(), list.getBoundingClientRect()];
    if (place.top < box.top) list.scrollTop -= box.top - place.top;
    else if (place.bottom > box.bottom) list.scrollTop += place.bottom - box.bottom;
  }

  /** Adds the moves after a node of a variation, variations within it in brackets. */
  line(node, number, into) {
    const { tree } = this.app;
    const open = [{ node, number }];
    while (open.length > 0) {
      const step = open.pop();
      if (step.text) {
        into.push(step.text);
        continue;
      }
      const [first, ...others] = tree.nodes[step.node].children;
      if (step.shows) into.push(this.move(step.node, step.number));
      if (first === undefined) continue;
      open.push({ node: first, number: step.number + 1, shows: others.length === 0 });
      if (others.length === 0) continue;
      into.push(this.move(first, step.number + 1));
      for (const other of others.toReversed()) {
        open.push({ text: ") " }, { node: other, number: step.number + 1, shows: true }, { text: " (" });
      }
    }
  }

  move(node, number) {
    const { ground, nodes } = this.app.tree;
    const sign = SIGNS[nodes[node].judged?.mark] ?? "";
    return this.button(node, `${number}. ${pointName(nodes[node].point, ground.width, ground.height)}${sign}`, sign);
  }

  button(node, text, sign = "") {
    const { app } = this;
    const kind = { "?!": " inaccuracy", "?": " mistake", "??": " missed" }[sign] ?? "";
    return el("button", {
      type: "button",
      class: `move${kind}`,
      "data-key": `node ${node}`,
      "aria-current": node === app.at ? "step" : null,
      title: sign ? t(`mark.${app.tree.nodes[node].judged.mark}`) : null,
      onclick: () => this.onJump(node),
    }, text);
  }
}
