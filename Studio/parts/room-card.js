// The card of what is selected or pointed at: a device, a link or a wall.

import { fill, h, keyed } from '../dom.js';
import { count, dBm, nameElement, plain } from '../text.js';
import { register, t } from '../words.js';
import { explorerOf } from './explorer-world.js';
import { number, programName } from './room-forms.js';
import { icon } from './room-icons.js';
import { toggleRun } from './time.js';

register({
  en: {
    'card.close': 'Close', 'card.state.off': 'Switched off.', 'card.state.idle': 'Switched on; the radio is idle.', 'card.state.advertising': 'Advertises, and waits for a central.',
    'card.state.scanning': 'Scans for peripherals.', 'card.state.connecting': 'Connects…', 'card.state.connected': 'Connected to {name}.', 'card.state.beacon': 'Advertises; no central can connect.',
    'card.on': 'Switch on', 'card.cut': 'Cut power', 'card.run': 'Run', 'card.explore': 'Open in the explorer', 'card.more': 'More', 'card.rename': 'Rename', 'card.name': 'Name',
    'card.move': 'Move', 'card.loss': 'Packets that this device loses', 'card.platform': 'Platform', 'card.noPlatform': 'None', 'card.platformHint': 'The device starts again with the host of the platform, and its links end.', 'card.address': 'Address', 'card.packets': 'Packets', 'card.remove': 'Remove', 'card.removed': '{name} is removed.',
    'card.signal': 'Signal', 'card.interval': 'Interval', 'card.latency': 'Latency', 'card.timeout': 'Timeout',
    'card.phy': 'PHY', 'card.security': 'Security', 'card.encrypted': 'encrypted', 'card.plain': 'not encrypted', 'card.mtu': 'ATT MTU', 'card.sent': '{n} packet, {lost} lost||{n} packets, {lost} lost',
    'card.wall': 'Wall', 'card.attenuation': 'Attenuation', 'card.length': 'Length', 'card.events': '{n} event||{n} events', 'card.program': 'Program', 'card.octets': '{n} octet||{n} octets',
    'action.finish': 'Go on: steps 17 to 23', 'action.stop': 'Disconnect', 'action.start': 'Look for the device again', 'action.cancel': 'Cancel the connection', 'action.connect': 'Connect again',
    'action.scan': 'Scan again', 'action.connected': 'Ask for connected devices', 'action.known': 'Use the identifier', 'action.advertise': 'Advertise', 'action.rename': 'Change the advertised name',
    'card.hears': '{name} receives {value}', 'card.margin': 'Margin',
    'card.wallKeys': 'With the wall focused on the plan, ↑ and ↓ change the loss by 1 dB, with Shift by 10 dB.', 'card.noLink': 'No link crosses this wall.',
    'card.above': '{db} dB above the limit: the link holds.', 'card.below': '{db} dB below the limit: many packets are lost.',
    'card.silent': '{db} dB below the limit: nothing arrives. The link ends {timeout} s after its last packet.', 'card.lost': 'The link is lost.', 'card.break': 'Break the link: {loss} dB',
  },
  zh: {
    'card.close': '关闭', 'card.state.off': '已关闭。', 'card.state.idle': '已开启，目前空闲。', 'card.state.advertising': '正在广播，等待中心设备。',
    'card.state.scanning': '正在扫描外设。', 'card.state.connecting': '正在连接…', 'card.state.connected': '已连接到 {name}。', 'card.state.beacon': '正在广播，不可连接。',
    'card.on': '打开', 'card.cut': '切断电源', 'card.run': '运行', 'card.explore': '在探索器中打开', 'card.more': '更多', 'card.rename': '重命名', 'card.name': '名称',
    'card.move': '移动', 'card.loss': '此设备的丢包率', 'card.platform': '平台', 'card.noPlatform': '无', 'card.platformHint': '设备会以该平台的主机重新启动，它的链路会结束。', 'card.address': '地址', 'card.packets': '数据包', 'card.remove': '移除', 'card.removed': '已移除 {name}。',
    'card.signal': '信号', 'card.interval': '间隔', 'card.latency': '延迟', 'card.timeout': '超时',
    'card.phy': 'PHY', 'card.security': '安全', 'card.encrypted': '已加密', 'card.plain': '未加密', 'card.mtu': 'ATT MTU', 'card.sent': '{n} 个数据包，丢失 {lost} 个',
    'card.wall': '墙', 'card.attenuation': '衰减', 'card.length': '长度', 'card.events': '{n} 个事件', 'card.program': '程序', 'card.octets': '{n} 字节',
    'action.finish': '继续：第 17 到 23 步', 'action.stop': '断开连接', 'action.start': '再次寻找设备', 'action.cancel': '取消连接', 'action.connect': '重新连接',
    'action.scan': '重新扫描', 'action.connected': '查询已连接的设备', 'action.known': '用标识符连接', 'action.advertise': '开始广播', 'action.rename': '修改广播的名称',
    'card.hears': '{name} 收到 {value}', 'card.margin': '余量',
    'card.wallKeys': '墙在平面图中获得焦点时，↑ 和 ↓ 把衰减改变 1 dB，按住 Shift 改变 10 dB。', 'card.noLink': '没有链路穿过这堵墙。',
    'card.above': '高于极限 {db} dB：链路保持。', 'card.below': '低于极限 {db} dB：许多数据包丢失。',
    'card.silent': '低于极限 {db} dB：收不到任何数据包。最后一个数据包之后 {timeout} s，链路结束。', 'card.lost': '链路已丢失。', 'card.break': '断开链路：{loss} dB',
  },
});

