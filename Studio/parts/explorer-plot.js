// Small graphs: the signal of a device, and numbers over time.

import { s } from '../dom.js';
import { t } from '../words.js';

/** The path of values in a box. Points are [x, y] in any units. */
function path(points, [left, right], [low, high], width, height) {
  const x = (value) => (right > left ? ((value - left) / (right - left)) * width : width);
  const y = (value) => (high > low ? height - ((value - low) / (high - low)) * height : height / 2);
  return points.map(([a, b], index) => `${index ? 'L' : 'M'}${x(a).toFixed(1)} ${y(b).toFixed(1)}`).join('');
}

/** A line of the last signal strengths. update(signals) changes it. */
export function sparkline() {
  const line = s('path', { fill: 'none', stroke: 'currentColor', 'stroke-width': 1.5, 'vector-effect': 'non-scaling-stroke' });
  const element = s('svg', { class: 'ex-spark', viewBox: '0 -1 60 18', preserveAspectRatio: 'none', 'aria-hidden': 'true' }, line);
  let shown = '';
  return {
    element,
    update(signals) {
      const d = signals.length > 1 ? path(signals.map((value, index) => [index, Math.max(-100, Math.min(-30, value))]), [0, 15], [-100, -30], 60, 16) : '';
      if (d !== shown) line.setAttribute('d', shown = d);
    },
  };
}

const short = (value) => String(+value.toPrecision(6)).replace('-', '−');

/** A graph with its limits. update(points, label, unit) takes [time in nanoseconds, number] pairs. */
export function plot() {
  const line = s('path', { fill: 'none', stroke: 'currentColor', 'stroke-width': 1.5, 'vector-effect': 'non-scaling-stroke', 'stroke-linejoin': 'round' });
  const dot = s('circle', { r: 2.5, fill: 'currentColor' });
  const high = s('text', { x: 4, y: 11 });
  const low = s('text', { x: 4, y: 77 });
  const last = s('text', { x: 296, y: 11, 'text-anchor': 'end', class: 'last' });
  const span = s('text', { x: 296, y: 77, 'text-anchor': 'end' });
  const element = s('svg', { class: 'ex-plot', viewBox: '0 0 300 80', role: 'img' }, s('path', { class: 'grid', d: 'M0 15.5H300M0 40.5H300M0 65.5H300' }), s('g', { transform: 'translate(4 16)' }, line, dot), high, low, last, span);
  let key = '';
  return {
    element,
    update(points, label, unit = '') {
      const end = points.at(-1);
      const now = `${points.length} ${end?.[0]} ${end?.[1]} ${label}`;
      if (now === key || !end) return;
      key = now;
      const values = points.map(([, value]) => value);
      const bottom = Math.min(...values);
      const top = Math.max(...values);
      const range = [points[0][0], end[0]];
      line.setAttribute('d', path(points, range, [bottom, top], 292, 49));
      dot.setAttribute('cx', 292);
      dot.setAttribute('cy', top > bottom ? (49 - ((end[1] - bottom) / (top - bottom)) * 49).toFixed(1) : 24.5);
      high.textContent = short(top);
      low.textContent = short(bottom);
      last.textContent = `${short(end[1])} ${unit}`.trim();
      span.textContent = `${((range[1] - range[0]) / 1e9).toFixed(1)} s`;
      element.setAttribute('aria-label', t('ex.plot', { name: label, last: `${short(end[1])} ${unit}`.trim(), low: short(bottom), high: short(top) }));
    },
  };
}

/** Numbers in turn, as pairs. */
export function pairs(numbers) {
  const points = [];
  for (let index = 0; index + 1 < numbers.length; index += 2) points.push([numbers[index], numbers[index + 1]]);
  return points;
}
