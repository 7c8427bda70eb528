// The explorers of the world that the page shows: the room has its devices' identifiers and that of the adapter, the lesson those of its devices with a prefix.

const LESSON = 'lesson-';
const isLesson = (studio) => studio.world() === 'lesson';

/** The identifier of the explorer on a device. */
export function explorerOf(studio, device) { return isLesson(studio) ? LESSON + device : device; }

/** The identifier of the device of an explorer. */
export function deviceOf(explorer) { return explorer.startsWith(LESSON) ? explorer.slice(LESSON.length) : explorer; }

/** Those of this world. */
export function ownExplorers(studio, explorers) { return explorers.filter((one) => one.id.startsWith(LESSON) === isLesson(studio)); }
