// The room as a world file: open, save, a link that carries it, undo and redo.

import { h } from '../dom.js';
import { phrase } from '../text.js';
import { register, t } from '../words.js';
import { copy } from './lesson-code.js';
import { save } from './packets-save.js';
import { formDialog } from './room-forms.js';
import { icon } from './room-icons.js';

register({
  en: {
    'world.tools': 'Changes and files', 'worldtool.undo': 'Undo', 'worldtool.redo': 'Redo', 'worldstep.undo': 'Undo: {what}', 'worldstep.redo': 'Redo: {what}', 'worldtool.open': 'Open a world', 'worldtool.save': 'Save as a world file', 'worldtool.link': 'Copy a link to the room',
    'world.title': 'Open a world', 'world.file': 'World file', 'world.orLink': 'Or a link to a room', 'world.hint': 'Undo brings the present room back.', 'world.openIt': 'Open', 'world.nothing': 'Choose a file, or paste a link.',
    'world.offer': 'A room in this link', 'world.offerText': 'The link carries a room of {n} KiB. Undo brings the present room back.',
    'world.damaged': 'The link is damaged: it carries no room.', 'world.linkTooLong': 'The link is too long: a link carries at most {n} KiB.', 'world.roomTooLong': 'The room is too large for a link of {n} KiB. Save it as a file instead.',
    'world.fileTooLong': 'The file is too large: the page opens at most {n} KiB. Open it with bluelab studio --world.', 'world.opened': 'The world is open. Undo brings the room before it back.',
  },
  zh: {
    'world.tools': '更改和文件', 'worldtool.undo': '撤销', 'worldtool.redo': '重做', 'worldstep.undo': '撤销：{what}', 'worldstep.redo': '重做：{what}', 'worldtool.open': '打开世界', 'worldtool.save': '保存为世界文件', 'worldtool.link': '复制房间的链接',
    'world.title': '打开世界', 'world.file': '世界文件', 'world.orLink': '或者房间的链接', 'world.hint': '“撤销”可以恢复当前的房间。', 'world.openIt': '打开', 'world.nothing': '请选择文件，或粘贴链接。',
    'world.offer': '链接中的房间', 'world.offerText': '这个链接带有一个 {n} KiB 的房间。“撤销”可以恢复当前的房间。',
    'world.damaged': '链接已损坏，其中没有房间。', 'world.linkTooLong': '链接太长：一个链接最多 {n} KiB。', 'world.roomTooLong': '房间太大，放不进 {n} KiB 的链接。请保存为文件。',
    'world.fileTooLong': '文件太大：页面最多打开 {n} KiB。请用 bluelab studio --world 打开它。', 'world.opened': '世界已打开。“撤销”可以恢复之前的房间。',
  },
});

/** The octets of a world that the studio takes from a page: `RoomService.worldLimit`. */
const WORLD_LIMIT = 512 * 1024;
/** The characters of a link after `#world=`. */
const LINK_LIMIT = 64 * 1024;
const MARK = '#world=';

/** A failure with a sentence of this page. */
function refusal(key, limit = 0) { return { message: t(key, { n: limit / 1024 }) }; }

// Links

/** A text as the fragment of a link. The promise fails if it is too long. */
async function fragment(text) {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  const octets = new Uint8Array(await new Response(stream).arrayBuffer());
  let binary = '';
  for (const octet of octets) binary += String.fromCharCode(octet);
  const digits = btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  if (digits.length > LINK_LIMIT) throw refusal('world.roomTooLong', LINK_LIMIT);
  return MARK + digits;
}

