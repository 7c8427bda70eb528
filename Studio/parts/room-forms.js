// Forms of the room: a new device, a wall in numbers, the radio's environment, the choice of a scene.

import { fill, h } from '../dom.js';
import { plain } from '../text.js';
import { register, t } from '../words.js';

register({
  en: {
    'forms.new': 'New device', 'forms.program': 'Program', 'forms.name': 'Name', 'forms.place': 'Place', 'forms.add': 'Add', 'forms.cancel': 'Cancel',
    'forms.maker': 'Or make your own device', 'forms.none': 'The room has no programs yet.', 'forms.wall': 'Wall', 'forms.wall.hint': 'Drag on the plan, or give both ends in metres.',
    'forms.from': 'From', 'forms.to': 'To', 'forms.attenuation': 'Attenuation', 'forms.build': 'Build', 'forms.done': 'Done', 'forms.radio': 'Radio',
    'forms.exponent': 'Path loss exponent', 'forms.fading': 'Fading', 'forms.loss': 'Packets lost', 'forms.sensitivity': 'Sensitivity',
    'forms.exponent.hint': '2 is free space, 3 to 4 a building.', 'forms.radio.hint': 'Applies to all devices from this moment on.', 'forms.apply': 'Apply',
    'forms.scene': 'Scene', 'forms.seed': 'Seed', 'forms.again': 'Begin anew', 'forms.metres': 'metres', 'forms.x': 'x', 'forms.y': 'y',
    'program.walkthrough': 'Phone of the tutorial', 'program.wristband': 'Wristband', 'program.phone': 'Phone', 'program.beacon': 'Beacon', 'program.advertiser': 'Advertiser',
    'scene.pair': 'A phone and a wristband', 'scene.empty': 'An empty room', 'scene.crowd': 'A crowd',
    'kind.phone': 'Phone', 'kind.wearable': 'Wearable', 'kind.sensor': 'Sensor', 'kind.beacon': 'Beacon', 'kind.lamp': 'Lamp', 'kind.other': 'Device',
  },
  zh: {
    'forms.new': '新设备', 'forms.program': '程序', 'forms.name': '名称', 'forms.place': '位置', 'forms.add': '添加', 'forms.cancel': '取消',
    'forms.maker': '或者制作自己的设备', 'forms.none': '房间里还没有程序。', 'forms.wall': '墙', 'forms.wall.hint': '在平面图上拖动，或者填写两端的坐标（米）。',
    'forms.from': '起点', 'forms.to': '终点', 'forms.attenuation': '衰减', 'forms.build': '建墙', 'forms.done': '完成', 'forms.radio': '无线环境',
    'forms.exponent': '路径损耗指数', 'forms.fading': '衰落', 'forms.loss': '丢包', 'forms.sensitivity': '灵敏度',
    'forms.exponent.hint': '2 为自由空间，3 到 4 为建筑物内。', 'forms.radio.hint': '从此刻起对所有设备生效。', 'forms.apply': '应用',
    'forms.scene': '场景', 'forms.seed': '随机种子', 'forms.again': '重新开始', 'forms.metres': '米', 'forms.x': 'x', 'forms.y': 'y',
    'program.walkthrough': '教程中的手机', 'program.wristband': '手环', 'program.phone': '手机', 'program.beacon': '信标', 'program.advertiser': '广播设备',
    'scene.pair': '手机和手环', 'scene.empty': '空房间', 'scene.crowd': '拥挤的房间',
    'kind.phone': '手机', 'kind.wearable': '穿戴设备', 'kind.sensor': '传感器', 'kind.beacon': '信标', 'kind.lamp': '灯', 'kind.other': '设备',
  },
});

