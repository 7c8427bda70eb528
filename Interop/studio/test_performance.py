"""The figures of a busy room: frames a second, the first paint, the size of the page, the server's memory, and counts that stay exact. run-studio runs these
tests alone, and prints their figures at its end."""

import json
import os
import statistics
import time

import pytest

pytestmark = pytest.mark.alone

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
            setTimeout(() => { this.readyState = 1; this.onopen?.({}); this.start = performance.now(); }, 0);
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
    """Keeps a line for the end of run-studio."""

    def figure(text):
        request.node.user_properties.append(("figure", text))
        print(text)

    return figure


def processor_seconds(process):
    fields = open(f"/proc/{process.child.pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def start_crowd(studio):
    studio.do("room.scene", {"scene": "crowd", "seed": 7, "parameters": {"count": 198, "interval": 60}})
    return studio.topic("room", lambda room: len(room["devices"]) >= 200)


@pytest.mark.parametrize("view", ["room", "packets"])
def test_a_crowd_keeps_the_page_smooth_and_the_counts_exact(open_page, figure, view):
    """200 devices that send as much as the server computes. Chromium draws with the processor here, and shares its cores with the server."""
    page = open_page(view, reduced_motion="no-preference")
    room = start_crowd(page.studio)
    page.studio.do("time.speed", {"speed": 1})
    page.studio.do("time.run")
    page.studio.topic("time", lambda time: time["isRunning"] and time["now"] > 20_000_000, timeout=60)
    before, cpu, begin = page.studio.topic("counts")["packets"], processor_seconds(page.studio.process), time.monotonic()
    measured = page.evaluate(MEASURE, 4)
    elapsed, cpu = time.monotonic() - begin, processor_seconds(page.studio.process) - cpu
    page.studio.do("time.pause")
    page.studio.topic("time", lambda time: not time["isRunning"])
    memory = page.studio.memory()
    # The update after an answer has the values of that moment.
    page.studio.do("studio.ping")
    counts = page.studio.topic("counts", lambda counts: counts["packets"] >= before)
    rate = (counts["packets"] - before) / elapsed
    figure(
        f"{view}, this build: {len(room['devices'])} devices, {rate:.0f} packets a second from the server, {measured['frames']:.0f} frames a second "
        f"(95 % within {measured['late']:.0f} ms, longest task {measured['longest']:.0f} ms), server {memory:.0f} MB and {cpu / elapsed:.2f} cores")
    assert measured["frames"] >= 15, measured
    # The counts are those of all packets, however few of them the page got.
    assert sum(counts["byLayer"].values()) == counts["packets"] > before
    assert memory < 120


@pytest.mark.parametrize("view", ["room", "packets"])
def test_the_page_keeps_up_with_ten_thousand_packets_a_second(open_page, studio, figure, view):
    """The page alone: 200 devices and packets that a room has recorded, at 10,000 a second."""
    server = studio()
    recorder = server.connect()
    recorder.watch("room", "time", "counts", "packets", "flight", "happened", "explorers", "lesson")
    recorder.do("room.scene", {"scene": "crowd", "seed": 7, "parameters": {"count": 198, "interval": 60}})
    recorder.do("time.speed", {"speed": 0})
    recorder.do("time.run")
    recorder.wait("counts", lambda counts: counts["packets"] >= 300, timeout=60)
    recorder.do("time.pause")
    recorder.wait("time", lambda time: not time["isRunning"])
    packets = recorder.items["packets"][:2000]
    replies = {}
    recording = {"rate": 10_000, "packets": packets, "topics": recorder.topics, "replies": replies}
    page = open_page(view, of=server, reduced_motion="no-preference", waits=False, script=f"({REPLAY})({json.dumps(recording)})")
    page.allowed.append("")
    page.wait_for_function("window.replay?.next > 5000")
    begin = page.evaluate("[performance.now(), window.replay.next]")
    measured = page.evaluate(MEASURE, 4)
    end = page.evaluate("[performance.now(), window.replay.next]")
    rate = (end[1] - begin[1]) / (end[0] - begin[0]) * 1000
    heap = page.evaluate("performance.memory.usedJSHeapSize / 1e6")
    figure(
        f"{view}, the page alone: {len(recorder.topics['room']['devices'])} devices, {rate:.0f} packets a second, {measured['frames']:.0f} frames a second "
        f"(95 % within {measured['late']:.0f} ms, longest task {measured['longest']:.0f} ms), heap {heap:.0f} MB")
    assert rate > 9000
    assert measured["frames"] >= 20, measured
    assert heap < 150


def test_the_page_paints_soon_and_is_small(open_page, figure):
    page = open_page()
    paints, sizes = [], []
    for _ in range(5):
        page.reload()
        page.wait_for_selector("body[data-link=open]", state="attached")
        page.wait_for_function("performance.getEntriesByName('first-contentful-paint').length > 0")
        paints.append(page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
        sizes.append(page.evaluate(
            """performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation'))
                .reduce((sum, entry) => sum + entry.encodedBodySize, 0)"""))
    figure(f"first paint {statistics.median(paints):.0f} ms (5 times, {min(paints):.0f} to {max(paints):.0f} ms), page {sizes[-1] / 1000:.0f} kB as sent")
    assert 0 < sizes[-1] < 300_000
    assert min(paints) < 300


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
        time.sleep(0.05)
    figure(f"a change arrives after {statistics.median(delays) * 1000:.1f} ms (95 % within {sorted(delays)[28] * 1000:.0f} ms)")
    assert statistics.median(delays) < 0.03


def test_the_server_is_small(studio, figure):
    server = studio()
    server.do("time.speed", {"speed": 1})
    server.do("time.run")
    server.topic("time", lambda time: time["now"] > 2_000_000_000)
    figure(f"server with two devices after 2 s: {server.memory():.0f} MB")
    assert server.memory() < 60
