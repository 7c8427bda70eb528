// The card of what is selected or pointed at: a device, a link or a wall.

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
