// The explorer: devices nearby, their services and values, on a phone of the room or on the adapter of this computer.

import { fill, h, keyed } from '../dom.js';
import { phrase, plain } from '../text.js';
import { t } from '../words.js';
import { devicePane } from './explorer-device.js';
import { logPane } from './explorer-log.js';
import { deviceOf, explorerOf, ownExplorers } from './explorer-world.js';
import { promptDialog } from './explorer-prompts.js';
import { scanList, set } from './explorer-scan.js';
import { cloneInMaker } from './maker.js';
import { valuePane } from './explorer-value.js';

// The time between two looks at the values that a clone waits for, in milliseconds.
const CLONE_PAUSE = 100;
const MTUS = [23, 64, 185, 498];
// What the header shows before the pointer is on a control.
const SCAN_LINE = 'central.scanForPeripherals(withServices: nil, options: nil)';

/** Whether the focus was on a button that disappeared: the next step's button gets it. */
let isBeginning = false;

// Selections stay while another view is shown.
let chosen = null;
const selections = new Map();

export const explorer = {
  name: 'explorer',
  mount(place, studio) {
    let ends = [];
    let unmount = () => {};
    let shown;
    let time = null;
    const off = phonesThatAreOff(studio);
    const root = h('div', { class: 'ex' });
    place.append(root);

    function show(all) {
      const explorers = ownExplorers(studio, all);
      const wanted = studio.argument();
      const current = explorers.find((one) => one.id === wanted) ?? explorers.find((one) => one.id === chosen) ?? explorers[0] ?? null;
      const key = JSON.stringify([current?.id, explorers.map((one) => [one.id, one.name])]);
      if (key === shown) return;
      shown = key;
      unmount();
      unmount = current ? mountExplorer(root, studio, current, explorers, () => time) : mountEmpty(root, studio, off);
      chosen = current?.id ?? chosen;
    }
    ends.push(studio.topic('explorers', show), studio.topic('time', (value) => { time = value; }), studio.topic('room', (room) => { off.update(room); }));
    return () => { for (const end of ends) end(); unmount(); };
  },
};

/** Offers to turn on the phones of the room that are off and have the explorer. */
function phonesThatAreOff(studio) {
  const element = h('div', { class: 'column' });
  return {
    element,
    update(room) {
      const phones = (room?.devices ?? []).filter((device) => device.isExplorer && !device.isOn);
      keyed(element, phones, (device) => device.id, (device) => h('div', { class: 'notice warn between' },
        h('span', { dir: 'auto' }, `${plain(device.name, 40)}: ${t('ex.state.roomOff')}`),
        h('button', { class: 'small', dataset: { do: 'power' }, onclick: () => studio.do('room.power', { device: device.id, isOn: true }).catch(studio.failed) }, t('ex.turnOn'))));
    },
  };
}

function mountEmpty(root, studio, off) {
  const add = async () => {
    isBeginning = true;
    try {
      const { id } = await studio.do('room.add', { program: 'explorer', name: t('ex.phone'), x: 1, y: 1 });
      chosen = explorerOf(studio, id);
    } catch (failure) { studio.failed(failure); }
  };
  fill(root, off.element, h('div', { class: 'empty' }, h('p', {}, t('ex.empty')), h('p', {}, t('ex.empty.hint')), h('button', { class: 'primary', dataset: { do: 'addPhone' }, onclick: add }, t('ex.empty.add'))));
  return () => fill(root);
}

