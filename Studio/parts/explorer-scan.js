// The list of the scan, and the advertisement of one device.

import { fill, h, keyed } from '../dom.js';
import { dBm, plain } from '../text.js';
import { t } from '../words.js';
import { advertisingOctets } from './advertising-octets.js';
import { pairs, plot, sparkline } from './explorer-plot.js';

// Seconds after which a device is probably gone.
const SILENCE = 10;

/** Sets a property only if it changed, so that an unchanged list costs nothing. */
export function set(element, property, value) { if (element[property] !== value) element[property] = value; }

export function bdi(text, limit, attributes = {}) { return h('bdi', { class: 'name', dir: 'auto', ...attributes }, plain(text, limit)); }

/** The list with its filter. context: {act, select, filter}. */
export function scanList(context) {
  const scan = h('button', { class: 'primary', disabled: true, dataset: { do: 'scan' }, onclick: () => (scanning ? context.act('stopScan') : context.act('scan')) });
  const total = h('span', { class: 'faint small-text grow' });
  const sort = h('button', { class: 'quiet small', onclick: () => { order.clear(); update(latest); } }, t('ex.sort'));
  const rssiText = h('span', { class: 'small-text' });
  const fields = {
    name: h('input', { type: 'search', maxlength: 40, 'aria-label': t('ex.filter.name'), placeholder: t('ex.filter.name'), dataset: { filter: 'name' } }),
    service: h('input', { type: 'search', maxlength: 40, 'aria-label': t('ex.filter.service'), placeholder: t('ex.filter.service'), dataset: { filter: 'service' } }),
    rssi: h('input', { type: 'range', min: -105, max: -30, step: 5, value: -105, 'aria-label': t('ex.signal'), dataset: { filter: 'rssi' } }),
    connectable: h('input', { type: 'checkbox', dataset: { filter: 'connectable' } }),
  };
  const filter = h('details', { class: 'ex-filter' }, h('summary', {}, t('ex.filter')),
    h('div', { class: 'column' }, fields.name, fields.service, h('label', { class: 'row' }, fields.rssi, rssiText), h('label', { class: 'check' }, fields.connectable, t('ex.filter.connectable'))));
  const list = h('ul', { class: 'list ex-rows', 'aria-label': t('ex.list') });
  const empty = h('div', { class: 'empty' });
  const more = h('p', { class: 'hint', role: 'status' });
  const element = h('section', { class: 'ex-pane ex-list', 'aria-label': t('ex.list') },
    h('div', { class: 'toolbar' }, scan, total, sort), filter, list, empty, more);
  const order = new Map();
  let scanning = false;
  let latest = null;
  let timer = 0;

  function changed() {
    showRSSI();
    clearTimeout(timer);
    timer = setTimeout(() => context.filter({
      name: fields.name.value.trim() || null, service: fields.service.value.trim() || null,
      minimumRSSI: +fields.rssi.value > -105 ? +fields.rssi.value : null, connectable: fields.connectable.checked ? true : null,
    }), 150);
  }
  function showRSSI() { rssiText.textContent = +fields.rssi.value > -105 ? t('ex.filter.rssi', { n: fields.rssi.value.replace('-', '−') }) : t('ex.filter.any'); }
  for (const field of Object.values(fields)) field.addEventListener('input', changed);
  showRSSI();

  function make(row) {
    const spark = sparkline();
    const name = bdi('', 40);
    const rssi = h('span', { class: 'number small-text ex-rssi' });
    const about = h('span', { class: 'faint small-text ex-about', dir: 'auto' });
    const connect = h('button', { class: 'small', dataset: { do: 'connect', swift: 'central.connect(peripheral)' }, onclick: () => { context.select(row.id, null, true); context.focusDevice(); context.act('connect', { device: row.id }); } }, t('ex.connect'));
    const item = h('li', { class: 'ex-row' },
      h('button', { class: 'item', dataset: { do: 'select' }, onclick: () => context.select(row.id, null, true) },
        h('span', { class: 'column ex-row-text' }, h('span', { class: 'between' }, name, rssi), h('span', { class: 'between' }, about, spark.element))),
      connect);
    item.parts = { spark, name, rssi, about, connect, button: item.firstElementChild };
    return item;
  }

  function updateRow(item, row) {
    const { spark, name, rssi, about, connect, button } = item.parts;
    set(name, 'textContent', plain(row.name ?? t('ex.noname'), 40));
    set(rssi, 'textContent', row.rssi == null ? '' : dBm(row.rssi));
    const silence = Math.floor((latest.time - row.lastSeen) / 1e9);
    const isSilent = latest.isScanning && silence >= SILENCE;
    item.classList.toggle('silent', isSilent);
    set(about, 'textContent', [isSilent ? t('ex.ago', { n: silence }) : '', plain([row.beacon, ...row.services, row.company].filter(Boolean).join(', ') || row.address || row.id.slice(0, 8), 60)].filter(Boolean).join(', '));
    spark.update(row.signals);
    const open = context.opened(row.id);
    set(connect, 'hidden', !row.isConnectable || (open !== undefined && open.link !== 'disconnected'));
    connect.setAttribute('aria-label', `${t('ex.connect')}: ${plain(row.name ?? row.address ?? row.id, 40)}`);
    if (context.selected().device === row.id) button.setAttribute('aria-current', 'true'); else button.removeAttribute('aria-current');
  }

  function update(state) {
    latest = state;
    if (!state) return;
    scanning = state.isScanning;
    set(scan, 'textContent', t(scanning ? 'ex.stop' : 'ex.scan'));
    scan.className = scanning ? '' : 'primary';
    scan.dataset.swift = scanning ? 'central.stopScan()' : 'central.scanForPeripherals(withServices: nil)';
    set(scan, 'disabled', state.adapter !== 'poweredOn');
    const selects = Object.values(state.filter).some((value) => value !== null && value !== undefined);
    set(total, 'textContent', state.seen ? t('ex.seen', { shown: state.rows.length + state.moreRows, seen: state.seen }) : '');
    sort.hidden = state.rows.length < 2;
    // A row keeps its place, so that a button does not move away under the pointer.
    for (const row of state.rows) if (!order.has(row.id)) order.set(row.id, order.size);
    if (order.size > 4000) order.clear();
    const rows = [...state.rows].sort((one, other) => (order.get(one.id) ?? 0) - (order.get(other.id) ?? 0));
    keyed(list, rows, (row) => row.id, make, updateRow);
    empty.hidden = rows.length > 0;
    const kind = selects && state.seen ? 'ex.none.filtered' : 'ex.none';
    if (!empty.hidden && empty.dataset.kind !== kind) {
      empty.dataset.kind = kind;
      fill(empty, h('p', {}, t(kind)), kind === 'ex.none' ? h('p', {}, t('ex.none.hint')) : null);
    }
    set(more, 'textContent', state.moreRows ? t('ex.more', { n: state.moreRows }) : '');
    // The filter of another tab.
    for (const [key, value] of [['name', state.filter.name ?? ''], ['service', state.filter.service ?? ''], ['rssi', String(state.filter.minimumRSSI ?? -105)]]) {
      if (document.activeElement !== fields[key] && fields[key].value !== value && !timer) fields[key].value = value;
    }
  }

  return { element, update };
}

