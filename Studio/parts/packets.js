import { h } from '../dom.js';

export const packets = {
  name: 'packets',
  mount(place, studio) {
    place.append(h('p', {}, 'packets'));
    return () => {};
  },
};
