// swift-format-ignore-file
// Made by Scripts/generate-studio from the folder Studio; changes made here by hand are lost.

/// The files of the page.
enum StudioPage {
    /// The text of a file; nil for an unknown name.
    static func text(of name: String) -> String? {
        switch name {
        case "app.js": ###"""
// The frame of the page: tabs, devices on the left, what happens on the right, time at the bottom.

import { Link } from './link.js';
import { fill, h } from './dom.js';
import { currentLanguage, onLanguage, register, setLanguage, t } from './words.js';
import { timeBar } from './parts/time.js';
import { deviceList } from './parts/devices.js';
import { happened } from './parts/happened.js';
import { room } from './parts/room.js';
import { lesson } from './parts/lesson.js';
import { explorer } from './parts/explorer.js';
import { maker } from './parts/maker.js';
import { packets } from './parts/packets.js';

register({
  en: {
    'app.title': 'Studio', 'app.room': 'Room', 'app.lesson': 'Lesson', 'app.explorer': 'Explorer', 'app.maker': 'Maker',
    'app.packets': 'Packets', 'app.language': '中文', 'app.views': 'Views', 'app.devices': 'Devices', 'app.happened': 'What happens',
    'app.lost': 'The studio does not answer. Trying again…', 'app.back': 'Connected again.', 'app.skip': 'Skip to the content',
  },
  zh: {
    'app.title': '工作室', 'app.room': '房间', 'app.lesson': '课程', 'app.explorer': '浏览', 'app.maker': '制作',
    'app.packets': '数据包', 'app.language': 'English', 'app.views': '视图', 'app.devices': '设备', 'app.happened': '正在发生',
    'app.lost': '服务器没有响应，正在重试…', 'app.back': '已重新连接。', 'app.skip': '跳到内容',
  },
});

// A view is {name, mount(element, studio)}; mount returns a function that removes it.
const views = [room, lesson, explorer, maker, packets];
const link = new Link();

/** What views get: the link, and a place for values that views share (the selected device, for example). */
const studio = {
  topic: (name, watcher) => link.topic(name, watcher),
  stream: (name, watcher) => link.stream(name, watcher),
  do: (command, args) => link.do(command, args),
  download: (name, args) => link.download(name, args),
  onState: (watcher) => link.onState(watcher),
  show: (name, argument) => { location.hash = argument ? `${name}/${encodeURIComponent(argument)}` : name; },
  argument: () => decodeURIComponent(location.hash.split('/').slice(1).join('/')),
  say,
};

let unmount = [];
let shown = null;

function currentView() {
  const name = location.hash.slice(1).split('/')[0];
  return views.find((view) => view.name === name) ?? views[0];
}

function build() {
  for (const end of unmount) end();
  unmount = [];
  shown = null;
  const main = h('main', { id: 'content', tabindex: '-1' });
  const tabs = h('nav', { class: 'tabs', 'aria-label': t('app.views') },
    views.map((view) => h('a', { href: `#${view.name}`, dataset: { view: view.name } }, t(`app.${view.name}`))));
  const devices = h('aside', { class: 'devices', 'aria-label': t('app.devices') });
  const events = h('aside', { class: 'happened', 'aria-label': t('app.happened') });
  const time = h('footer', { class: 'time' });
  fill(document.body,
    h('a', { class: 'skip', href: '#content', onclick: (event) => { event.preventDefault(); main.focus(); } }, t('app.skip')),
    h('header', { class: 'top' }, h('h1', {}, t('app.title')), tabs,
      h('button', { class: 'language', lang: currentLanguage() === 'zh' ? 'en' : 'zh-CN', onclick: () => setLanguage(currentLanguage() === 'zh' ? 'en' : 'zh') }, t('app.language'))),
    devices, main, events, time, h('div', { class: 'say', role: 'status' }));
  document.title = t('app.title');
  unmount.push(deviceList(devices, studio), happened(events, studio), timeBar(time, studio), link.onState(connection), () => unmountView());
  route();
}

let unmountView = () => {};

function route() {
  const view = currentView();
  for (const tab of document.querySelectorAll('.tabs a')) {
    if (tab.dataset.view === view.name) tab.setAttribute('aria-current', 'page');
    else tab.removeAttribute('aria-current');
  }
  if (shown === location.hash && shown !== null) return;
  shown = location.hash;
  unmountView();
  const main = document.querySelector('main');
  fill(main);
  document.body.dataset.view = view.name;
  unmountView = view.mount(main, studio) ?? (() => {});
}

let wasLost = false;
function connection(state) {
  document.body.dataset.link = state;
  if (state === 'lost') {
    wasLost = true;
    say(t('app.lost'), true);
  } else if (state === 'open' && wasLost) {
    wasLost = false;
    say(t('app.back'));
  }
}

let hiding = 0;
/** Shows a sentence at the bottom: for some seconds, or until the next one. */
function say(text, stays = false) {
  const place = document.querySelector('.say');
  if (!place) return;
  place.textContent = text;
  place.classList.add('shown');
  clearTimeout(hiding);
  if (!stays) hiding = setTimeout(() => place.classList.remove('shown'), 4000);
}

addEventListener('hashchange', route);
onLanguage(build);
build();

"""###
        case "dom.js": ###"""
// Builds elements. Text from devices only ever becomes text nodes, never markup.

const SVG = 'http://www.w3.org/2000/svg';

/** h('button', {class: 'x', onclick: f, disabled: true}, 'text', child, [children]) */
export function h(name, attributes = {}, ...children) {
  return build(document.createElement(name), attributes, children);
}

/** The same for SVG. */
export function s(name, attributes = {}, ...children) {
  return build(document.createElementNS(SVG, name), attributes, children);
}

function build(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else if (key === 'style') Object.assign(element.style, value);
    else if (key === 'value' || key === 'checked') element[key] = value;
    else if (key === 'dataset') Object.assign(element.dataset, value);
    else element.setAttribute(key, value === true ? '' : value);
  }
  append(element, children);
  return element;
}

function append(element, children) {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (Array.isArray(child)) append(element, child);
    else element.append(child instanceof Node ? child : String(child));
  }
}

/** Replaces the children of an element. */
export function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
  return element;
}

/**
 * Brings a list of keyed children up to date and keeps the elements of unchanged keys, with their focus and selection.
 * make(item) builds an element, update(element, item) changes it.
 */
export function keyed(parent, items, key, make, update) {
  const present = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  let before = parent.firstElementChild;
  for (const item of items) {
    const name = String(key(item));
    let child = present.get(name);
    if (child) present.delete(name);
    else {
      child = make(item);
      child.dataset.key = name;
    }
    update?.(child, item);
    if (child === before) before = before.nextElementSibling;
    else parent.insertBefore(child, before);
  }
  for (const child of present.values()) child.remove();
}

"""###
        case "icon.svg": ###"""
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#2563eb"/><path d="M11 11l10 10-5 5V6l5 5-10 10" fill="none" stroke="#fff" stroke-width="2" stroke-linejoin="round" stroke-linecap="round"/></svg>

"""###
        case "index.html": ###"""
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Studio</title>
<link rel="icon" href="icon.svg">
<link rel="stylesheet" href="style.css">
<link rel="stylesheet" href="parts/explorer.css">
<script type="module" src="app.js"></script>
</head>
<body>
<noscript>The studio needs JavaScript. 本页面需要 JavaScript。</noscript>
</body>
</html>

"""###
        case "link.js": ###"""
// The connection to the server. It opens again by itself, and tells the page when it is lost.

const RETRY = [200, 500, 1000, 2000, 5000];
// The items of a stream that a watcher gets at first, if others already watch the stream.
const KEPT = 2000;
// The time after which a silent connection is checked, and the time for the answer, in milliseconds.
const SILENCE = 15000, ANSWER = 3000;

export class Link {
  #socket = null;
  #tries = 0;
  #timer = 0;
  #number = 0;
  #heard = 0;
  #pending = new Map();
  #topics = new Map();   // name: {watchers: Set, data}
  #streams = new Map();  // name: {watchers: Set, items, dropped, next}
  #states = new Set();

  constructor() {
    this.state = 'connecting';
    this.#open();
    // A laptop that wakes, or a tab that returns, does not wait for the next try.
    addEventListener('online', () => this.#check());
    addEventListener('pageshow', () => this.#check());
    document.addEventListener('resume', () => this.#check());
    document.addEventListener('visibilitychange', () => { if (!document.hidden) this.#check(); });
  }

  /** Calls watcher(data) now if the topic is known, and after each change. Returns a function that ends this. */
  topic(name, watcher) {
    return this.#add(this.#topics, name, { data: undefined }, watcher, (entry) => { if (entry.data !== undefined) watcher(entry.data); });
  }

  /**
   * Calls watcher({items, missed, reset, next}) with new items. `reset` is the first item that the watcher drops, or undefined. The first batch
   * has reset 0, also after the connection was lost.
   */
  stream(name, watcher) {
    return this.#add(this.#streams, name, { items: [], dropped: 0, next: undefined }, watcher, (entry) => {
      if (entry.next !== undefined) watcher({ items: [...entry.items], missed: entry.dropped, reset: 0, next: entry.next });
    });
  }

  /** Calls watcher(state) now and after each change: connecting, open, lost, full (too many pages), refused (the link is no longer valid). */
  onState(watcher) {
    this.#states.add(watcher);
    watcher(this.state);
    return () => this.#states.delete(watcher);
  }

  /** Runs a command of the server. The promise fails with {code, text, next}. */
  do(command, args = {}) {
    if (this.state !== 'open') return Promise.reject({ code: 'offline', text: 'The studio does not answer.' });
    const id = ++this.#number;
    this.#socket.send(JSON.stringify({ id, do: command, with: args }));
    return new Promise((resolve, reject) => this.#pending.set(id, { resolve, reject }));
  }

  /** Saves a file of the server. The promise fails with {code, text, next}. */
  async download(name, args = {}) {
    const query = new URLSearchParams(args).toString();
    let answer;
    try {
      answer = await fetch(new URL(`files/${name}${query && `?${query}`}`, location.href));
    } catch {
      throw { code: 'offline', text: 'The studio does not answer.' };
    }
    if (!answer.ok) {
      const text = await answer.text();
      try { throw { code: 'failed', text: `${answer.status}`, ...JSON.parse(text) }; } catch (error) {
        throw error instanceof SyntaxError ? { code: 'failed', text: `${name}: ${answer.status}` } : error;
      }
    }
    const address = URL.createObjectURL(await answer.blob());
    const anchor = document.createElement('a');
    anchor.href = address;
    anchor.download = /filename="([^"]+)"/.exec(answer.headers.get('content-disposition') ?? '')?.[1] ?? name;
    anchor.click();
    setTimeout(() => URL.revokeObjectURL(address), 60000);
  }

  #add(map, name, empty, watcher, present) {
    let entry = map.get(name);
    if (!entry) {
      entry = { watchers: new Set(), ...empty };
      map.set(name, entry);
      this.#watchSoon();
    }
    entry.watchers.add(watcher);
    present(entry);
    return () => {
      entry.watchers.delete(watcher);
      if (entry.watchers.size === 0 && map.get(name) === entry) {
        map.delete(name);
        this.#watchSoon();
      }
    };
  }

  #isWatchDue = false;
  #watchSoon() {
    if (this.#isWatchDue) return;
    this.#isWatchDue = true;
    queueMicrotask(() => {
      this.#isWatchDue = false;
      if (this.state === 'open') this.#sendWatch();
    });
  }

  #sendWatch() {
    this.#socket.send(JSON.stringify({ watch: [...this.#topics.keys(), ...this.#streams.keys()] }));
  }

