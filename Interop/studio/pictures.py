"""Takes the pictures of the studio for the documents: of the phone and the wristband of the studio's first scene, of the explorer with a wristband, and
of the maker's first example.

    Scripts/generate-pictures [NAME ...]
"""

import io
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from PIL import Image
from playwright.sync_api import sync_playwright

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "Documentation" / "Pictures"
TOOL = pathlib.Path(os.environ["BLUELAB_PROGRAMS"]) / "bluelab"
LIMIT = 120_000

sys.path.insert(0, str(ROOT / "Interop" / "studio"))
from weblink import WebLink  # noqa: E402

MOMENT = 2_900_000_000


def at_moment(page, room):
    run_to(room, MOMENT)


def opened_packet(page, room):
    """The packet that the phone is connected with, its fields and its octets."""
    run_to(room, MOMENT)
    rows = room.do("packets.list", {"from": 0, "count": 50, "filter": {}})["rows"]
    number = next(row["n"] for row in rows if row["name"] == "CONNECT_IND")
    page.evaluate(f"location.hash = 'packets/{number}'")
    page.wait_for_selector(f".packet-detail[data-packet='{number}'] .packet-field")


def in_step(page, room):
    """The thirteenth step of the central's tour: a value is written."""
    page.click(".lesson-steps button[data-step='13']")
    page.wait_for_selector(".lesson-packets button[aria-pressed=true]")
    page.locator(".lesson-text .mark").first.focus()


def explored(page, room):
    """A phone that has connected to a wristband, and gets its pulse."""
    room.do("room.scene", {"scene": "empty"})
    phone = room.do("room.add", {"program": "explorer", "name": "Phone", "x": 0, "y": 0})["id"]
    room.do("room.add", {"program": "wristband", "name": "Wristband", "x": 1, "y": 0})
    room.do("time.speed", {"speed": 10})
    room.do("time.run")
    page.wait_for_selector("[data-do=scan]:enabled")
    page.click("[data-do=scan]")
    page.locator(".ex-rows [data-do=connect]:visible").first.click()
    page.wait_for_selector(".ex-device[data-busy=false] .ex-tree [data-do=characteristic]")
    page.locator(".ex-tree li:has(.switch:visible) [data-do=characteristic]").first.click()
    page.locator(".ex-tree .switch input").first.click()
    room.watch("time", f"explorer.{phone}.devices")
    room.wait(f"explorer.{phone}.devices", lambda devices: any(
        len(one["numbers"]) >= 24 for device in devices for service in device["services"] for one in service["characteristics"]), timeout=60)
    room.do("time.pause")
    room.wait("time", lambda time: not time["isRunning"])
    page.wait_for_selector(".ex-live:visible")
    page.evaluate("document.activeElement.blur()")


def made(page, room):
    """The device of the maker's first example, with the octets of its advertisement."""
    page.wait_for_selector(".maker-service")
    page.wait_for_selector("#maker-problems .good")


# The name of each picture, its view, language, colours, width and height, and what happens before it is taken.
PICTURES = [
    ("studio-room", "room", "en", "light", 1280, 760, at_moment),
    ("studio-room-zh", "room", "zh", "light", 1280, 760, at_moment),
    ("studio-packets-dark", "packets", "en", "dark", 1280, 760, opened_packet),
    ("studio-packets-dark-zh", "packets", "zh", "dark", 1280, 760, opened_packet),
    ("studio-lesson", "lesson/tour-central", "en", "light", 1280, 760, in_step),
    ("studio-lesson-zh", "lesson/tour-central", "zh", "light", 1280, 760, in_step),
    ("studio-explorer", "explorer", "en", "light", 1600, 900, explored),
    ("studio-explorer-zh", "explorer", "zh", "light", 1600, 900, explored),
    ("studio-maker", "maker", "en", "light", 1280, 760, made),
    ("studio-maker-zh", "maker", "zh", "light", 1280, 760, made),
    ("studio-explorer-phone", "explorer", "en", "light", 390, 780, explored),
    ("studio-explorer-phone-zh", "explorer", "zh", "light", 390, 780, explored),
]


def main():
    names = sys.argv[1:] or [picture[0] for picture in PICTURES]
    FOLDER.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ["STUDIO_CHROMIUM"], args=["--no-sandbox", "--disable-dev-shm-usage", "--force-color-profile=srgb"])
        for name, *picture in PICTURES:
            if name in names:
                # A studio begins the room of the one before it, if it has its state.
                with tempfile.TemporaryDirectory() as home:
                    take(browser, home, FOLDER / f"{name}.png", *picture)
        browser.close()


def take(browser, home, path, view, language, scheme, width, height, prepare):
    environment = os.environ | {"XDG_STATE_HOME": home, "XDG_RUNTIME_DIR": home, "HOME": home}
    # The page of the folder needs no build.
    studio = subprocess.Popen([TOOL, "studio", "--no-open", "--port", "0", "--page", ROOT / "Studio"], stdout=subprocess.PIPE, text=True, env=environment)
    try:
        link = re.search(r"http://\S+", studio.stdout.readline()).group()
        room = WebLink(link)
        room.watch("time")
        context = browser.new_context(
            viewport={"width": width, "height": height}, locale="zh-CN" if language == "zh" else "en-US", color_scheme=scheme, reduced_motion="reduce")
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.goto(f"{link}#{view}")
        page.wait_for_selector("body[data-link=open]", state="attached")
        prepare(page, room)
        # check-tests: wait: it takes pictures. What the page shows of the last moment is complete a second later.
        page.wait_for_timeout(1000)
        image = Image.open(io.BytesIO(page.screenshot())).convert("RGB").quantize(256, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
        image.save(path, optimize=True)
        context.close()
        room.close()
    finally:
        studio.terminate()
        studio.wait(10)
    size = path.stat().st_size
    print(f"{path.relative_to(ROOT)}: {size / 1000:.0f} kB")
    assert size < LIMIT, f"{path.name} has {size} octets, but the limit is {LIMIT}"


def run_to(room, moment):
    """Runs the room to a moment and stops it there."""
    room.do("time.speed", {"speed": 10})
    room.do("time.run")
    room.wait("time", lambda time: time["now"] >= moment, timeout=60)
    room.do("time.pause")
    room.do("time.seek", {"to": moment})
    room.wait("time", lambda time: time["now"] == moment and not time["isSeeking"] and not time["isRunning"], timeout=60)


main()
