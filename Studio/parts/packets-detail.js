// One packet: its fields as a tree beside its octets. A field lights up its octets, and an octet its field.

import { fill, h } from '../dom.js';
import { failureText } from '../failures.js';
import { OctetStrip } from '../octets.js';
import { t } from '../words.js';
import { dBm, nameElement, octetsOf, phrase, seconds, span, spoken } from '../text.js';

/** The bits of a field in its octet, such as `··1· ····`. */
function bitPattern(field, octets) {
  if (!field.bits || field.to - field.from !== 1) return '';
  let text = '';
  for (let bit = 7; bit >= 0; bit -= 1) {
    const isInside = bit >= field.bits[0] && bit < field.bits[1];
    text += (isInside ? String((parseInt(octets[field.from], 16) >> bit) & 1) : '·') + (bit === 4 ? ' ' : '');
  }
  return text;
}

/** The octets and the fields of one section. */
class SectionView {
  #items = [];     // {field, level, parent, element, isOpen, from, to, text}
  #current = 0;

  constructor(section, index) {
    this.octets = octetsOf(section.octets);
    this.#flatten(section.fields, 1, null);
    this.tree = h('ul', { class: 'list', role: 'tree', 'aria-label': t('packets.fields'), onkeydown: (event) => this.#treeKey(event), onmouseleave: () => this.#light(null) },
      this.#items.map((item, position) => this.#row(item, position)));
    this.strip = new OctetStrip(this.octets, {
      isDump: true, label: t('packets.octets'), part: (octet) => this.#smallest(octet),
      onPart: (item) => { this.#mark(item); item?.element.scrollIntoView({ block: 'nearest' }); },
    });
    this.element = h('div', {},
      index > 0 ? h('h4', {}, t('packets.whole')) : null,
      h('div', { class: 'packet-sides' }, this.tree, h('div', { class: 'packet-bytes-side' }, this.strip.element)));
    this.#arrange();
  }

  #flatten(fields, level, parent) {
    for (const field of fields) {
      const text = `${phrase(field.name)}${field.value ? `${t('packets.colon')}${phrase(field.value, 120)}` : ''}`;
      const item = { field, level, parent, isOpen: true, hasChildren: field.children.length > 0, from: field.from, to: field.to, text };
      this.#items.push(item);
      this.#flatten(field.children, level + 1, item);
    }
  }

  #row(item, position) {
    const { field } = item;
    const pattern = bitPattern(field, this.octets);
    item.element = h('li', {
      class: 'packet-field', role: 'treeitem', 'aria-level': item.level, 'aria-expanded': item.hasChildren ? 'true' : null, 'aria-selected': 'false', tabindex: position === 0 ? '0' : '-1',
      style: { paddingInlineStart: `${(item.level - 1) * 14 + 4}px` },
      onmouseenter: () => this.#light(item), onfocus: () => { this.#current = position; this.#light(item); }, onblur: () => this.#light(null),
      onclick: (event) => { this.#focus(position); if (item.hasChildren && event.target.closest('.twist')) this.#toggle(item); },
    },
    h('span', { class: 'twist', 'aria-hidden': 'true' }, item.hasChildren ? '▾' : ''),
    pattern ? h('span', { class: 'bits mono faint', 'aria-hidden': 'true' }, pattern) : null,
    h('span', { class: 'label' }, phrase(field.name)),
    field.value ? h('bdi', { class: 'value', dir: 'auto' }, spoken(field.value, 300)) : null);
    return item.element;
  }

  /** Lights up a field and its octets; null lights up nothing. */
  #light(item) {
    this.strip.lightPart(item);
    this.#mark(item);
  }

  #mark(item) { for (const each of this.#items) each.element.classList.toggle('lit', each === item); }

  /** The smallest field with an octet. */
  #smallest(index) {
    let found = null;
    for (const item of this.#items) {
      if (index >= item.from && index < item.to && (!found || item.level >= found.level) && !(item.field.bits && found && found.level === item.level)) found = item;
    }
    // A flag shares its octet with others: the group of flags is lit.
    return found?.field.bits && found.parent ? found.parent : found;
  }

  // The tree