  #setState(state) {
    if (this.state === state) return;
    this.state = state;
    for (const watcher of [...this.#states]) watcher(state);
  }

  #open() {
    const address = new URL('socket', location.href);
    address.hash = '';
    address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
    const socket = new WebSocket(address);
    let isUsed = false;
    this.#socket = socket;
    socket.onopen = () => {
      isUsed = true;
      this.#heard = Date.now();
      this.#setState('open');
      this.#sendWatch();
    };
    socket.onmessage = (event) => {
      this.#tries = 0;
      this.#heard = Date.now();
      this.#receive(JSON.parse(event.data));
    };
    socket.onclose = (event) => { if (socket === this.#socket) this.#closed(event.code, isUsed); };
  }

  #closed(code, isUsed) {
    for (const { reject } of this.#pending.values()) reject({ code: 'offline', text: 'The studio does not answer.' });
    this.#pending.clear();
    this.#setState(code === 1013 ? 'full' : 'lost');
    if (!isUsed) this.#askWhy();
    const delay = RETRY[Math.min(this.#tries++, RETRY.length - 1)];
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#open(), delay);
  }

  /** A browser does not tell why a WebSocket was refused. */
  async #askWhy() {
    try {
      const answer = await fetch(new URL('icon.svg', location.href));
      if (answer.status === 403 && this.state !== 'open') this.#setState('refused');
    } catch { /* the studio does not run */ }
  }

  /** Opens the connection again now if it is closed, and tests one that has been silent. */
  #check() {
    if (this.#socket.readyState === WebSocket.CLOSED) {
      clearTimeout(this.#timer);
      this.#open();
    } else if (this.state === 'open' && Date.now() - this.#heard > SILENCE) {
      const socket = this.#socket;
      this.do('studio.ping').catch(() => {});
      setTimeout(() => {
        if (socket !== this.#socket || Date.now() - this.#heard < ANSWER) return;
        // The computer slept so long that the other side has given up.
        this.#socket = { readyState: WebSocket.CLOSED };
        socket.close();
        this.#closed(1006, true);
      }, ANSWER);
    }
  }

  #receive(message) {
    if (message.push) {
      try {
        for (const push of message.push) this.#push(push);
      } finally {
        // A part that fails does not stop the updates of the others.
        if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify({ ack: message.update }));
      }
      return;
    }
    const pending = this.#pending.get(message.re);
    if (!pending) return;
    this.#pending.delete(message.re);
    if (message.failed) pending.reject(message.failed);
    else pending.resolve(message.ok);
  }

  #push(push) {
    const entry = (push.topic !== undefined ? this.#topics : this.#streams).get(push.topic ?? push.stream);
    if (!entry) return;
    if (push.topic !== undefined) {
      entry.data = push.data;
      this.#call(entry, push.data);
    } else {
      const batch = { items: push.data, missed: push.missed, reset: push.reset, next: push.next };
      keep(entry, batch);
      this.#call(entry, batch);
    }
  }

  #call(entry, value) {
    for (const watcher of [...entry.watchers]) {
      try { watcher(value); } catch (error) { reportError(error); }
    }
  }
}

/** Keeps the last items of a stream for watchers that come later. */
function keep(entry, batch) {
  if (batch.reset !== undefined) {
    // Items without a number are kept by their position.
    const first = (entry.next ?? 0) - entry.items.length;
    entry.items = entry.items.filter((item, index) => (item?.n ?? first + index) < batch.reset);
    if (batch.reset === 0) entry.dropped = 0;
  }
  entry.items.push(...batch.items);
  entry.dropped += batch.missed ?? 0;
  entry.next = batch.next;
  if (entry.items.length > 2 * KEPT) {
    entry.dropped += entry.items.length - KEPT;
    entry.items = entry.items.slice(-KEPT);
  }
}

"""###
        case "parts/devices.js": ###"""
/** Fills its place, and returns a function that ends it. */
export function deviceList(place, studio) {
  return () => {};
}

"""###
        case "parts/explorer-device.js": ###"""
// An opened device: its link, its actions and its tree of services.

import { fill, h, keyed } from '../dom.js';
import { dBm, plain } from '../text.js';
import { t } from '../words.js';
import { advertisement, bdi, set } from './explorer-scan.js';

const WORDS = { read: 'read', write: 'write', writeWithoutResponse: 'write w/o response', notify: 'notify', indicate: 'indicate', broadcast: 'broadcast', authenticatedSignedWrites: 'signed write', extendedProperties: 'extended' };

/** The pane of one device. context: {act, select, selected, row, detail, download}. */
export function devicePane(context) {
  const tabs = h('div', { class: 'segmented ex-tabs', role: 'group', 'aria-label': t('ex.opened') });
  const name = h('h2', { class: 'name', dir: 'auto', tabindex: '-1' });
  const state = h('span', { class: 'chip' });
  const security = h('span', { class: 'chip good' });
  const rssi = h('span', { class: 'chip' });
  const reason = h('p', { class: 'notice bad', role: 'status' });
  const busy = h('p', { class: 'hint', role: 'status' });
  const actions = h('div', { class: 'toolbar' });
  const adv = advertisement();
  const advBox = h('details', { class: 'ex-advbox' }, h('summary', {}, t('ex.advertisement')), adv.element);
  const tree = h('ul', { class: 'tree ex-tree', 'aria-label': t('ex.services') });
  const more = h('p', { class: 'hint' });
  const empty = h('div', { class: 'empty' }, h('p', {}, t('ex.pick')), h('p', {}, t('ex.pick.hint')));
  const body = h('div', {}, h('div', { class: 'row' }, name, state, security, rssi), reason, actions, busy, advBox, tree, more);
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
    const notify = h('label', { class: 'switch', title: t('ex.notify'), dataset: { swift: 'peripheral.setNotifyValue(true, for: characteristic)' } },
      h('input', { type: 'checkbox', role: 'switch', onchange: (event) => context.act(event.target.checked ? 'subscribe' : 'unsubscribe', { device, attribute: id }) }));
    const item = h('li', { class: 'ex-row' }, open, read, notify);
    item.parts = { title, uuid, value, properties, open, read, notify };
    return item;
  }
  function updateCharacteristic(item, characteristic) {
    const { title, uuid, value, properties, open, read, notify } = item.parts;
    const called = characteristic.name ?? characteristic.uuid;
    set(title, 'textContent', plain(characteristic.label ?? called, 60));
    set(uuid, 'textContent', characteristic.name || characteristic.label ? characteristic.uuid : '');
    set(value, 'textContent', plain(characteristic.error ?? characteristic.value?.text ?? '', 60));
    value.classList.toggle('bad', Boolean(characteristic.error));
    set(properties, 'textContent', characteristic.properties.map((word) => WORDS[word] ?? word).join(' · '));
    set(read, 'hidden', !characteristic.properties.includes('read'));
    read.setAttribute('aria-label', `${t('ex.read')}: ${plain(called, 60)}`);
    const canNotify = characteristic.properties.includes('notify') || characteristic.properties.includes('indicate');
    set(notify, 'hidden', !canNotify);
    const input = notify.firstElementChild;
    input.setAttribute('aria-label', `${t('ex.notify')}: ${plain(called, 60)}`);
    set(input, 'checked', characteristic.isNotifying);
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
    focus() { name.focus({ preventScroll: true }); element.scrollIntoView({ block: 'start' }); },
    update(opened) {
      if (device !== context.selected().device) {
        device = context.selected().device;
        asked = 0;
        wasOpen = true;
      }
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
      rssi.hidden = open?.rssi == null;
      set(rssi, 'textContent', dBm(open?.rssi));
      reason.hidden = !open?.reason;
      set(reason, 'textContent', plain(open?.reason ?? '', 200));
      const isOn = link === 'connected';
      buttons.connect.hidden = link !== 'disconnected' || (row && !row.isConnectable && !open);
      buttons.cancel.hidden = link !== 'connecting';
      buttons.disconnect.hidden = !isOn;
      for (const key of ['discover', 'readAll', 'readRSSI', 'pair']) buttons[key].hidden = !isOn;
      buttons.pair.disabled = Boolean(open?.isPairing);
      buttons.unpair.hidden = !open?.isBonded;
      buttons.script.hidden = buttons.close.hidden = !open;
      element.dataset.busy = String(Boolean(open?.isDiscovering));
      set(busy, 'textContent', open?.isDiscovering ? t('ex.discovering') : '');
      set(more, 'textContent', open?.moreAttributes ? t('ex.moreAttributes', { n: open.moreAttributes }) : '');
      advBox.hidden = !row;
      showAdvertisement();
    },
  };
}

"""###
        case "parts/explorer-log.js": ###"""
// The log: what was called, and what came back.

import { fill, h } from '../dom.js';
import { plain, seconds } from '../text.js';
import { currentLanguage, t } from '../words.js';
import { words } from './explorer-words.js';

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
    const text = currentLanguage() === 'zh' ? words(`ex.log.${entry.key}`, entry.values, entry.text) : entry.text;
    return h('li', { class: `ex-entry ${entry.kind}`, dataset: { n: entry.n } },
      h('time', { class: 'mono faint' }, seconds(entry.time)), h('span', { 'aria-hidden': 'true' }, MARKS[entry.kind] ?? ''),
      h('span', { class: 'ex-entrytext' }, h('bdi', { dir: 'auto' }, plain(text, 300)), entry.swift ? h('code', {}, plain(entry.swift, 200)) : null));
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

"""###
        case "parts/explorer-plot.js": ###"""
// Small graphs: the signal of a device, and numbers over time.

import { s } from '../dom.js';
import { t } from '../words.js';

/** The path of values in a box. Points are [x, y] in any units. */
function path(points, [left, right], [low, high], width, height) {
  const x = (value) => (right > left ? ((value - left) / (right - left)) * width : width);
  const y = (value) => (high > low ? height - ((value - low) / (high - low)) * height : height / 2);
  return points.map(([a, b], index) => `${index ? 'L' : 'M'}${x(a).toFixed(1)} ${y(b).toFixed(1)}`).join('');
}

/** A line of the last signal strengths. update(signals) changes it. */
export function sparkline() {
  const line = s('path', { fill: 'none', stroke: 'currentColor', 'stroke-width': 1.5, 'vector-effect': 'non-scaling-stroke' });
  const element = s('svg', { class: 'ex-spark', viewBox: '0 -1 60 18', preserveAspectRatio: 'none', 'aria-hidden': 'true' }, line);
  let shown = '';
  return {
    element,
    update(signals) {
      const d = signals.length > 1 ? path(signals.map((value, index) => [index, Math.max(-100, Math.min(-30, value))]), [0, 15], [-100, -30], 60, 16) : '';
      if (d !== shown) line.setAttribute('d', shown = d);
    },
  };
}

const short = (value) => String(+value.toPrecision(6));

