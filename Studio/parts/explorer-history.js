// The past values of a characteristic, the newest first. The server keeps a limited number of them.

import { fill, h, keyed } from '../dom.js';
import { OFFLINE } from '../failures.js';
import { octetsOf, phrase, seconds } from '../text.js';
import { t } from '../words.js';
import './explorer-words.js';

// The time between two questions in milliseconds. Each failure in a row doubles it, up to a limit.
const PAUSE = 300;
const DOUBLINGS = 6;
const SHOWN_OCTETS = 32;

/** context: {ask, selected}. */
export function historyPane(context) {
  const rows = h('tbody', {});
  const total = h('span', { class: 'faint small-text' });
  const list = h('div', { class: 'scroll ex-historylist', tabindex: '0', role: 'region', 'aria-label': t('ex.history') }, h('table', { class: 'table small-text' },
    h('thead', {}, h('tr', {}, ['time', 'value', 'octets'].map((name) => h('th', { scope: 'col' }, t(`ex.history.${name}`))))), rows));
  const element = h('details', { class: 'ex-history', open: true }, h('summary', {}, t('ex.history'), ' ', total), list, h('p', { class: 'hint' }, t('ex.history.saved')));
  let wanted = { key: null, count: 0 };
  let shown = { key: null, count: 0 };
  let timer = 0;
  let isAsking = false;
  // The failures in a row.
  let failures = 0;
  // Whether the connection was lost. It is open again when the page gets the next count.
  let isOffline = false;
  let values = [];

  function make(value) {
    const octets = octetsOf(value.octets);
    const digits = octets.slice(0, SHOWN_OCTETS).join(' ') + (octets.length > SHOWN_OCTETS ? ' …' : '');
    return h('tr', {}, h('td', { title: t(`ex.source.${value.source}`) }, h('time', {}, seconds(value.time))), h('td', {}, h('bdi', { dir: 'auto' }, phrase(value.text, 80))), h('td', { class: 'mono' }, digits));
  }

  function forget() {
    values = [];
    fill(rows);
    shown = { key: null, count: 0 };
    total.textContent = '';
  }

  async function ask() {
    timer = 0;
    if (isAsking || !element.open) return;
    const { key } = wanted, last = values[0];
    isAsking = true;
    let past = null;
    try {
      past = await context.ask('explorer.values', { ...context.selected(), from: last?.n ?? 0 });
      failures = 0;
    } catch (failure) {
      failures += 1;
      isOffline = failure.code === OFFLINE.code;
    }
    isAsking = false;
    if (past && key === wanted.key && last === values[0]) {
      // A device that discovers its attributes again counts from 0. The value that was the last one then has another time, or is not there yet.
      const again = past.values.find((value) => value.n === last?.n);
      if (past.count < shown.count || (again && again.time !== last.time)) {
        forget();
      } else {
        shown = { key, count: past.count };
        values = [...past.values, ...values.slice(1).filter((value) => value.n >= past.first)];
        keyed(rows, values, (value) => value.n, make);
        total.textContent = past.first > 0 ? t('ex.history.kept', { n: values.length, count: past.count }) : String(past.count);
      }
    }
    askLater();
  }

  function askLater() {
    if (isOffline || !element.open || timer || isAsking || !element.isConnected || (shown.key === wanted.key && shown.count === wanted.count)) return;
    timer = setTimeout(ask, failures > 0 ? PAUSE * 2 ** Math.min(failures, DOUBLINGS) : shown.key === wanted.key ? PAUSE : 0);
  }
  element.addEventListener('toggle', askLater);

  return {
    element,
    /** `key` names the characteristic, and `count` the values that arrived. */
    update(key, count) {
      element.hidden = count === 0;
      isOffline = false;
      if (key !== wanted.key) {
        failures = 0;
        forget();
      }
      wanted = { key, count };
      askLater();
    },
  };
}
