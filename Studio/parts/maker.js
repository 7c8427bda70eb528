import { h } from '../dom.js';

export const maker = {
  name: 'maker',
  mount(place, studio) {
    place.append(h('p', {}, 'maker'));
    return () => {};
  },
};