/** A graph with its limits. update(points, label, unit) takes [time in nanoseconds, number] pairs. */
export function plot() {
  const line = s('path', { fill: 'none', stroke: 'currentColor', 'stroke-width': 1.5, 'vector-effect': 'non-scaling-stroke', 'stroke-linejoin': 'round' });
  const dot = s('circle', { r: 2.5, fill: 'currentColor' });
  const high = s('text', { x: 4, y: 11 });
  const low = s('text', { x: 4, y: 77 });
  const last = s('text', { x: 296, y: 11, 'text-anchor': 'end', class: 'last' });
  const span = s('text', { x: 296, y: 77, 'text-anchor': 'end' });
  const element = s('svg', { class: 'ex-plot', viewBox: '0 0 300 80', role: 'img' }, s('path', { class: 'grid', d: 'M0 15.5H300M0 40.5H300M0 65.5H300' }), s('g', { transform: 'translate(4 16)' }, line, dot), high, low, last, span);
  let key = '';
  return {
    element,
    update(points, label, unit = '') {
      const end = points.at(-1);
      const now = `${points.length} ${end?.[0]} ${end?.[1]} ${label}`;
      if (now === key || !end) return;
      key = now;
      const values = points.map(([, value]) => value);
      const bottom = Math.min(...values);
      const top = Math.max(...values);
      const range = [points[0][0], end[0]];
      line.setAttribute('d', path(points, range, [bottom, top], 292, 49));
      dot.setAttribute('cx', 292);
      dot.setAttribute('cy', top > bottom ? (49 - ((end[1] - bottom) / (top - bottom)) * 49).toFixed(1) : 24.5);
      high.textContent = short(top);
      low.textContent = short(bottom);
      last.textContent = `${short(end[1])} ${unit}`.trim();
      span.textContent = `${((range[1] - range[0]) / 1e9).toFixed(1)} s`;
      element.setAttribute('aria-label', t('ex.plot', { name: label, last: `${short(end[1])} ${unit}`.trim(), low: short(bottom), high: short(top) }));
    },
  };
}

/** Numbers in turn, as pairs. */
export function pairs(numbers) {
  const points = [];
  for (let index = 0; index + 1 < numbers.length; index += 2) points.push([numbers[index], numbers[index + 1]]);
  return points;
}

"""###
        case "parts/explorer-prompts.js": ###"""
// The prompts of pairings, as a dialog beside the page: the passkey may have to be entered elsewhere on it.

import { fill, h, keyed } from '../dom.js';
import { plain } from '../text.js';
import { t } from '../words.js';

/** context: {act}. */
export function promptDialog(context) {
  const list = h('div', {});
  const dialog = h('dialog', { class: 'ex-prompts', 'aria-label': t('ex.prompt') }, list);
  let before = null;

  function make(prompt) {
    const name = plain(prompt.name ?? prompt.device.slice(0, 8), 40);
    const passkey = h('input', { type: 'text', inputmode: 'numeric', pattern: '[0-9 ]*', maxlength: 7, autocomplete: 'off', class: 'mono ex-passkey', 'aria-label': t('ex.prompt.passkey') });
    const answer = (accepts) => (event) => {
      event.preventDefault();
      context.act('answer', { prompt: prompt.id, accepts, ...(prompt.kind === 'enter' && accepts ? { passkey: passkey.value } : {}) });
    };
    const yes = { accept: 'ex.prompt.allow', compare: 'ex.prompt.same', enter: 'ex.prompt.ok' }[prompt.kind];
    const no = { accept: 'ex.prompt.refuse', compare: 'ex.prompt.other', enter: 'ex.prompt.cancel', display: 'ex.prompt.cancel' }[prompt.kind];
    return h('form', { class: 'ex-prompt', onsubmit: answer(true), dataset: { kind: prompt.kind } },
      h('p', { dir: 'auto' }, t(`ex.prompt.${prompt.kind}`, { name })),
      prompt.digits ? h('p', { class: 'mono ex-digits', 'aria-label': [...prompt.digits].join(' ') }, `${prompt.digits.slice(0, 3)} ${prompt.digits.slice(3)}`) : null,
      prompt.kind === 'enter' ? passkey : null,
      h('div', { class: 'actions' }, h('button', { type: 'button', onclick: answer(false) }, t(no)), yes ? h('button', { type: 'submit', class: 'primary' }, t(yes)) : null));
  }

  return {
    element: dialog,
    update(prompts) {
      keyed(list, prompts, (prompt) => prompt.id, make);
      if (prompts.length && !dialog.open) {
        before = document.activeElement;
        dialog.show();
        (list.querySelector('input') ?? list.querySelector('button.primary') ?? list.querySelector('button'))?.focus();
      } else if (!prompts.length && dialog.open) {
        const hadFocus = dialog.contains(document.activeElement);
        dialog.close();
        if (hadFocus) before?.focus?.();
      }
      if (!prompts.length) fill(list);
    },
  };
}

"""###
        case "parts/explorer-scan.js": ###"""
// The list of the scan, and the advertisement of one device.

import { fill, h, keyed } from '../dom.js';
import { dBm, plain } from '../text.js';
import { t } from '../words.js';
import { pairs, plot, sparkline } from './explorer-plot.js';

/** Sets a property only if it changed, so that an unchanged list costs nothing. */
export function set(element, property, value) { if (element[property] !== value) element[property] = value; }

export function bdi(text, limit, attributes = {}) { return h('bdi', { class: 'name', dir: 'auto', ...attributes }, plain(text, limit)); }

/** The list with its filter. context: {act, select, filter}. */
export function scanList(context) {
  const scan = h('button', { class: 'primary', dataset: { do: 'scan' }, onclick: () => (scanning ? context.act('stopScan') : context.act('scan')) });
  const total = h('span', { class: 'faint small-text grow' });
  const sort = h('button', { class: 'quiet small', onclick: () => { order.clear(); update(latest); } }, t('ex.sort'));
  const rssiText = h('span', { class: 'small-text' });
  const fields = {
    name: h('input', { type: 'search', maxlength: 40, 'aria-label': t('ex.filter.name'), placeholder: t('ex.filter.name'), dataset: { filter: 'name' } }),
    service: h('input', { type: 'search', maxlength: 40, 'aria-label': t('ex.filter.service'), placeholder: t('ex.filter.service'), dataset: { filter: 'service' } }),
    rssi: h('input', { type: 'range', min: -105, max: -30, step: 5, value: -105, 'aria-label': t('ex.signal'), dataset: { filter: 'rssi' } }),
    connectable: h('input', { type: 'checkbox', dataset: { filter: 'connectable' } }),
  };
  const filter = h('details', { class: 'ex-filter' }, h('summary', {}, t('ex.filter')),
    h('div', { class: 'column' }, fields.name, fields.service, h('label', { class: 'row' }, fields.rssi, rssiText), h('label', { class: 'check' }, fields.connectable, t('ex.filter.connectable'))));
  const list = h('ul', { class: 'list ex-rows', 'aria-label': t('ex.list') });
  const empty = h('div', { class: 'empty' });
  const more = h('p', { class: 'hint', role: 'status' });
  const element = h('section', { class: 'ex-pane ex-list', 'aria-label': t('ex.list') },
    h('div', { class: 'toolbar' }, scan, total, sort), filter, list, empty, more);
  const order = new Map();
  let scanning = false;
  let latest = null;
  let timer = 0;

  function changed() {
    showRSSI();
    clearTimeout(timer);
    timer = setTimeout(() => context.filter({
      name: fields.name.value.trim() || null, service: fields.service.value.trim() || null,
      minimumRSSI: +fields.rssi.value > -105 ? +fields.rssi.value : null, connectable: fields.connectable.checked ? true : null,
    }), 150);
  }
  function showRSSI() { rssiText.textContent = +fields.rssi.value > -105 ? t('ex.filter.rssi', { n: fields.rssi.value.replace('-', '−') }) : t('ex.filter.any'); }
  for (const field of Object.values(fields)) field.addEventListener('input', changed);
  showRSSI();

  function make(row) {
    const spark = sparkline();
    const name = bdi('', 40);
    const rssi = h('span', { class: 'number small-text ex-rssi' });
    const about = h('span', { class: 'faint small-text name', dir: 'auto' });
    const connect = h('button', { class: 'small', dataset: { do: 'connect', swift: 'central.connect(peripheral)' }, onclick: () => { context.select(row.id, null, true); context.act('connect', { device: row.id }); } }, t('ex.connect'));
    const item = h('li', { class: 'ex-row' },
      h('button', { class: 'item', dataset: { do: 'select' }, onclick: () => context.select(row.id, null, true) },
        h('span', { class: 'column ex-row-text' }, h('span', { class: 'between' }, name, rssi), h('span', { class: 'between' }, about, spark.element))),
      connect);
    item.parts = { spark, name, rssi, about, connect, button: item.firstElementChild };
    return item;
  }

  function updateRow(item, row) {
    const { spark, name, rssi, about, connect, button } = item.parts;
    set(name, 'textContent', plain(row.name ?? t('ex.noname'), 40));
    set(rssi, 'textContent', row.rssi == null ? '' : dBm(row.rssi));
    set(about, 'textContent', plain([row.beacon, ...row.services, row.company].filter(Boolean).join(', ') || row.address || row.id.slice(0, 8), 60));
    spark.update(row.signals);
    const open = context.opened(row.id);
    set(connect, 'hidden', !row.isConnectable || (open !== undefined && open.link !== 'disconnected'));
    connect.setAttribute('aria-label', `${t('ex.connect')}: ${plain(row.name ?? row.address ?? row.id, 40)}`);
    if (context.selected().device === row.id) button.setAttribute('aria-current', 'true'); else button.removeAttribute('aria-current');
  }

  function update(state) {
    latest = state;
    if (!state) return;
    scanning = state.isScanning;
    set(scan, 'textContent', t(scanning ? 'ex.stop' : 'ex.scan'));
    scan.className = scanning ? '' : 'primary';
    scan.dataset.swift = scanning ? 'central.stopScan()' : 'central.scanForPeripherals(withServices: nil)';
    set(scan, 'disabled', state.adapter !== 'poweredOn');
    const selects = Object.values(state.filter).some((value) => value !== null && value !== undefined);
    set(total, 'textContent', state.seen ? t('ex.seen', { shown: state.rows.length + state.moreRows, seen: state.seen }) : '');
    sort.hidden = state.rows.length < 2;
    // A row keeps its place, so that a button does not move away under the pointer.
    for (const row of state.rows) if (!order.has(row.id)) order.set(row.id, order.size);
    if (order.size > 4000) order.clear();
    const rows = [...state.rows].sort((one, other) => (order.get(one.id) ?? 0) - (order.get(other.id) ?? 0));
    keyed(list, rows, (row) => row.id, make, updateRow);
    empty.hidden = rows.length > 0;
    const kind = selects && state.seen ? 'ex.none.filtered' : 'ex.none';
    if (!empty.hidden && empty.dataset.kind !== kind) {
      empty.dataset.kind = kind;
      fill(empty, h('p', {}, t(kind)), kind === 'ex.none' ? h('p', {}, t('ex.none.hint')) : null);
    }
    set(more, 'textContent', state.moreRows ? t('ex.more', { n: state.moreRows }) : '');
    // The filter of another tab.
    for (const [key, value] of [['name', state.filter.name ?? ''], ['service', state.filter.service ?? ''], ['rssi', String(state.filter.minimumRSSI ?? -105)]]) {
      if (document.activeElement !== fields[key] && fields[key].value !== value && !timer) fields[key].value = value;
    }
  }

  return { element, update };
}

