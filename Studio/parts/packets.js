// The packet list: filters above, rows on the left, the chosen packet on the right.

import { fill, h } from '../dom.js';
import { t } from '../words.js';
import { count } from '../text.js';
import { PROCEDURES } from './packets-words.js';
import { PacketList } from './packets-list.js';
import { PacketDetail } from './packets-detail.js';
import { save, saveHCI } from './packets-save.js';
import { packetSource } from './packets-source.js';

// The time between two updates while packets arrive, and the pause after which typed text filters, in milliseconds.
const UPDATE = 250, PAUSE = 200;

const NO_FILTER = { device: '', layer: '', procedure: '', text: '' };
// What stays of each source while another view is shown.
const keptOf = {};

export const packets = {
  name: 'packets',
  mount(place, studio, isNew) {
    const number = /^\d+$/.test(studio.argument()) ? Number(studio.argument()) : null;
    const source = packetSource(studio);
    const kept = keptOf[source.place] ??= { filter: { ...NO_FILTER }, folded: true, isFollowing: source.isLive };
    place.classList.add('packets-view');
    const head = h('div', {});
    const pane = h('section', { class: 'packet-detail panel scroll', 'aria-label': t('packets.detail') });
    const status = h('span', { class: 'small-text faint', role: 'status' });
    const empty = h('div', { class: 'empty packet-empty' });
    const detail = new PacketDetail(studio, source, pane, { onClose: () => { detail.clear(); choose(null); list.element.focus(); } });
    let waiting = 0;
    let droppedHCI = {};
    let isOpen = true;
    const list = new PacketList(studio, source, {
      onState: (state) => { if (isOpen) changed(state); },
      onOther: () => {
        // The packet beside the list is of the former file. In the room, a packet stays beside a list that begins again.
        if (source.isLive) return;
        clearTimeout(waiting);
        detail.clear();
        choose(null);
      },
      onChoose: (row, isFinal) => {
        choose(row.n);
        clearTimeout(waiting);
        waiting = setTimeout(() => detail.show(row.n), isFinal ? 0 : 40);
      },
    });

    function choose(n) {
      studio.moved(n === null ? `#${source.place}` : `#${source.place}/${n}`);
      place.dataset.chosen = n === null ? '' : String(n);
    }

    // Filters

    function select(name, options) {
      const element = h('select', { dataset: { focus: `packets-${name}` }, onchange: () => { kept.filter[name] = element.value; apply(); } });
      element.update = (entries) => {
        const value = kept.filter[name];
        fill(element, h('option', { value: '' }, t('packets.any')), entries.map(([id, text]) => h('option', { value: id }, text)));
        // A device that was removed stays in the filter.
        if (value && !entries.some(([id]) => id === value)) element.append(h('option', { value }, value));
        element.value = value;
      };
      element.update(options);
      return [element, h('label', { class: 'field' }, h('span', {}, t(`packets.filter.${name}`)), element)];
    }
    const [deviceSelect, deviceField] = select('device', []);
    const [layerSelect, layerField] = select('layer', []);
    const [, procedureField] = select('procedure', Object.keys(PROCEDURES).map((name) => [name, t(`packets.procedure.${name}`)]));
    let typing = 0;
    const text = h('input', { type: 'search', maxlength: '100', value: kept.filter.text, placeholder: t('packets.filter.example'), dataset: { focus: 'packets-text' }, oninput: () => {
      clearTimeout(typing);
      typing = setTimeout(() => { kept.filter.text = text.value.trim(); apply(); }, PAUSE);
    } });
    const textField = h('label', { class: 'field grow' }, h('span', {}, t('packets.filter.text')), text);
    const fold = h('button', { class: 'small', title: t('packets.foldHint'), dataset: { focus: 'packets-fold' }, onclick: () => { kept.folded = !kept.folded; apply(); } }, t('packets.fold'));
    const follow = h('button', { class: 'small', title: t('packets.followHint'), dataset: { focus: 'packets-follow' }, onclick: () => list.follow(!list.isFollowing) }, t('packets.follow'));

    function apply() {
      fold.setAttribute('aria-pressed', String(kept.folded));
      const filter = Object.fromEntries(Object.entries(kept.filter).filter(([, value]) => value !== ''));
      return list.query(filter, kept.folded);
    }

    function changed({ list: answer, isFollowing, isBusy, total }) {
      kept.isFollowing = isFollowing;
      follow.setAttribute('aria-pressed', String(isFollowing));
      const all = answer?.packets ?? 0;
      const dropped = all - (answer?.kept ?? 0);
      droppedHCI = answer?.droppedHCI ?? {};
      const allHCI = Object.values(droppedHCI).reduce((sum, each) => sum + each, 0);
      status.textContent = isBusy && answer?.isComplete === false ? t('packets.searching')
        : [t('packets.status', { n: count((answer?.end ?? 0) - (answer?.first ?? 0)), all: count(all) }), dropped > 0 ? t('packets.dropped', { dropped: count(dropped) }) : '',
          allHCI > 0 ? t('packets.allHCIDropped', { n: count(allHCI) }) : ''].filter(Boolean).join(' · ');
      const isEmpty = total === 0 && !(answer?.isComplete === false);
      const hadFocus = empty.contains(document.activeElement);
      list.element.hidden = isEmpty;
      const state = !isEmpty ? '' : all === 0 ? 'none' : 'nothing';
      if (empty.dataset.state === state) return;
      empty.dataset.state = state;
      empty.hidden = state === '';
      if (empty.hidden && hadFocus) list.element.focus();
      if (state === 'none') {
        fill(empty, source.empty());
      } else if (state === 'nothing') {
        fill(empty, h('p', {}, t('packets.nothing')), h('button', { onclick: clear }, t('packets.clear')));
      }
    }

    function clear() {
      kept.filter = { ...NO_FILTER };
      text.value = '';
      for (const element of place.querySelectorAll('.packet-filters select')) element.value = '';
      return apply();
    }

    place.append(
      h('h2', { class: 'sr' }, t('packets.title')), head,
      h('div', { class: 'packet-filters', role: 'group', 'aria-label': t('packets.filters') }, deviceField, layerField, procedureField, textField),
      h('div', { class: 'toolbar' }, fold, source.isLive ? follow : null, status, source.isLive ? [h('span', { class: 'grow' }),
        h('button', { class: 'small', title: t('packets.pcapng'), dataset: { focus: 'packets-pcapng' }, onclick: () => save(studio, 'packets.pcapng') }, t('packets.as', { format: 'pcapng' })),
        h('button', { class: 'small', title: t('packets.btsnoop'), dataset: { focus: 'packets-btsnoop' }, onclick: () => saveHCI(studio, kept.filter.device, () => droppedHCI) }, t('packets.as', { format: 'btsnoop…' }))] : null),
      h('div', { class: 'packet-panes' }, h('div', { class: 'packet-list-pane panel' }, list.element, empty), pane));
    list.isFollowing = kept.isFollowing && number === null;

    // Updates

    let due = 0;
    const update = () => {
      if (due) return;
      due = setTimeout(() => { due = 0; list.refresh(); }, UPDATE);
    };
    let names = '';
    let isBegun = false;
    const ends = source.watch(() => {
      fill(head, source.head());
      const entries = [source.devices, source.layers];
      if (JSON.stringify(entries) === names) return;
      names = JSON.stringify(entries);
      deviceSelect.update(source.devices);
      layerSelect.update(source.layers.map((name) => [name, t(`layer.${name}`)]));
      for (const row of list.body.children) row.dataset.state = '';
      list.render();
      detail.named();
    }, (isReady) => (isReady ? begin() : update()));
    async function begin() {
      if (isBegun) return update();
      isBegun = true;
      const ready = apply();
      if (number === null) return ready;
      choose(number);
      const shown = detail.show(number);
      // On a narrow page the story is below the packets.
      shown.then(() => { if (!source.isLive && matchMedia('(max-width: 760px)').matches) pane.scrollIntoView({ block: 'nearest' }); });
      try {
        await ready;
        if (!isOpen || await list.show(number) !== false) return undefined;
        // A link to a packet that the filters hide removes them.
        if (isNew && JSON.stringify(kept.filter) !== JSON.stringify(NO_FILTER) && await shown && isOpen) {
          await clear();
          if (isOpen) await list.show(number);
        }
      } catch (failure) {
        if (isOpen) studio.failed(failure);
      }
      return undefined;
    }

    return () => {
      isOpen = false;
      clearTimeout(due);
      clearTimeout(typing);
      clearTimeout(waiting);
      list.stop();
      detail.stop();
      for (const end of ends) end?.();
      delete place.dataset.chosen;
    };
  },
};
