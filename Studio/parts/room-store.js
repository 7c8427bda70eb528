// What the page keeps of the room for its whole life: the newest packets and events, bounded, and the time between two updates.

import { phrase, unisolated } from '../text.js';

const PACKETS = 20000;
const EVENTS = 2000;
// `Heart Rate Measurement: 74 bpm (00 4a)`: the words between the name and the octets.
const VALUE = /[:：]\s*(.{1,24}?)\s*[(（][0-9a-f ]+[)）]$/;

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
  /** Watches a world. The names of its topics and streams begin with `prefix`. */
  constructor(link, prefix) {
    this.packets = new Newest(PACKETS);
    this.events = new Newest(EVENTS);
    this.time = { now: 0, end: 0, isRunning: false, speed: 1, isSeeking: false };
    this.room = null;
    this.counts = { packets: 0, lost: 0, byLayer: {}, byDevice: {} };
    this.flight = [];
    /** The last report of a value of each device. */
    this.values = new Map();
    /** The newest signal of each sender: {rssi, by, time}. */
    this.heard = new Map();
    this.stamp = performance.now();
    this.watchers = { time: new Set(), room: new Set(), counts: new Set(), flight: new Set() };
    link.topic(prefix + 'time', (time) => { this.stamp = performance.now(); this.#set('time', time); });
    link.topic(prefix + 'room', (room) => this.#setRoom(room));
    link.topic(prefix + 'counts', (counts) => this.#set('counts', counts));
    link.topic(prefix + 'flight', (flight) => this.#set('flight', flight.packets ?? []));
    link.stream(prefix + 'packets', (batch) => { this.#hear(batch); this.packets.take(batch); });
    link.stream(prefix + 'happened', (batch) => { this.#note(batch); this.events.take(batch); });
  }

  /** Calls watcher(value) now if the value is known, and after each change. */
  watch(name, watcher) {
    this.watchers[name].add(watcher);
    if (this[name] !== null) watcher(this[name]);
    return () => this.watchers[name].delete(watcher);
  }

  /** The language has changed. */
  relabel() { if (this.room) this.#setRoom(this.room); }

  /** `name` is the label of the room in the chosen language, or the name that the device has. */
  #setRoom(room) {
    for (const device of room?.devices ?? []) if (device.label) device.name = phrase(device.label);
    this.#set('room', room);
  }

  #set(name, value) {
    this[name] = value;
    for (const watcher of this.watchers[name]) watcher(value);
  }

  #note({ items, reset }) {
    if (reset !== undefined && reset !== null) {
      this.values.clear();
      for (const event of this.events.items) if (event.n < reset) this.#value(event);
    }
    for (const event of items) this.#value(event);
  }

  #value(event) { if (event.kind === 'callback' && event.device && event.swift?.includes('didUpdateValueFor')) this.values.set(event.device, event.text); }

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

  /** The value that a device received last, as `74 bpm`; empty if there is none on its present link. */
  value(id) {
    const found = this.values.get(id);
    if (!found || this.linksOf(id).length === 0) return '';
    return VALUE.exec(unisolated(found, 200))?.[1] ?? '';
  }

  linksOf(id) { return this.room?.links.filter((link) => link.central === id || link.peripheral === id) ?? []; }

  /** The signal of a device in dBm: as its peer receives it on a link, or as any device last heard it. */
  signal(id) {
    const link = this.linksOf(id)[0];
    if (link) return (link.central === id ? link.rssi.peripheral : link.rssi.central) ?? null;
    const heard = this.heard.get(id);
    return heard && this.time.now - heard.time < 5e9 ? heard.rssi : null;
  }
}
