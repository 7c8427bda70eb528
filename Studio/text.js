// Text that views share: names from devices, times, numbers.

import { h } from './dom.js';
import { currentLanguage, register } from './words.js';

register({
  en: { 'layer.adv': 'Advertising', 'layer.ll': 'Link layer', 'layer.l2cap': 'L2CAP', 'layer.att': 'ATT', 'layer.smp': 'Security (SMP)', 'layer.data': 'Other data', 'layer.hci': 'HCI' },
  zh: { 'layer.adv': '广播', 'layer.ll': '链路层', 'layer.l2cap': 'L2CAP', 'layer.att': 'ATT', 'layer.smp': '安全（SMP）', 'layer.data': '其他数据', 'layer.hci': 'HCI' },
});

/** The layers of packets on the air: each has a colour (the class `layer-NAME`) and a name (the word `layer.NAME`). */
export const LAYERS = ['adv', 'll', 'l2cap', 'att', 'smp', 'data'];

const CONTROL = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;

/** A name or value from a device as one safe line: control characters and marks of direction become visible, and the length is bounded. */
export function plain(text, limit = 40) {
  const whole = String(text ?? '').slice(0, limit * 2 + 2).replace(CONTROL, '\u2423');
  if (whole && !whole.trim()) return '\u2423';
  const characters = [...whole];
  return characters.length > limit ? characters.slice(0, limit - 1).join('') + '…' : whole;
}

// A name with letters of a right-to-left script. It turns the text around it, if it is not isolated.
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]|[\ud802\ud803\ud83a\ud83b]/;

/**
 * A text of the server in the chosen language: a string that is the same in all languages, or {en, zh, with: [values]}, which Swift's `Phrase` writes.
 * For attributes and plain texts. Values are cleaned, bounded and isolated.
 */
export function phrase(text, limit = 120) {
  return pieces(text, limit).map((piece) => (typeof piece === 'string' ? piece : RIGHT_TO_LEFT.test(piece.value) ? `\u2068${piece.value}\u2069` : piece.value)).join('');
}

/** The same without isolation, for a text that is taken apart, or that an element isolates as a whole. */
export function unisolated(text, limit = 120) {
  return pieces(text, limit).map((piece) => piece.value ?? piece).join('');
}

/** The same as nodes for h(): each value is an element of its own. */
export function spoken(text, limit = 120) {
  return pieces(text, limit).map((piece) => (typeof piece === 'string' ? piece : h('bdi', { dir: 'auto' }, piece.value)));
}

function pieces(text, limit) {
  if (typeof text !== 'object' || text === null) return [{ value: plain(text, limit) }];
  const template = String(text[currentLanguage()] ?? text.en ?? '');
  return template.split(/(\{\d+\})/).flatMap((part) => {
    const number = /^\{(\d+)\}$/.exec(part)?.[1];
    return number === undefined ? part : pieces(text.with?.[number] ?? '', limit);
  });
}

/** An element with such a name. The isolation keeps a right-to-left name from turning the text around it. */
export function nameElement(text, limit = 40) {
  return h('bdi', { class: 'name', dir: 'auto', title: plain(text, 250) }, plain(text, limit));
}

/** Nanoseconds as seconds, `0.130 152 s`. digits: 3 or 6. */
export function seconds(time, digits = 3) {
  const [whole, part] = (Math.max(0, time) / 1e9).toFixed(digits).split('.');
  return `${whole}.${digits > 3 ? `${part.slice(0, 3)}\u202f${part.slice(3)}` : part} s`;
}

/** A span of nanoseconds with the unit that fits: `150 µs`, `30 ms`, `2 s`. */
export function span(time) {
  for (const [size, unit] of [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs']]) {
    if (time >= size) return `${+(time / size).toPrecision(4)} ${unit}`;
  }
  return `${time} ns`;
}

export function count(number) {
  return new Intl.NumberFormat(currentLanguage() === 'zh' ? 'zh-CN' : 'en').format(number);
}

/** Hexadecimal digits as a list of octets, each with two digits. */
export function octetsOf(digits) { return digits.match(/../g) ?? []; }

/** −48 dBm with a minus sign; a dash for an unknown value. */
export function dBm(value) {
  return Number.isFinite(value) ? `${String(Math.round(value)).replace('-', '−')} dBm` : '–';
}
