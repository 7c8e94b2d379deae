// The board: a drawing, and above it a grid of cells for pointer, keyboard and screen readers.

import { el, svg } from "./dom.js";
import { pointName } from "./points.js";
import { t } from "./texts.js";

/** Below this width of a cell, in pixels, a finger taps twice: once to choose, once to play. */
const SMALL_CELL = 26;

/** The star points of a square board. */
function starPoints(width, height) {
  if (width !== height || width < 9 || width % 2 === 0) return [[(width - 1) / 2, (height - 1) / 2]].filter(() => width % 2 && height % 2);
  const near = width < 13 ? 2 : 3;
  const lines = [near, width - 1 - near];
  return [[(width - 1) / 2, (height - 1) / 2], ...lines.flatMap((x) => lines.map((y) => [x, y]))];
}

export class BoardView {
  /** `onPoint(point)` plays or chooses, `onMenu(point)` is the second action, `onLook(point | null)` follows the pointer. */
  constructor(place, { onPoint, onMenu, onLook }) {
    this.handlers = { onPoint, onMenu, onLook };
    this.place = place;
    this.cells = [];
    this.focus = null;
    this.chosen = null;
  }

  /** Builds the board for a size. */
  build(width, height) {
    if (this.width === width && this.height === height) return;
    Object.assign(this, { width, height, focus: Math.floor(height / 2) * width + Math.floor(width / 2), chosen: null });
    const [w, h] = [width + 0.8, height + 0.8];
    const lines = svg("g", { class: "lines" });
    for (let x = 0; x < width; x++) lines.append(svg("line", { x1: x, x2: x, y1: 0, y2: height - 1 }));
    for (let y = 0; y < height; y++) lines.append(svg("line", { y1: y, y2: y, x1: 0, x2: width - 1 }));
    lines.append(...starPoints(width, height).map(([cx, cy]) => svg("circle", { cx, cy, r: 0.1 })));
    const labels = svg("g", { class: "labels" });
    for (let x = 0; x < width; x++) labels.append(svg("text", { x, y: height - 0.2 }, String.fromCharCode(97 + x)));
    for (let y = 0; y < height; y++) labels.append(svg("text", { x: -0.76, y: y + 0.12 }, String(height - y)));
    this.layer = svg("g", {});
    const drawing = svg("svg", { viewBox: `-1.1 -0.7 ${w} ${h}`, "aria-hidden": "true", class: "drawing" }, lines, labels, this.layer);
    this.grid = el("div", { role: "grid", class: "grid", "aria-label": t("board.label", { width, height }) });
    this.cells = [];
    for (let y = 0; y < height; y++) {
      const row = el("div", { role: "row", class: "row" });
      for (let x = 0; x < width; x++) {
        const cell = el("div", { role: "gridcell", class: "cell", tabindex: "-1", "data-point": y * width + x });
        this.cells.push(cell);
        row.append(cell);
      }
      this.grid.append(row);
    }
    const share = (part, whole) => `${(100 * part) / whole}%`;
    this.grid.style.inset = `${share(0.2, h)} ${share(0.2, w)} ${share(0.6, h)} ${share(0.6, w)}`;
    this.place.style.setProperty("--columns", width);
    this.place.style.setProperty("--aspect", `${w} / ${h}`);
    this.place.replaceChildren(drawing, this.grid);
    this.listen();
    this.setFocus(this.focus, false);
  }

  listen() {
    const pointAt = (event) => {
      const cell = event.target.closest?.(".cell");
      return cell ? Number(cell.dataset.point) : null;
    };
    let isTouch = false;
    this.grid.addEventListener("pointerdown", (event) => (isTouch = event.pointerType === "touch"));
    this.grid.addEventListener("click", (event) => {
      const point = pointAt(event);
      if (point === null) return;
      this.setFocus(point, false);
      const isSmall = this.cells[0].getBoundingClientRect().width < SMALL_CELL;
      if (isTouch && isSmall && this.chosen !== point && !this.taken?.has(point)) {
        this.choose(point);
        this.handlers.onLook(point, true);
        return;
      }
      this.choose(null);
      this.handlers.onPoint(point);
    });
    this.grid.addEventListener("contextmenu", (event) => {
      const point = pointAt(event);
      if (point === null) return;
      event.preventDefault();
      this.handlers.onMenu(point);
    });
    this.grid.addEventListener("pointerover", (event) => {
      if (event.pointerType !== "touch") this.handlers.onLook(pointAt(event), false);
    });
    this.grid.addEventListener("pointerleave", () => this.handlers.onLook(null, false));
    this.grid.addEventListener("keydown", (event) => this.key(event));
    this.grid.addEventListener("focusin", (event) => {
      // A finger or the mouse focuses before it clicks: if the page moved in between, the click would be lost.
      if (event.target.matches(":focus-visible")) this.handlers.onLook(this.focus, false);
    });
  }

