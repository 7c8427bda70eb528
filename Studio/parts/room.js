// The room: the plan with its devices, walls and links, the packets between them, and the card of what is selected.

import { fill, h } from '../dom.js';
import { LAYERS, count, phrase, plain, span } from '../text.js';
import { register, t } from '../words.js';
import { Air } from './room-air.js';
import { card } from './room-card.js';
import { addDevice, environmentDialog, wallForm } from './room-forms.js';
import { listenOnPlan } from './room-hands.js';
import { icon } from './room-icons.js';
import { Plan } from './room-plan.js';
import { worldTools } from './room-world.js';
import { stepPacket, toggleRun } from './time.js';

register({
  en: {
    'room.tools': 'Tools', 'room.tool.select': 'Select and move', 'room.tool.wall': 'Draw a wall', 'room.add': 'New device', 'room.radio': 'Radio and scene',
    'room.view': 'Part of the room', 'room.camera.in': 'Zoom in', 'room.camera.out': 'Zoom out', 'room.camera.fit': 'Show everything', 'room.scale': 'Scale: {n} m', 'room.key': 'Key',
    'room.lost': 'Lost: fades where it was lost', 'room.ring': 'Encrypted: wears a ring', 'room.card': 'Selected',
    'room.begin': 'Time stands still.', 'room.beginText': 'Press Run and watch the radio, or go from packet to packet.', 'room.run': 'Run', 'room.step': 'Next packet',
    'room.flight': 'In the air', 'room.last': 'Last packet', 'room.open': 'Open {name} in the packet list', 'room.from': 'from {name}',
    'room.counts': '{n} packet, {lost} lost||{n} packets, {lost} lost', 'room.rate': '{rate} a second; the plan draws 1 in {k}', 'room.empty': 'An empty room.',
    'room.emptyText': 'Add a device: it appears here, and its packets travel to all that listen.', 'room.channel': 'channel {n}',
  },
  zh: {
    'room.tools': '工具', 'room.tool.select': '选择和移动', 'room.tool.wall': '画墙', 'room.add': '新设备', 'room.radio': '无线环境和场景',
    'room.view': '显示范围', 'room.camera.in': '放大', 'room.camera.out': '缩小', 'room.camera.fit': '显示全部', 'room.scale': '比例尺：{n} 米', 'room.key': '图例',
    'room.lost': '丢失：在丢失处淡出', 'room.ring': '加密：带圆环', 'room.card': '所选',
    'room.begin': '时间已暂停。', 'room.beginText': '按“运行”观察空中的数据包，或者逐个数据包前进。', 'room.run': '运行', 'room.step': '下一个数据包',
    'room.flight': '传输中', 'room.last': '最近的数据包', 'room.open': '在数据包列表中打开 {name}', 'room.from': '来自 {name}',
    'room.counts': '{n} 个数据包，丢失 {lost} 个', 'room.rate': '每秒 {rate} 个；平面图绘制其中 1/{k}', 'room.empty': '空房间。',
    'room.emptyText': '添加一台设备：它会显示在这里，范围内正在监听的设备都会收到它的数据包。', 'room.channel': '信道 {n}',
  },
});

let isKeyOpen = false; // the person's choice

/** The card that begins the room disappears, so its focus moves to the same button of the time bar. */
function toTimeBar(button) { document.querySelector(`.time ${button}`)?.focus(); }

export const room = { name: 'room', mount };

