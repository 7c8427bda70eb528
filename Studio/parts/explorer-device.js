// An opened device: its link, its actions and its tree of services.

import { h, keyed } from '../dom.js';
import { dBm, phrase, plain } from '../text.js';
import { t } from '../words.js';
import { pairs, plot } from './explorer-plot.js';
import { advertisement, bdi, set } from './explorer-scan.js';

// Milliseconds until the state of a device contains a command.
const SETTLING = 500;

/** The properties of a characteristic in words. */
export function propertyWords(characteristic) { return characteristic.properties.map((word) => t(`ex.property.${word}`)).join(' · '); }

/** What a characteristic sends by itself. */
export function notifyWord(characteristic) { return t(characteristic.properties.includes('notify') ? 'ex.notify' : 'ex.indicate'); }

/** A switch for a subscription. It shows what the user chose until the device has answered. run(isOn) resolves to whether the command was accepted. */
export function subscriptionSwitch(attributes, run) {
  let chosen = null;
  const element = h('input', { type: 'checkbox', role: 'switch', ...attributes, onchange: async () => {
    const mine = chosen = { isOn: element.checked, until: Infinity };
    const isAccepted = await run(mine.isOn);
    // The state that the page has may be older than the command.
    mine.until = performance.now() + SETTLING;
    if (!isAccepted && chosen === mine) {
      chosen = null;
      element.checked = !mine.isOn;
    }
  } });
  return {
    element,
    reset() { chosen = null; },
    update(characteristic) {
      if (chosen && (characteristic.isNotifying === chosen.isOn || (characteristic.pending === 0 && performance.now() > chosen.until))) chosen = null;
      set(element, 'checked', chosen ? chosen.isOn : characteristic.isNotifying);
    },
  };
}

