// Points: numbers counted row by row from the upper left corner, and names such as h8 with rows counted from below.

/** The name of a point. */
export function pointName(index, width, height) {
  return String.fromCharCode(97 + (index % width)) + (height - Math.floor(index / width));
}

/** The names of points, with blanks between. */
export function pointNames(indices, width, height) {
  return indices.map((index) => pointName(index, width, height)).join(" ");
}

/** The point with this name; null if there is none. */
export function pointOf(name, width, height) {
  const match = /^([a-v])([1-9]|1[0-9]|2[0-2])$/i.exec(name);
  if (!match) return null;
  const x = match[1].toLowerCase().charCodeAt(0) - 97;
  const y = height - Number(match[2]);
  return x < width && y >= 0 ? y * width + x : null;
}
