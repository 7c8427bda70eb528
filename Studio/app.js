// The frame of the page: views, devices on the left, what happens on the right, time at the bottom.

import { Link } from './link.js';
import { fill, h } from './dom.js';
import { failureText } from './failures.js';
import { phrase } from './text.js';
import { currentLanguage, onLanguage, register, setLanguage, t } from './words.js';
import { RoomStore } from './parts/room-store.js';
import { icon } from './parts/room-icons.js';
import { keysDialog, listenForKeys } from './parts/room-keys.js';
import { timeBar } from './parts/time.js';
import { deviceList } from './parts/devices.js';
import { happened } from './parts/happened.js';
import { room } from './parts/room.js';
import { offerLink } from './parts/room-world.js';
import { lesson } from './parts/lesson.js';
import { explorer } from './parts/explorer.js';
import { maker } from './parts/maker.js';
import { packets } from './parts/packets.js';
import { captureStory } from './parts/capture.js';

register({
  en: {
    'app.title': 'Studio', 'app.view.room': 'Room', 'app.view.lesson': 'Lesson', 'app.view.explorer': 'Explorer', 'app.view.maker': 'Maker',
    'app.view.packets': 'Packets', 'app.view.capture': 'Capture', 'app.language': '中文', 'app.views': 'Views', 'app.devices': 'Devices', 'app.happened': 'What happens',
    'app.time': 'Time', 'app.skip': 'Skip to the content', 'app.back': 'Connected again.', 'app.lost': 'The studio does not answer. Trying again…',
    'app.gone': 'The studio does not answer. If it was started again, open the new link that it printed.',
    'app.link.refused': 'This link is no longer valid, or another program answers here. Open the link that bluelab studio printed last.',
    'app.link.cut': 'The connection ended. Load this page again, or open the link that bluelab studio printed last.', 'app.link.full': 'The studio has too many open pages. Close one of them.',
    'app.theme.system': 'Colours: as the system', 'app.theme.light': 'Colours: light', 'app.theme.dark': 'Colours: dark', 'app.keys': 'Keyboard',
    'app.world': 'World', 'app.world.lesson': 'This is the world of the lesson. Your room stays as it is.', 'app.world.back': 'Back to the lesson', 'app.world.room': 'To your room',
  },
  zh: {
    'app.title': '工作室', 'app.view.room': '房间', 'app.view.lesson': '课程', 'app.view.explorer': '探索', 'app.view.maker': '制作',
    'app.view.packets': '数据包', 'app.view.capture': '抓包', 'app.language': 'English', 'app.views': '视图', 'app.devices': '设备', 'app.happened': '正在发生',
    'app.time': '时间', 'app.skip': '跳到内容', 'app.back': '已重新连接。', 'app.lost': '工作室没有响应，正在重试…',
    'app.gone': '工作室没有响应。如果它已重新启动，请打开它打印的新链接。',
    'app.link.refused': '此链接已失效，或者有其他程序在此响应。请打开 bluelab studio 最近打印的链接。',
    'app.link.cut': '连接已断开。请重新加载此页面，或打开 bluelab studio 最近打印的链接。', 'app.link.full': '这个工作室打开的页面太多，请关闭一个。',
    'app.theme.system': '配色：跟随系统', 'app.theme.light': '配色：浅色', 'app.theme.dark': '配色：深色', 'app.keys': '键盘',
    'app.world': '世界', 'app.world.lesson': '这里是课程的世界。你的房间保持原样。', 'app.world.back': '回到课程', 'app.world.room': '回到你的房间',
  },
});

// A view is {name, mount(element, studio, isNew)}; mount returns a function that removes it. isNew: whether a link led here, not a step back, another language or
// another load of the page.
const views = [room, lesson, explorer, maker, packets];
const link = new Link();

// The room and the lesson are worlds of their own, with the same topics and commands. `#room@lesson` shows the lesson's world in the view of the room.
// A capture file has packets only: `#packets@capture`.
const LESSON = 'lesson.', CAPTURE = 'capture.';
const SHARED_VIEWS = new Set(['room', 'packets', 'explorer']);
const stores = {};
let world = 'room';

/** The name of a topic, stream, command or file in the world that the page shows. */
function named(name) {
  if (world === 'capture') return name.startsWith('packets.') ? CAPTURE + name : name;
  return world === 'lesson' && /^(time|room|counts|flight|packets|happened)(\.|$)/.test(name) ? LESSON + name : name;
}

