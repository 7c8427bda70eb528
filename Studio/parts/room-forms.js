// Forms of the room: a new device, a wall in numbers, the radio's environment, the choice of a scene.

import { fill, h } from '../dom.js';
import { plain } from '../text.js';
import { pick, register, t } from '../words.js';
import { scenes as lessonScenes } from './lesson-words-scenes.js';

register({
  en: {
    'forms.new': 'New device', 'forms.program': 'Program', 'forms.name': 'Name', 'forms.add': 'Add', 'forms.cancel': 'Cancel',
    'forms.profiles': 'Profiles', 'forms.lesson': 'Programs of the lesson', 'program.explorer': 'Phone with the explorer', 'forms.maker': 'Or make your own device', 'forms.none': 'The room has no programs yet.', 'forms.wall': 'Wall', 'forms.wall.hint': 'Drag on the plan, or give both ends in metres.',
    'forms.from': 'From', 'forms.to': 'To', 'forms.attenuation': 'Attenuation', 'forms.build': 'Build', 'forms.done': 'Done', 'forms.radio': 'Radio and scene',
    'forms.exponent': 'Path loss exponent', 'forms.fading': 'Fading', 'forms.loss': 'Packets lost', 'forms.sensitivity': 'Sensitivity of receivers',
    'forms.exponent.hint': '2 is free space, 3 to 4 a building.', 'forms.radio.hint': 'Applies to all devices from this moment on.', 'forms.apply': 'Apply',
    'forms.scene': 'Scene', 'forms.seed': 'Seed', 'forms.again': 'Begin anew', 'forms.again.hint': 'Loads the scene at time 0. The present room can be brought back here. Equal seeds give equal runs.', 'forms.back': 'Bring back the room before this one: {name}', 'forms.back.hint': 'It comes back with its seed and all of your changes, at its moment.', 'forms.x': 'x', 'forms.y': 'y',
    'program.walkthrough': 'Phone of the tutorial', 'program.wristband': 'Wristband', 'program.phone': 'Phone', 'program.beacon': 'Beacon', 'program.advertiser': 'Advertiser', 'program.lock': 'Lock with a display', 'program.lock-with-keys': 'Lock with a display and keys',
    'scene.pair': 'A phone and a wristband', 'scene.empty': 'An empty room', 'scene.crowd': 'A crowd', 'scene.file': 'A world from a file', 'program.bare': 'Device without a program',
    'kind.phone': 'Phone', 'kind.wearable': 'Wearable', 'kind.sensor': 'Sensor', 'kind.beacon': 'Beacon', 'kind.lamp': 'Lamp', 'kind.other': 'Device',
  },
  zh: {
    'forms.new': '新设备', 'forms.program': '程序', 'forms.name': '名称', 'forms.add': '添加', 'forms.cancel': '取消',
    'forms.profiles': '配置文件', 'forms.lesson': '课程中的程序', 'program.explorer': '运行探索器的手机', 'forms.maker': '或者制作自己的设备', 'forms.none': '房间里还没有程序。', 'forms.wall': '墙', 'forms.wall.hint': '在平面图上拖动，或者填写两端的坐标（米）。',
    'forms.from': '起点', 'forms.to': '终点', 'forms.attenuation': '衰减', 'forms.build': '建墙', 'forms.done': '完成', 'forms.radio': '无线环境和场景',
    'forms.exponent': '路径损耗指数', 'forms.fading': '衰落', 'forms.loss': '丢包率', 'forms.sensitivity': '接收灵敏度',
    'forms.exponent.hint': '2 为自由空间，3 到 4 为建筑物内。', 'forms.radio.hint': '从此刻起对所有设备生效。', 'forms.apply': '应用',
    'forms.scene': '场景', 'forms.seed': '随机种子', 'forms.again': '重新开始', 'forms.again.hint': '从时间 0 加载场景，当前的房间可以在这里恢复。相同的种子得到相同的过程。', 'forms.back': '恢复之前的房间：{name}', 'forms.back.hint': '它会带着自己的种子和你的所有改动，回到原来的时刻。', 'forms.x': 'x', 'forms.y': 'y',
    'program.walkthrough': '教程中的手机', 'program.wristband': '手环', 'program.phone': '手机', 'program.beacon': '信标', 'program.advertiser': '广播设备', 'program.lock': '有显示屏的锁', 'program.lock-with-keys': '有显示屏和按键的锁',
    'scene.pair': '手机和手环', 'scene.empty': '空房间', 'scene.crowd': '拥挤的房间', 'scene.file': '文件中的世界', 'program.bare': '没有程序的设备',
    'kind.phone': '手机', 'kind.wearable': '穿戴设备', 'kind.sensor': '传感器', 'kind.beacon': '信标', 'kind.lamp': '灯', 'kind.other': '设备',
  },
});