/** The text that a link carries. The promise fails with one sentence for a link that is damaged, or carries too much. */
async function carried(link) {
  const digits = link.slice(link.indexOf(MARK) + MARK.length).trim();
  if (digits.length > LINK_LIMIT) throw refusal('world.linkTooLong', LINK_LIMIT);
  if (!link.includes(MARK) || !/^[A-Za-z0-9_-]+$/.test(digits)) throw refusal('world.damaged');
  const parts = [];
  let count = 0;
  try {
    const octets = Uint8Array.from(atob(digits.replaceAll('-', '+').replaceAll('_', '/')), (digit) => digit.charCodeAt(0));
    const reader = new Blob([octets]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader();
    // A short link can carry very many equal octets: reading ends at the limit.
    for (let part = await reader.read(); !part.done && count <= WORLD_LIMIT; part = await reader.read()) {
      parts.push(part.value);
      count += part.value.length;
    }
    if (count > WORLD_LIMIT) await reader.cancel();
    else return new TextDecoder('utf-8', { fatal: true }).decode(await new Blob(parts).arrayBuffer());
  } catch {
    throw refusal('world.damaged');
  }
  throw refusal('world.fileTooLong', WORLD_LIMIT);
}

/** The address of a link. One for other machines does not give them the token of this studio. */
function address(part) {
  const isLocal = ['127.0.0.1', 'localhost', '[::1]'].includes(location.hostname);
  return `${location.origin}${isLocal ? location.pathname : '/'}${part}`;
}

async function copyLink(studio) {
  try {
    const { text } = await studio.do('room.text');
    await copy(address(await fragment(text)), studio);
  } catch (failure) {
    studio.failed(failure);
  }
}

/** If the address carries a room, takes it out of the address and offers to open it. */
export function offerLink(studio) {
  if (!location.hash.startsWith(MARK)) return;
  const link = location.hash;
  history.replaceState(null, '', '#room');
  carried(link).then((text) => {
    formDialog(t('world.offer'), t('world.openIt'), () => h('p', {}, t('world.offerText', { n: Math.max(1, Math.round(text.length / 1024)) })), () => open(studio, text));
  }, (failure) => studio.failed(failure));
}

// Opening

/** Opens the text of a world. Resolves with null after a failure, which the page shows. */
async function open(studio, text) {
  const opened = await studio.try('room.open', { text });
  if (!opened) return null;
  studio.select(null);
  const notes = () => opened.notes.map((note) => phrase(note, 300)).join(' ');
  if (opened.notes.length) studio.say(notes, true);
  else studio.say(() => t('world.opened'));
  return opened;
}

function openDialog(studio) {
  formDialog(t('world.title'), t('world.openIt'), () => h('div', { class: 'column' },
    h('label', { class: 'field' }, h('span', {}, t('world.file')), h('input', { type: 'file', name: 'file', accept: '.yaml,.yml' })),
    h('label', { class: 'field' }, h('span', {}, t('world.orLink')), h('input', { type: 'text', name: 'link', autocomplete: 'off' })),
    h('p', { class: 'hint' }, t('world.hint'))), async (form) => {
    const file = form.elements.file.files[0];
    const link = form.elements.link.value;
    try {
      if (file?.size > WORLD_LIMIT) throw refusal('world.fileTooLong', WORLD_LIMIT);
      if (!file && !link) throw refusal('world.nothing');
      return await open(studio, file ? await file.text() : await carried(link));
    } catch (failure) {
      studio.failed(failure);
      return null;
    }
  });
}

// Undo and redo

/** The words of a command, such as those of `move`. */
function words(command) {
  const key = `tried.room.${command}`;
  const found = t(key);
  return found === key ? command : found;
}

/** The buttons of the room. Returns {element, update(room), end()}. The world of the lesson has none. */
export function worldTools(studio) {
  const button = (name, act, isReady = false) => h('button', { class: 'quiet icon', disabled: !isReady, dataset: { world: name, focus: `world-${name}` }, 'aria-label': t(`worldtool.${name}`), title: t(`worldtool.${name}`), onclick: act }, icon(name === 'open' ? 'folder' : name));
  const step = (name) => () => change(name);
  const undo = button('undo', step('undo'));
  const redo = button('redo', step('redo'));
  const element = h('div', { class: 'files floating', role: 'toolbar', 'aria-label': t('world.tools'), hidden: studio.world() !== 'room' }, undo, redo,
    button('open', () => openDialog(studio), true), button('save', () => save(studio, 'world'), true), button('link', () => copyLink(studio), true));

  async function change(name) {
    try {
      const { command } = await studio.do(`room.${name}`);
      studio.say(() => t(`worldstep.${name}`, { what: words(command) }));
    } catch (failure) {
      // A key beyond the last change does nothing.
      if (failure.code !== name) studio.failed(failure);
    }
  }

  function show(place, name, command) {
    const label = command ? t(`worldstep.${name}`, { what: words(command) }) : t(`worldtool.${name}`);
    // A disabled button would lose the focus.
    if (!command && document.activeElement === place) (name === 'undo' ? redo : undo).focus();
    place.disabled = !command;
    place.title = label;
    place.setAttribute('aria-label', label);
  }

  function key(event) {
    if (element.hidden || !(event.ctrlKey || event.metaKey) || event.altKey || event.key.toLowerCase() !== 'z') return;
    if (event.target.closest?.('input:not([type="range"], [type="checkbox"], [type="radio"]), textarea, select, [contenteditable], dialog')) return;
    event.preventDefault();
    change(event.shiftKey ? 'redo' : 'undo');
  }
  addEventListener('keydown', key);

  return {
    element,
    update: (room) => {
      // The one that gets the focus is enabled first.
      const steps = [[undo, 'undo', room.undo], [redo, 'redo', room.redo]].sort((one, other) => Number(!one[2]) - Number(!other[2]));
      for (const [place, name, command] of steps) show(place, name, command);
    },
    end: () => removeEventListener('keydown', key),
  };
}

