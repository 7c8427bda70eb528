// The device maker: a form and the YAML of `bluelab serve` in step, the octets of the advertisement, and buttons to run the device.

import { fill, h } from '../dom.js';
import { failureText } from '../failures.js';
import { nameElement, plain, spoken } from '../text.js';
import { t } from '../words.js';
import { MakerForm } from './maker-form.js';
import { blank } from './maker-model.js';
import { showLayout } from './maker-strip.js';
import './explorer-words.js';
import { problemText } from './maker-words.js';

const LIMIT = 128 * 1024;
const KEY = 'maker-draft';
/** The most steps back. */
const HISTORY = 30;

/** The draft lives as long as the page, and in the browser's storage. */
let draft = null;
/** Earlier texts, the newest last. */
const history = [];
/** The answers of the server that do not change. */
let library = null;
let names = null;

function load() {
  try {
    const kept = JSON.parse(localStorage.getItem(KEY) ?? 'null');
    if (kept && typeof kept.yaml === 'string' && kept.yaml.length <= LIMIT && kept.tree && typeof kept.tree === 'object') return kept;
  } catch { /* storage may be blocked, or hold something else */ }
  return null;
}

/** The device that the maker clones when it opens next: {explorer, peer}. */
let cloneNext = null;

/** Makes the maker clone a device of an explorer when it opens. */
export function cloneInMaker(explorer, peer) { cloneNext = { explorer, peer }; }

export const maker = {
  name: 'maker',
  mount(place, studio) {
    draft ??= load();
    const isNew = draft === null;
    draft ??= { yaml: '', tree: blank(), device: null };
    // The text that runs in the room, and the one on the adapter.
    if (typeof draft.applied !== 'object') draft.applied = null;
    draft.applied ??= { room: null, adapter: null };
    const view = new View(studio);
    fill(place, view.element);
    view.begin(isNew);
    return () => view.end();
  },
};

