// swift-format-ignore-file
// Made by Scripts/generate-studio from the folder Studio; changes made here by hand are lost.

/// The files of the page.
enum StudioPage {
    /// The text of a file; nil for an unknown name.
    static func text(of name: String) -> String? {
        switch name {
        case "app.js": ###"""
// The frame of the page: views, devices on the left, what happens on the right, time at the bottom.

import { Link } from './link.js';
import { fill, h } from './dom.js';
import { currentLanguage, onLanguage, register, setLanguage, t } from './words.js';
import { RoomStore } from './parts/room-store.js';
import { icon } from './parts/room-icons.js';
import { keysDialog, listenForKeys } from './parts/room-keys.js';
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
    'app.time': 'Time', 'app.skip': 'Skip to the content', 'app.back': 'Connected again.', 'app.lost': 'The studio does not answer. Trying again…',
    'app.gone': 'The studio does not answer. If it was started again, open the new link that it printed.',
    'app.refused': 'This link is no longer valid. Open the link that bluelab studio printed last.', 'app.full': 'Too many pages of this studio are open. Close one of them.',
    'app.theme.system': 'Colours: as the system', 'app.theme.light': 'Colours: light', 'app.theme.dark': 'Colours: dark', 'app.keys': 'Keyboard',
  },
  zh: {
    'app.title': '工作室', 'app.room': '房间', 'app.lesson': '课程', 'app.explorer': '浏览', 'app.maker': '制作',
    'app.packets': '数据包', 'app.language': 'English', 'app.views': '视图', 'app.devices': '设备', 'app.happened': '正在发生',
    'app.time': '时间', 'app.skip': '跳到内容', 'app.back': '已重新连接。', 'app.lost': '工作室没有响应，正在重试…',
    'app.gone': '工作室没有响应。如果它已重新启动，请打开它打印的新链接。',
    'app.refused': '此链接已失效。请打开 bluelab studio 最近打印的链接。', 'app.full': '这个工作室打开的页面太多，请关闭一个。',
    'app.theme.system': '配色：跟随系统', 'app.theme.light': '配色：浅色', 'app.theme.dark': '配色：深色', 'app.keys': '键盘',
  },
});

// A view is {name, mount(element, studio)}; mount returns a function that removes it.
const views = [room, lesson, explorer, maker, packets];
const link = new Link();

/**
 * What views get: the link, and what views share. The selection is {kind: 'device' | 'link' | 'wall', id} or null;
 * the highlight is the id of the device that the pointer or the focus names in a list, or null.
 */
const studio = {
  topic: (name, watcher) => link.topic(name, watcher),
  stream: (name, watcher) => link.stream(name, watcher),
  do: (command, args) => link.do(command, args),
  /** Runs a command and says why it failed. Returns the result, or null after a failure. */
  try: (command, args) => link.do(command, args).catch((failure) => { say([failure.text, failure.next].filter(Boolean).join(' ')); return null; }),
  download: (name, args) => link.download(name, args),
  onState: (watcher) => link.onState(watcher),
  show: (name, argument) => { location.hash = argument !== undefined && argument !== '' ? `${name}/${encodeURIComponent(argument)}` : name; },
  argument: () => decodeURIComponent(location.hash.split('/').slice(1).join('/')),
  say,
  announce,
  ...shared('select', 'onSelect', 'selected'),
  ...shared('highlight', 'onHighlight', 'highlighted'),
};
studio.store = new RoomStore(studio);

/** A value that views share, as three functions: set, watch, get. */
function shared(set, watch, get) {
  let value = null;
  const watchers = new Set();
  return {
    [set]: (next) => {
      if (JSON.stringify(next) === JSON.stringify(value)) return;
      value = next;
      for (const watcher of watchers) watcher(value);
    },
    [watch]: (watcher) => { watchers.add(watcher); return () => watchers.delete(watcher); },
    [get]: () => value,
  };
}

let unmount = [];
let unmountView = () => {};
let shown = null;

function currentView() {
  const name = location.hash.slice(1).split('/')[0];
  return views.find((view) => view.name === name) ?? views[0];
}

function build() {
  const focused = document.activeElement?.dataset?.focus;
  unmountView();
  unmountView = () => {};
  for (const end of unmount) end();
  shown = null;
  document.body.dataset.view = currentView().name;
  const main = h('main', { id: 'content', tabindex: '-1' });
  const tabs = h('nav', { class: 'tabs', 'aria-label': t('app.views') },
    views.map((view) => h('a', { href: `#${view.name}`, dataset: { view: view.name } }, t(`app.${view.name}`))));
  const devices = h('aside', { class: 'devices', 'aria-label': t('app.devices') });
  const events = h('aside', { class: 'happened', 'aria-label': t('app.happened') });
  const time = h('section', { class: 'time', 'aria-label': t('app.time') });
  const other = currentLanguage() === 'zh' ? 'en' : 'zh';
  const settings = h('div', { class: 'settings' },
    h('button', { class: 'quiet icon', 'aria-label': t('app.keys'), title: t('app.keys'), onclick: keysDialog }, icon('keyboard')),
    themeButton(),
    h('button', { class: 'quiet language', lang: other === 'zh' ? 'zh-CN' : 'en', dataset: { focus: 'language' }, onclick: () => setLanguage(other) }, t('app.language')));
  fill(document.body,
    h('a', { class: 'skip', href: '#content', onclick: (event) => { event.preventDefault(); main.focus(); } }, t('app.skip')),
    h('header', { class: 'top' }, h('h1', {}, icon('studio'), t('app.title')), tabs, settings),
    devices, main, events, time, h('div', { class: 'say', role: 'status' }), h('div', { class: 'sr announce', 'aria-live': 'polite' }));
  document.title = t('app.title');
  unmount = [deviceList(devices, studio), happened(events, studio), timeBar(time, studio), link.onState(connection), listenForKeys(studio)];
  route();
  if (focused) document.querySelector(`[data-focus="${focused}"]`)?.focus();
}

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
  main.className = '';
  main.scrollTop = 0;
  document.body.dataset.view = view.name;
  unmountView = view.mount(main, studio) ?? (() => {});
}

// The choice of colours: as the system, light or dark.

const THEMES = ['system', 'light', 'dark'];
let theme = 'system';
try { theme = THEMES.find((name) => name === localStorage.getItem('theme')) ?? 'system'; } catch { /* storage may be blocked */ }
applyTheme();

function applyTheme() {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}

function themeButton() {
  const button = h('button', { class: 'quiet icon', onclick: () => {
    theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
    try { localStorage.setItem('theme', theme); } catch { /* storage may be blocked */ }
    applyTheme();
    label();
    dispatchEvent(new Event('themechange'));
  } });
  const label = () => {
    fill(button, icon(theme));
    button.setAttribute('aria-label', t(`app.theme.${theme}`));
    button.title = t(`app.theme.${theme}`);
  };
  label();
  return button;
}

