// The octets of advertising data: a strip with a colour for each AD structure, and the list of the structures.

import { h } from '../dom.js';
import { OctetStrip } from '../octets.js';
import { octetsOf, plain, unisolated } from '../text.js';
import { register, t } from '../words.js';

register({
  en: {
    'ad.flags': 'Flags', 'ad.services': 'Services', 'ad.some': 'Services (not all)', 'ad.name': 'Name', 'ad.short': 'Shortened name', 'ad.manufacturer': 'Manufacturer data',
    'ad.data': 'Service data', 'ad.other': 'Type {type}', 'ad.octets': '{n} of {of} octets', 'ad.count': '{n} octet||{n} octets', 'ad.free': '{n} free', 'ad.length': 'length', 'ad.type': 'type', 'ad.content': 'content',
    'ad.strip': '{title}: {size}. {list}',
  },
  zh: {
    'ad.flags': '标志', 'ad.services': '服务', 'ad.some': '服务（不完整）', 'ad.name': '名称', 'ad.short': '缩短的名称', 'ad.manufacturer': '厂商数据',
    'ad.data': '服务数据', 'ad.other': '类型 {type}', 'ad.octets': '{n} / {of} 字节', 'ad.count': '{n} 字节', 'ad.free': '剩余 {n}', 'ad.length': '长度', 'ad.type': '类型', 'ad.content': '内容',
    'ad.strip': '{title}：{size}。{list}',
  },
});

/** The name and the colour of an AD type (Assigned Numbers, 2.3). */
function look(type) {
  switch (type) {
    case 0x01: return ['ad.flags', 'layer-ll'];
    case 0x03: case 0x05: case 0x07: return ['ad.services', 'layer-att'];
    case 0x02: case 0x04: case 0x06: return ['ad.some', 'layer-att'];
    case 0x09: return ['ad.name', 'layer-adv'];
    case 0x08: return ['ad.short', 'layer-adv'];
    case 0xff: return ['ad.manufacturer', 'layer-smp'];
    case 0x16: case 0x20: case 0x21: return ['ad.data', 'layer-l2cap'];
    default: return ['ad.other', 'layer-ll'];
  }
}

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

/**
 * `structures` have a `count` of octets each, in the order of the data, and a `text` (a phrase) such as `Flags: none` if the server knows their meaning.
 * `capacity` is the most octets, if that is known.
 */
export function advertisingOctets(title, digits, structures, capacity = 0) {
  const octets = octetsOf(digits);
  const room = Math.max(capacity, octets.length);
  let from = 0;
  const parts = structures.map(({ count, text }) => {
    const own = octets.slice(from, from + count);
    const type = parseInt(own[1] ?? '0', 16);
    // The octets after the last structure are a part without a type.
    const isStructure = parseInt(own[0], 16) + 1 === count;
    const [key, colour] = look(isStructure ? type : -1);
    const [, theirs, content] = /^(.*?)(?:: (.*))?$/s.exec(text ? unisolated(text, 1300) : '');
    const name = text && (key === 'ad.other' || !isStructure) ? theirs : t(key, { type: `0x${type.toString(16).padStart(2, '0')}` });
    const detail = text ? content ?? '' : meaning(type, own);
    return { from, to: from += count, colour, name, detail, text: [name, detail].filter(Boolean).join(': ') };
  });
  const of = (index) => parts.find((part) => index >= part.from && index < part.to);
  const role = (part, index) => t(index === part.from ? 'ad.length' : index === part.from + 1 ? 'ad.type' : 'ad.content');
  const size = t(capacity ? 'ad.octets' : 'ad.count', { n: octets.length, of: room });
  const list = parts.map((part) => `${part.name} (${part.to - part.from})`).join(', ');
  const light = (part) => { for (const item of legend.children) item.classList.toggle('lit', part !== null && Number(item.dataset.from) === part.from); };
  const strip = new OctetStrip(octets, {
    capacity: room, label: t('ad.strip', { title, size, list }),
    look: (index) => { const part = of(index); return part ? `${part.colour}${part.from === index ? ' first' : ''}` : ''; },
    part: (index) => { const part = of(index); return part ? { ...part, text: `${part.name}, ${role(part, index)}${part.detail ? ` · ${part.detail}` : ''}` } : null; },
    onPart: light,
  });
  const legend = h('ul', { class: 'structures' }, parts.map((part) => h('li', {
    class: part.colour, dataset: { from: part.from }, onpointerenter: () => { strip.lightPart(part); light(part); }, onpointerleave: () => { strip.lightPart(null); light(null); },
  }, part.name, part.detail ? h('bdi', {}, ` ${plain(part.detail, 160)}`) : null, h('span', { class: 'faint' }, ` · ${t('ad.count', { n: part.to - part.from })}`))),
  octets.length < room ? h('li', { class: 'faint' }, t('ad.free', { n: room - octets.length })) : null);
  return h('div', { class: 'ad-part' }, h('div', { class: 'between' }, h('h3', {}, title), h('span', { class: 'count number' }, size)), strip.element, legend);
}
