// Making elements.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value === true) node.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(key, value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** An HTML element. Attributes that begin with `on` are listeners. */
export function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** An SVG element. */
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** The element with this id. */
export function byId(id) {
  return document.getElementById(id);
}

/** The values with which elements were drawn last. */
const drawn = new WeakMap();

/** Whether an element must be drawn, because one of these values is another than at the last call. */
export function hasNews(node, ...values) {
  const old = drawn.get(node) ?? [];
  drawn.set(node, values);
  return old.length !== values.length || values.some((value, index) => value !== old[index]);
}

/** Replaces the children of an element, and keeps the focus where an element with the same `data-key` had it. */
export function replace(node, ...children) {
  const key = node.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  node.replaceChildren(...children.flat().filter((child) => child));
  if (key) node.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus();
}