/** The name of a program for people, or its identifier with a capital letter. */
export function programName(program) {
  const known = t(`program.${program.id}`);
  if (known !== `program.${program.id}`) return known;
  const words = program.id.replace(/[-_.]+/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A name for a device that runs a program. */
function deviceName(program) { return program.kind === 'phone' ? t('kind.phone') : programName(program); }

function sceneName(id) {
  const known = t(`scene.${id}`);
  return known === `scene.${id}` ? id : known;
}

export function number(name, label, value, unit, options = {}) {
  return h('label', { class: 'field' }, h('span', {}, label),
    h('span', { class: 'row unit' }, h('input', { type: 'number', name, value, step: 'any', required: true, ...options }), unit ? h('span', { class: 'faint' }, unit) : null));
}

/** The values of a form's number fields. */
function numbers(form, ...names) {
  return Object.fromEntries(names.map((name) => [name, Number(form.elements[name].value)]));
}

/** A dialog with a form. build(close) returns its content; send(form) runs at submission, and the dialog closes if it does not return null. */
function formDialog(title, submit, content, send) {
  const dialog = h('dialog', { 'aria-labelledby': 'form-title', onclose: () => dialog.remove() });
  fill(dialog, h('form', { onsubmit: async (event) => {
    event.preventDefault();
    if (await send(event.target) !== null) dialog.close();
  } }, h('h2', { id: 'form-title' }, title), content(dialog),
  h('div', { class: 'actions' }, h('button', { type: 'button', class: 'quiet', onclick: () => dialog.close() }, t('forms.cancel')),
    h('button', { type: 'submit', class: 'primary' }, submit))));
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** Asks for a program, a name and a place, and adds the device. */
export function addDevice(studio, place) {
  const { programs, devices } = studio.store.room ?? { programs: [], devices: [] };
  // A program that needs more than a name has its own view.
  const choices = programs.filter((program) => program.id !== 'profile');
  const used = new Set(devices.map((device) => device.name));
  const free = (name) => { for (let n = 1; ; n += 1) { const next = n === 1 ? name : `${name} ${n}`; if (!used.has(next)) return next; } };
  const at = place ?? freePlace(devices);
  formDialog(t('forms.new'), t('forms.add'), (dialog) => {
    const name = h('input', { name: 'name', value: choices.length ? free(deviceName(choices[0])) : '', maxlength: 248, required: true, autocomplete: 'off' });
    let isNamed = false;
    name.addEventListener('input', () => { isNamed = true; });
    return h('div', { class: 'column' },
      choices.length === 0 ? h('p', { class: 'notice warn' }, t('forms.none')) : null,
      h('label', { class: 'field' }, h('span', {}, t('forms.program')), h('select', { name: 'program', onchange: (event) => {
        const program = choices.find((each) => each.id === event.target.value);
        if (!isNamed) name.value = free(deviceName(program));
      } }, choices.map((program) => h('option', { value: program.id }, `${plain(programName(program))} · ${t(`kind.${program.kind}`)}`)))),
      h('label', { class: 'field' }, h('span', {}, t('forms.name')), name),
      h('div', { class: 'row' }, number('x', t('forms.x'), +at.x.toFixed(2), 'm'), number('y', t('forms.y'), +at.y.toFixed(2), 'm')),
      h('p', {}, h('a', { href: '#maker', onclick: () => dialog.close() }, t('forms.maker'))));
  }, async (form) => {
    if (!form.elements.program.value) return null;
    const added = await studio.try('room.add', { program: form.elements.program.value, name: form.elements.name.value, ...numbers(form, 'x', 'y') });
    if (added) studio.select({ kind: 'device', id: added.id });
    return added;
  });
}

/** A place two metres beside the devices. */
function freePlace(devices) {
  if (devices.length === 0) return { x: 2, y: 2 };
  const last = devices[devices.length - 1];
  const angle = devices.length * 2.4;
  return { x: last.x + 2 * Math.cos(angle), y: last.y + 2 * Math.sin(angle) };
}

/** The form of the wall tool. Returns {element, attenuation(), show(wall)}. */
export function wallForm(studio, done) {
  const form = h('form', { class: 'card tool', 'aria-label': t('forms.wall'), onsubmit: async (event) => {
    event.preventDefault();
    const built = await studio.try('room.wall', numbers(form, 'x1', 'y1', 'x2', 'y2', 'attenuation'));
    if (built) studio.select({ kind: 'wall', id: built.id });
  } },
  h('p', { class: 'hint' }, t('forms.wall.hint')),
  h('fieldset', {}, h('legend', {}, t('forms.from')), number('x1', t('forms.x'), 2, 'm'), number('y1', t('forms.y'), 0, 'm')),
  h('fieldset', {}, h('legend', {}, t('forms.to')), number('x2', t('forms.x'), 2, 'm'), number('y2', t('forms.y'), 3, 'm')),
  number('attenuation', t('forms.attenuation'), 20, 'dB', { min: 0, max: 200 }),
  h('div', { class: 'row end' }, h('button', { type: 'button', class: 'quiet', onclick: done }, t('forms.done')), h('button', { type: 'submit', class: 'primary' }, t('forms.build'))));
  return {
    element: form,
    attenuation: () => Number(form.elements.attenuation.value) || 0,
    show: (wall) => { for (const name of ['x1', 'y1', 'x2', 'y2']) form.elements[name].value = +wall[name].toFixed(2); },
  };
}

/** The radio's environment and the scene. */
export function environmentDialog(studio) {
  const { environment, scene, seed, scenes } = studio.store.room;
  const fading = typeof environment.fading === 'number';
  formDialog(t('forms.radio'), t('forms.apply'), (dialog) => h('div', { class: 'column' },
    h('div', { class: 'fields' },
      number('pathLossExponent', t('forms.exponent'), environment.pathLossExponent, '', { min: 1, max: 6 }),
      fading ? number('fading', t('forms.fading'), environment.fading, 'dB', { min: 0, max: 20 }) : null,
      number('packetLoss', t('forms.loss'), +((environment.packetLoss ?? 0) * 100).toFixed(3), '%', { min: 0, max: 100 }),
      number('sensitivity', t('forms.sensitivity'), environment.sensitivity, 'dBm', { min: -120, max: -40 })),
    h('p', { class: 'hint' }, t('forms.exponent.hint'), ' ', t('forms.radio.hint')),
    h('hr', {}),
    h('div', { class: 'row scene' },
      h('label', { class: 'field' }, h('span', {}, t('forms.scene')), h('select', { name: 'scene' },
        (scenes?.length ? scenes : [scene]).map((name) => h('option', { value: name, selected: name === scene }, sceneName(name))))),
      number('seed', t('forms.seed'), seed, '', { step: 1, min: 0 }),
      h('button', { type: 'button', onclick: async (event) => {
        const { form } = event.target;
        if (await studio.try('room.scene', { scene: form.elements.scene.value, seed: Number(form.elements.seed.value) }) !== null) dialog.close();
      } }, t('forms.again')))), (form) => {
    const values = numbers(form, 'pathLossExponent', 'packetLoss', 'sensitivity');
    values.packetLoss /= 100;
    if (fading) values.fading = Number(form.elements.fading.value);
    return studio.try('room.environment', { ...environment, ...values });
  });
}
