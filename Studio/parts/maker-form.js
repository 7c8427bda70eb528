// The form of a profile. It edits the tree in place; the server checks the tree, and its problems appear at the fields of their paths.

import { fill, h, s } from '../dom.js';
import { FORMATS, formatExample, formatOptions } from '../formats.js';
import { plain } from '../text.js';
import { t } from '../words.js';
import * as model from './maker-model.js';
import { problemText } from './maker-words.js';

export class MakerForm {
  /** edited(isLarge) is called after each change of the tree; isLarge if the form itself has other fields now. */
  constructor(edited) {
    this.edited = edited;
    this.tree = model.blank();
    this.services = [];
    this.folds = new Map();
    this.lists = h('div', { hidden: true });
    this.body = h('div', { class: 'column' });
    this.element = h('div', { class: 'maker-form', dataset: { path: '' } }, this.lists, this.body);
  }

  /** The names of the SIG, for suggestions: {services, characteristics, descriptors} with [UUID, name] pairs. */
  setNames(names) {
    this.names = names;
    fill(this.lists, Object.entries(names).map(([table, entries]) => h('datalist', { id: `maker-${table}` },
      entries.map(([uuid, name]) => h('option', { value: name }, uuid)))));
  }

  /** Shows another tree. */
  show(tree, services = []) {
    this.tree = tree;
    this.services = services;
    this.draw();
  }

  /** Shows what the server says about the present tree. Keeps the fields. */
  update(services, problems) {
    if (services.length) this.services = services;
    for (const refresh of this.refreshers) refresh();
    for (const place of this.element.querySelectorAll('.error')) { place.hidden = true; place.textContent = ''; }
    for (const field of this.element.querySelectorAll('[aria-invalid]')) field.removeAttribute('aria-invalid');
    for (const problem of problems) this.#mark(problem);
  }

