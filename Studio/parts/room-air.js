// Packets in flight: dots on a canvas above the plan, from the sender to its receivers.
//
// A dot takes the air time of its packet at the speed of the room, but at least 120 ms, so that an eye sees it. A busy room has more packets than
// an eye sees: the canvas then draws every k-th one, and `takeDrawn()` says how many it drew.
//
// For tests: `canvas.air` is this object, and each frame leaves in the list `canvas.marks`, if there is one, what it drew: {kind, n, layer, x, y, ...}.

import { LAYERS, plain } from '../text.js';

const SHORTEST = 120;     // ms of real time
const LONGEST = 1500;
const STEPPED = 700;      // a packet of "next packet"
const NAMED = 400;        // a dot that takes as long shows the name of its packet
const MOST_DOTS = 360;
const MOST_PACKETS = 30;  // that begin in one update
const RADIUS = 5;
const FONT = '600 11px system-ui, sans-serif';

export class Air {
  constructor(canvas, plan, store) {
    this.canvas = Object.assign(canvas, { air: this });
    this.context = canvas.getContext('2d');
    this.plan = plan;
    this.store = store;
    this.dots = [];
    this.flown = new Set();
    this.drawn = 0;
    this.isBlank = true;
    this.motion = matchMedia('(prefers-reduced-motion: reduce)');
    this.colours();
  }

  resize(width, height) {
    this.ratio = Math.min(devicePixelRatio || 1, 2);
    this.canvas.width = Math.round(width * this.ratio);
    this.canvas.height = Math.round(height * this.ratio);
    this.width = width;
    this.height = height;
    this.isBlank = false;
    this.colours();
  }

  /** Reads the colours of the layers from the style sheet and draws a dot of each once. */
  colours() {
    const probe = document.createElement('span');
    document.body.append(probe);
    this.colour = {};
    for (const layer of LAYERS) {
      probe.className = `layer-${layer}`;
      this.colour[layer] = getComputedStyle(probe).color;
    }
    probe.className = 'bad';
    this.colour.bad = getComputedStyle(probe).color;
    probe.remove();
    this.sprites = new Map();
  }

  sprite(layer, isEncrypted) {
    const key = isEncrypted ? `${layer}+` : layer;
    let sprite = this.sprites.get(key);
    if (!sprite) {
      const ratio = this.ratio ?? 1;
      sprite = document.createElement('canvas');
      sprite.width = sprite.height = Math.ceil(22 * ratio);
      const context = sprite.getContext('2d');
      context.scale(ratio, ratio);
      context.translate(11, 11);
      context.fillStyle = context.strokeStyle = this.colour[layer] ?? this.colour.data;
      context.beginPath();
      context.arc(0, 0, RADIUS - (isEncrypted ? 1 : 0), 0, 7);
      context.fill();
      if (isEncrypted) {
        context.lineWidth = 1.6;
        context.beginPath();
        context.arc(0, 0, RADIUS + 3, 0, 7);
        context.stroke();
      }
      this.sprites.set(key, sprite);
    }
    return sprite;
  }

  clear() {
    this.dots.length = 0;
    this.flown.clear();
  }

  /** Takes new packets of the room. */
  take(packets, now) {
    const { time } = this.store;
    if (packets.length === 0 || time.isSeeking) return;
    // A page that opens, or that slept, gets packets of long ago: they are not in the air.
    const window = time.isRunning ? (time.speed || Infinity) * 300e6 : 1e6;
    const recent = window === Infinity ? packets : packets.filter((packet) => packet.start + packet.duration >= time.now - window);
    if (recent.length === 0) return;
    const allowed = Math.max(1, Math.min(MOST_PACKETS, MOST_DOTS - this.dots.length));
    const step = Math.max(1, recent.length / allowed);
    const first = recent[0].start;
    for (let place = 0; place < recent.length; place += step) {
      const packet = recent[Math.floor(place)];
      const scale = time.isRunning ? (time.speed ? 1 / (1e6 * time.speed) : 0) : 0;
      const wait = Math.min((packet.start - first) * scale, 33);
      const length = time.isRunning ? Math.min(Math.max(packet.duration * scale, SHORTEST), LONGEST) : STEPPED;
      this.spawn(packet, now + wait, length);
    }
    if (this.flown.size > 500) this.flown.clear();
  }