  /** The keys of the board: arrows and Home, End, PageUp, PageDown move, Enter and blank play, x blocks. */
  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const { width, height, focus } = this;
    let [x, y] = [focus % width, Math.floor(focus / width)];
    switch (event.key) {
      case "ArrowLeft": x -= 1; break;
      case "ArrowRight": x += 1; break;
      case "ArrowUp": y -= 1; break;
      case "ArrowDown": y += 1; break;
      case "Home": x = 0; break;
      case "End": x = width - 1; break;
      case "PageUp": y = 0; break;
      case "PageDown": y = height - 1; break;
      case "Enter": case " ": this.handlers.onPoint(focus); event.preventDefault(); return;
      case "x": case "X": this.handlers.onMenu(focus); event.preventDefault(); return;
      default: return;
    }
    event.preventDefault();
    event.stopPropagation();
    x = Math.min(Math.max(x, 0), width - 1);
    y = Math.min(Math.max(y, 0), height - 1);
    this.setFocus(y * width + x, true);
    this.handlers.onLook(this.focus, false);
  }

  setFocus(point, moves) {
    this.cells[this.focus].tabIndex = -1;
    this.focus = point;
    this.cells[point].tabIndex = 0;
    if (moves) this.cells[point].focus();
  }

  /** Shows a point as chosen by the first of two taps. */
  choose(point) {
    this.chosen = point;
    this.layer.querySelector(".chosen")?.remove();
    if (point !== null) this.layer.append(this.mark("chosen", point, 0.42));
  }

  at(point) {
    return { x: point % this.width, y: Math.floor(point / this.width) };
  }

  mark(kind, point, r) {
    const { x, y } = this.at(point);
    return svg("circle", { class: kind, cx: x, cy: y, r });
  }

  /** A text in a circle, as for a suggested move. */
  badge(kind, point, text) {
    const { x, y } = this.at(point);
    // Short texts are larger: on a phone a cell has 20 pixels.
    const size = text.length < 3 ? 0.42 : text.length === 3 ? 0.33 : 0.28;
    return svg("g", { class: kind }, svg("circle", { cx: x, cy: y, r: 0.4 }), svg("text", { x, y: y + 0.35 * size, "font-size": size }, text));
  }

  cross(kind, point, r) {
    const { x, y } = this.at(point);
    return svg("path", { class: kind, d: `M${x - r} ${y - r}L${x + r} ${y + r}M${x + r} ${y - r}L${x - r} ${y + r}` });
  }

  stone(point, { color, number }, isLast, hasNumbers) {
    const { x, y } = this.at(point);
    if (color === 2) return svg("rect", { class: "wall", x: x - 0.42, y: y - 0.42, width: 0.84, height: 0.84 });
    const kind = color === 0 ? "black" : "white";
    const group = svg("g", { class: `stone ${kind}` }, svg("circle", { cx: x, cy: y, r: 0.45 }));
    if (hasNumbers && number > 0) group.append(svg("text", { x, y: y + 0.13, class: isLast ? "last" : "" }, String(number)));
    else if (isLast) group.append(svg("circle", { class: "last", cx: x, cy: y, r: 0.13 }));
    return group;
  }

  /**
   * Draws a position: `stones` by point, the `last` move, `forbidden` points, a winning `row`, `hints` (`{ point, text }`, best
   * first), `blocked` points, a `line` of moves shown in advance and the color of its first one, the `played` mark.
   */
  draw(shown) {
    const { stones, last, forbidden, row, hints, blocked, line, lineSide, hasNumbers } = shown;
    this.taken = stones;
    const drawn = [];
    for (const [point, stone] of stones) drawn.push(this.stone(point, stone, point === last, hasNumbers));
    if (row.length > 1) {
      const [from, to] = [this.at(row[0]), this.at(row[row.length - 1])];
      drawn.push(svg("line", { class: "row", x1: from.x, y1: from.y, x2: to.x, y2: to.y }));
    }
    for (const point of forbidden) drawn.push(this.cross("forbidden", point, 0.2));
    for (const point of blocked) drawn.push(this.cross("blocked", point, 0.34));
    hints.forEach(({ point, text }, index) => drawn.push(this.badge(index === 0 ? "hint best" : "hint", point, text)));
    line.forEach((point, index) => {
      drawn.push(this.badge(`ghost ${(lineSide + index) % 2 === 0 ? "black" : "white"}`, point, String(index + 1)));
    });
    this.layer.replaceChildren(...drawn);
    if (this.chosen !== null && !stones.has(this.chosen)) this.choose(this.chosen);
    this.describe(shown);
  }

  /** Says for each cell what is on it. */
  describe({ stones, last, forbidden, blocked, hints }) {
    this.cells.forEach((cell, point) => {
      const stone = stones.get(point);
      const parts = [pointName(point, this.width, this.height)];
      if (stone) parts.push(t(["black", "white", "wall"][stone.color]));
      if (stone?.number) parts.push(t("board.move", { number: stone.number }));
      if (point === last) parts.push(t("board.last"));
      if (forbidden.includes(point)) parts.push(t("board.forbidden"));
      if (blocked.includes(point)) parts.push(t("board.blocked"));
      const hint = hints.find((shown) => shown.point === point);
      if (hint) parts.push(t("board.hint", { text: hint.text }));
      const label = parts.join(", ");
      if (cell.getAttribute("aria-label") !== label) cell.setAttribute("aria-label", label);
    });
  }
}
