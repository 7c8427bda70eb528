import { h } from '../dom.js';

export const lesson = {
  name: 'lesson',
  mount(place, studio) {
    place.append(h('p', {}, 'lesson'));
    return () => {};
  },
};