  spawn(packet, begin, length) {
    const receivers = packet.receivers ?? [];
    const heard = receivers.filter((reception) => reception[2] !== 'missed');
    const isLanding = this.flown.delete(packet.n);
    let targets = packet.link || heard.length === 0 ? receivers : heard;
    const most = this.dots.length > 150 ? 1 : 8;
    if (targets.length > most) targets = targets.slice(packet.n % targets.length).concat(targets).slice(0, most);
    let isDrawn = false;
    // No device listened: the packet is a wave that ends.
    if (targets.length === 0 && !isLanding && this.plan.isVisible(packet.sender, packet.sender)) {
      isDrawn = true;
      this.dots.push({ n: packet.n, from: packet.sender, to: null, begin, length: Math.max(length, 240), layer: packet.layer });
    }
    for (const [to, , outcome] of targets) {
      if (this.dots.length >= MOST_DOTS) break;
      if (!this.plan.isVisible(packet.sender, to)) continue;
      isDrawn = true;
      // A missed packet fades on its way; where depends on its number, so that two do not cover each other.
      const reach = outcome === 'received' ? 1 : outcome === 'corrupted' ? 0.93 : 0.5 + (packet.n * 7 % 10) / 28;
      this.dots.push({
        n: packet.n, from: packet.sender, to, begin, length: isLanding ? 320 : length, layer: packet.layer, isEncrypted: packet.isEncrypted, outcome, reach, isLanding,
        name: length >= NAMED && !isLanding ? plain(packet.name, 40) : null,
      });
    }
    if (isDrawn) this.drawn += 1;
  }

