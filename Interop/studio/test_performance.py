"""The figures of a busy room: frames a second, the first paint, the size of the page, the server's memory, and counts that stay exact. Each test prints
its figures; run-studio repeats the lines at its end."""

import os
import statistics
import time

import pytest

# Frames of the page, the work of its script, and long tasks, while a room runs.
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
    return { frames: (frames.length - 1) / ((frames.at(-1) - frames[0]) / 1000), median: gaps[gaps.length >> 1], late: gaps[Math.floor(gaps.length * 0.95)],
        long: tasks.length, longest: Math.max(0, ...tasks) };
}"""


def figure(request, text):
    request.config.stash.setdefault(FIGURES, []).append(text)
    print(text)


FIGURES = pytest.StashKey()


def processor_seconds(process):
    fields = open(f"/proc/{process.child.pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.parametrize("view", ["room", "packets"])
def test_a_crowd_keeps_the_page_smooth_and_the_counts_exact(open_page, request, view):
    """200 devices and 10,000 packets a second of real time. Chromium draws with the processor here, and shares two cores with the server."""
    page = open_page(view, reduced_motion="no-preference", width=1280, height=800)
    page.studio.do("room.scene", {"scene": "crowd", "seed": 7, "parameters": {"devices": 200}})
    room = page.studio.topic("room", lambda room: len(room["devices"]) >= 200)
    page.studio.do("time.speed", {"speed": 1})
    page.studio.do("time.run")
    page.studio.topic("time", lambda time: time["isRunning"] and time["now"] > 500_000_000, timeout=60)
    before, cpu, begin = page.studio.topic("counts")["packets"], processor_seconds(page.studio.process), time.monotonic()
    virtual = page.studio.topic("time")["now"]
    measured = page.evaluate(MEASURE, 5)
    page.studio.do("studio.ping")
    elapsed, cpu = time.monotonic() - begin, processor_seconds(page.studio.process) - cpu
    counts, now = page.studio.topic("counts"), page.studio.topic("time")["now"]
    rate, pace = (counts["packets"] - before) / elapsed, (now - virtual) / 1e9 / elapsed
    page.studio.do("time.pause")
    memory = page.studio.memory()
    figure(request, (
        f"{view}: {len(room['devices'])} devices, {rate:.0f} packets a second at {pace:.2f} of real time, {measured['frames']:.0f} frames a second "
        f"(95 % within {measured['late']:.0f} ms, longest task {measured['longest']:.0f} ms), server {memory:.0f} MB and {cpu / elapsed:.2f} cores"))
    assert measured["frames"] >= 20, measured
    # The counts are those of all packets, however few of them the page shows.
    end = page.studio.topic("time", lambda time: not time["isRunning"])["now"]
    final = page.studio.topic("counts", lambda counts: counts["packets"] >= before)
    assert sum(final["byLayer"].values()) == final["packets"]
    page.studio.seek(end)
    assert memory < 200


def test_the_page_paints_soon_and_is_small(open_page, request):
    page = open_page()
    paints, sizes = [], []
    for _ in range(5):
        page.reload()
        page.wait_for_selector("body[data-link=open]", state="attached")
        page.wait_for_function("performance.getEntriesByName('first-contentful-paint').length > 0")
        paints.append(page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
        sizes.append(page.evaluate(
            """performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation')).reduce((sum, entry) => sum + entry.encodedBodySize, 0)"""))
    figure(request, f"first paint {statistics.median(paints):.0f} ms (of 5: {min(paints):.0f} to {max(paints):.0f}), page {sizes[-1] / 1000:.0f} kB as sent")
    assert 0 < sizes[-1] < 300_000
    assert min(paints) < 300


def test_a_lone_change_arrives_at_once(studio, request):
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
        time.sleep(0.05)
    figure(request, f"a change arrives after {statistics.median(delays) * 1000:.1f} ms (95 % within {sorted(delays)[28] * 1000:.0f} ms)")
    assert statistics.median(delays) < 0.03


def test_the_server_is_small(studio, request):
    server = studio()
    server.do("time.speed", {"speed": 1})
    server.do("time.run")
    server.topic("time", lambda time: time["now"] > 2_000_000_000)
    figure(request, f"server with two devices after 2 s: {server.memory():.0f} MB")
    assert server.memory() < 120
