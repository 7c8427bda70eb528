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

export class Link {
  #socket = null;
  #tries = 0;
  #timer = 0;
  #number = 0;
  #pending = new Map();
  #topics = new Map();   // name: {watchers: Set, data}
  #streams = new Map();  // name: {watchers: Set}
  #states = new Set();

  constructor() {
    this.state = 'connecting';
    this.#open();
    // A laptop that wakes, or a tab that returns, does not wait for the next try.
    addEventListener('online', () => this.#retryNow());
    document.addEventListener('visibilitychange', () => { if (!document.hidden) this.#retryNow(); });
  }

  /** Calls watcher(data) now if the topic is known, and after each change. Returns a function that ends this. */
  topic(name, watcher) {
    return this.#add(this.#topics, name, watcher, (entry) => { if (entry.data !== undefined) watcher(entry.data); });
  }

  /** Calls watcher({items, missed, reset, next}) with new items. */
  stream(name, watcher) { return this.#add(this.#streams, name, watcher, () => {}); }

  /** Calls watcher(state) now and after each change: connecting, open, lost, refused. */
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

  #add(map, name, watcher, present) {
    let entry = map.get(name);
    if (!entry) {
      entry = { watchers: new Set(), data: undefined };
      map.set(name, entry);
      this.#watchSoon();
    }
    entry.watchers.add(watcher);
    present(entry);
    return () => {
      entry.watchers.delete(watcher);
      if (entry.watchers.size === 0) this.#watchSoon();
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

  // A view that is built again, for example in another language, finds its topics as they were.
  #sendWatch() {
    for (const map of [this.#topics, this.#streams]) {
      for (const [name, entry] of map) if (entry.watchers.size === 0) map.delete(name);
    }
    this.#socket.send(JSON.stringify({ watch: [...this.#topics.keys(), ...this.#streams.keys()] }));
  }

  #setState(state) {
    if (this.state === state) return;
    this.state = state;
    for (const watcher of this.#states) watcher(state);
  }

  #open() {
    const address = new URL('socket', location.href);
    address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
    const socket = new WebSocket(address);
    this.#socket = socket;
    socket.onopen = () => {
      this.#tries = 0;
      this.#setState('open');
      // The server sends each stream from its beginning to a new connection.
      if (this.#wasOpen) this.#resetStreams();
      this.#wasOpen = true;
      this.#sendWatch();
    };
    socket.onmessage = (event) => this.#receive(JSON.parse(event.data));
    socket.onclose = () => this.#closed();
  }

  #wasOpen = false;
  #resetStreams() {
    for (const entry of this.#streams.values()) {
      for (const watcher of entry.watchers) watcher({ items: [], missed: 0, reset: 0, next: 0 });
    }
  }

  #closed() {
    for (const { reject } of this.#pending.values()) reject({ code: 'offline', text: 'The studio does not answer.' });
    this.#pending.clear();
    this.#setState('lost');
    const delay = RETRY[Math.min(this.#tries++, RETRY.length - 1)];
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#open(), delay);
  }

  #retryNow() {
    if (this.#socket.readyState !== WebSocket.CLOSED) return;
    clearTimeout(this.#timer);
    this.#open();
  }

  #receive(message) {
    if (message.push) {
      for (const push of message.push) this.#push(push);
      this.#socket.send(JSON.stringify({ ack: message.update }));
      return;
    }
    const pending = this.#pending.get(message.re);
    if (!pending) return;
    this.#pending.delete(message.re);
    if (message.failed) pending.reject(message.failed);
    else pending.resolve(message.ok);
  }

  #push(push) {
    if (push.topic !== undefined) {
      const entry = this.#topics.get(push.topic);
      if (!entry) return;
      entry.data = push.data;
      for (const watcher of entry.watchers) watcher(push.data);
    } else {
      const entry = this.#streams.get(push.stream);
      if (!entry) return;
      const batch = { items: push.data, missed: push.missed, reset: push.reset, next: push.next };
      for (const watcher of entry.watchers) watcher(batch);
    }
  }
}

"""###
        case "parts/devices.js": ###"""
/** Fills its place, and returns a function that ends it. */
export function deviceList(place, studio) {
  return () => {};
}

"""###
        case "parts/explorer.js": ###"""
import { h } from '../dom.js';

export const explorer = {
  name: 'explorer',
  mount(place, studio) {
    place.append(h('p', {}, 'explorer'));
    return () => {};
  },
};

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
  try {
    const kept = localStorage.getItem('language');
    if (kept === 'en' || kept === 'zh') return kept;
  } catch { /* storage may be blocked */ }
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
