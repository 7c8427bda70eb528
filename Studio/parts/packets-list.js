// The list of packets: a tree of which only the visible rows are elements. Rows come from the server in windows.

import { fill, h, keyed } from '../dom.js';
import { t } from '../words.js';
import { count, nameElement, phrase, seconds, span, spoken } from '../text.js';

const ROW = 28;        // the height of a row in pixels
const MARGIN = 30;     // rows beyond the visible ones
const LIMIT = 500;     // rows in one answer

export class PacketList {
  /** onState({list, isFollowing, isBusy}) after each change; onChoose(row, isFinal) for the chosen packet; onOther() when the packets are those of another run. */
  constructor(studio, source, { onState, onChoose, onOther }) {
    this.studio = studio;
    this.source = source;
    this.onState = onState;
    this.onChoose = onChoose;
    this.onOther = onOther;
    this.filter = {};
    this.folded = true;
    this.isFollowing = true;
    this.first = 0;
    this.end = 0;
    this.run = null;
    this.rows = new Map();     // by number
    this.opened = new Map();   // conversation: {row, conversation, count, rows}
    this.active = null;        // {row} or {conversation, member}
    this.pending = null;       // {isFinal} until the chosen row is loaded
    this.request = 0;
    this.isBusy = false;
    this.isStale = false;
    this.body = h('div', { class: 'packet-rows', role: 'none' });
    this.element = h('div', {
      class: 'packet-list', role: 'tree', tabindex: '0', 'aria-label': t('packets.list'), dataset: { focus: 'packets' },
      onscroll: () => this.#scrolled(), onkeydown: (event) => this.#key(event), onclick: (event) => this.#click(event),
    }, this.body);
    this.resizing = new ResizeObserver(() => this.#scrolled());
    this.resizing.observe(this.element);
  }

  stop() {
    this.resizing.disconnect();
    this.request += 1;
    this.pending = null;
  }

  /** Shows other packets. */
  query(filter, folded) {
    this.filter = filter;
    this.folded = folded;
    this.#forget();
    this.active = null;
    this.element.scrollTop = 0;
    return this.refresh();
  }

  follow(isFollowing) {
    this.isFollowing = isFollowing;
    if (isFollowing) this.refresh();
    this.#report();
  }

  #forget() {
    this.rows.clear();
    this.opened.clear();
    this.first = 0;
    this.end = 0;
  }

  // Places: a position counts all rows from 0, with the packets of opened conversations.

  get #sorted() { return [...this.opened.values()].filter((each) => each.row >= this.first).sort((one, other) => one.row - other.row); }

  get total() { return this.end - this.first + this.#sorted.reduce((sum, each) => sum + each.count, 0); }

  #place(position) {
    let before = 0;
    for (const each of this.#sorted) {
      const header = each.row - this.first + before;
      if (position <= header) break;
      if (position <= header + each.count) return { conversation: each.conversation, member: position - header - 1 };
      before += each.count;
    }
    return { row: this.first + position - before };
  }

  #position(place) {
    if (!place) return -1;
    const opened = place.conversation !== undefined ? this.opened.get(place.conversation) : null;
    if (place.conversation !== undefined && !opened) return -1;
    const row = opened ? opened.row : place.row;
    let position = row - this.first;
    for (const each of this.#sorted) if (each.row < row) position += each.count;
    return opened ? position + 1 + place.member : position;
  }

