// The formats of values, which `ValueFormat` of the server reads and writes.

import { h } from './dom.js';
import { register, t } from './words.js';

register({
  en: {
    'format.group.octets': 'Octets', 'format.group.text': 'Text', 'format.group.little': 'Integers, least significant octet first', 'format.group.big': 'Integers, most significant octet first',
    'format.group.float': 'Floating point', 'format.example': 'text',
  },
  zh: {
    'format.group.octets': '字节', 'format.group.text': '文本', 'format.group.little': '整数，低位字节在前', 'format.group.big': '整数，高位字节在前',
    'format.group.float': '浮点数', 'format.example': '文本',
  },
});

const WIDTHS = [16, 24, 32, 40, 48, 56, 64];
const GROUPS = {
  octets: ['hex', 'base64'], text: ['utf8'], little: ['u8', 'i8', ...WIDTHS.flatMap((bits) => [`u${bits}`, `i${bits}`])],
  big: WIDTHS.flatMap((bits) => [`u${bits}be`, `i${bits}be`]), float: ['f32', 'f32be', 'f64', 'f64be'],
};

export const FORMATS = Object.values(GROUPS).flat();

/** The options of a `select` for a format, in groups. `others` are [name, text] pairs before them. */
export function formatOptions(selected, others = []) {
  const option = (name, text = name) => h('option', { value: name, selected: name === selected }, text);
  return [others.map(([name, text]) => option(name, text)),
    Object.entries(GROUPS).map(([group, names]) => h('optgroup', { label: t(`format.group.${group}`) }, names.map((name) => option(name))))];
}

export const isNumeric = (format) => /^[uif]\d/.test(format ?? '');

/** A value as it is typed in a format. */
export function formatExample(format) { return { hex: '01 ff', utf8: t('format.example'), base64: 'AQI=' }[format] ?? (isNumeric(format) ? '0' : ''); }
