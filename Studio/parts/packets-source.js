// Where the packets of the list come from: a world with its devices and its time, or a capture file that nothing changes.

import { h } from '../dom.js';
import { LAYERS, phrase, plain } from '../text.js';
import { t } from '../words.js';

/** The source of the packets in the world that the page shows. */
export function packetSource(studio) { return studio.world() === 'capture' ? new CaptureSource(studio) : new WorldSource(studio); }

/** The room, or the world of the lesson. */
class WorldSource {
  constructor(studio) {
    this.studio = studio;
    this.place = studio.world() === 'lesson' ? 'packets@lesson' : 'packets';
    this.isLive = true;
    this.layers = LAYERS;
    this.devices = []; // [identifier, name] for the filter
  }

  /** {name}, or null. */
  device(id) { return this.studio.store.device(id); }

  /** `onNames` is called when devices have other names, `onNews` with true when packets can be asked for, and when there are more. Returns functions that end it. */
  watch(onNames, onNews) {
    return [
      this.studio.store.watch('room', (room) => {
        this.devices = (room?.devices ?? []).map((device) => [device.id, plain(device.name, 24) || t('packets.onlyDevice', { id: device.id })]);
        onNames();
      }),
      this.studio.store.watch('counts', () => onNews(false)),
      this.studio.onState((state) => { if (state === 'open') onNews(true); }),
    ];
  }

  head() { return null; }

  /** What an empty list says. */
  empty() {
    return [h('p', {}, t('packets.none')), h('p', {}, t('packets.teach')),
      h('button', { class: 'primary', onclick: () => this.studio.try('time.run') }, t('packets.run'))];
  }
}

/** The capture file that the command opened. */
class CaptureSource {
  #capture = null;

  constructor(studio) {
    this.studio = studio;
    this.place = 'packets@capture';
    this.isLive = false;
    this.layers = [];
    this.devices = [];
  }

  device(id) {
    const found = this.#capture?.devices.find((device) => device.id === id);
    return found ? { name: phrase(found.name, 64) } : null;
  }

  watch(onNames, onNews) {
    return [this.studio.topic('capture', (capture) => {
      this.#capture = capture;
      this.layers = capture?.layers ?? [];
      // The recorder hears all packets on the air.
      this.devices = (capture?.devices ?? []).filter(({ id }) => id !== 'd0').map(({ id, name, address }) => {
        const text = phrase(name, 30);
        return [id, address && address !== text ? `${text} · ${address}` : text];
      });
      onNames();
      if (capture) onNews(true);
    })];
  }

  /** The name of the file, and what the list does not show of it. */
  head() {
    if (!this.#capture) return h('p', { class: 'notice warn' }, t('capture.closed'), ' ', h('code', {}, 'bluelab studio --capture FILE'));
    const { name, start, notes } = this.#capture;
    return [
      h('p', { class: 'capture-name' }, h('bdi', { class: 'name', dir: 'auto' }, plain(name, 80)),
        Number.isFinite(start) ? h('span', { class: 'faint small-text' }, t('capture.start', { time: new Date(start).toISOString().replace(/\.\d+/, '') })) : null),
      notes.map((note) => h('p', { class: 'notice warn' }, phrase(note, 300))),
    ];
  }

  empty() { return h('p', {}, t('capture.empty')); }
}
