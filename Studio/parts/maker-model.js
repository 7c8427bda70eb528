// The profile as the tree of its YAML file: mappings, lists and texts. The server reads, checks and writes it.

import { isNumeric } from '../formats.js';

export const SOURCES = ['constant', 'counter', 'sine', 'random-walk', 'replay', 'clock'];
export const PROPERTIES = ['read', 'write', 'write-without-response', 'notify', 'indicate', 'signed-write'];
export const ERRORS = ['read-not-permitted', 'write-not-permitted', 'insufficient-authentication', 'request-not-supported', 'invalid-offset',
  'insufficient-authorization', 'attribute-not-found', 'invalid-length', 'unlikely-error', 'insufficient-encryption', 'insufficient-resources',
  'value-not-allowed', 'write-request-rejected', 'procedure-in-progress', 'out-of-range', '0x80', '0x81'];
export const CLOCKS = ['current-time', 'date-time', 'unix'];

export const blank = () => ({ advertising: { name: 'My device' }, services: [] });

/** Reads the value at a path such as ['services', 0, 'uuid']. */
export function read(tree, path) {
  return path.reduce((node, key) => (node === null || typeof node !== 'object' ? undefined : node[key]), tree);
}

/** Sets a value; an empty one removes its key, and mappings that become empty. */
export function write(tree, path, value) {
  const last = path[path.length - 1];
  let node = tree;
  for (const key of path.slice(0, -1)) {
    if (node[key] === null || typeof node[key] !== 'object') node[key] = {};
    node = node[key];
  }
  const isEmpty = value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
  if (!isEmpty || Array.isArray(node)) {
    node[last] = value;
    return;
  }
  delete node[last];
  if (path.length > 1 && Object.keys(node).length === 0 && !Array.isArray(read(tree, path.slice(0, -2)))) write(tree, path.slice(0, -1), undefined);
}

/** The source of a value: one of SOURCES. */
export function kindOf(value) {
  if (value === null || typeof value !== 'object') return 'constant';
  return SOURCES.find((kind) => kind in value) ?? 'constant';
}

export function constantOf(value) {
  return (typeof value === 'object' && value !== null ? value.constant : value) ?? '';
}

/** Changes the source of a characteristic's value, with a start that works. */
export function setKind(characteristic, kind) {
  const bounds = { minimum: '0', maximum: '100' };
  const starts = {
    constant: isNumeric(characteristic.format) ? '0' : undefined,
    counter: { counter: { ...bounds, step: '1', every: '1 s' } },
    sine: { sine: { minimum: '60', maximum: '90', period: '10 s' } },
    'random-walk': { 'random-walk': { ...bounds, step: '5', every: '1 s', seed: '1' } },
    replay: { replay: { values: ['1', '2', '3'], every: '1 s' } },
    clock: { clock: 'current-time' },
  };
  if (['counter', 'sine', 'random-walk', 'replay'].includes(kind) && !isNumeric(characteristic.format)) characteristic.format = 'u8';
  if (kind === 'clock') delete characteristic.format;
  if (starts[kind] === undefined) delete characteristic.value;
  else characteristic.value = starts[kind];
  const properties = characteristic.properties ?? [];
  const notifies = properties.includes('notify') || properties.includes('indicate');
  if (kind !== 'constant' && notifies && !characteristic.notify) characteristic.notify = { every: '1 s' };
}

/** Sets a property and drops the rules that need it. */
export function setProperty(characteristic, property, isOn) {
  const set = new Set(characteristic.properties ?? []);
  if (isOn) set.add(property); else set.delete(property);
  characteristic.properties = PROPERTIES.filter((each) => set.has(each));
  const has = (...names) => names.some((name) => set.has(name));
  if (!has('notify', 'indicate')) delete characteristic.notify;
  if (!has('read')) delete characteristic.read;
  if (!has('write', 'write-without-response', 'signed-write')) delete characteristic.write;
  for (const [operation, names] of Object.entries(OPERATIONS)) if (!has(...names)) setSecurity(characteristic, operation, false);
}

/** The properties that need each operation of `security`. */
export const OPERATIONS = { read: ['read'], write: ['write', 'write-without-response', 'signed-write'], notify: ['notify', 'indicate'] };

export function isSecure(characteristic, operation) {
  return characteristic.security === 'encrypted' || characteristic.security?.[operation] === 'encrypted';
}

export function setSecurity(characteristic, operation, isOn) {
  const kept = Object.keys(OPERATIONS).filter((each) => (each === operation ? isOn : isSecure(characteristic, each)));
  if (kept.length === 0) delete characteristic.security;
  else characteristic.security = Object.fromEntries(kept.map((each) => [each, 'encrypted']));
}

/** A UUID that no other device has. */
export function randomUUID() {
  const octets = crypto.getRandomValues(new Uint8Array(16));
  // Version 4, variant 1 (RFC 9562, 5.4).
  octets[6] = (octets[6] & 0x0f) | 0x40;
  octets[8] = (octets[8] & 0x3f) | 0x80;
  const digits = [...octets].map((octet) => octet.toString(16).padStart(2, '0')).join('').toUpperCase();
  return [digits.slice(0, 8), digits.slice(8, 12), digits.slice(12, 16), digits.slice(16, 20), digits.slice(20)].join('-');
}

/** A comma list as an array. */
export const split = (text) => text.split(',').map((part) => part.trim()).filter(Boolean);
