// Review: every move of the line on the board judged, and the curve of the winning chance.

import { byId, el, hasNews, replace, svg } from "./dom.js";
import { Stopped } from "./engine.js";
import { pointName } from "./points.js";
import { languageInUse, t } from "./texts.js";
import { chanceText } from "./analysis.js";

/** Marks that are shown, with their signs as chess uses them. */
export const SIGNS = { inaccuracy: "?!", mistake: "?", "missed win": "??" };

/** Black's chance from that of the side to move. */
function ofBlack(chance, side) {
  return side === 0 ? chance : 1 - chance;
}

export class Review {
  constructor(app) {
    this.app = app;
    this.isBusy = false;
    this.progress = null;
  }

  /** Judges the moves up to the end of the line on the board. */
  async start(nodes) {
    const { app } = this;
    if (this.isBusy) {
      app.engine.cancel();
      return;
    }
    const { tree } = app;
    const end = tree.end(app.at);
    const path = tree.path(end);
    const { opening } = app.game;
    if (path.length <= opening) {
      app.say(t("review.empty"), true);
      return;
    }
    this.isBusy = true;
    this.progress = 0;
    app.changed(true);
    try {
      const question = { ask: "review", position: tree.position(end), nodes, imposed: opening };
      const moves = await app.engine.ask(question, ({ done, of }) => {
        this.progress = done / of;
        app.changed(true);
      }, true);
      moves.forEach((judged, index) => (tree.nodes[path[opening + index]].judged = judged));
      tree.changes += 1;
      app.changed();
      app.say(this.summary(moves));
    } catch (error) {
      app.say(error instanceof Stopped ? t("review.stopped") : error.message, !(error instanceof Stopped));
    } finally {
      this.isBusy = false;
      app.changed(true);
    }
  }

  /** How often each player went wrong, in one line. */
  summary(moves) {
    const count = (color, mark) => moves.filter((judged) => judged.color === color && judged.mark === mark).length;
    const of = (color) => t("review.summary", {
      player: t(color === 0 ? "black" : "white"),
      inaccuracies: count(color, "inaccuracy"),
      mistakes: count(color, "mistake"),
      missed: count(color, "missed win"),
    });
    return `${of(0)} ${of(1)}`;
  }

  /** Black's chance after each move of a path, from a review or an analysis; null where it is unknown. */
  chances(path) {
    const { tree } = this.app;
    return path.map((node) => {
      const { judged, worth } = tree.nodes[node];
      if (judged) return ofBlack(judged.after.chance, judged.color);
      return worth ? ofBlack(worth.chance, tree.side(node)) : null;
    });
  }

  /** Draws button, progress, curve and the remark on the move on the board. */
  draw() {
    byId("review-start").textContent = t(this.isBusy ? "review.cancel" : "review.start");
    const bar = byId("review-progress");
    bar.hidden = !this.isBusy;
    bar.value = this.progress ?? 0;
    this.drawCurve();
    this.drawRemark();
  }