/** The advertisement of a device: facts, the signal, and octets that light up with their structure. */
export function advertisement() {
  const facts = h('dl', { class: 'facts' });
  const graph = plot();
  const parts = h('div', {});
  const element = h('div', { class: 'ex-adv' }, facts, graph.element, parts);
  let shown = '';

  function structures(title, part) {
    const octets = part.octets.match(/../g) ?? [];
    const cells = h('code', { class: 'ex-octets', 'aria-hidden': 'true' });
    const list = h('ol', { class: 'list' });
    let position = 0;
    part.structures.forEach((structure, index) => {
      const group = octets.slice(position, position + structure.count).map((octet, place) => h('span', { dataset: { part: index, role: place === 0 ? 'length' : place === 1 ? 'type' : 'content' } }, octet));
      position += structure.count;
      cells.append(...group);
      list.append(h('li', {}, h('button', { class: 'item', dataset: { part: index } }, h('span', { class: 'mono faint' }, group.slice(0, 3).map((cell) => cell.textContent).join(' ') + (group.length > 3 ? '…' : '')), bdi(structure.text, 160))));
    });
    const block = h('div', { class: 'ex-structures' }, h('h3', {}, title, ' ', h('span', { class: 'faint' }, t(octets.length === 1 ? 'ex.octet' : 'ex.octets', { n: octets.length }))), cells, list);
    const light = (event) => {
      const part = event.target.closest?.('[data-part]')?.dataset.part;
      for (const cell of block.querySelectorAll('[data-part]')) cell.classList.toggle('lit', part !== undefined && cell.dataset.part === part);
    };
    for (const name of ['pointerover', 'focusin']) block.addEventListener(name, light);
    for (const name of ['pointerleave', 'focusout']) block.addEventListener(name, () => { for (const cell of block.querySelectorAll('.lit')) cell.classList.remove('lit'); });
    return block;
  }

  return {
    element,
    update(detail) {
      const { row } = detail;
      const items = [
        ['ex.identifier', h('span', { class: 'mono' }, row.id)],
        row.address && ['ex.address', `${row.address} (${t(`ex.address.${row.addressType}`)})`],
        detail.publishedAddress && ['ex.publishes', `${detail.publishedAddress} (${detail.publishedIn})`],
        row.rssi != null && ['ex.signal', `${dBm(row.rssi)}, ${t('ex.signal.range', { low: detail.lowestRSSI, high: detail.highestRSSI })}`],
        row.interval && ['ex.interval', t('ex.interval.about', { n: row.interval })],
        detail.distance && ['ex.distance', t('ex.distance.about', { n: detail.distance })],
        ['ex.packets', String(row.count)], ['ex.connectable', t(row.isConnectable ? 'ex.yes' : 'ex.no')],
      ].filter(Boolean);
      fill(facts, items.map(([key, value]) => [h('dt', {}, t(key)), h('dd', {}, value)]));
      const points = pairs(detail.track);
      graph.element.style.display = points.length > 1 ? '' : 'none';
      graph.update(points, t('ex.signal'), 'dBm');
      const key = `${detail.data.octets} ${detail.scanResponse?.octets}`;
      if (key === shown) return;
      shown = key;
      fill(parts, structures(t('ex.adv.data'), detail.data), detail.scanResponse ? structures(t('ex.adv.response'), detail.scanResponse) : null);
    },
  };
}

"""###
        case "parts/explorer-value.js": ###"""
// One characteristic: its value in all formats, and the operations that it supports.

import { fill, h, keyed } from '../dom.js';
import { plain, seconds } from '../text.js';
import { t } from '../words.js';
import { pairs, plot } from './explorer-plot.js';
import { bdi, set } from './explorer-scan.js';
import { failureText } from './explorer-words.js';

const FORMATS = ['hex', 'utf8', 'base64', 'u8', 'i8', ...[16, 24, 32, 40, 48, 56, 64].flatMap((bits) => [`u${bits}`, `i${bits}`, `u${bits}be`, `i${bits}be`]), 'f32', 'f32be', 'f64', 'f64be'];

function remembered(uuid) { try { return localStorage.getItem(`explorer.format.${uuid}`); } catch { return null; } }
function remember(uuid, format) { try { localStorage.setItem(`explorer.format.${uuid}`, format); } catch { /* storage may be blocked */ } }

/** The pane of one characteristic. context: {act, ask, selected}. */
export function valuePane(context) {
  const title = h('h2', { class: 'name', tabindex: '-1' });
  const uuid = h('p', { class: 'mono faint small-text' });
  const about = h('p', { class: 'hint' });
  const value = h('bdi', { class: 'ex-bigvalue', dir: 'auto' });
  const octets = h('code', { class: 'ex-valueoctets' });
  const when = h('p', { class: 'hint' });
  const error = h('p', { class: 'error', role: 'status' });
  const graph = plot();
  const fields = h('dl', { class: 'facts' });
  const formats = h('dl', { class: 'facts mono' });
  const formatBox = h('details', {}, h('summary', {}, t('ex.formats')), fields, formats);
  const readLine = h('code', {}, 'peripheral.readValue(for: characteristic)');
  const read = h('button', { class: 'primary', dataset: { do: 'read' }, onclick: () => context.act('read', context.selected()) }, t('ex.read'));
  const notifyLine = h('code', {});
  const notify = h('input', { type: 'checkbox', role: 'switch', dataset: { do: 'notify' }, onchange: () => context.act(notify.checked ? 'subscribe' : 'unsubscribe', context.selected()) });
  const format = h('select', { 'aria-label': t('ex.format'), dataset: { do: 'format' } });
  const text = h('input', { type: 'text', class: 'mono grow', maxlength: 4096, 'aria-label': t('ex.newValue'), 'aria-describedby': 'ex-check', autocomplete: 'off', spellcheck: 'false', dataset: { do: 'text' } });
  const check = h('p', { id: 'ex-check', class: 'hint', role: 'status' });
  const response = h('input', { type: 'checkbox' });
  const responseLabel = h('label', { class: 'check' }, response, t('ex.response'));
  const writeLine = h('code', {});
  const write = h('button', { class: 'primary', type: 'submit', dataset: { do: 'write' } }, t('ex.write'));
  const form = h('form', { class: 'column', onsubmit: submit }, h('h3', {}, t('ex.write')), h('div', { class: 'row' }, format, text), check, h('div', { class: 'row' }, write, responseLabel), writeLine);
  const readBox = h('div', { class: 'column' }, h('div', { class: 'row' }, read), readLine);
  const notifyBox = h('div', { class: 'column' }, h('label', { class: 'switch' }, notify, t('ex.notify')), notifyLine);
  const descriptors = h('ul', { class: 'list' });
  const descriptorBox = h('div', {}, h('h3', {}, t('ex.descriptors')), descriptors);
  const body = h('div', { class: 'column' }, h('div', {}, title, uuid, about), h('div', { class: 'card ex-current' }, value, octets, when, error, graph.element, formatBox), readBox, notifyBox, form, descriptorBox);
  const empty = h('div', { class: 'empty' }, h('p', {}, t('ex.pickCharacteristic')), h('p', {}, t('ex.pickCharacteristic.hint')));
  const element = h('section', { class: 'ex-pane ex-value', 'aria-label': t('ex.characteristic') }, empty, body);
  let shown = null;
  let shownFormats = '';
  let current = null;
  let timer = 0;
  let checkNumber = 0;

  async function submit(event) {
    event.preventDefault();
    if (!text.value && format.value !== 'utf8') return text.focus();
    remember(current.uuid, format.value);
    await context.act('write', { ...context.selected(), value: text.value, format: format.value, response: response.checked });
  }

  function validate() {
    clearTimeout(timer);
    timer = setTimeout(async () => {
      const number = ++checkNumber;
      if (!text.value) return showCheck('', false, '');
      try {
        const result = await context.ask('explorer.validate', { ...context.selected(), value: text.value, format: format.value });
        if (number === checkNumber) showCheck(t(result.count === 1 ? 'ex.octet' : 'ex.octets', { n: result.count }), false, result.octets);
      } catch (failure) {
        if (number === checkNumber) showCheck(failureText(failure), true, '');
      }
    }, 120);
  }
  function showCheck(words, isBad, digits) {
    set(check, 'textContent', words);
    check.className = isBad ? 'error' : 'hint';
    text.setAttribute('aria-invalid', String(isBad));
    write.disabled = isBad;
    const list = (digits.match(/../g) ?? []).slice(0, 8).map((octet) => `0x${octet}`).join(', ') + (digits.length > 16 ? ', …' : '');
    writeLine.textContent = `peripheral.writeValue(Data([${list}]), for: characteristic, type: .${response.checked ? 'withResponse' : 'withoutResponse'})`;
    writeLine.dataset.digits = digits;
  }
  text.addEventListener('input', validate);
  format.addEventListener('change', () => { remember(current.uuid, format.value); validate(); });
  response.addEventListener('change', () => showCheck(check.textContent, text.getAttribute('aria-invalid') === 'true', writeLine.dataset.digits ?? ''));

  async function showFormats(characteristic) {
    const key = `${shown} ${characteristic.count} ${characteristic.value?.octets}`;
    if (!formatBox.open || !characteristic.value || key === shownFormats) return;
    shownFormats = key;
    const detail = await context.ask('explorer.formats', context.selected()).then((answer) => answer.detail).catch(() => null);
    if (!detail || key !== shownFormats) return;
    fill(fields, detail.fields.map((field) => [h('dt', {}, plain(field.name, 60)), h('dd', {}, bdi(`${field.text} ${field.unit}`.trim(), 200))]));
    fill(formats, detail.formats.map((one) => [h('dt', {}, one.format), h('dd', {}, bdi(one.text, 600))]));
  }
  formatBox.addEventListener('toggle', () => { if (current) showFormats(current); });

  function begin(characteristic) {
    const names = characteristic.isEncodable ? ['sig', ...FORMATS] : FORMATS;
    fill(format, names.map((name) => h('option', { value: name }, name === 'sig' ? t('ex.sig') : name)));
    const kept = remembered(characteristic.uuid);
    format.value = kept && names.includes(kept) ? kept : characteristic.isEncodable ? 'sig' : 'hex';
    text.value = '';
    const [canRespond, canCommand] = ['write', 'writeWithoutResponse'].map((word) => characteristic.properties.includes(word));
    response.checked = canRespond;
    responseLabel.hidden = !(canRespond && canCommand);
    shownFormats = '';
    fill(fields);
    fill(formats);
    showCheck('', false, '');
  }

  function makeDescriptor(descriptor) {
    const item = h('li', { class: 'ex-row' }, h('span', { class: 'item' }, h('span', { class: 'column ex-row-text' }, h('span', {}), bdi('', 200))),
      h('button', { class: 'small', dataset: { do: 'readDescriptor', swift: 'peripheral.readValue(for: descriptor)' }, onclick: () => context.act('read', { device: context.selected().device, attribute: descriptor.id }) }, t('ex.read')));
    item.lastElementChild.setAttribute('aria-label', `${t('ex.read')}: ${descriptor.name ?? descriptor.uuid}`);
    return item;
  }
  function updateDescriptor(item, descriptor) {
    const [name, text] = item.firstElementChild.firstElementChild.children;
    set(name, 'textContent', descriptor.name ? `${descriptor.name} ${descriptor.uuid}` : descriptor.uuid);
    set(text, 'textContent', plain(descriptor.error ?? descriptor.value?.text ?? '', 200));
  }

  return {
    element,
    focus() { title.focus({ preventScroll: true }); element.scrollIntoView({ block: 'start' }); },
    update(characteristic) {
      empty.hidden = Boolean(characteristic);
      body.hidden = !characteristic;
      current = characteristic;
      if (!characteristic) { shown = null; return; }
      const key = `${context.selected().device} ${characteristic.id} ${characteristic.uuid}`;
      if (key !== shown) { shown = key; begin(characteristic); }
      const called = characteristic.name ?? characteristic.uuid;
      set(title, 'textContent', plain(characteristic.label ?? called, 60));
      set(uuid, 'textContent', `${called === characteristic.uuid ? '' : `${called} `}${characteristic.uuid}`);
      set(about, 'textContent', [characteristic.properties.join(', '), characteristic.presentation].filter(Boolean).join(' · '));
      const latest = characteristic.value;
      set(value, 'textContent', latest ? plain(latest.text, 1200) : t('ex.value.none'));
      octets.hidden = !latest;
      set(octets, 'textContent', (latest?.octets.match(/../g) ?? []).join(' '));
      set(when, 'textContent', [latest && `${t(`ex.source.${latest.source}`)} ${seconds(latest.time)}`, characteristic.count > 0 && t(characteristic.count === 1 ? 'ex.update' : 'ex.updates', { n: characteristic.count }), characteristic.pending > 0 && t('ex.pending')].filter(Boolean).join(' · '));
      set(error, 'textContent', characteristic.error ?? '');
      const points = pairs(characteristic.numbers);
      graph.element.style.display = points.length > 1 ? '' : 'none';
      graph.update(points, called, latest?.unit ?? '');
      formatBox.hidden = !latest;
      showFormats(characteristic);
      const can = (word) => characteristic.properties.includes(word);
      readBox.hidden = !can('read');
      notifyBox.hidden = !(can('notify') || can('indicate'));
      set(notify, 'checked', characteristic.isNotifying);
      set(notifyLine, 'textContent', `peripheral.setNotifyValue(${!characteristic.isNotifying}, for: characteristic)`);
      form.hidden = !(can('write') || can('writeWithoutResponse'));
      descriptorBox.hidden = characteristic.descriptors.length === 0;
      keyed(descriptors, characteristic.descriptors, (descriptor) => descriptor.id, makeDescriptor, updateDescriptor);
    },
  };
}

