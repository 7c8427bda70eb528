// The prompts of pairings, as a dialog beside the page: the passkey may have to be entered elsewhere on it.

import { fill, h, keyed } from '../dom.js';
import { plain } from '../text.js';
import { t } from '../words.js';

/** context: {act, isAdapter}. */
export function promptDialog(context) {
  const list = h('div', {});
  const dialog = h('dialog', { class: 'ex-prompts', 'aria-label': t('ex.prompt') }, list);
  let before = null;

  function make(prompt) {
    const name = plain(prompt.name ?? prompt.device.slice(0, 8), 40);
    const passkey = h('input', { type: 'text', inputmode: 'numeric', pattern: '[0-9 ]*', maxlength: 7, autocomplete: 'off', class: 'mono ex-passkey', 'aria-label': t('ex.prompt.passkey') });
    const answer = (accepts) => (event) => {
      event.preventDefault();
      context.act('answer', { prompt: prompt.id, accepts, ...(prompt.kind === 'enter' && accepts ? { passkey: passkey.value } : {}) });
    };
    const yes = { accept: 'ex.prompt.allow', compare: 'ex.prompt.same', enter: 'ex.prompt.ok' }[prompt.kind];
    const no = { accept: 'ex.prompt.refuse', compare: 'ex.prompt.other', enter: 'ex.prompt.cancel', display: 'ex.prompt.cancel' }[prompt.kind];
    return h('form', { class: 'ex-prompt', onsubmit: answer(true), dataset: { kind: prompt.kind } },
      h('p', { dir: 'auto' }, t(`ex.prompt.${prompt.kind}`, { name })),
      prompt.digits ? h('p', { class: 'mono ex-digits', 'aria-label': [...prompt.digits].join(' ') }, `${prompt.digits.slice(0, 3)} ${prompt.digits.slice(3)}`) : null,
      prompt.kind === 'enter' ? passkey : null,
      !context.isAdapter && ['compare', 'enter'].includes(prompt.kind) ? h('p', { class: 'hint' }, t('ex.prompt.look')) : null,
      h('div', { class: 'actions' }, h('button', { type: 'button', onclick: answer(false) }, t(no)), yes ? h('button', { type: 'submit', class: 'primary' }, t(yes)) : null));
  }

  return {
    element: dialog,
    update(prompts) {
      keyed(list, prompts, (prompt) => prompt.id, make);
      if (prompts.length && !dialog.open) {
        before = document.activeElement;
        dialog.show();
        (list.querySelector('input') ?? list.querySelector('button.primary') ?? list.querySelector('button'))?.focus();
      } else if (!prompts.length && dialog.open) {
        const hadFocus = dialog.contains(document.activeElement);
        dialog.close();
        if (hadFocus) before?.focus?.();
      }
      if (!prompts.length) fill(list);
    },
  };
}