  drawCurve() {
    const { app } = this;
    const path = app.tree.path(app.tree.end(app.at));
    const chances = this.chances(path);
    const place = byId("curve");
    const known = chances.filter((chance) => chance !== null).length;
    place.hidden = known < 2;
    byId("curve-empty").hidden = known >= 2;
    if (known < 2 || !hasNews(place, app.tree, app.at, app.tree.changes, path.join(), chances.join(), languageInUse())) return;
    const [width, height, count] = [100, 36, Math.max(path.length, 2)];
    const x = (index) => (index * width) / (count - 1);
    const y = (chance) => height * (1 - chance);
    const points = chances.map((chance, index) => [index, chance]).filter(([, chance]) => chance !== null);
    const line = points.map(([index, chance], i) => `${i ? "L" : "M"}${x(index).toFixed(2)} ${y(chance).toFixed(2)}`).join("");
    const area = `${line}L${x(points[points.length - 1][0])} ${height}L${x(points[0][0])} ${height}Z`;
    const marks = path.map((node, index) => this.curveMark(app.tree.nodes[node].judged, x(index), y(chances[index] ?? 0.5)));
    const here = path.indexOf(app.at);
    const picture = svg("svg", { viewBox: `-1.5 -2 ${width + 3} ${height + 4}`, role: "img", "aria-label": this.curveText(path, chances) },
      svg("path", { class: "area", d: area }),
      svg("line", { class: "half", x1: 0, x2: width, y1: height / 2, y2: height / 2 }),
      svg("path", { class: "line", d: line }),
      here >= 0 ? svg("line", { class: "here", x1: x(here), x2: x(here), y1: -1, y2: height + 1 }) : null,
      ...marks);
    picture.addEventListener("click", (event) => {
      const box = picture.getBoundingClientRect();
      const share = ((event.clientX - box.left) / box.width) * (width + 3) - 1.5;
      const index = Math.round((share / width) * (count - 1));
      app.go(path[Math.min(Math.max(index, 0), path.length - 1)]);
      this.onJump?.();
    });
    place.replaceChildren(picture);
  }

  /** A mark on the curve; the kinds differ in shape, not in colour alone. */
  curveMark(judged, x, y) {
    switch (judged?.mark) {
      case "inaccuracy": return svg("circle", { class: "mark inaccuracy", cx: x, cy: y, r: 1.1 });
      case "mistake": return svg("path", { class: "mark mistake", d: `M${x - 1.6} ${y + 1.3}L${x + 1.6} ${y + 1.3}L${x} ${y - 1.6}Z` });
      case "missed win": return svg("path", { class: "mark missed", d: `M${x} ${y - 2}L${x + 1.7} ${y}L${x} ${y + 2}L${x - 1.7} ${y}Z` });
      default: return null;
    }
  }

  curveText(path, chances) {
    const wrong = path.filter((node) => SIGNS[this.app.tree.nodes[node].judged?.mark]);
    const last = chances.findLast((chance) => chance !== null);
    return t("curve.label", { moves: path.length, wrong: wrong.length, chance: Math.round(last * 100) });
  }

  /** What the review says about the move on the board. */
  drawRemark() {
    const { app } = this;
    const { judged } = app.tree.nodes[app.at];
    const place = byId("review-remark");
    if (!hasNews(place, app.tree, app.at, judged, languageInUse())) return;
    if (!judged) {
      place.replaceChildren();
      return;
    }
    const { width, height } = app.tree.ground;
    const name = (point) => pointName(point, width, height);
    const parts = [el("strong", {}, `${name(judged.point)} ${t(`mark.${judged.mark}`)}`)];
    const [before, after] = [chanceText(judged.before), chanceText(judged.after)];
    const isProven = judged.after.plies !== null;
    parts.push(` · ${isProven && before === after ? after : t("review.chance", { before, after })}. `);
    if (judged.missed) parts.push(`${t("review.missed", { plies: judged.missed })} `);
    if (judged.allowed) parts.push(`${t("review.allowed", { plies: judged.allowed })} `);
    const better = judged.before.line;
    if (SIGNS[judged.mark] && better[0] !== judged.point) {
      parts.push(el("button", { type: "button", class: "better", "data-key": "better", onclick: () => this.showBetter(better) },
        t("review.better", { moves: better.slice(0, 6).map(name).join(" ") })));
    }
    replace(place, ...parts);
  }

  /** Plays the better line into the tree, from before the judged move. */
  showBetter(line) {
    const { tree, at } = this.app;
    let node = tree.nodes[at].parent;
    for (const point of line) {
      if (this.app.refusal(point, node)) break;
      node = tree.play(node, point);
    }
    const first = tree.path(node)[tree.path(at).length - 1];
    this.app.go(first ?? node);
    this.onJump?.();
  }
}

