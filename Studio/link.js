// The connection to the server. It opens again by itself, and tells the page when it is lost.
//
// The first connection shows the token of the link, and receives the page's key. Each later one goes to whatever listens at the address, so it shows
// nothing: both sides prove that they have the key (proof.js), and then the page learns the token of the server's present run.

import { Proof, importKey } from './proof.js';

import { OFFLINE } from './failures.js';

const RETRY = [200, 500, 1000, 2000, 5000];
// The items of a stream that a watcher gets at first, if others already watch the stream.
const KEPT = 2000;
// The time after which a silent connection is checked, and the time for the answer, in milliseconds.
const SILENCE = 15000, ANSWER = 5000;
// The time for a new connection until the server has let the page in, in milliseconds.
const OPENING = 10000;

export class Link {
  #socket = null;
  #tries = 0;
  #timer = 0;
  #number = 0;
  #heard = 0;
  #pending = new Map();
  #topics = new Map();   // name: {watchers: Set, data}
  #streams = new Map();  // name: {watchers: Set, items, dropped, next}
  #states = new Set();
  #token = location.pathname.split('/')[1];
  /** Null before the first connection. */
  #key = null;
  /** Whether the server has let the page in, and cannot recognise it again. */
  #isLast = false;

  constructor() {
    this.state = 'connecting';
    this.#open();
    // An earlier entry of the history may have the token of an earlier run.
    addEventListener('popstate', () => this.#showToken());
    // A laptop that wakes, or a tab that returns, does not wait for the next try.
    addEventListener('online', () => this.#check());
    addEventListener('pageshow', () => this.#check());
    document.addEventListener('resume', () => this.#check());
    document.addEventListener('visibilitychange', () => { if (!document.hidden) this.#check(); });
    // A server that disappears without a word, such as one behind a cable that is pulled, sends no event.
    setInterval(() => this.#check(), SILENCE);
  }

  /** Calls watcher(data) now if the topic is known, and after each change. Returns a function that ends this. */
  topic(name, watcher) {
    return this.#add(this.#topics, name, { data: undefined }, watcher, (entry) => { if (entry.data !== undefined) watcher(entry.data); });
  }

  /**
   * Calls watcher({items, missed, reset, next}) with new items. `reset` is the first item that the watcher drops, or undefined. The first batch
   * has reset 0, also after the connection was lost.
   */
  stream(name, watcher) {
    return this.#add(this.#streams, name, { items: [], dropped: 0, next: undefined }, watcher, (entry) => {
      if (entry.next !== undefined) watcher({ items: [...entry.items], missed: entry.dropped, reset: 0, next: entry.next });
    });
  }

  /**
   * Calls watcher(state) now and after each change: connecting, open, lost, full (too many pages), refused (the link is no longer valid, or another
   * program has the address), cut (lost, and the page cannot connect again by itself).
   */
  onState(watcher) {
    this.#states.add(watcher);
    watcher(this.state);
    return () => this.#states.delete(watcher);
  }

  /** Runs a command of the server. The promise fails with {code, text, next, command}; see `failures.js`. */
  do(command, args = {}) {
    if (this.state !== 'open') return Promise.reject({ ...OFFLINE, command });
    const id = ++this.#number;
    this.#socket.send(JSON.stringify({ id, do: command, with: args }));
    return new Promise((resolve, reject) => this.#pending.set(id, { command, resolve, reject }));
  }

  /** Saves a file of the server. The promise fails as that of `do`, with the name of the file as `command`. */
  async download(name, args = {}) {
    if (this.state !== 'open') throw { ...OFFLINE, command: name };
    const query = new URLSearchParams(args).toString();
    let answer;
    try {
      answer = await fetch(new URL(`/${this.#token}/files/${name}${query && `?${query}`}`, location.href));
    } catch {
      throw { ...OFFLINE, command: name };
    }
    if (!answer.ok) {
      const text = await answer.text();
      const failure = { code: 'failed', text: `HTTP ${answer.status}`, command: name };
      try { Object.assign(failure, JSON.parse(text)); } catch { /* not an answer of the studio */ }
      throw failure;
    }
    const address = URL.createObjectURL(await answer.blob());
    const anchor = document.createElement('a');
    anchor.href = address;
    anchor.download = /filename="([^"]+)"/.exec(answer.headers.get('content-disposition') ?? '')?.[1] ?? name;
    anchor.click();
    setTimeout(() => URL.revokeObjectURL(address), 60000);
  }

  #add(map, name, empty, watcher, present) {
    let entry = map.get(name);
    if (!entry) {
      entry = { watchers: new Set(), ...empty };
      map.set(name, entry);
      this.#watchSoon();
    }
    entry.watchers.add(watcher);
    present(entry);
    return () => {
      entry.watchers.delete(watcher);
      if (entry.watchers.size === 0) this.#watchSoon();
    };
  }

  #isWatchDue = false;
  #watchSoon() {
    if (this.#isWatchDue) return;
    this.#isWatchDue = true;
    queueMicrotask(() => {
      this.#isWatchDue = false;
      // Not earlier: a view that is built again at once, for example in another language, finds its topics as they were.
      for (const map of [this.#topics, this.#streams]) {
        for (const [name, entry] of map) if (entry.watchers.size === 0) map.delete(name);
      }
      if (this.state === 'open') this.#sendWatch();
    });
  }

  #sendWatch() {
    this.#socket.send(JSON.stringify({ watch: [...this.#topics.keys(), ...this.#streams.keys()] }));
  }

  #setState(state) {
    if (this.state === state) return;
    this.state = state;
    for (const watcher of [...this.#states]) watcher(state);
  }

  #open() {
    const proof = this.#key && new Proof(this.#key);
    const address = new URL(proof ? '/again' : `/${this.#token}/socket`, location.href);
    address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
    const socket = new WebSocket(address);
    this.#socket = socket;
    // A computer that went away answers nothing, not even that.
    const limit = setTimeout(() => this.#give(socket), OPENING);
    // A server that has proven nothing says nothing that counts.
    let isProven = !proof, isIn = false;
    if (proof) socket.onopen = () => socket.send(JSON.stringify(proof.start));
    socket.onmessage = async (event) => {
      if (socket !== this.#socket) return;
      this.#heard = Date.now();
      if (isIn) return this.#receive(JSON.parse(event.data));
      const message = JSON.parse(event.data);
      if (isProven && message.session) {
        isIn = true;
        clearTimeout(limit);
        return this.#enter(socket, message.session);
      }
      const answer = isProven ? null : await proof.answer(message).catch(() => null);
      isProven = answer !== null;
      if (!isProven) this.#give(socket, 'refused');
      else if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(answer));
    };
    socket.onclose = (event) => {
      clearTimeout(limit);
      if (socket === this.#socket) this.#closed(event.code === 1013 ? 'full' : 'lost');
    };
  }

  /** The server has let the page in. */
  async #enter(socket, { token, key }) {
    this.#tries = 0;
    this.#token = token;
    this.#isLast = !key;
    this.#showToken();
    if (key) this.#key = await importKey(key);
    if (socket !== this.#socket) return;
    this.#setState('open');
    this.#sendWatch();
  }

  /** Shows the token of the server's present run in the address, so that the page can be loaded again. */
  #showToken() {
    if (location.pathname.split('/')[1] === this.#token) return;
    history.replaceState(history.state, '', `/${this.#token}/${location.search}${location.hash}`);
  }

  /** Ends a connection whose other side does not answer as it should, without waiting for its agreement. */
  #give(socket, state = 'lost') {
    if (socket !== this.#socket) return;
    this.#socket = { readyState: WebSocket.CLOSED };
    socket.close();
    this.#closed(state);
  }

  #closed(state) {
    for (const { command, reject } of this.#pending.values()) reject({ ...OFFLINE, command });
    this.#pending.clear();
    clearTimeout(this.#timer);
    if (this.#isLast) return this.#setState('cut');
    this.#setState(state === 'lost' && this.state === 'refused' ? 'refused' : state);
    this.#timer = setTimeout(() => this.#open(), RETRY[Math.min(this.#tries++, RETRY.length - 1)]);
  }

  /** Opens the connection again now if it is closed, and tests one that has been silent. */
  #check() {
    if (this.#socket.readyState === WebSocket.CLOSED) {
      clearTimeout(this.#timer);
      if (!this.#isLast) this.#open();
    } else if (this.state === 'open' && Date.now() - this.#heard > SILENCE) {
      const socket = this.#socket, asked = Date.now();
      this.do('studio.ping').catch(() => {});
      setTimeout(() => {
        // A page that slept since has not read the answer yet.
        if (Date.now() - asked > 2 * ANSWER) this.#check();
        // The computer slept so long that the other side has given up.
        else if (this.#heard < asked) this.#give(socket);
      }, ANSWER);
    }
  }

  #receive(message) {
    if (message.push) {
      try {
        for (const push of message.push) this.#push(push);
      } finally {
        // A part that fails does not stop the updates of the others.
        if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify({ ack: message.update }));
      }
      return;
    }
    const pending = this.#pending.get(message.re);
    if (!pending) return;
    this.#pending.delete(message.re);
    if (message.failed) pending.reject({ ...message.failed, command: pending.command });
    else pending.resolve(message.ok);
  }

  #push(push) {
    const entry = (push.topic !== undefined ? this.#topics : this.#streams).get(push.topic ?? push.stream);
    if (!entry) return;
    if (push.topic !== undefined) {
      entry.data = push.data;
      this.#call(entry, push.data);
    } else {
      const batch = { items: push.data, missed: push.missed, reset: push.reset, next: push.next };
      keep(entry, batch);
      this.#call(entry, batch);
    }
  }

  #call(entry, value) {
    for (const watcher of [...entry.watchers]) {
      try { watcher(value); } catch (error) { reportError(error); }
    }
  }
}

/** Keeps the last items of a stream for watchers that come later. */
function keep(entry, batch) {
  if (batch.reset !== undefined) {
    // Items without a number are kept by their position.
    const first = (entry.next ?? 0) - entry.items.length;
    entry.items = entry.items.filter((item, index) => (item?.n ?? first + index) < batch.reset);
    if (batch.reset === 0) entry.dropped = 0;
  }
  entry.items.push(...batch.items);
  entry.dropped += batch.missed ?? 0;
  entry.next = batch.next;
  if (entry.items.length > 2 * KEPT) {
    entry.dropped += entry.items.length - KEPT;
    entry.items = entry.items.slice(-KEPT);
  }
}
