// What the page remembers: the game with its variations, who plays, and the settings; in the address and between visits.

import { GameTree } from "./tree.js";
import { pointName, pointOf } from "./points.js";

/** The rules by number, with the names that addresses use. */
export const RULES = [[0, "freestyle"], [1, "standard"], [4, "renju"], [8, "caro"], [9, "caro-exact"]];

/** Fewest and most points of a side of the board. */
export const SMALLEST = 5;
export const LARGEST = 22;

/** The results of games by their numbers: the colour of the winner, or a draw. */
export const RESULTS = ["black", "white", "draw"];

const KEY = "tengen";
const CELLS = ["B", "W", "X"];
const KINDS = ["person", "engine"];
/** The longest name of a player, in characters. */
const LONGEST_NAME = 200;
/** The longest address, in characters: what mail and chat programs pass on. */
const LONGEST = 8000;

/** A new game. */
export function newGame(ground = {}) {
  return {
    tree: new GameTree(ground),
    at: 0,
    /** Who plays black and white. */
    players: ["person", "engine"],
    names: ["", ""],
    /** Strength of the engine, and seconds for each of its moves. */
    level: 20,
    seconds: 3,
    /** Minutes of each player's clock, 0 for none; milliseconds used; who ran out of time, at which node: `{ side, at }`, `at` null if that is cut off. */
    minutes: 0,
    used: [0, 0],
    late: null,
    /** The result that the record of the game names, a number of `RESULTS`; null without one. */
    winner: null,
    /** Stones of an opening that nobody chose as a good move: an undo stops after them, and a review begins there. */
    opening: 0,
    /** Swap2: what is to be done, and who opens and who chooses; null after that. */
    swap: null,
    seed: Math.floor(Math.random() * 1e9),
  };
}

/** A text within a field that has several. */
function quoted(text) {
  return encodeURIComponent(text).replaceAll("~", "%7E");
}

/** The place of a node in the order of the address, 0 for the start; null if it is cut off. */
function placeOf(tree, node) {
  if (node === 0) return 0;
  const index = tree.inOrder().indexOf(node);
  return index < 0 ? null : index + 1;
}

function fieldsOf(game) {
  const { tree, at, late, players, swap } = game;
  const { rule, width, height, setup, white_first } = tree.ground;
  const fields = [
    ["rule", RULES.find(([number]) => number === rule)[1]],
    ["size", width === height ? width : `${width}x${height}`],
    ["moves", tree.toText()],
    ["at", placeOf(tree, at)],
    ["black", players[0]],
    ["white", players[1]],
    ["level", game.level],
    ["seconds", game.seconds],
    ["setup", setup.map(([point, cell]) => CELLS[cell - 1] + pointName(point, width, height)).join("")],
    ["first", white_first ? "white" : ""],
    ["clock", game.minutes || ""],
    ["used", game.minutes ? game.used.map((ms) => Math.round(ms / 1000)).join("-") : ""],
    ["late", late ? [late.side, placeOf(tree, late.at)].filter((part) => part !== null).join("-") : ""],
    ["opening", game.opening || ""],
    ["swap", swap ? `${swap.stage}-${swap.by.join("-")}` : ""],
    ["result", RESULTS[game.winner] ?? ""],
    ["names", game.names.some((name) => name) ? game.names.map(quoted).join("~") : ""],
  ];
  return fields.filter(([, value]) => value !== "").map(([key, value]) => `${key}=${value}`).join("&");
}

/**
 * The game as the part of an address after `#`. Beyond `longest` characters variations are left out, then comments; `left` says
 * how many of each, and how many comments there are.
 */
export function toAddress(game, longest = Infinity) {
  let { tree } = game;
  let address = fieldsOf(game);
  const allComments = [0, ...tree.inOrder()].filter((node) => tree.nodes[node].comment).length;
  const left = { variations: 0, comments: 0, allComments };
  if (address.length > longest) {
    left.variations = tree.countVariations();
    const { at, late } = game;
    const place = [0, ...tree.path(tree.end(at))].indexOf(late?.at);
    const cut = tree.lineThrough(at);
    // In the line the number of a node is its place.
    address = fieldsOf({ ...game, ...cut, late: late && { ...late, at: place < 0 ? null : place } });
    ({ tree } = cut);
  }
  let kept = 0;
  [0, ...tree.inOrder()].forEach((node, index) => {
    const { comment } = tree.nodes[node];
    if (!comment) return;
    const more = `${kept > 0 ? "~" : "&comments="}${index}:${quoted(comment)}`;
    if (address.length + more.length > longest) return;
    address += more;
    kept += 1;
  });
  left.comments = allComments - kept;
  return { address, left };
}

function whole(text, least, most, other) {
  const number = Number(text);
  return text !== undefined && Number.isInteger(number) && number >= least && number <= most ? number : other;
}

