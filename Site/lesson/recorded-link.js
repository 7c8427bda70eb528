// The connection of the page to recordings, in place of that to a server (Studio/link.js): the same functions, topics, streams and failures.
//
// A recording is a file of Scripts/record-lessons: what a room reported, with times. Here time passes in the page. What needs a live room fails with
// a sentence that says how to get one.
//
// The room and the lesson are two worlds, each with a player of its own: names that begin with `lesson.` are those of the lesson.

import { Recording, catalogue } from './recordings.js';

const TICK = 33;
// The time before a lesson that is not recorded is refused, in milliseconds.
const RETRY = 1000;
// Virtual nanoseconds that pass at most in one tick, at the speed "as fast as possible".
const FAST = 400e6;
// The real time in which the packets of a step are shown, in milliseconds, and the lowest speed, as in the studio.
const SHOW_TIME = 2500, SLOWEST = 0.001;

const LIVE = {
  code: 'recorded',
  text: { en: 'This page plays a recording.', zh: '这个页面播放的是录制。' },
  next: { en: 'swift run bluelab studio shows a live room.', zh: '运行 swift run bluelab studio，就有真实的房间。' },
};
const UNKNOWN = {
  ...LIVE, text: { en: 'This is not recorded.', zh: '这一项没有录制。' },
};

const WORLD = /^lesson\.(?=(time|room|counts|flight|packets|happened)(\.|$))/;

export class Link {
  #room = new Player();
  #lesson = null;       // null as long as the page has no world of the lesson
  #states = new Set();

  constructor() {
    this.state = 'connecting';
    this.#room.ready.then(() => {
      this.state = 'open';
      for (const watcher of [...this.#states]) watcher('open');
    });
  }

