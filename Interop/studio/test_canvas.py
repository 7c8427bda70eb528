"""Packets on the plan: what the canvas draws, read from the list that it leaves for tests, and from its pixels."""

import math

import pytest

from commands import wait_for

pytestmark = pytest.mark.long

SECOND = 1_000_000_000

# The marks of the frame after the next one, with the place of each in the page, the colour under it, and the colour of its layer.
MARKS = """() => new Promise((resolve) => {
    const canvas = document.querySelector('canvas.air');
    requestAnimationFrame(() => requestAnimationFrame(() => {
        const ratio = canvas.width / canvas.getBoundingClientRect().width;
        const context = canvas.getContext('2d');
        const probe = document.body.appendChild(document.createElement('span'));
        resolve(canvas.marks.map((mark) => {
            probe.className = `layer-${mark.layer}`;
            const colour = getComputedStyle(probe).color.match(/\\d+/g).map(Number);
            const pixel = [...context.getImageData(Math.round(mark.x * ratio), Math.round(mark.y * ratio), 1, 1).data];
            return { ...mark, colour, pixel };
        }));
        probe.remove();
    }));
})"""


def marks(page, condition=lambda mark: True):
    return [mark for mark in page.evaluate(MARKS) if condition(mark)]


def wait_for_marks(page, condition, count=1):
    """Waits until a frame has marks that fulfil a condition, and returns them."""
    return wait_for(
        lambda: found if len(found := marks(page, condition)) >= count else None, complaint=lambda: f"no frame has such a mark; the last one has {marks(page)}")


def place(page, name):
    """Where the canvas sees a device: in pixels from the corner of the plan."""
    stage, disc = page.locator(".stage").bounding_box(), page.locator(f'.plan g.device[aria-label^="{name},"] .disc').bounding_box()
    return disc["x"] + disc["width"] / 2 - stage["x"], disc["y"] + disc["height"] / 2 - stage["y"]


def is_on_the_way(mark, start, end):
    """Whether a mark is on the line from one place to another, and as far along it as it says."""
    x, y = (start[0] + (end[0] - start[0]) * mark["way"], start[1] + (end[1] - start[1]) * mark["way"])
    return math.hypot(mark["x"] - x, mark["y"] - y) < 3


def is_painted(mark):
    """Whether the pixel under a mark has the colour of its layer."""
    return mark["pixel"][3] > 200 and all(abs(one - other) < 12 for one, other in zip(mark["pixel"][:3], mark["colour"], strict=True))


@pytest.fixture
def moving(open_page):
    """A page that moves its packets."""

    def moving(**options):
        page = open_page(**{"reduced_motion": "no-preference"} | options)
        page.wait_for_selector(".plan g.device", state="attached")
        page.evaluate("() => { document.querySelector('canvas.air').marks = []; }")
        return page

    return moving


def device(page, name):
    return next(each for each in page.studio.topic("room")["devices"] if each["name"] == name)["id"]


