// The connection to the server. It opens again by itself, and tells the page when it is lost.

const RETRY = [200, 500, 1000, 2000, 5000];

export class Link {
  #socket = null;
  #tries = 0;
  #timer = 0;
  #number = 0;
  #pending = new Map();
  #topics = new Map();   // name: {watchers: Set, data}
  #streams = new Map();  // name: {watchers: Set}
  #states = new Set();

  constructor() {
    this.state = 'connecting';
    this.#open();
    // A laptop that wakes, or a tab that returns, does not wait for the next try.
    addEventListener('online', () => this.#retryNow());
    document.addEventListener('visibilitychange', () => { if (!document.hidden) this.#retryNow(); });
  }

  /** Calls watcher(data) now if the topic is known, and after each change. Returns a function that ends this. */
  topic(name, watcher) {
    return this.#add(this.#topics, name, watcher, (entry) => { if (entry.data !== undefined) watcher(entry.data); });
  }

  /** Calls watcher({items, missed, reset, next}) with new items. */
  stream(name, watcher) { return this.#add(this.#streams, name, watcher, () => {}); }

  /** Calls watcher(state) now and after each change: connecting, open, lost, refused. */
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

  #add(map, name, watcher, present) {
    let entry = map.get(name);
    if (!entry) {
      entry = { watchers: new Set(), data: undefined };
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
      if (this.state === 'open') this.#sendWatch();
    });
  }

  // A view that is built again, for example in another language, finds its topics as they were.
  #sendWatch() {
    for (const map of [this.#topics, this.#streams]) {
      for (const [name, entry] of map) if (entry.watchers.size === 0) map.delete(name);
    }
    this.#socket.send(JSON.stringify({ watch: [...this.#topics.keys(), ...this.#streams.keys()] }));
  }

  #setState(state) {
    if (this.state === state) return;
    this.state = state;
    for (const watcher of this.#states) watcher(state);
  }

  #open() {
    const address = new URL('socket', location.href);
    address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
    const socket = new WebSocket(address);
    this.#socket = socket;
    socket.onopen = () => {
      this.#tries = 0;
      this.#setState('open');
      // The server sends each stream from its beginning to a new connection.
      if (this.#wasOpen) this.#resetStreams();
      this.#wasOpen = true;
      this.#sendWatch();
    };
    socket.onmessage = (event) => this.#receive(JSON.parse(event.data));
    socket.onclose = () => this.#closed();
  }

  #wasOpen = false;
  #resetStreams() {
    for (const entry of this.#streams.values()) {
      for (const watcher of entry.watchers) watcher({ items: [], missed: 0, reset: 0, next: 0 });
    }
  }

  #closed() {
    for (const { reject } of this.#pending.values()) reject({ code: 'offline', text: 'The studio does not answer.' });
    this.#pending.clear();
    this.#setState('lost');
    const delay = RETRY[Math.min(this.#tries++, RETRY.length - 1)];
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#open(), delay);
  }

  #retryNow() {
    if (this.#socket.readyState !== WebSocket.CLOSED) return;
    clearTimeout(this.#timer);
    this.#open();
  }

  #receive(message) {
    if (message.push) {
      for (const push of message.push) this.#push(push);
      this.#socket.send(JSON.stringify({ ack: message.update }));
      return;
    }
    const pending = this.#pending.get(message.re);
    if (!pending) return;
    this.#pending.delete(message.re);
    if (message.failed) pending.reject(message.failed);
    else pending.resolve(message.ok);
  }

  #push(push) {
    if (push.topic !== undefined) {
      const entry = this.#topics.get(push.topic);
      if (!entry) return;
      entry.data = push.data;
      for (const watcher of entry.watchers) watcher(push.data);
    } else {
      const entry = this.#streams.get(push.stream);
      if (!entry) return;
      const batch = { items: push.data, missed: push.missed, reset: push.reset, next: push.next };
      for (const watcher of entry.watchers) watcher(batch);
    }
  }
}
