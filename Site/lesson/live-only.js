// The views that a recording cannot show. Each says how to get a live room, with a picture of it.

import { fill, h } from '../../Studio/dom.js';
import { currentLanguage, register, t } from '../../Studio/words.js';

register({
  en: {
    'live.heading': '{view}: with a live room', 'live.command': 'This page plays recordings. One command opens a live room in your browser, with every view:',
    'live.explorer': 'The explorer scans, connects, reads, writes and subscribes: on a phone of the room, or on the Bluetooth adapter of your machine.',
    'live.maker': 'The maker builds a device of your own, as a form and as YAML, and runs it in the room.',
    'live.packets': 'The list has all packets with their fields and octets, with filters, and saves them for Wireshark. The steps of the lesson show theirs here.',
    'live.lesson': 'To the lesson',
  },
  zh: {
    'live.heading': '{view}：需要真实的房间', 'live.command': '这个页面播放的是录制。一条命令就能在浏览器里打开真实的房间，所有视图都可以使用：',
    'live.explorer': '探索器可以扫描、连接、读取、写入和订阅：在房间里的手机上，或者用你机器的蓝牙适配器。',
    'live.maker': '制作视图用表单和 YAML 构建自己的设备，并在房间里运行。',
    'live.packets': '列表里有所有数据包和它们的字段与字节，可以筛选，也可以为 Wireshark 保存。课程的每一步在这里显示自己的数据包。',
    'live.lesson': '前往课程',
  },
});

const PICTURES = { explorer: 'studio-explorer', maker: 'studio-maker', packets: 'studio-packets-dark' };

function view(name) {
  return {
    name,
    mount(place, studio) {
      const language = currentLanguage() === 'zh' ? '-zh' : '';
      const title = t(`app.view.${name}`);
      place.classList.add('live-only');
      fill(place, h('h2', {}, t('live.heading', { view: title })), h('p', {}, t(`live.${name}`)), h('p', {}, t('live.command')),
        h('pre', { tabindex: '0' }, h('code', {}, 'swift run bluelab studio')),
        h('p', {}, h('button', { class: 'primary', onclick: () => studio.show('lesson', 'all') }, t('live.lesson'))),
        h('img', { src: `../Documentation/Pictures/${PICTURES[name]}${language}.png`, alt: title, loading: 'lazy' }));
      return () => place.classList.remove('live-only');
    },
  };
}

export const explorer = view('explorer');
export const maker = view('maker');
export const packets = view('packets');