/**
 * What views get: the link, and what views share. The selection is {kind: 'device' | 'link' | 'wall', id} or null;
 * the highlight is the id of the device that the pointer or the focus names in a list, or null.
 */
const studio = {
  topic: (name, watcher) => link.topic(named(name), watcher),
  stream: (name, watcher) => link.stream(named(name), watcher),
  do: (command, args) => link.do(named(command), args),
  /** Runs a command and says why it failed. Returns the result, or null after a failure. */
  try: (command, args) => link.do(named(command), args).catch((failure) => { failed(failure); return null; }),
  download: (name, args) => link.download(named(name), args),
  onState: (watcher) => link.onState(watcher),
  /** Shows a view. Views of the lesson's world stay there. */
  show: (name, argument) => {
    const place = world === 'lesson' && SHARED_VIEWS.has(name) ? `${name}@lesson` : name;
    location.hash = argument !== undefined && argument !== '' ? `${place}/${encodeURIComponent(argument)}` : place;
  },
  /** Notes that the view has moved within itself, to a place with this address. */
  moved: (hash) => {
    if (location.hash !== hash) history.replaceState(history.state, '', hash);
    shown = location.hash;
  },
  argument: () => decodeURIComponent(location.hash.split('/').slice(1).join('/')),
  /** The world that the page shows: `room`, `lesson`, or `capture`, which has packets only. Names of topics, streams, commands and files mean those of this world. */
  world: () => world,
  /** What the room's part keeps of this world. */
  get store() { return stores[world] ??= new RoomStore(link, world === 'lesson' ? LESSON : ''); },
  say,
  failed,
  announce,
  ...shared('select', 'onSelect', 'selected'),
  ...shared('highlight', 'onHighlight', 'highlighted'),
};

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
  const name = location.hash.slice(1).split(/[@/]/)[0];
  return views.find((view) => view.name === name) ?? views[0];
}

function currentWorld() {
  const { name } = currentView();
  const [, own] = location.hash.slice(1).split('/')[0].split('@');
  if (name === 'packets' && own === 'capture') return 'capture';
  return name === 'lesson' || SHARED_VIEWS.has(name) && own === 'lesson' ? 'lesson' : 'room';
}

function build() {
  const focused = document.activeElement?.dataset?.focus;
  unmountView();
  unmountView = () => {};
  for (const end of unmount) end();
  shown = null;
  world = currentWorld();
  document.body.dataset.view = currentView().name;
  document.body.dataset.world = world;
  const isCapture = world === 'capture';
  const main = h('main', { id: 'content', tabindex: '-1' });
  const tabs = h('nav', { class: 'tabs', 'aria-label': t('app.views') },
    views.map((view) => h('a', {
      href: world === 'lesson' && view.name === 'packets' ? '#packets@lesson' : `#${view.name}`, dataset: { view: view.name, focus: `view-${view.name}` },
    }, t(`app.view.${view.name}`))));
  const place = h('aside', { class: 'world', hidden: true, 'aria-label': t('app.world') }, h('span', {}, t('app.world.lesson')),
    h('a', { class: 'button small', href: '#lesson' }, t('app.world.back')), h('a', { class: 'button small', href: '#room' }, t('app.world.room')));
  const captureTab = h('a', { href: '#packets@capture', dataset: { view: 'capture', focus: 'view-capture' } }, t('app.view.capture'));
  // Without a room there are no devices and no time.
  const devices = h('aside', { class: 'devices', hidden: isCapture, 'aria-label': t('app.devices') });
  const events = h('aside', { class: 'happened', 'aria-label': t(isCapture ? 'capture.story' : 'app.happened') });
  const time = h('section', { class: 'time', hidden: isCapture, 'aria-label': t('app.time') });
  const other = currentLanguage() === 'zh' ? 'en' : 'zh';
  const settings = h('div', { class: 'settings' },
    h('button', { class: 'quiet icon', 'aria-label': t('app.keys'), title: t('app.keys'), onclick: keysDialog }, icon('keyboard')),
    themeButton(),
    h('button', { class: 'quiet language', lang: other === 'zh' ? 'zh-CN' : 'en', dataset: { focus: 'language' }, onclick: () => setLanguage(other) }, t('app.language')));
  fill(document.body,
    h('a', { class: 'skip', href: '#content', onclick: (event) => { event.preventDefault(); main.focus(); } }, t('app.skip')),
    h('header', { class: 'top' }, h('h1', {}, icon('studio'), t('app.title')), tabs, settings),
    place, devices, main, events, time, h('div', { class: 'say', role: 'status' }), h('div', { class: 'sr announce', 'aria-live': 'polite' }));
  document.title = t('app.title');
  const parts = isCapture ? [captureStory(events, studio)] : [deviceList(devices, studio), happened(events, studio), timeBar(time, studio), listenForKeys(studio)];
  const showTab = (capture) => {
    if (!capture) return captureTab.remove();
    tabs.append(captureTab);
    return markTab();
  };
  unmount = [...parts, link.onState(connection), link.topic('keeping', keeping), link.topic('capture', showTab)];
  if (said) showSaid(said());
  route();
  if (focused) document.querySelector(`[data-focus="${focused}"]`)?.focus();
}

