// Swift source: light colours for what a reader looks for, and a button that copies.

import { fill, h } from '../dom.js';
import { t } from '../words.js';

const TOKENS = /(\/\/[^\n]*)|("(?:\\.|[^"\\])*")|\b(func|var|let|if|else|guard|return|for|in|while|switch|case|default|class|final|private|init|self|nil|true|false|import|where)\b|\b(CB\w+|didDiscover\w*|did[A-Z]\w*|centralManager\w*|peripheralManager\w*|peripheralIsReady)\b/g;

/** The nodes of a piece of source. */
export function highlighted(text) {
  const nodes = [];
  let from = 0;
  for (const match of text.matchAll(TOKENS)) {
    if (match.index > from) nodes.push(text.slice(from, match.index));
    const kind = match[1] ? 'comment' : match[2] ? 'string' : match[3] ? 'keyword' : 'name';
    nodes.push(h('span', { class: `lesson-${kind}` }, match[0]));
    from = match.index + match[0].length;
  }
  nodes.push(text.slice(from));
  return nodes;
}

/** Copies text, and says so. A browser without the clipboard's API selects the text instead. */
export async function copy(text, studio, place = document.body) {
  try {
    await navigator.clipboard.writeText(text);
    studio.say(t('lesson.copied'));
  } catch {
    const area = h('textarea', { class: 'lesson-clip', 'aria-hidden': 'true', readonly: true });
    area.value = text;
    place.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    studio.say(t(done ? 'lesson.copied' : 'lesson.copyFailed'));
  }
}

/** A block of source with its file and buttons. `showWhole` shows the whole program. */
export function codeBlock(part, showWhole, studio) {
  return h('figure', { class: 'lesson-code' },
    h('figcaption', {}, h('span', { class: 'faint mono' }, `${part.file}:${part.line}`),
      h('button', { onclick: () => copy(part.text, studio) }, t('lesson.copy')),
      h('button', { onclick: showWhole }, t('lesson.whole'))),
    h('pre', { tabindex: '0', 'aria-label': part.file }, h('code', {}, highlighted(part.text))));
}

/** A whole program in a box of its own: {element, show(text), mark(part)}. The lines of a part are marked, and the box scrolls to them. */
export function codeOf(name) {
  const code = h('code', {});
  const element = h('pre', { class: 'lesson-whole', tabindex: '0', 'aria-label': name }, code);
  let lines = [];
  return {
    element,
    show(text) {
      // A string or a comment ends with its line.
      lines = text.split('\n').map((line) => ({ text: plainLine(line), node: h('span', { class: 'lesson-row' }, highlighted(line), '\n') }));
      fill(code, lines.map((line) => line.node));
    },
    mark(part) {
      for (const { node } of lines) node.classList.remove('own');
      const wanted = (part ?? '').split('\n').map(plainLine).filter(Boolean);
      const first = wanted.length ? lines.findIndex((_, index) => isAt(lines, index, wanted)) : -1;
      if (first < 0) return;
      let left = wanted.length;
      for (let index = first; left > 0; index += 1) {
        if (!lines[index].text || isReport(lines[index].text)) continue;
        lines[index].node.classList.add('own');
        left -= 1;
      }
      element.scrollTop = lines[first].node.offsetTop - 24;
    },
  };
}

/** A line as the page compares it: without indentation, `public`, and the brace that begins a body. */
function plainLine(line) { return line.trim().replace('public ', '').replace(/\s*\{$/, ''); }

/** The report of a step, which the page leaves out of the steps' lines. */
function isReport(line) { return line.startsWith('onStep('); }

function isAt(lines, index, wanted) {
  let at = index;
  for (const line of wanted) {
    while (at < lines.length && at > index && (!lines[at].text || isReport(lines[at].text))) at += 1;
    if (lines[at]?.text !== line) return false;
    at += 1;
  }
  return true;
}