function mount(place, studio) {
  const { store } = studio;
  const plan = new Plan(studio);
  const canvas = h('canvas', { class: 'air', 'aria-hidden': 'true' });
  const air = new Air(canvas, plan, store);
  let tool = 'select';

  // The elements
  const tools = h('div', { class: 'tools floating', role: 'toolbar', 'aria-label': t('room.tools') },
    ['select', 'wall'].map((name) => h('button', { class: 'quiet icon', dataset: { tool: name }, 'aria-label': t(`room.tool.${name}`), title: t(`room.tool.${name}`), onclick: () => choose(name) }, icon(name))),
    // Their dialogs show what the room has, so they wait for it.
    h('button', { class: 'quiet icon', disabled: true, 'aria-label': t('room.add'), title: t('room.add'), onclick: () => addDevice(studio, plan.toRoom(plan.width / 2, plan.height / 2 + 60)) }, icon('plus')),
    h('button', { class: 'quiet icon', disabled: true, 'aria-label': t('room.radio'), title: t('room.radio'), onclick: () => environmentDialog(studio) }, icon('radio')));
  const files = worldTools(studio);
  const form = wallForm(studio, () => choose('select'));
  const camera = (name, change) => h('button', { class: 'quiet icon small', 'aria-label': t(`room.camera.${name}`), title: t(`room.camera.${name}`), onclick: () => { change(); changed(); } }, icon({ in: 'plus', out: 'minus', fit: 'fit' }[name]));
  const bar = h('i', {});
  const barText = h('span', {});
  const scale = h('div', { class: 'scale', role: 'img' }, bar, barText);
  const counts = h('p', { class: 'counts small-text' });
  // The key is a row of its own below the plan, so that it covers no device.
  const keyButton = h('button', { class: 'quiet small key-button', 'aria-controls': 'room-key', onclick: () => { isKeyOpen = !isKeyOpen; showKey(); } }, h('span', { class: 'fold-mark', 'aria-hidden': 'true' }, '▸'), t('room.key'));
  const key = h('section', { class: 'key', id: 'room-key', 'aria-label': t('room.key') },
    h('ul', { class: 'list' }, LAYERS.map((layer) => h('li', {}, h('span', { class: `layer layer-${layer}` }, h('span', {}, t(`layer.${layer}`))))),
      h('li', { class: 'ring' }, t('room.ring')), h('li', { class: 'lost' }, t('room.lost'))));
  const showKey = () => { key.hidden = !isKeyOpen; keyButton.setAttribute('aria-expanded', String(isKeyOpen)); };
  showKey();
  const cardPlace = h('section', { class: 'card item-card', 'aria-label': t('room.card'), hidden: true });
  const begin = h('div', { class: 'card begin', hidden: true }, h('h2', {}, t('room.begin')), h('p', { class: 'faint' }, t('room.beginText')),
    h('div', { class: 'row' }, h('button', { class: 'primary', onclick: () => { toggleRun(studio); toTimeBar('.run'); } }, icon('run'), t('room.run')),
      h('button', { onclick: () => { stepPacket(studio); toTimeBar('.step'); } }, icon('step'), t('room.step'))));
  const empty = h('div', { class: 'empty', hidden: true }, h('p', {}, t('room.empty')), h('p', {}, t('room.emptyText')), h('button', { class: 'primary', onclick: () => addDevice(studio) }, icon('plus'), t('room.add')));
  const strip = h('div', { class: 'strip floating', hidden: true });
  const stage = h('div', { class: 'stage' }, plan.element, canvas, tools, files.element, form.element,
    h('div', { class: 'lower' }, h('div', { class: 'lower-left' }, keyButton, scale, counts), strip,
      h('div', { class: 'floating view', role: 'group', 'aria-label': t('room.view') }, camera('in', () => plan.zoom(1.3)), camera('out', () => plan.zoom(1 / 1.3)), camera('fit', () => plan.fit()))),
    begin, empty);
  place.classList.add('room-view');
  fill(place, stage, key, cardPlace);
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
      keepingFocus(() => { plan.draw(); details.update(); });
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
  let carded = null;
  const showCard = () => {
    const before = carded;
    carded = pointed ?? studio.selected();
    keepingFocus(() => details.show(carded), before);
    changed();
  };

  /** Makes a change. If it removes the element with the focus, a device of the plan gets it: that of the card, or the next one. */
  function keepingFocus(change, item = carded) {
    const hadFocus = place.contains(document.activeElement);
    change();
    if (!hadFocus || place.contains(document.activeElement)) return;
    const device = (item?.kind === 'device' && store.device(item.id)?.id) || plan.active;
    if (store.room?.devices.length) plan.focus(device);
    else empty.querySelector('button').focus();
  }
  const showSelected = (item) => {
    showCard();
    // On a narrow page the card is below the plan.
    if (item && getComputedStyle(cardPlace).position === 'static') requestAnimationFrame(() => cardPlace.scrollIntoView({ block: 'nearest' }));
  };
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
    for (const button of tools.querySelectorAll('button:disabled')) button.disabled = false;
    const shown = `${value.scene} ${value.title ?? ''}`;
    if (shown !== scene || (!plan.isOwnView && !isInView())) { scene = shown; plan.fit(); }
    empty.hidden = value.devices.length > 0;
    files.update(value);
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
      h('button', { class: `quiet small layer-${packet.layer}`, 'aria-label': t('room.open', { name: plain(packet.name) }), title: phrase(packet.text, 200), onclick: () => studio.show('packets', packet.n) },
        h('span', { class: 'layer' }, plain(packet.name)),
        h('span', { class: 'faint' }, t('room.from', { name: plain(store.device(packet.sender)?.name ?? '?', 18) }), h('span', { class: 'rest' }, ` · ${span(packet.duration)} · ${t('room.channel', { n: packet.channel })}`)))));
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
    store.events.watch(changed),
    studio.onSelect(showSelected), studio.onHighlight(changed), endHands, files.end,
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