function route() {
  offerLink(studio);
  if (currentWorld() !== world) {
    studio.select(null);
    build();
    return;
  }
  const view = currentView();
  document.querySelector('.world').hidden = world !== 'lesson' || view.name === 'lesson';
  markTab();
  if (shown === location.hash && shown !== null) return;
  shown = location.hash;
  unmountView();
  const main = document.querySelector('main');
  fill(main);
  main.className = '';
  main.scrollTop = 0;
  document.body.dataset.view = view.name;
  // A step along a link makes an entry of the history without a state.
  const isNew = !history.state?.isSeen;
  history.replaceState({ ...history.state, isSeen: true }, '');
  unmountView = view.mount(main, studio, isNew) ?? (() => {});
}

/** Marks the tab of the present view. */
function markTab() {
  const present = world === 'capture' ? 'capture' : currentView().name;
  for (const tab of document.querySelectorAll('.tabs a')) {
    if (tab.dataset.view === present) tab.setAttribute('aria-current', 'page');
    else tab.removeAttribute('aria-current');
  }
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

let kept = new Set(); // what is said about the kept room
let keptWords = null; // the sentence about it
let lostSince = 0;
let lostTimer = 0;
function connection(state) {
  document.body.dataset.link = state;
  // The next studio says it again.
  if (state !== 'open') kept = new Set();
  if (state === 'refused' || state === 'full' || state === 'cut') {
    lostSince ||= performance.now();
    clearTimeout(lostTimer);
    say(t(`app.link.${state}`), true);
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

/** Says why the room is not kept and why it did not begin with the kept one, each once. A sentence that is still shown follows what remains true. */
function keeping(state) {
  const phrases = [state?.failure, state?.unreadable].filter(Boolean);
  const found = new Set(phrases.map((each) => JSON.stringify(each)));
  const isShown = keptWords !== null && said === keptWords;
  const isNew = [...found].some((each) => !kept.has(each));
  const isOver = [...kept].some((each) => !found.has(each));
  kept = found;
  if (!isNew && !(isShown && isOver)) return;
  keptWords = phrases.length > 0 ? () => phrases.map((each) => phrase(each, 400)).join(' ') : null;
  if (keptWords) say(keptWords, true);
  else hush();
}

let hiding = 0;
let said = null;
/** Shows a sentence at the bottom: for some seconds, or until the next one. A function of the sentence follows a change of the language. */
function say(text, stays = false, time = 5000) {
  said = typeof text === 'function' ? text : null;
  showSaid(said ? said() : text);
  clearTimeout(hiding);
  if (!stays) hiding = setTimeout(hush, time);
}

function hush() {
  said = null;
  document.querySelector('.say')?.classList.remove('shown');
}

function showSaid(text) {
  const place = document.querySelector('.say');
  if (!place) return;
  place.textContent = text;
  place.classList.add('shown');
}

/** Says why a command failed. All failures are shown here, or with `failureText` in the place that has no content because of them. */
function failed(failure) {
  // A modal dialog covers the rest of the page, also for screen readers.
  const place = document.querySelector('dialog:modal .failure');
  if (place) place.textContent = failureText(failure);
  else say(() => failureText(failure), false, 9000);
}

/** Says a sentence to a screen reader only. */
function announce(text) {
  const place = document.querySelector('.announce');
  if (place) place.textContent = text;
}

addEventListener('hashchange', route);
// A step back to an address with an earlier token changes more than the part after #.
addEventListener('popstate', route);
onLanguage(() => { for (const store of Object.values(stores)) store.relabel(); build(); });
build();
