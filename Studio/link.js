// The connection to the server. It opens again by itself, and tells the page when it is lost.

const RETRY = [200, 500, 1000, 2000, 5000];
// The items of a stream that a watcher gets at first, if others already watch the stream.
const KEPT = 2000;
// The time after which a silent connection is checked, and the time for the answer, in milliseconds.
const SILENCE = 15000, ANSWER = 3000;

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

  constructor() {
    this.state = 'connecting';
    this.#open();
    // A laptop that wakes, or a tab that returns, does not wait for the next try.
    addEventListener('online', () => this.#check());
    addEventListener('pageshow', () => this.#check());
    document.addEventListener('resume', () => this.#check());
    document.addEventListener('visibilitychange', () => { if (!document.hidden) this.#check(); });
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

  /** Calls watcher(state) now and after each change: connecting, open, lost, full (too many pages), refused (the link is no longer valid). */
  onState(watcher) {
    this.#states.add(watcher);
    watcher(this.state);
    return () => this.#states.delete(watcher);
  }

  /** Runs a command of the server. The promise fails with {code, text, next}. */
  do(command, args = {}) {
    if (this.state !== 'open') return Promise.reject({ code: 'offline', text: 'The studio does not answer.' });
    const id = ++this.#number;
    this.#socket.send(JSON.stringify({ id, do: command, with: args }));
    return new Promise((resolve, reject) => this.#pending.set(id, { resolve, reject }));
  }

  /** Saves a file of the server. The promise fails with {code, text, next}. */
  async download(name, args = {}) {
    const query = new URLSearchParams(args).toString();
    let answer;
    try {
      answer = await fetch(new URL(`files/${name}${query && `?${query}`}`, location.href));
    } catch {
      throw { code: 'offline', text: 'The studio does not answer.' };
    }
    if (!answer.ok) {
      const text = await answer.text();
      try { throw { code: 'failed', text: `${answer.status}`, ...JSON.parse(text) }; } catch (error) {
        throw error instanceof SyntaxError ? { code: 'failed', text: `${name}: ${answer.status}` } : error;
      }
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
    const address = new URL('socket', location.href);
    address.hash = '';
    address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
    const socket = new WebSocket(address);
    let isUsed = false;
    this.#socket = socket;
    socket.onopen = () => {
      isUsed = true;
      this.#heard = Date.now();
      // A server with too many pages closes the connection at once.
      if (this.state !== 'full') this.#setState('open');
      else socket.send(JSON.stringify({ id: ++this.#number, do: 'studio.ping', with: {} }));
      this.#sendWatch();
    };
    socket.onmessage = (event) => {
      this.#tries = 0;
      this.#heard = Date.now();
      this.#setState('open');
      this.#receive(JSON.parse(event.data));
    };
    socket.onclose = (event) => { if (socket === this.#socket) this.#closed(event.code, isUsed); };
  }

  #closed(code, isUsed) {
    for (const { reject } of this.#pending.values()) reject({ code: 'offline', text: 'The studio does not answer.' });
    this.#pending.clear();
    this.#setState(code === 1013 ? 'full' : 'lost');
    if (!isUsed) this.#askWhy();
    const delay = RETRY[Math.min(this.#tries++, RETRY.length - 1)];
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#open(), delay);
  }

  /** A browser does not tell why a WebSocket was refused. */
  async #askWhy() {
    try {
      const answer = await fetch(new URL('icon.svg', location.href));
      if (answer.status === 403 && this.state !== 'open') this.#setState('refused');
    } catch { /* the studio does not run */ }
  }

  /** Opens the connection again now if it is closed, and tests one that has been silent. */
  #check() {
    if (this.#socket.readyState === WebSocket.CLOSED) {
      clearTimeout(this.#timer);
      this.#open();
    } else if (this.state === 'open' && Date.now() - this.#heard > SILENCE) {
      const socket = this.#socket;
      this.do('studio.ping').catch(() => {});
      setTimeout(() => {
        if (socket !== this.#socket || Date.now() - this.#heard < ANSWER) return;
        // The computer slept so long that the other side has given up.
        this.#socket = { readyState: WebSocket.CLOSED };
        socket.close();
        this.#closed(1006, true);
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
    if (message.failed) pending.reject(message.failed);
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
