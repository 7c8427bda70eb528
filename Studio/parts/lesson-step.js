// A step in three languages: the Swift lines, the words of a person, and the octets. Pointing at a part lights up its counterparts.

import { fill, h } from '../dom.js';
import { OctetStrip } from '../octets.js';
import { octetsOf, phrase, spoken } from '../text.js';
import { pick, t } from '../words.js';
import { highlighted } from './lesson-code.js';

/** Splits `Write {v|two octets} into {c|the goal}` into texts and marks. */
function parts(text) {
  const found = [];
  let from = 0;
  for (const match of text.matchAll(/\{(\w)\|([^}]*)\}/g)) {
    if (match.index > from) found.push({ text: text.slice(from, match.index) });
    found.push({ mark: match[1], text: match[2] });
    from = match.index + match[0].length;
  }
  if (from < text.length) found.push({ text: text.slice(from) });
  return found;
}

/** The packet and the pattern of its fields that a mark names, such as `ATT_WRITE_REQ/value|Value`. */
function target(mark) {
  const [name, pattern] = (mark?.[1] ?? '').split(/\/(.*)/s);
  return { name, pattern: pattern ? new RegExp(pattern, 'i') : null };
}

/** Builds the view of a step. `names` maps identifiers of devices to names. */
export class StepView {
  #shown = null;
  #strip = null;
  #markAt = () => null;
  #bytes = h('div', {});
  #rows = h('ol', { class: 'lesson-packets' });
  #swift;
  #words;

  constructor(step, words, report, names) {
    Object.assign(this, { step, words, names });
    this.air = null;
    this.#swift = h('code', {}, this.#marked(step.source.text));
    this.#words = h('p', { class: 'lesson-text' }, parts(pick(words).text).map((part) => part.mark
      ? h('mark', { class: 'mark', tabindex: '0', dataset: { mark: part.mark }, ...this.#pointing(part.mark) }, part.text) : part.text));
    this.says = h('p', { class: 'lesson-says' });
    this.setReport(report);
    this.element = h('div', { class: 'lesson-languages' },
      h('section', {}, h('h3', {}, t('lesson.swift')), h('p', { class: 'faint' }, t(step.kind === 'call' ? 'lesson.call' : 'lesson.callback')),
        h('pre', { tabindex: '0', 'aria-label': t('lesson.swift') }, this.#swift), this.says),
      h('section', {}, h('h3', {}, t('lesson.words')), this.#words, h('p', { class: 'faint' }, t('lesson.point'))),
      h('section', {}, h('h3', {}, t('lesson.octets')), this.#rows, this.#bytes));
    this.setAir(null);
  }

  setReport(report) {
    fill(this.says, report ? [h('span', { class: 'faint' }, `${t('lesson.reported')} `), h('span', { dir: 'auto' }, spoken(report))] : []);
  }

  /** `air` is {packets, other}, 'waiting', or null while the step has not run. */
  setAir(air) {
    this.air = air;
    if (air === null || air === 'waiting') {
      fill(this.#rows, h('li', { class: 'faint' }, air ? t('lesson.loading') : t('lesson.notYet', { next: t('lesson.next') })));
      fill(this.#bytes);
      return;
    }
    const packets = air.packets;
    fill(this.#rows,
      packets.map((packet) => h('li', {}, h('button', {
        dataset: { n: packet.n }, class: `layer-${packet.layer}`, onclick: () => this.#show(packet),
      }, h('b', {}, packet.name), h('span', { class: 'faint', dir: 'auto' }, ` ${this.#way(packet)}`)))),
      packets.length === 0 ? h('li', { class: 'faint' }, t('lesson.none')) : null,
      air.other > 0 && packets.length > 0 ? h('li', { class: 'faint' }, t('lesson.more', { n: air.other })) : null);
    const wanted = Object.values(this.words.marks).map((mark) => target(mark).name);
    const first = wanted.map((name) => packets.findLast((packet) => packet.name === name)).find(Boolean);
    if (first ?? packets[0]) this.#show(first ?? packets[0]);
    else fill(this.#bytes);
  }

  #way(packet) {
    const [from, to] = [this.names(packet.sender), packet.receiver === null ? null : this.names(packet.receiver)];
    return to === null || packet.layer === 'adv' && packet.name.startsWith('ADV') ? t('lesson.toAll', { from }) : t('lesson.to', { from, to });
  }

  #show(packet) {
    this.#shown = packet;
    for (const button of this.#rows.querySelectorAll('button')) {
      const isShown = button.dataset.n === String(packet.n);
      button.setAttribute('aria-pressed', String(isShown));
      // The list scrolls, and not the page.
      if (isShown) this.#rows.scrollTop = Math.min(button.offsetTop - 4, Math.max(this.#rows.scrollTop, button.offsetTop + button.offsetHeight - this.#rows.clientHeight));
    }
    const field = (index) => packet.fields.find((field) => field.from <= index && index < field.to);
    this.#markAt = (index) => this.#markOf(packet, field(index));
    this.#strip = new OctetStrip(octetsOf(packet.octets), {
      label: t('lesson.octetsOf', { name: packet.name }), idle: phrase(packet.text, 240),
      part: (index) => { const owner = field(index); return owner ? { from: owner.from, to: owner.to, text: t('lesson.field', { name: phrase(owner.name), value: phrase(owner.value, 240) }) } : null; },
      onPart: (part, index) => this.#light(part ? this.#markAt(index) : null, false),
    });
    fill(this.#bytes, this.#strip.element);
  }

  #markOf(packet, field) {
    for (const [name, mark] of Object.entries(this.words.marks)) {
      const wanted = target(mark);
      if (wanted.name === packet.name && (wanted.pattern === null || field && wanted.pattern.test(field.path))) return name;
    }
    return null;
  }

  #pointing(mark) {
    const on = () => {
      const wanted = target(this.words.marks[mark]);
      const packet = this.air?.packets?.findLast?.((packet) => packet.name === wanted.name);
      if (packet && packet !== this.#shown) this.#show(packet);
      this.#light(mark);
    };
    const off = () => this.#light(null);
    return { onmouseenter: on, onmouseleave: off, onfocus: on, onblur: off };
  }

  /** Lights up everything with a mark, also in the octets unless the strip did that itself. */
  #light(mark, lightsOctets = true) {
    for (const element of this.element.querySelectorAll('[data-mark]')) element.classList.toggle('lit', mark !== null && element.dataset.mark === mark);
    if (lightsOctets) this.#strip?.light((index) => mark !== null && this.#markAt(index) === mark);
  }

  /** The Swift lines with their marks. */
  #marked(text) {
    const found = [];
    for (const [name, mark] of Object.entries(this.words.marks)) {
      const at = mark[0] ? text.indexOf(mark[0]) : -1;
      if (at >= 0) found.push({ name, from: at, to: at + mark[0].length });
    }
    found.sort((a, b) => a.from - b.from || b.to - a.to);
    const nodes = [];
    let from = 0;
    for (const item of found) {
      if (item.from < from) continue;
      nodes.push(...highlighted(text.slice(from, item.from)));
      nodes.push(h('span', {
        class: 'mark', dataset: { mark: item.name }, onmouseenter: () => this.#light(item.name), onmouseleave: () => this.#light(null),
      }, text.slice(item.from, item.to)));
      from = item.to;
    }
    nodes.push(...highlighted(text.slice(from)));
    return nodes;
  }
}
