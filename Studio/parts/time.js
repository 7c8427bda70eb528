// The time bar: run, pause, step, speed, and the way back.

import { fill, h } from '../dom.js';
import { seconds } from '../text.js';
import { register, t } from '../words.js';
import { beginFirstRun, endFirstRun, firstRunText } from './first-run.js';
import { icon } from './room-icons.js';

register({
  en: {
    'time.run': 'Run', 'time.pause': 'Pause', 'time.start': 'Back to the start', 'time.step': 'Next packet', 'time.callback': 'Next callback', 'time.noCallback': 'No callback in the next 10 s.', 'time.speed': 'Speed', 'time.fast': 'fast',
    'time.at': 'Time in the room', 'time.slider': 'Moment', 'time.going': 'Going to {time}…', 'time.slow': 'This machine keeps up with ×{rate}.',
    'time.speed.0.001': 'One thousandth of the real speed', 'time.speed.0.01': 'One hundredth of the real speed', 'time.speed.1': 'Real speed',
    'time.speed.10': 'Ten times the real speed', 'time.speed.0': 'As fast as this machine can',
    'time.halt': 'Stop here', 'time.haltHint': 'Stays at the moment that the room has reached', 'time.progress': 'Progress',
    'time.nearlyFull': 'The room can repeat {n} more change. Then go back in time, or begin the scene again.||The room can repeat {n} more changes. Then go back in time, or begin the scene again.',
    'time.textsNearlyFull': 'The room can keep {n} KiB more of profiles and other texts. Then go back in time, or begin the scene again.',
  },
  zh: {
    'time.run': '运行', 'time.pause': '暂停', 'time.start': '回到开始', 'time.step': '下一个数据包', 'time.callback': '下一个回调', 'time.noCallback': '接下来 10 s 内没有回调。', 'time.speed': '速度', 'time.fast': '最快',
    'time.at': '房间里的时间', 'time.slider': '时刻', 'time.going': '正在前往 {time}…', 'time.slow': '这台机器只能达到 ×{rate}。',
    'time.speed.0.001': '真实速度的千分之一', 'time.speed.0.01': '真实速度的百分之一', 'time.speed.1': '真实速度',
    'time.speed.10': '真实速度的十倍', 'time.speed.0': '这台机器能达到的最快速度',
    'time.halt': '停在这里', 'time.haltHint': '停在房间已经到达的时刻', 'time.progress': '进度',
    'time.nearlyFull': '房间还能记录 {n} 次改动，之后请回到过去，或重新开始这个场景。',
    'time.textsNearlyFull': '房间还能保存 {n} KiB 的配置文件和其他文本，之后请回到过去，或重新开始这个场景。',
  },
});

// The octets of texts below which the bar warns: two of the longest profiles.
const NEARLY_FULL = 256 * 1024;
const SPEEDS = [0.001, 0.01, 1, 10, 0];
const NAMES = { 0.001: '×1/1000', 0.01: '×1/100', 1: '×1', 10: '×10' };

export async function toggleRun(studio) {
  if (studio.store.time.isRunning) return studio.try('time.pause');
  await beginFirstRun(studio);
  return studio.try('time.run');
}
export function stepPacket(studio) { return studio.try('time.step'); }

/** Runs to the next callback of a program. */
export async function stepCallback(studio) {
  const answer = await studio.try('time.callback');
  if (answer?.found === false) studio.say(t('time.noCallback'));
}

export async function backToStart(studio) {
  if (studio.store.time.isRunning) await studio.try('time.pause');
  return studio.try('time.seek', { to: 0 });
}

// The speed of a command whose effect is not yet in the topic: two presses of a key count twice.
let asked = null;

/** The next slower or faster of the speeds. A speed between two of them counts as the slower one. */
export function changeSpeed(studio, direction) {
  const order = (speed) => (speed === 0 ? Infinity : speed);
  const index = SPEEDS.findLastIndex((speed) => order(speed) <= order(asked ?? studio.store.time.speed));
  const next = SPEEDS[Math.min(Math.max(Math.max(index, 0) + direction, 0), SPEEDS.length - 1)];
  studio.announce(t(`time.speed.${next}`));
  asked = next;
  endFirstRun();
  return studio.try('time.speed', { speed: next }).then((done) => { if (done === null) asked = null; });
}

