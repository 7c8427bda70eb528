// Builds elements. Text from devices only ever becomes text nodes, never markup.

const SVG = 'http://www.w3.org/2000/svg';

/** h('button', {class: 'x', onclick: f, disabled: true}, 'text', child, [children]) */
export function h(name, attributes = {}, ...children) {
  return build(document.createElement(name), attributes, children);
}

/** The same for SVG. */
export function s(name, attributes = {}, ...children) {
  return build(document.createElementNS(SVG, name), attributes, children);
}

function build(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else if (key === 'style') Object.assign(element.style, value);
    else if (key === 'value' || key === 'checked') element[key] = value;
    else if (key === 'dataset') Object.assign(element.dataset, value);
    else element.setAttribute(key, value === true ? '' : value);
  }
  append(element, children);
  return element;
}

function append(element, children) {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (Array.isArray(child)) append(element, child);
    else element.append(child instanceof Node ? child : String(child));
  }
}

/** Replaces the children of an element. */
export function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
  return element;
}

/**
 * Brings a list of keyed children up to date and keeps the elements of unchanged keys, with their focus and selection.
 * make(item) builds an element, update(element, item) changes it.
 */
export function keyed(parent, items, key, make, update) {
  const present = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  let before = parent.firstElementChild;
  for (const item of items) {
    const name = String(key(item));
    let child = present.get(name);
    if (child) present.delete(name);
    else {
      child = make(item);
      child.dataset.key = name;
    }
    update?.(child, item);
    if (child === before) before = before.nextElementSibling;
    else parent.insertBefore(child, before);
  }
  for (const child of present.values()) child.remove();
}
