import { h } from '../dom.js';

export const explorer = {
  name: 'explorer',
  mount(place, studio) {
    place.append(h('p', {}, 'explorer'));
    return () => {};
  },
};
