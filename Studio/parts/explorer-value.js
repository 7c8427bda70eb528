// One characteristic: its value in all formats, and the operations that it supports.

import { fill, h, keyed } from '../dom.js';
import { FORMATS, formatExample, formatOptions } from '../formats.js';
import { OctetStrip } from '../octets.js';
import { octetsOf, phrase, plain, seconds, unisolated } from '../text.js';
import { t } from '../words.js';
import { notifyWord, propertyWords, subscriptionSwitch } from './explorer-device.js';
import { historyPane } from './explorer-history.js';
import { pairs, plot } from './explorer-plot.js';
import { bdi, set } from './explorer-scan.js';
import { failureText } from '../failures.js';

function remembered(uuid) { try { return localStorage.getItem(`explorer.format.${uuid}`); } catch { return null; } }
function remember(uuid, format) { try { localStorage.setItem(`explorer.format.${uuid}`, format); } catch { /* storage may be blocked */ } }

/** The pane of one characteristic. context: {act, ask, selected}. */
export function valuePane(context) {
  const title = h('h2', { class: 'name', tabindex: '-1' });
  const uuid = h('p', { class: 'mono faint small-text' });
  const about = h('p', { class: 'hint' });
  const value = h('bdi', { class: 'ex-bigvalue', dir: 'auto' });
  const octets = new OctetStrip([], { label: t('ex.value.octets') });
  const when = h('p', { class: 'hint' });
  const error = h('p', { class: 'error', role: 'status' });
  const graph = plot();
  const history = historyPane(context);
  const fields = h('dl', { class: 'facts' });
  const formats = h('dl', { class: 'facts mono' });
  const formatBox = h('details', { class: 'ex-formats' }, h('summary', {}, t('ex.formats')), fields, formats);
  const readLine = h('code', {}, 'peripheral.readValue(for: characteristic)');
  const read = h('button', { class: 'primary', dataset: { do: 'read' }, onclick: () => context.act('read', context.selected()) }, t('ex.read'));
  const notifyLine = h('code', {});
  const notify = subscriptionSwitch({ dataset: { do: 'notify' } }, (isOn) => {
    if (isOn) { live.hidden = false; live.scrollIntoView({ block: 'nearest' }); }
    return context.act(isOn ? 'subscribe' : 'unsubscribe', context.selected());
  });
  const format = h('select', { 'aria-label': t('ex.format'), dataset: { do: 'format' } });
  const text = h('input', { type: 'text', class: 'mono grow', maxlength: 4096, 'aria-label': t('ex.newValue'), 'aria-describedby': 'ex-check', autocomplete: 'off', spellcheck: 'false', dataset: { do: 'text' } });
  const check = h('p', { id: 'ex-check', class: 'hint', role: 'status' });
  const response = h('input', { type: 'checkbox' });
  const responseLabel = h('label', { class: 'check' }, response, t('ex.response'));
  const writeLine = h('code', {});
  const write = h('button', { class: 'primary', type: 'submit', dataset: { do: 'write' } }, t('ex.write'));
  const form = h('form', { class: 'column', onsubmit: submit }, h('h3', {}, t('ex.write')), h('div', { class: 'row' }, format, text), check, h('div', { class: 'row' }, write, responseLabel), writeLine);
  const readBox = h('div', { class: 'column' }, h('div', { class: 'row' }, read), readLine);
  const notifyText = h('span', {});
  const live = h('figure', { class: 'ex-graph' }, graph.element);
  const notifyBox = h('div', { class: 'column' }, h('label', { class: 'switch' }, notify.element, notifyText), notifyLine);
  const descriptors = h('ul', { class: 'list' });
  const descriptorBox = h('div', {}, h('h3', {}, t('ex.descriptors')), descriptors);
  const past = h('div', { class: 'card' }, history.element);
  // What grows with the values is below the buttons, so that none moves away under the pointer; the graph has its place before its first values.
  const body = h('div', { class: 'column' }, h('div', {}, title, uuid, about), readBox, notifyBox, live, h('div', { class: 'card' }, value, octets.element, when, error, formatBox), form, past, descriptorBox);
  const empty = h('div', { class: 'empty' }, h('p', {}, t('ex.pickCharacteristic')), h('p', {}, t('ex.pickCharacteristic.hint')));
  const element = h('section', { class: 'ex-pane ex-value', 'aria-label': t('ex.characteristic') }, empty, body);
  let shown = null;
  let shownFormats = '';
  let current = null;
  let timer = 0;
  let checkNumber = 0;

  async function submit(event) {
    event.preventDefault();
    if (!text.value && format.value !== 'utf8') return text.focus();
    remember(current.uuid, format.value);
    await context.act('write', { ...context.selected(), value: text.value, format: format.value, response: response.checked });
  }

  function validate() {
    clearTimeout(timer);
    timer = setTimeout(async () => {
      const number = ++checkNumber;
      if (!text.value) return showCheck('', false, '');
      try {
        const result = await context.ask('explorer.validate', { ...context.selected(), value: text.value, format: format.value });
        if (number === checkNumber) showCheck(octetsText(result.count), false, result.octets, result.parts);
      } catch (failure) {
        if (number === checkNumber) showCheck(failureText(failure), true, '');
      }
    }, 120);
  }
  const octetsText = (n) => t(n === 1 ? 'ex.octet' : 'ex.octets', { n });
  function showCheck(words, isBad, digits, parts = 0) {
    // A write without response has no parts: the server refuses a value that is too long for it.
    set(check, 'textContent', parts && response.checked ? `${words}: ${t('ex.parts', { n: parts })}` : words);
    check.className = isBad ? 'error' : 'hint';
    text.setAttribute('aria-invalid', String(isBad));
    write.disabled = isBad;
    const list = octetsOf(digits).slice(0, 8).map((octet) => `0x${octet}`).join(', ') + (digits.length > 16 ? ', …' : '');
    writeLine.textContent = `peripheral.writeValue(Data([${list}]), for: characteristic, type: .${response.checked ? 'withResponse' : 'withoutResponse'})`;
    Object.assign(writeLine.dataset, { digits, words, parts });
  }
  text.addEventListener('input', validate);
  format.addEventListener('change', () => { remember(current.uuid, format.value); text.placeholder = formatExample(format.value); validate(); });
  response.addEventListener('change', () => showCheck(writeLine.dataset.words ?? '', text.getAttribute('aria-invalid') === 'true', writeLine.dataset.digits ?? '', +(writeLine.dataset.parts ?? 0)));

  async function showFormats(characteristic) {
    const key = `${shown} ${characteristic.count} ${characteristic.value?.octets}`;
    if (!formatBox.open || !characteristic.value || key === shownFormats) return;
    shownFormats = key;
    const detail = await context.ask('explorer.formats', context.selected()).then((answer) => answer.detail).catch(() => null);
    if (!detail || key !== shownFormats) return;
    fill(fields, detail.fields.map((field) => [h('dt', {}, phrase(field.name, 60)), h('dd', {}, bdi(unisolated(field.text, 200), 200))]));
    fill(formats, detail.formats.map((one) => [h('dt', {}, one.format), h('dd', {}, bdi(one.text, 600))]));
  }
  formatBox.addEventListener('toggle', () => { if (current) showFormats(current); });

  function begin(characteristic) {
    const names = characteristic.isEncodable ? ['sig', ...FORMATS] : FORMATS;
    const kept = remembered(characteristic.uuid);
    fill(format, formatOptions(names.includes(kept) ? kept : names[0], characteristic.isEncodable ? [['sig', t('ex.sig')]] : []));
    text.placeholder = formatExample(format.value);
    text.value = '';
    notify.reset();
    const [canRespond, canCommand] = ['write', 'writeWithoutResponse'].map((word) => characteristic.properties.includes(word));
    response.checked = canRespond;
    responseLabel.hidden = !(canRespond && canCommand);
    shownFormats = '';
    fill(fields);
    fill(formats);
    showCheck('', false, '');
  }

  function makeDescriptor(descriptor) {
    const item = h('li', { class: 'ex-row' }, h('span', { class: 'item' }, h('span', { class: 'column ex-row-text' }, h('span', {}), bdi('', 200))),
      h('button', { class: 'small', dataset: { do: 'readDescriptor', swift: 'peripheral.readValue(for: descriptor)' }, onclick: () => context.act('read', { device: context.selected().device, attribute: descriptor.id }) }, t('ex.read')));
    item.lastElementChild.setAttribute('aria-label', `${t('ex.read')}: ${descriptor.name ?? descriptor.uuid}`);
    return item;
  }
  function updateDescriptor(item, descriptor) {
    const [name, text] = item.firstElementChild.firstElementChild.children;
    set(name, 'textContent', descriptor.name ? `${descriptor.name} ${descriptor.uuid}` : descriptor.uuid);
    set(text, 'textContent', descriptor.error ? phrase(descriptor.error.text) : phrase(descriptor.value?.text ?? '', 200));
  }

  return {
    element,
    focus() { title.focus({ preventScroll: true }); element.scrollIntoView({ block: 'start' }); },
    update(characteristic) {
      empty.hidden = Boolean(characteristic);
      body.hidden = !characteristic;
      current = characteristic;
      if (!characteristic) { shown = null; return; }
      const key = `${context.selected().device} ${characteristic.id} ${characteristic.uuid}`;
      if (key !== shown) { shown = key; begin(characteristic); }
      const called = characteristic.name ?? characteristic.uuid;
      set(title, 'textContent', plain(characteristic.label ?? called, 60));
      set(uuid, 'textContent', `${called === characteristic.uuid ? '' : `${called} `}${characteristic.uuid}`);
      set(about, 'textContent', [propertyWords(characteristic), characteristic.presentation].filter(Boolean).join(' · '));
      const latest = characteristic.value;
      set(value, 'textContent', latest ? phrase(latest.text, 1300) : t('ex.value.none'));
      octets.element.hidden = !latest?.octets;
      octets.set(octetsOf(latest?.octets ?? ''));
      history.update(key, characteristic.count);
      set(when, 'textContent', [latest && `${t(`ex.source.${latest.source}`)} ${seconds(latest.time)}`, characteristic.count > 0 && t(characteristic.count === 1 ? 'ex.update' : 'ex.updates', { n: characteristic.count }), characteristic.pending > 0 && t('ex.pending')].filter(Boolean).join(' · '));
      set(error, 'textContent', characteristic.error ? phrase(characteristic.error.text) : '');
      const points = pairs(characteristic.numbers);
      past.hidden = characteristic.count === 0;
      live.hidden = !characteristic.isNotifying && points.length < 2;
      graph.element.style.visibility = points.length > 1 ? '' : 'hidden';
      graph.update(points, called, latest?.unit ?? '');
      formatBox.hidden = !latest;
      showFormats(characteristic);
      const can = (word) => characteristic.properties.includes(word);
      readBox.hidden = !can('read');
      notifyBox.hidden = !(can('notify') || can('indicate'));
      notify.update(characteristic);
      set(notifyText, 'textContent', notifyWord(characteristic));
      set(notifyLine, 'textContent', `peripheral.setNotifyValue(${!characteristic.isNotifying}, for: characteristic)`);
      form.hidden = !(can('write') || can('writeWithoutResponse'));
      descriptorBox.hidden = characteristic.descriptors.length === 0;
      keyed(descriptors, characteristic.descriptors, (descriptor) => descriptor.id, makeDescriptor, updateDescriptor);
    },
  };
}