// The end of the range in dB; the number beside it goes further.
const MOST_LOSS = 120;
// The signal in dB relative to the sensitivity at which no packet arrives.
const SILENT = -7;

/** The state of a device in words. */
function stateText(studio, device) {
  if (!device.isOn) return t('card.state.off');
  if (device.state === 'connected') {
    const link = studio.store.linksOf(device.id)[0];
    const peer = link && studio.store.device(link.central === device.id ? link.peripheral : link.central);
    if (peer) return t('card.state.connected', { name: plain(peer.name, 30) });
  }
  if (device.state === 'advertising' && device.kind === 'beacon') return t('card.state.beacon');
  return t(`card.state.${device.state}`);
}

/** Four bars from −100 to −40 dBm. */
function signalBars(rssi) {
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
    const title = h('h3', { class: 'grow' });
    const state = h('p', { class: 'state' });
    const signal = h('div', { class: 'signal row' });
    const action = h('button', { class: 'primary', onclick: () => choice.run() });
    const others = h('div', { class: 'row' });
    const name = h('input', { name: 'name', maxlength: 248, required: true, 'aria-label': t('card.name'), autocomplete: 'off' });
    const loss = h('input', { type: 'range', min: 0, max: 100, step: 1, onchange: () => studio.try('room.loss', { device: id, loss: Number(loss.value) / 100 }), oninput: () => { lossText.textContent = `${loss.value} %`; } });
    const lossText = h('output', {});
    const platform = h('select', { name: 'platform', onchange: () => studio.try('room.platform', { device: id, platform: platform.value || null }) },
      h('option', { value: '' }, t('card.noPlatform')), (studio.store.room.platforms ?? []).map((each) => h('option', { value: each }, each)));
    const platforms = h('div', {}, h('label', { class: 'field' }, h('span', {}, t('card.platform')), platform), h('p', { class: 'hint' }, t('card.platformHint')));
    const address = h('dd', { class: 'mono' });
    const packets = h('dd', {});
    const x = number('x', t('forms.x'), 0, 'm');
    const y = number('y', t('forms.y'), 0, 'm');
    const power = h('button', { class: 'small', onclick: () => studio.try('room.power', { device: id, isOn: !studio.store.device(id).isOn }) });
    let choice = { run() {} };
    fill(place, h('div', { class: 'between head' }, h('span', { class: `glyph ${kind}` }, icon(kind)), title, close()), state, signal, h('div', { class: 'row' }, action),
      h('details', {}, h('summary', {}, t('card.more')), others,
        h('dl', { class: 'facts' }, h('dt', {}, t('card.program')), h('dd', {}, plain(programName({ id: program }), 40)), h('dt', {}, t('card.address')), address, h('dt', {}, t('card.packets')), packets),
        h('form', { class: 'row', onsubmit: (event) => { event.preventDefault(); studio.try('room.rename', { device: id, name: name.value }); } }, name, h('button', { class: 'small' }, t('card.rename'))),
        h('form', { class: 'row bottom', onsubmit: (event) => {
          event.preventDefault();
          studio.try('room.move', { device: id, x: Number(event.target.elements.x.value), y: Number(event.target.elements.y.value) });
        } }, x, y, h('button', { class: 'small' }, t('card.move'))),
        h('label', { class: 'field' }, h('span', {}, t('card.loss')), h('span', { class: 'row' }, loss, lossText)),
        platforms,
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
      const choices = deviceActions(studio, device);
      [choice] = choices;
      put(action, choice.text);
      keyed(others, choices.slice(1).filter((each) => !each.isPower), (each) => each.id,
        (each) => h('button', { class: 'small', onclick: () => each.run() }, each.text));
      others.hidden = others.childElementCount === 0;
      action.className = choice.isPrimary ? 'primary' : '';
      put(address, device.address ?? '–');
      put(packets, count(studio.store.counts.byDevice?.[id] ?? 0));
      put(power, t(device.isOn ? 'card.cut' : 'card.on'));
      power.hidden = Boolean(choice.isPower);
      keep(name, device.name);
      keep(inputs[0], +device.x.toFixed(2));
      keep(inputs[1], +device.y.toFixed(2));
      platforms.hidden = !device.takesPlatform;
      keep(platform, device.platform ?? '');
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
        [t('card.margin'), marginText(link)],
        [t('card.interval'), `${link.interval} ms`], [t('card.latency'), t('card.events', { n: link.latency })], [t('card.timeout'), `${link.timeout} ms`],
        [t('card.phy'), link.phy.central === link.phy.peripheral ? link.phy.central : `${link.phy.central} / ${link.phy.peripheral}`],
        [t('card.security'), h('span', { class: 'row' }, link.isEncrypted ? icon('lock') : null, t(link.isEncrypted ? 'card.encrypted' : 'card.plain'))],
        [t('card.mtu'), t('card.octets', { n: link.mtu })], [t('card.packets'), t('card.sent', { n: count(link.packets), lost: count(link.lost) })]));
    };
  }

  function wallCard({ id, x1, y1, x2, y2 }) {
    const links = h('ul', { class: 'list crossed', 'aria-live': 'polite' });
    const range = h('input', { type: 'range', min: 0, max: MOST_LOSS, step: 1, 'aria-label': t('card.attenuation'), oninput: () => change(range.value, false), onchange: () => change(range.value, true) });
    const exact = number('attenuation', t('card.attenuation'), 0, 'dB', { min: 0, max: 200, step: 'any' });
    const input = exact.querySelector('input');
    input.addEventListener('change', () => change(input.value, true));
    const change = (value, isLast) => {
      if (value === '' || !input.checkValidity()) return;
      range.value = input.value = value;
      setAttenuation(studio, id, Number(value), isLast);
    };
    /** The links that the wall crossed while the card is open, so that a lost one is still named. */
    const crossed = new Map();
    fill(place, h('div', { class: 'between head' }, h('span', { class: 'glyph' }, icon('wall')), h('h3', { class: 'grow' }, t('card.wall')), close()),
      h('div', { class: 'row' }, range, exact), h('p', { class: 'hint' }, t('card.wallKeys')), links,
      h('div', { class: 'between' }, h('dl', { class: 'facts' }, facts([t('card.length'), `${Math.hypot(x2 - x1, y2 - y1).toFixed(2)} m`])), h('button', { class: 'danger small', onclick: () => studio.try('room.unwall', { wall: id }) }, t('card.remove'))));
    return (wall) => {
      keep(input, +wall.attenuation.toFixed(2));
      keep(range, Math.min(wall.attenuation, MOST_LOSS));
      const present = studio.store.room.links.filter((link) => link.walls.includes(id));
      for (const link of crossed.values()) link.isLost = true;
      for (const link of present) crossed.set(link.id, { ...link, isLost: false });
      for (const [key, link] of crossed) {
        // A link that ended elsewhere, or that a device left, is not the wall's.
        if (link.isLost && (link.margin > -1 || !studio.store.device(link.central) || !studio.store.device(link.peripheral))) crossed.delete(key);
      }
      const rows = crossed.size ? [...crossed.values()] : [null];
      keyed(links, rows, (link) => link?.id ?? 'none', (link) => (link
        ? h('li', {}, h('b', { dir: 'auto' }), h('p', {}), h('button', { class: 'small', onclick: () => change(String(breaking(studio, id, link.id)), true) }))
        : h('li', {}, h('p', { class: 'faint' }, t('card.noLink')))), (element, link) => {
        if (!link) return;
        const [names, words, button] = element.children;
        put(names, `${plain(studio.store.device(link.central)?.name ?? '', 18)} – ${plain(studio.store.device(link.peripheral)?.name ?? '', 18)}`);
        put(words, marginText(link));
        words.className = link.isLost || link.margin < 0 ? 'bad' : link.margin < 10 ? 'warn' : '';
        button.hidden = link.isLost || link.margin <= SILENT;
        put(button, t('card.break', { loss: breaking(studio, id, link.id) }));
      });
    };
  }

  return { show, update, item: () => item };
}

