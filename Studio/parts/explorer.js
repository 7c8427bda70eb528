// The explorer: devices nearby, their services and values, on a phone of the room or on the adapter of this computer.

import { fill, h, keyed } from '../dom.js';
import { plain } from '../text.js';
import { t } from '../words.js';
import { devicePane } from './explorer-device.js';
import { logPane } from './explorer-log.js';
import { pairs, plot } from './explorer-plot.js';
import { promptDialog } from './explorer-prompts.js';
import { scanList, set } from './explorer-scan.js';
import { valuePane } from './explorer-value.js';
import { failureText } from './explorer-words.js';

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

    function show(explorers) {
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
        h('button', { class: 'small', dataset: { do: 'power' }, onclick: () => studio.do('room.power', { device: device.id, isOn: true }).catch((failure) => studio.say(failureText(failure))) }, t('ex.turnOn'))));
    },
  };
}

function mountEmpty(root, studio, off) {
  const add = async () => {
    try {
      const { id } = await studio.do('room.add', { program: 'explorer', name: t('ex.phone'), x: 1, y: 1 });
      chosen = id;
    } catch (failure) { studio.say(failureText(failure)); }
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
  const plots = new Map();

  const context = {
    selected: () => selection,
    row: (device) => state?.rows.find((row) => row.id === device),
    opened: (device) => devices.find((open) => open.id === device),
    ask: (command, args) => studio.do(command, { explorer: id, ...args }),
    async act(action, args = {}) {
      try { await studio.do('explorer.do', { explorer: id, action, with: args }); } catch (failure) {
        studio.say(failureText(failure));
        // A switch returns to its state.
        update();
        return;
      }
      if (action === 'close' && selection.device === args.device) context.select(null, null, false);
    },
    detail: (device) => studio.do('explorer.detail', { explorer: id, device }).then((answer) => answer.detail ?? null).catch(() => null),
    filter: (filter) => studio.do('explorer.filter', { explorer: id, filter }).catch((failure) => studio.say(failureText(failure))),
    download: (name, args) => studio.download(name, { explorer: id, ...args }),
    select(device, attribute, moves) {
      if (selection.device !== device) selection.attribute = null;
      selection.device = device;
      if (attribute !== null) selection.attribute = attribute;
      update();
      // On a narrow screen the next pane is below.
      if (moves && root.clientWidth < 700) (attribute ? value : device_).focus();
    },
  };

  const select = h('select', { 'aria-label': t('ex.explorer'), onchange: () => { chosen = select.value; studio.show('explorer', select.value); } },
    explorers.map((one) => h('option', { value: one.id }, one.isAdapter ? t('ex.adapter', { name: one.name }) : plain(one.name, 40))));
  select.value = id;
  const swift = h('code', { class: 'grow name' });
  const notice = h('p', { class: 'notice warn', role: 'status', hidden: true });
  const paused = h('div', { class: 'notice between', hidden: true }, h('span', {}, t('ex.paused')), h('button', { class: 'small', dataset: { do: 'run' }, onclick: () => studio.do('time.run', {}).catch((failure) => studio.say(failureText(failure))) }, t('ex.run')));
  const list = scanList(context);
  const device_ = devicePane(context);
  const value = valuePane(context);
  const log = logPane(context);
  const prompts = promptDialog(context);
  const plotList = h('div', { class: 'ex-plots' });
  const plotPane = h('section', { class: 'ex-pane', 'aria-label': t('ex.plots') }, h('h2', {}, t('ex.plots')), plotList);
  fill(root,
    h('header', { class: 'ex-head row' }, explorers.length > 1 ? h('label', { class: 'row' }, h('span', { class: 'faint small-text' }, t('ex.explorer')), select) : h('span', { class: 'name' }, current.isAdapter ? t('ex.adapter', { name: current.name }) : plain(current.name, 40)),
      h('span', { class: 'layer layer-att' }, t('ex.swift')), swift),
    notice, paused, h('div', { class: 'ex-panes' }, list.element, device_.element, h('div', { class: 'ex-side' }, value.element, plotPane)), log.element, prompts.element);

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

  function updatePlots() {
    const live = devices.flatMap((device) => device.services.flatMap((service) => service.characteristics
      .filter((one) => one.isNotifying && one.numbers.length > 2).map((characteristic) => ({ device, characteristic }))));
    plotPane.hidden = live.length === 0;
    keyed(plotList, live, ({ device, characteristic }) => `${device.id} ${characteristic.id}`, ({ device, characteristic }) => {
      const graph = plot();
      const figure = h('figure', {}, h('figcaption', { class: 'small-text name', dir: 'auto' }), graph.element);
      plots.set(figure, graph);
      set(figure.firstElementChild, 'textContent', `${plain(device.name ?? device.id.slice(0, 8), 30)} · ${plain(characteristic.label ?? characteristic.name ?? characteristic.uuid, 50)}`);
      return figure;
    }, (figure, { characteristic }) => plots.get(figure).update(pairs(characteristic.numbers), characteristic.label ?? characteristic.name ?? characteristic.uuid, characteristic.value?.unit ?? ''));
    for (const figure of plots.keys()) if (!figure.isConnected) plots.delete(figure);
  }

  function update() {
    if (!state) return;
    const isOn = state.adapter === 'poweredOn';
    notice.hidden = isOn;
    if (!isOn) {
      const word = current.isAdapter ? state.adapter : { unknown: 'wait', poweredOff: 'roomOff', unsupported: 'roomOff' }[state.adapter] ?? state.adapter;
      set(notice, 'textContent', [t(`ex.state.${word}`), current.isAdapter && state.advice].filter(Boolean).join(' '));
    }
    const now = time();
    paused.hidden = current.isAdapter || !now || now.isRunning;
    list.update(state);
    device_.update(devices);
    value.update(attribute());
    updatePlots();
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
  return () => { for (const end of ends) end(); fill(root); };
}
