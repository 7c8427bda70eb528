// swift-format-ignore-file
// Made by Scripts/generate-studio from the folder Studio; changes made here by hand are lost.

/// The files of the page.
enum StudioPage {
    /// The text of a file; nil for an unknown name.
    static func text(of name: String) -> String? {
        switch name {
        case "app.js": ###"""
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
const views = [room, lesson, explorer, maker, packets];
const link = new Link();
const studio = {
topic: (name, watcher) => link.topic(name, watcher),
stream: (name, watcher) => link.stream(name, watcher),
do: (command, args) => link.do(command, args),
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
function say(text, stays = false) {
const place = document.querySelector('.say');
if (!place) return;
place.textContent = text;
place.classList.add('shown');
clearTimeout(hiding);
if (!stays) hiding = setTimeout(() => place.classList.remove('shown'), 5000);
}
function announce(text) {
const place = document.querySelector('.announce');
if (place) place.textContent = text;
}
addEventListener('hashchange', route);
onLanguage(build);
build();

"""###
        case "dom.js": ###"""
const SVG = 'http://www.w3.org/2000/svg';
export function h(name, attributes = {}, ...children) {
return build(document.createElement(name), attributes, children);
}
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
export function fill(element, ...children) {
element.replaceChildren();
append(element, children);
return element;
}
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
<link rel="stylesheet" href="parts/explorer.css">
<link rel="stylesheet" href="parts/packets.css">
<link rel="stylesheet" href="parts/lesson.css">
<script type="module" src="app.js"></script>
</head>
<body>
<noscript>The studio needs JavaScript. 本页面需要 JavaScript。</noscript>
</body>
</html>

"""###
        case "link.js": ###"""
const RETRY = [200, 500, 1000, 2000, 5000];
const KEPT = 2000;
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
addEventListener('online', () => this.#check());
addEventListener('pageshow', () => this.#check());
document.addEventListener('resume', () => this.#check());
document.addEventListener('visibilitychange', () => { if (!document.hidden) this.#check(); });
}
topic(name, watcher) {
return this.#add(this.#topics, name, { data: undefined }, watcher, (entry) => { if (entry.data !== undefined) watcher(entry.data); });
}
stream(name, watcher) {
return this.#add(this.#streams, name, { items: [], dropped: 0, next: undefined }, watcher, (entry) => {
if (entry.next !== undefined) watcher({ items: [...entry.items], missed: entry.dropped, reset: 0, next: entry.next });
});
}
onState(watcher) {
this.#states.add(watcher);
watcher(this.state);
return () => this.#states.delete(watcher);
}
do(command, args = {}) {
if (this.state !== 'open') return Promise.reject({ code: 'offline', text: 'The studio does not answer.' });
const id = ++this.#number;
this.#socket.send(JSON.stringify({ id, do: command, with: args }));
return new Promise((resolve, reject) => this.#pending.set(id, { resolve, reject }));
}
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
async #askWhy() {
try {
const answer = await fetch(new URL('icon.svg', location.href));
if (answer.status === 403 && this.state !== 'open') this.#setState('refused');
} catch { /* the studio does not run */ }
}
#check() {
if (this.#socket.readyState === WebSocket.CLOSED) {
clearTimeout(this.#timer);
this.#open();
} else if (this.state === 'open' && Date.now() - this.#heard > SILENCE) {
const socket = this.#socket;
this.do('studio.ping').catch(() => {});
setTimeout(() => {
if (socket !== this.#socket || Date.now() - this.#heard < ANSWER) return;
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
function keep(entry, batch) {
if (batch.reset !== undefined) {
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
import { fill, h, keyed } from '../dom.js';
import { count, dBm, plain } from '../text.js';
import { register, t } from '../words.js';
import { addDevice } from './room-forms.js';
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
async function runWristband(studio) {
const { programs, scenes } = studio.store.room;
if (scenes?.length) await studio.try('room.scene', { scene: scenes[0] });
else {
for (const [kind, x] of [['phone', -1], ['wearable', 1]]) {
const program = programs.find((program) => program.kind === kind);
if (program) await studio.try('room.add', { program: program.id, x, y: 0 });
}
}
await studio.try('time.run');
}
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
import { fill, h, keyed } from '../dom.js';
import { dBm, plain } from '../text.js';
import { t } from '../words.js';
import { advertisement, bdi, set } from './explorer-scan.js';
const WORDS = { read: 'read', write: 'write', writeWithoutResponse: 'write w/o response', notify: 'notify', indicate: 'indicate', broadcast: 'broadcast', authenticatedSignedWrites: 'signed write', extendedProperties: 'extended' };
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
import { fill, h } from '../dom.js';
import { plain, seconds } from '../text.js';
import { currentLanguage, t } from '../words.js';
import { words } from './explorer-words.js';
const SHOWN = 200;
const MARKS = { call: '→', callback: '←', note: '·', error: '✕' };
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
import { s } from '../dom.js';
import { t } from '../words.js';
function path(points, [left, right], [low, high], width, height) {
const x = (value) => (right > left ? ((value - left) / (right - left)) * width : width);
const y = (value) => (high > low ? height - ((value - low) / (high - low)) * height : height / 2);
return points.map(([a, b], index) => `${index ? 'L' : 'M'}${x(a).toFixed(1)} ${y(b).toFixed(1)}`).join('');
}
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
export function pairs(numbers) {
const points = [];
for (let index = 0; index + 1 < numbers.length; index += 2) points.push([numbers[index], numbers[index + 1]]);
return points;
}

"""###
        case "parts/explorer-prompts.js": ###"""
import { fill, h, keyed } from '../dom.js';
import { plain } from '../text.js';
import { t } from '../words.js';
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
import { fill, h, keyed } from '../dom.js';
import { dBm, plain } from '../text.js';
import { t } from '../words.js';
import { pairs, plot, sparkline } from './explorer-plot.js';
export function set(element, property, value) { if (element[property] !== value) element[property] = value; }
export function bdi(text, limit, attributes = {}) { return h('bdi', { class: 'name', dir: 'auto', ...attributes }, plain(text, limit)); }
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
for (const [key, value] of [['name', state.filter.name ?? ''], ['service', state.filter.service ?? ''], ['rssi', String(state.filter.minimumRSSI ?? -105)]]) {
if (document.activeElement !== fields[key] && fields[key].value !== value && !timer) fields[key].value = value;
}
}
return { element, update };
}
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
import { fill, h, keyed } from '../dom.js';
import { plain, seconds } from '../text.js';
import { t } from '../words.js';
import { pairs, plot } from './explorer-plot.js';
import { bdi, set } from './explorer-scan.js';
import { failureText } from './explorer-words.js';
const FORMATS = ['hex', 'utf8', 'base64', 'u8', 'i8', ...[16, 24, 32, 40, 48, 56, 64].flatMap((bits) => [`u${bits}`, `i${bits}`, `u${bits}be`, `i${bits}be`]), 'f32', 'f32be', 'f64', 'f64be'];
function remembered(uuid) { try { return localStorage.getItem(`explorer.format.${uuid}`); } catch { return null; } }
function remember(uuid, format) { try { localStorage.setItem(`explorer.format.${uuid}`, format); } catch { /* storage may be blocked */ } }
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
export function words(key, values, fallback) {
const text = t(key, values);
return text === key ? fallback : text;
}
export function failureText(failure) {
const text = words(`ex.fail.${failure.code}`, {}, null);
return text ?? [failure.text, failure.next].filter(Boolean).join(' ');
}

"""###
        case "parts/explorer.css": ###"""
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
import { fill, h } from '../dom.js';
import { count, plain, seconds } from '../text.js';
import { pick, register, t } from '../words.js';
import { pane } from './room-pane.js';
register({
en: {
'happened.title': 'What happens', 'happened.none': 'Nothing has happened yet.', 'happened.teach': 'Calls and callbacks of the programs appear here, with the packets between them.',
'happened.packets': '{n} packet||{n} packets', 'happened.about': 'about {n} packets', 'happened.all': 'All in the packet list', 'happened.earlier': 'Show earlier ({n})',
'happened.call': 'call', 'happened.callback': 'callback', 'happened.note': 'note', 'happened.error': 'error', 'happened.latest': 'Latest', 'happened.step': 'Step {n}',
'happened.some': 'Packets: in the packet list', 'happened.least': 'at least {n} packets',
},
zh: {
'happened.title': '正在发生', 'happened.none': '还没有发生任何事。', 'happened.teach': '程序的调用和回调会显示在这里，它们之间的数据包也在这里。',
'happened.packets': '{n} 个数据包', 'happened.about': '约 {n} 个数据包', 'happened.all': '在数据包列表中查看全部', 'happened.earlier': '显示更早的（{n}）',
'happened.call': '调用', 'happened.callback': '回调', 'happened.note': '说明', 'happened.error': '错误', 'happened.latest': '最新', 'happened.step': '第 {n} 步',
'happened.some': '数据包：见数据包列表', 'happened.least': '至少 {n} 个数据包',
},
});
const ROWS = 150;       // rows in the document
const OPENED = 100;     // packets of an opened fold
const open = new Set(); // folds that are open, by the number of the event after them
function between(packets, from, to) {
const first = position(packets, from);
const end = position(packets, to);
const isCut = first === 0 && packets.length > 0 && packets[0].n > 0;
if (end <= first) return { first, end, n: 0, words: isCut && to > from && to !== Infinity ? 'happened.some' : null };
const n = packets[end - 1].n - packets[first].n + 1;
const isWhole = n === end - first && (first === 0 || packets[first - 1].n === packets[first].n - 1);
return { first, end, n, words: isCut ? 'happened.least' : isWhole ? 'happened.packets' : 'happened.about' };
}
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
function code(text) { return text.split(/(?<=[(.,:_])/).flatMap((part) => [part, h('wbr')]); }
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
class: `item event ${event.kind}`, onclick: () => event.device && studio.select({ kind: 'device', id: event.device }),
onpointerenter: () => studio.highlight(event.device ?? null), onpointerleave: () => studio.highlight(null),
onfocus: () => studio.highlight(event.device ?? null), onblur: () => studio.highlight(null),
},
h('span', { class: 'number mono step', title: event.step ? t('happened.step', { n: event.step }) : null }, event.step ? String(event.step).padStart(2, '0') : event.kind === 'error' ? '!' : '·'),
h('span', { class: 'grow' },
h('span', { class: 'text', dir: 'auto' }, plain(pick(event.text), 240)),
event.swift ? h('code', { class: 'swift' }, code(plain(event.swift, 160))) : null,
h('span', { class: 'faint where' }, h('bdi', { dir: 'auto' }, plain(device?.name ?? '', 24)), `${device ? ' · ' : ''}${t(`happened.${event.kind}`)} · `, h('time', {}, seconds(event.time, event.time % 1e6 ? 6 : 3))))));
return { event, element, gap, from: before?.time ?? -1, isSettled: false, text: '' };
}
function drawGap(place, key, from, to) {
const found = between(packets.items, from, to);
const isOpen = open.has(key);
const text = found.words ? t(found.words, { n: count(found.n) }) : '';
const state = `${text} ${isOpen} ${isOpen ? packets.items[found.end - 1]?.n : ''}`;
if (place.dataset.state === state) return;
place.dataset.state = state;
let fold = place.querySelector(':scope > button');
if (found.n === 0) {
return fill(place, text ? h('button', { class: 'quiet small fold-packets', onclick: () => studio.show('packets') }, text) : []);
}
if (fold && !fold.lastElementChild) fold = null;
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
        case "parts/lesson-code.js": ###"""
import { h } from '../dom.js';
import { t } from '../words.js';
const TOKENS = /(\/\/[^\n]*)|("(?:\\.|[^"\\])*")|\b(func|var|let|if|else|guard|return|for|in|while|switch|case|default|class|final|private|init|self|nil|true|false|import|where)\b|\b(CB\w+|didDiscover\w*|did[A-Z]\w*|centralManager\w*|peripheralManager\w*|peripheralIsReady)\b/g;
export function highlighted(text) {
const nodes = [];
let from = 0;
for (const match of text.matchAll(TOKENS)) {
if (match.index > from) nodes.push(text.slice(from, match.index));
const kind = match[1] ? 'comment' : match[2] ? 'string' : match[3] ? 'keyword' : 'name';
nodes.push(h('span', { class: `lesson-${kind}` }, match[0]));
from = match.index + match[0].length;
}
nodes.push(text.slice(from));
return nodes;
}
export async function copy(text, studio) {
try {
await navigator.clipboard.writeText(text);
studio.say(t('lesson.copied'));
} catch {
const area = h('textarea', { class: 'lesson-clip', 'aria-hidden': 'true', readonly: true });
area.value = text;
document.body.append(area);
area.select();
const done = document.execCommand('copy');
area.remove();
studio.say(t(done ? 'lesson.copied' : 'lesson.copyFailed'));
}
}
export function codeBlock(part, load, studio) {
return h('figure', { class: 'lesson-code' },
h('figcaption', {}, h('span', { class: 'faint mono' }, `${part.file}:${part.line}`),
h('button', { onclick: () => copy(part.text, studio) }, t('lesson.copy')),
h('button', { onclick: async () => copy(await load(), studio) }, t('lesson.whole'))),
h('pre', { tabindex: '0', 'aria-label': part.file }, h('code', {}, highlighted(part.text))));
}

"""###
        case "parts/lesson-step.js": ###"""
import { fill, h } from '../dom.js';
import { pick, t } from '../words.js';
import { highlighted } from './lesson-code.js';
export function parts(text) {
const found = [];
let from = 0;
for (const match of text.matchAll(/\{(\w)\|([^}]*)\}/g)) {
if (match.index > from) found.push({ text: text.slice(from, match.index) });
found.push({ mark: match[1], text: match[2] });
from = match.index + match[0].length;
}
if (from < text.length) found.push({ text: text.slice(from) });
return found;
}
function target(mark) {
const [name, pattern] = (mark?.[1] ?? '').split(/\/(.*)/s);
return { name, pattern: pattern ? new RegExp(pattern, 'i') : null };
}
export class StepView {
#shown = null;
#bytes = h('div', { class: 'lesson-bytes' });
#rows = h('ol', { class: 'lesson-packets' });
#swift;
#words;
constructor(step, words, report, names) {
Object.assign(this, { step, words, names });
this.air = null;
this.#swift = h('code', {}, this.#marked(step.source.text));
this.#words = h('p', { class: 'lesson-text' }, parts(pick(words).text).map((part) => part.mark
? h('button', { class: 'mark', dataset: { mark: part.mark }, ...this.#pointing(part.mark) }, part.text) : part.text));
this.says = h('p', { class: 'lesson-says' });
this.setReport(report);
this.element = h('div', { class: 'lesson-languages' },
h('section', {}, h('h3', {}, t('lesson.swift')), h('p', { class: 'faint' }, t(step.kind === 'call' ? 'lesson.call' : 'lesson.callback')),
h('pre', { tabindex: '0', 'aria-label': t('lesson.swift') }, this.#swift), this.says),
h('section', {}, h('h3', {}, t('lesson.words')), this.#words, h('p', { class: 'faint' }, t('lesson.point'))),
h('section', {}, h('h3', {}, t('lesson.octets')), this.#rows, this.#bytes));
this.setAir(null);
}
setReport(report) {
fill(this.says, report ? [h('span', { class: 'faint' }, `${t('lesson.reported')} `), h('span', { dir: 'auto' }, report)] : []);
}
setAir(air) {
this.air = air;
if (air === null || air === 'waiting') {
fill(this.#rows, h('li', { class: 'faint' }, air ? t('lesson.loading') : t('lesson.notYet', { next: t('lesson.next') })));
fill(this.#bytes);
return;
}
const packets = air.packets;
fill(this.#rows,
packets.map((packet) => h('li', {}, h('button', {
dataset: { n: packet.n }, class: `layer-${packet.layer}`, onclick: () => this.#show(packet),
}, h('b', {}, packet.name), h('span', { class: 'faint', dir: 'auto' }, ` ${this.#way(packet)}`)))),
packets.length === 0 ? h('li', { class: 'faint' }, t('lesson.none')) : null,
air.other > 0 && packets.length > 0 ? h('li', { class: 'faint' }, t('lesson.more', { n: air.other })) : null);
const wanted = Object.values(this.words.marks).map((mark) => target(mark).name);
const first = wanted.map((name) => packets.findLast((packet) => packet.name === name)).find(Boolean);
if (first ?? packets[0]) this.#show(first ?? packets[0]);
else fill(this.#bytes);
}
#way(packet) {
const [from, to] = [this.names(packet.sender), packet.receiver === null ? null : this.names(packet.receiver)];
return to === null || packet.layer === 'adv' && packet.name.startsWith('ADV') ? t('lesson.toAll', { from }) : t('lesson.to', { from, to });
}
#show(packet) {
this.#shown = packet;
for (const button of this.#rows.querySelectorAll('button')) {
const isShown = button.dataset.n === String(packet.n);
button.setAttribute('aria-pressed', String(isShown));
if (isShown) this.#rows.scrollTop = Math.min(button.offsetTop - 4, Math.max(this.#rows.scrollTop, button.offsetTop + button.offsetHeight - this.#rows.clientHeight));
}
const octets = packet.octets.match(/../g) ?? [];
const caption = h('p', { class: 'lesson-field faint', 'aria-live': 'polite' }, packet.text);
const field = (index) => packet.fields.find((field) => field.from <= index && index < field.to);
const cells = octets.map((octet, index) => {
const owner = field(index);
const mark = this.#markOf(packet, owner);
return h('span', {
class: 'octet', dataset: { index, mark: mark ?? '' },
onmouseenter: () => { caption.textContent = owner ? t('lesson.field', owner) : packet.text; this.#light(mark, packet, owner); },
onmouseleave: () => { caption.textContent = packet.text; this.#light(null); },
}, octet);
});
fill(this.#bytes, h('p', { class: 'lesson-octets mono', role: 'img', 'aria-label': `${t('lesson.octetsOf', { name: packet.name })}: ${octets.join(' ')}` }, cells), caption);
}
#markOf(packet, field) {
for (const [name, mark] of Object.entries(this.words.marks)) {
const wanted = target(mark);
if (wanted.name === packet.name && (wanted.pattern === null || field && wanted.pattern.test(field.path))) return name;
}
return null;
}
#pointing(mark) {
const on = () => {
const wanted = target(this.words.marks[mark]);
const packet = this.air?.packets?.findLast?.((packet) => packet.name === wanted.name);
if (packet && packet !== this.#shown) this.#show(packet);
this.#light(mark);
};
const off = () => this.#light(null);
return { onmouseenter: on, onmouseleave: off, onfocus: on, onblur: off };
}
#light(mark, packet = null, field = null) {
for (const element of this.element.querySelectorAll('[data-mark]')) element.classList.toggle('lit', mark !== null && element.dataset.mark === mark);
if (mark === null && field) {
for (const octet of this.#bytes.querySelectorAll('.octet')) {
const index = Number(octet.dataset.index);
octet.classList.toggle('lit', field.from <= index && index < field.to);
}
}
}
#marked(text) {
const found = [];
for (const [name, mark] of Object.entries(this.words.marks)) {
const at = mark[0] ? text.indexOf(mark[0]) : -1;
if (at >= 0) found.push({ name, from: at, to: at + mark[0].length });
}
found.sort((a, b) => a.from - b.from || b.to - a.to);
const nodes = [];
let from = 0;
for (const item of found) {
if (item.from < from) continue;
nodes.push(...highlighted(text.slice(from, item.from)));
nodes.push(h('span', {
class: 'mark', dataset: { mark: item.name }, onmouseenter: () => this.#light(item.name), onmouseleave: () => this.#light(null),
}, text.slice(item.from, item.to)));
from = item.to;
}
nodes.push(...highlighted(text.slice(from)));
return nodes;
}
}

"""###
        case "parts/lesson-words-central.js": ###"""
export const central = {
"1": {
"marks": { "m": ["CBCentralManager", null], "d": ["delegate: self", null], "q": ["queue: queue", null] },
"en": { "title": "Create the central manager", "text": "{m|The central manager} connects your program with the Bluetooth controller. {d|Its delegate} is this object: all answers come to it, on {q|this queue}. Nothing is on the air yet, and no command works before step 2." },
"zh": { "title": "建立中心角色", "text": "{m|中心管理器}把程序和蓝牙控制器连接起来。{d|它的代理}就是这个对象：所有回应都在{q|这个队列}上交给它。此时空中还没有数据包，第 2 步之前任何命令都不起作用。" }
},
"2": {
"marks": { "s": ["centralManagerDidUpdateState", null], "c": ["central", null] },
"en": { "title": "The state of Bluetooth arrives", "text": "{s|This delegate method} must exist. It comes once after the initialiser and after each change. {c|The manager} accepts commands in the state powered on; a scan that starts earlier is ignored, and that is the most frequent beginner's error." },
"zh": { "title": "检测中央设备状态", "text": "{s|这个代理方法}必须实现。创建管理器之后会调用一次，以后每次状态变化都会调用。{c|管理器}只有在 poweredOn 状态下才接受命令；更早开始的扫描会被忽略，这是初学者最常见的错误。" }
},
"3": {
"marks": { "a": ["scanForPeripherals", "ADV_IND"], "n": ["withServices: nil", null], "o": ["options: nil", null] },
"en": { "title": "Scan", "text": "{a|Listen for advertisements}. An advertisement is a short packet that a device sends several times a second so that others find it. {n|nil accepts every device}; a list of services accepts only devices that advertise one of them. {o|Without options} each device is reported once." },
"zh": { "title": "发起扫描外设", "text": "{a|监听广播}。广播是设备每秒发送几次的短数据包，让别人能找到它。{n|nil 表示接受所有设备}；给出服务列表时，只报告广播了其中某个服务的设备。{o|不给选项}时每个设备只报告一次。" }
},
"4": {
"marks": { "p": ["didDiscover peripheral", "ADV_IND/address"], "a": ["advertisementData", "ADV_IND/^(?!.*(header|address))"], "r": ["rssi RSSI", null] },
"en": { "title": "A device is discovered", "text": "The device is {p|a CBPeripheral}; keep a reference to it, or nothing further arrives. {a|The advertisement} has at most 31 octets: flags, a service and the name. The phone also asked for more with SCAN_REQ, and SCAN_RSP brought nothing new. {r|The RSSI} is the strength of the received signal in dBm: closer to zero is stronger." },
"zh": { "title": "发现外设", "text": "设备是{p|一个 CBPeripheral}，必须持有它，否则收不到后面的回调。{a|广播内容}最多 31 个字节：标志、服务和名字。手机还用 SCAN_REQ 询问更多内容，SCAN_RSP 没有带来新东西。{r|RSSI} 是收到的信号强度，单位 dBm，越接近零越强。" }
},
"5": {
"marks": { "c": ["central.connect", "CONNECT_IND"], "p": ["peripheral", "CONNECT_IND/advertiser"], "o": ["options: nil", "CONNECT_IND/interval"] },
"en": { "title": "Connect", "text": "{c|The phone answers an advertisement} of {p|this device} with CONNECT_IND, and both follow the same plan of channels and times from then on: {o|the system chooses the connection interval}, here 30 ms. The call has no time limit. It waits until the device is in range, or until you cancel it." },
"zh": { "title": "发起连接外设", "text": "{c|手机用 CONNECT_IND 回应}{p|这个设备}的一次广播，此后双方按同样的信道和时间表通信：{o|连接间隔由系统决定}，这里是 30 毫秒。这个调用没有超时，会一直等到设备进入范围，或者你取消它。" }
},
"6": {
"marks": { "c": ["didConnect", "ATT_EXCHANGE_MTU_RSP"], "p": ["peripheral: CBPeripheral", null] },
"en": { "title": "Connected", "text": "{c|The link exists} before your program hears of it. Both controllers have agreed on longer packets and the faster 2M radio, and both hosts on the ATT_MTU, the largest attribute packet. None of it costs you a line. Now {p|the peripheral} accepts requests." },
"zh": { "title": "连接外设成功", "text": "程序得知之前，{c|链路已经建立}：两边的控制器协商了更长的数据包和更快的 2M 速率，两边的主机协商了 ATT_MTU，即最大的属性数据包。这些都不用写代码。现在{p|外设}可以接受请求了。" }
},
"7": {
"marks": { "d": ["peripheral.delegate = self", null], "s": ["discoverServices", "ATT_READ_BY_GROUP_TYPE_REQ/type"], "n": ["(nil)", "ATT_READ_BY_GROUP_TYPE_REQ/handle"] },
"en": { "title": "Discover the services", "text": "{d|The peripheral has a delegate of its own}; without it the answers are lost. A device keeps its data in a table of numbered rows, called handles. The phone asks for {s|all rows of the kind service (2800)}, {n|from the first handle to the last}." },
"zh": { "title": "设置外设代理，发起扫描服务", "text": "{d|外设有自己的代理}，不设置就收不到回应。设备的数据放在一张带编号的表里，编号叫句柄。手机询问{s|所有类型为服务（2800）的行}，{n|从第一个句柄到最后一个}。" }
},
"8": {
"marks": { "s": ["didDiscoverServices", "ATT_READ_BY_GROUP_TYPE_RSP"], "e": ["error", "ATT_ERROR_RSP"] },
"en": { "title": "The services are known", "text": "{s|Each answer} lists services with their first and last handle. {e|The last answer is an error}, Attribute Not Found, and is no problem: it says that no more rows follow. The error of the delegate is nil." },
"zh": { "title": "发现外设的服务", "text": "{s|每个回应}列出服务及其首末句柄。{e|最后一个回应是错误} Attribute Not Found，但这不是问题：它只表示后面没有了。代理方法得到的 error 是 nil。" }
},
"9": {
"marks": { "c": ["discoverCharacteristics", "ATT_READ_BY_TYPE_REQ/type"], "s": ["for: service", "ATT_READ_BY_TYPE_REQ/handle"] },
"en": { "title": "Discover the characteristics", "text": "A characteristic is one value of a service, with its rules. The phone asks for {c|all rows of the kind characteristic (2803)} {s|within the handles of the service}. One request at a time: the second service waits for the first." },
"zh": { "title": "发起发现外设的服务的特征", "text": "特征是服务里的一个值以及它的规则。手机{s|在该服务的句柄范围内}询问{c|所有类型为特征（2803）的行}。一次只有一个请求：第二个服务要等第一个完成。" }
},
"10": {
"marks": { "c": ["didDiscoverCharacteristicsFor", "ATT_READ_BY_TYPE_RSP"], "s": ["service: CBService", null] },
"en": { "title": "The characteristics are known", "text": "{c|Each entry} holds the properties (read, write, notify), the handle of the value and the UUID. Check the properties before you use a characteristic. The method comes once for {s|each service}." },
"zh": { "title": "发现外设的服务的特征", "text": "{c|每一项}包含属性（读、写、通知）、值的句柄和 UUID。使用特征之前先检查属性。{s|每个服务}调用一次这个方法。" }
},
"11": {
"marks": { "r": ["readValue", "ATT_READ_REQ/opcode"], "c": ["for: characteristic", "ATT_READ_REQ/handle"] },
"en": { "title": "Read a value", "text": "{r|A read request} carries only the number of the row: {c|the handle of the value}. The UUID is not sent again. That is why discovery comes first." },
"zh": { "title": "发起读取特征值", "text": "{r|读请求}里只有行的编号，也就是{c|值的句柄}，不再发送 UUID。所以要先发现特征。" }
},
"12": {
"marks": { "u": ["didUpdateValueFor", "ATT_READ_RSP/opcode"], "c": ["characteristic: CBCharacteristic", "ATT_READ_RSP/value"] },
"en": { "title": "The value arrives", "text": "{u|The answer} has {c|the octets of the value}, now in characteristic.value. What they mean is an agreement between the device and your program: 02 is the wrist in the table of the Bluetooth SIG. Notifications come to this method, too." },
"zh": { "title": "得到特征值", "text": "{u|回应}里是{c|值的字节}，现在在 characteristic.value 里。字节的含义由设备和程序约定：在蓝牙 SIG 的表里 02 表示手腕。通知也会进入这个方法。" }
},
"13": {
"marks": { "v": ["value", "ATT_WRITE_REQ/value"], "c": ["for: characteristic", "ATT_WRITE_REQ/handle"], "t": [".withResponse", "ATT_WRITE_REQ/opcode"] },
"en": { "title": "Write a value", "text": "Write {v|two octets} to {c|the daily goal}: 10 27 is 10,000 with the lowest octet first. {t|With response}: the device confirms or refuses. Without response is faster, and nobody tells you that a value was refused." },
"zh": { "title": "发起写入特征值", "text": "把{v|两个字节}写入{c|每日目标}：10 27 就是 10000，低字节在前。{t|带响应}：设备会确认或者拒绝。不带响应更快，但被拒绝时得不到任何消息。" }
},
"14": {
"marks": { "w": ["didWriteValueFor", "ATT_WRITE_RSP"], "e": ["error", null] },
"en": { "title": "The write is confirmed", "text": "{w|One octet comes back}: the program on the wristband has seen the value and accepted it. A refusal arrives as {e|the error}, with the device's reason." },
"zh": { "title": "写入特征值成功", "text": "{w|回来一个字节}：手环上的程序收到了这个值并接受了。如果被拒绝，{e|error} 里会有设备给出的原因。" }
},
"15": {
"marks": { "t": ["setNotifyValue(true", "ATT_WRITE_REQ/value"], "c": ["for: characteristic", "ATT_WRITE_REQ/handle"] },
"en": { "title": "Subscribe", "text": "{t|Ask for notifications}: the device then sends each new value by itself. On the air this is a write of 01 00 to {c|the descriptor 2902} of the characteristic. The phone first looks for that descriptor; your program never writes it." },
"zh": { "title": "发起设置某个特征的监听通知", "text": "{t|打开通知}：之后设备会主动发送每个新值。在空中，这是向特征的 {c|2902 描述符}写入 01 00。手机先找到这个描述符；程序不能直接写它。" }
},
"16": {
"marks": { "s": ["didUpdateNotificationStateFor", "ATT_WRITE_RSP"], "c": ["characteristic: CBCharacteristic", null] },
"en": { "title": "The subscription is on", "text": "{s|The device has confirmed}. isNotifying of {c|the characteristic} is true, and from the next second on the pulse arrives in step 12's method, without a request." },
"zh": { "title": "通知的状态改变", "text": "{s|设备已确认}。{c|特征}的 isNotifying 变为 true；从下一秒起，心率会不经请求就进入第 12 步的方法。" }
},
"17": {
"marks": { "d": ["discoverDescriptors", "ATT_FIND_INFORMATION_REQ/opcode"], "c": ["for: characteristic", "ATT_FIND_INFORMATION_REQ/handle"] },
"en": { "title": "Discover the descriptors", "text": "Twelve notifications have come. {d|Descriptors} are further rows after the value: a name for people, the switch for notifications. The phone asks for {c|the rows after the value}. Steps 17 to 22 are optional; many programs never need them." },
"zh": { "title": "发起发现特征的描述", "text": "已经收到十二次通知。{d|描述符}是值后面的其他行：给人看的名称、通知的开关。手机询问{c|值之后的行}。第 17 到 22 步是可选的，很多程序用不到。" }
},
"18": {
"marks": { "d": ["didDiscoverDescriptorsFor", "ATT_FIND_INFORMATION_RSP"], "c": ["characteristic: CBCharacteristic", null] },
"en": { "title": "The descriptors are known", "text": "{d|The answer} pairs handles and UUIDs: 2902 is the switch for notifications, 2901 the name for people. {c|A characteristic without further rows} needs no packet: its answer is known already." },
"zh": { "title": "发现特征的描述", "text": "{d|回应}是句柄和 UUID 的列表：2902 是通知开关，2901 是给人看的名称。{c|没有其他行的特征}不需要发送数据包，结果已经知道了。" }
},
"19": {
"marks": { "r": ["readValue", "ATT_READ_REQ/opcode"], "d": ["for: descriptor", "ATT_READ_REQ/handle"] },
"en": { "title": "Read a descriptor", "text": "{r|The same request} as for a value, with {d|the handle of the descriptor}. To the device, both are rows of one table." },
"zh": { "title": "发起读取特征的描述值", "text": "{r|请求}和读取值时相同，只是句柄是{d|描述符的句柄}。对设备来说，它们都是同一张表里的行。" }
},
"20": {
"marks": { "u": ["didUpdateValueFor", "ATT_READ_RSP/value"], "d": ["descriptor: CBDescriptor", null] },
"en": { "title": "The descriptor's value arrives", "text": "{u|The octets} become a Swift value by {d|the kind of descriptor}: a String for 2901, a number for 2902, Data for most others. Here 01 00 is the number 1: notifications are on." },
"zh": { "title": "得到特征的描述值", "text": "{u|字节}按{d|描述符的类型}变成 Swift 的值：2901 是 String，2902 是数字，其他大多是 Data。这里的 01 00 就是数字 1：通知已打开。" }
},
"21": {
"marks": { "w": ["writeValue", "ATT_WRITE_REQ/opcode"], "d": ["for: descriptor", "ATT_WRITE_REQ/handle"], "p": ["Data(\"Pulse\".utf8)", "ATT_WRITE_REQ/value"] },
"en": { "title": "Write a descriptor", "text": "{w|Try to rename} {d|the description 2901} to {p|\"Pulse\"}. This is the rarest call of all, and the device is a CBPeripheralManager: watch what it says." },
"zh": { "title": "发起写入特征的描述值", "text": "{w|试着}把{d|描述 2901}改成{p|“Pulse”}。这是最少用到的调用，而对方是 CBPeripheralManager：看看它怎么回答。" }
},
"22": {
"marks": { "w": ["didWriteValueFor", "ATT_ERROR_RSP"], "e": ["error", "ATT_ERROR_RSP/error"] },
"en": { "title": "The answer is a refusal", "text": "{w|The device answers with an error}: {e|Write Not Permitted}. Descriptors of a CBPeripheralManager cannot be written, on Apple's systems as here. The link stays; an error ends only its own request." },
"zh": { "title": "写入特征的描述值的结果", "text": "{w|设备回应了一个错误}：{e|Write Not Permitted}。CBPeripheralManager 的描述符不能写，苹果系统上也一样。链路保持不变：错误只结束这一次请求。" }
},
"23": {
"marks": { "s": ["stopScan", null], "c": ["cancelPeripheralConnection", "LL_TERMINATE_IND"] },
"en": { "title": "Disconnect", "text": "{c|The phone ends the link} with LL_TERMINATE_IND, and didDisconnectPeripheral follows without an error. {s|Stop the scan} as well: it costs energy. If a device vanishes instead, the same method comes with an error, after the supervision timeout." },
"zh": { "title": "断开蓝牙连接", "text": "{c|手机结束链路}，发送 LL_TERMINATE_IND，随后 didDisconnectPeripheral 被调用，没有错误。同时{s|停止扫描}以省电。如果设备突然消失，同一个方法会在监督超时之后带着错误被调用。" }
}
};

"""###
        case "parts/lesson-words-peripheral.js": ###"""
export const peripheral = {
"1": {
"marks": { "m": ["CBPeripheralManager", null], "d": ["delegate: self", null] },
"en": { "title": "Create the peripheral manager", "text": "This program is the other side: the wristband. {m|The peripheral manager} publishes data and advertises. {d|Its delegate} hears what centrals ask for." },
"zh": { "title": "建立外设角色", "text": "这个程序是另一方：手环。{m|外设管理器}发布数据并广播。{d|它的代理}会收到中心设备的请求。" }
},
"2": {
"marks": { "s": ["peripheralManagerDidUpdateState", null] },
"en": { "title": "The state arrives", "text": "{s|The same rule as for a central}: wait for powered on. After each return to this state the services have to be published again." },
"zh": { "title": "得到蓝牙状态", "text": "{s|规则与中心角色相同}：等到 poweredOn。每次重新回到这个状态，都要再发布一次服务。" }
},
"3": {
"marks": { "a": ["peripheral.add(heartRate)", null], "b": ["peripheral.add(daily)", null] },
"en": { "title": "Publish the services", "text": "A service is a group of characteristics. {a|The heart rate} has a UUID of 16 bits that everybody knows, 180D. {b|The daily goal} is an invention of this device, so it has a random UUID of 128 bits. No packet: the table is filled in the wristband." },
"zh": { "title": "发布服务", "text": "服务是一组特征。{a|心率}使用公开的 16 位 UUID：180D。{b|每日目标}是这个设备自己定义的，所以用随机的 128 位 UUID。没有数据包：只是在手环里填表。" }
},
"4": {
"marks": { "a": ["didAdd service", null], "e": ["error", null] },
"en": { "title": "A service is published", "text": "{a|Called for each service}. A service cannot change after this. Advertise only when all are there, or a quick phone finds half of them. {e|The error} tells what was wrong with a service." },
"zh": { "title": "服务已添加", "text": "{a|每个服务调用一次}，之后服务不能再修改。全部添加完再开始广播，否则手机可能只看到一半。{e|error} 说明服务哪里有问题。" }
},
"5": {
"marks": { "n": ["CBAdvertisementDataLocalNameKey", null], "s": ["CBAdvertisementDataServiceUUIDsKey", null], "a": ["startAdvertising", null] },
"en": { "title": "Advertise", "text": "{a|Say what everybody may hear}: {n|the name} and {s|one service}. CoreBluetooth allows no other keys here, and there are only 31 octets. The packets come with step 6." },
"zh": { "title": "开始广播", "text": "{a|说明所有人都能听到的内容}：{n|名字}和{s|一个服务}。CoreBluetooth 在这里只允许这两种键，而且总共只有 31 个字节。数据包在第 6 步出现。" }
},
"6": {
"marks": { "s": ["peripheralManagerDidStartAdvertising", "ADV_IND"], "e": ["error", null] },
"en": { "title": "Advertising has started", "text": "{s|A short packet about every 30 ms}, on each of the channels 37, 38 and 39. The wristband only waits now, and soon a phone connects. {e|An error} would say why it cannot advertise." },
"zh": { "title": "已开始广播", "text": "{s|大约每 30 毫秒发送一次短数据包}，分别在 37、38、39 信道上。手环现在只需等待，很快手机就会连接。{e|error} 会说明为什么不能广播。" }
},
"7": {
"marks": { "r": ["didReceiveRead", "ATT_READ_REQ/opcode"], "q": ["request: CBATTRequest", "ATT_READ_REQ/handle"] },
"en": { "title": "A central reads", "text": "{r|A phone has connected} and reads the daily goal. {q|The request} names the characteristic and an offset. A characteristic with a fixed value, such as the sensor location, is answered without your program." },
"zh": { "title": "收到读请求", "text": "{r|手机已连接}，正在读取每日目标。{q|请求}里有特征和偏移量。有固定值的特征（例如佩戴位置）由系统直接回应，不经过程序。" }
},
"8": {
"marks": { "v": ["request.value", "ATT_READ_RSP/value"], "s": ["respond", "ATT_READ_RSP/opcode"] },
"en": { "title": "Answer the read", "text": "{v|Put the octets into the request}, from the offset on, and {s|respond}. Without a response the phone waits, and after 30 s its link is of no more use." },
"zh": { "title": "回应读请求", "text": "{v|把从偏移量开始的字节放进请求}，然后{s|回应}。不回应的话手机会一直等，30 秒后这条链路就不能再用了。" }
},
"9": {
"marks": { "w": ["didReceiveWrite", "ATT_WRITE_REQ/opcode"], "q": ["requests: [CBATTRequest]", "ATT_WRITE_REQ/value"] },
"en": { "title": "A central writes", "text": "{w|The phone writes} the daily goal. {q|The requests} are an array because a long value comes in parts. Check all of them before you use one." },
"zh": { "title": "收到写请求", "text": "{w|手机写入}每日目标。{q|请求是数组}，因为长的值会分成几段。全部检查之后才能使用。" }
},
"10": {
"marks": { "f": ["to: first", null], "s": [".success", "ATT_WRITE_RSP"] },
"en": { "title": "Answer the write", "text": "One response for {f|the first request} answers the whole array. {s|Success} becomes the phone's step 14; any other result becomes its error." },
"zh": { "title": "回应写请求", "text": "只回应{f|第一个请求}，就回应了整个数组。{s|success} 就是手机的第 14 步；其他结果会成为手机得到的 error。" }
},
"11": {
"marks": { "s": ["didSubscribeTo", "ATT_WRITE_REQ/value"], "c": ["central: CBCentral", null] },
"en": { "title": "A central subscribes", "text": "{s|The phone wrote 01 00} to the descriptor 2902, and the system tells you {c|which central} it was. Start the sensor now: before this, nobody would hear its values." },
"zh": { "title": "有设备订阅", "text": "{s|手机向 2902 描述符写入了 01 00}，系统告诉你是{c|哪个中心设备}。现在再启动传感器：在此之前没有设备接收它的值。" }
},
"12": {
"marks": { "u": ["updateValue", "ATT_HANDLE_VALUE_NTF"], "v": ["value", "ATT_HANDLE_VALUE_NTF/value"], "n": ["onSubscribedCentrals: nil", null] },
"en": { "title": "Notify a value", "text": "{u|Send the pulse} as {v|two octets} to {n|all subscribers}. The device speaks first; no central asked. The result is a Bool: false means that the value was not taken." },
"zh": { "title": "发送通知", "text": "把{v|两个字节}的{u|心率发送}给{n|所有订阅者}。设备主动发送，没有谁请求。返回值是 Bool：false 表示这个值没有被接收。" }
},
"13": {
"marks": { "r": ["peripheralManagerIsReady", "ATT_HANDLE_VALUE_NTF"] },
"en": { "title": "The queue has space again", "text": "The wristband has just sent many values at once, until updateValue returned false. {r|This method} says that there is space: send the value that was refused, and go on." },
"zh": { "title": "队列又有空间了", "text": "手环刚才一次发送了很多值，直到 updateValue 返回 false。{r|这个方法}表示又有空间了：先重发被拒绝的值，再继续。" }
},
"14": {
"marks": { "u": ["didUnsubscribeFrom", "LL_TERMINATE_IND"] },
"en": { "title": "The central has left", "text": "{u|The phone disconnected}, which also ends its subscription. There is no other sign of a disconnection in this role: a central that never subscribes comes and goes unseen. Stop the sensor." },
"zh": { "title": "中心设备离开了", "text": "{u|手机断开了}，它的订阅也随之结束。外设角色没有别的断开通知：从不订阅的中心设备来去都看不到。现在可以停止传感器。" }
}
};

"""###
        case "parts/lesson-words-scenes.js": ###"""
export const scenes = {
"tour-central": {
"en": { "title": "The phone: 23 steps of a central", "text": "A phone finds a wristband, reads, writes and subscribes. Each step is one line of Swift, a sentence, and the octets on the air." },
"zh": { "title": "手机：中心模式的 23 步", "text": "手机找到手环，读、写、订阅。每一步都是一行 Swift、一句话和空中的字节。" }
},
"tour-peripheral": {
"en": { "title": "The wristband: 14 steps of a peripheral", "text": "The same meeting, seen from the device: publish, advertise, answer, notify." },
"zh": { "title": "手环：外设模式的 14 步", "text": "同一次通信，从设备这边看：发布、广播、回应、通知。" }
},
"try-filter": {
"en": { "title": "Change the service filter", "text": "The phone scans for one service. The gadget advertises FF00. Choose another UUID and run again.", "look": "With a UUID that does not match there is silence: no callback and no error. The packets arrive all the same; the phone drops them, because none of them names the service.", "next": "A device that has a service but does not advertise it is also missed. Scan without a filter to find it.",
"choices": { "filter": { "": "Service filter", "FF00": "FF00: matches", "180F": "180F: battery", "FFF0": "FFF0: a typing error", "none": "none: all devices" } } },
"zh": { "title": "修改服务过滤条件", "text": "手机只扫描一个服务，设备广播的是 FF00。换一个 UUID 再运行。", "look": "UUID 不匹配时一片安静：没有回调，也没有错误。数据包其实到了，只是里面没有这个服务，被手机丢弃了。", "next": "设备有某个服务却没有广播它，同样扫描不到。不加过滤条件就能找到。",
"choices": { "filter": { "": "服务过滤", "FF00": "FF00：匹配", "180F": "180F：电池", "FFF0": "FFF0：写错了", "none": "none：所有设备" } } }
},
"try-properties": {
"en": { "title": "Change the properties", "text": "The phone reads, writes and subscribes without a look at the properties. Choose which of the three the gadget allows.", "look": "Each refusal arrives as the error of its own callback. The device refuses with an ATT error on the air; a subscription without the property fails before any packet is sent.", "next": "Check characteristic.properties before a call, and show the error if there is one.",
"choices": { "properties": { "": "The gadget allows", "read": "read only", "read write": "read and write", "read write notify": "read, write, notify", "write": "write only", "notify": "notify only" } } },
"zh": { "title": "修改特征的属性", "text": "手机不看属性就读、写、订阅。选择设备允许其中哪些。", "look": "每次拒绝都作为对应回调的 error 到来。设备在空中用 ATT 错误拒绝；没有通知属性的订阅，在发送数据包之前就失败了。", "next": "调用之前检查 characteristic.properties；有错误就显示出来。",
"choices": { "properties": { "": "设备允许", "read": "只读", "read write": "读和写", "read write notify": "读、写、通知", "write": "只写", "notify": "只通知" } } }
},
"try-mtu": {
"en": { "title": "Change the ATT_MTU", "text": "Phone and gadget agree on the largest attribute packet: the smaller of two offers. Choose the gadget's offer; the phone reads 150 octets.", "look": "With 23 a packet has room for 22 octets of the value, so one read becomes seven requests. With 185 it is one. The delegate sees no difference but the time.", "next": "Never write the number 20 into a program: ask maximumWriteValueLength(for:).",
"choices": { "mtu": { "": "The gadget offers", "23": "23 octets", "64": "64 octets", "185": "185 octets", "517": "517 octets" } } },
"zh": { "title": "修改 ATT_MTU", "text": "双方约定最大的属性数据包，取两个数里较小的一个。选择设备提出的大小，手机会读取 150 个字节。", "look": "为 23 时，一包只能放 22 个字节的值，一次读取变成七个请求；为 185 时只要一个。代理方法看到的只有时间不同。", "next": "不要把 20 写死在程序里，用 maximumWriteValueLength(for:) 查询。",
"choices": { "mtu": { "": "设备提出", "23": "23 字节", "64": "64 字节", "185": "185 字节", "517": "517 字节" } } }
},
"try-interval": {
"en": { "title": "Change the connection interval", "text": "The two devices meet at fixed times, and sleep in between. After the subscription the gadget asks for another interval; the phone reads five times.", "look": "A read waits for the next meeting: up to one interval for the request, and up to another for the answer. Compare the milliseconds.", "next": "Short intervals are quick and cost energy. Only the peripheral asks, with setDesiredConnectionLatency, and the phone decides.",
"choices": { "latency": { "": "The gadget asks for", "low": "low: 15 to 30 ms", "medium": "medium: 60 to 90 ms", "high": "high: 300 to 400 ms" } } },
"zh": { "title": "修改连接间隔", "text": "双方在固定的时刻见面，其余时间休眠。订阅之后设备请求另一个间隔，手机读取五次。", "look": "一次读取要等下一次见面：请求最多等一个间隔，回应最多再等一个。比较毫秒数。", "next": "间隔短就快，但耗电。只有外设可以用 setDesiredConnectionLatency 请求，由手机决定。",
"choices": { "latency": { "": "设备请求", "low": "low：15 到 30 毫秒", "medium": "medium：60 到 90 毫秒", "high": "high：300 到 400 毫秒" } } }
},
"try-drop": {
"en": { "title": "Drop the link", "text": "The phone is subscribed to the gadget. Run it until it is connected, then lose the link in one of four ways.", "look": "Behind the wall, far away or without power, the device is simply not heard. The phone waits for the supervision timeout, 2 s, and then didDisconnectPeripheral comes with an error. After cancelPeripheralConnection it comes at once, without an error.", "next": "Bring the device back: the program called connect in didDisconnectPeripheral, and that call waits as long as it takes.",
"actions": { "wall": "Build a wall between them", "walk": "Walk 1.5 km away", "back": "Walk back", "off": "Cut the gadget's power", "on": "Switch the gadget on", "cancel": "Cancel the connection" } },
"zh": { "title": "断开链路", "text": "手机订阅了设备。先运行到连接成功，再用四种方式之一断开链路。", "look": "在墙后、走远或断电，都只是听不到设备。手机等待监督超时（2 秒），然后 didDisconnectPeripheral 带着错误到来。而 cancelPeripheralConnection 之后它马上到来，没有错误。", "next": "让设备回来：程序在 didDisconnectPeripheral 里调用了 connect，这个调用会一直等待。",
"actions": { "wall": "在中间砌一堵墙", "walk": "走到 1.5 公里外", "back": "走回来", "off": "切断设备电源", "on": "打开设备", "cancel": "取消连接" } }
},
"q1": {
"en": { "title": "The scan finds nothing", "text": "Two phones, one device. The hasty phone scans at once; the patient one waits for powered on.", "look": "The hasty phone hears one callback, its state, and nothing else. No error tells it why.", "next": "Start the scan in centralManagerDidUpdateState." },
"zh": { "title": "扫描不到设备", "text": "两部手机，一个设备。心急的手机马上扫描，耐心的手机等到 poweredOn。", "look": "心急的手机只收到一个回调：状态。之后什么也没有，也没有错误说明原因。", "next": "在 centralManagerDidUpdateState 里开始扫描。" }
},
"q2": {
"en": { "title": "A renamed device keeps its old name", "text": "The phone connects once, and the system reads the device's own name. Then rename the device.", "look": "peripheral.name stays, and the advertised name changes: two names from two places.", "next": "Choose devices by CBAdvertisementDataLocalNameKey.", "actions": { "rename": "Rename the device" } },
"zh": { "title": "设备改名后仍显示旧名称", "text": "手机连接一次，系统会读取设备自己的名字。然后给设备改名。", "look": "peripheral.name 不变，广播的名字变了：两个名字来自两个地方。", "next": "用 CBAdvertisementDataLocalNameKey 选择设备。", "actions": { "rename": "给设备改名" } }
},
"q3": {
"en": { "title": "The disconnection comes late", "text": "Run until the phone is subscribed. Then end the link politely, connect again, and cut the power.", "look": "After cancelPeripheralConnection the device knows within some milliseconds. Without power it says nothing, and the phone waits 2 s, the supervision timeout.", "next": "Show the state of a link only after didDisconnectPeripheral.", "actions": { "cancel": "Cancel the connection", "connect": "Connect again", "off": "Cut the device's power", "on": "Switch the device on" } },
"zh": { "title": "断开后过几秒才知道", "text": "先运行到手机订阅成功，再主动断开，重新连接，然后切断电源。", "look": "cancelPeripheralConnection 之后，设备几毫秒内就知道。断电时设备什么也说不了，手机要等 2 秒的监督超时。", "next": "收到 didDisconnectPeripheral 之后再显示断开状态。", "actions": { "cancel": "取消连接", "connect": "重新连接", "off": "切断设备电源", "on": "打开设备" } }
},
"q4": {
"en": { "title": "Work in the background", "text": "The phone scans, and the device has no power. Run it, let an hour pass, and switch the device on.", "look": "The scan still works after an hour: Linux does not suspend programs. An iPhone would need a background mode and a service filter.", "next": "Let systemd start and restart such a program.", "actions": { "hour": "Let an hour pass", "on": "Switch the device on" } },
"zh": { "title": "后台运行", "text": "手机在扫描，设备没有电。先运行，让时间过去一小时，再打开设备。", "look": "一小时后扫描仍然有效：Linux 不会挂起程序。在 iPhone 上需要后台模式和服务过滤条件。", "next": "可以由 systemd 启动和重启这样的程序。", "actions": { "hour": "过一小时", "on": "打开设备" } }
},
"q5": {
"en": { "title": "The largest distance", "text": "Three devices at 10, 100 and 400 m. Choose what is in between.", "look": "How fast the signal fades decides who is heard: all three in the open, two in an office, one through obstacles. There is no limit of 10 m.", "next": "In the room, drag a device and watch its signal.", "choices": { "exponent": { "": "Surroundings", "2.5": "an office (2.5)", "2": "open space (2)", "4": "obstacles (4)" } } },
"zh": { "title": "最远的距离", "text": "三个设备，分别在 10、100、400 米处。选择中间是什么环境。", "look": "信号衰减的快慢决定能听到谁：空旷处三个，办公室两个，有障碍物时一个。没有 10 米的限制。", "next": "在房间里拖动设备，看信号怎么变。", "choices": { "exponent": { "": "环境", "2.5": "办公室（2.5）", "2": "空旷处（2）", "4": "有障碍物（4）" } } }
},
"q6": {
"en": { "title": "The time to connect", "text": "The phone connects ten times and measures.", "look": "Most of the time is spent waiting for the next advertisement, which comes every 30 ms or so. The rest is a few packets.", "next": "connect has no time limit of its own: start a timer if the program needs one." },
"zh": { "title": "连接需要多长时间", "text": "手机连接十次并计时。", "look": "大部分时间在等下一次广播，大约每 30 毫秒一次；其余只是几个数据包。", "next": "connect 本身没有超时：需要时限的程序要自己计时。" }
},
"q7": {
"en": { "title": "Several devices at once", "text": "One phone and twelve devices, each of which sends a value every second.", "look": "All twelve stay connected. Each link has its own times and channels, and all share the air.", "next": "Keep a reference to every CBPeripheral, and tell them apart by the parameter of the callback." },
"zh": { "title": "同时连接多台设备", "text": "一部手机和十二个设备，每个设备每秒发送一个值。", "look": "十二个设备都保持连接。每条链路有自己的时间和信道，共享空中时间。", "next": "持有每个 CBPeripheral，用回调的参数区分它们。" }
},
"q8": {
"en": { "title": "Complete data", "text": "24,000 octets over a radio that loses packets. The device checks every octet.", "look": "Lost packets are sent again until they are acknowledged, so everything arrives in order. It only takes longer.", "next": "Agree on a length and a checksum: the link can end in the middle.", "choices": { "loss": { "": "Lost packets", "0.2": "20 %", "0": "none", "0.5": "50 %" } } },
"zh": { "title": "如何保证数据完整", "text": "在会丢包的电台上发送 24000 个字节，设备检查每个字节。", "look": "丢失的数据包会重发，直到对方确认，所以全部按顺序到达，只是慢一些。", "next": "约定长度和校验值：链路可能在中途断开。", "choices": { "loss": { "": "丢包率", "0.2": "20 %", "0": "不丢包", "0.5": "50 %" } } }
},
"q9": {
"en": { "title": "Three ways to reconnect", "text": "Run until connected, cancel, and come back in one of three ways.", "look": "The list of connected devices is empty after you cancelled, and has one device before. The identifier finds the device without a scan.", "next": "Keep peripheral.identifier in a file.", "actions": { "cancel": "Cancel the connection", "scan": "1. Scan again", "connected": "2. Ask for connected devices", "known": "3. Use the identifier" } },
"zh": { "title": "三种重连方式", "text": "运行到连接成功，取消连接，再用三种方式之一回来。", "look": "取消之后，已连接设备的列表是空的，之前有一个。用标识符不用扫描就能找到设备。", "next": "把 peripheral.identifier 保存到文件里。", "actions": { "cancel": "取消连接", "scan": "1. 重新扫描", "connected": "2. 查询已连接的设备", "known": "3. 用标识符" } }
},
"q10": {
"en": { "title": "Devices that are paired", "text": "The gadget's value can be read only over an encrypted link. The phone just reads it.", "look": "The first read is refused, the system pairs, and the read succeeds: look for the SMP packets. The program wrote no line for it.", "next": "CoreBluetooth lists no paired devices. The product BluetoothPairing does." },
"zh": { "title": "获取配对的设备", "text": "设备的值只能在加密的链路上读取。手机直接去读。", "look": "第一次读取被拒绝，系统完成配对，然后读取成功：看 SMP 数据包。程序没有为此写一行代码。", "next": "CoreBluetooth 不能列出已配对的设备，BluetoothPairing 可以。" }
},
"q11": {
"en": { "title": "Tools", "text": "A phone and three devices to look at.", "look": "Run it, then open the packet list, select a packet and point at a field. The explorer scans, connects and reads like LightBlue.", "next": "The same in a terminal: bluelab scan, bluelab explore." },
"zh": { "title": "调试工具", "text": "一部手机和三个可以观察的设备。", "look": "运行之后打开数据包列表，选一个数据包，指向一个字段。浏览器视图像 LightBlue 一样扫描、连接、读取。", "next": "在终端里也可以：bluelab scan、bluelab explore。" }
},
"q12": {
"en": { "title": "The address of a device", "text": "The phone gets an identifier, not the address. The scale publishes the address of its label in a characteristic.", "look": "The identifier is a random UUID of this phone. The address arrives as eight octets of 2A23, the lowest first.", "next": "Ask the makers of the device to publish what your program needs." },
"zh": { "title": "获取设备的 MAC 地址", "text": "手机得到的是标识符，不是地址。体重秤把标签上的地址放在一个特征里。", "look": "标识符是这部手机生成的随机 UUID。地址在 2A23 的八个字节里，低字节在前。", "next": "请设备厂商公布程序需要的信息。" }
},
"q13": {
"en": { "title": "Two phones do not find each other", "text": "Both phones scan. Nobody advertises.", "look": "Two listeners hear nothing. After one of them advertises, the other finds it; a phone does not hear itself.", "next": "One of them needs a CBPeripheralManager.", "actions": { "advertise": "Let phone 1 advertise" } },
"zh": { "title": "两部手机互相搜不到", "text": "两部手机都在扫描，没有谁在广播。", "look": "两个都只听，什么也听不到。其中一个开始广播后，另一个就能找到它；手机听不到自己。", "next": "其中一方需要 CBPeripheralManager。", "actions": { "advertise": "让手机 1 广播" } }
},
"q14": {
"en": { "title": "Large data: slow or lossy", "text": "1,200 parts of 20 octets, sent in one of four ways.", "look": "With responses every part waits for an answer. Twelve parts and a pause take 10 s. With flow control it is under 3 s, and nothing is lost. Twenty thousand parts at once overflow the queue: the device receives only a part of them.", "next": "Send while canSendWriteWithoutResponse is true, and go on in peripheralIsReady.", "choices": { "way": { "": "Way of sending", "pauses": "12 parts, then 100 ms", "response": "with response", "flow": "with flow control", "careless": "all at once (20,000)" } } },
"zh": { "title": "大数据：太慢或者丢失", "text": "1200 包，每包 20 字节，用四种方式之一发送。", "look": "带响应时每包都要等回应。每 12 包停 100 毫秒要 10 秒。用流量控制不到 3 秒，一包不丢。一次塞进两万包，队列会溢出：设备只收到一部分。", "next": "canSendWriteWithoutResponse 为 true 时发送，在 peripheralIsReady 里继续。", "choices": { "way": { "": "发送方式", "pauses": "每 12 包停 100 毫秒", "response": "带响应", "flow": "流量控制", "careless": "一次全发（20000 包）" } } }
}
};

"""###
        case "parts/lesson-words.js": ###"""
import { register } from '../words.js';
register({
en: {
'lesson.heading': 'Learn CoreBluetooth by watching it run',
'lesson.intro': 'Everything here runs: two programs, two simulated radios, real packets. Begin with the phone; no device is needed.',
'lesson.begin': 'Begin with the phone', 'lesson.all': 'All lessons', 'lesson.tours': 'The tours', 'lesson.cells': 'Try it',
'lesson.questions': 'Fourteen questions', 'lesson.steps': 'Steps', 'lesson.step': 'Step {n}: {title}',
'lesson.back': 'Back', 'lesson.next': 'Next', 'lesson.first': 'Run step 1', 'lesson.skip': 'Skip the wait', 'lesson.end': 'All steps are done.',
'lesson.call': 'The program calls', 'lesson.callback': 'The delegate hears', 'lesson.swift': 'Swift', 'lesson.words': 'In words', 'lesson.octets': 'On the air',
'lesson.reported': 'The program says', 'lesson.none': 'No packet: the program talks to its own controller.',
'lesson.notYet': 'This step has not run yet. Press “{next}”.', 'lesson.loading': 'Looking at the air…',
'lesson.more': 'and {n} packets that only keep the link alive or advertise', 'lesson.to': '{from} to {to}', 'lesson.toAll': '{from} to everybody',
'lesson.point': 'Point at a marked part: its counterparts light up.', 'lesson.octetsOf': 'Octets of {name}', 'lesson.field': '{name}: {value}',
'lesson.room': 'Show it in the room', 'lesson.packets': 'All packets', 'lesson.explorer': 'Open the explorer',
'lesson.copy': 'Copy', 'lesson.copied': 'Copied.', 'lesson.copyFailed': 'The browser did not copy. Select the text instead.', 'lesson.whole': 'Copy the whole program',
'lesson.run': 'Run', 'lesson.pause': 'Pause', 'lesson.again': 'From the start', 'lesson.look': 'What to look at', 'lesson.now': 'What to do next', 'lesson.doIt': 'Do it',
'lesson.heard': 'What the programs do and hear', 'lesson.silence': 'Nothing yet. Press Run.', 'lesson.quiet': 'Silence so far.', 'lesson.code': 'The program',
'lesson.linux': 'Put it into Sources/hello/main.swift of a package with OpenCoreBluetooth, and swift run it.',
'lesson.other': 'Other: a UUID', 'lesson.use': 'Use it', 'lesson.failed': 'That did not work: {text}',
'lesson.after': 'What next', 'lesson.drop': 'Walk behind a wall',
'lesson.state.off': 'no power', 'lesson.state.idle': 'idle', 'lesson.state.advertising': 'advertising', 'lesson.state.scanning': 'scanning',
'lesson.state.connecting': 'connecting', 'lesson.state.connected': 'connected',
'lesson.time': '{s} s',
},
zh: {
'lesson.heading': '看着 CoreBluetooth 运行，学会它',
'lesson.intro': '这里的一切都在真正运行：两个程序、两个模拟的电台、真实的数据包。从手机开始，不需要任何设备。',
'lesson.begin': '从手机开始', 'lesson.all': '全部课程', 'lesson.tours': '导览', 'lesson.cells': '试一试',
'lesson.questions': '十四个问题', 'lesson.steps': '步骤', 'lesson.step': '第 {n} 步：{title}',
'lesson.back': '上一步', 'lesson.next': '下一步', 'lesson.first': '运行第 1 步', 'lesson.skip': '跳过等待', 'lesson.end': '所有步骤都完成了。',
'lesson.call': '程序调用', 'lesson.callback': '代理方法收到', 'lesson.swift': 'Swift', 'lesson.words': '用话来说', 'lesson.octets': '空中的字节',
'lesson.reported': '程序的输出', 'lesson.none': '没有数据包：程序只和自己的控制器通信。',
'lesson.notYet': '这一步还没有运行。请按“{next}”。', 'lesson.loading': '正在查看空中…',
'lesson.more': '另有 {n} 个只用于保持链路或广播的数据包', 'lesson.to': '{from} 发给 {to}', 'lesson.toAll': '{from} 发给所有设备',
'lesson.point': '指向带标记的部分，对应的部分会亮起来。', 'lesson.octetsOf': '{name} 的字节', 'lesson.field': '{name}：{value}',
'lesson.room': '在房间里看', 'lesson.packets': '所有数据包', 'lesson.explorer': '打开浏览视图',
'lesson.copy': '复制', 'lesson.copied': '已复制。', 'lesson.copyFailed': '浏览器没有复制，请手动选择文字。', 'lesson.whole': '复制整个程序',
'lesson.run': '运行', 'lesson.pause': '暂停', 'lesson.again': '从头开始', 'lesson.look': '看什么', 'lesson.now': '接下来', 'lesson.doIt': '动手',
'lesson.heard': '程序做了什么，收到了什么', 'lesson.silence': '还没有内容，请按“运行”。', 'lesson.quiet': '到现在一片安静。', 'lesson.code': '程序',
'lesson.linux': '放进一个使用 OpenCoreBluetooth 的软件包的 Sources/hello/main.swift，然后 swift run。',
'lesson.other': '其他 UUID', 'lesson.use': '使用', 'lesson.failed': '没有成功：{text}',
'lesson.after': '接下来', 'lesson.drop': '走到墙后面',
'lesson.state.off': '没有电', 'lesson.state.idle': '空闲', 'lesson.state.advertising': '正在广播', 'lesson.state.scanning': '正在扫描',
'lesson.state.connecting': '正在连接', 'lesson.state.connected': '已连接',
'lesson.time': '{s} 秒',
},
});

"""###
        case "parts/lesson.css": ###"""
.lesson h2 { margin: 4px 0 8px; font-size: 1.35rem; }
.lesson h3 { margin: 14px 0 4px; font-size: 1rem; }
.lesson > div { max-width: 1100px; margin: 0 auto; }
.lesson-list { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 250px), 1fr)); gap: 8px; list-style: none; margin: 0; padding: 0; }
.lesson-list button { width: 100%; height: 100%; text-align: start; display: flex; flex-direction: column; align-items: flex-start; justify-content: flex-start; gap: 2px; padding: 10px 12px; white-space: normal; }
.lesson-list span { font-size: .88rem; }
.lesson-way, .lesson-moves { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; margin: 6px 0; }
.lesson-way button { padding: 2px 9px; font-size: .88rem; }
.lesson-steps { display: flex; flex-wrap: wrap; gap: 4px; list-style: none; padding: 0; margin: 8px 0; }
.lesson-steps button { min-width: 30px; padding: 2px 5px; font-variant-numeric: tabular-nums; color: var(--faint); }
.lesson-steps button.callback { border-radius: 15px; }
.lesson-steps button.reached { color: var(--text); background: var(--raised); }
.lesson-steps button[aria-current] { color: var(--on-accent); background: var(--accent); border-color: var(--accent); }
.lesson-title { font-size: 1.1rem; }
.lesson-air { min-height: 1.5em; margin: 0; font-size: .85rem; overflow: hidden; white-space: nowrap; text-overflow: ellipsis; }
.lesson-languages { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 220px), 1fr)); gap: 10px; }
.lesson-languages section { border: 1px solid var(--line); border-radius: var(--radius); background: var(--surface); padding: 8px 10px; min-width: 0; }
.lesson-languages h3 { margin: 0; color: var(--faint); font-size: .85rem; }
.lesson-languages p { margin: 4px 0; }
.lesson pre { overflow: auto; margin: 6px 0; padding: 8px; border-radius: 6px; background: var(--raised); font: .85rem/1.5 var(--mono); white-space: pre-wrap; overflow-wrap: anywhere; }
.lesson-code pre { white-space: pre; max-height: 30rem; }
.lesson-code { margin: 0 0 12px; }
.lesson-code figcaption { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; }
.lesson-code figcaption .mono { flex: 1 1 12rem; font-size: .8rem; overflow-wrap: anywhere; }
.lesson-keyword { color: var(--smp); } .lesson-string { color: var(--good); } .lesson-comment { color: var(--faint); } .lesson-name { color: var(--accent); }
.lesson-text { font-size: 1.05rem; line-height: 1.65; }
.lesson .mark { display: inline; min-height: 0; white-space: normal; background: none; color: inherit; font: inherit; padding: 0 1px; border: 0; border-bottom: 2px solid var(--line); border-radius: 0; text-align: start; cursor: help; }
.lesson .mark.lit, .octet.lit { background: var(--accent); color: var(--on-accent); border-color: var(--accent); }
.mark.lit * { color: inherit; }
.lesson-says { overflow-wrap: anywhere; font-size: .9rem; }
.lesson-packets { position: relative; list-style: none; margin: 4px 0; padding: 0; max-height: 11rem; overflow: auto; }
.lesson-packets button { width: 100%; text-align: start; border: 0; padding: 2px 6px; font-size: .85rem; background: none; overflow-wrap: anywhere; white-space: normal; display: block; min-height: 0; }
.lesson-packets button[aria-pressed="true"] { background: var(--raised); }
.lesson-octets { display: flex; flex-wrap: wrap; gap: 1px; font-size: .9rem; line-height: 1.6; }
.octet { padding: 0 3px; border-radius: 3px; }
.lesson-field { font-size: .85rem; overflow-wrap: anywhere; min-height: 2.6em; }
.lesson-devices { display: flex; flex-wrap: wrap; gap: 4px 16px; list-style: none; padding: 0; margin: 10px 0; max-height: 6.5rem; overflow: auto; font-size: .9rem; }
.lesson-heard { list-style: none; margin: 4px 0; padding: 6px 8px; max-height: 15rem; overflow: auto; border: 1px solid var(--line); border-radius: var(--radius); background: var(--surface); font-size: .9rem; }
.lesson-heard li { display: flex; flex-wrap: wrap; gap: 2px 10px; padding: 1px 0; overflow-wrap: anywhere; }
.lesson-heard li.callback > span:last-child { color: var(--accent); } .lesson-heard li.error > span:last-child { color: var(--bad); }
.lesson-heard b { font-weight: 600; }
.lesson-clip { position: fixed; left: -9999px; }
.lesson [hidden] { display: none; }

"""###
        case "parts/lesson.js": ###"""
import { fill, h, keyed } from '../dom.js';
import { pick, t } from '../words.js';
import './lesson-words.js';
import { central } from './lesson-words-central.js';
import { peripheral } from './lesson-words-peripheral.js';
import { scenes as words } from './lesson-words-scenes.js';
import { codeBlock, copy } from './lesson-code.js';
import { StepView } from './lesson-step.js';
const TOURS = { 'tour-central': central, 'tour-peripheral': peripheral };
const HEARD = 60;
const seconds = (time) => t('lesson.time', { s: (time / 1e9).toFixed(3) });
const isStill = () => matchMedia('(prefers-reduced-motion: reduce)').matches;
let catalogue = null;
export const lesson = {
name: 'lesson',
mount(place, studio) { return new LessonView(place, studio).end; },
};
class LessonView {
#state = null;
#ends = [];
#shown = null;
#page = null;
#opening = null;
constructor(place, studio) {
this.place = place;
this.studio = studio;
this.wanted = studio.argument?.() ?? '';
place.classList.add('lesson');
this.#ends.push(
studio.onState((state) => { if (state === 'open') this.#load(); }),
studio.topic('lesson', (state) => { this.#state = state; this.#update(); }),
studio.store.watch('room', () => this.#page?.room?.()),
studio.store.watch('time', () => this.#page?.time?.()),
studio.store.watch('flight', () => this.#page?.flight?.()),
studio.store.events.watch(() => this.#page?.happened?.()));
const keys = (event) => this.#key(event);
place.addEventListener('keydown', keys);
this.#ends.push(() => { place.removeEventListener('keydown', keys); place.classList.remove('lesson'); });
this.end = () => { for (const end of this.#ends) end(); };
}
async #load() {
try {
catalogue ??= (await this.studio.do('lesson.catalogue')).scenes;
this.#update();
} catch { /* The connection ended; the next one loads it. */ }
}
get #time() { return this.studio.store.time; }
get #devices() { return this.studio.store.room?.devices ?? []; }
#name(id) { return this.#devices.find((device) => device.id === id)?.name ?? id; }
#do = async (command, args) => {
try {
return await this.studio.do(command, args);
} catch (failure) {
this.studio.say(t('lesson.failed', { text: [failure.text, failure.next].filter(Boolean).join(' ') }));
return undefined;
}
};
#scene(id) { return catalogue?.find((scene) => scene.id === id) ?? null; }
#open = async (id, parameters = {}) => {
this.#opening = id;
this.#go(id);
const isOpen = await this.#do('lesson.open', { lesson: id, parameters }) !== undefined;
if (!isOpen || this.#state?.lesson === id) this.#opening = null;
this.#update();
return isOpen;
};
#go(id) {
this.wanted = id;
history.replaceState(null, '', `#lesson/${id}`);
}
#update() {
if (!catalogue || !this.#state) return;
if (this.#opening !== null) {
if (this.#state.lesson !== this.#opening) return;
this.#opening = null;
}
if (this.#shown === null && this.#scene(this.wanted) && this.#state.lesson !== this.wanted) {
this.#open(this.wanted);
return;
}
const scene = this.wanted === 'all' ? null : this.#scene(this.#state.lesson);
const name = scene ? `${scene.id}/${this.#state.run}` : 'all';
if (this.#shown !== name) {
this.#shown = name;
this.#page = scene === null ? this.#list() : scene.steps ? this.#tour(scene) : this.#sceneView(scene);
fill(this.place, this.#page.element);
this.place.scrollTop = 0;
}
this.#page.update?.();
}
#key(event) {
if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest('input, select, textarea, pre')) return;
if (event.key === 'ArrowRight') this.#page?.next?.();
else if (event.key === 'ArrowLeft') this.#page?.back?.();
else return;
event.preventDefault();
}
#list() {
const group = (title, prefix) => h('section', {}, h('h3', {}, t(title)), h('ul', { class: 'lesson-list' },
catalogue.filter((scene) => scene.id.startsWith(prefix)).map((scene) => h('li', {},
h('button', { dataset: { lesson: scene.id }, onclick: () => this.#open(scene.id) },
h('b', {}, this.#title(scene.id)), h('span', { class: 'faint' }, pick(words[scene.id]).text))))));
return {
element: h('div', { class: 'lesson-all' },
h('h2', {}, t('lesson.heading')), h('p', {}, t('lesson.intro')),
h('p', {}, h('button', { class: 'primary', onclick: () => this.#open('tour-central') }, t('lesson.begin'))),
group('lesson.tours', 'tour-'), group('lesson.cells', 'try-'), group('lesson.questions', 'q')),
};
}
#title(id) {
const title = pick(words[id]).title;
return /^q\d/.test(id) ? `${id.slice(1)}. ${title}` : title;
}
#head(scene) {
return [
h('p', { class: 'lesson-way' },
h('button', { onclick: () => { this.#go('all'); this.#update(); } }, `‹ ${t('lesson.all')}`),
h('button', { onclick: () => this.studio.show('room') }, t('lesson.room')),
h('button', { onclick: () => this.studio.show('packets') }, t('lesson.packets'))),
h('h2', {}, this.#title(scene.id)),
];
}
#tour(scene) {
const texts = TOURS[scene.id];
const count = scene.steps.length;
const airs = new Map();
const name = (id) => this.#name(id);
const numbers = h('ol', { class: 'lesson-steps', 'aria-label': t('lesson.steps') }, scene.steps.map((step) =>
h('li', {}, h('button', {
dataset: { step: step.number }, class: step.kind, title: pick(texts[step.number]).title,
'aria-label': t('lesson.step', { n: step.number, title: pick(texts[step.number]).title }), onclick: () => go(step.number),
}, String(step.number)))));
const heading = h('h3', { class: 'lesson-title', 'aria-live': 'polite' });
const air = h('p', { class: 'lesson-air mono', 'aria-hidden': 'true' });
const body = h('div', {});
const back = h('button', { onclick: () => moveBack() }, t('lesson.back'));
const next = h('button', { class: 'primary', onclick: () => moveOn() });
const after = h('div', { class: 'lesson-after' });
let view = null;
let shown = -1;
const step = () => this.#state.step;
let asked = null;
const go = async (number) => {
asked = number;
if (await this.#do('lesson.go', { step: number }) === undefined) asked = null;
};
const moveOn = () => asked !== null ? go(Math.min(asked + 1, count)) : this.#do('lesson.next', { slowly: !isStill() });
const moveBack = () => { if ((asked ?? step()) > 0) go((asked ?? step()) - 1); };
const loadAir = async (number) => {
const key = `${number}/${this.#state.reached.find((item) => item.step === number)?.time}`;
if (!airs.has(key)) {
const found = await this.#do('lesson.packets', { step: number });
if (!found) return null;
airs.set(key, found);
}
return airs.get(key);
};
const showAir = async () => {
const number = step();
const current = view;
if (!current || this.#state.isShowing) return;
current.setAir('waiting');
const found = await loadAir(number);
if (view === current) current.setAir(found);
};
let wasShowing = false;
const update = () => {
const { isShowing, reached } = this.#state;
const number = step();
if (asked === number) asked = null;
for (const button of numbers.querySelectorAll('button')) {
const own = Number(button.dataset.step);
button.classList.toggle('reached', reached.some((item) => item.step === own));
if (own === number) button.setAttribute('aria-current', 'step');
else button.removeAttribute('aria-current');
}
back.disabled = number === 0;
next.disabled = number === count && !isShowing;
next.textContent = t(isShowing ? 'lesson.skip' : number === 0 ? 'lesson.first' : 'lesson.next');
if (shown !== number) {
shown = number;
if (number === 0) {
view = null;
fill(heading, t('lesson.step', { n: 1, title: pick(texts[1]).title }));
fill(body, h('p', {}, pick(words[scene.id]).text));
} else {
const item = scene.steps[number - 1];
fill(heading, t('lesson.step', { n: number, title: pick(texts[number]).title }));
view = new StepView(item, { marks: texts[number].marks, en: texts[number].en, zh: texts[number].zh }, null, name);
fill(body, view.element);
if (isShowing) view.setAir('waiting');
else showAir();
}
fill(after, number === count ? this.#afterTour(scene) : []);
}
view?.setReport(reached.find((item) => item.step === number)?.text ?? null);
if (wasShowing && !isShowing) showAir();
wasShowing = isShowing;
flight();
};
const flight = () => {
const packet = this.#state.isShowing ? this.studio.store.flight.findLast((item) => item.name !== 'LL empty') : null;
fill(air, h('span', { class: 'faint' }, `${seconds(this.#time.now)}  `),
packet ? h('span', { class: `layer-${packet.layer}` }, `${name(packet.sender)} → ${packet.name}`) : '');
};
return {
element: h('div', {}, this.#head(scene), numbers, heading, air,
h('p', { class: 'lesson-moves' }, back, next,
h('button', { onclick: () => this.#copyWhole(scene.sources[0].program) }, t('lesson.whole'))),
body, after),
update, flight, time: flight, next: moveOn, back: moveBack, room: () => {},
};
}
#afterTour(scene) {
const other = scene.id === 'tour-central' ? 'tour-peripheral' : 'tour-central';
return [
h('h3', {}, t('lesson.after')), h('p', {}, t('lesson.end')),
h('p', {}, h('button', { onclick: () => this.#open(other) }, pick(words[other]).title), ' ',
h('button', { onclick: () => this.#open('try-drop') }, t('lesson.drop'))),
h('p', { class: 'faint' }, t('lesson.linux')),
];
}
async #program(name) { return (await this.#do('lesson.program', { name }))?.text ?? ''; }
async #copyWhole(name) {
const text = await this.#program(name);
if (text) copy(text, this.studio);
}
#sceneView(scene) {
const text = pick(words[scene.id]);
const run = h('button', { class: 'primary' });
const heard = h('ol', { class: 'lesson-heard', 'aria-live': 'off', tabindex: '0', 'aria-label': t('lesson.heard') });
const silence = h('p', { class: 'faint' });
const devices = h('ul', { class: 'lesson-devices', 'aria-label': t('app.devices') });
const begin = async (parameters) => {
if (await this.#open(scene.id, { ...this.#state.parameters, ...parameters })) await start();
};
const start = async () => {
await this.#do('time.speed', { speed: 1 });
await this.#do('time.run');
};
run.onclick = () => (this.#time.isRunning ? this.#do('time.pause') : start());
const time = () => { run.textContent = t(this.#time.isRunning ? 'lesson.pause' : 'lesson.run'); };
const room = () => keyed(devices, this.#devices, (device) => device.id,
() => h('li', {}, h('b', { dir: 'auto' }), ' ', h('span', { class: 'faint' })),
(item, device) => {
item.firstChild.textContent = device.name;
item.lastChild.textContent = t(`lesson.state.${device.isOn ? device.state : 'off'}`);
});
const happened = () => {
const events = this.studio.store.events.items.filter((event) => event.device !== null).slice(-HEARD);
const isAtEnd = heard.scrollHeight - heard.scrollTop - heard.clientHeight < 24;
keyed(heard, events, (event) => `${event.n}/${event.time}/${event.text}`, (event) => h('li', { class: event.kind },
h('span', { class: 'faint mono' }, seconds(event.time)),
h('b', { dir: 'auto' }, this.#name(event.device)),
h('span', { dir: 'auto' }, event.text)));
if (isAtEnd) heard.scrollTop = heard.scrollHeight;
heard.hidden = events.length === 0;
silence.hidden = events.length > 0;
silence.textContent = t(this.#time.now > 0 ? 'lesson.quiet' : 'lesson.silence');
};
const element = h('div', {}, this.#head(scene), h('p', {}, text.text),
scene.choices.map((choice) => this.#choice(choice, text.choices[choice.name], begin)),
h('p', { class: 'lesson-moves' }, run, h('button', { onclick: () => begin({}) }, t('lesson.again'))),
scene.actions.length === 0 ? null : h('section', {}, h('h3', {}, t('lesson.doIt')), h('p', { class: 'lesson-moves' }, scene.actions.map((action) =>
h('button', { dataset: { action }, onclick: () => this.#do('lesson.act', { action }) }, text.actions[action])))),
scene.id === 'q11' ? h('p', {}, h('button', { onclick: () => this.studio.show('explorer') }, t('lesson.explorer'))) : null,
devices,
h('section', {}, h('h3', {}, t('lesson.heard')), heard, silence),
h('section', {}, h('h3', {}, t('lesson.look')), h('p', {}, text.look), h('h3', {}, t('lesson.now')), h('p', {}, text.next)),
h('section', {}, h('h3', {}, t('lesson.code')), scene.sources.filter((source) => source.part).map((source) =>
codeBlock(source.part, () => this.#program(source.program), this.studio)), h('p', { class: 'faint' }, t('lesson.linux'))));
time();
room();
happened();
return { element, time: () => { time(); if (heard.hidden) happened(); }, room, happened };
}
#choice(choice, labels, begin) {
const chosen = this.#state.parameters?.[choice.name] ?? choice.values[0];
const all = choice.values.some((value) => String(value) === String(chosen)) ? choice.values : [...choice.values, chosen];
const select = h('select', { dataset: { choice: choice.name }, onchange: () => begin({ [choice.name]: all[select.selectedIndex] }) },
all.map((value) => h('option', { value: String(value), selected: String(value) === String(chosen) }, labels[String(value)] ?? String(value))));
const other = choice.isText ? h('input', { type: 'text', maxlength: '36', size: '10', 'aria-label': t('lesson.other'), placeholder: t('lesson.other') }) : null;
return h('form', { class: 'lesson-moves', onsubmit: (event) => { event.preventDefault(); if (other?.value.trim()) begin({ [choice.name]: other.value.trim() }); } },
h('label', {}, `${labels['']} `, select), other, other ? h('button', {}, t('lesson.use')) : null);
}
}

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
        case "parts/packets-detail.js": ###"""
import { fill, h } from '../dom.js';
import { t } from '../words.js';
import { dBm, nameElement, plain, seconds, span } from '../text.js';
function bitPattern(field, octets) {
if (!field.bits || field.to - field.from !== 1) return '';
let text = '';
for (let bit = 7; bit >= 0; bit -= 1) {
const isInside = bit >= field.bits[0] && bit < field.bits[1];
text += (isInside ? String((octets[field.from] >> bit) & 1) : '·') + (bit === 4 ? ' ' : '');
}
return text;
}
class SectionView {
#items = [];     // {field, level, parent, element, isOpen}
#cells = [];
#current = 0;
#octet = 0;
constructor(section, index) {
this.octets = (section.octets.match(/../g) ?? []).map((digits) => parseInt(digits, 16));
this.#flatten(section.fields, 1, null);
this.says = h('p', { class: 'packet-says small-text', role: 'status' });
this.tree = h('ul', { class: 'packet-tree list', role: 'tree', 'aria-label': t('packets.fields'), onkeydown: (event) => this.#treeKey(event), onmouseleave: () => this.#light(null) },
this.#items.map((item, position) => this.#row(item, position)));
this.bytes = this.#byteView();
this.element = h('div', { class: 'packet-section' },
index > 0 ? h('h4', {}, t('packets.whole')) : null,
h('div', { class: 'packet-sides' }, this.tree, h('div', { class: 'packet-bytes-side' }, this.bytes, this.says)));
this.#arrange();
}
#flatten(fields, level, parent) {
for (const field of fields) {
const item = { field, level, parent, isOpen: true, hasChildren: field.children.length > 0 };
this.#items.push(item);
this.#flatten(field.children, level + 1, item);
}
}
#row(item, position) {
const { field } = item;
const pattern = bitPattern(field, this.octets);
item.element = h('li', {
class: 'packet-field', role: 'treeitem', 'aria-level': item.level, 'aria-expanded': item.hasChildren ? 'true' : null, 'aria-selected': 'false', tabindex: position === 0 ? '0' : '-1',
style: { paddingInlineStart: `${(item.level - 1) * 14 + 4}px` },
onmouseenter: () => this.#light(item), onfocus: () => { this.#current = position; this.#light(item); },
onclick: (event) => { this.#focus(position); if (item.hasChildren && event.target.closest('.twist')) this.#toggle(item); },
},
h('span', { class: 'twist', 'aria-hidden': 'true' }, item.hasChildren ? '▾' : ''),
pattern ? h('span', { class: 'bits mono faint', 'aria-hidden': 'true' }, pattern) : null,
h('span', { class: 'label' }, field.name),
field.value ? h('bdi', { class: 'value', dir: 'auto' }, plain(field.value, 300)) : null);
return item.element;
}
#byteView() {
const rows = [];
for (let start = 0; start < this.octets.length; start += 8) {
const part = this.octets.slice(start, start + 8);
const cells = part.map((octet, index) => {
const cell = h('span', { class: 'octet', dataset: { index: start + index } }, octet.toString(16).padStart(2, '0').toUpperCase());
this.#cells.push(cell);
return cell;
});
const text = part.map((octet) => (octet >= 0x20 && octet < 0x7f ? String.fromCharCode(octet) : '·')).join('');
rows.push(h('div', { class: 'octets' }, h('span', { class: 'offset faint', 'aria-hidden': 'true' }, String(start).padStart(3, ' ')), cells, h('span', { class: 'ascii faint', 'aria-hidden': 'true' }, text)));
}
return h('div', {
class: 'packet-bytes mono', role: 'group', tabindex: '0', 'aria-label': t('packets.octets'),
onmouseover: (event) => { const cell = event.target.closest('.octet'); if (cell) this.#point(Number(cell.dataset.index)); },
onmouseleave: () => this.#light(null), onfocus: () => this.#point(this.#octet), onblur: () => this.#light(null), onkeydown: (event) => this.#byteKey(event),
}, rows);
}
#light(item, octet = null) {
const field = item?.field;
this.#cells.forEach((cell, index) => {
cell.classList.toggle('lit', Boolean(field) && index >= field.from && index < field.to);
cell.classList.toggle('cursor', index === octet);
});
for (const each of this.#items) each.element.classList.toggle('lit', each === item);
this.says.textContent = field ? `${octet === null ? '' : `${t('packets.octet', { n: octet })} · `}${field.name}${field.value ? `: ${plain(field.value, 120)}` : ''}` : '';
}
#point(index) {
this.#octet = index;
let found = null;
for (const item of this.#items) {
if (index >= item.field.from && index < item.field.to && (!found || item.level >= found.level) && !(item.field.bits && found && found.level === item.level)) found = item;
}
if (found?.field.bits && found.parent) found = found.parent;
this.#light(found, index);
found?.element.scrollIntoView({ block: 'nearest' });
}
#byteKey(event) {
const moves = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 8, ArrowUp: -8, Home: -Infinity, End: Infinity };
if (!(event.key in moves)) return;
event.preventDefault();
this.#point(Math.min(this.octets.length - 1, Math.max(0, this.#octet + moves[event.key])));
}
#isShown(item) {
for (let parent = item.parent; parent; parent = parent.parent) if (!parent.isOpen) return false;
return true;
}
#arrange() {
for (const item of this.#items) {
item.element.hidden = !this.#isShown(item);
if (!item.hasChildren) continue;
item.element.setAttribute('aria-expanded', String(item.isOpen));
item.element.querySelector('.twist').textContent = item.isOpen ? '▾' : '▸';
}
}
#toggle(item, isOpen = !item.isOpen) {
item.isOpen = isOpen;
this.#arrange();
}
#focus(position) {
if (position < 0 || position >= this.#items.length) return;
this.#items[this.#current].element.setAttribute('tabindex', '-1');
this.#items[this.#current].element.setAttribute('aria-selected', 'false');
this.#current = position;
const { element } = this.#items[position];
element.setAttribute('tabindex', '0');
element.setAttribute('aria-selected', 'true');
element.focus();
}
#treeKey(event) {
const item = this.#items[this.#current];
const step = (direction) => {
let position = this.#current + direction;
while (this.#items[position] && !this.#isShown(this.#items[position])) position += direction;
this.#focus(position);
};
if (event.key === 'ArrowDown') step(1);
else if (event.key === 'ArrowUp') step(-1);
else if (event.key === 'Home') this.#focus(0);
else if (event.key === 'ArrowRight' && item.hasChildren) { if (item.isOpen) step(1); else this.#toggle(item, true); }
else if (event.key === 'ArrowLeft' && item.hasChildren && item.isOpen) this.#toggle(item, false);
else if (event.key === 'ArrowLeft' && item.parent) this.#focus(this.#items.indexOf(item.parent));
else return;
event.preventDefault();
event.stopPropagation();
}
}
export class PacketDetail {
#number = null;
#request = 0;
constructor(studio, place, { onClose }) {
this.studio = studio;
this.place = place;
this.onClose = onClose;
this.clear();
}
clear() {
this.#request += 1;
this.#number = null;
this.place.dataset.packet = '';
fill(this.place, h('div', { class: 'empty' }, h('p', {}, t('packets.choose'))));
}
async show(number) {
if (number === this.#number) return;
const request = this.#request += 1;
let detail;
try {
detail = await this.studio.do('packets.detail', { n: number });
} catch (failure) {
if (request !== this.#request) return;
this.#number = null;
fill(this.place, h('div', { class: 'empty' }, h('p', {}, [failure.text, failure.next].filter(Boolean).join(' '))));
return;
}
if (request !== this.#request) return;
this.#number = number;
this.place.dataset.packet = String(number);
this.sections = detail.sections.map((section, index) => new SectionView(section, index));
fill(this.place, this.#header(detail), this.sections.map((section) => section.element));
}
#header({ packet, isDecrypted, sections }) {
const device = (id) => { const found = this.studio.store.device(id); return found ? nameElement(found.name, 24) : h('span', {}, id ?? '–'); };
const receivers = packet.receivers.map(([id, rssi, outcome]) => h('span', { class: outcome === 'received' ? '' : 'bad' },
device(id), ' ', outcome === 'received' ? dBm(rssi) : t(`packets.${outcome}`)));
return h('header', { class: 'packet-head' },
h('div', { class: 'between' },
h('h3', { class: `layer layer-${packet.layer}${packet.isEncrypted ? ' ring' : ''}` }, packet.name),
h('button', { class: 'quiet icon small', 'aria-label': t('packets.close'), title: t('packets.close'), onclick: () => this.onClose() }, '×')),
packet.text ? h('p', { class: 'packet-text', dir: 'auto' }, plain(packet.text, 240)) : null,
h('p', { class: 'small-text faint packet-facts' },
t('packets.number', { n: packet.n }), ' · ', t('packets.at', { time: seconds(packet.start, 6) }), ' · ', t('packets.channel', { n: packet.channel }), ` · ${packet.phy} · `, t('packets.air', { span: span(packet.duration) }),
packet.isEncrypted ? ` · ${t(isDecrypted ? 'packets.decrypted' : 'packets.encrypted')}` : null,
packet.procedure ? ` · ${t(`packets.procedure.${packet.procedure}`)}` : null),
h('p', { class: 'small-text packet-facts' }, t('packets.from'), ' ', device(packet.sender), ' · ',
receivers.length > 0 ? [t('packets.heard'), ' ', receivers.flatMap((each, index) => (index > 0 ? [', ', each] : [each]))] : t('packets.unheard')),
h('div', { class: 'toolbar' },
h('button', { class: 'small', dataset: { focus: 'packet-seek' }, onclick: () => this.studio.try('time.seek', { to: packet.start + packet.duration }) }, t('packets.seek')),
h('button', { class: 'small', dataset: { focus: 'packet-copy' }, onclick: () => this.#copy(sections[0].octets) }, t('packets.copy'))));
}
async #copy(digits) {
const text = (digits.match(/../g) ?? []).join(' ');
try {
await navigator.clipboard.writeText(text);
this.studio.say(t('packets.copied', { n: digits.length / 2 }));
} catch {
getSelection().selectAllChildren(this.sections[0].bytes);
this.studio.say(t('packets.notCopied'));
}
}
}

"""###
        case "parts/packets-list.js": ###"""
import { fill, h, keyed } from '../dom.js';
import { t } from '../words.js';
import { count, nameElement, plain, seconds, span } from '../text.js';
const ROW = 28;        // the height of a row in pixels
const MARGIN = 30;     // rows beyond the visible ones
const LIMIT = 500;     // rows in one answer
export class PacketList {
constructor(studio, { onState, onChoose }) {
this.studio = studio;
this.onState = onState;
this.onChoose = onChoose;
this.filter = {};
this.folded = true;
this.isFollowing = true;
this.first = 0;
this.end = 0;
this.run = null;
this.rows = new Map();     // by number
this.opened = new Map();   // conversation: {row, conversation, count, rows}
this.active = null;        // {row} or {conversation, member}
this.request = 0;
this.isBusy = false;
this.isStale = false;
this.body = h('div', { class: 'packet-rows', role: 'none' });
this.element = h('div', {
class: 'packet-list', role: 'tree', tabindex: '0', 'aria-label': t('packets.list'), dataset: { focus: 'packets' },
onscroll: () => this.#scrolled(), onkeydown: (event) => this.#key(event), onclick: (event) => this.#click(event),
}, this.body);
this.resizing = new ResizeObserver(() => this.#scrolled());
this.resizing.observe(this.element);
}
end_() { this.resizing.disconnect(); this.request += 1; }
query(filter, folded) {
this.filter = filter;
this.folded = folded;
this.#forget();
this.active = null;
this.element.scrollTop = 0;
return this.refresh();
}
follow(isFollowing) {
this.isFollowing = isFollowing;
if (isFollowing) this.refresh();
this.#report();
}
#forget() {
this.rows.clear();
this.opened.clear();
this.first = 0;
this.end = 0;
}
get #sorted() { return [...this.opened.values()].filter((each) => each.row >= this.first).sort((one, other) => one.row - other.row); }
get total() { return this.end - this.first + this.#sorted.reduce((sum, each) => sum + each.count, 0); }
#place(position) {
let before = 0;
for (const each of this.#sorted) {
const header = each.row - this.first + before;
if (position <= header) break;
if (position <= header + each.count) return { conversation: each.conversation, member: position - header - 1 };
before += each.count;
}
return { row: this.first + position - before };
}
#position(place) {
if (!place) return -1;
const opened = place.conversation !== undefined ? this.opened.get(place.conversation) : null;
if (place.conversation !== undefined && !opened) return -1;
const row = opened ? opened.row : place.row;
let position = row - this.first;
for (const each of this.#sorted) if (each.row < row) position += each.count;
return opened ? position + 1 + place.member : position;
}
#data(place) {
return place.conversation !== undefined ? this.opened.get(place.conversation)?.rows.get(place.member) : this.rows.get(place.row);
}
get #visible() {
const first = Math.floor(this.element.scrollTop / ROW);
return [first, first + Math.ceil(this.element.clientHeight / ROW)];
}
async refresh() {
if (this.isBusy) {
this.isStale = true;
return;
}
this.isBusy = true;
const request = this.request;
try {
do {
this.isStale = false;
await this.#load();
} while (this.isStale && request === this.request);
} catch (failure) {
if (failure.code !== 'offline') this.studio.say(failure.text ?? String(failure));
} finally {
this.isBusy = false;
this.#report();
}
}
#ask(query) { return this.studio.do('packets.list', { filter: this.filter, folded: this.folded, ...query }); }
async #load() {
const { filter, folded } = this;
let [from, to] = this.#visible;
const height = to - from + 2 * MARGIN;
let answer;
if (this.isFollowing || this.run === null) {
answer = await this.#ask({ count: Math.min(LIMIT, height) });
} else {
const start = this.#place(Math.max(0, from - MARGIN));
const row = start.row ?? this.opened.get(start.conversation).row;
answer = await this.#ask({ from: row, count: Math.min(LIMIT, height) });
}
if (filter !== this.filter || folded !== this.folded) { this.isStale = true; return; }
this.#take(answer);
if (this.isFollowing) this.element.scrollTop = this.total * ROW;
[from, to] = this.#visible;
await this.#loadOpened(from - MARGIN, to + MARGIN);
if (!answer.isComplete) this.isStale = true;
this.render();
this.#report();
}
#take(answer) {
if (this.run !== answer.run) {
this.#forget();
if (this.run !== null) this.active = null;
this.run = answer.run;
}
const removed = this.first > 0 || this.end > 0 ? Math.max(0, answer.first - this.first) : 0;
if (answer.end < this.end) this.rows.clear();
this.list = answer;
this.first = answer.first;
this.end = answer.end;
if (this.rows.size > 4 * LIMIT) this.rows.clear();
answer.rows.forEach((row, index) => this.rows.set(answer.from + index, row));
for (const [conversation, each] of this.opened) if (each.row < this.first || each.row >= this.end) this.opened.delete(conversation);
this.body.style.height = `${this.total * ROW}px`;
if (removed > 0 && !this.isFollowing) this.element.scrollTop -= removed * ROW;
}
async #loadOpened(from, to) {
const asked = [];
for (const each of this.#sorted) {
const start = this.#position({ conversation: each.conversation, member: 0 });
if (start > to || start + each.count < from) continue;
const member = Math.max(0, from - start);
asked.push(this.#ask({ conversation: each.conversation, from: member, count: Math.min(LIMIT, to - from + 1) }).then((answer) => {
each.count = answer.end;
if (each.rows.size > 4 * LIMIT) each.rows.clear();
answer.rows.forEach((row, index) => each.rows.set(answer.from + index, row));
}));
}
await Promise.all(asked);
if (asked.length > 0) this.body.style.height = `${this.total * ROW}px`;
}
#scrolled() {
const isAtEnd = this.element.scrollTop + this.element.clientHeight >= this.total * ROW - ROW;
if (this.isFollowing && !isAtEnd && !this.isBusy && this.total > 0) {
this.isFollowing = false;
this.#report();
}
this.render();
const [from, to] = this.#visible;
for (let position = from; position <= Math.min(to, this.total - 1); position += 1) {
if (!this.#data(this.#place(position))) {
this.refresh();
return;
}
}
}
#report() { this.onState({ list: this.list, isFollowing: this.isFollowing, isBusy: this.isBusy || this.list?.isComplete === false, total: this.total }); }
render() {
const [from, to] = this.#visible;
const active = this.#position(this.active);
const items = [];
for (let position = Math.max(0, from - 4); position <= Math.min(to + 4, this.total - 1); position += 1) {
const place = this.#place(position);
items.push({ position, place, row: this.#data(place) });
}
keyed(this.body, items, ({ place }) => (place.row !== undefined ? `r${place.row}` : `m${place.conversation}-${place.member}`),
() => h('div', { class: 'packet-row', role: 'treeitem' }),
(element, item) => this.#update(element, item, item.position === active));
const current = this.body.querySelector('[aria-selected="true"]');
if (current) this.element.setAttribute('aria-activedescendant', current.id);
else this.element.removeAttribute('aria-activedescendant');
}
#update(element, { position, place, row }, isActive) {
element.style.transform = `translateY(${position * ROW}px)`;
element.id = `packet-${element.dataset.key}`;
element.setAttribute('aria-level', place.row !== undefined ? '1' : '2');
element.setAttribute('aria-setsize', String(this.total));
element.setAttribute('aria-posinset', String(position + 1));
element.setAttribute('aria-selected', String(isActive));
const isOpen = Boolean(row?.count) && this.opened.has(row.conversation);
if (place.row !== undefined && row?.count) element.setAttribute('aria-expanded', String(isOpen));
else element.removeAttribute('aria-expanded');
const state = row ? `${row.n} ${row.count ?? ''} ${row.duration} ${row.text} ${isOpen}` : '';
if (element.dataset.state === state) return;
element.dataset.state = state;
element.className = `packet-row${place.row === undefined ? ' member' : ''}${row?.count ? ' folded' : ''}`;
if (!row) return void fill(element, h('span', { class: 'faint' }, '…'));
fill(element, ...this.#cells(row, isOpen));
}
#cells(row, isOpen) {
const mark = row.count ? h('span', { class: 'twist', 'aria-hidden': 'true' }, isOpen ? '▾' : '▸') : h('span', { class: 'twist' });
const name = row.count ? t(`packets.procedure.${row.procedure}`) : row.name;
const lost = !row.count && row.receivers.length > 0 && !row.receivers.some((each) => each[2] === 'received');
return [
mark,
h('span', { class: 'when number' }, seconds(row.start, 6)),
h('span', { class: 'who' }, this.#device(row.sender)),
h('span', { class: `what layer layer-${row.layer}${row.isEncrypted ? ' ring' : ''}` }, h('span', { class: 'name' }, name)),
row.count ? h('span', { class: 'chip' }, t('packets.count', { n: count(row.count) }), ' · ', span(row.duration)) : null,
h('span', { class: 'says name', dir: 'auto' }, plain(row.text, 200)),
lost ? h('span', { class: 'chip bad' }, t(`packets.${row.receivers[0][2]}`)) : null,
row.isRetransmission && !row.count ? h('span', { class: 'chip warn' }, t('packets.again')) : null,
row.isEncrypted ? h('span', { class: 'sr' }, t('packets.encrypted')) : null,
];
}
#device(id) {
const device = this.studio.store.device(id);
return device ? nameElement(device.name, 20) : h('span', { class: 'faint' }, id ?? '–');
}
async show(number) {
this.isFollowing = false;
let answer;
do { answer = await this.#ask({ around: number, count: 100 }); } while (!answer.isComplete);
this.#take(answer);
const row = this.rows.get(answer.row);
this.active = { row: answer.row };
if (row?.count && row.n !== number) {
await this.open(answer.row, row);
const members = await this.#ask({ conversation: row.conversation, around: number, count: 100 });
const opened = this.opened.get(row.conversation);
members.rows.forEach((each, index) => opened.rows.set(members.from + index, each));
this.active = { conversation: row.conversation, member: members.row };
}
this.#reveal();
this.#report();
}
async open(number, row) {
const opened = { row: number, conversation: row.conversation, count: row.count, rows: new Map() };
this.opened.set(row.conversation, opened);
this.isFollowing = false;
this.body.style.height = `${this.total * ROW}px`;
const start = this.#position({ row: number });
await this.#loadOpened(start, start + 100);
this.render();
this.#report();
}
close(conversation) {
const opened = this.opened.get(conversation);
this.opened.delete(conversation);
if (opened && this.active?.conversation === conversation) this.active = { row: opened.row };
this.body.style.height = `${this.total * ROW}px`;
this.render();
this.#scrolled();
}
#reveal() {
const top = this.#position(this.active) * ROW;
const height = this.element.clientHeight;
if (top < this.element.scrollTop) this.element.scrollTop = top;
else if (top + ROW > this.element.scrollTop + height) this.element.scrollTop = top + ROW - height;
this.#scrolled();
}
async #choose(position, isFinal = false) {
if (this.total === 0) return;
this.active = this.#place(Math.min(Math.max(0, position), this.total - 1));
this.isFollowing = false;
this.#reveal();
if (!this.#data(this.active)) await this.refresh();
const row = this.#data(this.active);
if (row) this.onChoose(row, isFinal);
this.#report();
}
#click(event) {
const element = event.target.closest('.packet-row');
if (!element) return;
const position = Number(element.getAttribute('aria-posinset')) - 1;
const place = this.#place(position);
const row = this.#data(place);
if (row?.count && place.row !== undefined) this.#toggle(place, row);
this.#choose(position, true);
}
#toggle(place, row) {
if (this.opened.has(row.conversation)) this.close(row.conversation);
else this.open(place.row, row);
}
#key(event) {
if (event.ctrlKey || event.metaKey || event.altKey) return;
const position = this.#position(this.active);
const page = Math.max(1, Math.floor(this.element.clientHeight / ROW) - 1);
const row = this.active && this.#data(this.active);
const isHeader = row?.count && this.active.row !== undefined;
const moves = { ArrowDown: position + 1, ArrowUp: position - 1, PageDown: position + page, PageUp: position - page, Home: 0, End: this.total - 1 };
if (event.key in moves) this.#choose(position < 0 && event.key === 'ArrowUp' ? this.total - 1 : moves[event.key]);
else if (event.key === 'ArrowRight' && isHeader) {
if (this.opened.has(row.conversation)) this.#choose(position + 1);
else this.open(this.active.row, row);
} else if (event.key === 'ArrowLeft' && this.active) {
if (this.active.conversation !== undefined) this.#choose(this.#position({ row: this.opened.get(this.active.conversation).row }));
else if (isHeader && this.opened.has(row.conversation)) this.close(row.conversation);
} else if (event.key === 'Enter' || event.key === ' ') {
if (isHeader) this.#toggle(this.active, row);
if (row) this.onChoose(row, event.key === 'Enter');
} else return;
event.preventDefault();
event.stopPropagation();
}
}

"""###
        case "parts/packets-words.js": ###"""
import { register } from '../words.js';
export const LAYERS = ['adv', 'll', 'l2cap', 'att', 'smp', 'data'];
export const PROCEDURES = {
advertising: ['Advertising', '广播'], connecting: ['Connection set-up', '建立连接'], idle: ['Empty packets', '空包'],
'connection-update': ['Connection update', '连接参数更新'], 'channel-map-update': ['Channel map update', '信道图更新'],
'encryption-start': ['Encryption start', '启动加密'], 'encryption-pause': ['Encryption pause', '暂停加密'], 'feature-exchange': ['Feature exchange', '特性交换'],
'version-exchange': ['Version exchange', '版本交换'], termination: ['Disconnection', '断开连接'], ping: ['Ping', 'Ping'],
'data-length-update': ['Data length update', '数据长度更新'], 'phy-update': ['PHY update', 'PHY 更新'], 'other-control': ['Other control', '其他控制'],
channel: ['L2CAP channel', 'L2CAP 通道'], 'other-signal': ['Other signal', '其他信令'], 'mtu-exchange': ['MTU exchange', 'MTU 交换'],
'service-discovery': ['Discovery of services', '发现服务'], 'included-service-discovery': ['Discovery of included services', '发现包含的服务'],
'characteristic-discovery': ['Discovery of characteristics', '发现特征'], 'descriptor-discovery': ['Discovery of descriptors', '发现描述符'],
read: ['Read', '读取'], write: ['Write', '写入'], 'command-write': ['Write without response', '无响应写入'], subscription: ['Subscription', '订阅'],
'other-attribute': ['Other attribute', '其他属性'], pairing: ['Pairing', '配对'], encrypted: ['Encrypted data', '加密数据'],
};
register({
en: {
'packets.title': 'Packets', 'packets.filters': 'Filters', 'packets.device': 'Device', 'packets.layer': 'Layer', 'packets.procedure': 'Procedure', 'packets.text': 'Text',
'packets.any': 'All', 'packets.fold': 'Fold', 'packets.foldHint': 'Shows a conversation, such as a discovery, as one row', 'packets.follow': 'Follow',
'packets.followHint': 'Keeps the newest packets in view', 'packets.save': 'Save', 'packets.pcapng': 'Save as pcapng, for Wireshark', 'packets.btsnoop': 'Save as btsnoop',
'packets.status': '{n} row of {all} packets||{n} rows of {all} packets', 'packets.searching': 'Searching…', 'packets.dropped': 'the first {dropped} are no longer kept',
'packets.list': 'Packets', 'packets.none': 'No packets yet.', 'packets.teach': 'Packets appear here when time runs.', 'packets.run': 'Run',
'packets.nothing': 'No packet matches the filters.', 'packets.clear': 'Clear the filters', 'packets.count': '{n} packet||{n} packets', 'packets.again': 'again',
'packets.encrypted': 'encrypted', 'packets.choose': 'Select a packet to see its fields and its octets.', 'packets.detail': 'The packet', 'packets.seek': 'Go to this moment',
'packets.copy': 'Copy as hex', 'packets.copied': 'Copied {n} octets.', 'packets.notCopied': 'The browser did not allow it. The octets are selected: press Ctrl-C.',
'packets.close': 'Close', 'packets.fields': 'Fields', 'packets.octets': 'Octets', 'packets.octet': 'octet {n}', 'packets.whole': 'L2CAP frame of several packets',
'packets.number': 'Packet {n}', 'packets.at': 'at {time}', 'packets.channel': 'channel {n}', 'packets.heard': 'heard by', 'packets.unheard': 'no device listened', 'packets.corrupted': 'damaged',
'packets.missed': 'missed', 'packets.air': 'air time {span}', 'packets.decrypted': 'decrypted', 'packets.from': 'from', 'packets.loading': 'Loading…',
'packets.conversation': 'Conversation {n}', 'packets.onlyDevice': 'device {id}',
},
zh: {
'packets.title': '数据包', 'packets.filters': '筛选', 'packets.device': '设备', 'packets.layer': '协议层', 'packets.procedure': '流程', 'packets.text': '文字',
'packets.any': '全部', 'packets.fold': '折叠', 'packets.foldHint': '把一次会话（例如一次发现）显示为一行', 'packets.follow': '跟随',
'packets.followHint': '始终显示最新的数据包', 'packets.save': '保存', 'packets.pcapng': '保存为 pcapng（供 Wireshark 使用）', 'packets.btsnoop': '保存为 btsnoop',
'packets.status': '{n} 行，共 {all} 个数据包', 'packets.searching': '正在搜索…', 'packets.dropped': '最早的 {dropped} 个已不再保留',
'packets.list': '数据包', 'packets.none': '还没有数据包。', 'packets.teach': '时间运行时，数据包会显示在这里。', 'packets.run': '运行',
'packets.nothing': '没有符合筛选条件的数据包。', 'packets.clear': '清除筛选', 'packets.count': '{n} 个数据包', 'packets.again': '重传',
'packets.encrypted': '已加密', 'packets.choose': '选择一个数据包，查看它的字段和字节。', 'packets.detail': '数据包', 'packets.seek': '回到这一刻',
'packets.copy': '复制十六进制', 'packets.copied': '已复制 {n} 个字节。', 'packets.notCopied': '浏览器不允许复制。字节已选中：请按 Ctrl-C。',
'packets.close': '关闭', 'packets.fields': '字段', 'packets.octets': '字节', 'packets.octet': '字节 {n}', 'packets.whole': '由多个数据包组成的 L2CAP 帧',
'packets.number': '数据包 {n}', 'packets.at': '时间 {time}', 'packets.channel': '信道 {n}', 'packets.heard': '接收方', 'packets.unheard': '没有设备在监听', 'packets.corrupted': '已损坏',
'packets.missed': '未收到', 'packets.air': '空中时间 {span}', 'packets.decrypted': '已解密', 'packets.from': '来自', 'packets.loading': '正在加载…',
'packets.conversation': '会话 {n}', 'packets.onlyDevice': '设备 {id}',
},
});
const words = { en: {}, zh: {} };
for (const [name, [en, zh]] of Object.entries(PROCEDURES)) {
words.en[`packets.procedure.${name}`] = en;
words.zh[`packets.procedure.${name}`] = zh;
}
for (const [name, en, zh] of [['adv', 'Advertising', '广播'], ['ll', 'Link layer', '链路层'], ['l2cap', 'L2CAP', 'L2CAP'], ['att', 'ATT', 'ATT'], ['smp', 'SMP', 'SMP'], ['data', 'Data', '数据']]) {
words.en[`packets.layer.${name}`] = en;
words.zh[`packets.layer.${name}`] = zh;
}
register(words);

"""###
        case "parts/packets.css": ###"""
.packets-view { display: flex; flex-direction: column; }
.packet-filters { display: flex; flex-wrap: wrap; gap: 8px 12px; }
.packet-filters .field select { width: 160px; }
.packet-filters .grow { min-width: 160px; }
.packet-panes { flex: 1; min-height: 0; display: grid; grid-template-columns: minmax(0, 11fr) minmax(0, 10fr); gap: var(--gap); }
.packet-list-pane { display: flex; flex-direction: column; min-height: 0; }
.packet-list { flex: 1; overflow: auto; min-height: 0; contain: strict; outline-offset: -2px; }
.packet-rows { position: relative; min-height: 100%; }
.packet-row { position: absolute; left: 0; right: 0; top: 0; height: 28px; display: flex; align-items: center; gap: 8px; padding: 0 10px 0 6px; font-size: .9rem; cursor: pointer; white-space: nowrap; contain: content; }
.packet-row:hover { background: var(--raised); }
.packet-row[aria-selected="true"] { background: var(--accent-soft); }
.packet-row.folded .what { font-weight: 600; }
.packet-row.member { padding-inline-start: 24px; }
.packet-row .twist, .packet-field .twist { width: 12px; flex: none; color: var(--faint); text-align: center; }
.packet-row .when { flex: none; width: 86px; font-size: .83rem; color: var(--faint); }
.packet-row .who { flex: none; width: 92px; overflow: hidden; text-overflow: ellipsis; }
.packet-row .what { flex: none; max-width: 46%; overflow: hidden; }
.packet-row .says { flex: 1; color: var(--faint); }
.packet-row .chip { flex: none; font-size: .78rem; }
.layer.ring::before { background: transparent; box-shadow: inset 0 0 0 2px currentColor; }
.packet-detail { padding: 12px 14px; overflow: auto; }
.packet-head h3 { margin: 0; overflow-wrap: anywhere; }
.packet-text { margin: 4px 0; overflow-wrap: anywhere; }
.packet-facts { margin: 0 0 2px; overflow-wrap: anywhere; }
.packet-facts .name { display: inline-block; max-width: 16em; vertical-align: bottom; }
.packet-sides { display: grid; grid-template-columns: minmax(0, 1fr) max-content; gap: 14px; align-items: start; }
.packet-bytes-side { position: sticky; top: 0; max-width: 320px; }
.packet-field { padding: 1px 4px; border-radius: 5px; cursor: default; font-size: .9rem; line-height: 1.4; overflow-wrap: anywhere; outline-offset: -2px; }
.packet-field .twist { display: inline-block; }
.packet-field .label { color: var(--faint); }
.packet-field .value { margin-inline-start: 8px; }
.packet-field .bits { margin-inline-end: 8px; white-space: pre; font-size: .8rem; }
.packet-field.lit { background: var(--accent-soft); }
.packet-bytes { background: var(--sunken); border: 1px solid var(--line); border-radius: var(--radius); padding: 8px 10px; max-height: 60vh; overflow: auto; width: max-content; max-width: 100%; }
.packet-bytes .octets { display: flex; white-space: pre; line-height: 1.6; }
.packet-bytes .offset { margin-inline-end: 8px; user-select: none; }
.packet-bytes .octet { padding: 0 3px; border-radius: 3px; }
.packet-bytes .octet.lit { background: var(--accent); color: var(--on-accent); border-radius: 0; }
.packet-bytes .octet.cursor { outline: 2px solid var(--warn); outline-offset: -1px; }
.packet-bytes .ascii { margin-inline-start: 10px; user-select: none; }
.packet-says { min-height: 1.5em; margin: 6px 0 0; overflow-wrap: anywhere; }
@media (max-width: 1500px) { .packet-sides { grid-template-columns: minmax(0, 1fr); } .packet-bytes-side { position: static; order: -1; max-width: 100%; } }
@media (max-width: 1280px) { .packet-row .who { display: none; } }
@media (max-width: 760px) {
.packet-panes { grid-template-columns: minmax(0, 1fr); }
.packet-list-pane { height: 56vh; }
.packet-filters .field { flex: 1 1 130px; } .packet-filters .field select { width: 100%; }
.packet-row .says { display: none; } .packet-row .what { max-width: none; flex: 1; }
}

"""###
        case "parts/packets.js": ###"""
import { fill, h } from '../dom.js';
import { t } from '../words.js';
import { count, plain } from '../text.js';
import { LAYERS, PROCEDURES } from './packets-words.js';
import { PacketList } from './packets-list.js';
import { PacketDetail } from './packets-detail.js';
const UPDATE = 250, PAUSE = 200;
const kept = { filter: { device: '', layer: '', procedure: '', text: '' }, folded: true, isFollowing: true };
export const packets = {
name: 'packets',
mount(place, studio) {
const number = /^\d+$/.test(studio.argument()) ? Number(studio.argument()) : null;
place.classList.add('packets-view');
const pane = h('section', { class: 'packet-detail panel scroll', 'aria-label': t('packets.detail') });
const status = h('span', { class: 'small-text faint packet-status', role: 'status' });
const empty = h('div', { class: 'empty packet-empty' });
const detail = new PacketDetail(studio, pane, { onClose: () => { detail.clear(); choose(null); list.element.focus(); } });
let waiting = 0;
const list = new PacketList(studio, {
onState: (state) => changed(state),
onChoose: (row, isFinal) => {
choose(row.n);
clearTimeout(waiting);
waiting = setTimeout(() => detail.show(row.n), isFinal ? 0 : 40);
},
});
function choose(n) {
const hash = n === null ? '#packets' : `#packets/${n}`;
if (location.hash !== hash) history.replaceState(history.state, '', hash);
place.dataset.chosen = n === null ? '' : String(n);
}
function select(name, options) {
const element = h('select', { dataset: { focus: `packets-${name}` }, onchange: () => { kept.filter[name] = element.value; apply(); } });
element.update = (entries) => {
const value = kept.filter[name];
fill(element, h('option', { value: '' }, t('packets.any')), entries.map(([id, text]) => h('option', { value: id }, text)));
if (value && !entries.some(([id]) => id === value)) element.append(h('option', { value }, value));
element.value = value;
};
element.update(options);
return [element, h('label', { class: 'field' }, h('span', {}, t(`packets.${name}`)), element)];
}
const [deviceSelect, deviceField] = select('device', []);
const [, layerField] = select('layer', LAYERS.map((name) => [name, t(`packets.layer.${name}`)]));
const [, procedureField] = select('procedure', Object.keys(PROCEDURES).map((name) => [name, t(`packets.procedure.${name}`)]));
let typing = 0;
const text = h('input', { type: 'search', maxlength: '100', value: kept.filter.text, dataset: { focus: 'packets-text' }, oninput: () => {
clearTimeout(typing);
typing = setTimeout(() => { kept.filter.text = text.value.trim(); apply(); }, PAUSE);
} });
const textField = h('label', { class: 'field grow' }, h('span', {}, t('packets.text')), text);
const fold = h('button', { class: 'small', title: t('packets.foldHint'), dataset: { focus: 'packets-fold' }, onclick: () => { kept.folded = !kept.folded; apply(); } }, t('packets.fold'));
const follow = h('button', { class: 'small', title: t('packets.followHint'), dataset: { focus: 'packets-follow' }, onclick: () => list.follow(!list.isFollowing) }, t('packets.follow'));
const save = (format) => studio.download(`packets.${format}`).catch((failure) => studio.say([failure.text, failure.next].filter(Boolean).join(' ')));
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
status.textContent = isBusy && answer?.isComplete === false ? t('packets.searching')
: [t('packets.status', { n: count((answer?.end ?? 0) - (answer?.first ?? 0)), all: count(all) }), dropped > 0 ? t('packets.dropped', { dropped: count(dropped) }) : ''].filter(Boolean).join(' · ');
const isEmpty = total === 0 && !(answer?.isComplete === false);
list.element.hidden = isEmpty;
const state = !isEmpty ? '' : all === 0 ? 'none' : 'nothing';
if (empty.dataset.state === state) return;
empty.dataset.state = state;
empty.hidden = state === '';
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
h('div', { class: 'toolbar packet-tools' }, fold, follow, status, h('span', { class: 'grow' }),
h('button', { class: 'small', title: t('packets.pcapng'), 'aria-label': t('packets.pcapng'), dataset: { focus: 'packets-pcapng' }, onclick: () => save('pcapng') }, 'pcapng'),
h('button', { class: 'small', title: t('packets.btsnoop'), 'aria-label': t('packets.btsnoop'), dataset: { focus: 'packets-btsnoop' }, onclick: () => save('btsnoop') }, 'btsnoop')),
h('div', { class: 'packet-panes' }, h('div', { class: 'packet-list-pane panel' }, list.element, empty), pane));
list.isFollowing = kept.isFollowing && number === null;
let due = 0;
const update = () => {
if (due) return;
due = setTimeout(() => { due = 0; list.refresh(); }, UPDATE);
};
let devices = '';
const ends = [
studio.store.watch('room', (room) => {
const entries = (room?.devices ?? []).map((device) => [device.id, plain(device.name, 24) || t('packets.onlyDevice', { id: device.id })]);
if (JSON.stringify(entries) === devices) return;
devices = JSON.stringify(entries);
deviceSelect.update(entries);
for (const row of list.body.children) row.dataset.state = '';
list.render();
}),
studio.store.watch('counts', update),
studio.onState((state) => { if (state === 'open') begin(); }),
];
let isBegun = false;
function begin() {
if (isBegun) return update();
isBegun = true;
const ready = apply();
if (number === null) return ready;
choose(number);
detail.show(number);
return ready.then(() => list.show(number)).catch((failure) => studio.say(failure.text ?? String(failure)));
}
return () => {
clearTimeout(due);
clearTimeout(typing);
clearTimeout(waiting);
list.end_();
for (const end of ends) end?.();
delete place.dataset.chosen;
};
},
};

"""###
        case "parts/room-air.js": ###"""
import { plain } from '../text.js';
const LAYERS = ['adv', 'll', 'l2cap', 'att', 'smp', 'data'];
const SHORTEST = 120;     // ms of real time
const LONGEST = 1500;
const STEPPED = 700;      // a packet of "next packet"
const NAMED = 400;        // a dot that takes as long shows the name of its packet
const MOST_DOTS = 360;
const MOST_PACKETS = 30;  // that begin in one update
const RADIUS = 5;
const FONT = '600 11px system-ui, sans-serif';
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
take(packets, now) {
const { time } = this.store;
if (packets.length === 0 || time.isSeeking) return;
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
const reach = outcome === 'received' ? 1 : outcome === 'corrupted' ? 0.93 : 0.5 + (packet.n * 7 % 10) / 28;
this.dots.push({ from: packet.sender, to, begin, length: isLanding ? 320 : length, layer: packet.layer, isEncrypted: packet.isEncrypted, outcome, reach, isLanding, name: length >= NAMED && !isLanding ? plain(packet.name, 40) : null });
}
if (isDrawn) this.drawn += 1;
}
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
} else if (part >= 0) this.drawDot(dot, part, dots.length);
}
context.globalAlpha = 1;
return true;
}
drawDot(dot, part, dots) {
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
if (dot.name && dots < 7) {
context.font = FONT;
context.textAlign = 'center';
context.fillStyle = this.colour[dot.layer] ?? this.colour.data;
context.fillText(dot.name, x, y - 14);
}
if (isLost && part > 0.55) {
context.strokeStyle = this.colour.bad;
context.lineWidth = 1.6;
context.beginPath();
context.moveTo(x - 7, y - 7); context.lineTo(x + 7, y + 7);
context.moveTo(x + 7, y - 7); context.lineTo(x - 7, y + 7);
context.stroke();
}
}
drawFlight(flight) {
const { context, plan, store } = this;
const now = store.now();
context.font = FONT;
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
takeDrawn() {
const { drawn } = this;
this.drawn = 0;
return drawn;
}
}

"""###
        case "parts/room-card.js": ###"""
import { fill, h } from '../dom.js';
import { count, dBm, nameElement, plain } from '../text.js';
import { register, t } from '../words.js';
import { number, programName } from './room-forms.js';
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
export function signalBars(rssi) {
const level = Number.isFinite(rssi) ? Math.min(Math.max(Math.ceil((rssi + 100) / 15), 0), 4) : 0;
return h('span', { class: `bars ${level <= 1 ? 'bad' : level === 2 ? 'warn' : 'good'}`, 'aria-hidden': 'true' },
[1, 2, 3, 4].map((bar) => h('i', { class: bar <= level ? 'on' : '' })));
}
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
h('dl', { class: 'facts' }, h('dt', {}, t('card.program')), h('dd', {}, plain(programName({ id: program }), 40)), h('dt', {}, t('card.address')), address, h('dt', {}, t('card.packets')), packets),
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
function keep(input, value) {
if (document.activeElement === input) return false;
if (input.value !== String(value)) input.value = value;
return true;
}

"""###
        case "parts/room-forms.js": ###"""
import { fill, h } from '../dom.js';
import { plain } from '../text.js';
import { register, t } from '../words.js';
register({
en: {
'forms.new': 'New device', 'forms.program': 'Program', 'forms.name': 'Name', 'forms.place': 'Place', 'forms.add': 'Add', 'forms.cancel': 'Cancel',
'forms.maker': 'Or make your own device', 'forms.none': 'The room has no programs yet.', 'forms.wall': 'Wall', 'forms.wall.hint': 'Drag on the plan, or give both ends in metres.',
'forms.from': 'From', 'forms.to': 'To', 'forms.attenuation': 'Attenuation', 'forms.build': 'Build', 'forms.done': 'Done', 'forms.radio': 'Radio',
'forms.exponent': 'Path loss exponent', 'forms.fading': 'Fading', 'forms.loss': 'Packets lost', 'forms.sensitivity': 'Sensitivity',
'forms.exponent.hint': '2 is free space, 3 to 4 a building.', 'forms.radio.hint': 'Applies to all devices from this moment on.', 'forms.apply': 'Apply',
'forms.scene': 'Scene', 'forms.seed': 'Seed', 'forms.again': 'Begin anew', 'forms.metres': 'metres', 'forms.x': 'x', 'forms.y': 'y',
'program.walkthrough': 'Phone of the tutorial', 'program.wristband': 'Wristband', 'program.phone': 'Phone', 'program.beacon': 'Beacon', 'program.advertiser': 'Advertiser',
'scene.pair': 'A phone and a wristband', 'scene.empty': 'An empty room', 'scene.crowd': 'A crowd',
'kind.phone': 'Phone', 'kind.wearable': 'Wearable', 'kind.sensor': 'Sensor', 'kind.beacon': 'Beacon', 'kind.lamp': 'Lamp', 'kind.other': 'Device',
},
zh: {
'forms.new': '新设备', 'forms.program': '程序', 'forms.name': '名称', 'forms.place': '位置', 'forms.add': '添加', 'forms.cancel': '取消',
'forms.maker': '或者制作自己的设备', 'forms.none': '房间里还没有程序。', 'forms.wall': '墙', 'forms.wall.hint': '在平面图上拖动，或者填写两端的坐标（米）。',
'forms.from': '起点', 'forms.to': '终点', 'forms.attenuation': '衰减', 'forms.build': '建墙', 'forms.done': '完成', 'forms.radio': '无线环境',
'forms.exponent': '路径损耗指数', 'forms.fading': '衰落', 'forms.loss': '丢包', 'forms.sensitivity': '灵敏度',
'forms.exponent.hint': '2 为自由空间，3 到 4 为建筑物内。', 'forms.radio.hint': '从此刻起对所有设备生效。', 'forms.apply': '应用',
'forms.scene': '场景', 'forms.seed': '随机种子', 'forms.again': '重新开始', 'forms.metres': '米', 'forms.x': 'x', 'forms.y': 'y',
'program.walkthrough': '教程中的手机', 'program.wristband': '手环', 'program.phone': '手机', 'program.beacon': '信标', 'program.advertiser': '广播设备',
'scene.pair': '手机和手环', 'scene.empty': '空房间', 'scene.crowd': '拥挤的房间',
'kind.phone': '手机', 'kind.wearable': '穿戴设备', 'kind.sensor': '传感器', 'kind.beacon': '信标', 'kind.lamp': '灯', 'kind.other': '设备',
},
});
export function programName(program) {
const known = t(`program.${program.id}`);
if (known !== `program.${program.id}`) return known;
const words = program.id.replace(/[-_.]+/g, ' ');
return words.charAt(0).toUpperCase() + words.slice(1);
}
function deviceName(program) { return program.kind === 'phone' ? t('kind.phone') : programName(program); }
function sceneName(id) {
const known = t(`scene.${id}`);
return known === `scene.${id}` ? id : known;
}
export function number(name, label, value, unit, options = {}) {
return h('label', { class: 'field' }, h('span', {}, label),
h('span', { class: 'row unit' }, h('input', { type: 'number', name, value, step: 'any', required: true, ...options }), unit ? h('span', { class: 'faint' }, unit) : null));
}
function numbers(form, ...names) {
return Object.fromEntries(names.map((name) => [name, Number(form.elements[name].value)]));
}
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
export function addDevice(studio, place) {
const { programs, devices } = studio.store.room ?? { programs: [], devices: [] };
const choices = programs.filter((program) => program.id !== 'profile');
const used = new Set(devices.map((device) => device.name));
const free = (name) => { for (let n = 1; ; n += 1) { const next = n === 1 ? name : `${name} ${n}`; if (!used.has(next)) return next; } };
const at = place ?? freePlace(devices);
formDialog(t('forms.new'), t('forms.add'), (dialog) => {
const name = h('input', { name: 'name', value: choices.length ? free(deviceName(choices[0])) : '', maxlength: 248, required: true, autocomplete: 'off' });
let isNamed = false;
name.addEventListener('input', () => { isNamed = true; });
return h('div', { class: 'column' },
choices.length === 0 ? h('p', { class: 'notice warn' }, t('forms.none')) : null,
h('label', { class: 'field' }, h('span', {}, t('forms.program')), h('select', { name: 'program', onchange: (event) => {
const program = choices.find((each) => each.id === event.target.value);
if (!isNamed) name.value = free(deviceName(program));
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
function freePlace(devices) {
if (devices.length === 0) return { x: 2, y: 2 };
const last = devices[devices.length - 1];
const angle = devices.length * 2.4;
return { x: last.x + 2 * Math.cos(angle), y: last.y + 2 * Math.sin(angle) };
}
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
export function environmentDialog(studio) {
const { environment, scene, seed, scenes } = studio.store.room;
const fading = typeof environment.fading === 'number';
formDialog(t('forms.radio'), t('forms.apply'), (dialog) => h('div', { class: 'column' },
h('div', { class: 'fields' },
number('pathLossExponent', t('forms.exponent'), environment.pathLossExponent, '', { min: 1, max: 6 }),
fading ? number('fading', t('forms.fading'), environment.fading, 'dB', { min: 0, max: 20 }) : null,
number('packetLoss', t('forms.loss'), +((environment.packetLoss ?? 0) * 100).toFixed(3), '%', { min: 0, max: 100 }),
number('sensitivity', t('forms.sensitivity'), environment.sensitivity, 'dBm', { min: -120, max: -40 })),
h('p', { class: 'hint' }, t('forms.exponent.hint'), ' ', t('forms.radio.hint')),
h('hr', {}),
h('div', { class: 'row scene' },
h('label', { class: 'field' }, h('span', {}, t('forms.scene')), h('select', { name: 'scene' },
(scenes?.length ? scenes : [scene]).map((name) => h('option', { value: name, selected: name === scene }, sceneName(name))))),
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
import { dBm, plain } from '../text.js';
import { t } from '../words.js';
import { removeDevice } from './room-card.js';
const STEP = 0.25;
const LARGE_STEP = 1;
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
import { fill, h } from '../dom.js';
import { register, t } from '../words.js';
import { icon } from './room-icons.js';
register({ en: { 'pane.fold': 'Show or hide: {name}' }, zh: { 'pane.fold': '显示或隐藏：{name}' } });
const folded = new Map();
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
toScreen(x, y) { return { x: (x - this.camera.x) * this.camera.scale + this.width / 2, y: (y - this.camera.y) * this.camera.scale + this.height / 2 }; }
toRoom(x, y) { return { x: (x - this.width / 2) / this.camera.scale + this.camera.x, y: (y - this.height / 2) / this.camera.scale + this.camera.y }; }
resize(width, height) {
this.width = width;
this.height = height;
this.element.setAttribute('viewBox', `0 0 ${width} ${height}`);
if (!this.isOwnView) this.fit();
}
fit() {
this.isOwnView = false;
const points = (this.room?.devices ?? []).map((device) => [device.x, device.y]);
for (const wall of this.room?.walls ?? []) points.push([wall.x1, wall.y1], [wall.x2, wall.y2]);
if (points.length === 0) points.push([0, 0], [6, 4]);
const [left, right] = range(points.map((point) => point[0]));
const [top, bottom] = range(points.map((point) => point[1]));
const scale = Math.min((this.width - Math.min(170, this.width * 0.36)) / Math.max(right - left, 0.5), (this.height - Math.min(230, this.height * 0.5)) / Math.max(bottom - top, 0.5), 160);
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
scaleBar() {
const most = 130 / this.camera.scale;
const power = 10 ** Math.floor(Math.log10(most));
const metres = [5, 2, 1].map((step) => step * power).find((step) => step <= most);
return { metres, pixels: metres * this.camera.scale };
}
isVisible(from, to) {
const one = this.places.get(from);
const other = this.places.get(to);
if (!one || !other) return false;
return Math.max(one.x, other.x) > 0 && Math.max(one.y, other.y) > 0 && Math.min(one.x, other.x) < this.width && Math.min(one.y, other.y) < this.height;
}
linkOf(id, layer) { return layer === 'adv' ? null : this.studio.store.linksOf(id)[0] ?? null; }
listeners(sender) {
return (this.room?.devices ?? []).filter((device) => device.id !== sender && (device.state === 'scanning' || device.state === 'connecting')).slice(0, 8).map((device) => device.id);
}
where(device) { return this.held.get(device.id) ?? device; }
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
function gridStep(scale) { return [0.25, 0.5, 1, 2, 5, 10, 20, 50].find((step) => step * scale >= 24) ?? 100; }
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
const PACKETS = 20000;
const EVENTS = 2000;
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
for (let index = Math.max(0, items.length - 200); index < items.length; index += 1) {
const packet = items[index];
let best = null;
for (const reception of packet.receivers ?? []) {
if (reception[2] === 'received' && (best === null || reception[1] > best[1])) best = reception;
}
if (best) this.heard.set(packet.sender, { rssi: best[1], by: best[0], time: packet.start });
}
}
now() {
const { now, isRunning, speed } = this.time;
if (!isRunning || !speed) return now;
return now + Math.min(performance.now() - this.stamp, 150) * 1e6 * speed;
}
device(id) { return this.room?.devices.find((device) => device.id === id) ?? null; }
linksOf(id) { return this.room?.links.filter((link) => link.central === id || link.peripheral === id) ?? []; }
signal(id) {
const link = this.linksOf(id)[0];
if (link) return (link.central === id ? link.rssi.peripheral : link.rssi.central) ?? null;
const heard = this.heard.get(id);
return heard && this.time.now - heard.time < 5e9 ? heard.rssi : null;
}
}

"""###
        case "parts/room.css": ###"""
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
.lower { flex-wrap: wrap; } .strip { max-width: 100%; order: -1; flex: 1 0 100%; padding: 0 4px; } .strip > .faint, .strip .rest { display: none; } .tool { left: 12px; right: 12px; top: auto; bottom: 12px; width: auto; }
.begin { bottom: 44px; padding: 12px; width: calc(100% - 24px); }
}

"""###
        case "parts/room.js": ###"""
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
let isKeyOpen = true;
export const room = { name: 'room', mount };
function mount(place, studio) {
const { store } = studio;
const plan = new Plan(studio);
const canvas = h('canvas', { class: 'air', 'aria-hidden': 'true' });
const air = new Air(canvas, plan, store);
let tool = 'select';
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
const key = h('details', { class: 'key', open: isKeyOpen && matchMedia('(min-width: 1200px)').matches, ontoggle: () => { isKeyOpen = key.open; } }, h('summary', {}, t('room.key')),
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
h('span', { class: 'faint' }, t('room.from', { name: plain(store.device(packet.sender)?.name ?? '?', 18) }), h('span', { class: 'rest' }, ` · ${span(packet.duration)} · ${t('room.channel', { n: packet.channel })}`)))));
if (focused) strip.querySelector('button')?.focus();
}
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
export function changeSpeed(studio, direction) {
const order = (speed) => (speed === 0 ? Infinity : speed);
const index = SPEEDS.findLastIndex((speed) => order(speed) <= order(studio.store.time.speed));
const next = SPEEDS[Math.min(Math.max(Math.max(index, 0) + direction, 0), SPEEDS.length - 1)];
studio.announce(t(`time.speed.${next}`));
return studio.try('time.speed', { speed: next });
}
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
}
for (const button of speeds.children) button.setAttribute('aria-pressed', String(Number(button.dataset.speed) === time.speed));
slider.disabled = time.end === 0;
slider.setAttribute('aria-valuetext', seconds(time.now));
status.textContent = message(time);
if (!frame) frame = requestAnimationFrame(draw);
}
function message(time) {
if (time.isSeeking) return t('time.going', { time: target === null ? '' : seconds(target) });
target = null;
if (!time.isRunning || !Number.isFinite(time.actualSpeed)) return '';
return time.speed > 0 && time.actualSpeed < 0.85 * time.speed ? t('time.slow', { rate: +time.actualSpeed.toPrecision(2) }) : '';
}
const ends = [store.watch('time', update), () => cancelAnimationFrame(frame)];
return () => { for (const end of ends) end(); };
}

"""###
        case "style.css": ###"""
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
import { h } from './dom.js';
import { currentLanguage } from './words.js';
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/g;
export function plain(text, limit = 40) {
const whole = String(text ?? '').slice(0, limit * 2 + 2).replace(CONTROL, '\u2423');
const characters = [...whole];
return characters.length > limit ? characters.slice(0, limit - 1).join('') + '…' : whole;
}
export function nameElement(text, limit = 40) {
return h('bdi', { class: 'name', dir: 'auto', title: plain(text, 250) }, plain(text, limit));
}
export function seconds(time, digits = 3) {
const [whole, part] = (Math.max(0, time) / 1e9).toFixed(digits).split('.');
return `${whole}.${digits > 3 ? `${part.slice(0, 3)}\u202f${part.slice(3)}` : part} s`;
}
export function span(time) {
for (const [size, unit] of [[1e9, 's'], [1e6, 'ms'], [1e3, 'µs']]) {
if (time >= size) return `${+(time / size).toPrecision(4)} ${unit}`;
}
return `${time} ns`;
}
export function count(number) {
return new Intl.NumberFormat(currentLanguage() === 'zh' ? 'zh-CN' : 'en').format(number);
}
export function dBm(value) {
return Number.isFinite(value) ? `${String(Math.round(value)).replace('-', '−')} dBm` : '–';
}

"""###
        case "words.js": ###"""
const dictionaries = { en: {}, zh: {} };
const watchers = new Set();
function preferred() {
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
export function register(words) {
Object.assign(dictionaries.en, words.en);
Object.assign(dictionaries.zh, words.zh);
}
export function t(key, values = {}) {
let text = dictionaries[language][key] ?? dictionaries.en[key] ?? key;
if (text.includes('||')) text = text.split('||')[Number(values.n) === 1 || values.n === '1' ? 0 : 1];
return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}
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
export function onLanguage(watcher) {
watchers.add(watcher);
return () => watchers.delete(watcher);
}

"""###
        default: nil
        }
    }
}
