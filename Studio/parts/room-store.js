// What the page keeps of the room for its whole life: the newest packets and events, bounded, and the time between two updates.

import { phrase } from '../text.js';
import { onLanguage } from '../words.js';

const PACKETS = 20000;
const EVENTS = 2000;

/** Items of a stream with rising numbers. Only the newest `limit` stay. */
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
    // Cutting in large steps keeps the cost of one item constant.
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
    /** The newest signal of each sender: {rssi, by, time}. */
    this.heard = new Map();
    this.stamp = performance.now();
    this.watchers = { time: new Set(), room: new Set(), counts: new Set(), flight: new Set() };
    studio.topic('time', (time) => { this.stamp = performance.now(); this.#set('time', time); });
    studio.topic('room', (room) => this.#setRoom(room));
    // Before the views, which the page builds again after this.
    onLanguage(() => { if (this.room) this.#setRoom(this.room); });
    studio.topic('counts', (counts) => this.#set('counts', counts));
    studio.topic('flight', (flight) => this.#set('flight', flight.packets ?? []));
    studio.stream('packets', (batch) => { this.#hear(batch); this.packets.take(batch); });
    studio.stream('happened', (batch) => this.events.take(batch));
  }

  /** Calls watcher(value) now if the value is known, and after each change. */
  watch(name, watcher) {
    this.watchers[name].add(watcher);
    if (this[name] !== null) watcher(this[name]);
    return () => this.watchers[name].delete(watcher);
  }

  /** `name` is the label of the room in the chosen language, or the name that the device has. */
  #setRoom(room) {
    for (const device of room?.devices ?? []) if (device.label) device.name = phrase(device.label);
    this.#set('room', room);
  }

  #set(name, value) {
    this[name] = value;
    for (const watcher of this.watchers[name]) watcher(value);
  }

  #hear({ items, reset }) {
    if (reset !== undefined && reset !== null) this.heard.clear();
    // The last 200 packets of an update name the signal of all senders that matter at the moment.
    for (let index = Math.max(0, items.length - 200); index < items.length; index += 1) {
      const packet = items[index];
      let best = null;
      for (const reception of packet.receivers ?? []) {
        if (reception[2] === 'received' && (best === null || reception[1] > best[1])) best = reception;
      }
      if (best) this.heard.set(packet.sender, { rssi: best[1], by: best[0], time: packet.start });
    }
  }

  /** The virtual time at this moment of the page, in nanoseconds. */
  now() {
    const { now, isRunning, speed } = this.time;
    if (!isRunning || !speed) return now;
    return now + Math.min(performance.now() - this.stamp, 150) * 1e6 * speed;
  }

  device(id) { return this.room?.devices.find((device) => device.id === id) ?? null; }

  linksOf(id) { return this.room?.links.filter((link) => link.central === id || link.peripheral === id) ?? []; }

  /** The signal of a device in dBm: as its peer receives it on a link, or as any device last heard it. */
  signal(id) {
    const link = this.linksOf(id)[0];
    if (link) return (link.central === id ? link.rssi.peripheral : link.rssi.central) ?? null;
    const heard = this.heard.get(id);
    return heard && this.time.now - heard.time < 5e9 ? heard.rssi : null;
  }
}