  #isShown(item) {
    for (let parent = item.parent; parent; parent = parent.parent) if (!parent.isOpen) return false;
    return true;
  }

  #arrange() {
    for (const item of this.#items) {
      item.element.hidden = !this.#isShown(item);
      if (!item.hasChildren) continue;
      item.element.setAttribute('aria-expanded', String(item.isOpen));
      item.element.querySelector('.twist').textContent = item.isOpen ? '▾' : '▸';
    }
  }

  #toggle(item, isOpen = !item.isOpen) {
    item.isOpen = isOpen;
    this.#arrange();
  }

  #focus(position) {
    if (position < 0 || position >= this.#items.length) return;
    this.#items[this.#current].element.setAttribute('tabindex', '-1');
    this.#items[this.#current].element.setAttribute('aria-selected', 'false');
    this.#current = position;
    const { element } = this.#items[position];
    element.setAttribute('tabindex', '0');
    element.setAttribute('aria-selected', 'true');
    element.focus();
  }

  #treeKey(event) {
    const item = this.#items[this.#current];
    const step = (direction) => {
      let position = this.#current + direction;
      while (this.#items[position] && !this.#isShown(this.#items[position])) position += direction;
      this.#focus(position);
    };
    if (event.key === 'ArrowDown') step(1);
    else if (event.key === 'ArrowUp') step(-1);
    else if (event.key === 'Home') this.#focus(0);
    else if (event.key === 'ArrowRight' && item.hasChildren) { if (item.isOpen) step(1); else this.#toggle(item, true); }
    else if (event.key === 'ArrowLeft' && item.hasChildren && item.isOpen) this.#toggle(item, false);
    else if (event.key === 'ArrowLeft' && item.parent) this.#focus(this.#items.indexOf(item.parent));
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

/** The chosen packet in the pane `place`. */
export class PacketDetail {
  #number = null;
  #request = 0;
  #detail = null;

  constructor(studio, source, place, { onClose }) {
    this.studio = studio;
    this.source = source;
    this.place = place;
    this.onClose = onClose;
    this.clear();
  }

  stop() { this.#request += 1; }

  clear() {
    this.stop();
    this.#number = null;
    this.place.dataset.packet = '';
    fill(this.place, h('div', { class: 'empty' }, h('p', {}, t('packets.choose'))));
  }

  /** Resolves with whether the packet is shown. */
  async show(number) {
    if (number === this.#number) return true;
    const request = this.#request += 1;
    let detail;
    try {
      detail = await this.studio.do('packets.detail', { n: number });
    } catch (failure) {
      if (request !== this.#request) return false;
      this.#number = null;
      fill(this.place, h('div', { class: 'empty' }, h('p', {}, failureText(failure))));
      return false;
    }
    if (request !== this.#request) return false;
    this.#number = number;
    this.#detail = detail;
    this.place.dataset.packet = String(number);
    this.sections = detail.sections.map((section, index) => new SectionView(section, index));
    fill(this.place, this.#header(detail), this.sections.map((section) => section.element));
    return true;
  }

  /** Shows the names that devices have now. */
  named() {
    if (this.#number === null || this.place.firstElementChild?.contains(document.activeElement)) return;
    this.place.firstElementChild.replaceWith(this.#header(this.#detail));
  }

  #header({ packet, isDecrypted, sections }) {
    const device = (id) => { const found = this.source.device(id); return found ? nameElement(found.name, 24) : h('span', {}, id ?? '–'); };
    const receivers = packet.receivers.map(([id, rssi, outcome]) => h('span', { class: outcome === 'received' ? '' : 'bad' },
      device(id), ' ', outcome === 'received' ? Number.isFinite(rssi) ? dBm(rssi) : null : t(`packets.outcome.${outcome}`)));
    return h('div', { class: 'packet-head' },
      h('div', { class: 'between' },
        h('h3', { class: `layer layer-${packet.layer}${packet.isEncrypted ? ' ring' : ''}` }, phrase(packet.name)),
        h('button', { class: 'quiet icon small', 'aria-label': t('packets.close'), title: t('packets.close'), onclick: () => this.onClose() }, '×')),
      phrase(packet.text) ? h('p', { class: 'packet-text', dir: 'auto' }, spoken(packet.text, 240)) : null,
      h('p', { class: 'small-text faint packet-facts' },
        t('packets.number', { n: packet.n }), ' · ', t('packets.at', { time: seconds(packet.start, 6) }),
        Number.isFinite(packet.channel) ? ` · ${t('packets.channel', { n: packet.channel })}` : null, packet.phy ? ` · ${packet.phy} · ${t('packets.air', { span: span(packet.duration) })}` : null,
        packet.isEncrypted ? ` · ${t(isDecrypted ? 'packets.decrypted' : 'packets.encrypted')}` : null,
        packet.procedure ? ` · ${t(`packets.procedure.${packet.procedure}`)}` : null),
      h('p', { class: 'small-text packet-facts' }, t('packets.from'), ' ', device(packet.sender), packet.phy ? ' · ' : null,
        receivers.length > 0 ? [t('packets.heard'), ' ', receivers.flatMap((each, index) => (index > 0 ? [', ', each] : [each]))] : packet.phy ? t('packets.unheard') : null),
      h('div', { class: 'toolbar' },
        this.source.isLive && h('button', { class: 'small', dataset: { focus: 'packet-seek' }, onclick: () => this.studio.try('time.seek', { to: packet.start + packet.duration }) }, t('packets.seek')),
        h('button', { class: 'small', dataset: { focus: 'packet-copy' }, onclick: () => this.#copy(sections[0].octets) }, t('packets.copy'))));
  }

  async #copy(digits) {
    const text = octetsOf(digits).join(' ');
    try {
      await navigator.clipboard.writeText(text);
      this.studio.say(t('packets.copied', { n: digits.length / 2 }));
    } catch {
      getSelection().selectAllChildren(this.sections[0].strip.group);
      this.studio.say(t('packets.notCopied'));
    }
  }
}
