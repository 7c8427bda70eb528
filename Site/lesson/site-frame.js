// What the page of the studio has on the site besides: the way back, and a line that says that this is a recording.

import { h } from '../../Studio/dom.js';
import { currentLanguage, register, t } from '../../Studio/words.js';

register({
  en: { 'site.back': 'Documentation', 'site.recorded': 'A recording.', 'site.live': 'Live: swift run bluelab studio' },
  zh: { 'site.back': '文档', 'site.recorded': '录制。', 'site.live': '真实的房间：swift run bluelab studio' },
});

/** The page builds its frame again after a change of the language. */
function complete() {
  const settings = document.querySelector('header.top .settings');
  if (!settings || document.querySelector('.site-way')) return;
  const home = `../index${currentLanguage() === 'zh' ? '.zh-CN' : ''}.html`;
  settings.before(h('p', { class: 'site-way' }, h('span', { class: 'faint' }, t('site.recorded'), ' '), h('code', { title: t('site.live') }, 'bluelab studio'), ' ', h('a', { href: home }, t('site.back'))));
}

new MutationObserver(complete).observe(document.body, { childList: true });
complete();