  /** Draws one frame. Returns whether another one is needed. */
  frame(now) {
    const { context, dots } = this;
    const flight = this.store.flight;
    const { marks } = this.canvas;
    if (marks) marks.length = 0;
    if (dots.length === 0 && flight.length === 0) {
      if (!this.isBlank) context.clearRect(0, 0, this.canvas.width, this.canvas.height);
      this.isBlank = true;
      return false;
    }
    this.isBlank = false;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, this.width, this.height);
    if (flight.length) this.drawFlight(flight);
    for (let index = dots.length - 1; index >= 0; index -= 1) {
      const dot = dots[index];
      const part = (now - dot.begin) / dot.length;
      if (part >= 1) {
        dots[index] = dots[dots.length - 1];
        dots.pop();
      } else if (part >= 0) this.drawDot(dot, part, dots.length);
    }
    context.globalAlpha = 1;
    // Packets in the air of a paused room stand still.
    return dots.length > 0 || this.store.time.isRunning;
  }

  drawDot(dot, part, dots) {
    const from = this.plan.places.get(dot.from);
    const { context, canvas: { marks } } = this;
    if (from && dot.to === null) {
      context.globalAlpha = 0.6 * (1 - part);
      context.strokeStyle = this.colour[dot.layer] ?? this.colour.data;
      context.lineWidth = 2;
      context.beginPath();
      const radius = this.motion.matches ? 26 : 14 + 26 * part;
      context.arc(from.x, from.y, radius, 0, 7);
      context.stroke();
      marks?.push({ kind: 'wave', n: dot.n, layer: dot.layer, x: from.x, y: from.y, radius });
      return;
    }
    const to = this.plan.places.get(dot.to);
    if (!from || !to) return;
    const isLost = dot.outcome !== 'received';
    let way = this.motion.matches ? 0.5 : part;
    if (dot.isLanding) way = 1;
    way *= dot.reach;
    const x = from.x + (to.x - from.x) * way;
    const y = from.y + (to.y - from.y) * way;
    if (dot.isLanding && !isLost) {
      if (this.motion.matches) return;
      context.globalAlpha = 1 - part;
      context.strokeStyle = this.colour[dot.layer] ?? this.colour.data;
      context.lineWidth = 2;
      context.beginPath();
      context.arc(x, y, 18 + 12 * part, 0, 7);
      context.stroke();
      marks?.push({ kind: 'landing', n: dot.n, layer: dot.layer, x, y });
      return;
    }
    context.globalAlpha = isLost ? Math.min(1, 1.6 * (1 - part)) : part > 0.92 ? (1 - part) / 0.08 : 1;
    context.drawImage(this.sprite(dot.layer, dot.isEncrypted), x - 11, y - 11, 22, 22);
    marks?.push({ kind: 'dot', n: dot.n, layer: dot.layer, isEncrypted: dot.isEncrypted, outcome: dot.outcome, from: dot.from, to: dot.to, x, y, way, alpha: context.globalAlpha, name: dot.name, isCrossed: isLost && part > 0.55 });
    if (dot.name && dots < 7) {
      context.font = FONT;
      context.textAlign = 'center';
      context.fillStyle = this.colour[dot.layer] ?? this.colour.data;
      context.fillText(dot.name, x, y - 14);
    }
    if (isLost && part > 0.55) {
      context.strokeStyle = this.colour.bad;
      context.lineWidth = 1.6;
      context.beginPath();
      context.moveTo(x - 7, y - 7); context.lineTo(x + 7, y + 7);
      context.moveTo(x + 7, y - 7); context.lineTo(x - 7, y + 7);
      context.stroke();
    }
  }

  /** Packets that the room holds in the air: their place is that of the virtual time. */
  drawFlight(flight) {
    const { context, plan, store, canvas: { marks } } = this;
    const now = store.now();
    context.font = FONT;
    context.textAlign = 'center';
    for (const packet of flight) {
      const from = plan.places.get(packet.sender);
      const part = (now - packet.start) / packet.duration;
      if (!from || part < 0 || part > 4) continue;
      this.flown.add(packet.n);
      marks?.push({ kind: 'flight', n: packet.n, layer: packet.layer, part, from: packet.sender, x: from.x, y: from.y });
      const colour = this.colour[packet.layer] ?? this.colour.data;
      const way = this.motion.matches ? 0.5 : Math.min(part, 1);
      const link = packet.link ? plan.links.get(packet.link) : plan.linkOf(packet.sender, packet.layer);
      const targets = link ? [link.central === packet.sender ? link.peripheral : link.central] : plan.listeners(packet.sender);
      if (!link && !this.motion.matches) {
        context.globalAlpha = 0.5 * (1 - way);
        context.strokeStyle = colour;
        context.lineWidth = 1.5;
        context.beginPath();
        context.arc(from.x, from.y, 18 + 60 * way, 0, 7);
        context.stroke();
      }
      context.globalAlpha = 1;
      let label = targets.length ? null : { x: from.x, y: from.y - 30 };
      for (const target of targets) {
        const to = plan.places.get(target);
        if (!to) continue;
        const x = from.x + (to.x - from.x) * way;
        const y = from.y + (to.y - from.y) * way;
        context.drawImage(this.sprite(packet.layer, packet.isEncrypted), x - 11, y - 11, 22, 22);
        marks?.push({ kind: 'moving', n: packet.n, layer: packet.layer, isEncrypted: packet.isEncrypted, from: packet.sender, to: target, x, y, way });
        label ??= { x, y: y - 14 };
      }
      if (label && flight.length <= 6) {
        context.fillStyle = colour;
        context.fillText(plain(packet.name, 40), label.x, label.y);
      }
    }
  }

  /** The number of packets that it drew since the last call. */
  takeDrawn() {
    const { drawn } = this;
    this.drawn = 0;
    return drawn;
  }
}