/** The name of a program for people, or its identifier with a capital letter. */
export function programName(program) {
  const known = t(`program.${program.id}`);
  if (known !== `program.${program.id}`) return known;
  const words = program.id.replace(/^profile:/, '').replace(/[-_.]+/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A name for a device that runs a program. */
function deviceName(program) { return program.kind === 'phone' ? t(`kind.${program.kind}`) : programName(program); }

function sceneName(id) {
  const known = t(`scene.${id}`);
  return known === `scene.${id}` ? pick(lessonScenes[id])?.title ?? id : known;
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
export function formDialog(title, submit, content, send) {
  const dialog = h('dialog', { 'aria-labelledby': 'form-title', onclose: () => dialog.remove() });
  const failure = h('p', { class: 'error failure', role: 'alert' });
  fill(dialog, h('form', { onsubmit: async (event) => {
    event.preventDefault();
    failure.textContent = '';
    if (await send(event.target) !== null) dialog.close();
  } }, h('h2', { id: 'form-title' }, title), content(dialog), failure,
  h('div', { class: 'actions' }, h('button', { type: 'button', class: 'quiet', onclick: () => dialog.close() }, t('forms.cancel')),
    h('button', { type: 'submit', class: 'primary' }, submit))));
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** The programs as options: those of the room, the profiles, and those of the lesson. */
function programGroups(programs) {
  const isProfile = (program) => program.id.startsWith('profile:');
  const isOwn = (program) => t(`program.${program.id}`) !== `program.${program.id}`;
  const options = (kept) => kept.map((program) => h('option', { value: program.id }, `${plain(programName(program))} · ${t(`kind.${program.kind}`)}`));
  const group = (label, kept) => (kept.length ? h('optgroup', { label }, options(kept)) : null);
  return [options(programs.filter(isOwn)), group(t('forms.profiles'), programs.filter(isProfile)),
    group(t('forms.lesson'), programs.filter((program) => !isOwn(program) && !isProfile(program)))];
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
      } }, programGroups(choices))),
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
  number('attenuation', t('forms.attenuation'), 60, 'dB', { min: 0, max: 200 }),
  h('div', { class: 'row end' }, h('button', { type: 'button', class: 'quiet', onclick: done }, t('forms.done')), h('button', { type: 'submit', class: 'primary' }, t('forms.build'))));
  return {
    element: form,
    attenuation: () => Number(form.elements.attenuation.value) || 0,
    show: (wall) => { for (const name of ['x1', 'y1', 'x2', 'y2']) form.elements[name].value = +wall[name].toFixed(2); },
  };
}

/** The radio's environment and the scene, each with a form of its own. */
export function environmentDialog(studio) {
  const { environment, scene, seed, scenes, former, formerTitle } = studio.store.room;
  const dialog = formDialog(t('forms.radio'), t('forms.apply'), () => h('div', { class: 'column' },
    h('div', { class: 'fields' },
      number('pathLossExponent', t('forms.exponent'), environment.pathLossExponent, '', { min: 1, max: 6 }),
      number('fading', t('forms.fading'), environment.fading, 'dB', { min: 0, max: 20 }),
      number('packetLoss', t('forms.loss'), +(environment.packetLoss * 100).toFixed(3), '%', { min: 0, max: 100 }),
      number('sensitivity', t('forms.sensitivity'), environment.sensitivity, 'dBm', { min: -120, max: -40 })),
    h('p', { class: 'hint' }, t('forms.exponent.hint'), ' ', t('forms.radio.hint'))), (form) => {
    const values = numbers(form, 'pathLossExponent', 'fading', 'packetLoss', 'sensitivity');
    return studio.try('room.environment', { ...values, packetLoss: values.packetLoss / 100 });
  });
  dialog.append(h('hr', {}), h('form', { class: 'column', onsubmit: async (event) => {
    event.preventDefault();
    const { elements } = event.target;
    if (await studio.try('room.scene', { scene: elements.scene.value, seed: Number(elements.seed.value) }) !== null) dialog.close();
  } }, h('div', { class: 'row scene' },
    h('label', { class: 'field grow' }, h('span', {}, t('forms.scene')), h('select', { name: 'scene' },
      (scenes?.length ? scenes : [scene]).map((name) => h('option', { value: name, selected: name === scene }, sceneName(name))))),
    number('seed', t('forms.seed'), seed, '', { step: 1, min: 0, max: Number.MAX_SAFE_INTEGER })),
  h('p', { class: 'hint' }, t('forms.again.hint')),
  h('div', { class: 'row end' }, h('button', { type: 'submit' }, t('forms.again')))));
  if (!former) return;
  dialog.append(h('hr', {}), h('p', { class: 'hint' }, t('forms.back.hint')), h('div', { class: 'row end' }, h('button', { class: 'back', onclick: () => {
    dialog.close();
    studio.try('room.back');
  } }, t('forms.back', { name: plain(formerTitle || sceneName(former)) }))));
}