function mountExplorer(root, studio, current, explorers, time) {
  const { id } = current;
  if (!selections.has(id)) selections.set(id, { device: null, attribute: null });
  const selection = selections.get(id);
  let state = null;
  let devices = [];
  let cloning = null;

  const context = {
    isAdapter: current.isAdapter,
    selected: () => selection,
    row: (device) => state?.rows.find((row) => row.id === device),
    opened: (device) => devices.find((open) => open.id === device),
    ask: (command, args) => studio.do(command, { explorer: id, ...args }),
    /** Performs an action. Returns whether it was accepted. */
    async act(action, args = {}) {
      try { await studio.do('explorer.do', { explorer: id, action, with: args }); } catch (failure) {
        studio.failed(failure);
        return false;
      }
      if (action === 'close' && selection.device === args.device) context.select(null, null, false);
      return true;
    },
    detail: (device) => studio.do('explorer.detail', { explorer: id, device }).then((answer) => answer.detail ?? null).catch(() => null),
    filter: (filter) => studio.do('explorer.filter', { explorer: id, filter }).catch(studio.failed),
    /** Reads what the device has not told yet, and opens its profile in the maker. A second call ends it. */
    async clone(device) {
      if (cloning) { cloning = null; return update(); }
      const mine = cloning = { device, pending: 0 };
      try {
        await studio.do('explorer.do', { explorer: id, action: 'readMissing', with: { device } });
        while (cloning === mine) {
          mine.pending = (await studio.do('explorer.pending', { explorer: id, device })).pending;
          if (mine.pending === 0) break;
          update();
          await new Promise((resolve) => { setTimeout(resolve, CLONE_PAUSE); });
        }
        if (cloning !== mine) return;
        cloneInMaker(id, device);
        studio.show('maker');
      } catch (failure) {
        if (cloning === mine) studio.failed(failure);
      } finally {
        if (cloning === mine) { cloning = null; update(); }
      }
    },
    focusDevice: () => device_.focus('nearest'),
    cloning: (device) => (cloning?.device === device ? cloning : null),
    download: (name, args) => studio.download(name, { explorer: id, ...args }).catch(studio.failed),
    select(device, attribute, moves) {
      if (selection.device !== device) selection.attribute = null;
      selection.device = device;
      if (attribute !== null) selection.attribute = attribute;
      update();
      if (!moves) return;
      // On a narrow screen the next pane is below, and on a wider one it may be.
      const pane = attribute ? value : device_;
      if (root.clientWidth < 700) pane.focus();
      else pane.element.scrollIntoView({ block: 'nearest' });
    },
  };

  const nameOf = (one) => (one.isAdapter ? t('ex.adapter', { name: one.name }) : plain(studio.store.device(deviceOf(one.id))?.name ?? one.name, 40));
  const select = h('select', { 'aria-label': t('ex.explorer'), onchange: () => { chosen = select.value; studio.show('explorer', select.value); } },
    explorers.map((one) => h('option', { value: one.id }, nameOf(one))));
  select.value = id;
  const mtu = h('select', { title: t('ex.offer.hint'), dataset: { do: 'offerMTU' }, onchange: () => context.act('offerMTU', { mtu: +mtu.value }) },
    MTUS.map((octets) => h('option', { value: octets }, t('ex.octets', { n: octets }))));
  const mtuField = h('label', { class: 'field' }, h('span', {}, t('ex.offer')), mtu);
  const swift = h('code', {}, SCAN_LINE);
  const notice = h('p', { class: 'notice warn', role: 'status', hidden: true });
  const paused = h('div', { class: 'notice between', hidden: true }, h('span', {}, t('ex.paused')), h('button', { class: 'small primary', dataset: { do: 'run' }, onclick: () => studio.do('time.run', {}).catch(studio.failed) }, t('ex.run')));
  const list = scanList(context);
  const device_ = devicePane(context);
  const value = valuePane(context);
  const log = logPane(context);
  const prompts = promptDialog(context);
  fill(root,
    h('header', { class: 'ex-head' },
      h('div', { class: 'field' }, h('span', { id: 'ex-with' }, t('ex.explorer')), explorers.length > 1 ? select : h('b', { class: 'name', 'aria-labelledby': 'ex-with' }, nameOf(current))),
      mtuField, h('div', { class: 'field grow' }, h('span', {}, t('ex.swift')), swift)),
    notice, paused, h('div', { class: 'ex-panes' }, list.element, device_.element, h('div', { class: 'ex-side' }, value.element)), log.element, prompts.element);

  // The Swift line of what the pointer or the focus is on.
  const teach = (event) => {
    const line = event.target.closest?.('[data-swift]')?.dataset.swift;
    if (line) set(swift, 'textContent', line);
  };
  root.addEventListener('pointerover', teach);
  root.addEventListener('focusin', teach);

  function attribute() {
    for (const service of context.opened(selection.device)?.services ?? []) {
      const found = service.characteristics.find((one) => one.id === selection.attribute);
      if (found) return found;
    }
    return null;
  }

  /** Moves a lost focus to the button of the next step: the time, then the scan. */
  function beginNext() {
    const next = paused.hidden ? root.querySelector('[data-do=scan]:enabled') : paused.lastElementChild;
    if (!isBeginning || !next) return;
    const lost = document.activeElement;
    if (!lost || lost === document.body || lost.closest('[hidden]')) next.focus();
    isBeginning = false;
  }

  function update() {
    if (!state) return;
    const isOn = state.adapter === 'poweredOn';
    const now = time();
    isBeginning ||= paused.contains(document.activeElement);
    paused.hidden = current.isAdapter || !now || now.isRunning;
    // A phone that waits for the time needs no notice of its own.
    notice.hidden = isOn || (!paused.hidden && state.adapter === 'unknown');
    if (!isOn) {
      const word = current.isAdapter ? state.adapter : { unknown: 'wait', poweredOff: 'roomOff', unsupported: 'roomOff' }[state.adapter] ?? state.adapter;
      set(notice, 'textContent', [t(`ex.state.${word}`), current.isAdapter && state.advice && phrase(state.advice, 400)].filter(Boolean).join(' '));
    }
    mtuField.hidden = state.offeredMTU == null;
    if (document.activeElement !== mtu) set(mtu, 'value', String(state.offeredMTU));
    list.update(state);
    beginNext();
    device_.update(devices);
    value.update(attribute());
    prompts.update(state.prompts);
    log.cleared(state.logFirst ?? 0);
  }

  const ends = [
    studio.topic(`explorer.${id}`, (next) => { state = next; update(); }),
    studio.topic(`explorer.${id}.devices`, (next) => {
      // A device that this page opened elsewhere is selected if nothing is.
      devices = next;
      if (!selection.device && devices.length) selection.device = devices[0].id;
      update();
    }),
    studio.stream(`explorer.${id}.log`, (batch) => log.add(batch)),
    studio.topic('time', () => update()),
  ];
  return () => { cloning = null; for (const end of ends) end(); fill(root); };
}
