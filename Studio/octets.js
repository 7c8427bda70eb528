// Octets as cells. Each view shows octets with this element: the pointer or the arrow keys light up an octet with its part, and a line says what it is.

import { fill, h } from './dom.js';
import { register, t } from './words.js';

register({
  en: { 'octets.octet': 'octet {n} = {value}', 'octets.hint': 'Point at an octet, or move along them with the arrow keys.' },
  zh: { 'octets.octet': '字节 {n} = {value}', 'octets.hint': '指向一个字节，或用方向键逐个查看。' },
});

const DUMP_ROW = 8;

export class OctetStrip {
  #current = 0;
  #options;

  /**
   * Octets are hexadecimal digits. Options:
   *   label                 the accessible name
   *   part(index)           the part of an octet, {from, to, text}, or null
   *   onPart(part, index)   called after the strip lit up an octet and its part, or with null for none
   *   look(index)           the class of a cell
   *   capacity              the number of cells; those behind the octets are empty
   *   isDump                rows of eight with offsets and characters, instead of rows of sixteen
   *   idle                  the line while no octet is lit
   */
  constructor(octets, options) {
    this.#options = { part: () => null, onPart: () => {}, look: () => '', isDump: false, idle: t('octets.hint'), ...options };
    this.cells = [];
    this.says = h('p', { class: 'octet-says small-text', role: 'status' });
    this.group = h('div', {
      class: `octets mono${this.#options.isDump ? ' dump' : ''}`, role: 'group', tabindex: '0', 'aria-label': this.#options.label,
      onmouseover: (event) => { const cell = event.target.closest('.octet[data-index]'); if (cell) this.#point(Number(cell.dataset.index)); },
      onmouseleave: () => this.#end(), onfocus: () => this.#point(this.#current), onblur: () => this.#end(), onkeydown: (event) => this.#key(event),
    });
    this.element = h('div', { class: this.#options.isDump ? null : 'octet-strip' }, this.group, this.says);
    this.set(octets);
  }

  /** Shows other octets. The cell of the keyboard stays. */
  set(octets) {
    const { capacity = octets.length, look, isDump } = this.#options;
    const isSame = this.octets?.length === octets.length;
    this.octets = octets;
    if (isSame && !isDump) octets.forEach((octet, index) => { if (this.cells[index].textContent !== octet) this.cells[index].textContent = octet; });
    else this.#build(octets, capacity, look, isDump);
    if (document.activeElement === this.group && octets.length > 0) this.#point(this.#current);
  }

  #build(octets, capacity, look, isDump) {
    this.cells = octets.map((octet, index) => h('span', { class: `octet ${look(index)}`, dataset: { index } }, octet));
    // The spaces are for copied text.
    const content = this.cells.flatMap((cell, index) => [
      isDump && index % DUMP_ROW === 0 ? h('span', { class: 'offset faint', 'aria-hidden': 'true' }, index) : null, cell, ' ',
      isDump && (index % DUMP_ROW === DUMP_ROW - 1 || index === octets.length - 1) ? this.#characters(index) : null]);
    fill(this.group, content, Array.from({ length: capacity - octets.length }, () => h('span', { class: 'octet free' })));
    this.#current = Math.min(this.#current, Math.max(0, octets.length - 1));
    this.#say(this.#options.idle);
  }

  /** A text that stays is not announced again. */
  #say(text) { if (this.says.textContent !== text) this.says.textContent = text; }

  /** Lights up the octets for which `test(index)` is true, and says a text. Without arguments, lights up none. */
  light(test = () => false, text = this.#options.idle, current = -1) {
    this.cells.forEach((cell, index) => {
      cell.classList.toggle('lit', Boolean(test(index)));
      cell.classList.toggle('cursor', index === current);
    });
    this.#say(text);
  }

  /** Lights up a part. */
  lightPart(part) {
    if (part) this.light((index) => index >= part.from && index < part.to, part.text);
    else this.light();
  }

  #characters(end) {
    const row = this.octets.slice(end - (end % DUMP_ROW), end + 1).map((octet) => parseInt(octet, 16));
    return h('span', { class: 'ascii faint', 'aria-hidden': 'true' }, row.map((octet) => (octet >= 0x20 && octet < 0x7f ? String.fromCharCode(octet) : '·')).join(''));
  }

  #point(index) {
    if (index >= this.octets.length) return;
    this.#current = index;
    const part = this.#options.part(index);
    const place = t('octets.octet', { n: index, value: parseInt(this.octets[index], 16) });
    this.light((each) => (part ? each >= part.from && each < part.to : each === index), part?.text ? `${place} · ${part.text}` : place, index);
    this.#options.onPart(part, index);
  }

  #end() {
    this.light();
    this.#options.onPart(null);
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const row = Math.max(1, this.cells.filter((cell) => cell.offsetTop === this.cells[0].offsetTop).length);
    const moves = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: row, ArrowUp: -row, Home: -Infinity, End: Infinity };
    if (!(event.key in moves) || this.octets.length === 0) return;
    event.preventDefault();
    event.stopPropagation();
    this.#point(Math.min(this.octets.length - 1, Math.max(0, this.#current + moves[event.key])));
    this.cells[this.#current].scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }
}
