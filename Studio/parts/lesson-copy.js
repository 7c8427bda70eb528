// Programs of the lesson on the reader's machine: first a short one, then the whole one of the lesson. Each is a package, in one copy and file by file.

import { fill, h } from '../dom.js';
import { register, t } from '../words.js';
import { copy, highlighted } from './lesson-code.js';

register({
  en: {
    'copy.title': 'Run it on your machine', 'copy.close': 'Close', 'copy.all': 'Copy everything', 'copy.which': 'Program', 'copy.short': 'The short program: {n} lines', 'copy.full': 'The program of the lesson: {n} lines',
    'copy.text': 'One paste into a terminal writes these files and runs the program. It has both sides of the radio, so no adapter is needed. The first build takes some minutes; Swift 6.3 must be installed.',
    'copy.shortText': 'It finds a heart rate sensor, and prints its pulse. The wristband beside it is for trying.', 'copy.fullText': 'All steps of the lesson, as the page shows them.', 'copy.local': 'It uses the checkout that this studio was built in.',
    'copy.file': 'Copy {name}', 'copy.commands': 'Commands', 'copy.virtual': 'on a radio inside the program', 'copy.adapter': 'with a Bluetooth adapter and a real device',
  },
  zh: {
    'copy.title': '在自己的机器上运行', 'copy.close': '关闭', 'copy.all': '全部复制', 'copy.which': '程序', 'copy.short': '简短的程序：{n} 行', 'copy.full': '课程的程序：{n} 行',
    'copy.text': '在终端里粘贴一次，就会写好这些文件并运行程序。程序里有通信的双方，所以不需要蓝牙适配器。第一次构建需要几分钟，要先安装 Swift 6.3。',
    'copy.shortText': '它寻找心率传感器，并打印脉搏。旁边的手环用来试验。', 'copy.fullText': '课程的所有步骤，与页面上显示的相同。', 'copy.local': '它使用构建这个工作室的源代码目录。',
    'copy.file': '复制 {name}', 'copy.commands': '命令', 'copy.virtual': '使用程序内的模拟无线电', 'copy.adapter': '使用蓝牙适配器和真实设备',
  },
});

/** Shows projects as `lesson.project` returns them: the short one first. */
export function showProjects(short, full) {
  const dialog = h('dialog', { class: 'lesson-project lesson', 'aria-labelledby': 'project-title', onclose: () => dialog.remove() });
  const status = h('p', { class: 'faint', role: 'status' });
  const copied = (text) => copy(text, { say: (words) => { status.textContent = words; } }, dialog);
  const content = h('div', {});
  const choices = [short, full].map((project) => h('button', { onclick: () => show(project) }, t(project === short ? 'copy.short' : 'copy.full', { n: project.lines })));
  function show(project) {
    for (const [index, choice] of choices.entries()) choice.setAttribute('aria-pressed', String(project === [short, full][index]));
    status.textContent = '';
    fill(content, h('p', {}, t(project === short ? 'copy.shortText' : 'copy.fullText'), ' ', t('copy.text'), project.checkout ? ` ${t('copy.local')}` : ''),
      h('p', { class: 'lesson-moves' }, h('button', { class: 'primary', onclick: () => copied(project.script) }, t('copy.all')),
        h('button', { class: 'quiet', onclick: () => dialog.close() }, t('copy.close')), status),
      // The program comes first, and the manifest that builds it last.
      [...project.files.slice(1), project.files[0]].map((file) => h('figure', { class: 'lesson-code' },
        h('figcaption', {}, h('span', { class: 'mono' }, `${project.folder}/${file.name}`), h('button', { 'aria-label': t('copy.file', { name: file.name }), onclick: () => copied(file.text) }, t('lesson.copy'))),
        h('pre', { tabindex: '0', 'aria-label': file.name }, h('code', {}, highlighted(file.text))))),
      h('h3', {}, t('copy.commands')),
      h('dl', { class: 'facts' }, h('dt', {}, h('code', {}, project.run)), h('dd', {}, t('copy.virtual')), h('dt', {}, h('code', {}, project.runWithAdapter)), h('dd', {}, t('copy.adapter'))));
  }
  fill(dialog, h('h2', { id: 'project-title' }, t('copy.title')), h('div', { class: 'segmented', role: 'group', 'aria-label': t('copy.which') }, choices), content);
  show(short);
  document.body.append(dialog);
  dialog.showModal();
}