/** The game of an address; throws one line if it has none. */
export function fromAddress(address) {
  const fields = Object.fromEntries(address.split("&").map((field) => {
    const [key, ...rest] = field.split("=");
    const value = rest.join("=");
    // The others have several parts, each of which is decoded by itself.
    return [key, ["names", "comments"].includes(key) ? value : decodeURIComponent(value)];
  }));
  const rule = RULES.find(([number, name]) => name === fields.rule || String(number) === fields.rule);
  if (fields.rule !== undefined && !rule) throw new Error(`rule=${fields.rule}: unknown`);
  const [width, height = width] = (fields.size ?? "15").split("x").map(Number);
  for (const side of [width, height]) {
    if (!(Number.isInteger(side) && side >= SMALLEST && side <= LARGEST)) throw new Error(`size=${fields.size}: ${SMALLEST} to ${LARGEST}`);
  }
  const setup = (fields.setup ?? "").match(/[BWX][a-v]\d+/g) ?? [];
  const cells = setup.map((word) => [pointOf(word.slice(1), width, height), CELLS.indexOf(word[0]) + 1]);
  if (cells.some(([point]) => point === null)) throw new Error(`setup=${fields.setup}`);
  const game = newGame({ rule: rule ? rule[0] : 0, width, height, setup: cells, white_first: fields.first === "white" });
  game.tree.addText((fields.moves ?? "").replace(/[\s,]/g, ""));
  const order = game.tree.inOrder();
  const nodeAt = (place, other) => [0, ...order][whole(place, 0, order.length, null)] ?? other;
  game.at = nodeAt(fields.at, game.tree.end(0));
  // Whoever follows a link to a position wants to look at it.
  game.players = [fields.black, fields.white].map((kind) => (KINDS.includes(kind) ? kind : "person"));
  game.level = whole(fields.level, 0, 100, game.level);
  game.seconds = whole(fields.seconds, 1, 600, game.seconds);
  game.minutes = whole(fields.clock, 0, 600, 0);
  const used = (fields.used ?? "0-0").split("-").map((seconds) => whole(seconds, 0, 1e6, 0) * 1000);
  game.used = [used[0] ?? 0, used[1] ?? 0];
  const [side, place] = (fields.late ?? "").split("-");
  if (["0", "1"].includes(side)) game.late = { side: Number(side), at: nodeAt(place, null) };
  const [stage, ...by] = (fields.swap ?? "").split("-");
  if (["open", "choose", "two", "last"].includes(stage) && by.length === 2 && by.every((kind) => KINDS.includes(kind))) {
    game.swap = { stage, by };
  }
  game.winner = RESULTS.includes(fields.result) ? RESULTS.indexOf(fields.result) : null;
  game.opening = whole(fields.opening, 0, LARGEST * LARGEST, 0);
  // By characters: half of one could not be written again.
  const names = (fields.names ?? "").split("~").map((name) => [...decodeURIComponent(name)].slice(0, LONGEST_NAME).join(""));
  game.names = [names[0] ?? "", names[1] ?? ""];
  for (const part of (fields.comments ?? "").split("~")) {
    const [index, text = ""] = part.split(":");
    const node = [0, ...order][Number(index)];
    if (node !== undefined && text !== "") game.tree.nodes[node].comment = decodeURIComponent(text);
  }
  return game;
}

/** The settings, which are not part of the game. */
export const SETTINGS = { language: "", theme: "auto", numbers: false, lines: 3, tab: "play" };

/** What a review has said about moves, by the place of the move in the tree. */
function remarks(tree) {
  return tree.inOrder().map((node, index) => [index, tree.nodes[node].judged]).filter(([, judged]) => judged);
}

/** Puts remarks that were saved back to their moves. */
function restoreRemarks(tree, saved = []) {
  const order = tree.inOrder();
  for (const [index, judged] of saved) {
    if (order[index] !== undefined) tree.nodes[order[index]].judged = judged ?? undefined;
  }
}

/** The stores of the browser: that of this window first, so that several windows do not mix up their games. */
const STORES = ["sessionStorage", "localStorage"];

function loadFrom(store) {
  try {
    return JSON.parse(globalThis[store].getItem(KEY)) ?? {};
  } catch {
    return {};
  }
}

/** What was saved last: `{ settings, address, whole, remarks }`. */
export function load() {
  return loadFrom("localStorage");
}

/** The game of an address, with what was saved about it and does not fit into the address; without an address that of the last visit, or null. */
export function restore(address) {
  const saved = STORES.map(loadFrom).find((one) => one.address === address) ?? (address === "" ? load() : {});
  const text = saved.whole ?? saved.address ?? address;
  if (text === "") return null;
  const game = fromAddress(text);
  restoreRemarks(game.tree, saved.remarks);
  return game;
}

function store(name, saved) {
  try {
    globalThis[name].setItem(KEY, JSON.stringify(saved));
  } catch {
    // The browser does not keep data for this page, or not so much.
  }
}

/** What this window saved last: the game, the game without the place in it, and the settings; null before that. */
let last = null;

/** The game that is saved next is one that this window only shows. */
export function forgetSaved() {
  last = null;
}

/**
 * Saves the game for a reload, where the browser allows it, and puts it into the address; for the next visit, if this window changed it
 * last. Returns what does not fit into the address.
 */
export function save(game, settings) {
  const { address, left } = toAddress(game, LONGEST);
  try {
    history.replaceState(null, "", `#${address}`);
  } catch {
    // A browser limits how often the address may change; the next move brings it up to date.
  }
  const isWhole = left.variations + left.comments === 0;
  const saved = { settings, address, whole: isWhole ? undefined : toAddress(game).address, remarks: remarks(game.tree) };
  store("sessionStorage", saved);
  const text = saved.whole ?? address;
  const [before, kept] = [last, load()];
  last = { text, content: JSON.stringify([text.replace(/&(at|used)=[\d-]+/g, ""), saved.remarks]), settings: JSON.stringify(settings) };
  const isChanged = before !== null && last.content !== before.content;
  const isKept = before !== null && before.text === (kept.whole ?? kept.address);
  if (isChanged || isKept || kept.address === undefined) store("localStorage", saved);
  else if (last.settings !== before?.settings) store("localStorage", { ...kept, settings });
  return left;
}
