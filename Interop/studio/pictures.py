"""Takes the pictures of the studio for the documents: the room in which a phone reads a wristband, stopped at the same virtual moment each time."""

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
LIMIT = 150_000

sys.path.insert(0, str(ROOT / "Interop" / "studio"))
from weblink import WebLink  # noqa: E402

# The name of each picture, its view, language, colours, width and height, and the virtual moment in nanoseconds.
PICTURES = [
    ("studio-room", "room", "en", "light", 1280, 760, 2_900_000_000),
    ("studio-room-zh", "room", "zh", "light", 1280, 760, 2_900_000_000),
    ("studio-packets-dark", "packets", "en", "dark", 1280, 760, 2_900_000_000),
    ("studio-lesson", "lesson", "en", "light", 1280, 760, None),
    ("studio-explorer-phone", "explorer", "en", "light", 390, 780, None),
]


def main():
    names = sys.argv[1:] or [picture[0] for picture in PICTURES]
    FOLDER.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as home:
        browser = playwright.chromium.launch(
            executable_path=os.environ["STUDIO_CHROMIUM"], args=["--no-sandbox", "--disable-dev-shm-usage", "--force-color-profile=srgb"])
        for name, view, language, scheme, width, height, moment in PICTURES:
            if name in names:
                take(browser, home, FOLDER / f"{name}.png", view, language, scheme, width, height, moment)
        browser.close()


def take(browser, home, path, view, language, scheme, width, height, moment):
    environment = os.environ | {"XDG_STATE_HOME": home, "XDG_RUNTIME_DIR": home, "HOME": home}
    studio = subprocess.Popen([TOOL, "studio", "--no-open", "--port", "0"], stdout=subprocess.PIPE, text=True, env=environment)
    try:
        link = re.search(r"http://\S+", studio.stdout.readline()).group()
        if moment is not None:
            run_to(link, moment)
        context = browser.new_context(
            viewport={"width": width, "height": height}, locale="zh-CN" if language == "zh" else "en-US", color_scheme=scheme, reduced_motion="reduce")
        page = context.new_page()
        page.goto(f"{link}#{view}")
        page.wait_for_selector("body[data-link=open]", state="attached")
        page.wait_for_timeout(1500)
        image = Image.open(io.BytesIO(page.screenshot())).convert("RGB").quantize(128, dither=Image.Dither.NONE)
        image.save(path, optimize=True)
        context.close()
    finally:
        studio.terminate()
        studio.wait(10)
    size = path.stat().st_size
    print(f"{path.relative_to(ROOT)}: {size / 1000:.0f} kB")
    assert size < LIMIT, f"{path.name} has {size} octets, but the limit is {LIMIT}"


def run_to(link, moment):
    """Runs the room to a moment and stops it there."""
    room = WebLink(link)
    room.watch("time")
    room.do("time.speed", {"speed": 10})
    room.do("time.run")
    room.wait("time", lambda time: time["now"] >= moment, timeout=60)
    room.do("time.pause")
    room.do("time.seek", {"to": moment})
    room.wait("time", lambda time: time["now"] == moment and not time["isSeeking"] and not time["isRunning"], timeout=60)
    room.close()


main()
