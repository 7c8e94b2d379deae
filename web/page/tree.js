// A game with its variations: a tree of moves. Node 0 is the position before the first move.

import { pointName, pointOf } from "./points.js";

/** The largest number of moves that a tree may have. */
const MOST_NODES = 20000;

export class GameTree {
  constructor(ground) {
    /** Rule, width, height, setup (`[[point, cell] ...]`) and `white_first`. */
    this.ground = { rule: 0, width: 15, height: 15, setup: [], white_first: false, ...ground };
    this.nodes = [{ point: null, parent: null, children: [] }];
    /** How often variations were moved or cut, or moves were judged. */
    this.changes = 0;
  }

  /** The nodes from the first move to this one. */
  path(at) {
    const path = [];
    for (let node = at; node > 0; node = this.nodes[node].parent) path.push(node);
    return path.reverse();
  }

  /** The points played up to this node. */
  moves(at) {
    return this.path(at).map((node) => this.nodes[node].point);
  }

  /** The position at this node, as the engine reads it. */
  position(at) {
    return { ...this.ground, moves: this.moves(at) };
  }

  /** 0 where black is to move, 1 where white is. */
  side(at) {
    return (this.path(at).length + (this.ground.white_first ? 1 : 0)) % 2;
  }

  /** What is on each point: `{ color, number }` by point; color 2 is a dead square, number 0 a set-up stone. */
  stones(at) {
    const stones = new Map();
    for (const [point, cell] of this.ground.setup) stones.set(point, { color: cell - 1, number: 0 });
    const first = this.ground.white_first ? 1 : 0;
    this.moves(at).forEach((point, index) => stones.set(point, { color: (first + index) % 2, number: index + 1 }));
    return stones;
  }

  /** Plays a point after a node; returns the node of the move, an old one if it was played before. */
  play(at, point) {
    const known = this.nodes[at].children.find((child) => this.nodes[child].point === point);
    if (known !== undefined) return known;
    if (this.nodes.length > MOST_NODES) throw new Error("too many moves");
    this.nodes.push({ point, parent: at, children: [] });
    this.nodes[at].children.push(this.nodes.length - 1);
    return this.nodes.length - 1;
  }

  /** The last node of the line that goes on from a node. */
  end(at) {
    while (this.nodes[at].children.length > 0) at = this.next(at);
    return at;
  }

  /** The move after a node that was looked at last, or the first one; the node itself at the end. */
  next(at) {
    const { children, last } = this.nodes[at];
    return children.includes(last) ? last : (children[0] ?? at);
  }

  /** Remembers the way to a node, so that going forward takes it again. */
  remember(at) {
    for (let node = at; node > 0; node = this.nodes[node].parent) this.nodes[this.nodes[node].parent].last = node;
  }

  /** Whether a node is on the main line. */
  isMain(at) {
    return this.path(at).every((node) => this.nodes[this.nodes[node].parent].children[0] === node);
  }

  /** Makes the variation of a node the first one after its parent, all the way up. Returns whether it was another one. */
  promote(at) {
    if (this.isMain(at)) return false;
    this.changes += 1;
    for (let node = at; node > 0; node = this.nodes[node].parent) {
      const siblings = this.nodes[this.nodes[node].parent].children;
      siblings.splice(siblings.indexOf(node), 1);
      siblings.unshift(node);
    }
    return true;
  }

  /** Changes the rule; what searches have said under the old one goes. */
  setRule(rule) {
    this.changes += 1;
    this.ground.rule = rule;
    for (const node of this.nodes) Object.assign(node, { judged: undefined, worth: undefined });
  }

  /** Cuts a node and what follows it; returns its parent. Nodes keep their numbers. */
  cut(at) {
    this.changes += 1;
    const parent = this.nodes[at].parent;
    const siblings = this.nodes[parent].children;
    siblings.splice(siblings.indexOf(at), 1);
    return parent;
  }

  /** All nodes from the root on, a move before what follows it, the first variation first. */
  inOrder() {
    const order = [];
    const open = [0];
    while (open.length > 0) {
      const node = open.pop();
      if (node > 0) order.push(node);
      open.push(...this.nodes[node].children.toReversed());
    }
    return order;
  }

  /** The moves as text, variations in brackets after the move that they replace: `h8i9(j10k11)h9`. */
  toText() {
    const { width, height } = this.ground;
    const name = (node) => pointName(this.nodes[node].point, width, height);
    let text = "";
    const open = [[0, ""]];
    while (open.length > 0) {
      const [node, closing] = open.pop();
      if (node === null) {
        text += closing;
        continue;
      }
      const [first, ...others] = this.nodes[node].children;
      if (first === undefined) continue;
      text += name(first);
      open.push([first, ""]);
      for (const other of others.toReversed()) {
        open.push([null, ")"], [other, ""], [null, `(${name(other)}`]);
      }
    }
    return text;
  }

  /** Adds the moves of a text; throws one line if it is not such a text. */
  addText(text) {
    const { width, height } = this.ground;
    const open = [];
    let [at, before] = [0, 0];
    for (const word of text.match(/[a-z]\d+|[()]|[^]/gi) ?? []) {
      if (word === "(") {
        open.push([at, before]);
        at = before;
      } else if (word === ")") {
        if (open.length === 0) throw new Error("a bracket too many");
        [at, before] = open.pop();
      } else {
        const point = pointOf(word, width, height);
        if (point === null) throw new Error(`'${word}' is not a point of the board`);
        if (this.stones(at).has(point)) throw new Error(`${word} is taken`);
        before = at;
        at = this.play(at, point);
      }
    }
  }

  /** How many lines of play there are beside the main line. */
  countVariations() {
    const branches = [0, ...this.inOrder()].map((node) => Math.max(this.nodes[node].children.length - 1, 0));
    return branches.reduce((sum, more) => sum + more, 0);
  }

  /** The line through a node alone, up to its end, as a tree; and the node in it. */
  lineThrough(at) {
    const tree = new GameTree(this.ground);
    tree.nodes[0].comment = this.nodes[0].comment;
    let end = 0;
    for (const node of this.path(this.end(at))) {
      end = tree.play(end, this.nodes[node].point);
      tree.nodes[end].comment = this.nodes[node].comment;
    }
    return { tree, at: this.path(at).length };
  }

  /** The tree as the engine writes records. */
  toRecord(at, players) {
    const order = this.inOrder();
    const number = new Map(order.map((node, index) => [node, index]));
    const nodes = order.map((node) => {
      const { point, parent, comment, judged } = this.nodes[node];
      return { point, parent: parent === 0 ? null : number.get(parent), comment: comment ?? "", judged };
    });
    return { position: this.position(at), nodes, players, comment: this.nodes[0].comment ?? "" };
  }

  /** The tree that the engine has read. */
  static fromRecord({ position, nodes, comment: before }, rule) {
    const { width, height, setup, white_first } = position;
    const tree = new GameTree({ rule, width, height, setup, white_first });
    if (before) tree.nodes[0].comment = before;
    const made = [];
    for (const { point, parent, comment, judged } of nodes) {
      const node = tree.play(parent === null ? 0 : made[parent], point);
      if (comment) tree.nodes[node].comment = comment;
      if (judged) tree.nodes[node].judged = judged;
      made.push(node);
    }
    return tree;
  }
}
