// Text that views share: names from devices, times, numbers.

import { h } from './dom.js';
import { currentLanguage } from './words.js';

const CONTROL = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;

/** A name or value from a device as one safe line: control characters and marks of direction become visible, and the length is bounded. */
export function plain(text, limit = 40) {
  const whole = String(text ?? '').slice(0, limit * 2 + 2).replace(CONTROL, '\u2423');
  if (whole && !whole.trim()) return '\u2423';
  const characters = [...whole];
  return characters.length > limit ? characters.slice(0, limit - 1).join('') + '…' : whole;
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

/** −48 dBm with a minus sign; a dash for an unknown value. */
export function dBm(value) {
  return Number.isFinite(value) ? `${String(Math.round(value)).replace('-', '−')} dBm` : '–';
}