  #data(place) {
    return place.conversation !== undefined ? this.opened.get(place.conversation)?.rows.get(place.member) : this.rows.get(place.row);
  }

  get #visible() {
    const first = Math.floor(this.element.scrollTop / ROW);
    return [first, first + Math.ceil(this.element.clientHeight / ROW)];
  }

  // Loading

  /** Gets the visible rows again. At most one request runs; later calls join the next one. */
  async refresh() {
    if (this.isBusy) {
      this.isStale = true;
      return;
    }
    this.isBusy = true;
    const request = this.request;
    try {
      do {
        this.isStale = false;
        await this.#load();
      } while (this.isStale && request === this.request);
    } catch (failure) {
      if (failure.code !== 'offline' && request === this.request) this.studio.failed(failure);
    } finally {
      this.isBusy = false;
      this.#report();
    }
  }

  #ask(query) { return this.studio.do('packets.list', { filter: this.filter, folded: this.folded, ...query }); }

  async #load() {
    const { filter, folded, request } = this;
    let [from, to] = this.#visible;
    const height = to - from + 2 * MARGIN;
    const query = { count: Math.min(LIMIT, height), opened: this.#conversations };
    if (!this.isFollowing && this.run !== null) {
      const start = this.#place(Math.max(0, from - MARGIN));
      query.from = start.row ?? this.opened.get(start.conversation).row;
    } else if (!this.isFollowing) {
      query.from = 0;
    }
    const isFirst = this.run === null;
    const answer = await this.#ask(query);
    // After the end, questions would be for the packets of the next view.
    if (request !== this.request) return;
    if (filter !== this.filter || folded !== this.folded) { this.isStale = true; return; }
    this.#take(answer, query.opened);
    // The first rows may be gone.
    if (isFirst && answer.rows.length === 0 && answer.end > answer.first) this.isStale = true;
    if (this.isFollowing) this.element.scrollTop = this.total * ROW;
    [from, to] = this.#visible;
    await this.#loadOpened(from - MARGIN, to + MARGIN);
    if (!answer.isComplete) this.isStale = true;
    this.render();
    this.#settle();
    this.#report();
  }

  /** The opened conversations, and that of the chosen row: the server may have given their rows other numbers. */
  get #conversations() {
    if (!this.folded) return [];
    const chosen = this.active?.row !== undefined ? this.rows.get(this.active.row) : null;
    return [...this.opened.keys(), ...(chosen?.count ? [chosen.conversation] : [])].slice(0, LIMIT);
  }

  #take(answer, conversations = []) {
    if (this.run !== answer.run) {
      this.#forget();
      const isOther = this.run !== null;
      this.run = answer.run;
      if (isOther) {
        this.active = null;
        this.pending = null;
        this.onOther();
      }
    }
    const removed = this.first > 0 || this.end > 0 ? Math.max(0, answer.first - this.first) : 0;
    const chosen = this.active?.row !== undefined ? this.rows.get(this.active.row)?.conversation : null;
    // The rows of long conversations move up when the room drops the rows between them.
    if (answer.end < this.end || removed > 0) this.rows.clear();
    conversations.forEach((conversation, index) => {
      const row = answer.opened?.[index] ?? -1;
      if (this.opened.has(conversation)) this.opened.get(conversation).row = row;
      if (conversation === chosen && row >= 0) this.active = { row };
    });
    this.list = answer;
    this.first = answer.first;
    this.end = answer.end;
    // Rows of conversations change while they grow, so only those of the last answers stay.
    if (this.rows.size > 4 * LIMIT) this.rows.clear();
    answer.rows.forEach((row, index) => this.rows.set(answer.from + index, row));
    for (const [conversation, each] of this.opened) if (each.row < this.first || each.row >= this.end) this.opened.delete(conversation);
    this.body.style.height = `${this.total * ROW}px`;
    if (removed > 0 && !this.isFollowing) this.element.scrollTop -= removed * ROW;
  }

  /** Loads the packets of opened conversations between two positions. */
  async #loadOpened(from, to) {
    const asked = [];
    for (const each of this.#sorted) {
      const start = this.#position({ conversation: each.conversation, member: 0 });
      if (start > to || start + each.count < from) continue;
      const member = Math.max(0, from - start);
      asked.push(this.#ask({ conversation: each.conversation, from: member, count: Math.min(LIMIT, to - from + 1) }).then((answer) => {
        each.count = answer.end;
        if (each.rows.size > 4 * LIMIT) each.rows.clear();
        answer.rows.forEach((row, index) => each.rows.set(answer.from + index, row));
      }));
    }
    await Promise.all(asked);
    if (asked.length > 0) this.body.style.height = `${this.total * ROW}px`;
  }

  #scrolled() {
    const isAtEnd = this.element.scrollTop + this.element.clientHeight >= this.total * ROW - ROW;
    if (this.isFollowing && !isAtEnd && !this.isBusy && this.total > 0) {
      this.isFollowing = false;
      this.#report();
    }
    this.render();
    const [from, to] = this.#visible;
    for (let position = from; position <= Math.min(to, this.total - 1); position += 1) {
      if (!this.#data(this.#place(position))) {
        this.refresh();
        return;
      }
    }
  }

  #report() { this.onState({ list: this.list, isFollowing: this.isFollowing, isBusy: this.isBusy || this.list?.isComplete === false, total: this.total }); }

  // Rows as elements

  render() {
    const [from, to] = this.#visible;
    const active = this.#position(this.active);
    const items = [];
    for (let position = Math.max(0, from - 4); position <= Math.min(to + 4, this.total - 1); position += 1) {
      const place = this.#place(position);
      items.push({ position, place, row: this.#data(place) });
    }
    keyed(this.body, items, ({ place }) => (place.row !== undefined ? `r${place.row}` : `m${place.conversation}-${place.member}`),
      () => h('div', { class: 'packet-row', role: 'treeitem' }),
      (element, item) => this.#update(element, item, item.position === active));
    const current = this.body.querySelector('[aria-selected="true"]');
    if (current) this.element.setAttribute('aria-activedescendant', current.id);
    else this.element.removeAttribute('aria-activedescendant');
  }

  #update(element, { position, place, row }, isActive) {
    element.style.transform = `translateY(${position * ROW}px)`;
    element.id = `packet-${element.dataset.key}`;
    element.setAttribute('aria-level', place.row !== undefined ? '1' : '2');
    element.setAttribute('aria-setsize', String(this.total));
    element.setAttribute('aria-posinset', String(position + 1));
    element.setAttribute('aria-selected', String(isActive));
    const isOpen = Boolean(row?.count) && this.opened.has(row.conversation);
    if (place.row !== undefined && row?.count) element.setAttribute('aria-expanded', String(isOpen));
    else element.removeAttribute('aria-expanded');
    const state = row ? `${row.n} ${row.count ?? ''} ${row.duration} ${phrase(row.name)} ${phrase(row.text)} ${isOpen}` : '';
    if (element.dataset.state === state) return;
    element.dataset.state = state;
    element.className = `packet-row${place.row === undefined ? ' member' : ''}${row?.count ? ' folded' : ''}`;
    if (!row) return void fill(element, h('span', { class: 'faint' }, '…'));
    fill(element, ...this.#cells(row, isOpen));
  }

  #cells(row, isOpen) {
    const mark = row.count ? h('span', { class: 'twist', 'aria-hidden': 'true' }, isOpen ? '▾' : '▸') : h('span', { class: 'twist' });
    const name = row.count ? t(`packets.procedure.${row.procedure}`) : phrase(row.name);
    const lost = !row.count && row.receivers.length > 0 && !row.receivers.some((each) => each[2] === 'received');
    return [
      mark,
      h('span', { class: 'when number' }, seconds(row.start, 6)),
      h('span', { class: 'who' }, this.#device(row.sender)),
      h('span', { class: `what layer layer-${row.layer}${row.isEncrypted ? ' ring' : ''}` }, h('span', { class: 'name' }, name)),
      row.count ? h('span', { class: 'chip' }, `${count(row.count)}×`, h('span', { class: 'sr' }, t('packets.count', { n: count(row.count) }))) : null,
      h('span', { class: 'says name', dir: 'auto' }, spoken(row.text, 200)),
      row.count ? h('span', { class: 'lasts small-text faint' }, span(row.duration)) : null,
      lost ? h('span', { class: 'chip bad' }, t(`packets.outcome.${row.receivers[0][2]}`)) : null,
      row.isRetransmission && !row.count ? h('span', { class: 'chip warn' }, t('packets.again')) : null,
      row.isEncrypted ? h('span', { class: 'sr' }, t('packets.encrypted')) : null,
    ];
  }

  #device(id) {
    const device = this.source.device(id);
    return device ? nameElement(device.name, 20) : h('span', { class: 'faint' }, id ?? '–');
  }

  // Choosing

  /**
   * Chooses a packet by its number, and scrolls to it. Resolves with whether the filter selects it; if not, another one near it is chosen. Resolves with
   * null, without an effect, if the list has ended or has another filter by then.
   */
  async show(number) {
    const { filter, folded, request } = this;
    const isOver = () => request !== this.request || filter !== this.filter || folded !== this.folded;
    this.isFollowing = false;
    let answer;
    do {
      answer = await this.#ask({ around: number, count: 100 });
      if (isOver()) return null;
    } while (!answer.isComplete);
    this.#take(answer);
    const row = this.rows.get(answer.row);
    this.active = { row: answer.row };
    if (row?.count && row.n !== number) {
      await this.open(answer.row, row);
      if (isOver()) return null;
      const members = await this.#ask({ conversation: row.conversation, around: number, count: 100 });
      const opened = this.opened.get(row.conversation);
      // Another run has forgotten it.
      if (isOver() || !opened) return null;
      members.rows.forEach((each, index) => opened.rows.set(members.from + index, each));
      this.active = { conversation: row.conversation, member: members.row };
    }
    this.#reveal();
    this.#report();
    return this.#data(this.active)?.n === number;
  }

  async open(number, row) {
    const opened = { row: number, conversation: row.conversation, count: row.count, rows: new Map() };
    this.opened.set(row.conversation, opened);
    this.isFollowing = false;
    this.body.style.height = `${this.total * ROW}px`;
    const start = this.#position({ row: number });
    this.render();
    await this.#loadOpened(start, start + 100);
    this.render();
    this.#settle();
    this.#report();
  }

  close(conversation) {
    const opened = this.opened.get(conversation);
    this.opened.delete(conversation);
    if (opened && this.active?.conversation === conversation) this.active = { row: opened.row };
    this.body.style.height = `${this.total * ROW}px`;
    this.render();
    this.#scrolled();
  }

  #reveal() {
    const top = this.#position(this.active) * ROW;
    const height = this.element.clientHeight;
    if (top < this.element.scrollTop) this.element.scrollTop = top;
    else if (top + ROW > this.element.scrollTop + height) this.element.scrollTop = top + ROW - height;
    this.#scrolled();
  }

  #choose(position, isFinal = false) {
    if (this.total === 0) return;
    this.active = this.#place(Math.min(Math.max(0, position), this.total - 1));
    this.isFollowing = false;
    this.pending = { isFinal };
    this.#reveal();
    this.#settle();
    this.#report();
  }

  /** Reports the chosen row as soon as it is loaded. */
  #settle() {
    const row = this.pending && this.#data(this.active);
    if (!row) return;
    const { isFinal } = this.pending;
    this.pending = null;
    this.onChoose(row, isFinal);
  }

  #click(event) {
    const element = event.target.closest('.packet-row');
    if (!element) return;
    const position = Number(element.getAttribute('aria-posinset')) - 1;
    const place = this.#place(position);
    const row = this.#data(place);
    if (row?.count && place.row !== undefined) this.#toggle(place, row);
    this.#choose(position, true);
  }

  #toggle(place, row) {
    if (this.opened.has(row.conversation)) this.close(row.conversation);
    else this.open(place.row, row);
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const position = this.#position(this.active);
    const page = Math.max(1, Math.floor(this.element.clientHeight / ROW) - 1);
    const row = this.active && this.#data(this.active);
    const isHeader = row?.count && this.active.row !== undefined;
    const moves = { ArrowDown: position + 1, ArrowUp: position - 1, PageDown: position + page, PageUp: position - page, Home: 0, End: this.total - 1 };
    if (event.key in moves) this.#choose(position < 0 && event.key === 'ArrowUp' ? this.total - 1 : moves[event.key]);
    else if (event.key === 'ArrowRight' && isHeader) {
      if (this.opened.has(row.conversation)) this.#choose(position + 1);
      else this.open(this.active.row, row);
    } else if (event.key === 'ArrowLeft' && this.active) {
      if (this.active.conversation !== undefined) this.#choose(this.#position({ row: this.opened.get(this.active.conversation).row }));
      else if (isHeader && this.opened.has(row.conversation)) this.close(row.conversation);
    } else if (event.key === 'Enter' || event.key === ' ') {
      if (isHeader) this.#toggle(this.active, row);
      if (row) this.onChoose(row, event.key === 'Enter');
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
