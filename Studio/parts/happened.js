// What happens: the calls and callbacks of the programs, with the packets between them.

import { fill, h } from '../dom.js';
import { count, plain, seconds, spoken } from '../text.js';
import { register, t } from '../words.js';
import { pane } from './room-pane.js';

register({
  en: {
    'happened.title': 'What happens', 'happened.none': 'Nothing has happened yet.', 'happened.teach': 'Calls and callbacks of the programs appear here, with the packets between them.',
    'happened.packets': '{n} packet||{n} packets', 'happened.about': 'about {n} packets', 'happened.all': 'All in the packet list', 'happened.earlier': 'Show earlier ({n})',
    'happened.kind.call': 'call', 'happened.kind.callback': 'callback', 'happened.kind.note': 'note', 'happened.kind.error': 'error', 'happened.latest': 'Latest', 'happened.step': 'Step {n}',
    'happened.some': 'Packets: in the packet list', 'happened.least': 'at least {n} packets',
  },
  zh: {
    'happened.title': '正在发生', 'happened.none': '还没有任何事件。', 'happened.teach': '程序的调用和回调会显示在这里，它们之间的数据包也在这里。',
    'happened.packets': '{n} 个数据包', 'happened.about': '约 {n} 个数据包', 'happened.all': '在数据包列表中查看全部', 'happened.earlier': '显示更早的（{n}）',
    'happened.kind.call': '调用', 'happened.kind.callback': '回调', 'happened.kind.note': '说明', 'happened.kind.error': '错误', 'happened.latest': '最新', 'happened.step': '第 {n} 步',
    'happened.some': '数据包：见数据包列表', 'happened.least': '至少 {n} 个数据包',
  },
});

const ROWS = 150;       // rows in the document
const OPENED = 100;     // packets of an opened fold
const open = new Set(); // folds that are open, by the number of the event after them

/**
 * The packets that ended in (from, to], as {first, end, n, words}: positions in the page's own list, and the key of the words for their number.
 * The page gets the newest packets only, so the number is not always exact, or known.
 */
function between(packets, from, to) {
  const first = position(packets, from);
  const end = position(packets, to);
  const isCut = first === 0 && packets.length > 0 && packets[0].n > 0;
  if (end <= first) return { first, end, n: 0, words: isCut && to > from && to !== Infinity ? 'happened.some' : null };
  const n = packets[end - 1].n - packets[first].n + 1;
  const isWhole = n === end - first && (first === 0 || packets[first - 1].n === packets[first].n - 1);
  return { first, end, n, words: isCut ? 'happened.least' : isWhole ? 'happened.packets' : 'happened.about' };
}