  topic(name, watcher) { return this.#player(name).topic(name.replace(WORLD, ''), watcher); }

  stream(name, watcher) { return this.#player(name).stream(name.replace(WORLD, ''), watcher); }

  onState(watcher) {
    this.#states.add(watcher);
    watcher(this.state);
    return () => this.#states.delete(watcher);
  }

  async do(command, args = {}) {
    // `lesson.packets` is a command of the lesson, and a stream of its world.
    const isOwn = Object.hasOwn(COMMANDS, command);
    const run = COMMANDS[isOwn ? command : command.replace(WORLD, '')];
    if (!run) throw { ...LIVE, command };
    const player = isOwn ? (command.startsWith('lesson.') && this.#lesson) || this.#room : this.#player(command);
    try {
      await player.ready;
      return await run(player, args);
    } catch (failure) {
      throw failure?.code ? { ...failure, command } : failure;
    }
  }

  async download(name) { throw { ...LIVE, command: name }; }

  #player(name) {
    if (WORLD.test(name)) this.#lesson ??= new Player();
    return (name.startsWith('lesson') && this.#lesson) || this.#room;
  }
}

/** Plays one recording at a time. */
class Player {
  #recording = null;
  #isOpened = false;    // whether the page has opened a lesson; at first there is a tour that it has not
  #run = 0;
  #now = 0;
  #speed = 1;
  #goal = null;         // where running time ends: of a slow step, otherwise null
  #speedBefore = null;  // the speed before a slow step
  #step = 0;
  #timer = 0;
  #hasEnded = false;
  #last = 0;
  #topics = new Map();  // name: {watchers, text}
  #streams = new Map(); // name: {watchers, rows, next, isNew}
  ready = this.#begin('tour-central', {});

  topic(name, watcher) {
    const entry = this.#topics.get(name) ?? { watchers: new Set(), text: undefined };
    this.#topics.set(name, entry);
    entry.watchers.add(watcher);
    if (entry.text !== undefined) watcher(JSON.parse(entry.text));
    else if (this.#recording) this.#report();
    return () => entry.watchers.delete(watcher);
  }

  stream(name, watcher) {
    const entry = this.#streams.get(name) ?? { watchers: new Set(), rows: [], next: 0, isNew: true };
    this.#streams.set(name, entry);
    entry.watchers.add(watcher);
    if (!entry.isNew) watcher({ items: entry.rows.slice(0, entry.next), missed: 0, reset: 0, next: entry.next });
    else if (this.#recording) this.#report();
    return () => entry.watchers.delete(watcher);
  }

  // MARK: What the commands do

  /** Opens a recording at its start. */
  async open({ lesson, parameters }) {
    await this.#begin(lesson, parameters ?? {});
    this.#isOpened = true;
    this.#report();
    return {};
  }

  async #begin(lesson, parameters) {
    const recording = await Recording.of(lesson, parameters, []);
    if (!recording) {
      // The page tries again at once to open the lesson that its address names.
      await new Promise((resolve) => setTimeout(resolve, RETRY));
      throw UNKNOWN;
    }
    this.#stop();
    this.#recording = recording;
    this.#run += 1;
    this.#step = 0;
    this.#jump(0);
  }

  run(end = null) {
    if (this.#now >= this.#recording.end) throw { ...LIVE, text: { en: 'The recording ends here.', zh: '录制到此结束。' } };
    this.#goal = end;
    this.#last = performance.now();
    clearInterval(this.#timer);
    this.#timer = setInterval(() => this.#tick(), TICK);
    this.#report();
    return {};
  }

  pause() {
    this.#stop();
    this.#report();
    return {};
  }

  setSpeed(speed) {
    this.#speed = speed;
    this.#speedBefore = null;
    this.#report();
    return {};
  }

  seek(moment) {
    this.#stop();
    this.#jump(Math.min(Math.max(0, moment), this.#recording.end));
    return {};
  }

  /** To the end of the next packet. */
  stepPacket() {
    const next = this.#recording.packets.find((packet) => packet.start + packet.duration > this.#now);
    if (!next) throw { ...LIVE, text: { en: 'The recording ends here.', zh: '录制到此结束。' } };
    return this.seek(next.start + next.duration);
  }

  /** To the next callback of a program. */
  stepCallback() {
    const next = this.#recording.events.find((event) => event.kind === 'callback' && event.time > this.#now);
    if (next) this.seek(next.time);
    return { found: next !== undefined };
  }

  /** To the end of the next step; slowly, so that a reader sees the packets. */
  next(slowly) {
    const { ends } = this.#tour();
    if (this.#goal !== null) return this.seek(this.#goal);
    if (this.#step + 1 >= ends.length) return {};
    this.#step += 1;
    const end = ends[this.#step];
    if (!slowly || end <= this.#now) return this.seek(end);
    this.#stop();
    this.#speedBefore = this.#speed;
    this.#speed = Math.max(SLOWEST, (end - this.#now) / 1e6 / SHOW_TIME);
    return this.run(end);
  }

  go(step) {
    const { ends } = this.#tour();
    if (!(step in ends)) throw UNKNOWN;
    this.#stop();
    this.#step = step;
    this.#jump(ends[step], true);
    return {};
  }

  packetsOf(step) { return this.#tour().air[step] ?? null; }

  /** Continues with the recording in which the action was taken, at the moment at which it was. */
  async act(action) {
    const { lesson, parameters, actions } = this.#recording;
    const taken = this.#recording.taken(this.#now);
    const next = await Recording.of(lesson, parameters, [...taken, action]) ?? await Recording.of(lesson, parameters, [action]);
    if (!next) throw UNKNOWN;
    // What has been switched off stays off.
    if (this.#now > next.begin && next.actions.join() === actions.join()) return {};
    const wasRunning = this.#timer !== 0 || this.#hasEnded;
    this.#stop();
    this.#recording = next;
    this.#jump(next.begin + 1);
    if (wasRunning) this.run();
    return {};
  }

  #tour() {
    if (!this.#recording.ends) throw UNKNOWN;
    return this.#recording;
  }

  // MARK: Time

  #stop() {
    this.#hasEnded = false;
    clearInterval(this.#timer);
    this.#timer = 0;
    this.#goal = null;
    if (this.#speedBefore !== null) this.#speed = this.#speedBefore;
    this.#speedBefore = null;
  }

  #tick() {
    const real = performance.now();
    const passed = this.#speed > 0 ? (real - this.#last) * 1e6 * this.#speed : FAST;
    this.#last = real;
    const end = this.#goal ?? this.#recording.end;
    const moment = Math.min(end, Math.round(this.#now + passed));
    const isLesson = this.#goal !== null;
    if (moment >= end) this.#stop();
    // Time that ran to the end of the recording goes on with an action.
    this.#hasEnded = moment >= this.#recording.end;
    this.#jump(moment, isLesson);
  }

  /** The room at another moment. Unless the lesson goes there, the reader's step follows. */
  #jump(moment, isLesson = false) {
    const before = this.#now;
    this.#now = moment;
    const last = this.#reached().at(-1)?.step ?? 0;
    if (!isLesson) this.#step = moment > before && this.#timer ? last : Math.min(this.#step, last);
    this.#report();
  }

  #reached() { return (this.#recording.reached ?? []).filter((item) => item.time <= this.#now); }

  // MARK: Reports

  #rows(name) { return name === 'packets' ? this.#recording.packets : this.#recording.events; }

  /** Tells the watchers what is different now. */
  #report() {
    if (!this.#recording) return;
    const { lesson, parameters, end } = this.#recording;
    const { room, counts } = this.#recording.topicsAt(this.#now);
    this.#set('time', { now: this.#now, end, isRunning: this.#timer !== 0, isSeeking: false, speed: this.#speed, commandsLeft: 50000, textLeft: 4194304 });
    this.#set('room', room);
    this.#set('counts', counts);
    this.#set('lesson', {
      lesson: this.#isOpened ? lesson : null, parameters, run: this.#run, step: this.#step, isShowing: this.#goal !== null,
      reached: this.#isOpened ? this.#reached() : [],
    });
    const ended = (packet) => packet.start + packet.duration <= this.#now;
    this.#advance('packets', ended);
    this.#advance('happened', (event) => event.time <= this.#now);
    this.#set('flight', { packets: this.#recording.flight(this.#now) });
  }

  #set(name, data) {
    const entry = this.#topics.get(name);
    if (!entry) return;
    const text = JSON.stringify(data);
    if (entry.text === text) return;
    entry.text = text;
    // A copy for each: a watcher may keep it.
    for (const watcher of [...entry.watchers]) call(watcher, JSON.parse(text));
  }

  /** Tells the watchers of a stream which rows are new, and which the past moment has no more. */
  #advance(name, isPast) {
    const entry = this.#streams.get(name);
    if (!entry) return;
    const rows = this.#rows(name);
    const next = partition(rows, isPast);
    // A recording that continues another has the same rows until then.
    let kept = Math.min(entry.next, next);
    if (entry.rows !== rows) kept = rows.findIndex((row, index) => index >= kept || row !== entry.rows[index]);
    if (kept < 0) kept = 0;
    const isNew = entry.isNew;
    if (!isNew && entry.rows === rows && next === entry.next) return;
    const batch = { items: rows.slice(kept, next), missed: 0, reset: isNew ? 0 : kept < entry.next ? entry.rows[kept].n : undefined, next };
    Object.assign(entry, { rows, next, isNew: false });
    for (const watcher of [...entry.watchers]) call(watcher, batch);
  }
}

const COMMANDS = {
  'lesson.catalogue': async () => (await catalogue()).catalogue,
  'lesson.project': async (player, { name }) => {
    const { projects } = await catalogue();
    if (!Object.hasOwn(projects, name)) throw UNKNOWN;
    return projects[name];
  },
  'lesson.open': (player, args) => player.open(args),
  'lesson.next': (player, { slowly = true }) => player.next(slowly),
  'lesson.go': (player, { step }) => player.go(step),
  'lesson.packets': (player, { step }) => player.packetsOf(step),
  'lesson.act': (player, { action }) => player.act(action),
  'time.run': (player) => player.run(),
  'time.pause': (player) => player.pause(),
  'time.speed': (player, { speed }) => player.setSpeed(speed),
  'time.seek': (player, { to }) => player.seek(to),
  'time.step': (player) => player.stepPacket(),
  'time.callback': (player) => player.stepCallback(),
  'studio.ping': () => ({}),
};

function call(watcher, value) {
  try { watcher(value); } catch (error) { reportError(error); }
}

/** The number of rows at the beginning that are past. */
function partition(rows, isPast) {
  let low = 0, high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isPast(rows[middle])) low = middle + 1;
    else high = middle;
  }
  return low;
}