def seek_into_a_packet(page, layer):
    """Stops the time in the middle of the first packet of a layer, and returns the packet."""
    page.studio.seek(3 * SECOND)
    rows = page.studio.do("packets.list", {"filter": {"layer": layer}, "folded": False, "from": 0, "count": 1})["rows"]
    packet = page.studio.do("packets.detail", {"n": rows[0]["n"]})["packet"]
    page.studio.seek(packet["start"] + packet["duration"] // 2)
    return packet


def test_a_packet_of_a_paused_room_stands_still_half_way(moving):
    page = moving()
    packet = seek_into_a_packet(page, "att")
    mark = wait_for_marks(page, lambda mark: mark["kind"] == "moving" and mark["n"] == packet["n"])[0]
    names = {each["id"]: each["name"] for each in page.studio.topic("room")["devices"]}
    assert mark["layer"] == "att"
    assert mark["way"] == pytest.approx(0.5, abs=0.01)
    assert is_on_the_way(mark, place(page, names[mark["from"]]), place(page, names[mark["to"]]))
    assert is_painted(mark)
    # Nothing moves, and the page asks for no more frames: what this function calls runs in the only one.
    again = marks(page)
    assert [(each["kind"], each["x"], each["y"]) for each in again if each["kind"] == "moving"] == [("moving", mark["x"], mark["y"])]
    page.evaluate("() => { document.querySelector('canvas.air').marks.length = 0; }")
    assert marks(page) == []


def test_an_advertisement_is_a_wave_from_its_sender(moving):
    page = moving()
    packet = seek_into_a_packet(page, "adv")
    mark = wait_for_marks(page, lambda mark: mark["kind"] == "flight" and mark["n"] == packet["n"])[0]
    assert mark["part"] == pytest.approx(0.5, abs=0.01)
    assert (mark["x"], mark["y"]) == pytest.approx(place(page, "Wristband"), abs=2)
    # The ring has its colour where it is: right of the sender by its radius.
    ring = {**mark, "x": mark["x"] + 18 + 60 * 0.5}
    alpha = page.evaluate(
        """({ x, y }) => {
            const canvas = document.querySelector('canvas.air');
            const ratio = canvas.width / canvas.getBoundingClientRect().width;
            return Math.max(...[-1, 0, 1].map((dx) => canvas.getContext('2d').getImageData(Math.round((x + dx) * ratio), Math.round(y * ratio), 1, 1).data[3]));
        }""", {"x": ring["x"], "y": ring["y"]})
    assert alpha > 30


def test_packets_travel_at_a_thousandth_of_the_real_speed(moving):
    page = moving()
    packet = seek_into_a_packet(page, "att")
    page.studio.seek(packet["start"] - 50_000)
    # Keeps what each frame drew of packets in the air.
    page.evaluate("""() => {
        window.seen = [];
        const look = () => { seen.push(...document.querySelector('canvas.air').marks.filter((mark) => mark.kind === 'moving')); requestAnimationFrame(look); };
        look();
    }""")
    page.studio.do("time.speed", {"speed": 0.001})
    page.studio.do("time.run")
    # A packet takes a tenth of a second. A machine that is too slow to draw it twice gets the next one.
    first, later = page.wait_for_function(
        """() => {
            for (const mark of seen) {
                const later = seen.find((other) => other.n === mark.n && other.to === mark.to && other.way > mark.way && mark.way > 0 && other.way < 1);
                if (later) return [mark, later];
            }
            return null;
        }""")
    page.studio.do("time.pause")
    names = {each["id"]: each["name"] for each in page.studio.topic("room")["devices"]}
    start, end = place(page, names[first["from"]]), place(page, names[first["to"]])
    assert is_on_the_way(first, start, end) and is_on_the_way(later, start, end)
    assert names[first["from"]] != names[first["to"]]


def test_each_step_shows_the_packet_that_it_ended_with(moving):
    page = moving()
    for number in range(3):
        page.click(".time .step")
        shown = wait_for_marks(page, lambda mark: mark.get("n") == number and mark["kind"] in ("dot", "wave", "landing"))
        assert shown[0]["layer"] == "adv"


def test_a_lost_packet_fades_where_it_was_lost_and_is_crossed_out(moving):
    page = moving()
    page.studio.seek(3 * SECOND)
    page.studio.topic("room", lambda room: room["links"])
    page.studio.do("room.loss", {"device": device(page, "Wristband"), "loss": 1})
    page.studio.do("time.speed", {"speed": 0.01})
    page.studio.do("time.run")
    mark = wait_for_marks(page, lambda mark: mark["kind"] == "dot" and mark["outcome"] == "missed" and mark["isCrossed"])[0]
    page.studio.do("time.pause")
    assert 0.2 < mark["way"] < 0.86
    assert mark["alpha"] < 1
    names = {each["id"]: each["name"] for each in page.studio.topic("room")["devices"]}
    assert is_on_the_way(mark, place(page, names[mark["from"]]), place(page, names[mark["to"]]))
    # Without loss, nothing is crossed out.
    page.studio.seek(3 * SECOND)
    page.studio.do("room.loss", {"device": device(page, "Wristband"), "loss": 0})
    page.studio.do("time.run")
    received = wait_for_marks(page, lambda mark: mark["kind"] == "dot" and mark["outcome"] == "received")
    assert not any(mark["isCrossed"] for mark in received)


def test_an_encrypted_packet_wears_a_ring(moving):
    """The sprite of an encrypted packet has a gap between its dot and its ring; the other has none."""
    page = moving()
    seek_into_a_packet(page, "att")
    plain = wait_for_marks(page, lambda mark: mark["kind"] == "moving")[0]

    def profile(mark):
        """How opaque the canvas is above the middle of a mark, from the middle outwards."""
        return page.evaluate(
            """({ x, y }) => {
                const canvas = document.querySelector('canvas.air');
                const ratio = canvas.width / canvas.getBoundingClientRect().width;
                return Array.from({ length: 11 }, (_, d) => canvas.getContext('2d').getImageData(Math.round((x - d) * ratio), Math.round(y * ratio), 1, 1).data[3]);
            }""", {"x": mark["x"], "y": mark["y"]})

    solid = profile(plain)
    assert solid[0] > 200 and max(solid[7:]) < 60
    # A packet in the air as the server sends it, but encrypted.
    page.evaluate("""() => {
        const canvas = document.querySelector('canvas.air');
        canvas.air.store.flight = canvas.air.store.flight.map((packet) => ({ ...packet, isEncrypted: true }));
        canvas.air.frame(performance.now());
    }""")
    ringed = profile(plain)
    assert ringed[0] > 200 and min(ringed[5:7]) < 100 and max(ringed[7:10]) > 120


def test_reduced_motion_shows_packets_without_moving_them(moving):
    page = moving(reduced_motion="reduce")
    page.studio.seek(3 * SECOND)
    page.studio.do("time.speed", {"speed": 0.01})
    page.studio.do("time.run")
    seen = wait_for_marks(page, lambda mark: mark["kind"] in ("dot", "moving") and mark.get("outcome", "received") == "received", count=1)
    seen += wait_for_marks(page, lambda mark: mark["kind"] in ("dot", "moving") and mark.get("outcome", "received") == "received" and mark["n"] != seen[0]["n"])
    assert {mark["way"] for mark in seen} == {0.5}


def test_a_step_back_empties_the_air(moving):
    page = moving()
    page.studio.seek(3 * SECOND)
    page.studio.do("time.speed", {"speed": 0.01})
    page.studio.do("time.run")
    wait_for_marks(page, lambda mark: mark["kind"] in ("dot", "moving"))
    page.studio.do("time.pause")
    page.studio.seek(0)
    page.wait_for_selector(".begin button.primary")
    page.evaluate("() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))")
    assert marks(page) == []
    assert page.evaluate("""() => {
        const canvas = document.querySelector('canvas.air');
        return canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.every((value) => value === 0);
    }""")
