// The first run of the room: so slow that a person sees the packets travel, then faster step by step, so that the pulse comes soon.

import { register, t } from '../words.js';

register({
  en: { 'first.slow': 'Slowed down, so that the packets are seen. Choose any speed.' },
  zh: { 'first.slow': '已放慢，便于看清数据包。可以随时选择速度。' },
});

// The speed after each step of the phone: slow from the scan to the connection, and real time once the notifications are on.
const SPEEDS = [[0, 0.001], [7, 0.01], [16, 1]];
// The controllers start in silence, for 5 ms of virtual time: five seconds at the lowest speed.
const SILENCE = 4_500_000;

let isOver = false;
let speed = null; // what the first run has set last
let ends = [];

/** The words for the time bar while the first run is slow; null otherwise. */
export function firstRunText(time) { return speed !== null && time.speed === speed && speed < 1 ? t('first.slow') : null; }

/** Ends the first run: the person chooses the speed. */
export function endFirstRun() {
  isOver = true;
  speed = null;
  for (const end of ends) end();
  ends = [];
}

/** Begins the first run if it is this one. Without motion there is nothing to see at a low speed. */
export async function beginFirstRun(studio) {
  const { store } = studio;
  const isFirst = !isOver && studio.world() === 'room' && store.time.now === 0 && store.time.speed === 1 && store.room?.scene === store.room?.scenes?.[0];
  if (!isFirst || matchMedia('(prefers-reduced-motion: reduce)').matches) return;
  isOver = true;
  const { scene } = store.room;
  const phone = store.room.devices.find((device) => device.program === 'walkthrough')?.id;
  if (!phone) return;
  const change = async () => {
    const step = store.events.items.reduce((last, event) => (event.device === phone && event.step > last ? event.step : last), 0);
    const [, wanted] = SPEEDS.findLast(([from]) => step >= from);
    if (wanted === speed) return;
    speed = wanted;
    await studio.try('time.speed', { speed });
    if (wanted === 1) endFirstRun();
  };
  speed = 0;
  await studio.try('time.seek', { to: SILENCE });
  if (speed === null) return;
  await change();
  if (speed === null) return;
  // It ends when the person selects a speed, goes back, or begins another room.
  let isSet = false;
  let latest = 0;
  ends.push(store.watch('time', (time) => {
    isSet ||= time.speed === speed;
    if (isSet && ![0.01, 0.001].includes(time.speed) || time.now < latest || store.room.scene !== scene) endFirstRun();
    latest = time.now;
  }), store.events.watch(change));
}
