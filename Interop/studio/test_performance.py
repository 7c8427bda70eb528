"""The figures of a busy room: frames a second, the first paint, the size of the page, the server's memory, and counts that stay exact. run-studio runs these
tests alone, and prints their figures at its end. quiet.py says which turns of a measurement count."""

import json
import os
import pathlib
import re
import statistics
import time

import pytest

from commands import PROGRAMS
from quiet import median_of_turns

pytestmark = pytest.mark.alone

# What the page promises on two cores, with an honest margin for a display of 60 Hz: a window of two seconds may miss one frame.
FRAMES, PACKETS, PAINT, PAGE, MEMORY = 59, 10_000, 300, 300_000, 60
IS_RELEASE = "release" in PROGRAMS.resolve().parts
# A release build has to reach them. The server of a debug build needs more of the processors that Chromium draws with, and the machine of a continuous
# integration may be slow: half of them shows there that nothing has become many times slower.
SHARE = 1 if IS_RELEASE else 0.5
SECONDS = 2

# Frames of the page and its long tasks during some seconds.
MEASURE = """async (seconds) => {
    const tasks = [];
    const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries().map((entry) => entry.duration)));
    observer.observe({ entryTypes: ['longtask'] });
    const frames = [];
    const end = performance.now() + seconds * 1000;
    await new Promise((resolve) => {
        const frame = (now) => { frames.push(now); if (now < end) requestAnimationFrame(frame); else resolve(); };
        requestAnimationFrame(frame);
    });
    observer.disconnect();
    const gaps = frames.slice(1).map((now, index) => now - frames[index]).sort((a, b) => a - b);
    return { frames: (frames.length - 1) / ((frames.at(-1) - frames[0]) / 1000), late: gaps[Math.floor(gaps.length * 0.95)],
        longest: Math.max(0, ...tasks) };
}"""

# Replaces the WebSocket of the page by one that sends a recorded room, with 10,000 packets a second. The messages are texts, as those of the server.
REPLAY = """(recording) => {
    const now = () => Math.round(performance.now() * 1e6);
    window.WebSocket = class extends EventTarget {
        static CONNECTING = 0; static OPEN = 1; static CLOSING = 2; static CLOSED = 3;
        constructor() {
            super();
            this.readyState = 0;
            this.update = 0; this.acknowledged = 0; this.next = 0; this.watched = []; this.sent = new Set(); this.start = 0; this.due = 0;
            window.replay = this;
            setTimeout(() => {  // check-tests: wait: the next task of the page.
                this.readyState = 1;
                this.onopen?.({});
                this.onmessage?.({ data: JSON.stringify({ session: { token: location.pathname.split('/')[1] } }) });
                this.start = performance.now();
            }, 0);
            setInterval(() => this.push(), 33);
        }
        send(text) {
            const message = JSON.parse(text);
            if (message.ack) this.acknowledged = message.ack;
            if (message.watch) this.watched = message.watch;
            if (message.id) setTimeout(() => this.onmessage?.({ data: JSON.stringify({ re: message.id, ok: recording.replies[message.do] ?? {} }) }), 0);
        }
        close() {}
        push() {
            if (this.readyState !== 1 || this.update - this.acknowledged >= 3) return;
            // All packets until now, at most 1000 of them; the rest is missed, as the server does it.
            const total = Math.floor((performance.now() - this.start) * recording.rate / 1000);
            const pushes = [];
            for (const name of this.watched) {
                if (name === 'packets') {
                    const first = Math.max(this.next, total - 1000), items = [];
                    for (let n = first; n < total; n += 1) {
                        const packet = recording.packets[n % recording.packets.length];
                        items.push({ ...packet, n, start: Math.floor(n * 1e9 / recording.rate) });
                    }
                    pushes.push({ stream: name, next: total, missed: first - this.next, data: items, ...(this.next === 0 ? { reset: 0 } : {}) });
                    this.next = total;
                } else if (name === 'time') pushes.push({ topic: name, data: { ...recording.topics.time, now: now(), end: now(), isRunning: true, speed: 1 } });
                else if (name === 'counts') pushes.push({ topic: name, data: { ...recording.topics.counts, packets: total } });
                else if (recording.topics[name] !== undefined && (!this.sent.has(name) || (name === 'room' && this.update % 10 === 0))) {
                    this.sent.add(name);
                    pushes.push({ topic: name, data: recording.topics[name] });
                }
            }
            this.update += 1;
            this.onmessage?.({ data: JSON.stringify({ update: this.update, push: pushes }) });
        }
    };
}"""


