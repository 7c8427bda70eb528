// Pointer and keyboard on the plan: select, move a device, draw a wall, pan and zoom.

import { dBm, plain } from '../text.js';
import { t } from '../words.js';
import { newDrag, removeDevice, setAttenuation } from './room-card.js';

const STEP = 0.25;
const LARGE_STEP = 1;

/** Listens on the plan. tool() is 'select' or 'wall'; hooks: {changed, point, draft, built, endTool}. Returns a function that ends this. */
export function listenOnPlan(plan, studio, tool, hooks) {
  const svg = plan.element;
  let hold = null;
  let sent = 0;
  let timer = 0;
  const fingers = new Map();
  // The moves of one drag are undone together.
  let dragNumber = 0;

  const at = (event) => {
    const box = svg.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const itemOf = (target) => target.closest?.('g[data-id]')?.dataset;

  /** Sends the place of a device, at most 20 times a second; the last place always. */
  function move(id, place, isLast) {
    plan.held.set(id, place);
    hooks.changed();
    clearTimeout(timer);
    const wait = 50 - (performance.now() - sent);
    if (!isLast && wait > 0) { timer = setTimeout(() => move(id, place, false), wait); return; }
    sent = performance.now();
    const done = studio.try('room.move', { device: id, x: round(place.x), y: round(place.y), drag: dragNumber });
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
      dragNumber = newDrag();
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
  /** A wall that is nearly level or upright becomes so. */
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
      // A held key is one drag.
      if (!event.repeat) dragNumber = newDrag();
      const step = event.shiftKey ? LARGE_STEP : STEP;
      const from = plan.where(device);
      move(item.id, { x: from.x + arrow[0] * step, y: from.y + arrow[1] * step }, true);
      clearTimeout(saying);
      saying = setTimeout(() => say(item.id), 500);
    } else if (arrow?.[1] && item?.kind === 'wall') changeLoss(item.id, -arrow[1] * (event.shiftKey ? 10 : 1));
    else if ((event.key === 'Enter' || event.key === ' ') && item) studio.select(plan.isSelected(item.kind, item.id) ? null : { kind: item.kind, id: item.id });
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

  // Two quick presses count twice, before the room has the first.
  let wanted = null;
  function changeLoss(id, step) {
    const wall = studio.store.room?.walls.find((each) => each.id === id);
    if (!wall) return;
    const from = wanted?.id === id && performance.now() - wanted.at < 400 ? wanted.loss : wall.attenuation;
    wanted = { id, at: performance.now(), loss: Math.min(Math.max(from + step, 0), 200) };
    setAttenuation(studio, id, wanted.loss);
    clearTimeout(saying);
    saying = setTimeout(() => studio.announce(t('plan.wall', { attenuation: wanted.loss })), 500);
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