/** The position of the first packet that ends after a moment. */
function position(packets, time) {
  let low = 0;
  let high = packets.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (packets[middle].start + packets[middle].duration > time) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** A line of Swift that may break after its punctuation. */
function code(text) { return text.split(/(?<=[(.,:_])(?!\))/).flatMap((part) => [part, h('wbr')]); }

/** Fills its place, and returns a function that ends it. */
export function happened(place, studio) {
  const { events, packets } = studio.store;
  const { body, count: total } = pane(place, 'happened.title', matchMedia('(max-width: 760px)').matches);
  const list = h('ol', { class: 'list log', 'aria-label': t('happened.title') });
  const empty = h('div', { class: 'empty' }, h('p', {}, t('happened.none')), h('p', {}, t('happened.teach')));
  const earlier = h('button', { class: 'quiet small earlier', hidden: true, onclick: () => { shown += ROWS * 2; isStale = true; soon(); } });
  const tail = h('li', {});
  const latest = h('button', { class: 'small latest', hidden: true, onclick: () => { follows = true; body.scrollTop = body.scrollHeight; } }, t('happened.latest'));
  list.append(tail);
  fill(body, empty, earlier, list, latest);

  let shown = ROWS;
  let follows = true;
  let isStale = true;
  let timer = 0;
  let last = 0;
  let drawnHeight = -1;
  let shapes = 0; // changes of folds, which change the height
  let rows = []; // {event, element, gap, isSettled}
  body.addEventListener('scroll', () => {
    follows = body.scrollTop + body.clientHeight > body.scrollHeight - 40;
    latest.hidden = follows;
  }, { passive: true });

  function row(event, before) {
    const gap = h('div', {});
    const device = studio.store.device(event.device);
    const element = h('li', { dataset: { key: event.n } }, gap, h('button', {
      class: `item event ${event.kind}`, onclick: () => event.device && studio.select({ kind: 'device', id: event.device }),
      onpointerenter: () => studio.highlight(event.device ?? null), onpointerleave: () => studio.highlight(null),
      onfocus: () => studio.highlight(event.device ?? null), onblur: () => studio.highlight(null),
    },
    h('span', { class: 'number mono step', title: event.step ? t('happened.step', { n: event.step }) : null }, event.step ? String(event.step).padStart(2, '0') : event.kind === 'error' ? '!' : '·'),
    h('span', { class: 'grow' },
      h('span', { class: 'text', dir: 'auto' }, spoken(event.text, 240)),
      event.swift ? h('code', { class: 'swift' }, code(plain(event.swift, 160))) : null,
      h('span', { class: 'faint where' }, h('bdi', { dir: 'auto' }, plain(device?.name ?? '', 24)), `${device ? ' · ' : ''}${t(`happened.kind.${event.kind}`)} · `, h('time', {}, seconds(event.time, event.time % 1e6 ? 6 : 3))))));
    return { event, element, gap, from: before?.time ?? -1, isSettled: false, text: '' };
  }

  /** The fold of the packets in (from, to]. */
  function drawGap(place, key, from, to) {
    const found = between(packets.items, from, to);
    const isOpen = open.has(key);
    const text = found.words ? t(found.words, { n: count(found.n) }) : '';
    const state = `${text} ${isOpen} ${isOpen ? packets.items[found.end - 1]?.n : ''}`;
    if (place.dataset.state === state) return;
    place.dataset.state = state;
    if (isOpen || (found.n === 0) !== !place.firstChild) shapes += 1;
    let fold = place.querySelector(':scope > button');
    if (found.n === 0) {
      return fill(place, text ? h('button', { class: 'quiet small fold-packets', onclick: () => studio.show('packets') }, text) : []);
    }
    if (fold && !fold.lastElementChild) fold = null;
    if (!fold) {
      fold = h('button', { class: 'quiet small fold-packets', onclick: () => {
        if (open.has(key)) open.delete(key); else open.add(key);
        isStale = true;
        soon();
      } }, h('span', { class: 'fold-mark', 'aria-hidden': 'true' }, '▸'), h('span', {}));
      fill(place, fold);
    }
    fold.lastElementChild.textContent = text;
    fold.setAttribute('aria-expanded', String(isOpen));
    fold.nextElementSibling?.remove();
    if (!isOpen) return undefined;
    const kept = packets.items.slice(Math.max(found.first, found.end - OPENED), found.end);
    place.append(h('ul', { class: 'list packets' }, kept.map((packet) => h('li', {}, h('button', {
      class: `item layer-${packet.layer}`, onclick: () => studio.show('packets', packet.n),
      onpointerenter: () => studio.highlight(packet.sender), onpointerleave: () => studio.highlight(null),
    }, h('span', { class: 'layer' }), h('span', { class: 'name' }, plain(packet.name)),
    h('bdi', { class: 'faint small-text name', dir: 'auto' }, plain(studio.store.device(packet.sender)?.name ?? '', 20))))),
    found.n > kept.length ? h('li', {}, h('button', { class: 'quiet small', onclick: () => studio.show('packets', packets.items[found.first].n) }, t('happened.all'))) : null));
    return undefined;
  }

  function draw() {
    timer = 0;
    last = performance.now();
    const items = events.items;
    const from = Math.max(0, items.length - shown);
    const wanted = items.slice(from);
    // Rows that a step back dropped, and rows that left the window.
    const stays = new Set(wanted);
    rows = rows.filter((row) => stays.has(row.event) || row.element.remove());
    const known = rows.length ? rows[rows.length - 1].event.n : -1;
    const firstKnown = rows[0]?.event.n ?? Infinity;
    const older = [];
    wanted.forEach((event, index) => {
      const before = items[from + index - 1];
      if (event.n < firstKnown && known >= 0) older.push(row(event, before));
      else if (event.n > known) {
        const made = row(event, before);
        rows.push(made);
        list.insertBefore(made.element, tail);
      }
    });
    for (const made of older.reverse()) { list.prepend(made.element); rows.unshift(made); }
    const settled = packets.items.length ? packets.items[packets.items.length - 1].start : 0;
    for (const each of rows) {
      if (each.isSettled && !isStale) continue;
      drawGap(each.gap, each.event.n, each.from, each.event.time);
      each.isSettled = settled > each.event.time;
    }
    drawGap(tail, 'tail', items.length ? items[items.length - 1].time : -1, Infinity);
    isStale = false;
    empty.hidden = items.length > 0 || packets.items.length > 0;
    earlier.hidden = from === 0;
    earlier.textContent = t('happened.earlier', { n: count(from) });
    total.textContent = items.length ? count(items[items.length - 1].n + 1) : '';
    const height = list.childElementCount * 1e6 + shapes;
    if (follows && height !== drawnHeight) body.scrollTop = body.scrollHeight;
    drawnHeight = height;
  }
  const soon = () => { if (!timer) timer = setTimeout(draw, Math.max(0, last + 100 - performance.now())); };
  const reset = (items, from) => { if (from !== undefined && from !== null) isStale = true; soon(); };
  draw();
  const ends = [events.watch(reset), packets.watch(reset), () => clearTimeout(timer)];
  return () => { for (const end of ends) end(); };
}
