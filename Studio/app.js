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
