// The lesson: tours of the two programs, cells to try, and a scene for each of the fourteen questions.

import { fill, h, keyed } from '../dom.js';
import { plain } from '../text.js';
import { pick, t } from '../words.js';
import './lesson-words.js';
import { central } from './lesson-words-central.js';
import { peripheral } from './lesson-words-peripheral.js';
import { scenes as words } from './lesson-words-scenes.js';
import { codeBlock, codeOf } from './lesson-code.js';
import { showProjects } from './lesson-copy.js';
import { HeardList } from './lesson-heard.js';
import { StepView } from './lesson-step.js';

const TOURS = { 'tour-central': central, 'tour-peripheral': peripheral };

const seconds = (time) => t('lesson.time', { s: (time / 1e9).toFixed(3) });
const isStill = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

/** The scenes with their steps, settings and source, which the server gives once. */
let catalogue = null;
const sources = new Map();

export const lesson = {
  name: 'lesson',
  mount(place, studio) { return new LessonView(place, studio).end; },
};

class LessonView {
  #state = null;
  #ends = [];
  #shown = null;
  #page = null;
  #opening = null;

  constructor(place, studio) {
    this.place = place;
    this.studio = studio;
    this.wanted = studio.argument?.() ?? '';
    place.classList.add('lesson');
    this.#ends.push(
      studio.onState((state) => { if (state === 'open') this.#load(); }),
      studio.topic('lesson', (state) => { this.#state = state; this.#update(); }),
      studio.store.watch('room', () => this.#page?.room?.()),
      studio.store.watch('time', () => this.#page?.time?.()),
      studio.store.watch('flight', () => this.#page?.flight?.()),
      studio.store.events.watch(() => this.#page?.happened?.()));
    const keys = (event) => this.#key(event);
    place.addEventListener('keydown', keys);
    this.#ends.push(() => { place.removeEventListener('keydown', keys); place.classList.remove('lesson'); });
    this.end = () => { for (const end of this.#ends) end(); this.#page?.end?.(); };
  }

  async #load() {
    try {
      catalogue ??= (await this.studio.do('lesson.catalogue')).scenes;
      this.#update();
    } catch { /* The connection ended; the next one loads it. */ }
  }

  get #time() { return this.studio.store.time; }
  get #devices() { return this.studio.store.room?.devices ?? []; }

  #name(id) { return plain(this.#devices.find((device) => device.id === id)?.name ?? id, 24); }

  /** Runs a command, and says why it failed. */
  #do = async (command, args) => {
    try {
      return await this.studio.do(command, args);
    } catch (failure) {
      this.studio.failed(failure);
      return undefined;
    }
  };

  #scene(id) { return catalogue?.find((scene) => scene.id === id) ?? null; }

  /** Opens a lesson: from the list, or because the address names it. Returns whether it is open. */
  #open = async (id, parameters = {}) => {
    this.#opening = id;
    this.#go(id);
    const isOpen = await this.#do('lesson.open', { lesson: id, parameters }) !== undefined;
    if (!isOpen || this.#state?.lesson === id) this.#opening = null;
    this.#update();
    return isOpen;
  };

  /** The address changes without a new view. */
  #go(id) {
    this.wanted = id;
    history.replaceState(null, '', `#lesson/${id}`);
  }

  #update() {
    if (!catalogue || !this.#state) return;
    if (this.#opening !== null) {
      // The room still has the scene before.
      if (this.#state.lesson !== this.#opening) return;
      this.#opening = null;
    }
    if (this.#shown === null && this.#scene(this.wanted) && this.#state.lesson !== this.wanted) {
      this.#open(this.wanted);
      return;
    }
    const scene = this.wanted === 'all' ? null : this.#scene(this.#state.lesson);
    const name = scene ? `${scene.id}/${this.#state.run}` : 'all';
    if (this.#shown !== name) {
      this.#shown = name;
      this.#page?.end?.();
      this.#page = scene === null ? this.#list() : scene.steps ? this.#tour(scene) : this.#sceneView(scene);
      fill(this.place, this.#page.element);
      this.place.scrollTop = 0;
      document.body.dataset.scene = scene?.id ?? '';
    }
    this.#page.update?.();
  }

  #key(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest('input, select, textarea, pre')) return;
    if (event.key === 'ArrowRight') this.#page?.next?.();
    else if (event.key === 'ArrowLeft') this.#page?.back?.();
    else return;
    event.preventDefault();
  }

  // MARK: The list of all lessons

  #list() {
    const group = (title, prefix) => h('section', {}, h('h3', {}, t(title)), h('ul', { class: 'lesson-list' },
      catalogue.filter((scene) => scene.id.startsWith(prefix)).map((scene) => h('li', {},
        h('button', { dataset: { lesson: scene.id }, onclick: () => this.#open(scene.id) },
          h('b', {}, this.#title(scene.id)), h('span', { class: 'faint' }, pick(words[scene.id]).text))))));
    return {
      element: h('div', { class: 'lesson-all' },
        h('h2', {}, t('lesson.heading')), h('p', {}, t('lesson.intro')),
        h('p', {}, h('button', { class: 'primary', onclick: () => this.#open('tour-central') }, t('lesson.begin'))),
        group('lesson.tours', 'tour-'), group('lesson.cells', 'try-'), group('lesson.questions', 'q')),
    };
  }

  #title(id) {
    const title = pick(words[id]).title;
    return /^q\d/.test(id) ? `${id.slice(1)}. ${title}` : title;
  }

  #head(scene) {
    return [
      h('p', { class: 'lesson-way' },
        h('button', { onclick: () => { this.#go('all'); this.#update(); } }, `‹ ${t('lesson.all')}`),
        h('button', { onclick: () => this.studio.show('room') }, t('lesson.room')),
        h('button', { onclick: () => this.studio.show('packets') }, t('lesson.packets'))),
      h('h2', {}, this.#title(scene.id)),
    ];
  }

  // MARK: A tour

  #tour(scene) {
    const texts = TOURS[scene.id];
    const count = scene.steps.length;
    const airs = new Map();
    const name = (id) => this.#name(id);
    const numbers = h('ol', { class: 'lesson-steps', 'aria-label': t('lesson.steps') }, scene.steps.map((step) =>
      h('li', {}, h('button', {
        dataset: { step: step.number }, class: step.kind, title: pick(texts[step.number]).title,
        'aria-label': t('lesson.step', { n: step.number, title: pick(texts[step.number]).title }), onclick: () => go(step.number),
      }, String(step.number)))));
    // Below the step: all steps by their names, and the whole program with the lines of the step.
    const list = h('ol', { class: 'lesson-names list' }, scene.steps.map((step) => h('li', {}, h('button', { class: 'item', dataset: { name: step.number }, onclick: () => go(step.number) },
      h('span', { class: 'number faint' }, String(step.number)), h('span', {}, pick(texts[step.number]).title)))));
    const code = codeOf(scene.sources[0].program);
    this.#source(scene.sources[0].program).then((text) => { code.show(text); code.mark(scene.steps[this.#state.step - 1]?.source.text); });
    const more = h('div', { class: 'lesson-more' },
      h('section', { 'aria-label': t('lesson.steps') }, h('h3', {}, t('lesson.steps')), list), h('section', { 'aria-label': t('lesson.code') }, h('h3', {}, t('lesson.code')), code.element));
    const heading = h('h3', { class: 'lesson-title', 'aria-live': 'polite' });
    const air = h('p', { class: 'lesson-air mono', 'aria-hidden': 'true' });
    const body = h('div', {});
    const back = h('button', { onclick: () => moveBack() }, t('lesson.back'));
    const next = h('button', { class: 'primary', onclick: () => moveOn() });
    const after = h('div', { class: 'lesson-after' });
    let view = null;
    let shown = -1;

    const step = () => this.#state.step;
    // The step that the page has asked for and the server has not reported yet: two quick keys are two steps.
    let asked = null;
    const go = async (number) => {
      asked = number;
      if (await this.#do('lesson.go', { step: number }) === undefined) asked = null;
    };
    const moveOn = () => asked !== null ? go(Math.min(asked + 1, count)) : this.#do('lesson.next', { slowly: !isStill() });
    const moveBack = () => { if ((asked ?? step()) > 0) go((asked ?? step()) - 1); };

    // Equal runs have equal packets, so what is complete is kept.
    const loadAir = async (number) => {
      const key = `${number}/${this.#state.reached.find((item) => item.step === number)?.time}`;
      if (!airs.has(key)) {
        const found = await this.#do('lesson.packets', { step: number });
        if (!found) return null;
        airs.set(key, found);
      }
      return airs.get(key);
    };

    const showAir = async () => {
      const number = step();
      const current = view;
      if (!current || this.#state.isShowing) return;
      current.setAir('waiting');
      const found = await loadAir(number);
      if (view === current) current.setAir(found);
    };

    let wasShowing = false;
    const update = () => {
      const { isShowing, reached } = this.#state;
      const number = step();
      if (asked === number) asked = null;
      for (const button of [...numbers.querySelectorAll('button'), ...list.querySelectorAll('button')]) {
        const own = Number(button.dataset.step ?? button.dataset.name);
        button.classList.toggle('reached', reached.some((item) => item.step === own));
        if (own === number) button.setAttribute('aria-current', 'step');
        else button.removeAttribute('aria-current');
      }
      back.disabled = number === 0;
      next.disabled = number === count && !isShowing;
      next.textContent = t(isShowing ? 'lesson.skip' : number === 0 ? 'lesson.first' : 'lesson.next');
      if (shown !== number) {
        shown = number;
        code.mark(scene.steps[number - 1]?.source.text);
        list.scrollTop = Math.max(0, (list.querySelector(`[data-name="${number}"]`)?.offsetTop ?? 0) - 60);
        if (number === 0) {
          view = null;
          fill(heading, t('lesson.step', { n: 1, title: pick(texts[1]).title }));
          fill(body, h('p', {}, pick(words[scene.id]).text));
        } else {
          const item = scene.steps[number - 1];
          fill(heading, t('lesson.step', { n: number, title: pick(texts[number]).title }));
          view = new StepView(item, { marks: texts[number].marks, en: texts[number].en, zh: texts[number].zh }, null, name);
          fill(body, view.element);
          if (isShowing) view.setAir('waiting');
          else showAir();
        }
        fill(after, number === count ? this.#afterTour(scene) : []);
      }
      view?.setReport(reached.find((item) => item.step === number)?.text ?? null);
      if (wasShowing && !isShowing) showAir();
      wasShowing = isShowing;
      flight();
    };

    const flight = () => {
      const packet = this.#state.isShowing ? this.studio.store.flight.findLast((item) => item.name !== 'LL empty') : null;
      fill(air, h('span', { class: 'faint' }, `${seconds(this.#time.now)}  `),
        packet ? h('span', { class: `layer-${packet.layer}` }, `${name(packet.sender)} → ${packet.name}`) : '');
    };

    return {
      element: h('div', {}, this.#head(scene), numbers, heading, air,
        h('p', { class: 'lesson-moves' }, back, next,
          h('button', { onclick: () => this.#showWhole(scene.sources[0].program) }, t('lesson.whole'))),
        body, after, more),
      update, flight, time: flight, next: moveOn, back: moveBack, room: () => {},
    };
  }

  #afterTour(scene) {
    const other = scene.id === 'tour-central' ? 'tour-peripheral' : 'tour-central';
    return [
      h('h3', {}, t('lesson.after')), h('p', {}, t('lesson.end')),
      h('p', {}, h('button', { onclick: () => this.#open(other) }, pick(words[other]).title), ' ',
        h('button', { onclick: () => this.#open('try-drop') }, t('lesson.drop'))),
      h('p', {}, h('button', { onclick: () => this.#showWhole(scene.sources[0].program) }, t('lesson.whole'))),
    ];
  }

  /** The source of a whole program, which the server gives once. */
  async #source(name) {
    if (!sources.has(name)) {
      const project = await this.#do('lesson.project', { name });
      if (project) sources.set(name, project.files.find((file) => file.name.endsWith('main.swift')).text);
    }
    return sources.get(name) ?? '';
  }

  async #showWhole(name) {
    const [short, full] = await Promise.all(['Pulse', name].map((each) => this.#do('lesson.project', { name: each })));
    if (short && full) showProjects(short, full);
  }

  // MARK: A scene

  #sceneView(scene) {
    const text = pick(words[scene.id]);
    const run = h('button', { class: 'primary' });
    const heard = new HeardList(this.studio, (id) => this.#name(id), seconds);
    const silence = h('p', { class: 'faint' });
    const devices = h('ul', { class: 'lesson-devices', 'aria-label': t('app.devices') });
    const begin = async (parameters) => {
      if (await this.#open(scene.id, { ...this.#state.parameters, ...parameters })) await start();
    };
    // A scene takes seconds: at the speed of a tour it would take hours.
    const start = async () => {
      if (this.#time.speed > 0 && this.#time.speed < 1) await this.#do('time.speed', { speed: 1 });
      await this.#do('time.run');
    };
    run.onclick = () => (this.#time.isRunning ? this.#do('time.pause') : start());

    const time = () => { run.textContent = t(this.#time.isRunning ? 'lesson.pause' : 'lesson.run'); };
    const room = () => keyed(devices, this.#devices, (device) => device.id,
      () => h('li', {}, h('b', { dir: 'auto' }), ' ', h('span', { class: 'faint' })),
      (item, device) => {
        item.firstChild.textContent = plain(device.name);
        item.lastChild.textContent = t(`lesson.state.${device.isOn ? device.state : 'off'}`);
      });
    const happened = () => {
      heard.draw();
      silence.hidden = !heard.element.hidden;
      silence.textContent = t(this.#time.now > 0 ? 'lesson.quiet' : 'lesson.silence');
    };
    const element = h('div', {}, this.#head(scene), h('p', {}, text.text),
      scene.choices.map((choice) => this.#choice(choice, text.choices[choice.name], begin)),
      h('p', { class: 'lesson-moves' }, run, h('button', { onclick: () => begin({}) }, t('lesson.again'))),
      scene.actions.length === 0 ? null : h('section', {}, h('h3', {}, t('lesson.doIt')), h('p', { class: 'lesson-moves' }, scene.actions.map((action) =>
        h('button', { dataset: { action }, onclick: () => this.#do('lesson.act', { action }) }, text.actions[action])))),
      scene.id === 'q11' ? h('p', {}, h('button', { onclick: () => this.studio.show('explorer') }, t('lesson.explorer'))) : null,
      devices,
      h('section', {}, h('h3', {}, t('lesson.heard')), heard.element, silence),
      h('section', {}, h('h3', {}, t('lesson.look')), h('p', {}, text.look), h('h3', {}, t('lesson.now')), h('p', {}, text.next)),
      h('section', {}, h('h3', {}, t('lesson.code')), scene.sources.filter((source) => source.part).map((source) =>
        codeBlock(source.part, () => this.#showWhole(source.program), this.studio))));
    time();
    room();
    happened();
    return { element, time: () => { time(); if (heard.element.hidden) happened(); }, room, happened, end: () => heard.end() };
  }

  #choice(choice, labels, begin) {
    const chosen = this.#state.parameters?.[choice.name] ?? choice.values[0];
    const all = choice.values.some((value) => String(value) === String(chosen)) ? choice.values : [...choice.values, chosen];
    const select = h('select', { dataset: { choice: choice.name }, onchange: () => begin({ [choice.name]: all[select.selectedIndex] }) },
      all.map((value) => h('option', { value: String(value), selected: String(value) === String(chosen) }, labels[String(value)] ?? String(value))));
    const { limits } = choice;
    const label = limits ? t('lesson.number', { from: limits[0], to: limits[1] }) : t('lesson.other');
    const other = limits ? h('input', { type: 'number', min: limits[0], max: limits[1], step: choice.isWhole ? 1 : 'any', size: '10', 'aria-label': label, placeholder: label, class: 'lesson-number' })
      : choice.isText ? h('input', { type: 'text', maxlength: '36', size: '16', 'aria-label': label, placeholder: label }) : null;
    const value = () => (limits ? Number(other.value) : other.value.trim());
    return h('form', { class: 'lesson-moves', onsubmit: (event) => { event.preventDefault(); if (other?.value.trim()) begin({ [choice.name]: value() }); } },
      h('label', {}, `${labels['']} `, select), other, other ? h('button', {}, t('lesson.use')) : null);
  }
}
