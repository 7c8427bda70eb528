// The log: what was called, and what came back.

import { fill, h } from '../dom.js';
import { plain, seconds, spoken } from '../text.js';
import { t } from '../words.js';
import './explorer-words.js';

const SHOWN = 200;
const MARKS = { call: '→', callback: '←', note: '·', error: '✕' };

/** context: {act, download}. add(batch) takes a batch of the stream. */
export function logPane(context) {
  const list = h('ol', { class: 'list ex-loglist', tabindex: '0', 'aria-label': t('ex.log') });
  const none = h('p', { class: 'hint' }, t('ex.log.none'));
  const save = h('button', { class: 'small', dataset: { do: 'saveLog' }, onclick: () => context.download('explorer.log', {}) }, t('ex.log.save'));
  const clear = h('button', { class: 'small', dataset: { do: 'clearLog' }, onclick: () => { context.act('clearLog'); } }, t('ex.log.clear'));
  const total = h('span', { class: 'faint small-text' });
  const element = h('section', { class: 'ex-pane ex-log', 'aria-label': t('ex.log') }, h('div', { class: 'toolbar' }, h('h2', { class: 'grow' }, t('ex.log'), ' ', total), save, clear), none, list);
  let entries = [];

  function line(entry) {
    return h('li', { class: `ex-entry ${entry.kind}`, dataset: { n: entry.n } },
      h('time', { class: 'mono faint' }, seconds(entry.time)), h('span', { 'aria-hidden': 'true' }, MARKS[entry.kind] ?? ''),
      h('span', { class: 'ex-entrytext' }, h('span', {}, spoken(entry.text, 200)), entry.swift ? h('code', {}, plain(entry.swift, 200)) : null));
  }

  return {
    element,
    add(batch) {
      if (batch.reset !== undefined) {
        entries = entries.filter((entry) => entry.n < batch.reset);
        fill(list, entries.map(line));
      }
      const isAtEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 30;
      const fresh = batch.items.slice(-SHOWN);
      entries.push(...fresh);
      list.append(...fresh.map(line));
      while (list.children.length > SHOWN) list.firstElementChild.remove();
      entries = entries.slice(-SHOWN);
      none.hidden = entries.length > 0;
      list.hidden = entries.length === 0;
      if (isAtEnd) list.scrollTop = list.scrollHeight;
    },
    cleared(from) {
      if (entries.length === 0 || entries.at(-1).n >= from) return;
      entries = [];
      fill(list);
      none.hidden = false;
      list.hidden = true;
    },
  };
}