class View {
  constructor(studio) {
    this.studio = studio;
    this.ends = [];
    this.number = 0;
    this.room = null;
    this.machine = null;
    this.explorers = new Map();
    this.isValid = false;
    this.form = new MakerForm((isLarge) => this.#formEdited(isLarge));
    this.layout = h('section', { class: 'card maker-air', hidden: true, 'aria-label': t('maker.advertisement') });
    this.text = h('textarea', { class: 'mono', wrap: 'off', spellcheck: 'false', autocapitalize: 'off', 'aria-label': t('maker.text'), 'aria-describedby': 'maker-problems', rows: 24, oninput: () => this.#textEdited(), onscroll: () => { this.lines.scrollTop = this.text.scrollTop; } });
    this.lines = h('pre', { class: 'lines', 'aria-hidden': 'true' });
    this.problems = h('div', { id: 'maker-problems', role: 'status' });
    this.start = h('select', { 'aria-label': t('maker.start'), onchange: () => this.#startFrom() });
    this.clone = h('select', { 'aria-label': t('maker.clone'), onchange: () => this.#clone() });
    this.undo = h('button', { class: 'quiet', hidden: history.length === 0, onclick: () => this.#undo() }, t('maker.undo'));
    this.file = h('input', { type: 'file', accept: '.yaml,.yml,text/yaml', hidden: true, onchange: () => this.#openFile() });
    this.cloned = h('div', { class: 'notice maker-cloned', role: 'status', hidden: true });
    this.runs = h('section', { class: 'card maker-runs', 'aria-label': t('maker.do.run.room') });
    this.element = h('div', { class: 'maker' },
      h('header', {}, h('h2', {}, t('maker.title')), h('p', { class: 'faint' }, t('maker.intro'))),
      h('div', { class: 'toolbar' }, this.start, this.clone, this.file,
        h('button', { onclick: () => this.#replace({ tree: blank() }) }, t('maker.new')),
        h('button', { onclick: () => this.file.click() }, t('maker.open')),
        h('button', { onclick: () => this.#save() }, t('maker.save')), this.undo),
      this.cloned, this.runs, this.layout,
      h('div', { class: 'maker-columns' }, h('section', { 'aria-label': t('maker.form') }, this.form.element),
        h('section', { class: 'maker-text column', 'aria-label': t('maker.text') }, h('h3', {}, t('maker.text')), h('div', { class: 'maker-editor' }, this.lines, this.text), this.problems,
          h('p', { class: 'hint' }, t('maker.text.hint')))));
  }

  begin(isNew) {
    this.form.show(draft.tree);
    this.#showText(draft.yaml);
    this.#drawChoices();
    this.#drawRuns();
    this.ends.push(
      this.studio.onState((state) => { if (state === 'open') this.#connect(isNew).catch(() => {}); }),
      this.studio.topic('maker', (state) => { this.machine = state; this.#drawRuns(); }),
      this.studio.topic('room', (room) => { this.room = room; this.#drawRuns(); }),
      this.studio.topic('time', (time) => { if (this.isRunning !== time.isRunning) { this.isRunning = time.isRunning; this.#drawRuns(); } }),
      this.studio.topic('explorers', (list) => this.#watchExplorers(list ?? [])),
      () => clearTimeout(this.timer), () => clearTimeout(this.keeping));
    addEventListener('pagehide', this.keep);
  }

  end() {
    this.keep();
    removeEventListener('pagehide', this.keep);
    for (const end of [...this.ends, ...[...this.explorers.values()].map((entry) => entry.end)]) end();
  }

  async #connect(isNew) {
    names ??= await this.studio.do('maker.names');
    this.form.setNames(names);
    library ??= (await this.studio.do('maker.library')).profiles;
    this.#drawChoices();
    if (cloneNext) {
      const { explorer, peer } = cloneNext;
      cloneNext = null;
      if (await this.#cloneFrom(explorer, peer)) return;
    }
    if (isNew && !draft.yaml) {
      draft.yaml = library.find((entry) => entry.name === 'heart-rate')?.yaml ?? '';
      this.#showText(draft.yaml);
    }
    if (draft.yaml) await this.#check();
    else await this.#write();
  }

  // The draft

  keep = () => {
    try { localStorage.setItem(KEY, JSON.stringify(draft)); } catch { /* storage may be blocked or full */ }
  };

  #keepSoon() {
    clearTimeout(this.keeping);
    this.keeping = setTimeout(this.keep, 400);
  }

  /** Keeps the present text for a step back. */
  #remember() {
    if (!draft.yaml || history[history.length - 1] === draft.yaml) return;
    history.push(draft.yaml);
    if (history.length > HISTORY) history.shift();
    this.undo.hidden = false;
  }

  /** Replaces the draft by a text or a tree. */
  #replace({ yaml, tree }, isUndo = false) {
    if (!isUndo) this.#remember();
    this.cloned.hidden = true;
    if (yaml === undefined) {
      draft.tree = tree;
      this.form.folds.clear();
      this.form.show(tree);
      this.#write();
    } else {
      draft.yaml = yaml;
      this.form.folds.clear();
      this.#showText(yaml);
      this.#check();
    }
    this.#keepSoon();
  }

  #undo() {
    let yaml = history.pop();
    if (yaml === draft.yaml) yaml = history.pop();
    this.undo.hidden = history.length === 0;
    if (this.undo.hidden) this.text.focus();
    if (yaml !== undefined) this.#replace({ yaml }, true);
  }

  /** `isLarge`: something was added or removed, and not only a field changed. */
  #formEdited(isLarge) {
    if (isLarge) this.#remember();
    draft.tree = this.form.tree;
    this.#askLater(() => this.#write(), 120);
    this.#keepSoon();
  }

  #textEdited() {
    draft.yaml = this.text.value;
    this.#number();
    this.#askLater(() => this.#check(), 200);
    this.#keepSoon();
  }

  /** An edit makes the answer to an earlier question obsolete: it must not replace what the user typed since. */
  #askLater(question, pause) {
    this.number += 1;
    clearTimeout(this.timer);
    this.timer = setTimeout(question, pause);
  }

  /** Asks the server. Returns null if a newer question was asked meanwhile, or nothing answers. */
  async #ask(command, args) {
    clearTimeout(this.timer);
    const number = ++this.number;
    try {
      const report = await this.studio.do(command, args);
      return number === this.number ? report : null;
    } catch (failure) {
      if (number === this.number) fill(this.problems, h('p', { class: 'notice warn' }, failure.code === 'offline' ? t('maker.wait') : failureText(failure)));
      return null;
    }
  }

  /** Writes the form as a text. */
  async #write() {
    const report = await this.#ask('maker.write', { profile: { ...draft.tree, services: draft.tree.services ?? [] } });
    if (!report) return;
    this.isValid = report.problems.length === 0;
    if (report.yaml !== undefined) {
      draft.yaml = report.yaml;
      this.#showText(report.yaml);
    }
    // A problem without a path is one of the text that the form became.
    this.form.update(report.services, report.problems.filter((problem) => problem.path));
    this.#showProblems(report, true);
    if (report.advertisement) showLayout(this.layout, report.advertisement);
    this.#drawRuns();
    this.#keepSoon();
  }

  /** Reads the text into the form. */
  async #check() {
    if (new Blob([draft.yaml]).size > LIMIT) return fill(this.problems, h('p', { class: 'notice bad' }, t('maker.tooLong')));
    const report = await this.#ask('maker.check', { yaml: draft.yaml });
    if (!report) return null;
    this.isValid = report.problems.length === 0;
    if (report.profile) {
      draft.tree = report.profile;
      this.form.show(report.profile, report.services);
      this.form.update(report.services, []);
      showLayout(this.layout, report.advertisement);
    }
    this.#showProblems(report, false);
    this.#drawRuns();
    this.#keepSoon();
    return report;
  }

  // The text

  #showText(yaml) {
    if (this.text.value !== yaml) {
      const { scrollTop } = this.text;
      this.text.value = yaml;
      this.text.scrollTop = scrollTop;
    }
    this.#number();
  }

  #number(bad = new Set()) {
    const count = this.text.value.split('\n').length;
    fill(this.lines, bad.size === 0 ? Array.from({ length: count }, (_, index) => `${index + 1}\n`).join('')
      : Array.from({ length: count }, (_, index) => (bad.has(index + 1) ? h('b', {}, `${index + 1}\n`) : `${index + 1}\n`)));
    this.lines.scrollTop = this.text.scrollTop;
  }

  #showProblems(report, isForm) {
    const { problems, more } = report;
    this.#number(new Set(problems.map((problem) => problem.line)));
    this.text.toggleAttribute('aria-invalid', false);
    if (!isForm && problems.length) this.text.setAttribute('aria-invalid', 'true');
    if (problems.length === 0) return fill(this.problems, h('p', { class: 'good small-text' }, t('maker.valid')));
    return fill(this.problems, h('div', { class: 'notice bad' },
      h('ul', {}, problems.map((problem) => h('li', { dir: 'auto' }, problem.line
        ? h('button', { class: 'small', onclick: () => this.#goTo(problem) }, t('maker.line', problem)) : null,
      problem.path?.length ? h('code', {}, plain(problem.path.join(' / '), 80)) : null, ' ', problemText(problem.text)))),
      more ? h('p', {}, t('maker.more', { n: more })) : null, h('p', {}, t(isForm ? 'maker.form.invalid' : 'maker.invalid'))));
  }

  #goTo({ line, column }) {
    const lines = this.text.value.split('\n');
    const start = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
    // The server counts scalars, and the field UTF-16 units.
    const offset = [...(lines[line - 1] ?? '')].slice(0, column - 1).join('').length;
    this.text.focus();
    this.text.setSelectionRange(start + offset, start + (lines[line - 1]?.length ?? 0));
    this.text.scrollTop = Math.max(0, (line - 5) * (this.text.scrollHeight / lines.length));
  }

  // Files, examples and clones

  #drawChoices() {
    fill(this.start, h('option', { value: '' }, `${t('maker.start')} ${t('maker.start.choose')}`),
      (library ?? []).map(({ name, summary }) => h('option', { value: name, title: summary }, name)));
    const open = [...this.explorers.entries()].flatMap(([id, { devices }]) => devices
      .filter((device) => device.services?.length).map((device) => [JSON.stringify([id, device.id]), plain(device.name ?? device.id)]));
    fill(this.clone, h('option', { value: '' }, `${t('maker.clone')} ${t('maker.clone.choose')}`), open.map(([value, name]) => h('option', { value }, name)));
    this.clone.disabled = open.length === 0;
    this.clone.title = open.length ? '' : t('maker.clone.none');
  }

  #startFrom() {
    const entry = library?.find(({ name }) => name === this.start.value);
    this.start.value = '';
    if (entry) this.#replace({ yaml: entry.yaml });
  }

  async #clone() {
    const value = this.clone.value;
    this.clone.value = '';
    if (!value) return;
    await this.#cloneFrom(...JSON.parse(value));
  }

  /** Replaces the draft by a clone, and says what the clone lacks. Returns whether there is one. */
  async #cloneFrom(explorer, peer) {
    // The advertisement may be unknown: an explorer can open a bonded device without a scan.
    const seen = await this.studio.do('explorer.detail', { explorer, device: peer }).catch(() => null);
    const { data, scanResponse } = seen?.detail ?? {};
    const report = await this.studio.try('maker.clone', { explorer, peer, data: data?.octets, scanResponse: scanResponse?.octets });
    if (!report?.yaml) return false;
    this.#replace({ yaml: report.yaml });
    const { refused = [], omitted = 0 } = report;
    fill(this.cloned, h('p', {}, t('maker.cloned')), refused.length ? h('p', {}, t('maker.clone.refused', { list: [...new Set(refused)].slice(0, 8).join(', ') })) : null,
      omitted ? h('p', {}, t('maker.clone.omitted', { n: omitted })) : null);
    this.cloned.hidden = false;
    return true;
  }

  #watchExplorers(list) {
    const present = new Set(list.map(({ id }) => id));
    for (const [id, { end }] of this.explorers) if (!present.has(id)) { end(); this.explorers.delete(id); }
    for (const id of present) {
      if (this.explorers.has(id)) continue;
      const entry = { devices: [], key: '', end: () => {} };
      this.explorers.set(id, entry);
      entry.end = this.studio.topic(`explorer.${id}.devices`, (devices) => {
        entry.devices = devices ?? [];
        const key = JSON.stringify(entry.devices.map((device) => [device.id, device.name, device.services?.length]));
        if (key !== entry.key) { entry.key = key; this.#drawChoices(); }
      });
    }
    this.#drawChoices();
  }

  async #openFile() {
    const file = this.file.files[0];
    this.file.value = '';
    if (!file) return;
    if (file.size > LIMIT) return this.studio.say(t('maker.tooLong'));
    try {
      this.#replace({ yaml: await file.text() });
    } catch {
      this.studio.say(t('maker.unreadable'));
    }
  }

  #save() {
    const name = (draft.tree.advertising?.name ?? 'device').toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '').slice(0, 40) || 'device';
    const address = URL.createObjectURL(new Blob([draft.yaml], { type: 'application/yaml' }));
    h('a', { href: address, download: `${name}.yaml` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60000);
  }

  // Running

  #device() {
    return this.room?.devices.find((device) => device.id === draft.device && device.program === 'profile');
  }

  #drawRuns() {
    const device = this.#device();
    const machine = this.machine?.adapter;
    const hasAdapter = this.machine?.hasAdapter ?? false;
    const isChanged = (where) => draft.yaml !== draft.applied[where];
    const key = JSON.stringify([device?.name, machine, hasAdapter, isChanged('room'), isChanged('adapter'), this.isValid, this.room === null, this.isRunning, draft.device]);
    if (key === this.runsKey) return;
    this.runsKey = key;
    const isReady = machine?.bluetooth === 'poweredOn' && machine.isAdvertising;
    const focused = this.runs.contains(document.activeElement) ? document.activeElement.dataset.field : undefined;
    const button = (field, click, options = {}) => h('button', { dataset: { field }, onclick: click, ...options }, t(`maker.do.${field.split(':')[0]}`));
    fill(this.runs,
      h('div', { class: 'row' },
        device ? [h('span', { class: 'grow' }, t('maker.inRoom', { name: '\u2063' }).split('\u2063')[0], nameElement(device.name), t('maker.inRoom', { name: '\u2063' }).split('\u2063')[1]),
          button('apply:room', () => this.#apply('room'), { class: 'primary', disabled: !isChanged('room') || !this.isValid }),
          button('explore', () => this.#explore()),
          button('show', () => { this.studio.select?.({ kind: 'device', id: device.id }); this.studio.show('room'); }),
          button('stop:room', () => this.#stopRoom(), { class: 'danger' })]
          : button('run.room', () => this.#runRoom(), { class: 'primary', disabled: !this.isValid || this.room === null }),
        hasAdapter && !machine ? button('run.adapter', () => this.#runAdapter(), { disabled: !this.isValid }) : null),
      device && this.isRunning === false ? h('p', { class: 'hint' }, t('maker.paused')) : null,
      device && !isChanged('room') ? h('p', { class: 'hint' }, t('maker.saved')) : null,
      machine ? h('div', { class: 'column' }, h('div', { class: 'row' }, h('strong', {}, t('maker.onAdapter')),
        machine.name ? nameElement(machine.name) : null,
        h('span', { class: `chip ${isReady ? 'good' : 'warn'}` }, t(isReady ? 'maker.advertises' : 'maker.silent')),
        h('span', { class: 'chip' }, t('maker.subscriptions', { n: machine.subscriptions })), h('span', { class: 'grow' }),
        button('apply:adapter', () => this.#apply('adapter'), { disabled: !isChanged('adapter') || !this.isValid }), button('stop:adapter', () => this.studio.try('maker.stop'), { class: 'danger' })),
      machine.bluetooth === 'poweredOn' ? null : h('p', { class: 'notice warn', role: 'status' }, t(`ex.state.${machine.bluetooth}`)),
      h('ol', { class: 'maker-events small-text' }, machine.events.slice(-8).map((event) => h('li', { class: event.kind === 'error' ? 'bad' : null }, spoken(event.text, 160))))) : null);
    if (focused !== undefined) (this.runs.querySelector(`[data-field="${focused}"]:not(:disabled)`) ?? this.runs.querySelector('button:not(:disabled)'))?.focus();
  }

  async #runRoom() {
    const count = this.room?.devices.length ?? 0;
    const name = draft.tree.advertising?.name;
    const added = await this.studio.try('room.add', { program: 'profile', ...(name ? { name } : {}), x: 2 + (count % 5), y: 2 + Math.floor(count / 5) % 4, profile: draft.yaml });
    if (!added) return;
    draft.device = added.id;
    this.#applied('room');
    this.studio.select?.({ kind: 'device', id: added.id });
  }

  /** Opens the explorer of a phone in the room, which looks at the device. */
  async #explore() {
    const device = this.#device();
    const phone = this.room.devices.find((each) => each.isExplorer && each.isOn)?.id
      ?? (await this.studio.try('room.add', { program: 'explorer', name: t('maker.phone'), x: device.x - 1, y: device.y }))?.id;
    if (!phone) return;
    if (!this.isRunning) await this.studio.try('time.run');
    // A phone that was added just now is ready some milliseconds of virtual time later. The explorer has a button to scan, too.
    for (let tries = 0; tries < 20; tries += 1) {
      try { await this.studio.do('explorer.do', { explorer: phone, action: 'scan', with: {} }); break; } catch { await new Promise((done) => { setTimeout(done, 100); }); }
    }
    this.studio.show('explorer', phone);
  }

  async #runAdapter() {
    if (await this.studio.try('maker.run', { yaml: draft.yaml })) this.#applied('adapter');
  }

  async #apply(where) {
    const yaml = draft.yaml;
    const device = this.#device();
    const done = where === 'room' ? await this.studio.try('room.act', { device: draft.device, action: 'apply', with: { yaml } }) : await this.studio.try('maker.apply', { yaml });
    if (done === null) return;
    const name = draft.tree.advertising?.name;
    if (where === 'room' && name && name !== device?.name) await this.studio.try('room.rename', { device: draft.device, name });
    this.#applied(where, yaml);
    this.studio.say(t('maker.applied'));
  }

  /** `where` is `room` or `adapter`. */
  #applied(where, yaml = draft.yaml) {
    draft.applied[where] = yaml;
    this.#drawRuns();
    this.keep();
  }

  async #stopRoom() {
    if (await this.studio.try('room.remove', { device: draft.device })) draft.device = null;
    this.#drawRuns();
  }
}