@pytest.fixture
def figure(request):
    """Keeps a line for the end of run-studio, and values for Benchmarks/Figures/studio.json: pairs of a unit and a number by their title."""

    def figure(text, values):
        request.node.user_properties.append(("figure", text))
        request.node.user_properties += [
            ("value", {"figure": f"studio.{title.replace(' ', '-')}", "title": title, "unit": unit, "stack": "ours", "value": round(value, 2)})
            for title, (unit, value) in values.items()]
        print(text)

    return figure


def processor_seconds(process):
    fields = open(f"/proc/{process.child.pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def start_crowd(studio, speed):
    """200 devices that send more than 10,000 packets in a virtual second."""
    studio.do("room.scene", {"scene": "crowd", "seed": 7, "parameters": {"count": 198, "interval": 50}})
    room = studio.topic("room", lambda room: len(room["devices"]) >= 200)
    studio.do("time.speed", {"speed": speed})
    studio.do("time.run")
    return len(room["devices"])


def assert_memory(studio):
    """The server has less than 60 MB. 34 of them are the code of a release build and of its libraries; that of a debug build is larger, so its data counts."""
    status = pathlib.Path(f"/proc/{studio.process.child.pid}/status").read_text()
    data = int(re.search(r"RssAnon:\s+(\d+)", status)[1]) / 1000
    assert data < MEMORY - 34, f"{data} MB of data"
    if IS_RELEASE:
        assert studio.memory() < MEMORY


def show(page, view):
    page.evaluate("(view) => { location.hash = view; }", view)
    page.wait_for_selector(f"body[data-view={view}]")


def words(frames):
    return f"{frames['frames']:.1f} frames a second (95 % within {frames['late']:.0f} ms, longest task {frames['longest']:.0f} ms)"


def test_a_crowd_keeps_the_page_smooth_and_the_counts_exact(open_page, figure):
    """The server computes the packets of 200 devices in real time, and Chromium draws with the processor: they share the machine."""
    page = open_page(reduced_motion="no-preference")
    studio = page.studio
    devices = start_crowd(studio, speed=1)
    studio.topic("time", lambda time: time["isRunning"] and time["now"] > 200_000_000, timeout=60)

    def counts():
        # The first value of a new connection is that of the moment; an open one that nobody reads has the values of some time ago.
        link = studio.connect()
        link.watch("counts")
        value = link.wait("counts")
        link.close()
        return value

    def turn():
        before, cpu, begin = counts()["packets"], processor_seconds(studio.process), time.monotonic()
        frames = page.evaluate(MEASURE, SECONDS)
        elapsed = time.monotonic() - begin
        return {
            "rate": (counts()["packets"] - before) / elapsed, "cores": (processor_seconds(studio.process) - cpu) / elapsed, "memory": studio.memory(), **frames}

    for view in ["room", "packets"]:
        show(page, view)
        found, note = median_of_turns(turn, lambda turn: min(turn["frames"] / FRAMES, turn["rate"] / PACKETS) / SHARE)
        figure(
            f"{view}: {devices} devices, {found['rate']:,.0f} packets a second from the server, {words(found)}, server {found['memory']:.0f} MB and "
            f"{found['cores']:.2f} cores; {note}", {
                f"{view}, packets from the server": ("a second", found["rate"]), f"{view}, frames with the server": ("a second", found["frames"]),
                f"{view}, processor time of the server": ("cores", found["cores"])})
        assert found["frames"] >= SHARE * FRAMES, found
        assert found["rate"] >= SHARE * PACKETS, found
    figure(f"server in the crowd: {studio.memory():.0f} MB", {"memory of the server, crowd": ("MB", studio.memory())})
    assert_memory(studio)
    studio.do("time.pause")
    studio.topic("time", lambda time: not time["isRunning"])
    # The counts are those of all packets, however few of them the page got.
    total = studio.do("packets.list", {"filter": {}, "folded": False, "count": 1})["packets"]
    exact = studio.topic("counts", lambda counts: counts["packets"] == total)
    assert sum(exact["byLayer"].values()) == total > 0


def test_the_page_keeps_up_with_ten_thousand_packets_a_second(open_page, studio, figure):
    """The page alone: 200 devices and packets that a room has recorded, at 10,000 a second."""
    server = studio()
    recorder = server.connect()
    recorder.watch("room", "time", "counts", "packets", "flight", "happened", "explorers", "lesson")
    devices = start_crowd(server, speed=0)
    recorder.wait("counts", lambda counts: counts["packets"] >= 300, timeout=60)
    recorder.do("time.pause")
    recorder.wait("time", lambda time: not time["isRunning"])
    recorder.wait("room", lambda room: len(room["devices"]) == devices)
    recording = {"rate": PACKETS, "packets": recorder.items["packets"][:2000], "topics": recorder.topics, "replies": {}}
    page = open_page(of=server, reduced_motion="no-preference", waits=False, script=f"({REPLAY})({json.dumps(recording)})")
    # The recorded server answers no command as the real one does.
    page.allowed.append("")
    page.wait_for_function("window.replay?.next > 2000")

    def turn():
        begin = page.evaluate("[performance.now(), window.replay.next]")
        frames = page.evaluate(MEASURE, SECONDS)
        end = page.evaluate("[performance.now(), window.replay.next]")
        return {"rate": (end[1] - begin[1]) / (end[0] - begin[0]) * 1000, "heap": page.evaluate("performance.memory.usedJSHeapSize / 1e6"), **frames}

    for view in ["room", "packets"]:
        show(page, view)
        # An update is 33 ms of packets: a window may begin and end with one update less.
        found, note = median_of_turns(turn, lambda turn: min(turn["frames"] / FRAMES, turn["rate"] / (0.98 * PACKETS)) / SHARE)
        figure(
            f"{view}, the page alone: {devices} devices, {found['rate']:,.0f} packets a second, {words(found)}, heap {found['heap']:.0f} MB; {note}",
            {f"{view}, frames of the page alone": ("a second", found["frames"])})
        assert found["frames"] >= SHARE * FRAMES, found
        assert found["rate"] >= SHARE * 0.98 * PACKETS, found
        assert found["heap"] < 150


def test_the_page_paints_soon_and_is_small(open_page, studio, figure):
    # The page in the tool is compressed, a folder of pages is not.
    page = open_page(of=studio(folder=None))

    def turn():
        paints, sizes = [], []
        for _ in range(5):
            page.reload()
            page.wait_for_selector("body[data-link=open]", state="attached")
            page.wait_for_function("performance.getEntriesByName('first-contentful-paint').length > 0")
            paints.append(page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
            sizes.append(page.evaluate(
                """performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation'))
                    .reduce((sum, entry) => sum + entry.encodedBodySize, 0)"""))
        return {"paint": statistics.median(paints), "least": min(paints), "most": max(paints), "size": sizes[-1]}

    found, note = median_of_turns(turn, lambda turn: PAINT / turn["paint"] / SHARE)
    figure(
        f"first paint {found['paint']:.0f} ms (5 times, {found['least']:.0f} to {found['most']:.0f} ms), page {found['size'] / 1000:.0f} kB as sent; {note}",
        {"first paint": ("ms", found["paint"]), "page as sent": ("kB", found["size"] / 1000)})
    assert 0 < found["size"] < PAGE
    assert found["paint"] < PAINT / SHARE


def test_a_lone_change_arrives_at_once(studio, figure):
    """The time from a command to the update that shows its effect, on another connection."""
    server = studio()
    link = server.connect()
    link.watch("time")
    link.wait("time")
    delays = []
    for number in range(30):
        speed = [0.1, 1][number % 2]
        begin = time.monotonic()
        server.do("time.speed", {"speed": speed})
        link.wait("time", lambda time: time["speed"] == speed)
        delays.append(time.monotonic() - begin)
        # The interval of the last update is over, so that this change is a lone one.
        time.sleep(0.05)  # check-tests: wait: the interval is a time of the server, and nothing tells its end.
    figure(
        f"a change arrives after {statistics.median(delays) * 1000:.1f} ms (95 % within {sorted(delays)[28] * 1000:.0f} ms)",
        {"a change, from the command to another page": ("ms", statistics.median(delays) * 1000)})
    assert statistics.median(delays) < 0.03


def test_the_server_is_small(studio, figure):
    server = studio()
    server.do("time.speed", {"speed": 1})
    server.do("time.run")
    server.topic("time", lambda time: time["now"] > 2_000_000_000)
    figure(f"server with two devices after 2 s: {server.memory():.0f} MB", {"memory of the server, two devices": ("MB", server.memory())})
    assert_memory(server)
