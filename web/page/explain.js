// Why a point is forbidden, in words: the engine's own in English, and the same from its data in other languages.

import { pointName } from "./points.js";
import { languageInUse, t } from "./texts.js";

/** The explanation as lines of text, with their depth. */
export function explanationLines(explanation, { width, height }) {
  if (languageInUse() === "en") {
    return explanation.text.trimEnd().split("\n").map((line) => {
      const text = line.trimStart();
      return { depth: (line.length - text.length) / 2, text };
    });
  }
  const lines = [];
  add(explanation, 0, lines, (point) => pointName(point, width, height), height);
  return lines;
}

function add(explanation, depth, lines, name, height) {
  const values = { point: name(explanation.point), count: 0 };
  lines.push({ depth, text: t(`explain.${explanation.ruling}`, values) });
  for (const row of explanation.rows) {
    if (!matters(explanation.ruling, row.kind)) continue;
    const first = name(row.stones[0]);
    const line = t(`explain.${row.direction}`, { number: first.slice(1), letter: first[0] });
    const stones = row.stones.map(name).join(" ");
    const needs = (row.needs ?? []).map(name).join(t("explain.or"));
    lines.push({ depth: depth + 1, text: t(`explain.is.${row.kind}`, { line, stones, needs }) });
    for (const why of row.why ?? []) add(why, depth + 2, lines, name, height);
  }
}

/** Whether a row is a reason for the ruling. */
function matters(ruling, kind) {
  if (ruling === "overline") return kind === "overline";
  if (ruling === "double four") return kind === "four";
  if (ruling === "five") return kind === "five";
  return true;
}