"""###
        case "parts/explorer-words.js": ###"""
// The words of the explorer.

import { register, t } from '../words.js';

register({
  en: {
    'ex.scan': 'Scan', 'ex.stop': 'Stop the scan', 'ex.list': 'Devices nearby', 'ex.seen': '{shown} of {seen}', 'ex.more': '{n} more devices: narrow the filter to see them.',
    'ex.filter': 'Filter', 'ex.filter.name': 'Name, address or company', 'ex.filter.service': 'Service', 'ex.filter.rssi': 'At least {n} dBm', 'ex.filter.any': 'Any signal', 'ex.filter.connectable': 'Connectable only',
    'ex.sort': 'Sort by signal', 'ex.none': 'No device yet.', 'ex.none.hint': 'Start the scan: devices that advertise appear here.', 'ex.none.filtered': 'The filter selects no device.',
    'ex.noname': '(no name)', 'ex.connect': 'Connect', 'ex.cancel': 'Cancel', 'ex.disconnect': 'Disconnect', 'ex.close': 'Close', 'ex.closeDevice': 'Close {name}', 'ex.discover': 'Discover again', 'ex.readAll': 'Read all', 'ex.rssi': 'Read signal',
    'ex.pair': 'Pair', 'ex.unpair': 'Delete keys', 'ex.script': 'Save script', 'ex.opened': 'Opened devices', 'ex.device': 'Device', 'ex.pick': 'Select a device.', 'ex.pick.hint': 'Its advertisement appears here. Connect to see its services.',
    'ex.link.connecting': 'connecting…', 'ex.link.connected': 'connected', 'ex.link.disconnecting': 'disconnecting…', 'ex.link.disconnected': 'not connected',
    'ex.discovering': 'Discovering services…', 'ex.bonded': 'paired', 'ex.pairing': 'pairing…', 'ex.level': 'security level {n}', 'ex.moreAttributes': '{n} more attributes are not shown.',
    'ex.advertisement': 'Advertisement', 'ex.adv.data': 'Advertising data', 'ex.adv.response': 'Scan response', 'ex.octets': '{n} octets', 'ex.octet': '1 octet', 'ex.address': 'Address', 'ex.identifier': 'Identifier', 'ex.interval': 'Interval', 'ex.interval.about': 'about {n} ms',
    'ex.packets': 'Packets', 'ex.signal': 'Signal', 'ex.signal.range': '{low} to {high} dBm', 'ex.distance': 'Distance', 'ex.distance.about': 'about {n} m', 'ex.publishes': 'Publishes', 'ex.connectable': 'Connectable', 'ex.yes': 'yes', 'ex.no': 'no',
    'ex.address.public': 'public', 'ex.address.static': 'static random', 'ex.address.resolvable': 'resolvable private, changes every few minutes', 'ex.address.nonresolvable': 'non-resolvable private', 'ex.address.reserved': 'of a reserved type',
    'ex.services': 'Services and characteristics', 'ex.characteristic': 'Characteristic', 'ex.value': 'Value', 'ex.value.none': 'No value yet.', 'ex.pickCharacteristic': 'Select a characteristic.', 'ex.pickCharacteristic.hint': 'Read it, write it or subscribe to it here.',
    'ex.read': 'Read', 'ex.write': 'Write', 'ex.notify': 'Notifications', 'ex.notifies': 'notifies', 'ex.format': 'Format', 'ex.newValue': 'New value', 'ex.response': 'With response', 'ex.formats': 'All formats', 'ex.fields': 'Fields', 'ex.descriptors': 'Descriptors',
    'ex.updates': '{n} values', 'ex.update': '1 value', 'ex.source.read': 'read', 'ex.source.notification': 'notified', 'ex.sig': 'SIG (as shown)', 'ex.pending': 'waiting for the device…', 'ex.plots': 'Live values', 'ex.plot': '{name}: last {last}, from {low} to {high}',
    'ex.log': 'Log', 'ex.log.save': 'Save log', 'ex.log.clear': 'Clear log', 'ex.log.none': 'Nothing happened yet.', 'ex.swift': 'Swift', 'ex.explorer': 'Explores with', 'ex.adapter': 'Adapter {name}',
    'ex.empty': 'No phone explores here yet.', 'ex.empty.hint': 'The explorer runs on a phone in the room, or on the Bluetooth adapter of this computer (bluelab studio --controller hci0).', 'ex.empty.add': 'Add a phone to explore with', 'ex.phone': 'Explorer',
    'ex.state.unknown': 'The adapter is starting.', 'ex.state.resetting': 'The connection to the adapter was lost. Plug it in again; the explorer goes on by itself.',
    'ex.state.unsupported': 'There is no usable Bluetooth adapter. Plug one in, or choose another with --controller. bluelab doctor says more.',
    'ex.state.unauthorized': 'This program may not use the Bluetooth adapter. Stop bluetoothd, or give bluelab the right: bluelab doctor shows the command.',
    'ex.state.poweredOff': 'Bluetooth is off. Turn it on: rfkill unblock bluetooth.', 'ex.state.roomOff': 'the phone is off.', 'ex.state.wait': 'The phone starts when time runs.',
    'ex.run': 'Run time', 'ex.turnOn': 'Turn on', 'ex.paused': 'Time stands still: nothing arrives until it runs.',
    'ex.prompt': 'Pairing', 'ex.prompt.accept': '{name} wants to pair.', 'ex.prompt.display': 'Enter this passkey on {name}:', 'ex.prompt.compare': 'Does {name} show the same number?', 'ex.prompt.enter': 'Enter the passkey that {name} shows:',
    'ex.prompt.allow': 'Pair', 'ex.prompt.refuse': 'Refuse', 'ex.prompt.same': 'Yes, the same', 'ex.prompt.other': 'No, different', 'ex.prompt.done': 'Done', 'ex.prompt.cancel': 'Cancel', 'ex.prompt.ok': 'OK', 'ex.prompt.passkey': 'Passkey',
    'ex.saved': 'Saved.', 'ex.signals': 'Signal, the last packets',
    'ex.fail.adapter': 'The Bluetooth adapter is not on.',
  },
  zh: {
    'ex.scan': '扫描', 'ex.stop': '停止扫描', 'ex.list': '附近的设备', 'ex.seen': '{shown} / {seen}', 'ex.more': '还有 {n} 个设备：缩小过滤条件即可看到。',
    'ex.filter': '过滤', 'ex.filter.name': '名称、地址或公司', 'ex.filter.service': '服务', 'ex.filter.rssi': '至少 {n} dBm', 'ex.filter.any': '任意信号', 'ex.filter.connectable': '仅可连接',
    'ex.sort': '按信号排序', 'ex.none': '还没有设备。', 'ex.none.hint': '开始扫描：正在广播的设备会出现在这里。', 'ex.none.filtered': '没有符合过滤条件的设备。',
    'ex.noname': '（无名称）', 'ex.connect': '连接', 'ex.cancel': '取消', 'ex.disconnect': '断开', 'ex.close': '关闭', 'ex.closeDevice': '关闭 {name}', 'ex.discover': '重新发现', 'ex.readAll': '全部读取', 'ex.rssi': '读取信号',
    'ex.pair': '配对', 'ex.unpair': '删除密钥', 'ex.script': '保存脚本', 'ex.opened': '已打开的设备', 'ex.device': '设备', 'ex.pick': '请选择一个设备。', 'ex.pick.hint': '这里显示它的广播。连接后可看到它的服务。',
    'ex.link.connecting': '正在连接…', 'ex.link.connected': '已连接', 'ex.link.disconnecting': '正在断开…', 'ex.link.disconnected': '未连接',
    'ex.discovering': '正在发现服务…', 'ex.bonded': '已配对', 'ex.pairing': '正在配对…', 'ex.level': '安全级别 {n}', 'ex.moreAttributes': '还有 {n} 个属性未显示。',
    'ex.advertisement': '广播', 'ex.adv.data': '广播数据', 'ex.adv.response': '扫描响应', 'ex.octets': '{n} 字节', 'ex.octet': '1 字节', 'ex.address': '地址', 'ex.identifier': '标识符', 'ex.interval': '间隔', 'ex.interval.about': '约 {n} ms',
    'ex.packets': '数据包', 'ex.signal': '信号', 'ex.signal.range': '{low} 到 {high} dBm', 'ex.distance': '距离', 'ex.distance.about': '约 {n} 米', 'ex.publishes': '公布的地址', 'ex.connectable': '可连接', 'ex.yes': '是', 'ex.no': '否',
    'ex.address.public': '公共', 'ex.address.static': '静态随机', 'ex.address.resolvable': '可解析私有，每隔几分钟改变', 'ex.address.nonresolvable': '不可解析私有', 'ex.address.reserved': '保留类型',
    'ex.services': '服务与特征', 'ex.characteristic': '特征', 'ex.value': '值', 'ex.value.none': '还没有值。', 'ex.pickCharacteristic': '请选择一个特征。', 'ex.pickCharacteristic.hint': '在这里读取、写入或订阅它。',
    'ex.read': '读取', 'ex.write': '写入', 'ex.notify': '通知', 'ex.notifies': '正在通知', 'ex.format': '格式', 'ex.newValue': '新值', 'ex.response': '需要响应', 'ex.formats': '所有格式', 'ex.fields': '字段', 'ex.descriptors': '描述符',
    'ex.updates': '{n} 个值', 'ex.update': '1 个值', 'ex.source.read': '读取', 'ex.source.notification': '通知', 'ex.sig': 'SIG（如所示）', 'ex.pending': '正在等待设备…', 'ex.plots': '实时数值', 'ex.plot': '{name}：最新 {last}，范围 {low} 到 {high}',
    'ex.log': '日志', 'ex.log.save': '保存日志', 'ex.log.clear': '清空日志', 'ex.log.none': '还没有发生任何事。', 'ex.swift': 'Swift', 'ex.explorer': '浏览所用', 'ex.adapter': '适配器 {name}',
    'ex.empty': '这里还没有用来浏览的手机。', 'ex.empty.hint': '浏览器运行在房间里的一部手机上，或者本机的蓝牙适配器上（bluelab studio --controller hci0）。', 'ex.empty.add': '添加一部用来浏览的手机', 'ex.phone': '浏览手机',
    'ex.state.unknown': '适配器正在启动。', 'ex.state.resetting': '与适配器的连接已丢失。请重新插入，浏览会自动继续。',
    'ex.state.unsupported': '没有可用的蓝牙适配器。请插入一个，或用 --controller 选择其他的。运行 bluelab doctor 查看详情。',
    'ex.state.unauthorized': '本程序没有使用蓝牙适配器的权限。请停止 bluetoothd，或授予权限：bluelab doctor 会显示命令。',
    'ex.state.poweredOff': '蓝牙已关闭。请打开：rfkill unblock bluetooth。', 'ex.state.roomOff': '手机已关闭。', 'ex.state.wait': '时间运行后，手机才会启动。',
    'ex.run': '运行时间', 'ex.turnOn': '打开', 'ex.paused': '时间静止：运行之前不会收到任何数据。',
    'ex.prompt': '配对', 'ex.prompt.accept': '{name} 请求配对。', 'ex.prompt.display': '请在 {name} 上输入这个密码：', 'ex.prompt.compare': '{name} 显示的数字相同吗？', 'ex.prompt.enter': '请输入 {name} 显示的密码：',
    'ex.prompt.allow': '配对', 'ex.prompt.refuse': '拒绝', 'ex.prompt.same': '相同', 'ex.prompt.other': '不同', 'ex.prompt.done': '完成', 'ex.prompt.cancel': '取消', 'ex.prompt.ok': '确定', 'ex.prompt.passkey': '密码',
    'ex.saved': '已保存。', 'ex.signals': '信号，最近的数据包',
    'ex.fail.adapter': '蓝牙适配器未打开。', 'ex.fail.not-connected': '设备未连接。请先连接。', 'ex.fail.unknown-device': '适配器不认识这个设备。请先扫描。', 'ex.fail.too-many': '打开的设备太多，请关闭一个。',
    'ex.fail.unknown-attribute': '设备已没有这个属性。请重新发现服务。', 'ex.fail.busy': '有太多操作在等待设备。', 'ex.fail.not-readable': '这个特征不可读。', 'ex.fail.not-writable': '这个特征不可写。',
    'ex.fail.needs-no-response': '这个特征只支持无响应写入。', 'ex.fail.needs-response': '这个特征只支持有响应写入。', 'ex.fail.not-notifying': '这个特征不支持通知。', 'ex.fail.unknown-prompt': '这个提示已不再等待回答。',
    'ex.fail.passkey': '密码是一到六位十进制数字。', 'ex.fail.nothing-recorded': '还没有记录任何操作。', 'ex.fail.too-long': '值太长。', 'ex.fail.offline': '工作室没有响应。',
    'ex.log.scan': '开始扫描所有设备', 'ex.log.stop-scan': '停止扫描', 'ex.log.state': '适配器状态：{state}', 'ex.log.discovered': '发现 {name}，{rssi} dBm', 'ex.log.connect': '连接 {name}', 'ex.log.connected': '已连接 {name}',
    'ex.log.connect-failed': '连接 {name} 失败：{reason}', 'ex.log.disconnect': '断开 {name}', 'ex.log.disconnected': '已断开 {name}', 'ex.log.disconnected-error': '{name} 断开：{reason}', 'ex.log.discover-services': '发现所有服务',
    'ex.log.services': '设备有 {count} 个服务', 'ex.log.discover-characteristics': '发现 {name} 的特征', 'ex.log.characteristics': '{name} 有 {count} 个特征', 'ex.log.discover-descriptors': '发现 {name} 的描述符', 'ex.log.descriptors': '{name} 有 {count} 个描述符',
    'ex.log.discovery-failed': '发现失败：{reason}', 'ex.log.discovery-complete': '发现完成', 'ex.log.services-changed': '设备改变了它的服务', 'ex.log.read': '读取 {name}', 'ex.log.value': '{name}：{value}', 'ex.log.notification': '{name}：{value}',
    'ex.log.read-failed': '读取 {name} 失败：{reason}', 'ex.log.write': '写入 {name}', 'ex.log.written': '已写入 {name}', 'ex.log.write-failed': '写入 {name} 失败：{reason}', 'ex.log.subscribe': '订阅 {name}', 'ex.log.unsubscribe': '取消订阅 {name}',
    'ex.log.subscribed': '{name} 开始通知', 'ex.log.unsubscribed': '{name} 不再通知', 'ex.log.subscribe-failed': '订阅 {name} 失败：{reason}', 'ex.log.ready': '缓冲区又有空间可用于无响应写入', 'ex.log.read-rssi': '读取信号强度',
    'ex.log.rssi': '信号强度为 {rssi} dBm', 'ex.log.rssi-failed': '无法读取信号强度：{reason}', 'ex.log.renamed': '设备名称为 {name}', 'ex.log.pair': '与 {name} 配对', 'ex.log.paired': '已与 {name} 配对：安全级别 {level}',
    'ex.log.pairing-failed': '与 {name} 配对失败：{reason}', 'ex.log.unpair': '删除设备的密钥', 'ex.log.unpaired': '密钥已删除', 'ex.log.no-keys': '没有这个设备的密钥', 'ex.log.accept': '接受配对', 'ex.log.refuse': '拒绝配对',
    'ex.log.cancel': '取消配对', 'ex.log.equal': '数字相同', 'ex.log.different': '数字不同', 'ex.log.enter': '输入密码', 'ex.log.prompt-accept': '{name} 请求配对', 'ex.log.prompt-display': '在 {name} 上输入密码', 'ex.log.prompt-compare': '与 {name} 比较数字', 'ex.log.prompt-enter': '输入 {name} 显示的密码',
  },
});

