// The list of devices: state, name and signal of each.

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
    'devices.title': '设备', 'devices.new': '新设备', 'devices.none': '还没有设备。', 'devices.teach': '手环广播自己，手机会发现它。',
    'devices.wristband': '运行手环', 'devices.off': '关', 'devices.list': '房间里的设备', 'devices.wait': '正在等待工作室…',
    'state.off': '已关闭', 'state.idle': '空闲', 'state.advertising': '正在广播', 'state.scanning': '正在扫描', 'state.connecting': '正在连接', 'state.connected': '已连接',
  },
});

/** Begins the scene with a phone and a wristband, or adds both, and runs. */
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

/** Fills its place, and returns a function that ends it. */
export function deviceList(place, studio) {
  const { store } = studio;
  const add = h('button', { class: 'quiet icon small', 'aria-label': t('devices.new'), title: t('devices.new'), onclick: () => addDevice(studio) }, icon('plus'));
  // On a narrow page the list is beside the plan, and folded above other views.
  const isFolded = () => matchMedia('(max-width: 760px)').matches && !['', 'room'].includes(location.hash.slice(1).split(/[@/]/)[0]);
  const { body, count: total, propose } = pane(place, 'devices.title', isFolded(), add);
  const route = () => propose(isFolded());
  addEventListener('hashchange', route);
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
  const ends = [store.watch('room', soon), store.packets.watch(soon), studio.onSelect(soon), () => clearTimeout(timer), () => removeEventListener('hashchange', route)];
  return () => { for (const end of ends) end(); };
}

function set(element, property, value) {
  if (element[property] !== value) element[property] = value;
}
