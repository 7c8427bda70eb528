// Single keys for the time bar, and the dialog that lists them. A choice turns them off, for people whose software types words.

import { h } from '../dom.js';
import { register, t } from '../words.js';
import { backToStart, changeSpeed, stepCallback, stepPacket, toggleRun } from './time.js';

register({
  en: {
    'keys.title': 'Keyboard', 'keys.run': 'Run or pause', 'keys.step': 'Run to the end of the next packet', 'keys.callback': 'Run to the next callback', 'keys.wall': 'Change the loss of the focused wall by 1 dB; with Shift by 10 dB', 'keys.slower': 'Slower', 'keys.faster': 'Faster',
    'keys.start': 'Back to the start', 'keys.arrows': 'Move the focused device by 0.25 m; with Shift by 1 m', 'keys.page': 'The next or previous device of the plan', 'keys.octets': 'Move along the focused octets, packets or fields',
    'keys.delete': 'Remove the focused device or wall', 'keys.escape': 'End the wall tool; close the card', 'keys.space': 'Space',
    'keys.single': 'Single keys control the time', 'keys.close': 'Close', 'keys.zoom': 'Zoom; show everything', 'keys.undo': 'Undo a change of the room; redo it',
  },
  zh: {
    'keys.title': '键盘', 'keys.run': '运行或暂停', 'keys.step': '前进到下一个数据包结束', 'keys.callback': '前进到下一个回调', 'keys.wall': '把获得焦点的墙的衰减改变 1 dB；按住 Shift 改变 10 dB', 'keys.slower': '更慢', 'keys.faster': '更快',
    'keys.start': '回到开始', 'keys.arrows': '把获得焦点的设备移动 0.25 m；按住 Shift 移动 1 m', 'keys.page': '平面图中的下一个或上一个设备', 'keys.octets': '在获得焦点的字节、数据包或字段中移动',
    'keys.delete': '移除获得焦点的设备或墙', 'keys.escape': '结束画墙；关闭卡片', 'keys.space': '空格',
    'keys.single': '用单个按键控制时间', 'keys.close': '关闭', 'keys.zoom': '缩放；显示全部', 'keys.undo': '撤销对房间的更改；重做',
  },
});

let isOn = true;
try { isOn = localStorage.getItem('keys') !== 'off'; } catch { /* storage may be blocked */ }

export function listenForKeys(studio) {
  const listener = (event) => {
    if (!isOn || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target;
    if (target.closest?.('input:not([type="range"], [type="checkbox"], [type="radio"]), textarea, select, [contenteditable], dialog')) return;
    if (event.key === ' ') {
      if (target.closest?.('button, a, summary, input, [role="button"], [role="tab"], [role="option"], [role="treeitem"]')) return;
      toggleRun(studio);
    } else if (event.key === '.' || event.key === 'n') stepPacket(studio);
    else if (event.key === 'c') stepCallback(studio);
    else if (event.key === '[') changeSpeed(studio, -1);
    else if (event.key === ']') changeSpeed(studio, 1);
    else if (event.key === '0') backToStart(studio);
    else return;
    event.preventDefault();
  };
  addEventListener('keydown', listener);
  return () => removeEventListener('keydown', listener);
}

export function keysDialog() {
  const row = (keys, text) => h('tr', {}, h('td', {}, h('span', { class: 'row' }, keys.map((key) => h('kbd', {}, key)))), h('td', {}, text));
  const dialog = h('dialog', { 'aria-labelledby': 'keys-title', onclose: () => dialog.remove() },
    h('h2', { id: 'keys-title' }, t('keys.title')),
    h('table', { class: 'table' }, h('tbody', {},
      row([t('keys.space')], t('keys.run')), row(['.', 'n'], t('keys.step')), row(['c'], t('keys.callback')), row(['['], t('keys.slower')), row([']'], t('keys.faster')), row(['0'], t('keys.start')),
      row(['↑', '↓', '←', '→'], t('keys.arrows')), row(['↑', '↓'], t('keys.wall')), row(['Page ↑', 'Page ↓'], t('keys.page')), row(['↑', '↓', '←', '→', 'Home', 'End'], t('keys.octets')), row(['+', '−', 'f'], t('keys.zoom')), row(['Ctrl Z', 'Ctrl Shift Z'], t('keys.undo')), row(['Delete'], t('keys.delete')), row(['Esc'], t('keys.escape')))),
    h('div', { class: 'actions between' },
      h('label', { class: 'switch' }, h('input', { type: 'checkbox', role: 'switch', checked: isOn, onchange: (event) => {
        isOn = event.target.checked;
        try { localStorage.setItem('keys', isOn ? 'on' : 'off'); } catch { /* storage may be blocked */ }
      } }), t('keys.single')),
      h('button', { class: 'primary', autofocus: true, onclick: () => dialog.close() }, t('keys.close'))));
  document.body.append(dialog);
  dialog.showModal();
}