/** The words of a key, or the fallback if the language has none. */
export function words(key, values, fallback) {
  const text = t(key, values);
  return text === key ? fallback : text;
}

/** What went wrong, and what to do. */
export function failureText(failure) {
  const text = words(`ex.fail.${failure.code}`, {}, null);
  return text ?? [failure.text, failure.next].filter(Boolean).join(' ');
}

"""###
        case "parts/explorer.css": ###"""
/* The explorer: list, device and characteristic side by side, or one below the other. */
.ex { container-type: inline-size; display: flex; flex-direction: column; gap: 10px; min-height: 100%; }
.ex-head { gap: 6px 12px; } .ex-head code { padding: 2px 8px; min-height: 1.6em; }
.ex-panes { display: grid; gap: 12px; grid-template-columns: minmax(0, 1fr); align-items: start; }
.ex-side { display: grid; gap: 12px; min-width: 0; }
.ex-pane { border: 1px solid var(--line); border-radius: 12px; background: var(--surface); padding: 10px 14px 14px; min-width: 0; }
.ex-pane .toolbar { padding-top: 2px; }
.ex-filter { margin-bottom: 8px; } .ex-filter .column { padding: 6px 0; } .ex-filter input[type="range"] { flex: 1; }
.ex-rows { max-height: 60vh; overflow: auto; }
.ex-row { display: flex; align-items: center; gap: 6px; min-width: 0; }
.ex-row > .item { flex: 1; min-width: 0; } span.item { cursor: default; }
.ex-row-text { flex: 1; gap: 1px; min-width: 0; } .ex-row-text > * { min-width: 0; } .ex-row-text .name { flex: 1; }
.ex-rssi, .ex-list .toolbar { white-space: nowrap; }
.ex-spark { width: 60px; height: 18px; color: var(--adv); flex: none; }
.ex-tabs { margin-bottom: 8px; }
.ex-device h2, .ex-value h2 { margin: 0; outline-offset: 2px; } .ex-device h2 { max-width: 100%; }
.ex-advbox { margin: 4px 0 10px; } .ex-adv { padding-top: 6px; }
.ex-octets { display: flex; flex-wrap: wrap; gap: 2px 0; padding: 6px; margin-bottom: 4px; }
.ex-octets span { padding: 1px 4px; border-radius: 3px; } .ex-octets [data-role="length"], .ex-octets [data-role="type"] { color: var(--adv); }
.ex-octets .lit { background: var(--accent); color: var(--on-accent); } .item.lit { background: var(--accent-soft); }
.ex-structures .item .name { white-space: normal; overflow-wrap: anywhere; } .ex-structures h3 { font-size: .93rem; margin-top: 10px; }
.ex-service { display: flex; align-items: baseline; gap: 8px; margin-top: 10px; } .ex-service h3 { margin: 0; }
.ex-tree .between .name { text-align: end; } .ex-treevalue { font-weight: 550; }
.ex-value .card { border-radius: var(--radius); padding: 10px 12px; }
.ex-bigvalue { display: block; font-size: 1.15rem; font-weight: 600; overflow-wrap: anywhere; max-height: 9em; overflow: auto; }
.ex-valueoctets { display: block; margin: 4px 0; max-height: 7em; overflow: auto; }
.ex-value form { border-top: 1px solid var(--line); padding-top: 10px; } .ex-value form .row { flex-wrap: nowrap; } .ex-value form h3 { margin: 0; }
.ex-value .error:empty, .ex-value .hint:empty { display: none; }
.ex-plot { width: 100%; height: auto; color: var(--accent); display: block; }
.ex-plot text { font-size: 9px; fill: var(--faint); } .ex-plot .last { fill: var(--text); font-weight: 600; font-size: 11px; } .ex-plot .grid { stroke: var(--line); stroke-width: .5; }
.ex-plots { display: grid; gap: 10px; grid-template-columns: repeat(auto-fill, minmax(220px, 1fr)); } .ex-plots figure { margin: 0; min-width: 0; }
.ex-loglist { max-height: 260px; overflow: auto; gap: 0; }
.ex-entry { display: grid; grid-template-columns: max-content 1em minmax(0, 1fr); gap: 6px; padding: 2px 4px; border-radius: 4px; font-size: .9rem; }
.ex-entry.error { color: var(--bad); } .ex-entrytext { display: flex; flex-wrap: wrap; gap: 0 10px; overflow-wrap: anywhere; } .ex-entry code { background: none; color: var(--faint); padding: 0; }
.ex-prompts { position: fixed; inset: auto 16px 100px auto; margin: 0; z-index: 15; width: min(340px, calc(100vw - 32px)); }
.ex-prompt + .ex-prompt { border-top: 1px solid var(--line); padding-top: 12px; margin-top: 12px; }
.ex-digits { font-size: 2rem; letter-spacing: .1em; text-align: center; margin: 8px 0; } .ex-passkey { font-size: 1.4rem; letter-spacing: .2em; width: 100%; text-align: center; }
@container (min-width: 640px) { .ex-panes { grid-template-columns: minmax(230px, 2fr) minmax(0, 3fr); } .ex-side { grid-column: 2; } .ex-list { grid-row: span 2; } }
@container (min-width: 1000px) { .ex-panes { grid-template-columns: minmax(240px, 5fr) minmax(0, 7fr) minmax(0, 6fr); } .ex-side { grid-column: 3; } .ex-list { grid-row: auto; } }
@media (prefers-reduced-motion: no-preference) { .ex-spark path { transition: none; } }

