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
    'plan.label': '房间平面图。方向键移动获得焦点的设备。', 'plan.device': '{name}，{kind}，{state}', 'plan.link': '{central} 与 {peripheral} 之间的链路，{text}',
    'plan.wall': '墙，{attenuation} dB', 'plan.moved': '{name} 位于 {x}、{y} 米。', 'plan.movedSignal': '{name} 位于 {x}、{y} 米，{signal}。', 'plan.encrypted': '已加密',
  },
});

// The axes in pixels, the least distance of their labels, and the distances in metres that they can have.
const AXIS = { left: 30, top: 18 };
const TICK_GAP = 56;
const TICKS = [0.25, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000];
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
    // The axes in metres along the upper and the left edge; positions are in cards and forms, which name them.
    this.axes = s('g', { class: 'axes', 'aria-hidden': 'true' });
    this.ticks = '';
    this.draft = s('line', { class: 'draft' });
    this.element = s('svg', { class: 'plan', role: 'group', 'aria-label': t('plan.label') },
      s('defs', {}, this.pattern), s('rect', { class: 'floor', width: '100%', height: '100%', fill: 'url(#grid)' }),
      this.layers.wall, this.layers.link, this.layers.device, this.draft, this.axes);
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
    this.drawAxes();
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

  drawAxes() {
    const { camera, width, height } = this;
    const step = TICKS.find((metres) => metres * camera.scale >= TICK_GAP) ?? TICKS[TICKS.length - 1];
    const corner = this.toRoom(0, 0);
    const key = [step, camera.scale, corner.x, corner.y, width, height].map((value) => +value.toFixed(4)).join();
    if (key === this.ticks) return;
    this.ticks = key;
    const parts = [s('rect', { x: 0, y: 0, width, height: AXIS.top }), s('rect', { x: 0, y: AXIS.top, width: AXIS.left, height })];
    const marks = (from, length, edge, add) => {
      for (let number = Math.ceil(from / step); number * step <= from + length / camera.scale; number += 1) {
        const at = (number * step - from) * camera.scale;
        if (at >= edge) add(at, `${+(number * step).toPrecision(6)}`.replace('-', '−'));
      }
    };
    marks(corner.x, width, AXIS.left + 14, (x, label) => parts.push(s('line', { x1: x, x2: x, y1: AXIS.top - 4, y2: AXIS.top }), s('text', { x, y: 12, 'text-anchor': 'middle' }, label)));
    marks(corner.y, height, AXIS.top + 8, (y, label) => parts.push(s('line', { x1: AXIS.left - 4, x2: AXIS.left, y1: y, y2: y }), s('text', { x: AXIS.left - 6, y: y + 4, 'text-anchor': 'end' }, label)));
    parts.push(s('text', { x: AXIS.left - 6, y: 12, 'text-anchor': 'end', class: 'unit' }, 'm'));
    this.axes.replaceChildren(...parts);
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
      halo: s('circle', { class: 'halo', r: 26 }), name: s('text', { class: 'label', y: 36 }), state: s('text', { class: 'sub', y: 51 }), value: s('text', { class: 'value', y: 70 }),
      icon: s('path', { class: 'icon', d: iconPath(device.kind), transform: 'translate(-11 -11) scale(.92)' }),
    };
    parts.group = s('g', { role: 'button', tabindex: 0 }, s('circle', { class: 'hit', r: 24 }), parts.halo, s('circle', { class: 'disc', r: 19 }), parts.icon, parts.name, parts.state, parts.value);
    return parts;
  }

  drawDevice(entry, device, isMany) {
    const at = this.places.get(device.id);
    const state = t(`state.${device.state}`);
    const value = device.isOn ? this.studio.store.value(device.id) : '';
    put(entry.group, {
      transform: `translate(${at.x.toFixed(1)} ${at.y.toFixed(1)})${isMany ? ' scale(.6)' : ''}`,
      class: `device ${device.state} ${device.kind}${this.marks('device', device.id)}`,
      tabindex: !isMany || device.id === this.active ? 0 : -1,
      'aria-pressed': String(this.isSelected('device', device.id)),
      'aria-label': t('plan.device', { name: plain(device.name, 60), kind: t(`kind.${device.kind}`), state }) + (value ? `, ${value}` : ''),
    });
    text(entry.value, value);
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
    // The text stands above a level line and right of a steep one, where packets do not cover it.
    const slope = Math.abs(to.y - from.y) / Math.max(Math.abs(to.x - from.x), 1);
    const middle = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
    if (slope < 0.6) middle.y -= 26 + slope * entry.width / 2;
    else middle.x += entry.width / 2 + 14 + 12 / slope;
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
