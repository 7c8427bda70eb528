// A program of the lesson on the reader's machine: its package, in one copy, and file by file.

import { fill, h } from '../dom.js';
import { register, t } from '../words.js';
import { copy, highlighted } from './lesson-code.js';

register({
  en: {
    'copy.title': 'Run it on your machine', 'copy.close': 'Close', 'copy.all': 'Copy everything',
    'copy.text': 'One paste into a terminal writes these files and runs the program. It has both sides of the radio, so no adapter is needed. The first build takes some minutes; Swift 6.3 must be installed.',
    'copy.file': 'Copy {name}', 'copy.commands': 'Commands', 'copy.virtual': 'on a radio inside the program', 'copy.adapter': 'with a Bluetooth adapter and a real device',
  },
  zh: {
    'copy.title': '在自己的机器上运行', 'copy.close': '关闭', 'copy.all': '全部复制',
    'copy.text': '在终端里粘贴一次，就会写好这些文件并运行程序。程序里有通信的双方，所以不需要蓝牙适配器。第一次构建需要几分钟，要先安装 Swift 6.3。',
    'copy.file': '复制 {name}', 'copy.commands': '命令', 'copy.virtual': '使用程序内的模拟无线电', 'copy.adapter': '使用蓝牙适配器和真实设备',
  },
});

/** Shows a project as `lesson.project` returns it. */
export function showProject(project) {
  const dialog = h('dialog', { class: 'lesson-project lesson', 'aria-labelledby': 'project-title', onclose: () => dialog.remove() });
  const status = h('p', { class: 'faint', role: 'status' });
  const copied = (text) => copy(text, { say: (words) => { status.textContent = words; } }, dialog);
  fill(dialog, h('h2', { id: 'project-title' }, t('copy.title')), h('p', {}, t('copy.text')),
    h('p', { class: 'lesson-moves' }, h('button', { class: 'primary', onclick: () => copied(project.script) }, t('copy.all')),
      h('button', { class: 'quiet', onclick: () => dialog.close() }, t('copy.close')), status),
    project.files.map((file) => h('figure', { class: 'lesson-code' },
      h('figcaption', {}, h('span', { class: 'mono' }, `${project.folder}/${file.name}`), h('button', { 'aria-label': t('copy.file', { name: file.name }), onclick: () => copied(file.text) }, t('lesson.copy'))),
      h('pre', { tabindex: '0', 'aria-label': file.name }, h('code', {}, highlighted(file.text))))),
    h('h3', {}, t('copy.commands')),
    h('dl', { class: 'facts' }, h('dt', { class: 'mono' }, project.run), h('dd', {}, t('copy.virtual')), h('dt', { class: 'mono' }, project.runWithAdapter), h('dd', {}, t('copy.adapter'))));
  document.body.append(dialog);
  dialog.showModal();
}