  #mark({ path, text }) {
    // The problem of a missing key belongs to its field.
    const key = /^expected the key "([\w-]+)"/.exec(text)?.[1];
    if (key) path = [...path, key];
    for (let length = path.length; length >= 0; length -= 1) {
      const place = this.element.querySelector(`[data-path="${CSS.escape(path.slice(0, length).join('/'))}"]`);
      if (!place) continue;
      const error = place.querySelector(':scope > .error') ?? place.appendChild(h('p', { class: 'error' }));
      error.hidden = false;
      error.textContent = [error.textContent, problemText(text)].filter(Boolean).join(' ');
      place.querySelector(':scope > input, :scope > select, :scope > .row > input')?.setAttribute('aria-invalid', 'true');
      for (let fold = place.closest('details'); fold; fold = fold.parentElement.closest('details')) fold.open = true;
      return;
    }
  }

  // The parts of the form

  draw() {
    const focused = this.element.contains(document.activeElement) ? document.activeElement : null;
    const [key, start, end] = [focused?.dataset.field, focused?.selectionStart, focused?.selectionEnd];
    this.refreshers = [];
    fill(this.body, this.#device(), this.#services());
    for (const refresh of this.refreshers) refresh();
    if (key === undefined) return;
    const again = this.element.querySelector(`[data-field="${CSS.escape(key)}"]`);
    again?.focus();
    if (again?.type === 'text' && start !== null) again.setSelectionRange(start, end);
  }

  #set(path, value, redraws = false) {
    model.write(this.tree, path, value);
    this.#changed(redraws);
  }

  #changed(redraws) {
    if (redraws) this.draw();
    this.edited(redraws);
  }

  #field(path, label, input, { hint, after } = {}) {
    const id = `maker-${path.join('-')}`;
    input.id = id;
    input.dataset.field = path.join('/');
    return h('div', { class: 'field', dataset: { path: path.join('/') } }, h('label', { for: id }, label),
      after ? h('div', { class: 'row' }, input, after) : input, hint ? h('p', { class: 'hint' }, hint) : null, h('p', { class: 'error', hidden: true }));
  }

  #text(path, label, options = {}) {
    const value = options.value ?? model.read(this.tree, path) ?? '';
    const shown = Array.isArray(value) ? value.join(', ') : String(value);
    const change = options.change ?? ((text) => this.#set(path, options.isList ? model.split(text) : text));
    return this.#field(path, label, h('input', {
      type: 'text', value: shown, class: options.mono ? 'mono' : null, list: options.list, placeholder: options.placeholder, dir: 'auto',
      autocomplete: 'off', spellcheck: 'false', maxlength: 4000, oninput: (event) => change(event.target.value),
    }), options);
  }

  #select(path, label, choices, value, change) {
    return this.#field(path, label, h('select', { onchange: (event) => change(event.target.value) },
      choices.map(([key, text]) => h('option', { value: key, selected: key === value }, text))));
  }

  #check(field, label, isOn, change) {
    return h('label', { class: 'check' }, h('input', { type: 'checkbox', checked: isOn, dataset: { field }, onchange: (event) => change(event.target.checked) }), label);
  }

  #button(text, click, options = {}) {
    return h('button', { type: 'button', class: `small ${options.class ?? ''}`, dataset: { field: options.field }, 'aria-label': options.label, onclick: click }, text);
  }

  #removal(name, remove, field) {
    return this.#button(t('maker.remove'), remove, { class: 'quiet danger', label: t('maker.remove.of', { name }), field });
  }

  #fold(key, isOpen, summary, ...content) {
    const open = this.folds.get(key) ?? isOpen;
    return h('details', { open, ontoggle: (event) => this.folds.set(key, event.target.open) }, h('summary', {}, summary), ...content);
  }

  #device() {
    const advertising = this.tree.advertising ?? {};
    const own = (this.tree.services ?? []).flatMap((service, index) => [service.uuid, this.services[index]?.uuid]);
    const extra = (advertising.services ?? []).filter((uuid) => !own.includes(uuid));
    const data = advertising['service-data'] ?? [];
    const addExtra = h('input', { type: 'text', list: 'maker-services', 'aria-label': t('maker.extra'), dataset: { field: 'extra' }, autocomplete: 'off' });
    return h('section', { class: 'card', dataset: { path: 'advertising' } }, h('h3', {}, t('maker.device')),
      h('div', { class: 'fields' },
        this.#text(['advertising', 'name'], t('maker.name'), { hint: t('maker.name.hint') }),
        this.#text(['summary'], t('maker.summary'))),
      this.#fold('data', Boolean(advertising.manufacturer || data.length || extra.length), t('maker.data'),
        h('fieldset', {}, h('legend', {}, t('maker.manufacturer')), h('div', { class: 'fields' },
          this.#text(['advertising', 'manufacturer', 'company'], t('maker.company'), { mono: true, placeholder: '0xFFFF', hint: t('maker.company.hint') }),
          this.#text(['advertising', 'manufacturer', 'data'], t('maker.hex'), { mono: true, placeholder: '01 02' }))),
        h('fieldset', {}, h('legend', {}, t('maker.serviceData')), data.map((_, index) => h('div', { class: 'fields' },
          this.#text(['advertising', 'service-data', index, 'service'], t('maker.service'), { list: 'maker-services' }),
          this.#text(['advertising', 'service-data', index, 'data'], t('maker.hex'), { mono: true, placeholder: '01 02' }),
          this.#removal(`${t('maker.serviceData')} ${index + 1}`, () => this.#set(['advertising', 'service-data'], data.filter((_each, at) => at !== index), true)))),
        this.#button(t('maker.add'), () => this.#set(['advertising', 'service-data'], [...data, { service: '', data: '' }], true), { field: 'add-data', label: `${t('maker.add')}: ${t('maker.serviceData')}` })),
        h('fieldset', { dataset: { path: 'advertising/services' } }, h('legend', {}, t('maker.extra')),
          h('div', { class: 'row' }, extra.map((uuid) => h('span', { class: 'chip' }, plain(uuid),
            this.#removal(plain(uuid), () => this.#set(['advertising', 'services'], advertising.services.filter((each) => each !== uuid), true))))),
          h('div', { class: 'row' }, addExtra, this.#button(t('maker.add'), () => {
            const uuid = addExtra.value.trim();
            if (uuid) this.#set(['advertising', 'services'], [...(advertising.services ?? []), uuid], true);
          }, { field: 'add-extra', label: `${t('maker.add')}: ${t('maker.extra')}` })), h('p', { class: 'error', hidden: true }))));
  }

  #services() {
    const services = this.tree.services ?? [];
    return h('section', { class: 'column', dataset: { path: 'services' } }, h('h3', {}, t('maker.services')),
      services.length ? null : h('p', { class: 'faint' }, t('maker.none')),
      services.map((service, index) => this.#service(service, index)),
      h('div', {}, this.#button(t('maker.add.service'), () => {
        this.folds.delete(`s${services.length}`);
        this.#set(['services'], [...services, { uuid: services.length ? model.randomUUID() : 'Heart Rate', characteristics: [] }], true);
        this.#focus(`services/${services.length}/uuid`);
      }, { field: 'add-service' })));
  }

  #focus(field) {
    const input = this.element.querySelector(`[data-field="${CSS.escape(field)}"]`);
    input?.focus();
    input?.select?.();
  }

  #uuid(path, table, change = (uuid, redraws) => this.#set([...path, 'uuid'], uuid, redraws)) {
    return this.#text([...path, 'uuid'], t('maker.uuid'), { list: `maker-${table}`, hint: t('maker.uuid.hint'), change,
      after: table === 'descriptors' ? null : this.#button(t('maker.random'), () => change(model.randomUUID(), true), { field: `${path.join('/')}/random` }) });
  }

  /** The name of the SIG, else the UUID. */
  #title(place, described, uuid, fallback) {
    this.refreshers.push(() => { place.textContent = plain(described()?.name ?? uuid() ?? '', 44) || fallback; });
    return place;
  }

  #service(service, index) {
    const path = ['services', index];
    const described = () => this.services[index];
    const characteristics = service.characteristics ?? [];
    const advertised = this.tree.advertising?.services ?? [];
    const isAdvertised = (uuid) => uuid === service.uuid || uuid === described()?.uuid;
    const others = this.tree.services.slice(0, index);
    const title = this.#title(h('bdi', {}), described, () => service.uuid, t('maker.service'));
    return h('div', { class: 'card maker-service', dataset: { path: path.join('/') } }, this.#fold(`s${index}`, true, h('h4', {}, title),
      this.#uuid(path, 'services', (uuid, redraws) => {
        // The advertisement keeps the service.
        const list = this.tree.advertising?.services ?? [];
        if (uuid && list.some(isAdvertised)) this.tree.advertising.services = list.map((each) => (isAdvertised(each) ? uuid : each));
        if (described()) described().uuid = uuid;
        this.#set([...path, 'uuid'], uuid, redraws);
      }),
      h('div', { class: 'row' },
        this.#check(`${path.join('/')}/advertise`, t('maker.advertise'), advertised.some(isAdvertised), (isOn) => this.#set(['advertising', 'services'],
          isOn ? [...advertised, service.uuid] : advertised.filter((uuid) => !isAdvertised(uuid)))),
        this.#check(`${path.join('/')}/primary`, t('maker.primary'), service.primary !== 'false', (isOn) => this.#set([...path, 'primary'], isOn ? undefined : 'false')),
        h('span', { class: 'grow' }),
        this.#removal(plain(service.uuid || t('maker.service')), () => {
          this.services = this.services.filter((_, at) => at !== index);
          if (advertised.some(isAdvertised)) model.write(this.tree, ['advertising', 'services'], advertised.filter((uuid) => !isAdvertised(uuid)));
          this.#set(['services'], this.tree.services.filter((_, at) => at !== index), true);
        })),
      others.length ? h('fieldset', { dataset: { path: [...path, 'includes'].join('/') } }, h('legend', {}, t('maker.includes')), h('div', { class: 'row' }, others.map((other, at) => {
        const uuid = this.services[at]?.uuid ?? other.uuid;
        const all = [service.includes ?? []].flat();
        return this.#check(`${path.join('/')}/includes/${at}`, plain(this.services[at]?.name ?? other.uuid), all.includes(uuid), (isOn) => this.#set([...path, 'includes'],
          isOn ? [...all, uuid] : all.filter((each) => each !== uuid)));
      }))) : null,
      characteristics.map((characteristic, at) => this.#characteristic(characteristic, index, at)),
      this.#button(t('maker.add.characteristic'), () => {
        this.folds.set(`c${index}/${characteristics.length}`, true);
        this.#set([...path, 'characteristics'], [...characteristics, { uuid: model.randomUUID(), properties: ['read'], format: 'u8', value: '0' }], true);
        this.#focus([...path, 'characteristics', characteristics.length, 'uuid'].join('/'));
      }, { field: `${path.join('/')}/add` })));
  }

  #characteristic(characteristic, serviceIndex, index) {
    const path = ['services', serviceIndex, 'characteristics', index];
    const described = () => this.services[serviceIndex]?.characteristics[index];
    const key = path.join('/');
    const properties = characteristic.properties ?? [];
    const title = this.#title(h('bdi', {}), described, () => characteristic.uuid, t('maker.characteristic'));
    const operations = Object.entries(model.OPERATIONS).filter(([, names]) => names.some((name) => properties.includes(name)));
    const facts = h('span', { class: 'faint small-text' });
    this.refreshers.push(() => { facts.textContent = ` ${properties.map((name) => t(`maker.p.${name}`)).join(' · ')}`; });
    return h('div', { class: 'maker-characteristic', dataset: { path: key } }, this.#fold(`c${serviceIndex}/${index}`, false, [title, facts],
      this.#uuid(path, 'characteristics'),
      h('fieldset', { dataset: { path: `${key}/properties` } }, h('legend', {}, t('maker.properties')), h('div', { class: 'row' }, model.PROPERTIES.map((property) =>
        this.#check(`${key}/${property}`, t(`maker.p.${property}`), properties.includes(property), (isOn) => { model.setProperty(characteristic, property, isOn); this.#changed(true); }))),
      h('p', { class: 'error', hidden: true })),
      operations.length ? h('fieldset', {}, h('legend', {}, t('maker.security')), h('div', { class: 'row' }, operations.map(([operation]) =>
        this.#check(`${key}/security/${operation}`, t(`maker.s.${operation}`), model.isSecure(characteristic, operation), (isOn) => { model.setSecurity(characteristic, operation, isOn); this.#changed(false); })))) : null,
      this.#value(characteristic, path, described),
      this.#rules(characteristic, path, operations.map(([operation]) => operation)),
      this.#descriptors(characteristic, path),
      h('div', { class: 'row' }, h('span', { class: 'grow' }), this.#removal(plain(characteristic.uuid || t('maker.characteristic')), () => {
        this.services[serviceIndex]?.characteristics.splice(index, 1);
        this.#set(path.slice(0, -1), model.read(this.tree, path.slice(0, -1)).filter((_, at) => at !== index), true);
      }))));
  }

  #value(characteristic, path, described) {
    const kind = model.kindOf(characteristic.value);
    const format = characteristic.format ?? 'hex';
    const at = (...keys) => [...path, 'value', ...keys];
    const number = (name, label, options) => this.#text(at(kind, name), label, { mono: true, ...options });
    const every = () => number('every', t('maker.every'), { placeholder: '1 s' });
    const bounds = () => [number('minimum', t('maker.minimum')), number('maximum', t('maker.maximum'))];
    const fields = {
      constant: () => [this.#text([...path, 'value'], t('maker.value'), { value: model.constantOf(characteristic.value), mono: true,
        placeholder: formatExample(format) })],
      counter: () => [...bounds(), number('step', t('maker.step'), { placeholder: '1' }), every()],
      sine: () => [...bounds(), number('period', t('maker.period'), { placeholder: '10 s' })],
      'random-walk': () => [...bounds(), number('start', t('maker.begin')), number('step', t('maker.step'), { placeholder: '1' }), every(), number('seed', t('maker.seed'), { placeholder: '1' })],
      replay: () => [number('values', t('maker.values'), { isList: true, hint: t('maker.values.hint') }), every(),
        this.#check(`${path.join('/')}/repeat`, t('maker.repeat'), characteristic.value.replay.repeat !== 'false', (isOn) => this.#set(at('replay', 'repeat'), isOn ? undefined : 'false'))],
      clock: () => [this.#select(at('clock'), t('maker.clock'), model.CLOCKS.map((name) => [name, name]), characteristic.value.clock, (name) => this.#set(at('clock'), name))],
    }[kind]();
    const isNumber = ['counter', 'sine', 'random-walk'].includes(kind);
    const notifies = (characteristic.properties ?? []).some((name) => name === 'notify' || name === 'indicate');
    const preview = h('div', { class: 'maker-preview' });
    this.refreshers.push(() => fill(preview, ...previewOf(described())));
    return h('fieldset', {}, h('legend', {}, t('maker.value')), h('div', { class: 'fields', dataset: { path: kind === 'constant' ? 'none' : at().join('/') } },
      this.#select([...path, 'kind'], t('maker.kind'), model.SOURCES.map((name) => [name, t(`maker.k.${name}`)]), kind, (name) => { model.setKind(characteristic, name); this.#changed(true); }),
      kind === 'clock' ? null : this.#field([...path, 'format'], t('maker.format'), h('select', { onchange: (event) => this.#set([...path, 'format'], event.target.value === 'hex' ? '' : event.target.value, true) },
        formatOptions(format, FORMATS.includes(format) ? [] : [[format, format]]))),
      fields,
      isNumber ? [this.#text(at('factor'), t('maker.factor'), { mono: true, placeholder: '1' }), this.#text(at('prefix'), t('maker.prefix'), { mono: true, placeholder: '00' }), this.#text(at('suffix'), t('maker.suffix'), { mono: true })] : null,
      notifies ? this.#text([...path, 'notify', 'every'], t('maker.notify'), { mono: true, placeholder: '1 s' }) : null,
      h('p', { class: 'error', hidden: true })), preview);
  }

  #rules(characteristic, path, operations) {
    const errors = (value) => [['', t('maker.normal')], ...[...new Set([...model.ERRORS, value].filter(Boolean))].map((word) => [word, word])];
    const error = (place, label) => this.#select(place, label, errors(model.read(this.tree, place)), model.read(this.tree, place) ?? '', (word) => this.#set(place, word));
    const { read, write } = characteristic;
    const effects = write?.then ?? [];
    const target = [...path, 'write'];
    const parts = [];
    if (operations.includes('read')) parts.push(h('div', { class: 'fields' }, error([...path, 'read', 'error'], t('maker.read.error')), this.#text([...path, 'read', 'delay'], t('maker.read.delay'), { mono: true, placeholder: '200 ms' })));
    if (operations.includes('write')) {
      parts.push(h('div', { class: 'fields', dataset: { path: target.join('/') } },
        this.#text([...target, 'length'], t('maker.length'), { mono: true, hint: t('maker.length.hint') }),
        this.#text([...target, 'minimum'], t('maker.minimum'), { mono: true }), this.#text([...target, 'maximum'], t('maker.maximum'), { mono: true }),
        this.#text([...target, 'allowed'], t('maker.allowed'), { mono: true, isList: true, hint: t('maker.values.hint') }), error([...target, 'error'], t('maker.write.error')),
        h('p', { class: 'error', hidden: true })),
      h('fieldset', {}, h('legend', {}, t('maker.effects')), effects.map((effect, index) => this.#effect(effect, [...target, 'then', index], effects, index)),
        this.#button(t('maker.add.effect'), () => this.#set([...target, 'then'], [...effects, { characteristic: this.#targets()[0]?.[0] ?? '', echo: 'true' }], true), { field: `${path.join('/')}/add-effect` })));
    }
    return parts.length ? this.#fold(`r${path.join('/')}`, Boolean(read || write), t('maker.rules'), parts) : null;
  }

  /** The characteristics of the profile as effects name them. */
  #targets() {
    return (this.tree.services ?? []).flatMap((service, at) => (service.characteristics ?? []).map((characteristic, index) => {
      const described = this.services[at]?.characteristics[index];
      return [`${this.services[at]?.uuid ?? service.uuid}/${described?.uuid ?? characteristic.uuid}`, plain(described?.name ?? characteristic.uuid)];
    }));
  }

  #effect(effect, path, all, index) {
    const kind = 'echo' in effect ? 'echo' : 'value' in effect ? 'value' : 'linear';
    const starts = { echo: { echo: 'true' }, value: { value: '00' }, linear: { factor: '1', offset: '0' } };
    const targets = this.#targets();
    if (!targets.some(([key]) => key === effect.characteristic)) targets.push([effect.characteristic, plain(effect.characteristic)]);
    return h('div', { class: 'fields', dataset: { path: path.join('/') } },
      this.#select([...path, 'characteristic'], t('maker.target'), targets, effect.characteristic, (uuid) => this.#set([...path, 'characteristic'], uuid)),
      this.#select([...path, 'effect'], t('maker.effect'), Object.keys(starts).map((name) => [name, t(`maker.e.${name}`)]), kind, (name) => this.#set(path, { characteristic: effect.characteristic, ...starts[name] }, true)),
      kind === 'value' ? this.#text([...path, 'value'], t('maker.value'), { mono: true }) : null,
      kind === 'linear' ? [this.#text([...path, 'factor'], t('maker.factor'), { mono: true }), this.#text([...path, 'offset'], t('maker.offset'), { mono: true })] : null,
      this.#removal(`${t('maker.effect')} ${index + 1}`, () => this.#set(path.slice(0, -1), all.filter((_, at) => at !== index), true)), h('p', { class: 'error', hidden: true }));
  }

  #descriptors(characteristic, path) {
    const list = characteristic.descriptors ?? [];
    const place = [...path, 'descriptors'];
    return this.#fold(`d${path.join('/')}`, false, `${t('maker.descriptors')}${list.length ? ` (${list.length})` : ''}`, list.map((_, index) => h('div', { class: 'fields', dataset: { path: [...place, index].join('/') } },
      this.#uuid([...place, index], 'descriptors'), this.#text([...place, index, 'value'], t('maker.value')),
      this.#removal(`${t('maker.descriptor')} ${index + 1}`, () => this.#set(place, list.filter((_each, at) => at !== index), true)), h('p', { class: 'error', hidden: true }))),
    this.#button(t('maker.add.descriptor'), () => this.#set(place, [...list, { uuid: 'Characteristic User Description', value: 'Text' }], true), { field: `${place.join('/')}/add` }));
  }
}

/** The first value, its meaning, and a line of the next numbers. */
function previewOf(described) {
  if (!described) return [];
  const { octets, text, preview } = described;
  const digits = octets.length > 64 ? `${octets.slice(0, 64)}…` : octets;
  const parts = [octets ? h('span', { class: 'mono small-text' }, t('maker.first', { octets: digits.replace(/(..)(?=.)/g, '$1 ') })) : null,
    text ? h('span', { class: 'small-text', dir: 'auto' }, t('maker.means', { text: plain(text, 80) })) : null];
  if (preview) {
    const [low, high] = [Math.min(...preview), Math.max(...preview)];
    const points = preview.map((value, index) => `${(index * 200) / (preview.length - 1)},${high === low ? 20 : 37 - ((value - low) * 34) / (high - low)}`);
    parts.push(s('svg', { viewBox: '0 0 200 40', role: 'img', 'aria-label': t('maker.preview', { low: +low.toPrecision(6), high: +high.toPrecision(6) }) }, s('polyline', { points: points.join(' ') })));
  }
  return parts;
}