"""###
        case "parts/explorer.js": ###"""
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
  const notice = h('p', { class: 'notice warn', role: 'status' });
  const paused = h('div', { class: 'notice between' }, h('span', {}, t('ex.paused')), h('button', { class: 'small', dataset: { do: 'run' }, onclick: () => studio.do('time.run', {}).catch((failure) => studio.say(failureText(failure))) }, t('ex.run')));
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

"""###
        case "parts/happened.js": ###"""
/** Fills its place, and returns a function that ends it. */
export function happened(place, studio) {
  return () => {};
}

"""###
        case "parts/lesson.js": ###"""
import { h } from '../dom.js';

export const lesson = {
  name: 'lesson',
  mount(place, studio) {
    place.append(h('p', {}, 'lesson'));
    return () => {};
  },
};

"""###
        case "parts/maker.js": ###"""
import { h } from '../dom.js';

export const maker = {
  name: 'maker',
  mount(place, studio) {
    place.append(h('p', {}, 'maker'));
    return () => {};
  },
};

"""###
        case "parts/packets.js": ###"""
import { h } from '../dom.js';

export const packets = {
  name: 'packets',
  mount(place, studio) {
    place.append(h('p', {}, 'packets'));
    return () => {};
  },
};

"""###
        case "parts/room.js": ###"""
import { h } from '../dom.js';

export const room = {
  name: 'room',
  mount(place, studio) {
    place.append(h('p', {}, 'room'));
    return () => {};
  },
};

"""###
        case "parts/time.js": ###"""
/** Fills its place, and returns a function that ends it. */
export function timeBar(place, studio) {
  return () => {};
}

"""###
        case "style.css": ###"""
/*
 * The look of the page. One accent; the colours of the layers are the same in all views.
 * Each pair of text and background has a contrast of at least 4.5. A part uses these classes, and keeps its own rules in parts/NAME.css:
 *
 *   row, column, between, grow, toolbar, segmented   places
 *   card, panel, empty, notice (good, warn, bad)     surfaces
 *   primary, quiet, danger, small, icon              buttons
 *   field, hint, error, check, switch                forms
 *   list, item, table, scroll, tree                  lists; aria-selected, aria-current and aria-pressed show the choice
 *   chip, dot, layer, layer-att, meter, kbd          small marks
 *   mono, number, faint, good, warn, bad, name, sr   text
 */