/** The pane of one device. context: {act, select, selected, row, detail, download}. */
export function devicePane(context) {
  const tabs = h('div', { class: 'segmented ex-tabs', role: 'group', 'aria-label': t('ex.opened') });
  const name = h('h2', { class: 'name', dir: 'auto', tabindex: '-1' });
  const state = h('span', { class: 'chip' });
  const security = h('span', { class: 'chip good' });
  const rssi = h('span', { class: 'chip' });
  const mtu = h('span', { class: 'chip', title: t('ex.mtu.hint') });
  const reason = h('p', { class: 'notice bad', role: 'status' });
  const busy = h('p', { class: 'hint', role: 'status' });
  const actions = h('div', { class: 'toolbar' });
  const adv = advertisement();
  const advBox = h('details', { class: 'ex-advbox' }, h('summary', {}, t('ex.advertisement')), adv.element);
  const tree = h('ul', { class: 'tree ex-tree', 'aria-label': t('ex.services') });
  const more = h('p', { class: 'hint' });
  const empty = h('div', { class: 'empty' }, h('p', {}, t('ex.pick')), h('p', {}, t('ex.pick.hint')));
  const body = h('div', {}, h('div', { class: 'row' }, name, state, security, mtu, rssi), reason, actions, busy, advBox, tree, more);
  const element = h('section', { class: 'ex-pane ex-device', 'aria-label': t('ex.device') }, tabs, empty, body);
  let device = null;
  let asked = 0;
  let wasOpen = false;

  const button = (key, action, swift, attributes = {}, extra = {}) => h('button', {
    class: 'small', dataset: { do: action, swift }, ...attributes, onclick: () => context.act(action, { device, ...extra }),
  }, t(key));
  const buttons = {
    connect: button('ex.connect', 'connect', 'central.connect(peripheral)', { class: 'small primary' }),
    cancel: button('ex.cancel', 'disconnect', 'central.cancelPeripheralConnection(peripheral)'),
    disconnect: button('ex.disconnect', 'disconnect', 'central.cancelPeripheralConnection(peripheral)'),
    discover: button('ex.discover', 'discover', 'peripheral.discoverServices(nil)'),
    readAll: button('ex.readAll', 'readAll', 'peripheral.readValue(for: characteristic)'),
    readRSSI: button('ex.rssi', 'readRSSI', 'peripheral.readRSSI()'),
    pair: button('ex.pair', 'pair', 'pairing.pair(peripheral.identifier)'),
    unpair: button('ex.unpair', 'unpair', 'pairing.unpair(peripheral.identifier)', { class: 'small danger' }),
    clone: h('button', { class: 'small', dataset: { do: 'clone' }, onclick: () => context.clone(device) }),
    script: h('button', { class: 'small', dataset: { do: 'script' }, onclick: () => context.download('explorer.script', { device }) }, t('ex.script')),
    close: button('ex.close', 'close', 'central.cancelPeripheralConnection(peripheral)', { class: 'small quiet' }),
  };
  actions.append(...Object.values(buttons));

  function makeTab(open) {
    return h('button', { dataset: { do: 'tab' }, onclick: () => context.select(open.id, null, false) }, h('span', { class: 'dot' }), bdi('', 24));
  }
  function updateTab(tab, open) {
    set(tab.firstElementChild, 'className', `dot ${open.link === 'connected' ? 'connected' : open.link === 'disconnected' ? 'off' : 'connecting'}`);
    set(tab.lastElementChild, 'textContent', plain(open.name ?? open.id.slice(0, 8), 24));
    tab.setAttribute('aria-pressed', String(open.id === device));
  }

  function makeService() {
    return h('li', {}, h('div', { class: 'ex-service' }, h('h3', { class: 'name' }), h('span', { class: 'mono faint small-text' })), h('ul', {}));
  }
  function updateService(item, service) {
    const [head, list] = item.children;
    set(head.firstElementChild, 'textContent', service.name ?? service.uuid);
    set(head.lastElementChild, 'textContent', service.name ? service.uuid : '');
    keyed(list, service.characteristics, (characteristic) => characteristic.id, makeCharacteristic, updateCharacteristic);
  }

  function makeCharacteristic(characteristic) {
    const { id } = characteristic;
    const title = h('span', { class: 'name' });
    const uuid = h('span', { class: 'mono faint small-text' });
    const value = bdi('', 60, { class: 'name ex-treevalue' });
    const properties = h('span', { class: 'faint small-text' });
    const open = h('button', { class: 'item', dataset: { do: 'characteristic' }, onclick: () => context.select(device, id, true) },
      h('span', { class: 'column ex-row-text' }, h('span', { class: 'row' }, title, uuid), h('span', { class: 'between' }, properties, value)));
    const read = h('button', { class: 'small', dataset: { do: 'read', swift: 'peripheral.readValue(for: characteristic)' }, onclick: () => context.act('read', { device, attribute: id }) }, t('ex.read'));
    const subscription = subscriptionSwitch({}, (isOn) => { item.isNew = isOn; return context.act(isOn ? 'subscribe' : 'unsubscribe', { device, attribute: id }); });
    const notify = h('label', { class: 'switch', dataset: { swift: 'peripheral.setNotifyValue(true, for: characteristic)' } }, subscription.element);
    // The graph of a subscription is where it was switched on.
    const graph = plot();
    const live = h('figure', { class: 'ex-live', hidden: true }, graph.element);
    const item = h('li', { class: 'ex-row' }, open, read, notify, live);
    item.parts = { title, uuid, value, properties, open, read, notify, subscription, graph, live };
    return item;
  }
  function updateCharacteristic(item, characteristic) {
    const { title, uuid, value, properties, open, read, notify, subscription, graph, live } = item.parts;
    const called = characteristic.name ?? characteristic.uuid;
    set(title, 'textContent', plain(characteristic.label ?? called, 60));
    set(uuid, 'textContent', characteristic.name || characteristic.label ? characteristic.uuid : '');
    set(value, 'textContent', characteristic.error ? phrase(characteristic.error.text) : phrase(characteristic.value?.text ?? '', 60));
    value.classList.toggle('bad', Boolean(characteristic.error));
    set(properties, 'textContent', propertyWords(characteristic));
    set(read, 'hidden', !characteristic.properties.includes('read'));
    read.setAttribute('aria-label', `${t('ex.read')}: ${plain(called, 60)}`);
    const canNotify = characteristic.properties.includes('notify') || characteristic.properties.includes('indicate');
    set(notify, 'hidden', !canNotify);
    notify.title = notifyWord(characteristic);
    subscription.element.setAttribute('aria-label', `${notifyWord(characteristic)}: ${plain(called, 60)}`);
    subscription.update(characteristic);
    const points = pairs(characteristic.numbers);
    live.hidden = !characteristic.isNotifying || points.length < 2;
    if (!live.hidden && item.isNew) {
      item.isNew = false;
      live.scrollIntoView({ block: 'nearest' });
    }
    if (!live.hidden) graph.update(points, plain(characteristic.label ?? called, 60), characteristic.value?.unit ?? '');
    if (context.selected().attribute === characteristic.id) open.setAttribute('aria-current', 'true'); else open.removeAttribute('aria-current');
  }

  /** Asks for the advertisement of the device, at most twice a second. */
  async function showAdvertisement() {
    const now = performance.now();
    if (!advBox.open || now - asked < 500) return;
    asked = now;
    const wanted = device;
    const detail = await context.detail(wanted);
    if (wanted !== device) return;
    adv.element.hidden = !detail;
    if (detail) adv.update(detail);
  }
  advBox.addEventListener('toggle', () => { asked = 0; showAdvertisement(); });

  return {
    element,
    focus(block = 'start') { name.focus({ preventScroll: true }); element.scrollIntoView({ block }); },
    update(opened) {
      if (device !== context.selected().device) {
        device = context.selected().device;
        asked = 0;
        wasOpen = true;
      }
      const hadFocus = actions.contains(document.activeElement);
      tabs.hidden = opened.length === 0;
      keyed(tabs, opened, (open) => open.id, makeTab, updateTab);
      const open = opened.find((one) => one.id === device);
      const row = context.row(device);
      const isKnown = Boolean(open ?? row);
      empty.hidden = isKnown;
      body.hidden = !isKnown;
      keyed(tree, open?.services ?? [], (service) => service.id, makeService, updateService);
      if (!isKnown) return;
      const link = open?.link ?? 'disconnected';
      // The advertisement is what there is to see before a connection.
      const isOpen = link === 'connected' || Boolean(open?.services.length);
      if (isOpen !== wasOpen || (advBox.hidden && row)) advBox.open = !isOpen;
      wasOpen = isOpen;
      set(name, 'textContent', plain(open?.name ?? row?.name ?? t('ex.noname'), 60));
      set(state, 'textContent', t(`ex.link.${link}`));
      set(state, 'className', `chip ${link === 'connected' ? 'good' : link === 'disconnected' ? '' : 'warn'}`);
      security.hidden = !(open?.isBonded || open?.securityLevel || open?.isPairing);
      set(security, 'textContent', open?.isPairing ? t('ex.pairing') : [open?.isBonded && t('ex.bonded'), open?.securityLevel && t('ex.level', { n: open.securityLevel })].filter(Boolean).join(', '));
      mtu.hidden = open?.mtu == null;
      set(mtu, 'textContent', `ATT_MTU ${open?.mtu}`);
      rssi.hidden = open?.rssi == null;
      set(rssi, 'textContent', dBm(open?.rssi));
      reason.hidden = !open?.reason;
      set(reason, 'textContent', open?.reason ? phrase(open.reason) : '');
      const isOn = link === 'connected';
      buttons.connect.hidden = link !== 'disconnected' || (row && !row.isConnectable && !open);
      buttons.cancel.hidden = link !== 'connecting';
      buttons.disconnect.hidden = !isOn;
      for (const key of ['discover', 'readAll', 'readRSSI', 'pair']) buttons[key].hidden = !isOn;
      buttons.pair.disabled = Boolean(open?.isPairing);
      buttons.pair.hidden ||= Boolean(open?.isBonded);
      buttons.unpair.hidden = !open?.isBonded;
      buttons.script.hidden = buttons.close.hidden = !open;
      const cloning = context.cloning(device);
      buttons.clone.hidden = !isOn || !open?.services.length || (Boolean(open?.isDiscovering) && !cloning);
      set(buttons.clone, 'textContent', t(cloning ? 'ex.clone.cancel' : 'ex.clone'));
      element.dataset.busy = String(Boolean(open?.isDiscovering));
      set(busy, 'textContent', cloning ? t('ex.cloning', { n: cloning.pending }) : open?.isDiscovering ? t('ex.discovering') : '');
      set(more, 'textContent', open?.moreAttributes ? t('ex.moreAttributes', { n: open.moreAttributes }) : '');
      advBox.hidden = !row;
      showAdvertisement();
      // A button that disappears leaves its focus to the name.
      if (hadFocus && !actions.contains(document.activeElement)) name.focus({ preventScroll: true });
    },
  };
}
