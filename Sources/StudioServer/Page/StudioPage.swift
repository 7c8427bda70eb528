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
/* One accent; the colours of the layers are the same in all views. Each pair of text and background has a contrast of at least 4.5. */
:root {
  --back: #f7f8fa; --surface: #ffffff; --raised: #eef1f5; --line: #d5dae2; --text: #171b22; --faint: #566070;
  --accent: #1d4ed8; --on-accent: #ffffff; --good: #15703a; --bad: #b3261e; --warn: #8a5a00;
  --adv: #7a5c00; --ll: #4a5568; --l2cap: #0f6e84; --att: #1d4ed8; --smp: #9c27b0; --data: #4a5568;
  --mono: ui-monospace, "DejaVu Sans Mono", "Liberation Mono", Menlo, monospace;
  --sans: system-ui, "Noto Sans", "Noto Sans CJK SC", "PingFang SC", sans-serif;
  --radius: 8px; --gap: 12px;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #0f1318; --surface: #171c23; --raised: #202731; --line: #323b48; --text: #e8ecf2; --faint: #a3aebd;
    --accent: #8ab4ff; --on-accent: #0b1220; --good: #6fd394; --bad: #ff9d94; --warn: #f0c060;
    --adv: #e0c060; --ll: #a8b3c2; --l2cap: #6fd0e6; --att: #8ab4ff; --smp: #e29bf0; --data: #a8b3c2;
  }
}
* { box-sizing: border-box; }
html { font: 15px/1.45 var(--sans); color: var(--text); background: var(--back); }
body {
  margin: 0; min-height: 100vh; height: 100vh; display: grid;
  grid-template: "top top top" auto "devices main happened" minmax(0, 1fr) "time time time" auto / 220px minmax(0, 1fr) 300px;
}
.top { grid-area: top; display: flex; align-items: center; gap: var(--gap); padding: 8px 14px; border-bottom: 1px solid var(--line); background: var(--surface); }
.top h1 { font-size: 1rem; margin: 0; }
.tabs { display: flex; gap: 4px; flex: 1; overflow-x: auto; }
.tabs a { padding: 5px 11px; border-radius: var(--radius); color: var(--faint); text-decoration: none; white-space: nowrap; }
.tabs a[aria-current] { color: var(--on-accent); background: var(--accent); }
aside { overflow: auto; padding: var(--gap); background: var(--surface); }
.devices { grid-area: devices; border-right: 1px solid var(--line); }
.happened { grid-area: happened; border-left: 1px solid var(--line); }
main { grid-area: main; overflow: auto; padding: var(--gap); outline: none; min-width: 0; }
.time { grid-area: time; border-top: 1px solid var(--line); background: var(--surface); padding: 8px 14px; }
button, select, input, textarea { font: inherit; color: inherit; }
button { padding: 5px 11px; border: 1px solid var(--line); border-radius: var(--radius); background: var(--surface); cursor: pointer; }
button:hover { border-color: var(--accent); }
button.primary { background: var(--accent); color: var(--on-accent); border-color: var(--accent); }
button:disabled { color: var(--faint); cursor: default; border-color: var(--line); }
input, select, textarea { padding: 5px 8px; border: 1px solid var(--line); border-radius: var(--radius); background: var(--surface); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.skip { position: absolute; left: -999px; }
.skip:focus { left: 8px; top: 8px; background: var(--surface); padding: 6px; z-index: 10; }
.mono { font-family: var(--mono); font-variant-numeric: tabular-nums; }
.number { font-variant-numeric: tabular-nums; text-align: right; }
.faint { color: var(--faint); }
.bad { color: var(--bad); }
.card { border: 1px solid var(--line); border-radius: var(--radius); background: var(--surface); padding: var(--gap); }
.layer-adv { color: var(--adv); } .layer-ll { color: var(--ll); } .layer-l2cap { color: var(--l2cap); }
.layer-att { color: var(--att); } .layer-smp { color: var(--smp); } .layer-data { color: var(--data); }
.say { position: fixed; left: 50%; bottom: 70px; transform: translateX(-50%); padding: 8px 14px; border-radius: var(--radius); background: var(--text); color: var(--back); visibility: hidden; }
.say.shown { visibility: visible; }
@media (max-width: 760px) {
  body { display: flex; flex-direction: column; height: auto; }
  aside { border: 0; border-top: 1px solid var(--line); max-height: 40vh; }
  main { order: 0; } .devices { order: 1; } .happened { order: 2; } .time { order: 3; position: sticky; bottom: 0; }
  .top { flex-wrap: wrap; }
}
@media (prefers-reduced-motion: reduce) { * { animation: none !important; transition: none !important; } }

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

export function t(key, values = {}) {
  const text = dictionaries[language][key] ?? dictionaries.en[key] ?? key;
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
