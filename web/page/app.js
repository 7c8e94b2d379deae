// The game on the page, and everything that happens to it. Views listen and draw.

import { askReferee } from "./referee.js";
import { newGame, save } from "./state.js";
import { GameTree } from "./tree.js";

/** The length from which on a record is not read in an instant, in characters: it takes about half a second for each million. */
const LONG = 200_000;

export class App {
  /** `engine` answers questions, `settings` are kept between visits. */
  constructor(engine, game, settings) {
    Object.assign(this, { engine, game, settings });
    this.listeners = [];
    this.judged = new Map();
    /** One line for the person, and whether it is about a mistake. */
    this.message = { text: "", isError: false };
    /** Moves shown in advance on the board. */
    this.shown = [];
    /** How many variations and comments the address leaves out. */
    this.left = { variations: 0, comments: 0, allComments: 0 };
  }

  /** Calls `listener` after every change. */
  listen(listener) {
    this.listeners.push(listener);
  }

  /** Tells everybody that something changed; `keeps` leaves what is stored as it is. */
  changed(keeps = false) {
    if (!keeps) this.left = save(this.game, this.settings);
    for (const listener of this.listeners) listener();
  }

  /** Says something to the person. */
  say(text, isError = false) {
    this.message = { text, isError };
    this.changed(true);
  }

  get tree() {
    return this.game.tree;
  }

  get at() {
    return this.game.at;
  }

  /** What the rules say about a node: see `referee::judge` of the engine. */
  judge(at = this.at) {
    if (!this.judged.has(at)) this.judged.set(at, askReferee({ ask: "judge", position: this.tree.position(at) }));
    return this.judged.get(at);
  }

  /** Whether the game is over here, by the rules or by the clock. */
  isOver(at = this.at) {
    return this.judge(at).end !== null || this.game.late?.at === at;
  }

  /** Whether a move may be played here; the reason as a key of the texts if not. */
  refusal(point, at = this.at) {
    if (this.tree.stones(at).has(point)) return "refused.taken";
    if (this.isOver(at)) return "refused.over";
    if (this.judge(at).forbidden.includes(point)) return "refused.forbidden";
    return null;
  }

  /**
   * Plays a move here and goes to it. A move of a game, unlike one of an analysis, is the main line from now on, and what a record
   * says about its result holds no longer.
   */
  play(point) {
    const known = this.tree.nodes.length;
    const node = this.tree.play(this.at, point);
    if (this.settings.tab === "play") {
      this.promote(node);
      if (this.tree.nodes.length > known) this.game.winner = null;
    }
    this.go(node);
  }

  /** Makes the variation of a node the main line. What a record says about its result was said of another line. */
  promote(at) {
    if (this.tree.promote(at)) this.game.winner = null;
  }

  /** Goes to a node. */
  go(at) {
    this.game.at = at;
    this.tree.remember(at);
    this.shown = [];
    this.message = { text: "", isError: false };
    this.changed();
  }

  /** Replaces the game. */
  open(game) {
    this.game = game;
    this.judged.clear();
    this.shown = [];
    this.message = { text: "", isError: false };
    this.changed();
  }

  /**
   * What a record in any format has: see `records::games` of the engine. `source` is a text or an array of bytes, `board` the one for
   * records that name none.
   */
  games(source, board) {
    return this.askRecord({ ask: "games", source, board });
  }

  /** Asks about a record; one that takes long is read in a worker, so that the page stays awake. */
  askRecord(question) {
    return question.source.length < LONG ? askReferee(question) : this.engine.ask(question, undefined, true);
  }

  /** Reads the game with this number of a record and opens it at its end; throws one line if it is none. */
  async read({ source, board }, number) {
    const question = { ask: "read", source, board, game: number };
    const { game: record, rule, unknown_rule, notes } = await this.askRecord(question);
    // A rule of which the record says nothing is that of the board.
    const tree = GameTree.fromRecord(record, rule ?? (unknown_rule === null ? this.tree.ground.rule : 0));
    const at = tree.end(0);
    askReferee({ ask: "judge", position: tree.position(at) });
    const { players: names, winner, opening } = record;
    this.open({ ...newGame(), tree, at, players: ["person", "person"], names, winner, opening, level: this.game.level });
    return { isNamed: rule !== null, unknown_rule, notes };
  }

  board() {
    const { width, height } = this.tree.ground;
    return [width, height];
  }

  /** Takes another rule for the game on the board. What was found out under the old one is forgotten. */
  setRule(rule) {
    this.tree.setRule(rule);
    this.judged.clear();
    this.go(this.at);
  }

  /** The game as a record; `format` is `sgf`, `psq` or `moves`. */
  write(format) {
    const at = format === "sgf" ? this.at : this.tree.end(this.at);
    const { names, players, late, opening } = this.game;
    const isLate = late?.at > 0 && this.tree.isMain(late.at);
    const winner = isLate ? 1 - late.side : this.game.winner;
    const written = names.map((name, side) => (players[side] === "engine" ? "Tengen" : name));
    const record = this.tree.toRecord(at, written);
    return askReferee({ ask: "write", format, game: { ...record, winner, late: isLate, opening } });
  }
}
