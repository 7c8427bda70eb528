// What the programs of a scene do and hear, with the packets between the lines.

import { h, keyed } from '../dom.js';
import { phrase, plain, spoken } from '../text.js';
import { t } from '../words.js';

const ROWS = 60;
const LOOKED_AT = 4000; // packets between two lines
const NAMES = 14;
// Link-layer packets that a reader looks for; the others of a link's beginning count together.
const LINK = /^LL_(TERMINATE|CONNECTION|ENC|START_ENC)/;

/** The names and numbers of the packets that ended in (from, to], as {text, n}; null if there are none. Packets that only keep a link alive are left out. */
function between(packets, from, to) {
  let end = packets.length;
  while (end > 0 && packets[end - 1].start + packets[end - 1].duration > to) end -= 1;
  const counts = new Map();
  let first = null;
  let isWhole = true;
  for (let index = end - 1; index >= Math.max(0, end - LOOKED_AT); index -= 1) {
    const packet = packets[index];
    if (packet.start + packet.duration <= from) break;
    if (index === end - LOOKED_AT || index > 0 && packets[index - 1].n !== packet.n - 1) isWhole = false;
    if (packet.name === 'LL empty') continue;
    const name = packet.name.startsWith('LL_') && !LINK.test(packet.name) ? 'LL_…' : packet.name;
    counts.set(name, (counts.get(name) ?? 0) + 1);
    first = packet.n;
  }
  if (counts.size === 0) return null;
  const names = [...counts].reverse().slice(0, NAMES).map(([name, count]) => plain(name) + (count > 1 ? ` ×${count}` : ''));
  return { text: `${isWhole ? '' : '≈ '}${names.join(' · ')}${counts.size > NAMES ? ' …' : ''}`, n: first };
}

/** A list of events with the packets before each of them. `name(id)` names a device, `seconds(time)` a time. */
export class HeardList {
  #timer = 0;
  #tail;

  constructor(studio, name, seconds) {
    Object.assign(this, { studio, name, seconds });
    this.element = h('ol', { class: 'lesson-heard', 'aria-live': 'off', tabindex: '0', 'aria-label': t('lesson.heard') });
    this.#tail = { n: 'tail' };
    const soon = () => { this.#timer ||= setTimeout(() => { this.#timer = 0; this.draw(); }, 200); };
    this.ends = [studio.store.packets.watch(soon), () => clearTimeout(this.#timer)];
  }

  end() { for (const end of this.ends) end(); }

  draw() {
    const { items } = this.studio.store.packets;
    const all = this.studio.store.events.items.filter((event) => event.device !== null);
    const events = all.slice(-ROWS);
    const before = all[all.length - events.length - 1]?.time ?? -1;
    const settled = items.length ? items[items.length - 1].start : 0;
    const isAtEnd = this.element.scrollHeight - this.element.scrollTop - this.element.clientHeight < 24;
    const rows = events.map((event, index) => ({ ...event, from: events[index - 1]?.time ?? before }));
    if (rows.length) rows.push({ ...this.#tail, from: events[events.length - 1].time, time: Infinity });
    keyed(this.element, rows, (row) => (row.n === 'tail' ? 'tail' : `${row.n}/${row.time}/${phrase(row.text)}`), (row) => {
      const packets = h('button', { class: 'quiet small lesson-between', hidden: true, onclick: () => this.studio.show('packets', packets.dataset.n) });
      return h('li', { class: row.kind ?? '' }, packets, row.n === 'tail' ? null : h('span', { class: 'lesson-line' },
        h('span', { class: 'faint mono' }, this.seconds(row.time)), h('b', { dir: 'auto' }, this.name(row.device)), h('span', { dir: 'auto' }, spoken(row.text))));
    }, (element, row) => {
      if (element.dataset.isSettled) return;
      const found = between(items, row.from, row.time);
      const [button] = element.children;
      button.hidden = !found;
      if (found && button.textContent !== found.text) button.textContent = found.text;
      if (found) button.dataset.n = found.n;
      if (settled > row.time) element.dataset.isSettled = 'true';
    });
    if (isAtEnd) this.element.scrollTop = this.element.scrollHeight;
    this.element.hidden = events.length === 0;
  }
}
