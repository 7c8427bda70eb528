// Icons as strokes in a square of 24.

import { s } from '../dom.js';

const PATHS = {
  studio: 'M12 3v18M7 8l10 8-5 5V3l5 5L7 16',
  phone: 'M8 3h8a1.5 1.5 0 0 1 1.5 1.5v15A1.5 1.5 0 0 1 16 21H8a1.5 1.5 0 0 1-1.5-1.5v-15A1.5 1.5 0 0 1 8 3zM11 18h2',
  wearable: 'M12 7a5 5 0 1 1 0 10a5 5 0 0 1 0-10zM9 7.5 9.6 3h4.8l.6 4.5M9 16.5l.6 4.5h4.8l.6-4.5M12 10v2l1.4 1',
  sensor: 'M10 13.5V5a2 2 0 1 1 4 0v8.5a4 4 0 1 1-4 0zM12 9v7',
  beacon: 'M12 13v8M12 10.5a1.2 1.2 0 1 1 0 2.4a1.2 1.2 0 0 1 0-2.4zM8.5 15a5 5 0 1 1 7 0M6 17.5a8.5 8.5 0 1 1 12 0',
  lamp: 'M9 17.5h6M10 21h4M12 3a6 6 0 0 1 3.5 10.9c-.6.5-.9 1.1-.9 1.8H9.4c0-.7-.3-1.3-.9-1.8A6 6 0 0 1 12 3z',
  other: 'M6.5 6.5h11v11h-11zM10 3v3.5M14 3v3.5M10 17.5V21M14 17.5V21M3 10h3.5M3 14h3.5M17.5 10H21M17.5 14H21',
  run: 'M8 5.5v13l10.5-6.5z', pause: 'M8.5 5.5v13M15.5 5.5v13', start: 'M6 5.5v13M18.5 5.5v13L9 12z', step: 'M6 5.5v13l9-6.5zM18 5.5v13',
  callback: 'M9 5.5 3.5 11 9 16.5M3.5 11H15a5.5 5.5 0 0 1 5.5 5.5v2',
  plus: 'M12 5v14M5 12h14', minus: 'M5 12h14', close: 'M6.5 6.5l11 11M17.5 6.5l-11 11', fit: 'M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5',
  wall: 'M3 6h18v12H3zM3 12h18M9 6v6M15 6v6M6 12v6M12 12v6M18 12v6', select: 'M6 3.5l12.5 8-5.5 1.5-2.5 5.5z', radio: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 5v4M9 15v4',
  undo: 'M8.500 5 4 9.500 8.500 14M4 9.500H14a5.500 5.500 0 0 1 0 11h-3', redo: 'M15.500 5 20 9.500 15.500 14M20 9.500H10a5.500 5.500 0 0 0 0 11h3',
  folder: 'M3.500 6.500V19h17V8.500h-8.500L10 6.500z', save: 'M12 4v11M7 10.500l5 5 5-5M4.500 20h15', link: 'M10 14a4 4 0 0 0 6 .4l3-3a4.200 4.200 0 0 0-6-6l-1.500 1.500M14 10a4 4 0 0 0-6-.4l-3 3a4.200 4.200 0 0 0 6 6l1.500-1.500',
  lock: 'M6.5 11h11v9h-11zM8.5 11V8a3.5 3.5 0 0 1 7 0v3', open: 'M9 6l6 6-6 6',
  keyboard: 'M3 7h18v10H3zM6.5 10.5h.01M10 10.5h.01M14 10.5h.01M17.5 10.5h.01M8 14h8', system: 'M12 4a8 8 0 1 0 0 16zM12 4a8 8 0 0 1 0 16',
  light: 'M12 8a4 4 0 1 1 0 8a4 4 0 0 1 0-8zM12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.700l1.4-1.4M17.3 6.700l1.4-1.4',
  dark: 'M19.5 14.5A8 8 0 1 1 9.5 4.5a6.5 6.5 0 0 0 10 10z',
};

export function iconPath(name) { return PATHS[name] ?? PATHS.other; }

export function icon(name) {
  return s('svg', { viewBox: '0 0 24 24', width: 16, height: 16, fill: 'none', stroke: 'currentColor', 'stroke-width': 1.8, 'stroke-linecap': 'round', 'stroke-linejoin': 'round', 'aria-hidden': 'true' },
    s('path', { d: iconPath(name) }));
}