/** The advertisement of a device: facts, the signal, and octets. */
export function advertisement() {
  const facts = h('dl', { class: 'facts' });
  const graph = plot();
  const parts = h('div', {});
  const element = h('div', { class: 'ex-adv' }, facts, graph.element, parts);
  let shown = '';

  const structures = (title, part) => advertisingOctets(title, part.octets, part.structures);

  return {
    element,
    update(detail) {
      const { row } = detail;
      const items = [
        ['ex.identifier', h('span', { class: 'mono' }, row.id)],
        row.address && ['ex.address', `${row.address} (${t(`ex.address.${row.addressType}`)})`],
        detail.publishedAddress && ['ex.publishes', `${detail.publishedAddress} (${detail.publishedIn})`],
        row.rssi != null && ['ex.signal', `${dBm(row.rssi)}, ${t('ex.signal.range', { low: dBm(detail.lowestRSSI), high: dBm(detail.highestRSSI) })}`],
        row.interval && ['ex.interval', t('ex.interval.about', { n: row.interval })],
        detail.distance && ['ex.distance', t('ex.distance.about', { n: detail.distance })],
        ['ex.packets', String(row.count)], ['ex.connectable', t(row.isConnectable ? 'ex.yes' : 'ex.no')],
      ].filter(Boolean);
      fill(facts, items.map(([key, value]) => [h('dt', {}, t(key)), h('dd', {}, value)]));
      const points = pairs(detail.track);
      graph.element.style.display = points.length > 1 ? '' : 'none';
      graph.update(points, t('ex.signal'), 'dBm');
      const key = `${detail.data.octets} ${detail.scanResponse?.octets}`;
      if (key === shown) return;
      shown = key;
      const focused = [...parts.querySelectorAll('.octets')].indexOf(document.activeElement);
      fill(parts, structures(t('ex.adv.data'), detail.data), detail.scanResponse ? structures(t('ex.adv.response'), detail.scanResponse) : null);
      if (focused >= 0) parts.querySelectorAll('.octets')[focused]?.focus();
    },
  };
}
