// The recordings of the lesson: loaded as scripts, because a page that was opened from a file may load nothing else, and unpacked when they are needed.

const waiting = new Map(); // name: resolve
const files = new Map();   // name: promise of the content, or of null

globalThis.lessonRecording = (name, text) => waiting.get(name)?.(text);

/** The content of a file; null if there is none. */
function load(name) {
  if (!files.has(name)) files.set(name, fetchScript(name).then((text) => text && unpack(text)));
  return files.get(name);
}

function fetchScript(name) {
  return new Promise((resolve) => {
    const script = document.createElement('script');
    waiting.set(name, resolve);
    script.src = `data/${encodeURIComponent(name)}.js`;
    script.onerror = () => resolve(null);
    document.head.append(script);
  });
}

async function unpack(text) {
  const octets = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([octets]).stream().pipeThrough(new DecompressionStream('gzip'));
  return JSON.parse(await new Response(stream).text());
}

/** {catalogue, projects, names}: the answers that are the same all the time, and the names of the recordings. */
export function catalogue() { return load('catalogue'); }

/** The name that Scripts/record-lessons gives a recording. */
function nameOf(lesson, parameters, actions) {
  return [lesson, ...Object.values(parameters).map((value) => String(value).replace(/[^A-Za-z0-9.]+/g, '-')), ...actions].join('.');
}

export class Recording {
  /** The recording of a lesson with these settings, after these actions; null if there is none. Settings that are not named have their first value. */
  static async of(lesson, parameters, actions) {
    const { catalogue: { scenes }, names } = await catalogue();
    const scene = scenes.find((item) => item.id === lesson);
    if (!scene) return null;
    const settings = Object.fromEntries(scene.choices.map((choice) => [choice.name, parameters[choice.name] ?? choice.values[0]]));
    const name = nameOf(lesson, settings, actions);
    if (!names.includes(name)) return null;
    const content = await load(name);
    return content && new Recording(content, content.parent ? await Recording.of(lesson, parameters, actions.slice(0, -1)) : null);
  }

  constructor(content, parent) {
    const { lesson, parameters, actions, begin, end, reached, ends, air } = content;
    Object.assign(this, { lesson, parameters, actions, begin, end, reached, ends, air, parent });
    // A continuation begins with what its parent did until then.
    const before = (rows, time) => rows.slice(0, rows.findIndex((row) => time(row) > begin) < 0 ? rows.length : rows.findIndex((row) => time(row) > begin));
    this.packets = parent ? [...before(parent.packets, (row) => row.start + row.duration), ...content.packets] : content.packets;
    this.events = parent ? [...before(parent.events, (row) => row.time), ...content.events] : content.events;
    this.samples = parent ? parent.samples.filter(([time]) => time <= begin) : [];
    let last = {};
    for (const [time, changes] of content.samples) {
      last = { ...last, ...changes };
      this.samples.push([time, last]);
    }
  }

  /** The actions that were taken until a moment. */
  taken(moment) { return moment > this.begin || !this.parent ? this.actions : this.parent.taken(moment); }

  /** The topics `room` and `counts` at a moment. */
  topicsAt(moment) {
    const found = this.samples.findLast(([time]) => time <= moment) ?? this.samples[0];
    return found[1];
  }

  /** The packets that are on the air at a moment, as the topic `flight` has them. */
  flight(moment) { return this.packets.filter((packet) => packet.start <= moment && moment < packet.start + packet.duration); }
}
