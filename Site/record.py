"""Records the lesson of a running `bluelab studio` for the site: see Scripts/record-lessons.

Each recording is a run of a scene with one choice of its settings, from the start or from the moment of an action on. A file NAME.json.gz has

    lesson, parameters, actions    what was opened, and the actions that were taken, in order
    parent, begin                  the recording that this one continues, and when, in virtual nanoseconds; null and 0 for a run from the start
    end                            the last moment
    packets, events                the rows of the streams `packets` and `happened` after `begin`
    samples                        [time, {"room", "counts"}] of the topics, with what is not as in the sample before
    reached, ends, air             of a tour: the steps that the program reached, when each step ends, and the packets that belong to it

and catalogue.json.gz has the answers to `lesson.catalogue` and `lesson.project`. Equal seeds give equal runs, so equal sources give equal files.
"""

import argparse
import gzip
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "Interop/studio"))

from weblink import WebLink  # noqa: E402

MILLISECOND, SECOND = 1_000_000, 1_000_000_000
TOPICS, STREAMS = ("time", "room", "counts"), ("packets", "happened")
# The time between two samples of the topics, besides those at each event; and the most samples at events.
GRID, MOST_SAMPLES = SECOND // 2, 160
# A scene is recorded until nothing has happened for QUIET, at most for LIMIT, and until it has MOST_PACKETS packets.
QUIET, LIMIT, MOST_PACKETS = 4 * SECOND, 60 * SECOND, 9000
# The moment of the first action, and the time between two.
ACTION, PAUSE = 4 * SECOND, 8 * SECOND
# The program that the page offers first for the reader's machine.
SHORT = "Pulse"
# The sequences of actions that make sense, for each scene with actions. Each beginning of one is a recording as well.
ACTIONS = {
    "try-drop": [["wall"], ["walk", "back"], ["off", "on"], ["cancel"]],
    "q2": [["rename"]],
    "q3": [["cancel", "connect"], ["off", "on"]],
    "q4": [["hour", "on"], ["on"]],
    "q9": [["cancel", "scan"], ["cancel", "connected"], ["cancel", "known"]],
    "q13": [["advertise"]],
}


class Studio:
    """A running studio with a state folder of its own."""

    def __init__(self, tool, home):
        environment = os.environ | {"XDG_STATE_HOME": home, "XDG_RUNTIME_DIR": home, "HOME": home}
        # A studio in a checkout offers programs that depend on that folder.
        copy = shutil.copy(tool, home)
        self.process = subprocess.Popen([copy, "studio", "--no-open", "--port", "0"], stdout=subprocess.PIPE, text=True, env=environment)
        self.link = WebLink(re.search(r"http://\S+", self.process.stdout.readline()).group(), timeout=60)
        # The lesson has a world of its own in newer studios: its topics and commands begin with `lesson.`.
        self.world = "lesson." if self.knows("lesson.time.pause") else ""

    def do(self, command, arguments=None):
        return self.link.do(self.world + command if command.startswith("time.") else command, arguments)

    def knows(self, command, arguments=None):
        try:
            return self.link.do(command, arguments) is not None
        except AssertionError:
            return False

    @property
    def watched(self):
        return ["lesson", *(self.world + name for name in TOPICS)]

    @property
    def streams(self):
        return [self.world + name for name in STREAMS]

    def open(self, lesson, parameters):
        """Begins a scene, and watches it from its first packet on."""
        self.link.watch()
        self.do("studio.ping")
        self.link.topics.clear()
        self.link.items.clear()
        self.do("lesson.open", {"lesson": lesson, "parameters": parameters})
        self.link.watch(*self.watched, *self.streams)
        self.link.wait("lesson", lambda value: value["lesson"] == lesson)
        self.link.wait(self.world + "time", lambda value: value["now"] == 0)

    def seek(self, moment):
        self.do("time.seek", {"to": moment})
        self.link.wait(self.world + "time", lambda value: value["now"] == moment and not value["isSeeking"])

    def topic(self, name):
        """The present value of a topic: the last update may be older than the last answer."""
        self.link.watch(*self.streams)
        self.do("studio.ping")
        for known in self.watched:
            self.link.topics.pop(known, None)
        self.link.watch(*self.watched, *self.streams)
        return self.value(name)

    def value(self, name):
        return self.link.wait(name if name == "lesson" else self.world + name)

    def now(self):
        return self.topic("time")["now"]

    @property
    def packets(self):
        return self.link.items.get(self.world + "packets", [])

    @property
    def events(self):
        return self.link.items.get(self.world + "happened", [])

    def end(self):
        self.link.close()
        self.process.terminate()
        self.process.wait(20)


