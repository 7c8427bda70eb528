// The advertisement of the maker's device: its octets, and what is left out with the reason.

import { fill, h } from '../dom.js';
import { plain } from '../text.js';
import { t } from '../words.js';
import { advertisingOctets } from './advertising-octets.js';

/** Shows a layout of the server. */
export function showLayout(place, layout) {
  place.hidden = !layout;
  if (!layout) return;
  const notes = layout.omitted.map(({ kind, identifier, count }) => t(`maker.left.${kind}`, { id: identifier, n: count, limit: layout.structuresLimit }));
  const { name } = layout;
  let moved = null;
  if (name?.place === 'data' && !name.isWhole) {
    moved = t('maker.name.cut', { n: name.count, sent: plain(name.sent) });
  } else if (name?.place === 'response') {
    moved = name.isWhole ? t('maker.name.moved', { n: name.count }) : t('maker.name.short', { n: name.count, limit: layout.responseNameLimit, sent: plain(name.sent) });
  }
  fill(place,
    advertisingOctets(t('maker.advertisement'), layout.data.octets, layout.data.structures, layout.capacity),
    moved ? h('p', { class: `notice ${name.isWhole ? '' : 'warn'}`, dir: 'auto' }, moved) : null,
    layout.response.octets ? advertisingOctets(t('maker.response'), layout.response.octets, layout.response.structures, layout.capacity) : null,
    notes.length ? h('div', { class: 'notice warn left-out' }, h('h3', {}, t('maker.left')), h('ul', {}, notes.map((note) => h('li', {}, note)))) : null);
}
