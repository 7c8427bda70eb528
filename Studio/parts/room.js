import { h } from '../dom.js';

export const room = {
  name: 'room',
  mount(place, studio) {
    place.append(h('p', {}, 'room'));
    return () => {};
  },
};
