// The packet list: filters above, rows on the left, the chosen packet on the right.

import { fill, h } from '../dom.js';
import { t } from '../words.js';
import { LAYERS, count, plain } from '../text.js';
import { PROCEDURES } from './packets-words.js';
import { PacketList } from './packets-list.js';
import { PacketDetail } from './packets-detail.js';
import { save, saveHCI } from './packets-save.js';

// The time between two updates while packets arrive, and the pause after which typed text filters, in milliseconds.
const UPDATE = 250, PAUSE = 200;

// What stays while another view is shown.
const kept = { filter: { device: '', layer: '', procedure: '', text: '' }, folded: true, isFollowing: true };

export const packets = {
  name: 'packets',
  mount(place, studio) {
    const number = /^\d+$/.test(studio.argument()) ? Number(studio.argument()) : null;
    place.classList.add('packets-view');
    const pane = h('section', { class: 'packet-detail panel scroll', 'aria-label': t('packets.detail') });
    const status = h('span', { class: 'small-text faint', role: 'status' });
    const empty = h('div', { class: 'empty packet-empty' });
    const detail = new PacketDetail(studio, pane, { onClose: () => { detail.clear(); choose(null); list.element.focus(); } });
    let waiting = 0;
    let droppedHCI = {};
    const list = new PacketList(studio, {
      onState: (state) => changed(state),
      onChoose: (row, isFinal) => {
        choose(row.n);
        clearTimeout(waiting);
        waiting = setTimeout(() => detail.show(row.n), isFinal ? 0 : 40);
      },
    });

    function choose(n) {
      const own = studio.world() === 'lesson' ? '#packets@lesson' : '#packets';
      const hash = n === null ? own : `${own}/${n}`;
      if (location.hash !== hash) history.replaceState(history.state, '', hash);
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
    const [, layerField] = select('layer', LAYERS.map((name) => [name, t(`layer.${name}`)]));
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
        fill(empty, h('p', {}, t('packets.none')), h('p', {}, t('packets.teach')),
          h('button', { class: 'primary', onclick: () => studio.try('time.run') }, t('packets.run')));
      } else if (state === 'nothing') {
        fill(empty, h('p', {}, t('packets.nothing')), h('button', { onclick: () => {
          kept.filter = { device: '', layer: '', procedure: '', text: '' };
          text.value = '';
          for (const element of place.querySelectorAll('.packet-filters select')) element.value = '';
          apply();
        } }, t('packets.clear')));
      }
    }

    place.append(
      h('h2', { class: 'sr' }, t('packets.title')),
      h('div', { class: 'packet-filters', role: 'group', 'aria-label': t('packets.filters') }, deviceField, layerField, procedureField, textField),
      h('div', { class: 'toolbar' }, fold, follow, status, h('span', { class: 'grow' }),
        h('button', { class: 'small', title: t('packets.pcapng'), dataset: { focus: 'packets-pcapng' }, onclick: () => save(studio, 'packets.pcapng') }, t('packets.as', { format: 'pcapng' })),
        h('button', { class: 'small', title: t('packets.btsnoop'), dataset: { focus: 'packets-btsnoop' }, onclick: () => saveHCI(studio, kept.filter.device, () => droppedHCI) }, t('packets.as', { format: 'btsnoop…' }))),
      h('div', { class: 'packet-panes' }, h('div', { class: 'packet-list-pane panel' }, list.element, empty), pane));
    list.isFollowing = kept.isFollowing && number === null;

    // Updates

    let due = 0;
    const update = () => {
      if (due) return;
      due = setTimeout(() => { due = 0; list.refresh(); }, UPDATE);
    };
    let devices = '';
    let isBegun = false;
    const ends = [
      studio.store.watch('room', (room) => {
        const entries = (room?.devices ?? []).map((device) => [device.id, plain(device.name, 24) || t('packets.onlyDevice', { id: device.id })]);
        if (JSON.stringify(entries) === devices) return;
        devices = JSON.stringify(entries);
        deviceSelect.update(entries);
        for (const row of list.body.children) row.dataset.state = '';
        list.render();
        detail.named();
      }),
      studio.store.watch('counts', update),
      studio.onState((state) => { if (state === 'open') begin(); }),
    ];
    function begin() {
      if (isBegun) return update();
      isBegun = true;
      const ready = apply();
      if (number === null) return ready;
      choose(number);
      detail.show(number);
      return ready.then(() => list.show(number)).catch((failure) => studio.failed(failure));
    }

    return () => {
      clearTimeout(due);
      clearTimeout(typing);
      clearTimeout(waiting);
      list.stop();
      for (const end of ends) end?.();
      delete place.dataset.chosen;
    };
  },
};