def act(studio, actions):
    """Takes actions at their moments. Returns the moments before and after the last one."""
    start = moment = 0
    for number, action in enumerate(actions):
        start = ACTION if number == 0 else moment + PAUSE
        studio.seek(start)
        studio.do("lesson.act", {"action": action})
        moment = studio.now()
    return start, moment


def find_end(studio, begin, least):
    """Lets time pass until the scene is quiet, at least until `least`, and returns that moment."""
    moment, first = begin, len(studio.packets)
    while True:
        moment += SECOND
        studio.seek(moment)
        busy = [row["start"] for row in studio.packets if row["layer"] in ("att", "smp") and "HANDLE_VALUE" not in row["name"]]
        last = max([studio.events[-1]["time"] if studio.events else 0, *busy[-1:]])
        isEnough = moment - begin >= LIMIT or len(studio.packets) - first >= MOST_PACKETS or moment - last >= QUIET
        if moment >= least and isEnough:
            return moment


def moments(events, begin, end):
    """When the topics are sampled: at the events, and regularly. An hour in which nothing happens has few."""
    times = sorted({event["time"] for event in events if begin < event["time"] <= end})
    step = max(1, -(-len(times) // MOST_SAMPLES))
    grid = max(GRID, (end - begin) // 60 // MILLISECOND * MILLISECOND)
    return sorted(set(times[::step]) | set(range(begin + grid, end, grid)) | {end})


def changes(before, value):
    """What a sample has besides the one before."""
    return {name: value[name] for name in value if before.get(name) != value[name]}


def sample(studio, times):
    """The samples at these moments; None is the present one."""
    found, last = [], {}
    for moment in times:
        if moment is not None:
            studio.seek(moment)
        now = studio.topic("time")["now"]
        value = {"room": studio.value("room"), "counts": studio.value("counts")}
        different = changes(last, value)
        last = last | different
        if different:
            found.append([now, different])
    return found


def recording(studio, scene, parameters, actions, parent):
    """Records a scene from the moment of the last action on."""
    lesson = scene["id"]
    studio.open(lesson, parameters)
    start, begin = act(studio, actions)
    # The next action follows at least PAUSE later.
    end = find_end(studio, begin, begin + (PAUSE if actions else ACTION + SECOND if scene["actions"] else SECOND))
    packets, events = list(studio.packets), list(studio.events)
    studio.open(lesson, parameters)
    act(studio, actions)
    samples = sample(studio, [None, *moments(events, begin, end)])
    if not actions:
        samples[0][0] = 0
    own = sum(event["time"] <= start for event in parent["all"]) if parent else 0
    return named({
        "lesson": lesson, "parameters": parameters, "actions": actions, "parent": parent and parent["name"], "begin": start, "end": end,
        "packets": [row for row in packets if row["start"] + row["duration"] <= end and (not actions or row["start"] + row["duration"] > start)],
        "events": events[own:], "samples": samples}) | {"all": events}


def tour(studio, scene):
    """Records a tour: every step with its packets, and when it ends."""
    lesson, count = scene["id"], len(scene["steps"])
    ends, air = [0], [None]
    studio.open(lesson, {})
    for number in range(1, count + 1):
        studio.do("lesson.go", {"step": number})
        ends.append(studio.now())
        air.append(studio.do("lesson.packets", {"step": number}))
    end = -(-ends[-1] // SECOND) * SECOND
    studio.open(lesson, {})
    for moment in range(SECOND, end + 1, SECOND):
        studio.seek(moment)
    packets, events = list(studio.packets), list(studio.events)
    reached = studio.topic("lesson")["reached"]
    studio.open(lesson, {})
    samples = sample(studio, [None, *moments(events, 0, end)])
    samples[0][0] = 0
    return named({
        "lesson": lesson, "parameters": {}, "actions": [], "parent": None, "begin": 0, "end": end, "packets": packets, "events": events,
        "samples": samples, "reached": reached, "ends": ends, "air": air})


def name_of(lesson, parameters, actions):
    settings = [re.sub(r"[^A-Za-z0-9.]+", "-", str(value)) for value in parameters.values()]
    return ".".join([lesson, *settings, *actions])


def save(folder, name, value):
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    for private in (str(ROOT), str(pathlib.Path.home())):
        if len(private) > 5 and private in text:
            sys.exit(f"The recording {name} names the folder {private} of this machine.")
    path = folder / f"{name}.json.gz"
    path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    return path.stat().st_size


def record(studio, scene, folder):
    """Records a scene with each value of its setting, or with each sequence of its actions."""
    if scene.get("steps"):
        yield save_run(folder, tour(studio, scene))
        return
    for values in [{choice["name"]: value} for choice in scene["choices"] for value in choice["values"]] or [{}]:
        known = {(): recording(studio, scene, values, [], None)}
        yield save_run(folder, known[()])
        for sequence in ACTIONS.get(scene["id"], []):
            for count in range(1, len(sequence) + 1):
                actions = tuple(sequence[:count])
                if actions not in known:
                    known[actions] = recording(studio, scene, values, list(actions), known[actions[:-1]])
                    yield save_run(folder, known[actions])


def named(run):
    return run | {"name": name_of(run["lesson"], run["parameters"], run["actions"])}


def save_run(folder, run):
    size = save(folder, run["name"], {key: value for key, value in run.items() if key != "all"})
    return run["name"], size, run


def main():
    parser = argparse.ArgumentParser(prog="Scripts/record-lessons", description="Records the lesson of the studio for the site.")
    parser.add_argument("tool", help="the program bluelab")
    parser.add_argument("folder", help="where the recordings go; its recordings are replaced")
    parser.add_argument("--only", metavar="LESSON", help="only this lesson; other recordings stay")
    options = parser.parse_args()
    folder = pathlib.Path(options.folder)
    folder.mkdir(parents=True, exist_ok=True)
    begin, total, count = time.monotonic(), 0, 0
    with tempfile.TemporaryDirectory() as home:
        studio = Studio(options.tool, home)
        try:
            catalogue = studio.do("lesson.catalogue")
            programs = sorted({source["program"] for scene in catalogue["scenes"] for source in scene["sources"]})
            if studio.knows("lesson.project", {"name": SHORT}):
                programs.append(SHORT)
            if not options.only:
                for path in folder.glob("*.json.gz"):
                    path.unlink()
            total += save(folder, "catalogue", {"catalogue": catalogue, "projects": {name: studio.do("lesson.project", {"name": name}) for name in programs}})
            for scene in catalogue["scenes"]:
                if options.only in (None, scene["id"]):
                    for name, size, run in record(studio, scene, folder):
                        total, count = total + size, count + 1
                        print(f"{size:8}  {run['end'] / SECOND:7.1f} s {len(run['packets']):6} packets {len(run['events']):4} events  {name}", flush=True)
        finally:
            studio.end()
    print(f"recordings: {count} runs, {total / 1e6:.2f} MB, in {time.monotonic() - begin:.0f} s")


if __name__ == "__main__":
    main()