let lostSince = 0;
let lostTimer = 0;
function connection(state) {
  document.body.dataset.link = state;
  if (state === 'refused' || state === 'full') {
    lostSince ||= performance.now();
    clearTimeout(lostTimer);
    say(t(state === 'full' ? 'app.full' : 'app.refused'), true);
  } else if (state === 'lost') {
    if (!lostSince) lostSince = performance.now();
    clearTimeout(lostTimer);
    lostTimer = setTimeout(() => say(t('app.gone'), true), 12000);
    say(t(performance.now() - lostSince > 12000 ? 'app.gone' : 'app.lost'), true);
  } else if (state === 'open' && lostSince) {
    lostSince = 0;
    clearTimeout(lostTimer);
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
  if (!stays) hiding = setTimeout(() => place.classList.remove('shown'), 5000);
}

/** Says a sentence to a screen reader only. */
function announce(text) {
  const place = document.querySelector('.announce');
  if (place) place.textContent = text;
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
<link rel="stylesheet" href="parts/room.css">
<link rel="stylesheet" href="parts/maker.css">
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
      // Not earlier: a view that is built again at once, for example in another language, finds its topics as they were.
      for (const map of [this.#topics, this.#streams]) {
        for (const [name, entry] of map) if (entry.watchers.size === 0) map.delete(name);
      }
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
// The list of devices: state, name and signal of each.

import { fill, h, keyed } from '../dom.js';
import { count, dBm, plain } from '../text.js';
import { register, t } from '../words.js';
import { addDevice, programName } from './room-forms.js';
import { icon } from './room-icons.js';
import { pane } from './room-pane.js';

register({
  en: {
    'devices.title': 'Devices', 'devices.new': 'New device', 'devices.none': 'No device yet.', 'devices.teach': 'A wristband advertises its pulse; a phone finds it.',
    'devices.wristband': 'Run the wristband', 'devices.off': 'off', 'devices.list': 'Devices of the room', 'devices.wait': 'Waiting for the studio…',
    'state.off': 'switched off', 'state.idle': 'idle', 'state.advertising': 'advertising', 'state.scanning': 'scanning', 'state.connecting': 'connecting', 'state.connected': 'connected',
  },
  zh: {
    'devices.title': '设备', 'devices.new': '新设备', 'devices.none': '还没有设备。', 'devices.teach': '手环广播它的心率，手机会发现它。',
    'devices.wristband': '运行手环', 'devices.off': '关', 'devices.list': '房间里的设备', 'devices.wait': '正在等待工作室…',
    'state.off': '已关闭', 'state.idle': '空闲', 'state.advertising': '正在广播', 'state.scanning': '正在扫描', 'state.connecting': '正在连接', 'state.connected': '已连接',
  },
});

/** Adds the phone and the wristband, as far as the room has such programs, and runs. */
async function runWristband(studio) {
  const { room } = studio.store;
  if (room.scenes?.length) await studio.try('room.scene', { scene: room.scenes[0] });
  if (studio.store.room.devices.length === 0) {
    for (const [kinds, x] of [[['phone'], 1], [['wearable', 'sensor'], 4]]) {
      const program = room.programs.find((program) => kinds.includes(program.kind));
      if (program) await studio.try('room.add', { program: program.id, name: programName(program), x, y: 2 });
    }
  }
  await studio.try('time.run');
}

/** Fills its place, and returns a function that ends it. */
export function deviceList(place, studio) {
  const { store } = studio;
  const add = h('button', { class: 'quiet icon small', 'aria-label': t('devices.new'), title: t('devices.new'), onclick: () => addDevice(studio) }, icon('plus'));
  const { body, count: total } = pane(place, t('devices.title'), matchMedia('(max-width: 760px)').matches && document.body.dataset.view !== 'room', add);
  const list = h('ul', { class: 'list', 'aria-label': t('devices.list') });
  const empty = h('div', { class: 'empty' });
  fill(body, list, empty, h('button', { class: 'quiet small grow-button', onclick: () => addDevice(studio) }, icon('plus'), t('devices.new')));
  let emptyKind = null;

  function make(device) {
    const { id } = device;
    return h('li', {}, h('button', {
      class: 'item', dataset: { focus: `list-${id}` },
      onclick: () => studio.select(studio.selected()?.id === id ? null : { kind: 'device', id }),
      onpointerenter: () => studio.highlight(id), onpointerleave: () => studio.highlight(null),
      onfocus: () => studio.highlight(id), onblur: () => studio.highlight(null),
    }, h('span', { class: 'dot' }), h('bdi', { class: 'name', dir: 'auto' }), h('span', { class: 'sr state' }), h('span', { class: 'faint number small-text signal' })));
  }

  function update(element, device) {
    const [button] = element.children;
    const [dot, name, state, signal] = button.children;
    set(dot, 'className', `dot ${device.state}`);
    set(name, 'textContent', plain(device.name));
    set(state, 'textContent', `, ${t(`state.${device.state}`)}`);
    set(signal, 'textContent', device.isOn ? (Number.isFinite(store.signal(device.id)) ? dBm(store.signal(device.id)) : '') : t('devices.off'));
    const pressed = String(studio.selected()?.kind === 'device' && studio.selected().id === device.id);
    if (button.getAttribute('aria-pressed') !== pressed) button.setAttribute('aria-pressed', pressed);
  }

  let timer = 0;
  let last = 0;
  function draw() {
    timer = 0;
    last = performance.now();
    const { room } = store;
    keyed(list, room?.devices ?? [], (device) => device.id, make, update);
    total.textContent = room?.devices.length ? count(room.devices.length) : '';
    const kind = room === null ? 'wait' : room.devices.length === 0 ? 'none' : 'some';
    add.disabled = room === null;
    if (kind === emptyKind) return;
    emptyKind = kind;
    empty.hidden = kind === 'some';
    list.hidden = kind !== 'some';
    body.lastElementChild.hidden = kind === 'wait';
    if (kind === 'wait') fill(empty, h('p', {}, t('devices.wait')));
    if (kind === 'none') {
      fill(empty, h('p', {}, t('devices.none')), h('p', {}, t('devices.teach')),
        h('button', { class: 'primary', onclick: () => runWristband(studio) }, icon('run'), t('devices.wristband')));
    }
  }
  // The signal changes with each packet; ten times a second is enough for an eye.
  const soon = () => { if (!timer) timer = setTimeout(draw, Math.max(0, last + 100 - performance.now())); };
  draw();
  const ends = [store.watch('room', soon), store.packets.watch(soon), studio.onSelect(soon), () => clearTimeout(timer)];
  return () => { for (const end of ends) end(); };
}

function set(element, property, value) {
  if (element[property] !== value) element[property] = value;
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
        // The advertisement is what there is to see before a connection.
        advBox.open = Boolean(device) && !opened.some((open) => open.id === device);
      }
      tabs.hidden = opened.length === 0;
      keyed(tabs, opened, (open) => open.id, makeTab, updateTab);
      const open = opened.find((one) => one.id === device);
      const row = context.row(device);
      const isKnown = Boolean(open ?? row);
      empty.hidden = isKnown;
      body.hidden = !isKnown;
      if (!isKnown) return;
      const link = open?.link ?? 'disconnected';
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
      set(busy, 'textContent', open?.isDiscovering ? t('ex.discovering') : '');
      keyed(tree, open?.services ?? [], (service) => service.id, makeService, updateService);
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
  const total = h('span', { class: 'faint small-text number grow' });
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
    const block = h('div', { class: 'ex-structures' }, h('h4', {}, title, ' ', h('span', { class: 'faint' }, t(octets.length === 1 ? 'ex.octet' : 'ex.octets', { n: octets.length }))), cells, list);
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
    'ex.state.poweredOff': 'Bluetooth is off. Turn it on: rfkill unblock bluetooth.', 'ex.state.roomOff': 'This phone is off. Turn it on in the room.', 'ex.state.wait': 'The phone starts when time runs.',
    'ex.run': 'Run time', 'ex.paused': 'Time stands still: nothing arrives until it runs.',
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
    'ex.state.poweredOff': '蓝牙已关闭。请打开：rfkill unblock bluetooth。', 'ex.state.roomOff': '这部手机已关闭。请在房间里打开它。', 'ex.state.wait': '时间运行后，手机才会启动。',
    'ex.run': '运行时间', 'ex.paused': '时间静止：运行之前不会收到任何数据。',
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
.ex-rssi { white-space: nowrap; }
.ex-spark { width: 60px; height: 18px; color: var(--adv); flex: none; }
.ex-tabs { margin-bottom: 8px; }
.ex-device h2, .ex-value h2 { margin: 0; outline-offset: 2px; } .ex-device h2 { max-width: 100%; }
.ex-advbox { margin: 4px 0 10px; } .ex-adv { padding-top: 6px; }
.ex-octets { display: flex; flex-wrap: wrap; gap: 2px 0; padding: 6px; margin-bottom: 4px; }
.ex-octets span { padding: 1px 4px; border-radius: 3px; } .ex-octets [data-role="length"], .ex-octets [data-role="type"] { color: var(--adv); }
.ex-octets .lit { background: var(--accent); color: var(--on-accent); } .item.lit { background: var(--accent-soft); }
.ex-structures .item .name { white-space: normal; overflow-wrap: anywhere; } .ex-structures h4 { margin-top: 10px; }
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
    const root = h('div', { class: 'ex' });
    place.append(root);

    function show(explorers) {
      const wanted = studio.argument();
      const current = explorers.find((one) => one.id === wanted) ?? explorers.find((one) => one.id === chosen) ?? explorers[0] ?? null;
      const key = JSON.stringify([current?.id, explorers.map((one) => [one.id, one.name])]);
      if (key === shown) return;
      shown = key;
      unmount();
      unmount = current ? mountExplorer(root, studio, current, explorers, () => time) : mountEmpty(root, studio);
      chosen = current?.id ?? chosen;
    }
    ends.push(studio.topic('explorers', show), studio.topic('time', (value) => { time = value; }));
    return () => { for (const end of ends) end(); unmount(); };
  },
};

function mountEmpty(root, studio) {
  const add = async () => {
    try {
      const { id } = await studio.do('room.add', { program: 'explorer', name: t('ex.phone'), x: 1, y: 1 });
      chosen = id;
    } catch (failure) { studio.say(failureText(failure)); }
  };
  fill(root, h('div', { class: 'empty' }, h('p', {}, t('ex.empty')), h('p', {}, t('ex.empty.hint')), h('button', { class: 'primary', dataset: { do: 'addPhone' }, onclick: add }, t('ex.empty.add'))));
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
// What happens: the calls and callbacks of the programs, with the packets between them.

import { fill, h } from '../dom.js';
import { count, plain, seconds } from '../text.js';
import { pick, register, t } from '../words.js';
import { pane } from './room-pane.js';

register({
  en: {
    'happened.title': 'What happens', 'happened.none': 'Nothing has happened yet.', 'happened.teach': 'Calls and callbacks of the programs appear here, with the packets between them.',
    'happened.packets': '{n} packet||{n} packets', 'happened.about': 'about {n} packets', 'happened.all': 'All in the packet list', 'happened.earlier': 'Show earlier ({n})',
    'happened.call': 'call', 'happened.callback': 'callback', 'happened.note': 'note', 'happened.error': 'error', 'happened.latest': 'Latest', 'happened.step': 'Step {n}',
    'happened.gone': 'Not kept in the page: the packet list has them.',
  },
  zh: {
    'happened.title': '正在发生', 'happened.none': '还没有发生任何事。', 'happened.teach': '程序的调用和回调会显示在这里，它们之间的数据包也在这里。',
    'happened.packets': '{n} 个数据包', 'happened.about': '约 {n} 个数据包', 'happened.all': '在数据包列表中查看全部', 'happened.earlier': '显示更早的（{n}）',
    'happened.call': '调用', 'happened.callback': '回调', 'happened.note': '说明', 'happened.error': '错误', 'happened.latest': '最新', 'happened.step': '第 {n} 步',
    'happened.gone': '页面没有保留这些数据包，请查看数据包列表。',
  },
});

const ROWS = 150;       // rows in the document
const OPENED = 100;     // packets of an opened fold
const open = new Set(); // folds that are open, by the number of the event after them

/** The packets that ended in (from, to], as {first, last, n, isExact}; positions are those of the page's own list. */
function between(packets, from, to) {
  const first = position(packets, from);
  const end = position(packets, to);
  if (end <= first) return { first, end, n: 0, isExact: true };
  const n = packets[end - 1].n - packets[first].n + 1;
  const isWhole = n === end - first && (first === 0 ? packets[0].n === 0 : packets[first - 1].n === packets[first].n - 1);
  return { first, end, n, isExact: isWhole };
}

/** The position of the first packet that ends after a moment. */
function position(packets, time) {
  let low = 0;
  let high = packets.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (packets[middle].start + packets[middle].duration > time) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Fills its place, and returns a function that ends it. */
export function happened(place, studio) {
  const { events, packets } = studio.store;
  const { body, count: total } = pane(place, t('happened.title'), matchMedia('(max-width: 760px)').matches);
  const list = h('ol', { class: 'list log', 'aria-label': t('happened.title') });
  const empty = h('div', { class: 'empty' }, h('p', {}, t('happened.none')), h('p', {}, t('happened.teach')));
  const earlier = h('button', { class: 'quiet small earlier', hidden: true, onclick: () => { shown += ROWS * 2; isStale = true; soon(); } });
  const tail = h('li', { class: 'gap' });
  const latest = h('button', { class: 'small latest', hidden: true, onclick: () => { follows = true; body.scrollTop = body.scrollHeight; } }, t('happened.latest'));
  list.append(tail);
  fill(body, empty, earlier, list, latest);

  let shown = ROWS;
  let follows = true;
  let isStale = true;
  let timer = 0;
  let last = 0;
  let rows = []; // {event, element, gap, isSettled}
  body.addEventListener('scroll', () => {
    follows = body.scrollTop + body.clientHeight > body.scrollHeight - 40;
    latest.hidden = follows;
  }, { passive: true });

  function row(event, before) {
    const gap = h('div', { class: 'gap' });
    const device = studio.store.device(event.device);
    const element = h('li', { dataset: { key: event.n } }, gap, h('button', {
      class: `item event ${event.kind}`, onclick: () => studio.select({ kind: 'device', id: event.device }),
      onpointerenter: () => studio.highlight(event.device), onpointerleave: () => studio.highlight(null),
      onfocus: () => studio.highlight(event.device), onblur: () => studio.highlight(null),
    },
    h('span', { class: 'number mono step', title: event.step ? t('happened.step', { n: event.step }) : null }, event.step ? String(event.step).padStart(2, '0') : event.kind === 'error' ? '!' : '·'),
    h('span', { class: 'grow' },
      h('span', { class: 'text', dir: 'auto' }, plain(pick(event.text), 240)),
      event.swift ? h('code', { class: 'swift' }, plain(event.swift, 160)) : null,
      h('span', { class: 'faint where' }, h('bdi', { dir: 'auto' }, plain(device?.name ?? '', 24)), ` · ${t(`happened.${event.kind}`)} · `, h('time', {}, seconds(event.time, event.time % 1e6 ? 6 : 3))))));
    return { event, element, gap, from: before?.time ?? -1, isSettled: false, text: '' };
  }

  /** The fold of the packets in (from, to]. */
  function drawGap(place, key, from, to) {
    const found = between(packets.items, from, to);
    const isOpen = open.has(key);
    const text = found.n === 0 ? '' : t(found.isExact ? 'happened.packets' : 'happened.about', { n: count(found.n) });
    const state = `${text} ${isOpen} ${isOpen ? packets.items[found.end - 1]?.n : ''}`;
    if (place.dataset.state === state) return;
    place.dataset.state = state;
    let fold = place.querySelector(':scope > button');
    if (found.n === 0) return fill(place);
    if (!fold) {
      fold = h('button', { class: 'quiet small fold-packets', onclick: () => {
        if (open.has(key)) open.delete(key); else open.add(key);
        isStale = true;
        soon();
      } }, h('span', { class: 'mark', 'aria-hidden': 'true' }, '▸'), h('span', {}));
      fill(place, fold);
    }
    fold.lastElementChild.textContent = text;
    fold.setAttribute('aria-expanded', String(isOpen));
    fold.nextElementSibling?.remove();
    if (!isOpen) return undefined;
    const kept = packets.items.slice(Math.max(found.first, found.end - OPENED), found.end);
    place.append(h('ul', { class: 'list packets' }, kept.map((packet) => h('li', {}, h('button', {
      class: `item layer-${packet.layer}`, onclick: () => studio.show('packets', packet.n),
      onpointerenter: () => studio.highlight(packet.sender), onpointerleave: () => studio.highlight(null),
    }, h('span', { class: 'layer' }), h('span', { class: 'name' }, plain(packet.name)),
    h('bdi', { class: 'faint small-text name', dir: 'auto' }, plain(studio.store.device(packet.sender)?.name ?? '', 20))))),
    found.n > kept.length ? h('li', {}, h('button', { class: 'quiet small', onclick: () => studio.show('packets', packets.items[found.first].n) }, t('happened.all'))) : null));
    return undefined;
  }

  function draw() {
    timer = 0;
    last = performance.now();
    const items = events.items;
    const from = Math.max(0, items.length - shown);
    const wanted = items.slice(from);
    // Rows that a step back dropped, and rows that left the window.
    const stays = new Set(wanted);
    rows = rows.filter((row) => stays.has(row.event) || row.element.remove());
    const known = rows.length ? rows[rows.length - 1].event.n : -1;
    const firstKnown = rows[0]?.event.n ?? Infinity;
    const older = [];
    wanted.forEach((event, index) => {
      const before = items[from + index - 1];
      if (event.n < firstKnown && known >= 0) older.push(row(event, before));
      else if (event.n > known) {
        const made = row(event, before);
        rows.push(made);
        list.insertBefore(made.element, tail);
      }
    });
    for (const made of older.reverse()) { list.prepend(made.element); rows.unshift(made); }
    const settled = packets.items.length ? packets.items[packets.items.length - 1].start : 0;
    for (const each of rows) {
      if (each.isSettled && !isStale) continue;
      drawGap(each.gap, each.event.n, each.from, each.event.time);
      each.isSettled = settled > each.event.time;
    }
    drawGap(tail, 'tail', items.length ? items[items.length - 1].time : -1, Infinity);
    isStale = false;
    empty.hidden = items.length > 0 || packets.items.length > 0;
    earlier.hidden = from === 0;
    earlier.textContent = t('happened.earlier', { n: count(from) });
    total.textContent = items.length ? count(items[items.length - 1].n + 1) : '';
    if (follows) body.scrollTop = body.scrollHeight;
  }
  const soon = () => { if (!timer) timer = setTimeout(draw, Math.max(0, last + 100 - performance.now())); };
  const reset = (items, from) => { if (from !== undefined && from !== null) isStale = true; soon(); };
  draw();
  const ends = [events.watch(reset), packets.watch(reset), () => clearTimeout(timer)];
  return () => { for (const end of ends) end(); };
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
        case "parts/maker-form.js": ###"""
// The form of a profile. It edits the tree in place; the server checks the tree, and its problems appear at the fields of their paths.

import { fill, h, s } from '../dom.js';
import { plain } from '../text.js';
import { t } from '../words.js';
import * as model from './maker-model.js';
import { problemText } from './maker-words.js';

export class MakerForm {
  /** edited() is called after each change of the tree. */
  constructor(edited) {
    this.edited = edited;
    this.tree = model.blank();
    this.services = [];
    this.folds = new Map();
    this.lists = h('div', { hidden: true });
    this.body = h('div', { class: 'column' });
    this.element = h('div', { class: 'maker-form', dataset: { path: '' } }, this.lists, this.body);
  }

  /** The names of the SIG, for suggestions: {services, characteristics, descriptors} with [UUID, name] pairs. */
  setNames(names) {
    this.names = names;
    fill(this.lists, Object.entries(names).map(([table, entries]) => h('datalist', { id: `maker-${table}` },
      entries.map(([uuid, name]) => h('option', { value: name }, uuid)))));
  }

  /** Shows another tree. */
  show(tree, services = []) {
    this.tree = tree;
    this.services = services;
    this.draw();
  }

  /** Shows what the server says about the present tree. Keeps the fields. */
  update(services, problems) {
    if (services.length) this.services = services;
    for (const refresh of this.refreshers) refresh();
    for (const place of this.element.querySelectorAll('.error')) { place.hidden = true; place.textContent = ''; }
    for (const field of this.element.querySelectorAll('[aria-invalid]')) field.removeAttribute('aria-invalid');
    for (const problem of problems) this.#mark(problem);
  }

  #mark({ path, text }) {
    // The problem of a missing key belongs to its field.
    const key = /^expected the key "([\w-]+)"/.exec(text)?.[1];
    if (key) path = [...path, key];
    for (let length = path.length; length >= 0; length -= 1) {
      const place = this.element.querySelector(`[data-path="${CSS.escape(path.slice(0, length).join('/'))}"]`);
      if (!place) continue;
      const error = place.querySelector(':scope > .error') ?? place.appendChild(h('p', { class: 'error' }));
      error.hidden = false;
      error.textContent = [error.textContent, problemText(text)].filter(Boolean).join(' ');
      place.querySelector(':scope > input, :scope > select, :scope > .row > input')?.setAttribute('aria-invalid', 'true');
      for (let fold = place.closest('details'); fold; fold = fold.parentElement.closest('details')) fold.open = true;
      return;
    }
  }

  // The parts of the form

  draw() {
    const focused = this.element.contains(document.activeElement) ? document.activeElement : null;
    const [key, start, end] = [focused?.dataset.field, focused?.selectionStart, focused?.selectionEnd];
    this.refreshers = [];
    fill(this.body, this.#device(), this.#services());
    for (const refresh of this.refreshers) refresh();
    if (key === undefined) return;
    const again = this.element.querySelector(`[data-field="${CSS.escape(key)}"]`);
    again?.focus();
    if (again?.type === 'text' && start !== null) again.setSelectionRange(start, end);
  }

  #set(path, value, redraws = false) {
    model.write(this.tree, path, value);
    this.#changed(redraws);
  }

  #changed(redraws) {
    if (redraws) this.draw();
    this.edited();
  }

  #field(path, label, input, { hint, after } = {}) {
    const id = `maker-${path.join('-')}`;
    input.id = id;
    input.dataset.field = path.join('/');
    return h('div', { class: 'field', dataset: { path: path.join('/') } }, h('label', { for: id }, label),
      after ? h('div', { class: 'row' }, input, after) : input, hint ? h('p', { class: 'hint' }, hint) : null, h('p', { class: 'error', hidden: true }));
  }

  #text(path, label, options = {}) {
    const value = options.value ?? model.read(this.tree, path) ?? '';
    const shown = Array.isArray(value) ? value.join(', ') : String(value);
    const change = options.change ?? ((text) => this.#set(path, options.isList ? model.split(text) : text));
    return this.#field(path, label, h('input', {
      type: 'text', value: shown, class: options.mono ? 'mono' : null, list: options.list, placeholder: options.placeholder, dir: 'auto',
      autocomplete: 'off', spellcheck: 'false', maxlength: 4000, oninput: (event) => change(event.target.value),
    }), options);
  }

  #select(path, label, choices, value, change) {
    return this.#field(path, label, h('select', { onchange: (event) => change(event.target.value) },
      choices.map(([key, text]) => h('option', { value: key, selected: key === value }, text))));
  }

  #check(field, label, isOn, change) {
    return h('label', { class: 'check' }, h('input', { type: 'checkbox', checked: isOn, dataset: { field }, onchange: (event) => change(event.target.checked) }), label);
  }

  #button(text, click, options = {}) {
    return h('button', { type: 'button', class: `small ${options.class ?? ''}`, dataset: { field: options.field }, 'aria-label': options.label, onclick: click }, text);
  }

  #removal(name, remove, field) {
    return this.#button(t('maker.remove'), remove, { class: 'quiet danger', label: t('maker.remove.of', { name }), field });
  }

  #fold(key, isOpen, summary, ...content) {
    const open = this.folds.get(key) ?? isOpen;
    return h('details', { open, ontoggle: (event) => this.folds.set(key, event.target.open) }, h('summary', {}, summary), ...content);
  }

  #device() {
    const advertising = this.tree.advertising ?? {};
    const own = (this.tree.services ?? []).flatMap((service, index) => [service.uuid, this.services[index]?.uuid]);
    const extra = (advertising.services ?? []).filter((uuid) => !own.includes(uuid));
    const data = advertising['service-data'] ?? [];
    const addExtra = h('input', { type: 'text', list: 'maker-services', 'aria-label': t('maker.extra'), dataset: { field: 'extra' }, autocomplete: 'off' });
    return h('section', { class: 'card', dataset: { path: 'advertising' } }, h('h3', {}, t('maker.device')),
      h('div', { class: 'fields' },
        this.#text(['advertising', 'name'], t('maker.name'), { hint: t('maker.name.hint') }),
        this.#text(['summary'], t('maker.summary'))),
      this.#fold('data', Boolean(advertising.manufacturer || data.length || extra.length), t('maker.data'),
        h('fieldset', {}, h('legend', {}, t('maker.manufacturer')), h('div', { class: 'fields' },
          this.#text(['advertising', 'manufacturer', 'company'], t('maker.company'), { mono: true, placeholder: '0xFFFF', hint: t('maker.company.hint') }),
          this.#text(['advertising', 'manufacturer', 'data'], t('maker.hex'), { mono: true, placeholder: '01 02' }))),
        h('fieldset', {}, h('legend', {}, t('maker.serviceData')), data.map((_, index) => h('div', { class: 'fields' },
          this.#text(['advertising', 'service-data', index, 'service'], t('maker.service'), { list: 'maker-services' }),
          this.#text(['advertising', 'service-data', index, 'data'], t('maker.hex'), { mono: true, placeholder: '01 02' }),
          this.#removal(`${t('maker.serviceData')} ${index + 1}`, () => this.#set(['advertising', 'service-data'], data.filter((_each, at) => at !== index), true)))),
        this.#button(t('maker.add'), () => this.#set(['advertising', 'service-data'], [...data, { service: '', data: '' }], true), { field: 'add-data', label: `${t('maker.add')}: ${t('maker.serviceData')}` })),
        h('fieldset', { dataset: { path: 'advertising/services' } }, h('legend', {}, t('maker.extra')),
          h('div', { class: 'row' }, extra.map((uuid) => h('span', { class: 'chip' }, plain(uuid),
            this.#removal(plain(uuid), () => this.#set(['advertising', 'services'], advertising.services.filter((each) => each !== uuid), true))))),
          h('div', { class: 'row' }, addExtra, this.#button(t('maker.add'), () => {
            const uuid = addExtra.value.trim();
            if (uuid) this.#set(['advertising', 'services'], [...(advertising.services ?? []), uuid], true);
          }, { field: 'add-extra', label: `${t('maker.add')}: ${t('maker.extra')}` })), h('p', { class: 'error', hidden: true }))));
  }

  #services() {
    const services = this.tree.services ?? [];
    return h('section', { class: 'column', dataset: { path: 'services' } }, h('h3', {}, t('maker.services')),
      services.length ? null : h('p', { class: 'faint' }, t('maker.none')),
      services.map((service, index) => this.#service(service, index)),
      h('div', {}, this.#button(t('maker.add.service'), () => {
        this.folds.delete(`s${services.length}`);
        this.#set(['services'], [...services, { uuid: services.length ? model.randomUUID() : 'Heart Rate', characteristics: [] }], true);
        this.#focus(`services/${services.length}/uuid`);
      }, { field: 'add-service' })));
  }

  #focus(field) {
    const input = this.element.querySelector(`[data-field="${CSS.escape(field)}"]`);
    input?.focus();
    input?.select?.();
  }

  #uuid(path, table, change = (uuid, redraws) => this.#set([...path, 'uuid'], uuid, redraws)) {
    return this.#text([...path, 'uuid'], t('maker.uuid'), { list: `maker-${table}`, hint: t('maker.uuid.hint'), change,
      after: table === 'descriptors' ? null : this.#button(t('maker.random'), () => change(model.randomUUID(), true), { field: `${path.join('/')}/random` }) });
  }

  /** The name of the SIG, else the UUID. */
  #title(place, described, uuid, fallback) {
    this.refreshers.push(() => { place.textContent = plain(described()?.name ?? uuid() ?? '', 44) || fallback; });
    return place;
  }

  #service(service, index) {
    const path = ['services', index];
    const described = () => this.services[index];
    const characteristics = service.characteristics ?? [];
    const advertised = this.tree.advertising?.services ?? [];
    const isAdvertised = (uuid) => uuid === service.uuid || uuid === described()?.uuid;
    const others = this.tree.services.slice(0, index);
    const title = this.#title(h('bdi', {}), described, () => service.uuid, t('maker.service'));
    return h('div', { class: 'card maker-service', dataset: { path: path.join('/') } }, this.#fold(`s${index}`, true, h('h4', {}, title),
      this.#uuid(path, 'services', (uuid, redraws) => {
        // The advertisement keeps the service.
        const list = this.tree.advertising?.services ?? [];
        if (uuid && list.some(isAdvertised)) this.tree.advertising.services = list.map((each) => (isAdvertised(each) ? uuid : each));
        if (described()) described().uuid = uuid;
        this.#set([...path, 'uuid'], uuid, redraws);
      }),
      h('div', { class: 'row' },
        this.#check(`${path.join('/')}/advertise`, t('maker.advertise'), advertised.some(isAdvertised), (isOn) => this.#set(['advertising', 'services'],
          isOn ? [...advertised, service.uuid] : advertised.filter((uuid) => !isAdvertised(uuid)))),
        this.#check(`${path.join('/')}/primary`, t('maker.primary'), service.primary !== 'false', (isOn) => this.#set([...path, 'primary'], isOn ? undefined : 'false')),
        h('span', { class: 'grow' }),
        this.#removal(plain(service.uuid || t('maker.service')), () => {
          this.services = this.services.filter((_, at) => at !== index);
          if (advertised.some(isAdvertised)) model.write(this.tree, ['advertising', 'services'], advertised.filter((uuid) => !isAdvertised(uuid)));
          this.#set(['services'], this.tree.services.filter((_, at) => at !== index), true);
        })),
      others.length ? h('fieldset', { dataset: { path: [...path, 'includes'].join('/') } }, h('legend', {}, t('maker.includes')), h('div', { class: 'row' }, others.map((other, at) => {
        const uuid = this.services[at]?.uuid ?? other.uuid;
        const all = [service.includes ?? []].flat();
        return this.#check(`${path.join('/')}/includes/${at}`, plain(this.services[at]?.name ?? other.uuid), all.includes(uuid), (isOn) => this.#set([...path, 'includes'],
          isOn ? [...all, uuid] : all.filter((each) => each !== uuid)));
      }))) : null,
      characteristics.map((characteristic, at) => this.#characteristic(characteristic, index, at)),
      this.#button(t('maker.add.characteristic'), () => {
        this.folds.set(`c${index}/${characteristics.length}`, true);
        this.#set([...path, 'characteristics'], [...characteristics, { uuid: model.randomUUID(), properties: ['read'], format: 'u8', value: '0' }], true);
        this.#focus([...path, 'characteristics', characteristics.length, 'uuid'].join('/'));
      }, { field: `${path.join('/')}/add` })));
  }

  #characteristic(characteristic, serviceIndex, index) {
    const path = ['services', serviceIndex, 'characteristics', index];
    const described = () => this.services[serviceIndex]?.characteristics[index];
    const key = path.join('/');
    const properties = characteristic.properties ?? [];
    const title = this.#title(h('bdi', {}), described, () => characteristic.uuid, t('maker.characteristic'));
    const operations = Object.entries(model.OPERATIONS).filter(([, names]) => names.some((name) => properties.includes(name)));
    const facts = h('span', { class: 'faint small-text' });
    this.refreshers.push(() => { facts.textContent = ` ${properties.map((name) => t(`maker.p.${name}`)).join(' · ')}`; });
    return h('div', { class: 'maker-characteristic', dataset: { path: key } }, this.#fold(`c${serviceIndex}/${index}`, false, [title, facts],
      this.#uuid(path, 'characteristics'),
      h('fieldset', { dataset: { path: `${key}/properties` } }, h('legend', {}, t('maker.properties')), h('div', { class: 'row' }, model.PROPERTIES.map((property) =>
        this.#check(`${key}/${property}`, t(`maker.p.${property}`), properties.includes(property), (isOn) => { model.setProperty(characteristic, property, isOn); this.#changed(true); }))),
      h('p', { class: 'error', hidden: true })),
      operations.length ? h('fieldset', {}, h('legend', {}, t('maker.security')), h('div', { class: 'row' }, operations.map(([operation]) =>
        this.#check(`${key}/security/${operation}`, t(`maker.s.${operation}`), model.isSecure(characteristic, operation), (isOn) => { model.setSecurity(characteristic, operation, isOn); this.#changed(false); })))) : null,
      this.#value(characteristic, path, described),
      this.#rules(characteristic, path, operations.map(([operation]) => operation)),
      this.#descriptors(characteristic, path),
      h('div', { class: 'row' }, h('span', { class: 'grow' }), this.#removal(plain(characteristic.uuid || t('maker.characteristic')), () => {
        this.services[serviceIndex]?.characteristics.splice(index, 1);
        this.#set(path.slice(0, -1), model.read(this.tree, path.slice(0, -1)).filter((_, at) => at !== index), true);
      }))));
  }

  #value(characteristic, path, described) {
    const kind = model.kindOf(characteristic.value);
    const at = (...keys) => [...path, 'value', ...keys];
    const number = (name, label, options) => this.#text(at(kind, name), label, { mono: true, ...options });
    const every = () => number('every', t('maker.every'), { placeholder: '1 s' });
    const bounds = () => [number('minimum', t('maker.minimum')), number('maximum', t('maker.maximum'))];
    const fields = {
      constant: () => [this.#text([...path, 'value'], t('maker.value'), { value: model.constantOf(characteristic.value), mono: true,
        placeholder: { hex: '01 ff', utf8: 'text', base64: 'AQI=' }[characteristic.format ?? 'hex'] ?? '0' })],
      counter: () => [...bounds(), number('step', t('maker.step'), { placeholder: '1' }), every()],
      sine: () => [...bounds(), number('period', t('maker.period'), { placeholder: '10 s' })],
      'random-walk': () => [...bounds(), number('start', t('maker.begin')), number('step', t('maker.step'), { placeholder: '1' }), every(), number('seed', t('maker.seed'), { placeholder: '1' })],
      replay: () => [number('values', t('maker.values'), { isList: true, hint: t('maker.values.hint') }), every(),
        this.#check(`${path.join('/')}/repeat`, t('maker.repeat'), characteristic.value.replay.repeat !== 'false', (isOn) => this.#set(at('replay', 'repeat'), isOn ? undefined : 'false'))],
      clock: () => [this.#select(at('clock'), t('maker.clock'), model.CLOCKS.map((name) => [name, name]), characteristic.value.clock, (name) => this.#set(at('clock'), name))],
    }[kind]();
    const isNumber = ['counter', 'sine', 'random-walk'].includes(kind);
    const notifies = (characteristic.properties ?? []).some((name) => name === 'notify' || name === 'indicate');
    const known = model.FORMATS.includes(characteristic.format ?? 'hex') ? model.FORMATS : [...model.FORMATS, characteristic.format];
    const preview = h('div', { class: 'maker-preview' });
    this.refreshers.push(() => fill(preview, ...previewOf(described())));
    return h('fieldset', {}, h('legend', {}, t('maker.value')), h('div', { class: 'fields', dataset: { path: kind === 'constant' ? 'none' : at().join('/') } },
      this.#select([...path, 'kind'], t('maker.kind'), model.SOURCES.map((name) => [name, t(`maker.k.${name}`)]), kind, (name) => { model.setKind(characteristic, name); this.#changed(true); }),
      kind === 'clock' ? null : this.#select([...path, 'format'], t('maker.format'), known.map((name) => [name, name]), characteristic.format ?? 'hex', (name) => this.#set([...path, 'format'], name === 'hex' ? '' : name, true)),
      fields,
      isNumber ? [this.#text(at('factor'), t('maker.factor'), { mono: true, placeholder: '1' }), this.#text(at('prefix'), t('maker.prefix'), { mono: true, placeholder: '00' }), this.#text(at('suffix'), t('maker.suffix'), { mono: true })] : null,
      notifies ? this.#text([...path, 'notify', 'every'], t('maker.notify'), { mono: true, placeholder: '1 s' }) : null,
      h('p', { class: 'error', hidden: true })), preview);
  }

  #rules(characteristic, path, operations) {
    const errors = (value) => [['', t('maker.normal')], ...[...new Set([...model.ERRORS, value].filter(Boolean))].map((word) => [word, word])];
    const error = (place, label) => this.#select(place, label, errors(model.read(this.tree, place)), model.read(this.tree, place) ?? '', (word) => this.#set(place, word));
    const { read, write } = characteristic;
    const effects = write?.then ?? [];
    const target = [...path, 'write'];
    const parts = [];
    if (operations.includes('read')) parts.push(h('div', { class: 'fields' }, error([...path, 'read', 'error'], t('maker.read.error')), this.#text([...path, 'read', 'delay'], t('maker.read.delay'), { mono: true, placeholder: '200 ms' })));
    if (operations.includes('write')) {
      parts.push(h('div', { class: 'fields', dataset: { path: target.join('/') } },
        this.#text([...target, 'length'], t('maker.length'), { mono: true, hint: t('maker.length.hint') }),
        this.#text([...target, 'minimum'], t('maker.minimum'), { mono: true }), this.#text([...target, 'maximum'], t('maker.maximum'), { mono: true }),
        this.#text([...target, 'allowed'], t('maker.allowed'), { mono: true, isList: true, hint: t('maker.values.hint') }), error([...target, 'error'], t('maker.write.error')),
        h('p', { class: 'error', hidden: true })),
      h('fieldset', {}, h('legend', {}, t('maker.effects')), effects.map((effect, index) => this.#effect(effect, [...target, 'then', index], effects, index)),
        this.#button(t('maker.add.effect'), () => this.#set([...target, 'then'], [...effects, { characteristic: this.#targets()[0]?.[0] ?? '', echo: 'true' }], true), { field: `${path.join('/')}/add-effect` })));
    }
    return parts.length ? this.#fold(`r${path.join('/')}`, Boolean(read || write), t('maker.rules'), parts) : null;
  }

  /** The characteristics of the profile as effects name them. */
  #targets() {
    return (this.tree.services ?? []).flatMap((service, at) => (service.characteristics ?? []).map((characteristic, index) => {
      const described = this.services[at]?.characteristics[index];
      return [`${this.services[at]?.uuid ?? service.uuid}/${described?.uuid ?? characteristic.uuid}`, plain(described?.name ?? characteristic.uuid)];
    }));
  }

  #effect(effect, path, all, index) {
    const kind = 'echo' in effect ? 'echo' : 'value' in effect ? 'value' : 'linear';
    const starts = { echo: { echo: 'true' }, value: { value: '00' }, linear: { factor: '1', offset: '0' } };
    const targets = this.#targets();
    if (!targets.some(([key]) => key === effect.characteristic)) targets.push([effect.characteristic, plain(effect.characteristic)]);
    return h('div', { class: 'fields', dataset: { path: path.join('/') } },
      this.#select([...path, 'characteristic'], t('maker.target'), targets, effect.characteristic, (uuid) => this.#set([...path, 'characteristic'], uuid)),
      this.#select([...path, 'effect'], t('maker.effect'), Object.keys(starts).map((name) => [name, t(`maker.e.${name}`)]), kind, (name) => this.#set(path, { characteristic: effect.characteristic, ...starts[name] }, true)),
      kind === 'value' ? this.#text([...path, 'value'], t('maker.value'), { mono: true }) : null,
      kind === 'linear' ? [this.#text([...path, 'factor'], t('maker.factor'), { mono: true }), this.#text([...path, 'offset'], t('maker.offset'), { mono: true })] : null,
      this.#removal(`${t('maker.effect')} ${index + 1}`, () => this.#set(path.slice(0, -1), all.filter((_, at) => at !== index), true)), h('p', { class: 'error', hidden: true }));
  }

  #descriptors(characteristic, path) {
    const list = characteristic.descriptors ?? [];
    const place = [...path, 'descriptors'];
    return this.#fold(`d${path.join('/')}`, false, `${t('maker.descriptors')}${list.length ? ` (${list.length})` : ''}`, list.map((_, index) => h('div', { class: 'fields', dataset: { path: [...place, index].join('/') } },
      this.#uuid([...place, index], 'descriptors'), this.#text([...place, index, 'value'], t('maker.value')),
      this.#removal(`${t('maker.descriptor')} ${index + 1}`, () => this.#set(place, list.filter((_each, at) => at !== index), true)), h('p', { class: 'error', hidden: true }))),
    this.#button(t('maker.add.descriptor'), () => this.#set(place, [...list, { uuid: 'Characteristic User Description', value: 'Text' }], true), { field: `${place.join('/')}/add` }));
  }
}

/** The first value, its meaning, and a line of the next numbers. */
function previewOf(described) {
  if (!described) return [];
  const { octets, text, preview } = described;
  const digits = octets.length > 64 ? `${octets.slice(0, 64)}…` : octets;
  const parts = [octets ? h('span', { class: 'mono small-text' }, t('maker.first', { octets: digits.replace(/(..)(?=.)/g, '$1 ') })) : null,
    text ? h('span', { class: 'small-text', dir: 'auto' }, t('maker.means', { text: plain(text, 80) })) : null];
  if (preview) {
    const [low, high] = [Math.min(...preview), Math.max(...preview)];
    const points = preview.map((value, index) => `${(index * 200) / (preview.length - 1)},${high === low ? 20 : 37 - ((value - low) * 34) / (high - low)}`);
    parts.push(s('svg', { viewBox: '0 0 200 40', role: 'img', 'aria-label': t('maker.preview', { low: +low.toPrecision(6), high: +high.toPrecision(6) }) }, s('polyline', { points: points.join(' ') })));
  }
  return parts;
}

"""###
        case "parts/maker-model.js": ###"""
// The profile as the tree of its YAML file: mappings, lists and texts. The server reads, checks and writes it.

export const SOURCES = ['constant', 'counter', 'sine', 'random-walk', 'replay', 'clock'];
export const PROPERTIES = ['read', 'write', 'write-without-response', 'notify', 'indicate', 'signed-write'];
export const FORMATS = ['hex', 'utf8', 'u8', 'i8', 'u16', 'i16', 'u24', 'i24', 'u32', 'i32', 'u64', 'i64', 'f32', 'f64', 'u16be', 'i16be', 'u32be', 'i32be', 'base64'];
export const ERRORS = ['read-not-permitted', 'write-not-permitted', 'insufficient-authentication', 'request-not-supported', 'invalid-offset',
  'insufficient-authorization', 'attribute-not-found', 'invalid-length', 'unlikely-error', 'insufficient-encryption', 'insufficient-resources',
  'value-not-allowed', 'write-request-rejected', 'procedure-in-progress', 'out-of-range', '0x80', '0x81'];
export const CLOCKS = ['current-time', 'date-time', 'unix'];

export const blank = () => ({ advertising: { name: 'My device' }, services: [] });

/** Reads the value at a path such as ['services', 0, 'uuid']. */
export function read(tree, path) {
  return path.reduce((node, key) => (node === null || typeof node !== 'object' ? undefined : node[key]), tree);
}

/** Sets a value; an empty one removes its key, and mappings that become empty. */
export function write(tree, path, value) {
  const last = path[path.length - 1];
  let node = tree;
  for (const key of path.slice(0, -1)) {
    if (node[key] === null || typeof node[key] !== 'object') node[key] = {};
    node = node[key];
  }
  const isEmpty = value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
  if (!isEmpty || Array.isArray(node)) {
    node[last] = value;
    return;
  }
  delete node[last];
  if (path.length > 1 && Object.keys(node).length === 0 && !Array.isArray(read(tree, path.slice(0, -2)))) write(tree, path.slice(0, -1), undefined);
}

/** The source of a value: one of SOURCES. */
export function kindOf(value) {
  if (value === null || typeof value !== 'object') return 'constant';
  return SOURCES.find((kind) => kind in value) ?? 'constant';
}

export function constantOf(value) {
  return (typeof value === 'object' && value !== null ? value.constant : value) ?? '';
}

const isNumeric = (format) => /^[uif]\d/.test(format ?? '');

/** Changes the source of a characteristic's value, with a start that works. */
export function setKind(characteristic, kind) {
  const bounds = { minimum: '0', maximum: '100' };
  const starts = {
    constant: isNumeric(characteristic.format) ? '0' : undefined,
    counter: { counter: { ...bounds, step: '1', every: '1 s' } },
    sine: { sine: { minimum: '60', maximum: '90', period: '10 s' } },
    'random-walk': { 'random-walk': { ...bounds, step: '5', every: '1 s', seed: '1' } },
    replay: { replay: { values: ['1', '2', '3'], every: '1 s' } },
    clock: { clock: 'current-time' },
  };
  if (['counter', 'sine', 'random-walk', 'replay'].includes(kind) && !isNumeric(characteristic.format)) characteristic.format = 'u8';
  if (kind === 'clock') delete characteristic.format;
  if (starts[kind] === undefined) delete characteristic.value;
  else characteristic.value = starts[kind];
  const properties = characteristic.properties ?? [];
  const notifies = properties.includes('notify') || properties.includes('indicate');
  if (kind !== 'constant' && notifies && !characteristic.notify) characteristic.notify = { every: '1 s' };
}

/** Sets a property and drops the rules that need it. */
export function setProperty(characteristic, property, isOn) {
  const set = new Set(characteristic.properties ?? []);
  if (isOn) set.add(property); else set.delete(property);
  characteristic.properties = PROPERTIES.filter((each) => set.has(each));
  const has = (...names) => names.some((name) => set.has(name));
  if (!has('notify', 'indicate')) delete characteristic.notify;
  if (!has('read')) delete characteristic.read;
  if (!has('write', 'write-without-response', 'signed-write')) delete characteristic.write;
  for (const [operation, names] of Object.entries(OPERATIONS)) if (!has(...names)) setSecurity(characteristic, operation, false);
}

/** The properties that need each operation of `security`. */
export const OPERATIONS = { read: ['read'], write: ['write', 'write-without-response', 'signed-write'], notify: ['notify', 'indicate'] };

export function isSecure(characteristic, operation) {
  return characteristic.security === 'encrypted' || characteristic.security?.[operation] === 'encrypted';
}

export function setSecurity(characteristic, operation, isOn) {
  const kept = Object.keys(OPERATIONS).filter((each) => (each === operation ? isOn : isSecure(characteristic, each)));
  if (kept.length === 0) delete characteristic.security;
  else characteristic.security = Object.fromEntries(kept.map((each) => [each, 'encrypted']));
}

/** A UUID that no other device has. */
export function randomUUID() {
  const octets = crypto.getRandomValues(new Uint8Array(16));
  // Version 4, variant 1 (RFC 9562, 5.4).
  octets[6] = (octets[6] & 0x0f) | 0x40;
  octets[8] = (octets[8] & 0x3f) | 0x80;
  const digits = [...octets].map((octet) => octet.toString(16).padStart(2, '0')).join('').toUpperCase();
  return [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 16), digits.slice(16, 20), digits.slice(20)].join('-');
}

/** A comma list as an array. */
export const split = (text) => text.split(',').map((part) => part.trim()).filter(Boolean);

"""###
        case "parts/maker-strip.js": ###"""
// The octets of an advertisement: a cell for each, coloured by structure, and what is left out with the reason.

import { fill, h } from '../dom.js';
import { plain } from '../text.js';
import { t } from '../words.js';

/** The name and the colour of an AD type (Assigned Numbers, 2.3). */
function look(type) {
  switch (type) {
    case 0x01: return ['maker.type.flags', 'll'];
    case 0x03: case 0x05: case 0x07: return ['maker.type.services', 'att'];
    case 0x02: case 0x04: case 0x06: return ['maker.type.some', 'att'];
    case 0x09: return ['maker.type.name', 'adv'];
    case 0x08: return ['maker.type.short', 'adv'];
    case 0xff: return ['maker.type.manufacturer', 'smp'];
    case 0x16: case 0x20: case 0x21: return ['maker.type.data', 'l2cap'];
    default: return ['maker.type.other', 'll'];
  }
}

const octetsOf = (text) => text.match(/../g) ?? [];

/** The meaning of a structure's content as far as it is text or UUIDs. */
function meaning(type, octets) {
  const content = octets.slice(2);
  if (type === 0x08 || type === 0x09) return `“${plain(new TextDecoder().decode(Uint8Array.from(content, (octet) => parseInt(octet, 16))))}”`;
  const width = { 2: 2, 3: 2, 4: 4, 5: 4, 6: 16, 7: 16 }[type];
  if (!width) return '';
  const found = [];
  for (let start = 0; start < content.length; start += width) {
    const digits = content.slice(start, start + width).reverse().join('').toUpperCase();
    found.push(width === 16 ? `${digits.slice(0, 8)}…` : digits);
  }
  return found.join(', ');
}

function part(title, data, capacity) {
  const octets = octetsOf(data.octets);
  const names = data.structures.map(({ start, count, type }) => {
    const [key] = look(type);
    const text = meaning(type, octets.slice(start, start + count));
    return { start, count, type, label: t(key, { type: `0x${type.toString(16).padStart(2, '0')}` }), text };
  });
  const cells = [];
  for (let index = 0; index < capacity; index += 1) {
    const at = names.findIndex(({ start, count }) => index >= start && index < start + count);
    const cell = h('span', { class: at < 0 ? 'cell' : `cell used ${look(names[at].type)[1]}`, dataset: { structure: at } }, octets[index] ?? '');
    if (at >= 0 && names[at].start === index) cell.classList.add('first');
    cells.push(cell);
  }
  const list = names.map(({ count, label, text }) => `${label} ${count}${text ? ` (${text})` : ''}`).join(', ');
  const strip = h('div', { class: 'cells mono', role: 'img', 'aria-label': t('maker.strip', { title, n: octets.length, of: capacity, list }) }, cells);
  const mark = (index) => { for (const cell of cells) cell.classList.toggle('lit', cell.dataset.structure === String(index)); };
  const legend = h('ul', { class: 'structures' }, names.map(({ count, type, label, text }, index) => h('li', {
    class: look(type)[1], onpointerenter: () => mark(index), onpointerleave: () => mark(-2),
  }, h('span', { class: 'number' }, count), ' ', label, text ? h('bdi', { class: 'faint' }, ` ${text}`) : null)));
  if (octets.length < capacity) legend.append(h('li', { class: 'faint' }, t('maker.free', { n: capacity - octets.length })));
  return h('div', { class: 'maker-part' }, h('div', { class: 'between' }, h('h3', {}, title),
    h('span', { class: 'count number' }, t('maker.octets', { n: octets.length, of: capacity }))), strip, legend);
}

/** Shows a layout of the server. */
export function showLayout(place, layout) {
  place.hidden = !layout;
  if (!layout) return;
  const notes = layout.omitted.map(({ kind, identifier, count }) => t(`maker.left.${kind}`, { id: identifier, n: count, limit: layout.structuresLimit }));
  const { name } = layout;
  let moved = null;
  if (name?.place === 'response') {
    moved = name.isWhole ? t('maker.name.moved', { n: name.count }) : t('maker.name.short', { n: name.count, limit: layout.responseNameLimit, sent: plain(name.sent) });
  }
  fill(place,
    part(t('maker.advertisement'), layout.data, layout.capacity),
    moved ? h('p', { class: `notice ${name.isWhole ? '' : 'warn'}`, dir: 'auto' }, moved) : null,
    layout.response.octets ? part(t('maker.response'), layout.response, layout.capacity) : null,
    notes.length ? h('div', { class: 'notice warn left-out' }, h('h4', {}, t('maker.left')), h('ul', {}, notes.map((note) => h('li', {}, note)))) : null);
}

"""###
        case "parts/maker-words.js": ###"""
// The words of the maker.

import { currentLanguage, register } from '../words.js';

register({
  en: {
    'maker.title': 'Device maker', 'maker.intro': 'Describe a device: what it advertises, and what a phone can read, write and subscribe to. Then run it.',
    'maker.start': 'Start from', 'maker.start.choose': 'an example…', 'maker.new': 'Empty device', 'maker.open': 'Open YAML…', 'maker.save': 'Save as YAML',
    'maker.clone': 'Clone', 'maker.clone.choose': 'a connected device…', 'maker.clone.none': 'To clone a device, connect to it in the explorer first.',
    'maker.clone.refused': 'The clone has no value for {list}: read them in the explorer, and clone again.', 'maker.undo': 'Back to the earlier draft',
    'maker.run.room': 'Run in the room', 'maker.run.adapter': 'Run on the adapter', 'maker.apply': 'Apply changes', 'maker.stop': 'Stop',
    'maker.inRoom': 'Runs in the room as {name}.', 'maker.show': 'Show it', 'maker.paused': 'Time stands still. Press play in the time bar.',
    'maker.onAdapter': 'Runs on the adapter', 'maker.advertises': 'advertising', 'maker.bluetooth': 'Bluetooth: {state}', 'maker.subscriptions': 'Subscriptions: {n}',
    'maker.applied': 'The changes are applied.', 'maker.saved': 'Everything is applied.', 'maker.tooLong': 'The file has more than 128 KiB.', 'maker.unreadable': 'The file cannot be read.',
    'maker.form': 'Form', 'maker.text': 'YAML of bluelab serve', 'maker.text.hint': 'A change in the form writes this text anew, without its comments.',
    'maker.invalid': 'The form keeps the last valid version.', 'maker.valid': 'The text is valid.', 'maker.more': 'And {n} more.', 'maker.line': 'Line {line}, column {column}',
    'maker.form.invalid': 'The text keeps the last valid version until the marked fields are corrected.',
    'maker.expected': 'expected {a}, found {b}.', 'maker.wait': 'The studio does not answer. The draft stays here.',
    'maker.device': 'Device', 'maker.name': 'Name', 'maker.name.hint': 'What a phone shows in its list.', 'maker.summary': 'Description',
    'maker.advertisement': 'Advertisement', 'maker.response': 'Scan response', 'maker.octets': '{n} of {of} octets',
    'maker.adv.hint': 'A device says this several times a second. Each structure begins with its length and its type.',
    'maker.data': 'More data', 'maker.company': 'Company identifier', 'maker.company.hint': '0xFFFF is for tests.', 'maker.hex': 'Octets', 'maker.manufacturer': 'Manufacturer data',
    'maker.serviceData': 'Service data', 'maker.extra': 'Other advertised services', 'maker.advertise': 'Advertise it',
    'maker.type.flags': 'Flags', 'maker.type.services': 'Services', 'maker.type.some': 'Services (not all)', 'maker.type.name': 'Name', 'maker.type.short': 'Shortened name',
    'maker.type.manufacturer': 'Manufacturer data', 'maker.type.data': 'Service data', 'maker.type.other': 'Type {type}', 'maker.free': '{n} free',
    'maker.left': 'Left out', 'maker.left.service': 'Service {id} needs {n} octets and does not fit.', 'maker.left.manufacturer': 'Manufacturer data {id} needs {n} octets; manufacturer and service data share {limit}.',
    'maker.left.service-data': 'Service data {id} needs {n} octets; manufacturer and service data share {limit}.',
    'maker.name.moved': 'The name needs {n} octets and does not fit here: it is in the scan response.',
    'maker.name.short': 'The name needs {n} octets. The scan response has {limit} for its text, so “{sent}” is sent.',
    'maker.strip': '{title}: {n} of {of} octets. {list}',
    'maker.services': 'Services', 'maker.service': 'Service', 'maker.characteristic': 'Characteristic', 'maker.characteristics': 'Characteristics', 'maker.descriptor': 'Descriptor', 'maker.descriptors': 'Descriptors',
    'maker.add.service': 'Add a service', 'maker.add.characteristic': 'Add a characteristic', 'maker.add.descriptor': 'Add a descriptor', 'maker.add.effect': 'Add an effect', 'maker.add': 'Add', 'maker.remove': 'Remove', 'maker.remove.of': 'Remove {name}',
    'maker.none': 'No service yet. A service groups values, such as Heart Rate or Battery.', 'maker.uuid': 'Name or UUID', 'maker.uuid.hint': 'A name of the SIG, or your own UUID.', 'maker.random': 'Own UUID', 'maker.primary': 'Primary service', 'maker.includes': 'Includes',
    'maker.properties': 'What a phone can do', 'maker.p.read': 'Read', 'maker.p.write': 'Write', 'maker.p.write-without-response': 'Write without response', 'maker.p.notify': 'Notify', 'maker.p.indicate': 'Indicate (confirmed)', 'maker.p.signed-write': 'Signed write',
    'maker.security': 'Only after pairing (encrypted)', 'maker.s.read': 'Read', 'maker.s.write': 'Write', 'maker.s.notify': 'Notify',
    'maker.format': 'Format', 'maker.value': 'Value', 'maker.kind': 'The value', 'maker.k.constant': 'stays', 'maker.k.counter': 'counts', 'maker.k.sine': 'swings (sine)', 'maker.k.random-walk': 'walks at random', 'maker.k.replay': 'replays a list', 'maker.k.clock': 'is the time',
    'maker.minimum': 'Minimum', 'maker.maximum': 'Maximum', 'maker.step': 'Step', 'maker.every': 'Every', 'maker.period': 'Period', 'maker.begin': 'Start', 'maker.seed': 'Seed', 'maker.values': 'Values', 'maker.values.hint': 'With commas between them.', 'maker.repeat': 'Repeat', 'maker.clock': 'Clock',
    'maker.factor': 'Factor', 'maker.prefix': 'Octets before', 'maker.suffix': 'Octets after', 'maker.notify': 'Notify every', 'maker.first': 'First value: {octets}', 'maker.means': 'that means {text}', 'maker.preview': 'The next values, from {low} to {high}',
    'maker.rules': 'Rules', 'maker.read.error': 'Refuse reads with', 'maker.read.delay': 'Answer reads after', 'maker.accept': 'Accept', 'maker.length': 'Length', 'maker.length.hint': '2, or 1-20', 'maker.allowed': 'Only these values', 'maker.write.error': 'Refuse others with', 'maker.effects': 'A write changes',
    'maker.target': 'Characteristic', 'maker.effect': 'Effect', 'maker.e.echo': 'send the same octets back', 'maker.e.value': 'set a value', 'maker.e.linear': 'set factor × number + offset', 'maker.offset': 'Offset', 'maker.normal': 'normal',
  },
  zh: {
    'maker.title': '设备制作', 'maker.intro': '描述一个设备：它广播什么，手机能读取、写入和订阅什么。然后运行它。',
    'maker.start': '从示例开始', 'maker.start.choose': '选择示例…', 'maker.new': '空设备', 'maker.open': '打开 YAML…', 'maker.save': '保存为 YAML',
    'maker.clone': '克隆', 'maker.clone.choose': '已连接的设备…', 'maker.clone.none': '要克隆设备，请先在浏览器视图中连接它。',
    'maker.clone.refused': '克隆缺少这些值：{list}。请先读取它们，再克隆一次。', 'maker.undo': '回到之前的草稿',
    'maker.run.room': '在房间里运行', 'maker.run.adapter': '在适配器上运行', 'maker.apply': '应用更改', 'maker.stop': '停止',
    'maker.inRoom': '正在房间里运行：{name}。', 'maker.show': '显示', 'maker.paused': '时间已暂停，请在时间栏按播放。',
    'maker.onAdapter': '正在适配器上运行', 'maker.advertises': '正在广播', 'maker.bluetooth': '蓝牙：{state}', 'maker.subscriptions': '订阅：{n}',
    'maker.applied': '更改已应用。', 'maker.saved': '全部更改都已应用。', 'maker.tooLong': '文件超过 128 KiB。', 'maker.unreadable': '无法读取文件。',
    'maker.form': '表单', 'maker.text': 'bluelab serve 的 YAML', 'maker.text.hint': '在表单中修改会重写这段文字，注释会丢失。',
    'maker.invalid': '表单保留最后一个有效版本。', 'maker.valid': '文字有效。', 'maker.more': '还有 {n} 处。', 'maker.line': '第 {line} 行，第 {column} 列',
    'maker.form.invalid': '修正标出的字段之前，文字保留最后一个有效版本。',
    'maker.expected': '应为 {a}，实际为 {b}。', 'maker.wait': '工作室没有响应，草稿保留在这里。',
    'maker.device': '设备', 'maker.name': '名称', 'maker.name.hint': '手机列表中显示的名称。', 'maker.summary': '说明',
    'maker.advertisement': '广播', 'maker.response': '扫描响应', 'maker.octets': '{n} / {of} 字节',
    'maker.adv.hint': '设备每秒多次发送这些内容。每个结构以长度和类型开头。',
    'maker.data': '更多数据', 'maker.company': '公司标识', 'maker.company.hint': '0xFFFF 供测试使用。', 'maker.hex': '字节', 'maker.manufacturer': '厂商数据',
    'maker.serviceData': '服务数据', 'maker.extra': '其他广播的服务', 'maker.advertise': '广播此服务',
    'maker.type.flags': '标志', 'maker.type.services': '服务', 'maker.type.some': '服务（不完整）', 'maker.type.name': '名称', 'maker.type.short': '缩短的名称',
    'maker.type.manufacturer': '厂商数据', 'maker.type.data': '服务数据', 'maker.type.other': '类型 {type}', 'maker.free': '剩余 {n}',
    'maker.left': '未发送', 'maker.left.service': '服务 {id} 需要 {n} 字节，放不下。', 'maker.left.manufacturer': '厂商数据 {id} 需要 {n} 字节；厂商数据和服务数据共用 {limit} 字节。',
    'maker.left.service-data': '服务数据 {id} 需要 {n} 字节；厂商数据和服务数据共用 {limit} 字节。',
    'maker.name.moved': '名称需要 {n} 字节，这里放不下，移到扫描响应中。',
    'maker.name.short': '名称需要 {n} 字节。扫描响应只有 {limit} 字节给名称，因此发送“{sent}”。',
    'maker.strip': '{title}：{n} / {of} 字节。{list}',
    'maker.services': '服务', 'maker.service': '服务', 'maker.characteristic': '特征', 'maker.characteristics': '特征', 'maker.descriptor': '描述符', 'maker.descriptors': '描述符',
    'maker.add.service': '添加服务', 'maker.add.characteristic': '添加特征', 'maker.add.descriptor': '添加描述符', 'maker.add.effect': '添加效果', 'maker.add': '添加', 'maker.remove': '删除', 'maker.remove.of': '删除 {name}',
    'maker.none': '还没有服务。服务把值组合在一起，例如心率或电池。', 'maker.uuid': '名称或 UUID', 'maker.uuid.hint': 'SIG 的名称，或自己的 UUID。', 'maker.random': '自己的 UUID', 'maker.primary': '主要服务', 'maker.includes': '包含',
    'maker.properties': '手机可以做什么', 'maker.p.read': '读取', 'maker.p.write': '写入', 'maker.p.write-without-response': '无响应写入', 'maker.p.notify': '通知', 'maker.p.indicate': '指示（需确认）', 'maker.p.signed-write': '签名写入',
    'maker.security': '仅在配对后（加密）', 'maker.s.read': '读取', 'maker.s.write': '写入', 'maker.s.notify': '通知',
    'maker.format': '格式', 'maker.value': '值', 'maker.kind': '这个值', 'maker.k.constant': '不变', 'maker.k.counter': '计数', 'maker.k.sine': '摆动（正弦）', 'maker.k.random-walk': '随机游走', 'maker.k.replay': '重放列表', 'maker.k.clock': '是时间',
    'maker.minimum': '最小值', 'maker.maximum': '最大值', 'maker.step': '步长', 'maker.every': '间隔', 'maker.period': '周期', 'maker.begin': '起始值', 'maker.seed': '随机种子', 'maker.values': '值', 'maker.values.hint': '用逗号分隔。', 'maker.repeat': '重复', 'maker.clock': '时钟',
    'maker.factor': '系数', 'maker.prefix': '前置字节', 'maker.suffix': '后置字节', 'maker.notify': '通知间隔', 'maker.first': '第一个值：{octets}', 'maker.means': '含义：{text}', 'maker.preview': '接下来的值，从 {low} 到 {high}',
    'maker.rules': '规则', 'maker.read.error': '拒绝读取，错误', 'maker.read.delay': '延迟应答', 'maker.accept': '接受', 'maker.length': '长度', 'maker.length.hint': '2，或 1-20', 'maker.allowed': '只允许这些值', 'maker.write.error': '拒绝其他值，错误', 'maker.effects': '写入会改变',
    'maker.target': '特征', 'maker.effect': '效果', 'maker.e.echo': '原样发回', 'maker.e.value': '设置值', 'maker.e.linear': '设为 系数 × 数值 + 偏移', 'maker.offset': '偏移', 'maker.normal': '正常',
  },
});

/** A message of the reader in the chosen language, as far as its pattern is known. */
export function problemText(text) {
  const match = currentLanguage() === 'zh' ? /^expected (.+), found (.+)\.$/s.exec(text) : null;
  return match ? `应为 ${match[1]}，实际为 ${match[2]}。` : text.charAt(0).toUpperCase() + text.slice(1);
}

"""###
        case "parts/maker.css": ###"""
/* The device maker. */
.maker { container-type: inline-size; display: flex; flex-direction: column; gap: 12px; min-width: 0; }
.maker > header h2 { margin: 0; } .maker > header p { margin: 2px 0 0; }
.maker .toolbar { padding: 0; } .maker .toolbar select { max-width: 15em; }
.maker .card + .card { margin-top: 0; }
.maker-columns { display: grid; grid-template-columns: minmax(0, 1fr); gap: 16px; align-items: start; }
@container (min-width: 700px) {
  .maker-columns { grid-template-columns: minmax(0, 6fr) minmax(0, 5fr); }
  .maker-text { position: sticky; top: 0; }
}
.maker-form > .column { gap: 12px; }
.maker-form fieldset { border: 0; border-top: 1px solid var(--line); margin: 10px 0 0; padding: 6px 0 2px; min-width: 0; }
.maker-form legend { font-size: .86rem; font-weight: 600; padding: 0 8px 0 0; }
.maker-form .fields { grid-template-columns: repeat(auto-fit, minmax(124px, 1fr)); align-items: end; gap: 8px 12px; }
.maker-form .fields .field { align-self: start; } .maker-form .fields > .error { grid-column: 1 / -1; }
.maker-form .field input, .maker-form .field select { width: 100%; } .maker-form .field > .row { flex-wrap: nowrap; }
.maker-form .hint, .maker-form .error { margin: 0; overflow-wrap: anywhere; }
.maker-form details > * + * { margin-top: 8px; }
.maker-form summary h4, .maker-form summary bdi { display: inline; overflow-wrap: anywhere; }
.maker-characteristic { border: 1px solid var(--line); border-radius: var(--radius); padding: 8px 10px; margin-top: 8px; background: var(--sunken); }
.maker-preview { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 12px; margin-top: 6px; overflow-wrap: anywhere; }
.maker-preview svg { width: 200px; height: 40px; } .maker-preview polyline { fill: none; stroke: var(--att); stroke-width: 2; }
.maker-editor { display: grid; grid-template-columns: auto minmax(0, 1fr); border: 1px solid var(--strong-line); border-radius: var(--radius); overflow: hidden; background: var(--surface); }
.maker-editor:focus-within { outline: 2px solid var(--accent); outline-offset: 2px; }
.maker-editor textarea { border: 0; border-radius: 0; outline: none; resize: none; height: min(64vh, 620px); padding: 8px; font-size: 12.5px; line-height: 1.5; white-space: pre; overflow: auto; }
.maker-editor .lines { border: 0; border-radius: 0; margin: 0; padding: 8px 6px; font-size: 12.5px; line-height: 1.5; text-align: right; color: var(--faint); background: var(--sunken); overflow: hidden; height: min(64vh, 620px); user-select: none; }
.maker-editor .lines b { color: var(--on-accent); background: var(--bad); }
:root .maker-editor .lines b { color: light-dark(#fff, #2b0a07); }
#maker-problems ul { margin: 0 0 6px; padding-left: 18px; } #maker-problems li { overflow-wrap: anywhere; margin-bottom: 3px; } #maker-problems p { margin: 0; }
.maker-part + .maker-part { margin-top: 12px; } .maker-part h3 { margin: 0 0 4px; }
.cells { display: grid; grid-template-columns: repeat(31, minmax(0, 1fr)); gap: 2px 0; font-size: 11px; text-align: center; }
@container (max-width: 560px) { .cells { grid-template-columns: repeat(16, minmax(0, 1fr)); } }
.cell { min-height: 24px; line-height: 24px; border: 1px dashed var(--line); }
.cell.used { border: 0; border-top: 1px solid transparent; color: var(--on-accent); background: currentColor; background: var(--ll); }
.cell.att { background: var(--att); } .cell.adv { background: var(--adv); } .cell.smp { background: var(--smp); } .cell.l2cap { background: var(--l2cap); }
.cell.first { border-left: 2px solid var(--surface); }
.cell.lit { outline: 2px solid var(--text); outline-offset: -2px; }
.structures { list-style: none; display: flex; flex-wrap: wrap; gap: 2px 14px; margin: 6px 0 0; padding: 0; font-size: .86rem; }
.structures li { overflow-wrap: anywhere; } .structures li[class]:not(.faint)::before { content: ""; display: inline-block; width: 9px; height: 9px; border-radius: 2px; margin-right: 6px; background: var(--ll); }
.structures li.att::before { background: var(--att) !important; } .structures li.adv::before { background: var(--adv) !important; }
.structures li.smp::before { background: var(--smp) !important; } .structures li.l2cap::before { background: var(--l2cap) !important; }
.left-out ul { margin: 0; padding-left: 18px; } .maker-air .notice { margin: 8px 0 0; }
.maker-runs p { margin: 6px 0 0; } .maker-events { margin: 0; padding-left: 22px; }
.maker-runs .name { display: inline-block; max-width: 16em; vertical-align: bottom; font-weight: 600; }

"""###
        case "parts/maker.js": ###"""
// The device maker: a form and the YAML of `bluelab serve` in step, the octets of the advertisement, and buttons to run the device.

import { fill, h } from '../dom.js';
import { nameElement, plain } from '../text.js';
import { t } from '../words.js';
import { MakerForm } from './maker-form.js';
import { blank } from './maker-model.js';
import { showLayout } from './maker-strip.js';
import { problemText } from './maker-words.js';

const LIMIT = 128 * 1024;
const KEY = 'maker.draft';

/** The draft lives as long as the page, and in the browser's storage. */
let draft = null;
/** The answers of the server that do not change. */
let library = null;
let names = null;

function load() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? 'null');
    if (kept && typeof kept.yaml === 'string' && kept.yaml.length <= LIMIT && kept.tree && typeof kept.tree === 'object') return kept;
  } catch { /* storage may be blocked, or hold something else */ }
  return null;
}

export const maker = {
  name: 'maker',
  mount(place, studio) {
    draft ??= load();
    const isNew = draft === null;
    draft ??= { yaml: '', tree: blank(), previous: null, device: null, applied: null };
    const view = new View(studio);
    fill(place, view.element);
    view.begin(isNew);
    return () => view.end();
  },
};

class View {
  constructor(studio) {
    this.studio = studio;
    this.ends = [];
    this.number = 0;
    this.room = null;
    this.machine = null;
    this.explorers = new Map();
    this.isValid = false;
    this.form = new MakerForm(() => this.#formEdited());
    this.layout = h('section', { class: 'card maker-air', hidden: true, 'aria-label': t('maker.advertisement') });
    this.text = h('textarea', { class: 'mono', wrap: 'off', spellcheck: 'false', autocapitalize: 'off', 'aria-label': t('maker.text'), 'aria-describedby': 'maker-problems', rows: 24, oninput: () => this.#textEdited(), onscroll: () => { this.lines.scrollTop = this.text.scrollTop; } });
    this.lines = h('pre', { class: 'lines', 'aria-hidden': 'true' });
    this.problems = h('div', { id: 'maker-problems', role: 'status' });
    this.start = h('select', { 'aria-label': t('maker.start'), onchange: () => this.#startFrom() });
    this.clone = h('select', { 'aria-label': t('maker.clone'), onchange: () => this.#clone() });
    this.undo = h('button', { class: 'quiet', hidden: true, onclick: () => this.#undo() }, t('maker.undo'));
    this.file = h('input', { type: 'file', accept: '.yaml,.yml,text/yaml', hidden: true, onchange: () => this.#openFile() });
    this.runs = h('section', { class: 'card maker-runs', 'aria-label': t('maker.run.room') });
    this.element = h('div', { class: 'maker' },
      h('header', {}, h('h2', {}, t('maker.title')), h('p', { class: 'faint' }, t('maker.intro'))),
      h('div', { class: 'toolbar' }, this.start, this.clone, this.file,
        h('button', { onclick: () => this.#replace({ tree: blank() }) }, t('maker.new')),
        h('button', { onclick: () => this.file.click() }, t('maker.open')),
        h('button', { onclick: () => this.#save() }, t('maker.save')), this.undo),
      this.runs, this.layout,
      h('div', { class: 'maker-columns' }, h('section', { 'aria-label': t('maker.form') }, this.form.element),
        h('section', { class: 'maker-text column', 'aria-label': t('maker.text') }, h('h3', {}, t('maker.text')), h('div', { class: 'maker-editor' }, this.lines, this.text), this.problems,
          h('p', { class: 'hint' }, t('maker.text.hint')))));
  }

  begin(isNew) {
    this.form.show(draft.tree);
    this.#showText(draft.yaml);
    this.#drawChoices();
    this.#drawRuns();
    this.ends.push(
      this.studio.onState((state) => { if (state === 'open') this.#connect(isNew).catch(() => {}); }),
      this.studio.topic('maker', (state) => { this.machine = state; this.#drawRuns(); }),
      this.studio.topic('room', (room) => { this.room = room; this.#drawRuns(); }),
      this.studio.topic('time', (time) => { if (this.isRunning !== time.isRunning) { this.isRunning = time.isRunning; this.#drawRuns(); } }),
      this.studio.topic('explorers', (list) => this.#watchExplorers(list ?? [])),
      () => clearTimeout(this.timer), () => clearTimeout(this.keeping));
    addEventListener('pagehide', this.keep);
  }

  end() {
    this.keep();
    removeEventListener('pagehide', this.keep);
    for (const end of [...this.ends, ...[...this.explorers.values()].map((entry) => entry.end)]) end();
  }

  async #connect(isNew) {
    names ??= await this.studio.do('maker.names');
    this.form.setNames(names);
    library ??= (await this.studio.do('maker.library')).profiles;
    this.#drawChoices();
    if (isNew && !draft.yaml) {
      draft.yaml = library.find((entry) => entry.name === 'heart-rate')?.yaml ?? '';
      this.#showText(draft.yaml);
    }
    if (draft.yaml) await this.#check();
    else await this.#write();
  }

  // The draft

  keep = () => {
    try { localStorage.setItem(KEY, JSON.stringify({ ...draft, previous: null })); } catch { /* storage may be blocked or full */ }
  };

  #keepSoon() {
    clearTimeout(this.keeping);
    this.keeping = setTimeout(this.keep, 400);
  }

  /** Replaces the draft by a text or a tree, and keeps the earlier one for one step back. */
  #replace({ yaml, tree }) {
    draft.previous = { yaml: draft.yaml, tree: draft.tree };
    this.undo.hidden = false;
    if (yaml === undefined) {
      draft.tree = tree;
      this.form.folds.clear();
      this.form.show(tree);
      this.#write();
    } else {
      draft.yaml = yaml;
      this.form.folds.clear();
      this.#showText(yaml);
      this.#check();
    }
    this.#keepSoon();
  }

  #undo() {
    const earlier = draft.previous;
    if (!earlier) return;
    draft.tree = earlier.tree;
    this.#replace({ yaml: earlier.yaml });
  }

  #formEdited() {
    draft.tree = this.form.tree;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#write(), 120);
    this.#keepSoon();
  }

  #textEdited() {
    draft.yaml = this.text.value;
    this.#number();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#check(), 200);
    this.#keepSoon();
  }

  /** Asks the server. Returns null if a newer question was asked meanwhile, or nothing answers. */
  async #ask(command, args) {
    clearTimeout(this.timer);
    const number = ++this.number;
    try {
      const report = await this.studio.do(command, args);
      return number === this.number ? report : null;
    } catch (failure) {
      if (number === this.number) fill(this.problems, h('p', { class: 'notice warn' }, failure.code === 'offline' ? t('maker.wait') : failure.text));
      return null;
    }
  }

  /** Writes the form as a text. */
  async #write() {
    const report = await this.#ask('maker.write', { profile: { ...draft.tree, services: draft.tree.services ?? [] } });
    if (!report) return;
    this.isValid = report.problems.length === 0;
    if (report.yaml !== undefined) {
      draft.yaml = report.yaml;
      this.#showText(report.yaml);
    }
    // A problem without a path is one of the text that the form became.
    this.form.update(report.services, report.problems.filter((problem) => problem.path));
    this.#showProblems(report, true);
    if (report.advertisement) showLayout(this.layout, report.advertisement);
    this.#drawRuns();
    this.#keepSoon();
  }

  /** Reads the text into the form. */
  async #check() {
    if (new Blob([draft.yaml]).size > LIMIT) return fill(this.problems, h('p', { class: 'notice bad' }, t('maker.tooLong')));
    const report = await this.#ask('maker.check', { yaml: draft.yaml });
    if (!report) return null;
    this.isValid = report.problems.length === 0;
    if (report.profile) {
      draft.tree = report.profile;
      this.form.show(report.profile, report.services);
      this.form.update(report.services, []);
      showLayout(this.layout, report.advertisement);
    }
    this.#showProblems(report, false);
    this.#drawRuns();
    this.#keepSoon();
    return report;
  }

  // The text

  #showText(yaml) {
    if (this.text.value !== yaml) {
      const { scrollTop } = this.text;
      this.text.value = yaml;
      this.text.scrollTop = scrollTop;
    }
    this.#number();
  }

  #number(bad = new Set()) {
    const count = this.text.value.split('\n').length;
    fill(this.lines, bad.size === 0 ? Array.from({ length: count }, (_, index) => `${index + 1}\n`).join('')
      : Array.from({ length: count }, (_, index) => (bad.has(index + 1) ? h('b', {}, `${index + 1}\n`) : `${index + 1}\n`)));
    this.lines.scrollTop = this.text.scrollTop;
  }

  #showProblems(report, isForm) {
    const { problems, more } = report;
    this.#number(new Set(problems.map((problem) => problem.line)));
    this.text.toggleAttribute('aria-invalid', false);
    if (!isForm && problems.length) this.text.setAttribute('aria-invalid', 'true');
    if (problems.length === 0) return fill(this.problems, h('p', { class: 'good small-text' }, t('maker.valid')));
    return fill(this.problems, h('div', { class: 'notice bad' },
      h('ul', {}, problems.map((problem) => h('li', { dir: 'auto' }, problem.line
        ? h('button', { class: 'small', onclick: () => this.#goTo(problem) }, t('maker.line', problem)) : null,
      problem.path?.length ? h('code', {}, plain(problem.path.join(' / '), 80)) : null, ' ', plain(problemText(problem.text), 400)))),
      more ? h('p', {}, t('maker.more', { n: more })) : null, h('p', {}, t(isForm ? 'maker.form.invalid' : 'maker.invalid'))));
  }

  #goTo({ line, column }) {
    const lines = this.text.value.split('\n');
    const start = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
    // The server counts scalars, and the field UTF-16 units.
    const offset = [...(lines[line - 1] ?? '')].slice(0, column - 1).join('').length;
    this.text.focus();
    this.text.setSelectionRange(start + offset, start + (lines[line - 1]?.length ?? 0));
    this.text.scrollTop = Math.max(0, (line - 5) * (this.text.scrollHeight / lines.length));
  }

  // Files, examples and clones

  #drawChoices() {
    fill(this.start, h('option', { value: '' }, `${t('maker.start')} ${t('maker.start.choose')}`),
      (library ?? []).map(({ name, summary }) => h('option', { value: name, title: summary }, name)));
    const open = [...this.explorers.entries()].flatMap(([id, { devices }]) => devices
      .filter((device) => device.services?.length).map((device) => [JSON.stringify([id, device.id]), plain(device.name ?? device.id)]));
    fill(this.clone, h('option', { value: '' }, `${t('maker.clone')} ${t('maker.clone.choose')}`), open.map(([value, name]) => h('option', { value }, name)));
    this.clone.disabled = open.length === 0;
    this.clone.title = open.length ? '' : t('maker.clone.none');
  }

  #startFrom() {
    const entry = library?.find(({ name }) => name === this.start.value);
    this.start.value = '';
    if (entry) this.#replace({ yaml: entry.yaml });
  }

  async #clone() {
    const value = this.clone.value;
    this.clone.value = '';
    if (!value) return;
    const [explorer, peer] = JSON.parse(value);
    // The advertisement may be unknown: an explorer can open a bonded device without a scan.
    const seen = await this.studio.do('explorer.detail', { explorer, device: peer }).catch(() => null);
    const { data, scanResponse } = seen?.detail ?? {};
    const report = await this.studio.try('maker.clone', { explorer, peer, data: data?.octets, scanResponse: scanResponse?.octets });
    if (!report?.yaml) return;
    this.#replace({ yaml: report.yaml });
    if (report.refused?.length) this.studio.say(t('maker.clone.refused', { list: report.refused.slice(0, 4).join(', ') }));
  }

  #watchExplorers(list) {
    const present = new Set(list.map(({ id }) => id));
    for (const [id, { end }] of this.explorers) if (!present.has(id)) { end(); this.explorers.delete(id); }
    for (const id of present) {
      if (this.explorers.has(id)) continue;
      const entry = { devices: [], key: '', end: () => {} };
      this.explorers.set(id, entry);
      entry.end = this.studio.topic(`explorer.${id}.devices`, (devices) => {
        entry.devices = devices ?? [];
        const key = JSON.stringify(entry.devices.map((device) => [device.id, device.name, device.services?.length]));
        if (key !== entry.key) { entry.key = key; this.#drawChoices(); }
      });
    }
    this.#drawChoices();
  }

  async #openFile() {
    const file = this.file.files[0];
    this.file.value = '';
    if (!file) return;
    if (file.size > LIMIT) return this.studio.say(t('maker.tooLong'));
    try {
      this.#replace({ yaml: await file.text() });
    } catch {
      this.studio.say(t('maker.unreadable'));
    }
  }

  #save() {
    const name = (draft.tree.advertising?.name ?? 'device').toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '').slice(0, 40) || 'device';
    const address = URL.createObjectURL(new Blob([draft.yaml], { type: 'application/yaml' }));
    h('a', { href: address, download: `${name}.yaml` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60000);
  }

  // Running

  #device() {
    return this.room?.devices.find((device) => device.id === draft.device && device.program === 'profile');
  }

  #drawRuns() {
    const device = this.#device();
    const machine = this.machine?.adapter;
    const hasAdapter = this.machine?.hasAdapter ?? false;
    const isChanged = draft.yaml !== draft.applied;
    const key = JSON.stringify([device?.name, machine, hasAdapter, isChanged, this.isValid, this.room === null, this.isRunning, draft.device]);
    if (key === this.runsKey) return;
    this.runsKey = key;
    const focused = this.runs.contains(document.activeElement) ? document.activeElement.dataset.field : undefined;
    const button = (field, click, options = {}) => h('button', { dataset: { field }, onclick: click, ...options }, t(`maker.${field.split(':')[0]}`));
    fill(this.runs,
      h('div', { class: 'row' },
        device ? [h('span', { class: 'grow' }, t('maker.inRoom', { name: '\u2063' }).split('\u2063')[0], nameElement(device.name), t('maker.inRoom', { name: '\u2063' }).split('\u2063')[1]),
          button('apply:room', () => this.#apply('room'), { class: 'primary', disabled: !isChanged || !this.isValid }),
          button('show', () => { this.studio.select?.({ kind: 'device', id: device.id }); this.studio.show('room'); }),
          button('stop:room', () => this.#stopRoom(), { class: 'danger' })]
          : button('run.room', () => this.#runRoom(), { class: 'primary', disabled: !this.isValid || this.room === null }),
        hasAdapter && !machine ? button('run.adapter', () => this.#runAdapter(), { disabled: !this.isValid }) : null),
      device && this.isRunning === false ? h('p', { class: 'hint' }, t('maker.paused')) : null,
      device && !isChanged ? h('p', { class: 'hint' }, t('maker.saved')) : null,
      machine ? h('div', { class: 'column' }, h('div', { class: 'row' }, h('strong', {}, t('maker.onAdapter')),
        h('span', { class: 'chip' }, machine.isAdvertising ? t('maker.advertises') : t('maker.bluetooth', { state: machine.bluetooth })),
        h('span', { class: 'chip' }, t('maker.subscriptions', { n: machine.subscriptions })), h('span', { class: 'grow' }),
        button('apply:adapter', () => this.#apply('adapter'), { disabled: !isChanged || !this.isValid }), button('stop:adapter', () => this.studio.try('maker.stop'), { class: 'danger' })),
      h('ol', { class: 'maker-events small-text' }, machine.events.slice(-8).map((event) => h('li', { class: event.kind === 'error' ? 'bad' : null }, plain(event.text, 160))))) : null);
    if (focused !== undefined) (this.runs.querySelector(`[data-field="${focused}"]:not(:disabled)`) ?? this.runs.querySelector('button:not(:disabled)'))?.focus();
  }

  async #runRoom() {
    const count = this.room?.devices.length ?? 0;
    const name = draft.tree.advertising?.name;
    const added = await this.studio.try('room.add', { program: 'profile', ...(name ? { name } : {}), x: 2 + (count % 5), y: 2 + Math.floor(count / 5) % 4, profile: draft.yaml });
    if (!added) return;
    draft.device = added.id;
    this.#applied();
    this.studio.select?.({ kind: 'device', id: added.id });
  }

  async #runAdapter() {
    if (await this.studio.try('maker.run', { yaml: draft.yaml })) this.#applied();
  }

  async #apply(where) {
    const yaml = draft.yaml;
    const device = this.#device();
    const done = where === 'room' ? await this.studio.try('room.act', { device: draft.device, action: 'apply', with: { yaml } }) : await this.studio.try('maker.apply', { yaml });
    if (done === null) return;
    const name = draft.tree.advertising?.name;
    if (where === 'room' && name && name !== device?.name) await this.studio.try('room.rename', { device: draft.device, name });
    this.#applied(yaml);
    this.studio.say(t('maker.applied'));
  }

  #applied(yaml = draft.yaml) {
    draft.applied = yaml;
    this.#drawRuns();
    this.keep();
  }

  async #stopRoom() {
    if (await this.studio.try('room.remove', { device: draft.device })) draft.device = null;
    this.#drawRuns();
  }
}

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
        case "parts/room-air.js": ###"""
// Packets in flight: dots on a canvas above the plan, from the sender to its receivers.
//
// A dot takes the air time of its packet at the speed of the room, but at least 120 ms, so that an eye sees it. A busy room has more packets than
// an eye sees: the canvas then draws every k-th one, and `rate()` says how many there were and how many it drew.

import { plain } from '../text.js';

const LAYERS = ['adv', 'll', 'l2cap', 'att', 'smp', 'data'];
const SHORTEST = 120;     // ms of real time
const LONGEST = 1500;
const STEPPED = 700;      // a packet of "next packet"
const MOST_DOTS = 360;
const MOST_PACKETS = 30;  // that begin in one update
const RADIUS = 5;

export class Air {
  constructor(canvas, plan, store) {
    this.canvas = canvas;
    this.context = canvas.getContext('2d');
    this.plan = plan;
    this.store = store;
    this.dots = [];
    this.flown = new Set();
    this.drawn = 0;
    this.isBlank = true;
    this.motion = matchMedia('(prefers-reduced-motion: reduce)');
    this.colours();
  }

  resize(width, height) {
    this.ratio = Math.min(devicePixelRatio || 1, 2);
    this.canvas.width = Math.round(width * this.ratio);
    this.canvas.height = Math.round(height * this.ratio);
    this.width = width;
    this.height = height;
    this.isBlank = false;
    this.colours();
  }

  /** Reads the colours of the layers from the style sheet and draws a dot of each once. */
  colours() {
    const probe = document.createElement('span');
    document.body.append(probe);
    this.colour = {};
    for (const layer of LAYERS) {
      probe.className = `layer-${layer}`;
      this.colour[layer] = getComputedStyle(probe).color;
    }
    probe.className = 'bad';
    this.colour.bad = getComputedStyle(probe).color;
    probe.remove();
    this.sprites = new Map();
  }

  sprite(layer, isEncrypted) {
    const key = isEncrypted ? `${layer}+` : layer;
    let sprite = this.sprites.get(key);
    if (!sprite) {
      const ratio = this.ratio ?? 1;
      sprite = document.createElement('canvas');
      sprite.width = sprite.height = Math.ceil(22 * ratio);
      const context = sprite.getContext('2d');
      context.scale(ratio, ratio);
      context.translate(11, 11);
      context.fillStyle = context.strokeStyle = this.colour[layer] ?? this.colour.data;
      context.beginPath();
      context.arc(0, 0, RADIUS - (isEncrypted ? 1 : 0), 0, 7);
      context.fill();
      if (isEncrypted) {
        context.lineWidth = 1.6;
        context.beginPath();
        context.arc(0, 0, RADIUS + 3, 0, 7);
        context.stroke();
      }
      this.sprites.set(key, sprite);
    }
    return sprite;
  }

  clear() {
    this.dots.length = 0;
    this.flown.clear();
  }

  /** Takes new packets of the room. */
  take(packets, now) {
    const { time } = this.store;
    if (packets.length === 0 || time.isSeeking) return;
    // A page that opens, or that slept, gets packets of long ago: they are not in the air.
    const window = time.isRunning ? (time.speed || Infinity) * 300e6 : 1e6;
    const recent = window === Infinity ? packets : packets.filter((packet) => packet.start + packet.duration >= time.now - window);
    if (recent.length === 0) return;
    const allowed = Math.max(1, Math.min(MOST_PACKETS, MOST_DOTS - this.dots.length));
    const step = Math.max(1, recent.length / allowed);
    const first = recent[0].start;
    for (let place = 0; place < recent.length; place += step) {
      const packet = recent[Math.floor(place)];
      const scale = time.isRunning ? (time.speed ? 1 / (1e6 * time.speed) : 0) : 0;
      const wait = Math.min((packet.start - first) * scale, 33);
      const length = time.isRunning ? Math.min(Math.max(packet.duration * scale, SHORTEST), LONGEST) : STEPPED;
      this.spawn(packet, now + wait, length);
    }
    if (this.flown.size > 500) this.flown.clear();
  }

  spawn(packet, begin, length) {
    const receivers = packet.receivers ?? [];
    const heard = receivers.filter((reception) => reception[2] !== 'missed');
    const isLanding = this.flown.delete(packet.n);
    let targets = packet.link || heard.length === 0 ? receivers : heard;
    const most = this.dots.length > 150 ? 1 : 8;
    if (targets.length > most) targets = targets.slice(packet.n % targets.length).concat(targets).slice(0, most);
    let isDrawn = false;
    for (const [to, , outcome] of targets) {
      if (this.dots.length >= MOST_DOTS) break;
      if (!this.plan.isVisible(packet.sender, to)) continue;
      isDrawn = true;
      // A missed packet fades on its way; where depends on its number, so that two do not cover each other.
      const reach = outcome === 'received' ? 1 : outcome === 'corrupted' ? 0.93 : 0.5 + (packet.n * 7 % 10) / 28;
      this.dots.push({ from: packet.sender, to, begin, length: isLanding ? 320 : length, layer: packet.layer, isEncrypted: packet.isEncrypted, outcome, reach, isLanding });
    }
    if (isDrawn) this.drawn += 1;
  }

  /** Draws one frame. Returns whether another one is needed. */
  frame(now) {
    const { context, dots } = this;
    const flight = this.store.flight;
    if (dots.length === 0 && flight.length === 0) {
      if (!this.isBlank) context.clearRect(0, 0, this.canvas.width, this.canvas.height);
      this.isBlank = true;
      return false;
    }
    this.isBlank = false;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    if (flight.length) this.drawFlight(flight);
    for (let index = dots.length - 1; index >= 0; index -= 1) {
      const dot = dots[index];
      const part = (now - dot.begin) / dot.length;
      if (part >= 1) {
        dots[index] = dots[dots.length - 1];
        dots.pop();
      } else if (part >= 0) this.drawDot(dot, part);
    }
    context.globalAlpha = 1;
    return true;
  }

  drawDot(dot, part) {
    const from = this.plan.places.get(dot.from);
    const to = this.plan.places.get(dot.to);
    if (!from || !to) return;
    const { context } = this;
    const isLost = dot.outcome !== 'received';
    let way = this.motion.matches ? 0.5 : part;
    if (dot.isLanding) way = 1;
    way *= dot.reach;
    const x = from.x + (to.x - from.x) * way;
    const y = from.y + (to.y - from.y) * way;
    if (dot.isLanding && !isLost) {
      if (this.motion.matches) return;
      context.globalAlpha = 1 - part;
      context.strokeStyle = this.colour[dot.layer] ?? this.colour.data;
      context.lineWidth = 2;
      context.beginPath();
      context.arc(x, y, 18 + 12 * part, 0, 7);
      context.stroke();
      return;
    }
    context.globalAlpha = isLost ? Math.min(1, 1.6 * (1 - part)) : part > 0.92 ? (1 - part) / 0.08 : 1;
    context.drawImage(this.sprite(dot.layer, dot.isEncrypted), x - 11, y - 11, 22, 22);
    if (isLost && part > 0.55) {
      context.strokeStyle = this.colour.bad;
      context.lineWidth = 1.6;
      context.beginPath();
      context.moveTo(x - 7, y - 7); context.lineTo(x + 7, y + 7);
      context.moveTo(x + 7, y - 7); context.lineTo(x - 7, y + 7);
      context.stroke();
    }
  }

  /** Packets that the room holds in the air: their place is that of the virtual time. */
  drawFlight(flight) {
    const { context, plan, store } = this;
    const now = store.now();
    context.font = '600 11px system-ui, sans-serif';
    context.textAlign = 'center';
    for (const packet of flight) {
      const from = plan.places.get(packet.sender);
      const part = (now - packet.start) / packet.duration;
      if (!from || part < 0 || part > 4) continue;
      this.flown.add(packet.n);
      const colour = this.colour[packet.layer] ?? this.colour.data;
      const way = this.motion.matches ? 0.5 : Math.min(part, 1);
      const link = packet.link ? plan.links.get(packet.link) : plan.linkOf(packet.sender, packet.layer);
      const targets = link ? [link.central === packet.sender ? link.peripheral : link.central] : plan.listeners(packet.sender);
      if (!link && !this.motion.matches) {
        context.globalAlpha = 0.5 * (1 - way);
        context.strokeStyle = colour;
        context.lineWidth = 1.5;
        context.beginPath();
        context.arc(from.x, from.y, 18 + 60 * way, 0, 7);
        context.stroke();
      }
      context.globalAlpha = 1;
      let label = targets.length ? null : { x: from.x, y: from.y - 30 };
      for (const target of targets) {
        const to = plan.places.get(target);
        if (!to) continue;
        const x = from.x + (to.x - from.x) * way;
        const y = from.y + (to.y - from.y) * way;
        context.drawImage(this.sprite(packet.layer, packet.isEncrypted), x - 11, y - 11, 22, 22);
        label ??= { x, y: y - 14 };
      }
      if (label && flight.length <= 6) {
        context.fillStyle = colour;
        context.fillText(plain(packet.name, 40), label.x, label.y);
      }
    }
  }

  /** The number of packets that it drew since the last call. */
  takeDrawn() {
    const { drawn } = this;
    this.drawn = 0;
    return drawn;
  }
}

"""###
        case "parts/room-card.js": ###"""
// The card of what is selected or pointed at: a device, a link or a wall.

import { fill, h } from '../dom.js';
import { count, dBm, nameElement, plain } from '../text.js';
import { register, t } from '../words.js';
import { number } from './room-forms.js';
import { icon } from './room-icons.js';
import { toggleRun } from './time.js';

register({
  en: {
    'card.close': 'Close', 'card.off': 'Switched off.', 'card.idle': 'Switched on; the radio is idle.', 'card.advertising': 'Advertises, and waits for a central.',
    'card.scanning': 'Scans for peripherals.', 'card.connecting': 'Connects…', 'card.connected': 'Connected to {name}.', 'card.beacon': 'Advertises; no central can connect.',
    'card.on': 'Switch on', 'card.cut': 'Cut power', 'card.run': 'Run', 'card.explore': 'Open in the explorer', 'card.more': 'More', 'card.rename': 'Rename', 'card.name': 'Name',
    'card.place': 'Place', 'card.move': 'Move', 'card.loss': 'Packets that this device loses', 'card.address': 'Address', 'card.packets': 'Packets', 'card.remove': 'Remove', 'card.removed': '{name} is removed.',
    'card.link': 'Link', 'card.central': 'Central', 'card.peripheral': 'Peripheral', 'card.signal': 'Signal', 'card.interval': 'Interval', 'card.latency': 'Latency', 'card.timeout': 'Timeout',
    'card.phy': 'PHY', 'card.security': 'Security', 'card.encrypted': 'encrypted', 'card.plain': 'not encrypted', 'card.mtu': 'ATT MTU', 'card.sent': '{n} packet, {lost} lost||{n} packets, {lost} lost',
    'card.wall': 'Wall', 'card.attenuation': 'Attenuation', 'card.length': 'Length', 'card.events': '{n} event||{n} events', 'card.program': 'Program', 'card.octets': '{n} octet||{n} octets',
    'card.hears': '{name} receives {value}', 'card.apart': '{value} apart', 'card.show': 'Show the packets',
  },
  zh: {
    'card.close': '关闭', 'card.off': '已关闭。', 'card.idle': '已开启，无线电空闲。', 'card.advertising': '正在广播，等待中心设备。',
    'card.scanning': '正在扫描外围设备。', 'card.connecting': '正在连接…', 'card.connected': '已连接到 {name}。', 'card.beacon': '正在广播，不可连接。',
    'card.on': '打开', 'card.cut': '切断电源', 'card.run': '运行', 'card.explore': '在浏览中打开', 'card.more': '更多', 'card.rename': '重命名', 'card.name': '名称',
    'card.place': '位置', 'card.move': '移动', 'card.loss': '此设备丢失的数据包', 'card.address': '地址', 'card.packets': '数据包', 'card.remove': '移除', 'card.removed': '已移除 {name}。',
    'card.link': '连接', 'card.central': '中心设备', 'card.peripheral': '外围设备', 'card.signal': '信号', 'card.interval': '间隔', 'card.latency': '延迟', 'card.timeout': '超时',
    'card.phy': 'PHY', 'card.security': '安全', 'card.encrypted': '已加密', 'card.plain': '未加密', 'card.mtu': 'ATT MTU', 'card.sent': '{n} 个数据包，丢失 {lost} 个',
    'card.wall': '墙', 'card.attenuation': '衰减', 'card.length': '长度', 'card.events': '{n} 个事件', 'card.program': '程序', 'card.octets': '{n} 个字节',
    'card.hears': '{name} 收到 {value}', 'card.apart': '相距 {value}', 'card.show': '查看数据包',
  },
});

/** The state of a device in words. */
export function stateText(studio, device) {
  if (!device.isOn) return t('card.off');
  if (device.state === 'connected') {
    const link = studio.store.linksOf(device.id)[0];
    const peer = link && studio.store.device(link.central === device.id ? link.peripheral : link.central);
    if (peer) return t('card.connected', { name: plain(peer.name, 30) });
  }
  if (device.state === 'advertising' && device.kind === 'beacon') return t('card.beacon');
  return t(`card.${device.state}`);
}

/** Four bars from −100 to −40 dBm. */
export function signalBars(rssi) {
  const level = Number.isFinite(rssi) ? Math.min(Math.max(Math.ceil((rssi + 100) / 15), 0), 4) : 0;
  return h('span', { class: `bars ${level <= 1 ? 'bad' : level === 2 ? 'warn' : 'good'}`, 'aria-hidden': 'true' },
    [1, 2, 3, 4].map((bar) => h('i', { class: bar <= level ? 'on' : '' })));
}

/** A card in `place` that follows the selection and the pointer. Returns {show(item), update()}. */
export function card(place, studio) {
  let item = null;
  let refresh = null; // null while the room does not have the item, or not yet

  function show(next) {
    if (JSON.stringify(next) === JSON.stringify(item) && !place.hidden === Boolean(next)) return;
    item = next;
    const found = next && find(next);
    place.hidden = !found;
    if (!found) { fill(place); refresh = null; return; }
    refresh = { device: deviceCard, link: linkCard, wall: wallCard }[next.kind](found);
    refresh(found);
  }

  function find({ kind, id }) { return studio.store.room?.[`${kind}s`]?.find((each) => each.id === id); }

  function update() {
    if (!item) return;
    const found = find(item);
    if (found && refresh) refresh(found);
    else if (found) {
      const wanted = item;
      item = null;
      show(wanted);
    } else if (refresh) {
      if (JSON.stringify(studio.selected()) === JSON.stringify(item)) studio.select(null);
      show(null);
    }
  }

  const close = () => h('button', { class: 'quiet icon small close', 'aria-label': t('card.close'), onclick: () => { studio.select(null); show(null); } }, icon('close'));
  const facts = (...rows) => rows.flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]);

  function deviceCard({ id, kind, program }) {
    const title = h('h3', { class: 'grow name-place' });
    const state = h('p', { class: 'state' });
    const signal = h('div', { class: 'signal row' });
    const action = h('button', { class: 'primary', onclick: () => choice.run() });
    const name = h('input', { name: 'name', maxlength: 248, required: true, 'aria-label': t('card.name'), autocomplete: 'off' });
    const loss = h('input', { type: 'range', min: 0, max: 100, step: 1, onchange: () => studio.try('room.loss', { device: id, loss: Number(loss.value) / 100 }), oninput: () => { lossText.textContent = `${loss.value} %`; } });
    const lossText = h('output', {});
    const address = h('dd', { class: 'mono' });
    const packets = h('dd', {});
    const x = number('x', t('forms.x'), 0, 'm');
    const y = number('y', t('forms.y'), 0, 'm');
    const power = h('button', { class: 'small', onclick: () => studio.try('room.power', { device: id, isOn: !studio.store.device(id).isOn }) });
    let choice = { run() {} };
    fill(place, h('div', { class: 'between head' }, h('span', { class: `glyph ${kind}` }, icon(kind)), title, close()), state, signal, h('div', { class: 'row' }, action),
      h('details', {}, h('summary', {}, t('card.more')),
        h('dl', { class: 'facts' }, h('dt', {}, t('card.program')), h('dd', {}, plain(program, 40)), h('dt', {}, t('card.address')), address, h('dt', {}, t('card.packets')), packets),
        h('form', { class: 'row', onsubmit: (event) => { event.preventDefault(); studio.try('room.rename', { device: id, name: name.value }); } }, name, h('button', { class: 'small' }, t('card.rename'))),
        h('form', { class: 'row bottom', onsubmit: (event) => {
          event.preventDefault();
          studio.try('room.move', { device: id, x: Number(event.target.elements.x.value), y: Number(event.target.elements.y.value) });
        } }, x, y, h('button', { class: 'small' }, t('card.move'))),
        h('label', { class: 'field' }, h('span', {}, t('card.loss')), h('span', { class: 'row' }, loss, lossText)),
        h('div', { class: 'row' }, power, h('button', { class: 'small danger', onclick: () => removeDevice(studio, id) }, t('card.remove')))));
    const inputs = [x.querySelector('input'), y.querySelector('input')];
    return (device) => {
      const text = plain(device.name, 40);
      if (title.textContent !== text) fill(title, nameElement(device.name, 40));
      put(state, stateText(studio, device));
      const links = studio.store.linksOf(id);
      const rssi = studio.store.signal(id);
      const words = !device.isOn || rssi === null ? '' : links.length
        ? links.slice(0, 4).map((link) => {
          const peer = link.central === id ? link.peripheral : link.central;
          return t('card.hears', { name: plain(studio.store.device(peer)?.name ?? '', 20), value: dBm(link.central === id ? link.rssi.peripheral : link.rssi.central) });
        }).join('\n')
        : t('card.hears', { name: plain(studio.store.device(studio.store.heard.get(id)?.by)?.name ?? '', 20), value: dBm(rssi) });
      if (signal.dataset.text !== words) { signal.dataset.text = words; fill(signal, words ? [signalBars(rssi), h('span', { class: 'lines' }, words)] : []); }
      choice = deviceAction(studio, device);
      put(action, choice.text);
      action.className = choice.isPrimary ? 'primary' : '';
      put(address, device.address ?? '–');
      put(packets, count(studio.store.counts.byDevice?.[id] ?? 0));
      put(power, t(device.isOn ? 'card.cut' : 'card.on'));
      keep(name, device.name);
      keep(inputs[0], +device.x.toFixed(2));
      keep(inputs[1], +device.y.toFixed(2));
      if (keep(loss, Math.round((device.loss ?? 0) * 100))) put(lossText, `${loss.value} %`);
    };
  }

  function linkCard({ id }) {
    const title = h('h3', { class: 'grow' });
    const list = h('dl', { class: 'facts' });
    fill(place, h('div', { class: 'between head' }, h('span', { class: 'glyph' }, icon('radio')), title, close()), list);
    let last = '';
    return (link) => {
      const text = JSON.stringify(link);
      if (text === last) return;
      last = text;
      const central = studio.store.device(link.central);
      const peripheral = studio.store.device(link.peripheral);
      fill(title, nameElement(central?.name ?? '', 18), ' – ', nameElement(peripheral?.name ?? '', 18));
      fill(list, facts(
        [`${t('card.signal')} (${plain(central?.name ?? '', 14)})`, h('span', { class: 'row' }, signalBars(link.rssi.central), dBm(link.rssi.central))],
        [`${t('card.signal')} (${plain(peripheral?.name ?? '', 14)})`, h('span', { class: 'row' }, signalBars(link.rssi.peripheral), dBm(link.rssi.peripheral))],
        [t('card.interval'), `${link.interval} ms`], [t('card.latency'), t('card.events', { n: link.latency })], [t('card.timeout'), `${link.timeout} ms`],
        [t('card.phy'), link.phy.central === link.phy.peripheral ? link.phy.central : `${link.phy.central} / ${link.phy.peripheral}`],
        [t('card.security'), h('span', { class: 'row' }, link.isEncrypted ? icon('lock') : null, t(link.isEncrypted ? 'card.encrypted' : 'card.plain'))],
        [t('card.mtu'), t('card.octets', { n: link.mtu })], [t('card.packets'), t('card.sent', { n: count(link.packets), lost: count(link.lost) })]));
    };
  }

  function wallCard({ id }) {
    const list = h('dl', { class: 'facts' });
    fill(place, h('div', { class: 'between head' }, h('span', { class: 'glyph' }, icon('wall')), h('h3', { class: 'grow' }, t('card.wall')), close()), list,
      h('div', { class: 'row' }, h('button', { class: 'danger', onclick: () => studio.try('room.unwall', { wall: id }) }, t('card.remove'))));
    return (wall) => fill(list, facts([t('card.attenuation'), `${wall.attenuation} dB`], [t('card.length'), `${Math.hypot(wall.x2 - wall.x1, wall.y2 - wall.y1).toFixed(2)} m`]));
  }

  return { show, update, item: () => item };
}

/** The one action that makes sense now. */
function deviceAction(studio, device) {
  if (!device.isOn) return { text: t('card.on'), isPrimary: true, run: () => studio.try('room.power', { device: device.id, isOn: true }) };
  if (!studio.store.time.isRunning && studio.store.time.now === 0) return { text: t('card.run'), isPrimary: true, run: () => toggleRun(studio) };
  if (device.isExplorer) return { text: t('card.explore'), isPrimary: true, run: () => studio.show('explorer', device.id) };
  return { text: t('card.cut'), isPrimary: false, run: () => studio.try('room.power', { device: device.id, isOn: false }) };
}

export async function removeDevice(studio, id) {
  const device = studio.store.device(id);
  if (device && await studio.try('room.remove', { device: id }) !== null) studio.say(t('card.removed', { name: plain(device.name, 30) }));
}

function put(element, text) { if (element.textContent !== text) element.textContent = text; }

/** Shows a value in an input that the person does not edit at the moment. */
function keep(input, value) {
  if (document.activeElement === input) return false;
  if (input.value !== String(value)) input.value = value;
  return true;
}

"""###
        case "parts/room-forms.js": ###"""
// Forms of the room: a new device, a wall in numbers, the radio's environment, the choice of a scene.

import { fill, h } from '../dom.js';
import { plain } from '../text.js';
import { pick, register, t } from '../words.js';

register({
  en: {
    'forms.new': 'New device', 'forms.program': 'Program', 'forms.name': 'Name', 'forms.place': 'Place', 'forms.add': 'Add', 'forms.cancel': 'Cancel',
    'forms.maker': 'Or make your own device', 'forms.none': 'The room has no programs yet.', 'forms.wall': 'Wall', 'forms.wall.hint': 'Drag on the plan, or give both ends in metres.',
    'forms.from': 'From', 'forms.to': 'To', 'forms.attenuation': 'Attenuation', 'forms.build': 'Build', 'forms.done': 'Done', 'forms.radio': 'Radio',
    'forms.exponent': 'Path loss exponent', 'forms.fading': 'Fading', 'forms.loss': 'Packets lost', 'forms.sensitivity': 'Sensitivity',
    'forms.exponent.hint': '2 is free space, 3 to 4 a building.', 'forms.radio.hint': 'Applies to all devices from this moment on.', 'forms.apply': 'Apply',
    'forms.scene': 'Scene', 'forms.seed': 'Seed', 'forms.again': 'Begin anew', 'forms.metres': 'metres', 'forms.x': 'x', 'forms.y': 'y',
    'kind.phone': 'Phone', 'kind.wearable': 'Wearable', 'kind.sensor': 'Sensor', 'kind.beacon': 'Beacon', 'kind.lamp': 'Lamp', 'kind.other': 'Device',
  },
  zh: {
    'forms.new': '新设备', 'forms.program': '程序', 'forms.name': '名称', 'forms.place': '位置', 'forms.add': '添加', 'forms.cancel': '取消',
    'forms.maker': '或者制作自己的设备', 'forms.none': '房间里还没有程序。', 'forms.wall': '墙', 'forms.wall.hint': '在平面图上拖动，或者填写两端的坐标（米）。',
    'forms.from': '起点', 'forms.to': '终点', 'forms.attenuation': '衰减', 'forms.build': '建墙', 'forms.done': '完成', 'forms.radio': '无线环境',
    'forms.exponent': '路径损耗指数', 'forms.fading': '衰落', 'forms.loss': '丢包', 'forms.sensitivity': '灵敏度',
    'forms.exponent.hint': '2 为自由空间，3 到 4 为建筑物内。', 'forms.radio.hint': '从此刻起对所有设备生效。', 'forms.apply': '应用',
    'forms.scene': '场景', 'forms.seed': '随机种子', 'forms.again': '重新开始', 'forms.metres': '米', 'forms.x': 'x', 'forms.y': 'y',
    'kind.phone': '手机', 'kind.wearable': '穿戴设备', 'kind.sensor': '传感器', 'kind.beacon': '信标', 'kind.lamp': '灯', 'kind.other': '设备',
  },
});

/** The name of a program for people: the one that the room gives, or its identifier with a capital letter. */
export function programName(program) {
  const name = pick(program.name ?? program.title);
  if (name) return name;
  const words = program.id.replace(/[-_.]+/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function number(name, label, value, unit, options = {}) {
  return h('label', { class: 'field' }, h('span', {}, label),
    h('span', { class: 'row unit' }, h('input', { type: 'number', name, value, step: 'any', required: true, ...options }), unit ? h('span', { class: 'faint' }, unit) : null));
}

/** The values of a form's number fields. */
function numbers(form, ...names) {
  return Object.fromEntries(names.map((name) => [name, Number(form.elements[name].value)]));
}

/** A dialog with a form. build(close) returns its content; send(form) runs at submission, and the dialog closes if it does not return null. */
function formDialog(title, submit, content, send) {
  const dialog = h('dialog', { 'aria-labelledby': 'form-title', onclose: () => dialog.remove() });
  fill(dialog, h('form', { onsubmit: async (event) => {
    event.preventDefault();
    if (await send(event.target) !== null) dialog.close();
  } }, h('h2', { id: 'form-title' }, title), content(dialog),
  h('div', { class: 'actions' }, h('button', { type: 'button', class: 'quiet', onclick: () => dialog.close() }, t('forms.cancel')),
    h('button', { type: 'submit', class: 'primary' }, submit))));
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** Asks for a program, a name and a place, and adds the device. */
export function addDevice(studio, place) {
  const { programs, devices } = studio.store.room ?? { programs: [], devices: [] };
  // A program that needs more than a name has its own view.
  const choices = programs.filter((program) => program.id !== 'profile');
  const used = new Set(devices.map((device) => device.name));
  const free = (name) => { for (let n = 1; ; n += 1) { const next = n === 1 ? name : `${name} ${n}`; if (!used.has(next)) return next; } };
  const at = place ?? freePlace(devices);
  formDialog(t('forms.new'), t('forms.add'), (dialog) => {
    const name = h('input', { name: 'name', value: choices.length ? free(programName(choices[0])) : '', maxlength: 248, required: true, autocomplete: 'off' });
    let isNamed = false;
    name.addEventListener('input', () => { isNamed = true; });
    return h('div', { class: 'column' },
      choices.length === 0 ? h('p', { class: 'notice warn' }, t('forms.none')) : null,
      h('label', { class: 'field' }, h('span', {}, t('forms.program')), h('select', { name: 'program', onchange: (event) => {
        const program = choices.find((each) => each.id === event.target.value);
        if (!isNamed) name.value = free(programName(program));
      } }, choices.map((program) => h('option', { value: program.id }, `${plain(programName(program))} · ${t(`kind.${program.kind}`)}`)))),
      h('label', { class: 'field' }, h('span', {}, t('forms.name')), name),
      h('div', { class: 'row' }, number('x', t('forms.x'), +at.x.toFixed(2), 'm'), number('y', t('forms.y'), +at.y.toFixed(2), 'm')),
      h('p', {}, h('a', { href: '#maker', onclick: () => dialog.close() }, t('forms.maker'))));
  }, async (form) => {
    if (!form.elements.program.value) return null;
    const added = await studio.try('room.add', { program: form.elements.program.value, name: form.elements.name.value, ...numbers(form, 'x', 'y') });
    if (added) studio.select({ kind: 'device', id: added.id });
    return added;
  });
}

/** A place two metres beside the devices. */
function freePlace(devices) {
  if (devices.length === 0) return { x: 2, y: 2 };
  const last = devices[devices.length - 1];
  const angle = devices.length * 2.4;
  return { x: last.x + 2 * Math.cos(angle), y: last.y + 2 * Math.sin(angle) };
}

/** The form of the wall tool. Returns {element, attenuation(), show(wall)}. */
export function wallForm(studio, done) {
  const form = h('form', { class: 'card tool', 'aria-label': t('forms.wall'), onsubmit: async (event) => {
    event.preventDefault();
    const built = await studio.try('room.wall', numbers(form, 'x1', 'y1', 'x2', 'y2', 'attenuation'));
    if (built) studio.select({ kind: 'wall', id: built.id });
  } },
  h('p', { class: 'hint' }, t('forms.wall.hint')),
  h('fieldset', {}, h('legend', {}, t('forms.from')), number('x1', t('forms.x'), 2, 'm'), number('y1', t('forms.y'), 0, 'm')),
  h('fieldset', {}, h('legend', {}, t('forms.to')), number('x2', t('forms.x'), 2, 'm'), number('y2', t('forms.y'), 3, 'm')),
  number('attenuation', t('forms.attenuation'), 20, 'dB', { min: 0, max: 200 }),
  h('div', { class: 'row end' }, h('button', { type: 'button', class: 'quiet', onclick: done }, t('forms.done')), h('button', { type: 'submit', class: 'primary' }, t('forms.build'))));
  return {
    element: form,
    attenuation: () => Number(form.elements.attenuation.value) || 0,
    show: (wall) => { for (const name of ['x1', 'y1', 'x2', 'y2']) form.elements[name].value = +wall[name].toFixed(2); },
  };
}

/** The radio's environment and the scene. */
export function environmentDialog(studio) {
  const { environment, scene, seed, scenes } = studio.store.room;
  const fading = typeof environment.fading === 'number';
  formDialog(t('forms.radio'), t('forms.apply'), (dialog) => h('div', { class: 'column' },
    h('div', { class: 'fields' },
      number('pathLossExponent', t('forms.exponent'), environment.pathLossExponent, '', { min: 1, max: 8 }),
      fading ? number('fading', t('forms.fading'), environment.fading, 'dB', { min: 0, max: 40 }) : null,
      number('packetLoss', t('forms.loss'), +((environment.packetLoss ?? 0) * 100).toFixed(3), '%', { min: 0, max: 100 }),
      number('sensitivity', t('forms.sensitivity'), environment.sensitivity, 'dBm', { min: -130, max: 0 })),
    h('p', { class: 'hint' }, t('forms.exponent.hint'), ' ', t('forms.radio.hint')),
    h('hr', {}),
    h('div', { class: 'row scene' },
      h('label', { class: 'field' }, h('span', {}, t('forms.scene')), h('select', { name: 'scene' },
        (scenes?.length ? scenes : [scene]).map((name) => h('option', { value: name, selected: name === scene }, name)))),
      number('seed', t('forms.seed'), seed, '', { step: 1, min: 0 }),
      h('button', { type: 'button', onclick: async (event) => {
        const { form } = event.target;
        if (await studio.try('room.scene', { scene: form.elements.scene.value, seed: Number(form.elements.seed.value) }) !== null) dialog.close();
      } }, t('forms.again')))), (form) => {
    const values = numbers(form, 'pathLossExponent', 'packetLoss', 'sensitivity');
    values.packetLoss /= 100;
    if (fading) values.fading = Number(form.elements.fading.value);
    return studio.try('room.environment', { ...environment, ...values });
  });
}

"""###
        case "parts/room-hands.js": ###"""
// Pointer and keyboard on the plan: select, move a device, draw a wall, pan and zoom.

import { dBm, plain } from '../text.js';
import { t } from '../words.js';
import { removeDevice } from './room-card.js';

const STEP = 0.25;
const LARGE_STEP = 1;

/** Listens on the plan. tool() is 'select' or 'wall'; hooks: {changed, point, draft, built, endTool}. Returns a function that ends this. */
export function listenOnPlan(plan, studio, tool, hooks) {
  const svg = plan.element;
  let hold = null;
  let sent = 0;
  let timer = 0;
  const fingers = new Map();

  const at = (event) => {
    const box = svg.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const itemOf = (target) => target.closest?.('g[data-id]')?.dataset;

  /** Sends the place of a device, at most 20 times a second; the last place always. */
  function move(id, place, isLast) {
    plan.held.set(id, place);
    hooks.changed();
    clearTimeout(timer);
    const wait = 50 - (performance.now() - sent);
    if (!isLast && wait > 0) { timer = setTimeout(() => move(id, place, false), wait); return; }
    sent = performance.now();
    const done = studio.try('room.move', { device: id, x: round(place.x), y: round(place.y) });
    if (isLast) done.then(() => { if (plan.held.get(id) === place) setTimeout(() => { if (plan.held.get(id) === place) { plan.held.delete(id); hooks.changed(); } }, 120); });
  }

  function down(event) {
    if (event.button !== 0) return;
    const point = at(event);
    fingers.set(event.pointerId, point);
    if (fingers.size === 2) { hold = { kind: 'pinch' }; return; }
    const item = tool() === 'wall' ? null : itemOf(event.target);
    const place = plan.toRoom(point.x, point.y);
    if (tool() === 'wall') hold = { kind: 'wall', start: place };
    else if (item?.kind === 'device') {
      const device = plan.where(studio.store.device(item.id));
      hold = { kind: 'device', id: item.id, offset: { x: device.x - place.x, y: device.y - place.y } };
    } else hold = { kind: 'pan', item };
    Object.assign(hold, { from: point, last: point, isMoved: false });
    svg.setPointerCapture(event.pointerId);
  }

  function drag(event) {
    const point = at(event);
    if (!hold) {
      const item = itemOf(event.target);
      hooks.point(item && tool() === 'select' ? { kind: item.kind, id: item.id } : null);
      return;
    }
    if (hold.kind === 'pinch') { pinch(event, point); return; }
    if (!hold.isMoved && Math.hypot(point.x - hold.from.x, point.y - hold.from.y) < 4) return;
    hold.isMoved = true;
    const place = plan.toRoom(point.x, point.y);
    if (hold.kind === 'wall') hooks.draft(wallTo(place));
    else if (hold.kind === 'device') move(hold.id, { x: place.x + hold.offset.x, y: place.y + hold.offset.y }, false);
    else {
      plan.pan(point.x - hold.last.x, point.y - hold.last.y);
      hooks.changed();
    }
    hold.last = point;
  }

  function pinch(event, point) {
    const before = [...fingers.values()];
    fingers.set(event.pointerId, point);
    const after = [...fingers.values()];
    if (after.length !== 2) return;
    const middle = { x: (after[0].x + after[1].x) / 2, y: (after[0].y + after[1].y) / 2 };
    plan.zoom(distance(after) / Math.max(distance(before), 1), middle.x, middle.y);
    hooks.changed();
  }

  function up(event) {
    fingers.delete(event.pointerId);
    if (!hold || hold.kind === 'pinch') { if (fingers.size === 0) hold = null; return; }
    const ended = hold;
    hold = null;
    if (event.type === 'pointercancel') { hooks.draft(null); return; }
    if (ended.kind === 'wall') {
      const point = at(event);
      const wall = { x1: ended.start.x, y1: ended.start.y, ...end(plan.toRoom(point.x, point.y), ended.start) };
      hooks.draft(null);
      if (Math.hypot(wall.x2 - wall.x1, wall.y2 - wall.y1) > 0.1) hooks.built({ x1: round(wall.x1), y1: round(wall.y1), x2: round(wall.x2), y2: round(wall.y2) });
    } else if (ended.kind === 'device' && ended.isMoved) move(ended.id, plan.held.get(ended.id), true);
    else if (ended.kind === 'device') { studio.select({ kind: 'device', id: ended.id }); plan.focus(ended.id); }
    else if (!ended.isMoved) studio.select(ended.item ? { kind: ended.item.kind, id: ended.item.id } : null);
  }

  const wallTo = (place) => ({ x1: hold.start.x, y1: hold.start.y, ...end(place, hold.start) });
  /** A wall that is nearly level or upright becomes so. */
  const end = (place, start) => {
    const near = 8 / plan.camera.scale;
    return { x2: Math.abs(place.x - start.x) < near ? start.x : place.x, y2: Math.abs(place.y - start.y) < near ? start.y : place.y };
  };

  function wheel(event) {
    event.preventDefault();
    const point = at(event);
    plan.zoom(Math.exp(-Math.max(-60, Math.min(60, event.deltaY * (event.deltaMode ? 20 : 1))) / 240), point.x, point.y);
    hooks.changed();
  }

  let saying = 0;
  function key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const item = itemOf(event.target);
    const arrow = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (arrow && item?.kind === 'device') {
      const device = studio.store.device(item.id);
      const step = event.shiftKey ? LARGE_STEP : STEP;
      const from = plan.where(device);
      move(item.id, { x: from.x + arrow[0] * step, y: from.y + arrow[1] * step }, true);
      clearTimeout(saying);
      saying = setTimeout(() => say(item.id), 500);
    } else if ((event.key === 'Enter' || event.key === ' ') && item) studio.select(plan.isSelected(item.kind, item.id) ? null : { kind: item.kind, id: item.id });
    else if (event.key === 'Delete' && item?.kind === 'device') removeDevice(studio, item.id);
    else if (event.key === 'Delete' && item?.kind === 'wall') studio.try('room.unwall', { wall: item.id });
    else if (event.key === 'PageDown' || event.key === 'PageUp') {
      const devices = studio.store.room?.devices ?? [];
      const index = devices.findIndex((device) => device.id === (item?.id ?? plan.active));
      if (devices.length) plan.focus(devices[(index + (event.key === 'PageDown' ? 1 : -1) + devices.length) % devices.length].id);
    } else if (event.key === '+' || event.key === '=') plan.zoom(1.25);
    else if (event.key === '-') plan.zoom(0.8);
    else if (event.key === 'f') plan.fit();
    else if (event.key === 'Escape') { studio.select(null); hooks.endTool(); } else return;
    event.preventDefault();
    hooks.changed();
  }

  function say(id) {
    const device = studio.store.device(id);
    if (!device) return;
    const signal = studio.store.linksOf(id).length ? studio.store.signal(id) : null;
    studio.announce(t(signal === null ? 'plan.moved' : 'plan.movedSignal', { name: plain(device.name, 30), x: device.x.toFixed(2), y: device.y.toFixed(2), signal: dBm(signal) }));
  }

  const focus = (event) => {
    const item = itemOf(event.target);
    if (item?.kind !== 'device') return;
    plan.active = item.id;
    studio.highlight(item.id);
  };
  const blur = () => studio.highlight(null);
  const leave = () => { if (!hold) hooks.point(null); };

  const listeners = [['pointerdown', down], ['pointermove', drag], ['pointerup', up], ['pointercancel', up], ['pointerleave', leave], ['keydown', key], ['focusin', focus], ['focusout', blur]];
  for (const [name, listener] of listeners) svg.addEventListener(name, listener);
  svg.addEventListener('wheel', wheel, { passive: false });
  return () => { clearTimeout(timer); clearTimeout(saying); };
}

function distance([one, other]) { return Math.hypot(one.x - other.x, one.y - other.y); }
function round(value) { return Math.round(value * 100) / 100; }

"""###
        case "parts/room-icons.js": ###"""
// Icons as strokes in a square of 24.

import { s } from '../dom.js';

const PATHS = {
  studio: 'M12 3v18M7 8l10 8-5 5V3l5 5L7 16',
  phone: 'M8 3h8a1.5 1.5 0 0 1 1.5 1.5v15A1.5 1.5 0 0 1 16 21H8a1.5 1.5 0 0 1-1.5-1.5v-15A1.5 1.5 0 0 1 8 3zM11 18h2',
  wearable: 'M12 7a5 5 0 1 1 0 10a5 5 0 0 1 0-10zM9 7.5 9.6 3h4.8l.6 4.5M9 16.5l.6 4.5h4.8l.6-4.5M12 10v2l1.4 1',
  sensor: 'M10 13.5V5a2 2 0 1 1 4 0v8.5a4 4 0 1 1-4 0zM12 9v7',
  beacon: 'M12 13v8M12 10.5a1.2 1.2 0 1 1 0 2.4a1.2 1.2 0 0 1 0-2.4zM8.5 15a5 5 0 1 1 7 0M6 17.5a8.5 8.5 0 1 1 12 0',
  lamp: 'M9 17.5h6M10 21h4M12 3a6 6 0 0 1 3.5 10.9c-.6.5-.9 1.1-.9 1.8H9.4c0-.7-.3-1.3-.9-1.8A6 6 0 0 1 12 3z',
  other: 'M6.5 6.5h11v11h-11zM10 3v3.5M14 3v3.5M10 17.5V21M14 17.5V21M3 10h3.5M3 14h3.5M17.5 10H21M17.5 14H21',
  run: 'M8 5.5v13l10.5-6.5z', pause: 'M8.5 5.5v13M15.5 5.5v13', start: 'M6 5.5v13M18.5 5.5v13L9 12z', step: 'M6 5.5v13l9-6.5zM18 5.5v13',
  plus: 'M12 5v14M5 12h14', minus: 'M5 12h14', close: 'M6.5 6.5l11 11M17.5 6.5l-11 11', fit: 'M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5',
  wall: 'M3 6h18v12H3zM3 12h18M9 6v6M15 6v6M6 12v6M12 12v6M18 12v6', select: 'M6 3.5l12.5 8-5.5 1.5-2.5 5.5z', radio: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 5v4M9 15v4',
  lock: 'M6.5 11h11v9h-11zM8.5 11V8a3.5 3.5 0 0 1 7 0v3', open: 'M9 6l6 6-6 6',
  keyboard: 'M3 7h18v10H3zM6.5 10.5h.01M10 10.5h.01M14 10.5h.01M17.5 10.5h.01M8 14h8', system: 'M12 4a8 8 0 1 0 0 16zM12 4a8 8 0 0 1 0 16',
  light: 'M12 8a4 4 0 1 1 0 8a4 4 0 0 1 0-8zM12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.700l1.4-1.4M17.3 6.700l1.4-1.4',
  dark: 'M19.5 14.5A8 8 0 1 1 9.5 4.5a6.5 6.5 0 0 0 10 10z',
};

export function iconPath(name) { return PATHS[name] ?? PATHS.other; }

export function icon(name) {
  return s('svg', { viewBox: '0 0 24 24', width: 16, height: 16, fill: 'none', stroke: 'currentColor', 'stroke-width': 1.8, 'stroke-linecap': 'round', 'stroke-linejoin': 'round', 'aria-hidden': 'true' },
    s('path', { d: iconPath(name) }));
}

"""###
        case "parts/room-keys.js": ###"""
// Single keys for the time bar, and the dialog that lists them. A choice turns them off, for people whose software types words.

import { h } from '../dom.js';
import { register, t } from '../words.js';
import { backToStart, changeSpeed, stepPacket, toggleRun } from './time.js';

register({
  en: {
    'keys.title': 'Keyboard', 'keys.run': 'Run or pause', 'keys.step': 'Run to the end of the next packet', 'keys.slower': 'Slower', 'keys.faster': 'Faster',
    'keys.start': 'Back to the start', 'keys.arrows': 'Move the focused device by 0.25 m; with Shift by 1 m', 'keys.page': 'The next or previous device of the plan',
    'keys.delete': 'Remove the focused device or wall', 'keys.escape': 'End the wall tool; close the card', 'keys.space': 'Space',
    'keys.single': 'Single keys control the time', 'keys.close': 'Close', 'keys.zoom': 'Zoom; show everything',
  },
  zh: {
    'keys.title': '键盘', 'keys.run': '运行或暂停', 'keys.step': '运行到下一个数据包结束', 'keys.slower': '更慢', 'keys.faster': '更快',
    'keys.start': '回到开始', 'keys.arrows': '移动聚焦的设备 0.25 m；按住 Shift 为 1 m', 'keys.page': '平面图中的下一个或上一个设备',
    'keys.delete': '移除聚焦的设备或墙', 'keys.escape': '结束画墙；关闭卡片', 'keys.space': '空格',
    'keys.single': '用单个按键控制时间', 'keys.close': '关闭', 'keys.zoom': '缩放；显示全部',
  },
});

let isOn = true;
try { isOn = localStorage.getItem('keys') !== 'off'; } catch { /* storage may be blocked */ }

export function listenForKeys(studio) {
  const listener = (event) => {
    if (!isOn || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target;
    if (target.closest?.('input:not([type="range"], [type="checkbox"], [type="radio"]), textarea, select, [contenteditable], dialog')) return;
    if (event.key === ' ') {
      if (target.closest?.('button, a, summary, input, [role="button"], [role="tab"], [role="option"], [role="treeitem"]')) return;
      toggleRun(studio);
    } else if (event.key === '.' || event.key === 'n') stepPacket(studio);
    else if (event.key === '[') changeSpeed(studio, -1);
    else if (event.key === ']') changeSpeed(studio, 1);
    else if (event.key === '0') backToStart(studio);
    else return;
    event.preventDefault();
  };
  addEventListener('keydown', listener);
  return () => removeEventListener('keydown', listener);
}

export function keysDialog() {
  const row = (keys, text) => h('tr', {}, h('td', {}, h('span', { class: 'row' }, keys.map((key) => h('kbd', {}, key)))), h('td', {}, text));
  const dialog = h('dialog', { 'aria-labelledby': 'keys-title', onclose: () => dialog.remove() },
    h('h2', { id: 'keys-title' }, t('keys.title')),
    h('table', { class: 'table' }, h('tbody', {},
      row([t('keys.space')], t('keys.run')), row(['.', 'n'], t('keys.step')), row(['['], t('keys.slower')), row([']'], t('keys.faster')), row(['0'], t('keys.start')),
      row(['↑', '↓', '←', '→'], t('keys.arrows')), row(['Page ↑', 'Page ↓'], t('keys.page')), row(['+', '−', 'f'], t('keys.zoom')), row(['Delete'], t('keys.delete')), row(['Esc'], t('keys.escape')))),
    h('div', { class: 'actions between' },
      h('label', { class: 'switch' }, h('input', { type: 'checkbox', role: 'switch', checked: isOn, onchange: (event) => {
        isOn = event.target.checked;
        try { localStorage.setItem('keys', isOn ? 'on' : 'off'); } catch { /* storage may be blocked */ }
      } }), t('keys.single')),
      h('button', { class: 'primary', autofocus: true, onclick: () => dialog.close() }, t('keys.close'))));
  document.body.append(dialog);
  dialog.showModal();
}

"""###
        case "parts/room-pane.js": ###"""
// A side pane: a header with a count and buttons, and a body that scrolls. On a narrow page it folds.

import { fill, h } from '../dom.js';
import { register, t } from '../words.js';
import { icon } from './room-icons.js';

register({ en: { 'pane.fold': 'Show or hide: {name}' }, zh: { 'pane.fold': '显示或隐藏：{name}' } });

const folded = new Map();

/** Fills an aside. isFolded: whether it starts folded on a narrow page. Returns {count, body}. */
export function pane(place, title, isFolded, ...buttons) {
  const body = h('div', { class: 'body' });
  const count = h('span', { class: 'faint small-text number' });
  const fold = h('button', { class: 'quiet icon small fold', 'aria-label': t('pane.fold', { name: title }), onclick: () => show(place.dataset.folded !== 'true') }, icon('open'));
  function show(state) {
    place.dataset.folded = String(state);
    folded.set(place.className, state);
    fold.setAttribute('aria-expanded', String(!state));
  }
  fill(place, h('header', {}, h('h2', {}, title), count, buttons, fold), body);
  show(folded.get(place.className) ?? isFolded);
  return { body, count };
}

"""###
        case "parts/room-plan.js": ###"""
// The plan: devices, walls and links as SVG, with a camera. Its elements are buttons: the pointer and the keyboard select and move them.

import { s } from '../dom.js';
import { dBm, plain } from '../text.js';
import { register, t } from '../words.js';
import { iconPath } from './room-icons.js';

register({
  en: {
    'plan.label': 'Plan of the room. Arrow keys move the focused device.', 'plan.device': '{name}, {kind}, {state}', 'plan.link': 'Link of {central} and {peripheral}, {text}',
    'plan.wall': 'Wall, {attenuation} dB', 'plan.moved': '{name} at {x}, {y} m.', 'plan.movedSignal': '{name} at {x}, {y} m, {signal}.', 'plan.encrypted': 'encrypted',
  },
  zh: {
    'plan.label': '房间平面图。方向键移动聚焦的设备。', 'plan.device': '{name}，{kind}，{state}', 'plan.link': '{central} 与 {peripheral} 的连接，{text}',
    'plan.wall': '墙，{attenuation} dB', 'plan.moved': '{name} 位于 {x}、{y} 米。', 'plan.movedSignal': '{name} 位于 {x}、{y} 米，{signal}。', 'plan.encrypted': '已加密',
  },
});

const MANY = 30;    // devices from which on names show only when pointed at
const LABELS = 12;  // links from which on texts show only when pointed at

export class Plan {
  constructor(studio) {
    this.studio = studio;
    this.width = 600;
    this.height = 400;
    this.camera = { x: 3, y: 2, scale: 80 };
    this.isOwnView = false;     // the person chose the part of the room that shows
    this.places = new Map();    // device: {x, y} in pixels
    this.links = new Map();
    this.held = new Map();      // device: {x, y} in metres, while a move is under way
    this.entries = { device: new Map(), link: new Map(), wall: new Map() };
    this.pattern = s('pattern', { id: 'grid', patternUnits: 'userSpaceOnUse' }, s('circle', { class: 'grid-dot', cx: 0.75, cy: 0.75, r: 0.75 }));
    this.layers = { wall: s('g'), link: s('g'), device: s('g') };
    this.draft = s('line', { class: 'draft' });
    this.element = s('svg', { class: 'plan', role: 'group', 'aria-label': t('plan.label') },
      s('defs', {}, this.pattern), s('rect', { class: 'floor', width: '100%', height: '100%', fill: 'url(#grid)' }),
      this.layers.wall, this.layers.link, this.layers.device, this.draft);
  }

  get room() { return this.studio.store.room; }

  // The camera

  toScreen(x, y) { return { x: (x - this.camera.x) * this.camera.scale + this.width / 2, y: (y - this.camera.y) * this.camera.scale + this.height / 2 }; }

  toRoom(x, y) { return { x: (x - this.width / 2) / this.camera.scale + this.camera.x, y: (y - this.height / 2) / this.camera.scale + this.camera.y }; }

  resize(width, height) {
    this.width = width;
    this.height = height;
    this.element.setAttribute('viewBox', `0 0 ${width} ${height}`);
    if (!this.isOwnView) this.fit();
  }

  /** Shows all devices and walls. */
  fit() {
    this.isOwnView = false;
    const points = (this.room?.devices ?? []).map((device) => [device.x, device.y]);
    for (const wall of this.room?.walls ?? []) points.push([wall.x1, wall.y1], [wall.x2, wall.y2]);
    if (points.length === 0) points.push([0, 0], [6, 4]);
    const [left, right] = range(points.map((point) => point[0]));
    const [top, bottom] = range(points.map((point) => point[1]));
    const scale = Math.min((this.width - Math.min(170, this.width * 0.36)) / Math.max(right - left, 0.5), (this.height - 230) / Math.max(bottom - top, 0.5), 160);
    this.camera = { x: (left + right) / 2, y: (top + bottom) / 2, scale: Math.max(scale, 2) };
  }

  zoom(factor, x = this.width / 2, y = this.height / 2) {
    const fixed = this.toRoom(x, y);
    this.isOwnView = true;
    this.camera.scale = Math.min(Math.max(this.camera.scale * factor, 2), 600);
    const moved = this.toRoom(x, y);
    this.camera.x += fixed.x - moved.x;
    this.camera.y += fixed.y - moved.y;
  }

  pan(x, y) {
    this.isOwnView = true;
    this.camera.x -= x / this.camera.scale;
    this.camera.y -= y / this.camera.scale;
  }

  /** A length that fits the scale bar: {metres, pixels}. */
  scaleBar() {
    const most = 130 / this.camera.scale;
    const power = 10 ** Math.floor(Math.log10(most));
    const metres = [5, 2, 1].map((step) => step * power).find((step) => step <= most);
    return { metres, pixels: metres * this.camera.scale };
  }

  // What the canvas above asks

  isVisible(from, to) {
    const one = this.places.get(from);
    const other = this.places.get(to);
    if (!one || !other) return false;
    return Math.max(one.x, other.x) > 0 && Math.max(one.y, other.y) > 0 && Math.min(one.x, other.x) < this.width && Math.min(one.y, other.y) < this.height;
  }

  /** The link of a device that sends on a data channel. */
  linkOf(id, layer) { return layer === 'adv' ? null : this.studio.store.linksOf(id)[0] ?? null; }

  listeners(sender) {
    return (this.room?.devices ?? []).filter((device) => device.id !== sender && (device.state === 'scanning' || device.state === 'connecting')).slice(0, 8).map((device) => device.id);
  }

  where(device) { return this.held.get(device.id) ?? device; }

  // Drawing

  draw() {
    const { room } = this;
    if (!room) return;
    const size = gridStep(this.camera.scale) * this.camera.scale;
    const origin = this.toScreen(0, 0);
    put(this.pattern, { width: size, height: size, x: origin.x - 0.75, y: origin.y - 0.75 });
    const devices = new Map(room.devices.map((device) => [device.id, device]));
    this.places.clear();
    this.links.clear();
    for (const device of room.devices) {
      const at = this.where(device);
      this.places.set(device.id, this.toScreen(at.x, at.y));
    }
    for (const link of room.links) this.links.set(link.id, link);
    const isMany = room.devices.length > MANY;
    this.element.classList.toggle('many', isMany);
    this.element.classList.toggle('many-links', room.links.length > LABELS);
    this.bring('wall', room.walls, (wall) => this.makeWall(wall), (entry, wall) => this.drawWall(entry, wall));
    this.bring('link', room.links, (link) => this.makeLink(link), (entry, link) => this.drawLink(entry, link, devices));
    this.bring('device', room.devices, (device) => this.makeDevice(device), (entry, device) => this.drawDevice(entry, device, isMany));
    if (this.active === undefined || !devices.has(this.active)) this.active = room.devices[0]?.id;
  }

  bring(kind, items, make, update) {
    const entries = this.entries[kind];
    const gone = new Set(entries.keys());
    for (const item of items) {
      gone.delete(item.id);
      let entry = entries.get(item.id);
      if (!entry) {
        entry = make(item);
        entry.group.dataset.kind = kind;
        entry.group.dataset.id = item.id;
        entries.set(item.id, entry);
        this.layers[kind].append(entry.group);
      }
      update(entry, item);
    }
    for (const id of gone) {
      entries.get(id).group.remove();
      entries.delete(id);
    }
  }

  makeDevice(device) {
    const parts = {
      halo: s('circle', { class: 'halo', r: 26 }), name: s('text', { class: 'label', y: 36 }), state: s('text', { class: 'sub', y: 51 }),
      icon: s('path', { class: 'icon', d: iconPath(device.kind), transform: 'translate(-11 -11) scale(.92)' }),
    };
    parts.group = s('g', { role: 'button', tabindex: 0 }, s('circle', { class: 'hit', r: 24 }), parts.halo, s('circle', { class: 'disc', r: 19 }), parts.icon, parts.name, parts.state);
    return parts;
  }

  drawDevice(entry, device, isMany) {
    const at = this.places.get(device.id);
    const state = t(`state.${device.state}`);
    put(entry.group, {
      transform: `translate(${at.x.toFixed(1)} ${at.y.toFixed(1)})${isMany ? ' scale(.6)' : ''}`,
      class: `device ${device.state} ${device.kind}${this.marks('device', device.id)}`,
      tabindex: !isMany || device.id === this.active ? 0 : -1,
      'aria-pressed': String(this.isSelected('device', device.id)),
      'aria-label': t('plan.device', { name: plain(device.name, 60), kind: t(`kind.${device.kind}`), state }),
    });
    text(entry.name, plain(device.name, 24));
    text(entry.state, state);
  }

  makeLink() {
    const parts = { hit: s('line', { class: 'hit' }), line: s('line', { class: 'line' }), pill: s('rect', { class: 'pill', height: 24, rx: 12 }), signal: s('tspan', { class: 'strong' }), facts: s('tspan', { class: 'facts' }) };
    parts.text = s('text', {}, parts.signal, parts.facts);
    parts.group = s('g', { role: 'button', tabindex: 0 }, parts.hit, parts.line, parts.pill, parts.text);
    return parts;
  }

  drawLink(entry, link, devices) {
    const from = this.places.get(link.central);
    const to = this.places.get(link.peripheral);
    if (!from || !to) return put(entry.group, { class: 'link hidden' });
    for (const line of [entry.hit, entry.line]) put(line, { x1: from.x.toFixed(1), y1: from.y.toFixed(1), x2: to.x.toFixed(1), y2: to.y.toFixed(1) });
    const signal = dBm(link.rssi.central);
    const phy = link.phy.central === link.phy.peripheral ? link.phy.central : `${link.phy.central}/${link.phy.peripheral}`;
    const facts = [`${link.interval} ms`, phy, ...(link.isEncrypted ? [t('plan.encrypted')] : [])].join(' · ');
    if (entry.signal.textContent !== signal || entry.facts.textContent !== ` · ${facts}` || !entry.width) {
      entry.signal.textContent = signal;
      entry.facts.textContent = ` · ${facts}`;
      entry.width = entry.text.getComputedTextLength() + 22;
    }
    // The text stands on the line, or under both devices if the line is too short for it.
    const isShort = Math.hypot(to.x - from.x, to.y - from.y) < entry.width + 64 && Math.abs(to.y - from.y) < 150;
    const middle = { x: (from.x + to.x) / 2, y: isShort ? Math.max(from.y, to.y) + 78 : (from.y + to.y) / 2 };
    put(entry.pill, { x: (middle.x - entry.width / 2).toFixed(1), y: (middle.y - 12).toFixed(1), width: entry.width.toFixed(1) });
    put(entry.text, { x: middle.x.toFixed(1), y: (middle.y + 4).toFixed(1) });
    const strength = Math.min(link.rssi.central, link.rssi.peripheral);
    put(entry.group, {
      class: `link ${strength < -85 ? 'poor' : strength < -70 ? 'fair' : 'fine'}${link.isEncrypted ? ' encrypted' : ''}${this.marks('link', link.id)}`,
      tabindex: this.element.classList.contains('many') ? -1 : 0,
      'aria-pressed': String(this.isSelected('link', link.id)),
      'aria-label': t('plan.link', { central: plain(devices.get(link.central)?.name, 40), peripheral: plain(devices.get(link.peripheral)?.name, 40), text: `${signal}, ${facts}` }),
    });
    return undefined;
  }

  makeWall() {
    const parts = { hit: s('line', { class: 'hit' }), line: s('line', { class: 'line' }), text: s('text', { class: 'sub' }) };
    parts.group = s('g', { role: 'button', tabindex: 0 }, parts.hit, parts.line, parts.text);
    return parts;
  }

  drawWall(entry, wall) {
    const from = this.toScreen(wall.x1, wall.y1);
    const to = this.toScreen(wall.x2, wall.y2);
    for (const line of [entry.hit, entry.line]) put(line, { x1: from.x.toFixed(1), y1: from.y.toFixed(1), x2: to.x.toFixed(1), y2: to.y.toFixed(1) });
    // The text stands at the upper end, where links seldom cross.
    const end = from.y <= to.y ? from : to;
    put(entry.text, { x: end.x.toFixed(1), y: (end.y - 9).toFixed(1), 'text-anchor': 'middle' });
    text(entry.text, `${wall.attenuation} dB`);
    put(entry.group, { class: `wall${this.marks('wall', wall.id)}`, 'aria-pressed': String(this.isSelected('wall', wall.id)), 'aria-label': t('plan.wall', { attenuation: wall.attenuation }) });
  }

  isSelected(kind, id) {
    const selected = this.studio.selected();
    return selected?.kind === kind && selected.id === id;
  }

  marks(kind, id) {
    return (this.isSelected(kind, id) ? ' selected' : '') + (kind === 'device' && this.studio.highlighted() === id ? ' highlighted' : '');
  }

  /** Shows the wall that the pointer draws; null hides it. */
  showDraft(wall) {
    this.draft.classList.toggle('shown', wall !== null);
    if (!wall) return;
    const from = this.toScreen(wall.x1, wall.y1);
    const to = this.toScreen(wall.x2, wall.y2);
    put(this.draft, { x1: from.x, y1: from.y, x2: to.x, y2: to.y });
  }

  focus(id) {
    this.active = id;
    this.draw();
    this.entries.device.get(id)?.group.focus();
  }
}

function range(values) { return [Math.min(...values), Math.max(...values)]; }

/** The distance of the dots in metres: 1, or as much as keeps them 24 pixels apart. */
function gridStep(scale) { return [0.25, 0.5, 1, 2, 5, 10, 20, 50].find((step) => step * scale >= 24) ?? 100; }

/** Sets attributes that change. */
function put(element, attributes) {
  const known = element.known ??= {};
  for (const [name, value] of Object.entries(attributes)) {
    if (known[name] === value) continue;
    known[name] = value;
    element.setAttribute(name, value);
  }
}

function text(element, value) { if (element.textContent !== value) element.textContent = value; }

"""###
        case "parts/room-store.js": ###"""
// What the page keeps of the room for its whole life: the newest packets and events, bounded, and the time between two updates.

const PACKETS = 20000;
const EVENTS = 2000;

/** Items of a stream with rising numbers. Only the newest `limit` stay. */
class Newest {
  constructor(limit) {
    this.limit = limit;
    this.items = [];
    this.watchers = new Set();
  }

  take({ items, reset }) {
    if (reset !== undefined && reset !== null) {
      let end = this.items.length;
      while (end > 0 && this.items[end - 1].n >= reset) end -= 1;
      this.items.length = end;
    }
    for (const item of items) this.items.push(item);
    // Cutting in large steps keeps the cost of one item constant.
    if (this.items.length > this.limit * 1.2) this.items.splice(0, this.items.length - this.limit);
    for (const watcher of this.watchers) watcher(items, reset);
  }

  watch(watcher) {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  }
}

export class RoomStore {
  constructor(studio) {
    this.packets = new Newest(PACKETS);
    this.events = new Newest(EVENTS);
    this.time = { now: 0, end: 0, isRunning: false, speed: 1, isSeeking: false };
    this.room = null;
    this.counts = { packets: 0, lost: 0, byLayer: {}, byDevice: {} };
    this.flight = [];
    /** The newest signal of each sender: {rssi, by, time}. */
    this.heard = new Map();
    this.stamp = performance.now();
    this.watchers = { time: new Set(), room: new Set(), counts: new Set(), flight: new Set() };
    studio.topic('time', (time) => { this.stamp = performance.now(); this.#set('time', time); });
    studio.topic('room', (room) => this.#set('room', room));
    studio.topic('counts', (counts) => this.#set('counts', counts));
    studio.topic('flight', (flight) => this.#set('flight', flight.packets ?? []));
    studio.stream('packets', (batch) => { this.#hear(batch); this.packets.take(batch); });
    studio.stream('happened', (batch) => this.events.take(batch));
  }

  /** Calls watcher(value) now if the value is known, and after each change. */
  watch(name, watcher) {
    this.watchers[name].add(watcher);
    if (this[name] !== null) watcher(this[name]);
    return () => this.watchers[name].delete(watcher);
  }

  #set(name, value) {
    this[name] = value;
    for (const watcher of this.watchers[name]) watcher(value);
  }

  #hear({ items, reset }) {
    if (reset !== undefined && reset !== null) this.heard.clear();
    // The last 200 packets of an update name the signal of all senders that matter at the moment.
    for (let index = Math.max(0, items.length - 200); index < items.length; index += 1) {
      const packet = items[index];
      let best = null;
      for (const reception of packet.receivers ?? []) {
        if (reception[2] === 'received' && (best === null || reception[1] > best[1])) best = reception;
      }
      if (best) this.heard.set(packet.sender, { rssi: best[1], by: best[0], time: packet.start });
    }
  }

  /** The virtual time at this moment of the page, in nanoseconds. */
  now() {
    const { now, isRunning, speed } = this.time;
    if (!isRunning || !speed) return now;
    return now + Math.min(performance.now() - this.stamp, 150) * 1e6 * speed;
  }

  device(id) { return this.room?.devices.find((device) => device.id === id) ?? null; }

  linksOf(id) { return this.room?.links.filter((link) => link.central === id || link.peripheral === id) ?? []; }

  /** The signal of a device in dBm: as its peer receives it on a link, or as any device last heard it. */
  signal(id) {
    const link = this.linksOf(id)[0];
    if (link) return link.central === id ? link.rssi.peripheral : link.rssi.central;
    const heard = this.heard.get(id);
    return heard && this.time.now - heard.time < 5e9 ? heard.rssi : null;
  }
}

"""###
        case "parts/room.css": ###"""
/* The room, the time bar and the side panes. */
main.room-view { padding: 0; overflow: hidden; position: relative; display: flex; flex-direction: column; }
.stage { position: relative; flex: 1; min-height: 0; overflow: hidden; }
.plan, .air { position: absolute; inset: 0; width: 100%; height: 100%; }
.plan { touch-action: none; cursor: grab; user-select: none; -webkit-user-select: none; }
.plan:active { cursor: grabbing; }
[data-tool="wall"] .plan, [data-tool="wall"] .plan g { cursor: crosshair; }
.air { pointer-events: none; }
.grid-dot { fill: var(--strong-line); opacity: .45; }
.plan g[data-id] { cursor: pointer; outline: none; }
.plan .hit { fill: transparent; stroke: transparent; stroke-width: 18; }
.plan text { font-size: 12px; paint-order: stroke; stroke: var(--back); stroke-width: 4px; stroke-linejoin: round; fill: var(--text); pointer-events: none; font-variant-numeric: tabular-nums; }
.plan .device text { text-anchor: middle; }
.plan .label { font-weight: 650; font-size: 13px; }
.plan .sub { fill: var(--faint); }
.plan .disc { fill: var(--surface); stroke: var(--strong-line); stroke-width: 1.6; }
.plan .icon { fill: none; stroke: var(--text); stroke-width: 1.7; stroke-linecap: round; stroke-linejoin: round; }
.plan .halo { fill: none; stroke: transparent; stroke-width: 2; }
.plan .advertising .disc, .plan .scanning .disc { stroke: var(--adv); stroke-width: 2.2; }
.plan .connecting .disc { stroke: var(--warn); stroke-width: 2.2; stroke-dasharray: 5 4; }
.plan .connected .disc { stroke: var(--good); stroke-width: 2.4; }
.plan .device.off .disc { fill: var(--back); stroke-dasharray: 3 4; } .plan .device.off .icon { stroke: var(--faint); opacity: .6; }
.plan .device:hover .halo, .plan .highlighted .halo { stroke: var(--strong-line); }
.plan .device.selected .halo { stroke: var(--accent); }
.plan .device:focus-visible .halo { stroke: var(--accent); stroke-width: 3; }
.plan.many .device:not(:hover, :focus-visible, .selected, .highlighted) text { display: none; }
.plan.many .label { font-size: 20px; } .plan.many .sub { font-size: 17px; }
.plan .link .line { stroke: var(--good); stroke-width: 2; stroke-linecap: round; }
.plan .link.fair .line { stroke: var(--warn); } .plan .link.poor .line { stroke: var(--bad); stroke-dasharray: 6 5; }
.plan .link.encrypted .line { stroke-width: 3.5; }
.plan .link.hidden { display: none; }
.plan .pill { fill: var(--surface); stroke: var(--line); } .plan .link text { stroke: none; text-anchor: middle; }
.plan .link .strong { font-weight: 650; } .plan .link.fair .strong { fill: var(--warn); } .plan .link.poor .strong { fill: var(--bad); } .plan .link .facts { fill: var(--faint); }
.plan .link:hover .pill, .plan .link.selected .pill, .plan .link:focus-visible .pill { stroke: var(--accent); }
.plan.many-links .link:not(:hover, :focus-visible, .selected) :is(text, .pill) { display: none; }
.plan .link:hover .line, .plan .link.selected .line { stroke-width: 4; }
.plan .link:focus-visible .hit, .plan .wall:focus-visible .hit { stroke: var(--accent); stroke-width: 12; opacity: .35; }
.plan .wall .line { stroke: var(--faint); stroke-width: 7; stroke-linecap: round; }
.plan .wall:hover .line, .plan .wall.selected .line { stroke: var(--accent); }
.plan .draft { display: none; stroke: var(--accent); stroke-width: 7; stroke-linecap: round; stroke-dasharray: 1 10; pointer-events: none; }
.plan .draft.shown { display: inline; }
.floating { background: var(--surface); border: 1px solid var(--line); border-radius: 11px; padding: 3px; display: flex; gap: 2px; box-shadow: var(--shadow); }
.tools { position: absolute; left: 12px; top: 12px; flex-direction: column; }
.tool { position: absolute; left: 60px; top: 12px; width: 234px; box-shadow: var(--shadow); display: flex; flex-direction: column; gap: 8px; }
.tool fieldset { border: 0; padding: 0; margin: 0; display: flex; gap: 8px; } .tool legend { font-weight: 600; padding: 0; }
.unit { flex-wrap: nowrap; gap: 5px; } .unit input { flex: 1; }
.tool .unit input { width: 5em; } .end { justify-content: flex-end; } .bottom { align-items: flex-end; }
.row.scene { align-items: flex-end; }
.lower { position: absolute; left: 12px; right: 12px; bottom: 10px; display: flex; align-items: flex-end; gap: 12px; pointer-events: none; }
.lower > * { pointer-events: auto; } .lower-left { flex: 1; min-width: 0; display: flex; flex-direction: column; align-items: flex-start; gap: 6px; pointer-events: none; }
.key { pointer-events: auto; font-size: .86rem; } .key summary { color: var(--faint); width: max-content; }
.key[open] { background: var(--surface); border: 1px solid var(--line); border-radius: 11px; padding: 8px 14px 10px; box-shadow: var(--shadow); }
.key .layer span { color: var(--text); }
.key .ring::before { content: ""; display: inline-block; width: 6px; height: 6px; border-radius: 50%; background: var(--att); box-shadow: 0 0 0 1.5px var(--surface), 0 0 0 3px var(--att); margin: 0 8px 1px 1px; }
.key .lost::before { content: "×"; color: var(--bad); font-weight: 700; display: inline-block; width: 15px; }
.scale { display: flex; align-items: center; gap: 8px; font-size: .86rem; color: var(--faint); font-variant-numeric: tabular-nums; }
.scale i { display: block; height: 6px; border: 1.5px solid var(--faint); border-top: 0; }
.counts { margin: 0; color: var(--faint); font-variant-numeric: tabular-nums; min-height: 1.5em; }
.strip { align-items: center; padding: 3px 4px 3px 12px; flex-wrap: wrap; max-width: 60%; justify-content: center; }
.strip button { font-weight: 600; } .strip .faint { font-weight: 400; }
.begin, .stage > .empty { position: absolute; left: 50%; top: 64%; transform: translate(-50%, -50%); text-align: center; box-shadow: var(--shadow); width: max-content; max-width: calc(100% - 24px); padding: 18px 24px; }
.begin { top: auto; bottom: 56px; transform: translateX(-50%); } .begin .row { justify-content: center; } .begin h2 { margin-bottom: 2px; }
.stage > .empty { top: 45%; box-shadow: none; }
.item-card { position: absolute; right: 12px; top: 12px; width: 272px; max-height: calc(100% - 66px); overflow: auto; box-shadow: var(--shadow); z-index: 2; }
.item-card .head { margin-bottom: 6px; } .item-card h3 { margin: 0; display: flex; gap: 4px; min-width: 0; } .item-card .close { margin: -4px -6px -4px 0; }
.item-card .glyph { display: inline-flex; padding: 5px; border-radius: 8px; background: var(--raised); }
.item-card details { margin-top: 10px; } .item-card details > :not(summary) { margin-top: 8px; }
.item-card form input[name="name"] { flex: 1; } .item-card .row input[type="range"] { flex: 1; }
.item-card .row { margin-top: 4px; } .item-card dl .row { margin: 0; } .item-card .unit input { width: 5em; }
.lines { white-space: pre-line; flex: 1; font-variant-numeric: tabular-nums; }
.bars { display: inline-flex; align-items: flex-end; gap: 2px; height: 12px; }
.bars i { width: 3px; background: var(--line); border-radius: 1px; } .bars i.on { background: currentColor; }
.bars i:nth-child(1) { height: 4px; } .bars i:nth-child(2) { height: 6px; } .bars i:nth-child(3) { height: 9px; } .bars i:nth-child(4) { height: 12px; }

.time .bar { display: flex; align-items: center; gap: 10px; }
.run { min-width: 96px; } .clock { min-width: 8.5em; font-size: 1rem; white-space: nowrap; }
.track { flex: 1; min-width: 120px; display: flex; align-items: center; gap: 12px; } .track input { flex: 1; }
.status { color: var(--warn); font-size: .86rem; } .status:empty { display: none; }

.devices .empty { padding: 24px 8px; } .grow-button { margin: 8px 0 0; }
.log { gap: 0; }
.log .event.error { font-size: inherit; }
.log .event { align-items: baseline; padding: 4px 8px; gap: 10px; font-weight: 400; line-height: 1.4; white-space: normal; }
.log .step { color: var(--faint); font-size: .86rem; width: 1.4em; flex: none; }
.log .event .text { display: block; overflow-wrap: anywhere; } .log .callback .text { font-weight: 600; }
.log .swift { display: block; background: none; padding: 0; color: var(--accent); font-size: .8rem; overflow: hidden; text-overflow: ellipsis; }
.log .where { font-size: .78rem; } .log .error .text, .log .error .step, .log .error .swift { color: var(--bad); }
.log .where bdi { font-weight: 550; }
.log .note .text { color: var(--faint); }
.fold-packets { color: var(--faint); margin-left: 20px; font-weight: 400; min-height: 24px; } .fold-packets .mark { font-size: .7rem; } .fold-packets[aria-expanded="true"] .mark { transform: rotate(90deg); }
.log .packets { margin: 0 0 4px 26px; border-left: 1px solid var(--line); padding-left: 4px; } .log .packets .item { min-height: 26px; padding: 1px 8px; font-size: .86rem; } .log .packets .name { color: var(--text); } .log .packets .faint.name { color: var(--faint); flex: none; max-width: 45%; }
.latest { position: sticky; bottom: 0; left: 50%; transform: translateX(-50%); border-radius: 999px; box-shadow: var(--shadow); }
.earlier { width: 100%; }
[data-link="lost"] .stage, [data-link="lost"] .time .bar { opacity: .55; }

@media (max-width: 1080px) { .time .step { font-size: 0; gap: 0; } .clock { min-width: 8em; } }
@media (max-width: 760px) {
  main.room-view { overflow: visible; padding: 0; flex: none; }
  .stage { flex: none; height: max(340px, 56vh); } .plan { touch-action: pan-y; } .plan g[data-kind="device"], [data-tool="wall"] .plan { touch-action: none; }
  .item-card { position: static; width: auto; max-height: none; border-width: 1px 0; border-radius: 0; box-shadow: none; }
  body[data-view="room"] .devices > .body { max-height: 27vh; }
  .time .bar { flex-wrap: wrap; gap: 6px; justify-content: space-between; } .track { flex: 1 0 100%; } .clock { min-width: 0; flex: 1; font-size: .93rem; text-align: right; } .run { min-width: 84px; }
  .time .step { order: 2; } .speeds { order: 3; flex: 1 0 100%; } .speeds button { flex: 1; padding: 2px 6px; } .track { order: 5; }
  .lower { flex-wrap: wrap; } .strip { max-width: 100%; order: -1; flex: 1 0 100%; } .tool { left: 12px; right: 12px; top: auto; bottom: 12px; width: auto; }
  .begin { bottom: 44px; padding: 12px; width: calc(100% - 24px); }
}

"""###
        case "parts/room.js": ###"""
// The room: the plan with its devices, walls and links, the packets between them, and the card of what is selected.

import { fill, h } from '../dom.js';
import { count, plain, span } from '../text.js';
import { register, t } from '../words.js';
import { Air } from './room-air.js';
import { card } from './room-card.js';
import { addDevice, environmentDialog, wallForm } from './room-forms.js';
import { listenOnPlan } from './room-hands.js';
import { icon } from './room-icons.js';
import { Plan } from './room-plan.js';
import { stepPacket, toggleRun } from './time.js';

register({
  en: {
    'room.tools': 'Tools', 'room.select': 'Select and move', 'room.wall': 'Draw a wall', 'room.add': 'New device', 'room.radio': 'Radio and scene',
    'room.view': 'Part of the room', 'room.in': 'Zoom in', 'room.out': 'Zoom out', 'room.fit': 'Show everything', 'room.scale': 'Scale: {n} m', 'room.key': 'Key',
    'room.adv': 'Advertising', 'room.ll': 'Link layer', 'room.l2cap': 'L2CAP', 'room.att': 'ATT', 'room.smp': 'Security', 'room.data': 'Other data',
    'room.lost': 'Lost: fades where it was lost', 'room.ring': 'Encrypted: wears a ring', 'room.card': 'Selected',
    'room.begin': 'Time stands still.', 'room.beginText': 'Press Run and watch the radio, or go from packet to packet.', 'room.run': 'Run', 'room.step': 'Next packet',
    'room.slow': 'Run at ×1/1000', 'room.flight': 'In the air', 'room.last': 'Last packet', 'room.open': 'Open {name} in the packet list', 'room.from': 'from {name}',
    'room.counts': '{n} packet, {lost} lost||{n} packets, {lost} lost', 'room.rate': '{rate} a second; the plan draws 1 in {k}', 'room.empty': 'An empty room.',
    'room.emptyText': 'Add a device: it appears here, and its packets travel to all that listen.', 'room.channel': 'channel {n}',
  },
  zh: {
    'room.tools': '工具', 'room.select': '选择和移动', 'room.wall': '画墙', 'room.add': '新设备', 'room.radio': '无线环境和场景',
    'room.view': '显示范围', 'room.in': '放大', 'room.out': '缩小', 'room.fit': '显示全部', 'room.scale': '比例尺：{n} 米', 'room.key': '图例',
    'room.adv': '广播', 'room.ll': '链路层', 'room.l2cap': 'L2CAP', 'room.att': 'ATT', 'room.smp': '安全', 'room.data': '其他数据',
    'room.lost': '丢失：在丢失处淡出', 'room.ring': '加密：带圆环', 'room.card': '所选',
    'room.begin': '时间静止。', 'room.beginText': '按“运行”观察无线电，或者逐个数据包前进。', 'room.run': '运行', 'room.step': '下一个数据包',
    'room.slow': '以 ×1/1000 运行', 'room.flight': '传输中', 'room.last': '最后的数据包', 'room.open': '在数据包列表中打开 {name}', 'room.from': '来自 {name}',
    'room.counts': '{n} 个数据包，丢失 {lost} 个', 'room.rate': '每秒 {rate} 个；平面图绘制其中 1/{k}', 'room.empty': '空房间。',
    'room.emptyText': '添加一个设备：它会显示在这里，它的数据包会到达所有监听者。', 'room.channel': '信道 {n}',
  },
});

export const room = { name: 'room', mount };

function mount(place, studio) {
  const { store } = studio;
  const plan = new Plan(studio);
  const canvas = h('canvas', { class: 'air', 'aria-hidden': 'true' });
  const air = new Air(canvas, plan, store);
  let tool = 'select';

  // The elements
  const tools = h('div', { class: 'tools floating', role: 'toolbar', 'aria-label': t('room.tools') },
    ['select', 'wall'].map((name) => h('button', { class: 'quiet icon', dataset: { tool: name }, 'aria-label': t(`room.${name}`), title: t(`room.${name}`), onclick: () => choose(name) }, icon(name))),
    h('button', { class: 'quiet icon', 'aria-label': t('room.add'), title: t('room.add'), onclick: () => store.room && addDevice(studio, plan.toRoom(plan.width / 2, plan.height / 2 + 60)) }, icon('plus')),
    h('button', { class: 'quiet icon', 'aria-label': t('room.radio'), title: t('room.radio'), onclick: () => store.room && environmentDialog(studio) }, icon('radio')));
  const form = wallForm(studio, () => choose('select'));
  const camera = (name, change) => h('button', { class: 'quiet icon small', 'aria-label': t(`room.${name}`), title: t(`room.${name}`), onclick: () => { change(); changed(); } }, icon({ in: 'plus', out: 'minus', fit: 'fit' }[name]));
  const bar = h('i', {});
  const barText = h('span', {});
  const scale = h('div', { class: 'scale', role: 'img' }, bar, barText);
  const counts = h('p', { class: 'counts small-text' });
  const key = h('details', { class: 'key' }, h('summary', {}, t('room.key')),
    h('ul', { class: 'list' }, ['adv', 'll', 'l2cap', 'att', 'smp', 'data'].map((layer) => h('li', {}, h('span', { class: `layer layer-${layer}` }, h('span', {}, t(`room.${layer}`))))),
      h('li', { class: 'ring' }, t('room.ring')), h('li', { class: 'lost' }, t('room.lost'))));
  const cardPlace = h('section', { class: 'card item-card', 'aria-label': t('room.card'), hidden: true });
  const begin = h('div', { class: 'card begin', hidden: true }, h('h2', {}, t('room.begin')), h('p', { class: 'faint' }, t('room.beginText')),
    h('div', { class: 'row' }, h('button', { class: 'primary', onclick: () => toggleRun(studio) }, icon('run'), t('room.run')),
      h('button', { onclick: async () => { await studio.try('time.speed', { speed: 0.001 }); toggleRun(studio); } }, t('room.slow')),
      h('button', { onclick: () => stepPacket(studio) }, icon('step'), t('room.step'))));
  const empty = h('div', { class: 'empty', hidden: true }, h('p', {}, t('room.empty')), h('p', {}, t('room.emptyText')), h('button', { class: 'primary', onclick: () => addDevice(studio) }, icon('plus'), t('room.add')));
  const strip = h('div', { class: 'strip floating', hidden: true });
  const stage = h('div', { class: 'stage' }, plan.element, canvas, tools, form.element,
    h('div', { class: 'lower' }, h('div', { class: 'lower-left' }, key, scale, counts), strip,
      h('div', { class: 'floating view', role: 'group', 'aria-label': t('room.view') }, camera('in', () => plan.zoom(1.3)), camera('out', () => plan.zoom(1 / 1.3)), camera('fit', () => plan.fit()))),
    begin, empty);
  place.classList.add('room-view');
  fill(place, stage, cardPlace);
  const details = card(cardPlace, studio);

  function choose(name) {
    tool = name;
    stage.dataset.tool = name;
    form.element.hidden = name !== 'wall';
    for (const button of tools.querySelectorAll('[data-tool]')) button.setAttribute('aria-pressed', String(button.dataset.tool === name));
    plan.showDraft(null);
  }
  choose('select');

  // One frame draws what changed, and what is in the air.
  let frame = 0;
  let isChanged = true;
  let scene = null;
  const changed = () => { isChanged = true; wake(); };
  const wake = () => { if (!frame) frame = requestAnimationFrame(draw); };
  function draw(now) {
    frame = 0;
    if (isChanged) {
      isChanged = false;
      plan.draw();
      details.update();
      drawScale();
    }
    if (air.frame(now)) wake();
  }

  function drawScale() {
    const { metres, pixels } = plan.scaleBar();
    bar.style.width = `${pixels}px`;
    const words = `${+metres.toPrecision(2)} m`;
    if (barText.textContent === words) return;
    barText.textContent = words;
    scale.setAttribute('aria-label', t('room.scale', { n: +metres.toPrecision(2) }));
  }

  let pointed = null;
  let pointing = 0;
  const showCard = () => { details.show(pointed ?? studio.selected()); changed(); };
  const point = (item) => {
    if (JSON.stringify(item) === JSON.stringify(pointed)) return;
    pointed = item;
    studio.highlight(item?.kind === 'device' ? item.id : null);
    clearTimeout(pointing);
    pointing = setTimeout(showCard, item ? 120 : 300);
  };
  cardPlace.addEventListener('pointerenter', () => clearTimeout(pointing));
  cardPlace.addEventListener('pointerleave', () => { if (!pointed) pointing = setTimeout(showCard, 300); });

  const endHands = listenOnPlan(plan, studio, () => tool, {
    changed, point, endTool: () => choose('select'),
    draft: (wall) => { plan.showDraft(wall); if (wall) form.show(wall); },
    built: async (wall) => {
      form.show(wall);
      const built = await studio.try('room.wall', { ...wall, attenuation: form.attenuation() });
      if (built) studio.select({ kind: 'wall', id: built.id });
    },
  });

  function onRoom(value) {
    if (value.scene !== scene || (!plan.isOwnView && !isInView())) { scene = value.scene; plan.fit(); }
    empty.hidden = value.devices.length > 0;
    showBegin();
    changed();
  }

  /** Whether all devices are in the picture; the view does not jump while a person drags one. */
  function isInView() {
    if (plan.held.size) return true;
    return store.room.devices.every((device) => {
      const at = plan.toScreen(device.x, device.y);
      return at.x > 20 && at.y > 20 && at.x < plan.width - 20 && at.y < plan.height - 50;
    });
  }

  function showBegin() {
    begin.hidden = !(store.room?.devices.length && store.time.now === 0 && !store.time.isRunning && !store.time.isSeeking);
  }

  // The packets in the air, as buttons; while the room is paused, the last one.
  let stripState = '';
  function drawStrip() {
    const { time, flight } = store;
    const last = store.packets.items[store.packets.items.length - 1];
    const isLast = flight.length === 0;
    const shown = isLast ? (last && !time.isRunning ? [last] : []) : flight.slice(0, 3);
    const state = `${isLast} ${shown.map((packet) => packet.n)}`;
    if (state === stripState) return;
    stripState = state;
    strip.hidden = shown.length === 0;
    const focused = strip.contains(document.activeElement);
    fill(strip, shown.length ? h('span', { class: 'faint small-text' }, t(isLast ? 'room.last' : 'room.flight')) : null, shown.map((packet) =>
      h('button', { class: `quiet small layer-${packet.layer}`, 'aria-label': t('room.open', { name: plain(packet.name) }), title: plain(packet.text, 200), onclick: () => studio.show('packets', packet.n) },
        h('span', { class: 'layer' }, plain(packet.name)),
        h('span', { class: 'faint' }, t('room.from', { name: plain(store.device(packet.sender)?.name ?? '?', 18) }), ` · ${span(packet.duration)} · ${t('room.channel', { n: packet.channel })}`))));
    if (focused) strip.querySelector('button')?.focus();
  }

  // The counts are those of the room; the rate says how much of it the plan draws.
  let before = null;
  function drawCounts() {
    const { packets, lost } = store.counts;
    const now = performance.now();
    let words = packets ? t('room.counts', { n: count(packets), lost: count(lost) }) : '';
    const drawn = air.takeDrawn();
    if (before && store.time.isRunning && packets > before.packets) {
      const rate = (packets - before.packets) / (now - before.now) * 1000;
      const share = (packets - before.packets) / Math.max(drawn, 1);
      if (share >= 1.5) words += ` · ${t('room.rate', { rate: count(rate >= 100 ? Math.round(rate / 10) * 10 : Math.round(rate)), k: Math.round(share) })}`;
    }
    before = { packets, now };
    if (counts.textContent !== words) counts.textContent = words;
  }
  const counting = setInterval(drawCounts, 500);

  const watcher = new ResizeObserver(() => {
    const { width, height } = stage.getBoundingClientRect();
    if (width === 0) return;
    plan.resize(width, height);
    air.resize(width, height);
    changed();
  });
  watcher.observe(stage);
  const recolour = () => { air.colours(); changed(); };
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  scheme.addEventListener('change', recolour);
  addEventListener('themechange', recolour);

  const ends = [
    store.watch('room', onRoom),
    store.watch('time', () => { showBegin(); drawStrip(); changed(); }),
    store.watch('flight', () => { drawStrip(); wake(); }),
    store.packets.watch((items, reset) => {
      if (reset !== undefined && reset !== null) air.clear();
      air.take(items, performance.now());
      drawStrip();
      wake();
    }),
    studio.onSelect(showCard), studio.onHighlight(changed), endHands,
    () => { cancelAnimationFrame(frame); clearInterval(counting); clearTimeout(pointing); watcher.disconnect(); },
    () => { scheme.removeEventListener('change', recolour); removeEventListener('themechange', recolour); },
  ];
  showCard();
  drawStrip();
  return () => {
    for (const end of ends) end();
    frame = -1;
    place.classList.remove('room-view');
  };
}

"""###
        case "parts/time.js": ###"""
// The time bar: run, pause, step, speed, and the way back.

import { fill, h } from '../dom.js';
import { seconds } from '../text.js';
import { register, t } from '../words.js';
import { icon } from './room-icons.js';

register({
  en: {
    'time.run': 'Run', 'time.pause': 'Pause', 'time.start': 'Back to the start', 'time.step': 'Next packet', 'time.speed': 'Speed', 'time.fast': 'fast',
    'time.at': 'Time in the room', 'time.slider': 'Moment', 'time.going': 'Going to {time}…', 'time.slow': 'This machine keeps up with ×{rate}.',
    'time.speed.0.001': 'One thousandth of the real speed', 'time.speed.0.01': 'One hundredth of the real speed', 'time.speed.1': 'Real speed',
    'time.speed.10': 'Ten times the real speed', 'time.speed.0': 'As fast as this machine can', 'time.ran': 'Runs', 'time.paused': 'Paused at {time}',
  },
  zh: {
    'time.run': '运行', 'time.pause': '暂停', 'time.start': '回到开始', 'time.step': '下一个数据包', 'time.speed': '速度', 'time.fast': '最快',
    'time.at': '房间里的时间', 'time.slider': '时刻', 'time.going': '正在前往 {time}…', 'time.slow': '这台机器只能达到 ×{rate}。',
    'time.speed.0.001': '真实速度的千分之一', 'time.speed.0.01': '真实速度的百分之一', 'time.speed.1': '真实速度',
    'time.speed.10': '真实速度的十倍', 'time.speed.0': '这台机器能达到的最快速度', 'time.ran': '正在运行', 'time.paused': '停在 {time}',
  },
});

const SPEEDS = [0.001, 0.01, 1, 10, 0];
const NAMES = { 0.001: '×1/1000', 0.01: '×1/100', 1: '×1', 10: '×10' };

export function toggleRun(studio) { return studio.try(studio.store.time.isRunning ? 'time.pause' : 'time.run'); }
export function stepPacket(studio) { return studio.try('time.step'); }
export function backToStart(studio) { return studio.try('time.seek', { to: 0 }); }

/** The next slower or faster of the speeds. A speed between two of them counts as the slower one. */
export function changeSpeed(studio, direction) {
  const order = (speed) => (speed === 0 ? Infinity : speed);
  const index = SPEEDS.findLastIndex((speed) => order(speed) <= order(studio.store.time.speed));
  const next = SPEEDS[Math.min(Math.max(Math.max(index, 0) + direction, 0), SPEEDS.length - 1)];
  studio.announce(t(`time.speed.${next}`));
  return studio.try('time.speed', { speed: next });
}

/** Fills its place, and returns a function that ends it. */
export function timeBar(place, studio) {
  const { store } = studio;
  const run = h('button', { class: 'primary run', onclick: () => toggleRun(studio) });
  const clock = h('output', { class: 'mono clock', 'aria-label': t('time.at'), 'aria-live': 'off' });
  const speeds = h('div', { class: 'segmented speeds', role: 'group', 'aria-label': t('time.speed') }, SPEEDS.map((speed) =>
    h('button', { dataset: { speed }, title: t(`time.speed.${speed}`), onclick: () => studio.try('time.speed', { speed }) }, NAMES[speed] ?? t('time.fast'))));
  const slider = h('input', { type: 'range', min: 0, max: 1000, step: 'any', 'aria-label': t('time.slider') });
  const status = h('span', { class: 'status', role: 'status' });
  fill(place, h('div', { class: 'bar' },
    h('button', { class: 'quiet icon start', 'aria-label': t('time.start'), title: `${t('time.start')} (0)`, onclick: () => backToStart(studio) }, icon('start')),
    run, clock, speeds,
    h('button', { class: 'step', title: `${t('time.step')} (.)`, onclick: () => stepPacket(studio) }, icon('step'), t('time.step')),
    h('span', { class: 'track' }, slider, status)));

  // The slider names the moment while it is held, and seeks when it is let go.
  let isHeld = false;
  let target = null;
  slider.addEventListener('input', () => { isHeld = true; clock.textContent = seconds(Number(slider.value), 6); });
  slider.addEventListener('change', () => {
    isHeld = false;
    target = Math.round(Number(slider.value));
    studio.try('time.seek', { to: target });
  });
  slider.addEventListener('keydown', (event) => {
    const direction = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 }[event.key];
    if (!direction) return;
    event.preventDefault();
    target = Math.min(Math.max(Math.round(store.time.now + direction * store.time.end / 100), 0), store.time.end);
    studio.try('time.seek', { to: target });
  });

  let wasRunning = null;
  let rateFrom = null;
  let frame = 0;
  let drawn = '';
  function draw() {
    frame = 0;
    if (!isHeld) {
      const now = store.now();
      const text = seconds(now, 6);
      if (text !== drawn) clock.textContent = drawn = text;
      const { end } = store.time;
      slider.max = Math.max(end, now, 1);
      slider.value = now;
    }
    if (store.time.isRunning) frame = requestAnimationFrame(draw);
  }

  function update(time) {
    if (time.isRunning !== wasRunning) {
      wasRunning = time.isRunning;
      fill(run, icon(time.isRunning ? 'pause' : 'run'), t(time.isRunning ? 'time.pause' : 'time.run'));
      run.title = `${run.textContent} (${t('keys.space')})`;
      rateFrom = null;
    }
    for (const button of speeds.children) button.setAttribute('aria-pressed', String(Number(button.dataset.speed) === time.speed));
    slider.disabled = time.end === 0;
    slider.setAttribute('aria-valuetext', seconds(time.now));
    status.textContent = message(time);
    if (!frame) frame = requestAnimationFrame(draw);
  }

  /** Compares the virtual time that passed with the speed, over two seconds of real time. */
  function message(time) {
    if (time.isSeeking) return t('time.going', { time: target === null ? '' : seconds(target) });
    target = null;
    const real = performance.now();
    if (!time.isRunning || time.speed === 0 || rateFrom === null || rateFrom.speed !== time.speed || time.now < rateFrom.now) {
      rateFrom = { real, now: time.now, speed: time.speed, text: '' };
      return '';
    }
    const passed = real - rateFrom.real;
    if (passed < 2000) return rateFrom.text;
    const rate = (time.now - rateFrom.now) / 1e6 / passed;
    const text = rate < 0.85 * time.speed ? t('time.slow', { rate: +rate.toPrecision(2) }) : '';
    rateFrom = { real, now: time.now, speed: time.speed, text };
    return text;
  }

  const ends = [store.watch('time', update), () => cancelAnimationFrame(frame)];
  return () => { for (const end of ends) end(); };
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
.tabs a { padding: 5px 13px; border-radius: 999px; color: var(--faint); text-decoration: none; white-space: nowrap; font-weight: 500; }
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
.fields { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 10px 14px; }
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
  display: inline-flex; align-items: center; justify-content: center; gap: 6px; min-height: 30px; padding: 4px 12px; text-decoration: none; font-weight: 500;
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
main:focus-visible { outline: none; }
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
  .devices, .happened { border: 0; border-bottom: 1px solid var(--line); }
  aside .fold { display: inline-flex; }
  aside > .body { max-height: 46vh; }
  aside[data-folded="true"] > .body { display: none; }
  aside[data-folded="true"] > header { padding-bottom: 10px; }
  main { padding: 12px; overflow: visible; flex: 1 0 auto; }
  aside .fold[aria-expanded="true"] svg { transform: rotate(90deg); }
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
