// The story of a capture file, the same lines as those of `bluelab explain`. What a line says about a packet leads to the packet in the list.

import { fill, h } from '../dom.js';
import { plain } from '../text.js';
import { pick, register, t } from '../words.js';
import { pane } from './room-pane.js';

register({
  en: {
    'capture.story': 'What happened', 'capture.closed': 'This studio has no capture. Open one with:', 'capture.start': 'The first packet is from {time}.', 'capture.empty': 'The file has no packets.',
    'capture.more': 'The story has {n} more line. bluelab explain prints all of them.||The story has {n} more lines. bluelab explain prints all of them.',
  },
  zh: {
    'capture.story': '发生了什么', 'capture.closed': '这个工作室没有抓包文件。打开一个：', 'capture.start': '第一个数据包的时间是 {time}。', 'capture.empty': '文件中没有数据包。',
    'capture.more': '还有 {n} 行。bluelab explain 会全部打印。',
  },
});

/** Fills its place, and returns a function that ends it. */
export function captureStory(place, studio) {
  const { body } = pane(place, 'capture.story', false);
  const list = h('ul', { class: 'list story', 'aria-label': t('capture.story') });
  const more = h('p', { class: 'notice', hidden: true });
  fill(body, list, more);
  let request = 0;

  async function load(capture) {
    const own = request += 1;
    if (!capture) {
      fill(list);
      more.hidden = true;
      return;
    }
    const story = await studio.try('capture.story');
    if (own !== request || !story) return;
    fill(list, pick(story).map(line));
    more.hidden = story.leftOut === 0;
    more.textContent = t('capture.more', { n: story.leftOut });
  }

  const end = studio.topic('capture', load);
  return () => { request += 1; end(); };
}

// The classes of lines by their styles.
const CLASSES = { heading: 'heading', note: 'warn', problem: 'bad' };

/** A line with its indentation. If it names one packet, all of it is a link. */
function line({ style, parts }) {
  const whole = parts.map((part) => part.text).join('');
  const level = Math.min(3, Math.floor((whole.length - whole.trimStart().length) / 2));
  const named = parts.filter((part) => part.n);
  // The columns of a terminal are too wide for the pane.
  const texts = parts.map((part) => ({ n: part.n, text: part.text.trim() ? plain(part.text, 1000).replace(/ {3,}/g, '  ') : part.text }));
  texts[0].text = texts[0].text.trimStart();
  const isWhole = named.length === 1;
  const content = texts.map(({ text, n }) => (n && !isWhole ? h('a', { href: address(n) }, text) : text));
  return h('li', { class: `story-line ${CLASSES[style] ?? ''}`, dir: 'ltr', style: { paddingInlineStart: `${6 + 12 * level}px` } },
    style === 'heading' ? h('h3', {}, content) : isWhole ? h('a', { href: address(named[0].n) }, content) : content);
}

function address(n) { return `#packets@capture/${n}`; }
