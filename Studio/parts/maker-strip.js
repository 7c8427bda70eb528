// The octets of an advertisement: a cell for each, coloured by structure, and what is left out with the reason.

import { fill, h } from '../dom.js';
import { plain } from '../text.js';
import { t } from '../words.js';

/** The name and the colour of an AD type (Assigned Numbers, 2.3). */
function look(type) {
  switch (type) {
    case 0x01: return ['maker.type.flags', 'll'];
    case 0x03: case 0x05: case 0x07: return ['maker.type.services', 'att'];
    case 0x02: case 0x04: case 0x06: return ['maker.type.some', 'att'];
    case 0x09: return ['maker.type.name', 'adv'];
    case 0x08: return ['maker.type.short', 'adv'];
    case 0xff: return ['maker.type.manufacturer', 'smp'];
    case 0x16: case 0x20: case 0x21: return ['maker.type.data', 'l2cap'];
    default: return ['maker.type.other', 'll'];
  }
}

const octetsOf = (text) => text.match(/../g) ?? [];

/** The meaning of a structure's content as far as it is text or UUIDs. */
function meaning(type, octets) {
  const content = octets.slice(2);
  if (type === 0x08 || type === 0x09) return `“${plain(new TextDecoder().decode(Uint8Array.from(content, (octet) => parseInt(octet, 16))))}”`;
  const width = { 2: 2, 3: 2, 4: 4, 5: 4, 6: 16, 7: 16 }[type];
  if (!width) return '';
  const found = [];
  for (let start = 0; start < content.length; start += width) {
    const digits = content.slice(start, start + width).reverse().join('').toUpperCase();
    found.push(width === 16 ? `${digits.slice(0, 8)}…` : digits);
  }
  return found.join(', ');
}

function part(title, data, capacity) {
  const octets = octetsOf(data.octets);
  const names = data.structures.map(({ start, count, type }) => {
    const [key] = look(type);
    const text = meaning(type, octets.slice(start, start + count));
    return { start, count, type, label: t(key, { type: `0x${type.toString(16).padStart(2, '0')}` }), text };
  });
  const cells = [];
  for (let index = 0; index < capacity; index += 1) {
    const at = names.findIndex(({ start, count }) => index >= start && index < start + count);
    const cell = h('span', { class: at < 0 ? 'cell' : `cell used ${look(names[at].type)[1]}`, dataset: { structure: at } }, octets[index] ?? '');
    if (at >= 0 && names[at].start === index) cell.classList.add('first');
    cells.push(cell);
  }
  const list = names.map(({ count, label, text }) => `${label} ${count}${text ? ` (${text})` : ''}`).join(', ');
  const strip = h('div', { class: 'cells mono', role: 'img', 'aria-label': t('maker.strip', { title, n: octets.length, of: capacity, list }) }, cells);
  const mark = (index) => { for (const cell of cells) cell.classList.toggle('lit', cell.dataset.structure === String(index)); };
  const legend = h('ul', { class: 'structures' }, names.map(({ count, type, label, text }, index) => h('li', {
    class: look(type)[1], onpointerenter: () => mark(index), onpointerleave: () => mark(-2),
  }, h('span', { class: 'number' }, count), ' ', label, text ? h('bdi', { class: 'faint' }, ` ${text}`) : null)));
  if (octets.length < capacity) legend.append(h('li', { class: 'faint' }, t('maker.free', { n: capacity - octets.length })));
  return h('div', { class: 'maker-part' }, h('div', { class: 'between' }, h('h3', {}, title),
    h('span', { class: 'count number' }, t('maker.octets', { n: octets.length, of: capacity }))), strip, legend);
}

/** Shows a layout of the server. */
export function showLayout(place, layout) {
  place.hidden = !layout;
  if (!layout) return;
  const notes = layout.omitted.map(({ kind, identifier, count }) => t(`maker.left.${kind}`, { id: identifier, n: count, limit: layout.structuresLimit }));
  const { name } = layout;
  let moved = null;
  if (name?.place === 'response') {
    moved = name.isWhole ? t('maker.name.moved', { n: name.count }) : t('maker.name.short', { n: name.count, limit: layout.responseNameLimit, sent: plain(name.sent) });
  }
  fill(place,
    part(t('maker.advertisement'), layout.data, layout.capacity),
    moved ? h('p', { class: `notice ${name.isWhole ? '' : 'warn'}`, dir: 'auto' }, moved) : null,
    layout.response.octets ? part(t('maker.response'), layout.response, layout.capacity) : null,
    notes.length ? h('div', { class: 'notice warn left-out' }, h('h3', {}, t('maker.left')), h('ul', {}, notes.map((note) => h('li', {}, note)))) : null);
}
