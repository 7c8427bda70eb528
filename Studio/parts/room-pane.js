// A side pane: a header with a count and buttons, and a body that scrolls. On a narrow page it folds.

import { fill, h } from '../dom.js';
import { register, t } from '../words.js';
import { icon } from './room-icons.js';

register({ en: { 'pane.fold': 'Show or hide: {name}' }, zh: { 'pane.fold': '显示或隐藏：{name}' } });

const folded = new Map();

/**
 * Fills an aside. title: the key of its title. isFolded: whether it starts folded on a narrow page. Returns {count, body, propose}: propose(isFolded) folds it
 * unless the person chose.
 */
export function pane(place, title, isFolded, ...buttons) {
  const body = h('div', { class: 'body' });
  const count = h('span', { class: 'faint small-text number' });
  const fold = h('button', { class: 'quiet icon small fold', 'aria-label': t('pane.fold', { name: t(title) }), onclick: () => {
    folded.set(title, place.dataset.folded !== 'true');
    show(place.dataset.folded !== 'true');
  } }, icon('open'));
  function show(state) {
    place.dataset.folded = String(state);
    fold.setAttribute('aria-expanded', String(!state));
  }
  fill(place, h('header', {}, h('h2', {}, t(title)), count, buttons, fold), body);
  show(folded.get(title) ?? isFolded);
  return { body, count, propose: (state) => { if (!folded.has(title)) show(state); } };
}