/** Fills its place, and returns a function that ends it. */
export function timeBar(place, studio) {
  const { store } = studio;
  const run = h('button', { class: 'primary run', onclick: () => toggleRun(studio) });
  const clock = h('output', { class: 'mono clock', 'aria-label': t('time.at'), 'aria-live': 'off' });
  const speeds = h('div', { class: 'segmented speeds', role: 'group', 'aria-label': t('time.speed') }, SPEEDS.map((speed) =>
    h('button', { dataset: { speed }, title: t(`time.speed.${speed}`), onclick: () => { endFirstRun(); studio.try('time.speed', { speed }); } }, NAMES[speed] ?? t('time.fast'))));
  const slider = h('input', { type: 'range', min: 0, max: 1000, step: 'any', 'aria-label': t('time.slider') });
  const status = h('span', { class: 'status', role: 'status' });
  const progress = h('progress', { max: 1, 'aria-label': t('time.progress') });
  const halt = h('button', { class: 'small halt', title: t('time.haltHint'), onclick: () => studio.try('time.pause') }, t('time.halt'));
  const way = h('span', { class: 'way', hidden: true }, progress, halt);
  fill(place, h('div', { class: 'bar' },
    h('button', { class: 'quiet icon start', 'aria-label': t('time.start'), title: `${t('time.start')} (0)`, onclick: () => backToStart(studio) }, icon('start')),
    run, clock, speeds,
    h('button', { class: 'step', title: `${t('time.step')} (.)`, onclick: () => stepPacket(studio) }, icon('step'), h('span', {}, t('time.step'))),
    h('button', { class: 'step callback', title: `${t('time.callback')} (c)`, onclick: () => stepCallback(studio) }, icon('callback'), h('span', {}, t('time.callback'))),
    h('span', { class: 'track' }, slider, status, way)));

  // The slider names the moment while it is held, and seeks when it is let go.
  let isHeld = false;
  // A seek whose effect is not yet in the topic: ten presses of a key count ten times.
  let going = null;
  async function seek(moment) {
    const own = going = { moment, isThere: false };
    const answer = await studio.try('time.seek', { to: moment });
    own.isThere = answer?.isReached === true;
    if (going === own && !own.isThere) going = null;
  }
  slider.addEventListener('input', () => { isHeld = true; clock.textContent = seconds(Number(slider.value), 6); });
  slider.addEventListener('change', () => {
    isHeld = false;
    seek(Math.round(Number(slider.value)));
  });
  slider.addEventListener('keydown', (event) => {
    const direction = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 }[event.key];
    if (!direction) return;
    event.preventDefault();
    seek(Math.min(Math.max(Math.round((going?.moment ?? store.time.now) + direction * store.time.end / 100), 0), store.time.end));
  });

  let wasRunning = null;
  let frame = 0;
  let drawn = '';
  let moved = 0;
  let last = 0;
  function draw(real) {
    frame = 0;
    // Thirty times a second while it runs: the texts beside the plan cost a layout.
    if (!isHeld && (!store.time.isRunning || real - last > 30)) {
      last = real;
      const now = store.now();
      const text = seconds(now, 6);
      if (text !== drawn) clock.textContent = drawn = text;
      const end = Math.max(store.time.end, now, 1);
      if (!store.time.isRunning || real - moved > 100) {
        moved = real;
        slider.max = end;
        slider.value = now;
      }
    }
    if (store.time.isRunning) frame = requestAnimationFrame(draw);
  }

  // A way back that takes a while shows how far it is, and can be stopped.
  let waiting = 0;
  function showWay(time) {
    if (!time.isSeeking) {
      clearTimeout(waiting);
      waiting = 0;
      if (halt === document.activeElement) run.focus();
      way.hidden = true;
      return;
    }
    if (Number.isFinite(time.progress)) progress.value = time.progress;
    else progress.removeAttribute('value');
    if (!waiting) waiting = setTimeout(() => { way.hidden = false; }, 400);
  }

  function update(time) {
    showWay(time);
    if (time.speed === asked) asked = null;
    if (time.isRunning !== wasRunning) {
      wasRunning = time.isRunning;
      fill(run, icon(time.isRunning ? 'pause' : 'run'), t(time.isRunning ? 'time.pause' : 'time.run'));
      run.title = `${run.textContent} (${t('keys.space')})`;
    }
    for (const button of speeds.children) button.setAttribute('aria-pressed', String(Number(button.dataset.speed) === time.speed));
    slider.disabled = time.end === 0;
    slider.setAttribute('aria-valuetext', seconds(time.now));
    status.textContent = message(time);
    if (!frame) frame = requestAnimationFrame(draw);
  }

  function message(time) {
    if (time.isSeeking) return t('time.going', { time: going ? seconds(going.moment) : '' });
    if (going?.isThere) going = null;
    const slow = firstRunText(time);
    if (slow) return slow;
    if (time.commandsLeft < 1000) return t('time.nearlyFull', { n: time.commandsLeft });
    if (time.textLeft < NEARLY_FULL) return t('time.textsNearlyFull', { n: Math.floor(time.textLeft / 1024) });
    if (!time.isRunning || !Number.isFinite(time.actualSpeed)) return '';
    return time.speed > 0 && time.actualSpeed < 0.85 * time.speed ? t('time.slow', { rate: +time.actualSpeed.toPrecision(2) }) : '';
  }

  const ends = [store.watch('time', update), () => cancelAnimationFrame(frame), () => clearTimeout(waiting)];
  return () => { for (const end of ends) end(); };
}