:root {
  color-scheme: light dark;
  --back: light-dark(#f4f5f8, #0e1116); --surface: light-dark(#ffffff, #161a21);
  --raised: light-dark(#f0f2f6, #1f252e); --sunken: light-dark(#fafbfc, #12161c);
  --line: light-dark(#e2e5eb, #2a313c); --strong-line: light-dark(#868f9d, #6d7888);
  --text: light-dark(#1a1f27, #e6eaf0); --faint: light-dark(#5a6473, #9ea9b8);
  --accent: light-dark(#3046c5, #93aaff); --on-accent: light-dark(#ffffff, #0d1330);
  --accent-soft: light-dark(#eaedfc, #232c4d);
  --good: light-dark(#13703c, #6fd394); --good-soft: light-dark(#e4f4ea, #14301f);
  --warn: light-dark(#855300, #efc062); --warn-soft: light-dark(#fcf2dd, #33280f);
  --bad: light-dark(#b3261e, #ff9d94); --bad-soft: light-dark(#fdecea, #3a1b19);
  --adv: light-dark(#8a5a00, #e8bd57); --ll: light-dark(#505a69, #a9b4c3); --l2cap: light-dark(#0b6b7d, #6bcfe3);
  --att: light-dark(#3046c5, #93aaff); --smp: light-dark(#93279f, #e59cf0); --data: light-dark(#13703c, #6fd394);
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  --sans: -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif;
  --radius: 8px; --gap: 12px; --shadow: 0 1px 2px light-dark(#1a1f2712, #0006), 0 6px 20px light-dark(#1a1f2714, #0006);
}
:root[data-theme="light"] { color-scheme: light; }
:root[data-theme="dark"] { color-scheme: dark; }
* { box-sizing: border-box; }
html { font: 14px/1.5 var(--sans); color: var(--text); background: var(--back); -webkit-text-size-adjust: 100%; }
[hidden] { display: none !important; }

/* The frame */
body {
  margin: 0; height: 100vh; height: 100dvh; display: grid;
  grid-template: "top top top" auto "devices main happened" minmax(0, 1fr) "time time time" auto / 216px minmax(0, 1fr) 312px;
}
.top { grid-area: top; display: flex; align-items: center; gap: 6px 16px; padding: 7px 12px 7px 16px; border-bottom: 1px solid var(--line); background: var(--surface); }
.top h1 { font-size: 1rem; font-weight: 650; margin: 0; display: flex; align-items: center; gap: 8px; letter-spacing: -.01em; }
.top h1 svg { width: 20px; height: 20px; color: var(--accent); }
.tabs { display: flex; gap: 2px; flex: 1; overflow-x: auto; scrollbar-width: none; padding: 2px; justify-content: center; }
.tabs a { padding: 5px 13px; border-radius: 999px; color: var(--faint); text-decoration: none; white-space: nowrap; font-weight: 550; }
.tabs a:hover { color: var(--text); background: var(--raised); }
.tabs a[aria-current] { color: var(--accent); background: var(--accent-soft); }
.settings { display: flex; gap: 2px; }
aside { background: var(--surface); display: flex; flex-direction: column; min-height: 0; min-width: 0; }
aside > header { display: flex; align-items: center; gap: 8px; padding: 10px 8px 6px 14px; min-height: 40px; }
aside > header h2, .caption { font-size: .75rem; font-weight: 650; letter-spacing: .05em; text-transform: uppercase; color: var(--faint); margin: 0; }
aside > header h2 { flex: 1; }
aside > .body { overflow: auto; flex: 1; min-height: 0; padding: 0 8px 12px; }
aside .fold { display: none; }
.devices { grid-area: devices; border-right: 1px solid var(--line); }
.happened { grid-area: happened; border-left: 1px solid var(--line); }
main { grid-area: main; overflow: auto; padding: 16px; outline: none; min-width: 0; min-height: 0; }
.time { grid-area: time; border-top: 1px solid var(--line); background: var(--surface); padding: 8px 16px; }

/* Text */
h2, h3, h4 { line-height: 1.25; margin: 0 0 8px; letter-spacing: -.01em; }
h2 { font-size: 1.2rem; } h3 { font-size: 1rem; } h4 { font-size: .93rem; }
p { margin: 0 0 8px; max-width: 72ch; }
a { color: var(--accent); }
.mono, code, pre, kbd, .kbd { font-family: var(--mono); font-size: .9em; }
.mono, .number, time { font-variant-numeric: tabular-nums; }
.number { text-align: right; }
.faint { color: var(--faint); } .good { color: var(--good); } .warn { color: var(--warn); } .bad { color: var(--bad); }
.small-text { font-size: .86rem; }
.name { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; min-width: 0; unicode-bidi: isolate; }
code { background: var(--raised); border-radius: 4px; padding: 1px 5px; overflow-wrap: anywhere; }
pre { background: var(--sunken); border: 1px solid var(--line); border-radius: var(--radius); padding: 10px 12px; margin: 0 0 8px; overflow: auto; line-height: 1.55; }
pre code { background: none; padding: 0; font-size: inherit; overflow-wrap: normal; }
kbd, .kbd { border: 1px solid var(--line); border-bottom-width: 2px; border-radius: 5px; padding: 0 5px; background: var(--raised); white-space: nowrap; }
hr { border: 0; border-top: 1px solid var(--line); margin: 12px 0; }
.sr { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

/* Places */
.row { display: flex; flex-wrap: wrap; align-items: center; gap: 8px; }
.column { display: flex; flex-direction: column; gap: 8px; min-width: 0; }
.between { display: flex; align-items: center; justify-content: space-between; gap: 8px; }
.grow { flex: 1; min-width: 0; }
.toolbar { display: flex; flex-wrap: wrap; align-items: center; gap: 6px; padding: 8px 0; }
.scroll { overflow: auto; min-height: 0; }
.card, .panel { border: 1px solid var(--line); border-radius: 12px; background: var(--surface); padding: 14px 16px; min-width: 0; }
.card > :last-child, .panel > :last-child, .notice > :last-child { margin-bottom: 0; }
.card + .card { margin-top: var(--gap); }
.panel { padding: 0; overflow: hidden; }
.panel > header { display: flex; align-items: center; gap: 8px; padding: 8px 12px; border-bottom: 1px solid var(--line); background: var(--sunken); }
.panel > .body { padding: 12px; }
.empty { display: flex; flex-direction: column; align-items: center; justify-content: center; gap: 10px; text-align: center; padding: 32px 16px; color: var(--faint); }
.empty > :first-child { color: var(--text); font-weight: 600; }
.notice { border-radius: var(--radius); padding: 9px 12px; background: var(--accent-soft); margin: 0 0 8px; }
.notice.good { background: var(--good-soft); } .notice.warn { background: var(--warn-soft); } .notice.bad { background: var(--bad-soft); }

/* Buttons */
button, select, input, textarea { font: inherit; color: inherit; }
button, .button {
  display: inline-flex; align-items: center; justify-content: center; gap: 6px; min-height: 30px; padding: 4px 12px; text-decoration: none; font-weight: 550;
  border: 1px solid var(--line); border-radius: var(--radius); background: var(--surface); color: var(--text); cursor: pointer; white-space: nowrap;
}
button:hover, .button:hover { background: var(--raised); }
button:active { transform: translateY(.5px); }
button.primary { background: var(--accent); color: var(--on-accent); border-color: transparent; }
button.primary:hover { background: color-mix(in srgb, var(--accent) 88%, var(--text)); }
button.quiet { border-color: transparent; background: transparent; }
button.quiet:hover { background: var(--raised); }
button.danger { color: var(--bad); }
button.danger:hover { background: var(--bad-soft); }
button.small { min-height: 26px; padding: 2px 9px; font-size: .86rem; border-radius: 7px; }
button.icon { width: 30px; padding: 0; } button.icon.small { width: 26px; }
button svg { width: 16px; height: 16px; flex: none; }
button[aria-pressed="true"], button[aria-checked="true"] { background: var(--accent-soft); color: var(--accent); border-color: transparent; }
button:disabled, button[aria-disabled="true"] { color: var(--faint); background: transparent; cursor: default; opacity: .75; border-color: var(--line); }
button.quiet:disabled { border-color: transparent; }
.segmented { display: inline-flex; background: var(--raised); border-radius: var(--radius); padding: 2px; gap: 1px; max-width: 100%; overflow-x: auto; scrollbar-width: none; }
.segmented button { border-color: transparent; background: transparent; min-height: 26px; padding: 2px 10px; border-radius: 6px; color: var(--faint); }
.segmented button:hover { color: var(--text); }
.segmented button[aria-pressed="true"], .segmented button[aria-checked="true"], .segmented button[aria-selected="true"] { background: var(--surface); color: var(--accent); box-shadow: 0 0 0 1px var(--line); }

/* Forms */
input:not([type]), input[type="text"], input[type="search"], input[type="number"], input[type="url"], select, textarea {
  min-height: 30px; padding: 4px 9px; border: 1px solid var(--strong-line); border-radius: var(--radius); background: var(--surface); max-width: 100%; min-width: 0;
}
select { padding-right: 4px; }
textarea { line-height: 1.5; resize: vertical; width: 100%; }
textarea.mono, input.mono { font-family: var(--mono); font-size: .93em; }
input[type="number"] { width: 6.5em; text-align: right; }
input[type="checkbox"], input[type="radio"] { width: 16px; height: 16px; margin: 0; accent-color: var(--accent); flex: none; }
input[type="range"] { accent-color: var(--accent); min-width: 0; margin: 0; }
::placeholder { color: var(--faint); opacity: 1; }
[aria-invalid="true"] { border-color: var(--bad) !important; }
.field { display: flex; flex-direction: column; gap: 3px; min-width: 0; }
.field > label, label.field > span:first-child { font-size: .86rem; font-weight: 550; color: var(--faint); }
.hint { font-size: .86rem; color: var(--faint); } .error { font-size: .86rem; color: var(--bad); }
.check, .switch { display: inline-flex; align-items: center; gap: 8px; cursor: pointer; }
.switch input { appearance: none; width: 30px; height: 18px; border-radius: 9px; background: var(--strong-line); position: relative; cursor: pointer; }
.switch input::after { content: ""; position: absolute; left: 2px; top: 2px; width: 14px; height: 14px; border-radius: 50%; background: var(--surface); transition: left .12s; }
.switch input:checked { background: var(--accent); } .switch input:checked::after { left: 14px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.tabs a:focus-visible, .item:focus-visible { outline-offset: -2px; }

/* Lists, tables, trees */
.list { list-style: none; margin: 0; padding: 0; display: flex; flex-direction: column; gap: 1px; }
.item { display: flex; align-items: center; gap: 8px; width: 100%; padding: 6px 8px; border: 0; border-radius: var(--radius); background: transparent; text-align: start; justify-content: flex-start; color: inherit; font-weight: inherit; min-height: 34px; cursor: pointer; }
.item:hover { background: var(--raised); }
.item[aria-selected="true"], .item[aria-current], .item[aria-pressed="true"] { background: var(--accent-soft); color: var(--text); }
.item .name { flex: 1; }
.table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
.table th { position: sticky; top: 0; z-index: 1; background: var(--surface); color: var(--faint); font-size: .8rem; font-weight: 600; text-align: start; white-space: nowrap; }
.table th, .table td { padding: 5px 10px; border-bottom: 1px solid var(--line); vertical-align: baseline; }
.table tbody tr:hover { background: var(--raised); }
.table tr[aria-selected="true"], .table tr[aria-current] { background: var(--accent-soft); }
.table .number { text-align: right; }
.tree, .tree ul { list-style: none; margin: 0; padding: 0; }
.tree ul { margin-left: 10px; padding-left: 12px; border-left: 1px solid var(--line); }
dl.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 3px 14px; margin: 0; }
dl.facts dt { color: var(--faint); } dl.facts dd { margin: 0; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
summary { cursor: pointer; border-radius: 6px; padding: 2px 0; font-weight: 550; }
summary::marker { color: var(--faint); }

/* Small marks */
.chip { display: inline-flex; align-items: center; gap: 5px; padding: 0 8px; border-radius: 999px; background: var(--raised); font-size: .86rem; white-space: nowrap; max-width: 100%; line-height: 1.6; }
.chip.good { background: var(--good-soft); color: var(--good); } .chip.warn { background: var(--warn-soft); color: var(--warn); }
.chip.bad { background: var(--bad-soft); color: var(--bad); } .chip.accent { background: var(--accent-soft); color: var(--accent); }
.dot { width: 9px; height: 9px; border-radius: 50%; background: var(--strong-line); flex: none; display: inline-block; }
.dot.off { background: transparent; box-shadow: inset 0 0 0 1.5px var(--strong-line); }
.dot.advertising, .dot.scanning { background: var(--adv); } .dot.connecting { background: var(--warn); } .dot.connected { background: var(--good); }
.layer { display: inline-flex; align-items: center; gap: 6px; }
.layer::before { content: ""; width: 8px; height: 8px; border-radius: 50%; background: currentColor; flex: none; }
.layer-adv { color: var(--adv); } .layer-ll { color: var(--ll); } .layer-l2cap { color: var(--l2cap); }
.layer-att { color: var(--att); } .layer-smp { color: var(--smp); } .layer-data { color: var(--data); }
progress, meter { accent-color: var(--accent); }
dialog { border: 1px solid var(--line); border-radius: 14px; background: var(--surface); color: var(--text); padding: 18px 20px; width: min(440px, calc(100vw - 24px)); max-height: calc(100dvh - 32px); overflow: auto; box-shadow: var(--shadow); }
dialog::backdrop { background: light-dark(#1a1f2759, #0009); }
dialog .actions { display: flex; flex-wrap: wrap; gap: 8px; justify-content: flex-end; margin-top: 16px; }
.say { position: fixed; left: 50%; bottom: 84px; transform: translateX(-50%); max-width: calc(100vw - 24px); padding: 8px 16px; border-radius: 999px; background: var(--text); color: var(--back); visibility: hidden; z-index: 20; box-shadow: var(--shadow); }
.say.shown { visibility: visible; }
.skip { position: absolute; left: -999px; }
.skip:focus { left: 8px; top: 8px; background: var(--surface); padding: 6px 12px; z-index: 30; border-radius: var(--radius); }

/* A middle width keeps what happens below the view; a narrow one puts everything below each other. */
@media (max-width: 1080px) {
  body { grid-template: "top top" auto "devices main" minmax(0, 1fr) "devices happened" 210px "time time" auto / 200px minmax(0, 1fr); }
  .happened { border-left: 0; border-top: 1px solid var(--line); }
}
@media (max-width: 760px) {
  html { scroll-padding-bottom: 120px; }
  body { display: flex; flex-direction: column; height: auto; min-height: 100dvh; }
  .top { flex-wrap: wrap; padding: 6px 10px; }
  .top h1 { flex: 1; } .tabs { order: 3; flex: 1 0 100%; justify-content: flex-start; }
  .tabs a { padding: 5px 10px; }
  aside, .happened { border: 0; border-bottom: 1px solid var(--line); }
  aside .fold { display: inline-flex; }
  aside > .body { max-height: 46vh; }
  aside[data-folded="true"] > .body { display: none; }
  aside[data-folded="true"] > header { padding-bottom: 10px; }
  main { padding: 12px; overflow: visible; flex: 1 0 auto; }
  .happened { border-top: 1px solid var(--line); }
  .time { position: sticky; bottom: 0; z-index: 5; padding: 6px 10px; }
  button, .item { min-height: 34px; } button.icon { width: 34px; }
}
@media (prefers-reduced-motion: reduce) { *, ::before, ::after { animation: none !important; transition: none !important; scroll-behavior: auto !important; } }

"""###
        case "text.js": ###"""
// Text that views share: names from devices, times, numbers.

import { h } from './dom.js';
import { currentLanguage } from './words.js';

const CONTROL = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;

/** A name or value from a device as one safe line: control characters and marks of direction become visible, and the length is bounded. */
export function plain(text, limit = 40) {
  const whole = String(text ?? '').slice(0, limit * 2 + 2).replace(CONTROL, '\u2423');
  const characters = [...whole];
  return characters.length > limit ? characters.slice(0, limit - 1).join('') + '…' : whole;
}

/** An element with such a name. The isolation keeps a right-to-left name from turning the text around it. */
export function nameElement(text, limit = 40) {
  return h('bdi', { class: 'name', dir: 'auto', title: plain(text, 250) }, plain(text, limit));
}

/** Nanoseconds as seconds, `0.130 152 s`. digits: 3 or 6. */
export function seconds(time, digits = 3) {
  const [whole, part] = (Math.max(0, time) / 1e9).toFixed(digits).split('.');
  return `${whole}.${digits > 3 ? `${part.slice(0, 3)}\u202f${part.slice(3)}` : part} s`;
}

/** A span of nanoseconds with the unit that fits: `150 µs`, `30 ms`, `2 s`. */
export function span(time) {
  for (const [size, unit] of [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs']]) {
    if (time >= size) return `${+(time / size).toPrecision(4)} ${unit}`;
  }
  return `${time} ns`;
}

export function count(number) {
  return new Intl.NumberFormat(currentLanguage() === 'zh' ? 'zh-CN' : 'en').format(number);
}

/** −48 dBm with a minus sign; a dash for an unknown value. */
export function dBm(value) {
  return Number.isFinite(value) ? `${String(Math.round(value)).replace('-', '−')} dBm` : '–';
}

"""###
        case "words.js": ###"""
// The languages of the page. Each part registers its words; t('key', {n: 3}) returns those of the chosen language.

const dictionaries = { en: {}, zh: {} };
const watchers = new Set();

function preferred() {
  // The command's option --language. A later choice of the user replaces it.
  const asked = new URLSearchParams(location.search).get('language');
  if (asked) history.replaceState(history.state, '', location.pathname + location.hash);
  try {
    if (asked === 'en' || asked === 'zh') localStorage.setItem('language', asked);
    const kept = localStorage.getItem('language');
    if (kept === 'en' || kept === 'zh') return kept;
  } catch { /* storage may be blocked */ }
  if (asked === 'en' || asked === 'zh') return asked;
  return navigator.languages?.some((name) => name.startsWith('zh')) ? 'zh' : 'en';
}

let language = preferred();
document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en';

/** words: {en: {key: 'text {n}'}, zh: {...}}. Keys begin with the name of the part: 'room.wall'. */
export function register(words) {
  Object.assign(dictionaries.en, words.en);
  Object.assign(dictionaries.zh, words.zh);
}

/** A text with `||` has a singular and a plural, which n selects: '{n} packet||{n} packets'. */
export function t(key, values = {}) {
  let text = dictionaries[language][key] ?? dictionaries.en[key] ?? key;
  if (text.includes('||')) text = text.split('||')[Number(values.n) === 1 || values.n === '1' ? 0 : 1];
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** Picks from a value with both languages, such as {en: '...', zh: '...'}. */
export function pick(text) {
  return typeof text === 'object' && text !== null ? (text[language] ?? text.en ?? '') : text;
}

export function currentLanguage() { return language; }

export function setLanguage(name) {
  language = name;
  try { localStorage.setItem('language', name); } catch { /* storage may be blocked */ }
  document.documentElement.lang = name === 'zh' ? 'zh-CN' : 'en';
  for (const watcher of watchers) watcher();
}

/** Calls watcher after each change of the language. Returns a function that ends this. */
export function onLanguage(watcher) {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

"""###
        default: nil
        }
    }
}
