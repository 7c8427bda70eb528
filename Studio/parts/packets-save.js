// Saves packets as files. btsnoop has the HCI packets of one host, so its dialog asks for a device.

import { h } from '../dom.js';
import { count, plain } from '../text.js';
import { t } from '../words.js';
import { formDialog } from './room-forms.js';

/** Saves a file of the server. Resolves with null after a failure, which the page shows. */
export function save(studio, name, args = {}) {
  return studio.download(name, args).catch((failure) => {
    studio.failed(failure);
    return null;
  });
}

/**
 * `chosen` is the identifier of the device that is selected at first. `dropped()` returns the numbers of HCI packets that the room no longer keeps, by
 * device.
 */
export function saveHCI(studio, chosen, dropped) {
  const hosts = (studio.store.room?.devices ?? []).filter((device) => device.hasHost);
  const missing = h('p', { class: 'notice', role: 'status' });
  const show = (device) => {
    const n = dropped()[device] ?? 0;
    missing.hidden = n === 0;
    missing.textContent = n === 0 ? '' : t('packets.hciDropped', { n: count(n) });
  };
  show(hosts.some((device) => device.id === chosen) ? chosen : hosts[0]?.id);
  formDialog(t('packets.hci'), t('packets.save'), () => h('div', { class: 'column' },
    h('p', {}, t('packets.hciAbout')),
    hosts.length === 0 ? h('p', { class: 'notice warn' }, t('packets.hciNone')) : null,
    h('label', { class: 'field' }, h('span', {}, t('packets.filter.device')), h('select', { name: 'device', required: true, dataset: { focus: 'packets-hci-device' }, onchange: (event) => show(event.target.value) },
      hosts.map((device) => h('option', { value: device.id, selected: device.id === chosen }, `${plain(device.name, 40)} · ${device.id}`)))),
    missing,
    h('p', { class: 'notice' }, t('packets.hciKeys'))),
  (form) => save(studio, 'packets.btsnoop', { device: form.elements.device.value }));
}