/** The signal of a link above the sensitivity of its receivers, in words. */
function marginText(link) {
  if (link.isLost) return t('card.lost');
  const db = Math.abs(Math.round(link.margin));
  if (link.margin >= 0) return t('card.above', { db });
  return t(link.margin <= SILENT ? 'card.silent' : 'card.below', { db, timeout: +(link.timeout / 1000).toFixed(2) });
}

/** The loss in dB with which a wall silences a link. */
function breaking(studio, wall, link) {
  const { room } = studio.store;
  const loss = room?.walls.find((each) => each.id === wall)?.attenuation ?? 0;
  const margin = room?.links.find((each) => each.id === link)?.margin ?? 0;
  return Math.min(Math.ceil(loss + margin - SILENT), 200);
}

/** A number for changes that are undone together. */
export function newDrag() { return 1 + Math.floor(Math.random() * 2 ** 50); }

let sent = 0;
let timer = 0;
let drag = 0;
/** Changes the loss of a wall, at most ten times a second; the last one always. The changes up to the last one are undone together. */
export function setAttenuation(studio, wall, attenuation, isLast = true) {
  clearTimeout(timer);
  drag ||= newDrag();
  const wait = 100 - (performance.now() - sent);
  if (!isLast && wait > 0) { timer = setTimeout(() => setAttenuation(studio, wall, attenuation, false), wait); return; }
  sent = performance.now();
  studio.try('room.attenuation', { wall, attenuation, drag });
  if (isLast) drag = 0;
}

/** The actions that make sense now; the first one is in the card, the others are under "more". */
function deviceActions(studio, device) {
  const power = (isOn) => ({ id: 'power', isPower: true, isPrimary: isOn, text: t(isOn ? 'card.on' : 'card.cut'), run: () => studio.try('room.power', { device: device.id, isOn }) });
  if (!device.isOn) return [power(true)];
  const program = studio.store.room.programs.find((each) => each.id === device.program);
  const actions = (program?.actions ?? []).filter((action) => action.states.includes(device.state)).map(({ id }) => (
    { id, text: t(`action.${id}`), run: () => studio.try('room.act', { device: device.id, action: id, with: {} }) }));
  const first = [];
  if (!studio.store.time.isRunning && studio.store.time.now === 0) first.push({ id: 'run', text: t('card.run'), isPrimary: true, run: () => toggleRun(studio) });
  else if (device.isExplorer) first.push({ id: 'explore', text: t('card.explore'), isPrimary: true, run: () => studio.show('explorer', explorerOf(studio, device.id)) });
  return [...first, ...actions, power(false)];
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
