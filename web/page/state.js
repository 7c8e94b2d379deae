// What the page remembers: the game with its variations, who plays, and the settings; in the address and between visits.

import { GameTree } from "./tree.js";
import { pointName, pointOf } from "./points.js";

/** The rules by number, with the names that addresses use. */
export const RULES = [[0, "freestyle"], [1, "standard"], [4, "renju"], [8, "caro"], [9, "caro-exact"]];

/** Fewest and most points of a side of the board. */
export const SMALLEST = 5;
export const LARGEST = 22;

const KEY = "tengen";
const CELLS = ["B", "W", "X"];
const KINDS = ["person", "engine"];

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
    /** Minutes of each player's clock, 0 for none; milliseconds used; who ran out of time. */
    minutes: 0,
    used: [0, 0],
    late: null,
    /** Swap2: what is to be done, and who opens and who chooses; null after that. */
    swap: null,
    seed: Math.floor(Math.random() * 1e9),
  };
}

/** The game as the part of an address after `#`. */
export function toAddress(game) {
  const { tree, at, players, swap } = game;
  const { rule, width, height, setup, white_first } = tree.ground;
  const order = tree.inOrder();
  const fields = [
    ["rule", RULES.find(([number]) => number === rule)[1]],
    ["size", width === height ? width : `${width}x${height}`],
    ["moves", tree.toText()],
    ["at", at === 0 ? 0 : order.indexOf(at) + 1],
    ["black", players[0]],
    ["white", players[1]],
    ["level", game.level],
    ["seconds", game.seconds],
    ["setup", setup.map(([point, cell]) => CELLS[cell - 1] + pointName(point, width, height)).join("")],
    ["first", white_first ? "white" : ""],
    ["clock", game.minutes || ""],
    ["used", game.minutes ? game.used.map((ms) => Math.round(ms / 1000)).join("-") : ""],
    ["swap", swap ? `${swap.stage}-${swap.by.join("-")}` : ""],
    ["names", game.names.some((name) => name) ? game.names.map(encodeURIComponent).join("~") : ""],
  ];
  return fields.filter(([, value]) => value !== "").map(([key, value]) => `${key}=${value}`).join("&");
}

function whole(text, least, most, other) {
  const number = Number(text);
  return text !== undefined && Number.isInteger(number) && number >= least && number <= most ? number : other;
}

/** The game of an address; throws one line if it has none. */
export function fromAddress(address) {
  const fields = Object.fromEntries(address.split("&").map((field) => {
    const [key, ...value] = field.split("=");
    return [key, decodeURIComponent(key === "names" ? encodeURIComponent(value.join("=")) : value.join("="))];
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
  const at = whole(fields.at, 0, order.length, null);
  game.at = at === null ? game.tree.end(0) : at === 0 ? 0 : order[at - 1];
  // Whoever follows a link to a position wants to look at it.
  game.players = [fields.black, fields.white].map((kind) => (KINDS.includes(kind) ? kind : "person"));
  game.level = whole(fields.level, 0, 100, game.level);
  game.seconds = whole(fields.seconds, 1, 600, game.seconds);
  game.minutes = whole(fields.clock, 0, 600, 0);
  const used = (fields.used ?? "0-0").split("-").map((seconds) => whole(seconds, 0, 1e6, 0) * 1000);
  game.used = [used[0] ?? 0, used[1] ?? 0];
  const [stage, ...by] = (fields.swap ?? "").split("-");
  if (["open", "choose", "two", "last"].includes(stage) && by.length === 2 && by.every((kind) => KINDS.includes(kind))) {
    game.swap = { stage, by };
  }
  const names = (fields.names ?? "").split("~").map((name) => decodeURIComponent(name).slice(0, 60));
  game.names = [names[0] ?? "", names[1] ?? ""];
  return game;
}

/** The settings, which are not part of the game. */
export const SETTINGS = { language: "", theme: "auto", numbers: false, lines: 3, tab: "play" };

/** What the address does not say about moves: judgements of a review and comments, by the place of the move in the tree. */
function remarks(tree) {
  const all = tree.inOrder().map((node, index) => [index, tree.nodes[node].judged, tree.nodes[node].comment]);
  return all.filter(([, judged, comment]) => judged || comment);
}

/** Puts remarks that were saved back to their moves. */
export function restoreRemarks(tree, saved = []) {
  const order = tree.inOrder();
  for (const [index, judged, comment] of saved) {
    if (order[index] !== undefined) Object.assign(tree.nodes[order[index]], { judged: judged ?? undefined, comment: comment ?? undefined });
  }
}

/** What an earlier visit saved: `{ settings, address, remarks }`. */
export function load() {
  try {
    return JSON.parse(localStorage.getItem(KEY)) ?? {};
  } catch {
    return {};
  }
}

/** Saves the game for the next visit, where the browser allows it, and puts it into the address. */
export function save(game, settings) {
  const address = toAddress(game);
  try {
    history.replaceState(null, "", `#${address}`);
  } catch {
    // A browser limits how often the address may change; the next move brings it up to date.
  }
  try {
    localStorage.setItem(KEY, JSON.stringify({ settings, address, remarks: remarks(game.tree) }));
  } catch {
    // The browser does not keep data for this page.
  }
}
