"""Fixtures for tests of the page in Chromium. Each test has its own studio, state folder and browser context.

    studio("--seed", "7")        starts `bluelab studio --no-open --port 0`: link, do(), topic(), seek(), step(), restart(), process
    page                         the page of such a studio, open, in English and light colours
    open_page(...)               the same with a view, a language, a colour scheme, a size or a studio: open_page("packets", language="zh", width=360)
    do("room.move", {...})       runs a command of the studio of `page`, as the page does
    seek(nanoseconds), step()    moves the virtual time of the studio of `page`
    axe(page)                    fails with the rules of accessibility that the page violates

`page.wait_for_function(expression)` works as Playwright's, but polls, because the page's policy forbids `eval`.

A test fails if the page logs an error, throws, or violates its Content-Security-Policy. A test that causes one on purpose allows it:
`page.allowed.append("WebSocket connection")`.
"""

import contextlib
import functools
import os
import pathlib
import re
import sys
import time
import urllib.parse

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from browser import axe, browser  # noqa: E402, F401
from commands import (  # noqa: E402, F401
    LIMIT, ROOT, TOOL, Running, begin, run, wait_for, workplace,
)
from weblink import WebLink  # noqa: E402

# `bluelab studio --page FOLDER` serves the files of a folder, so a change of the page needs no build.
PAGE = os.environ.get("STUDIO_PAGE")
PICTURES = os.environ.get("STUDIO_PICTURES")
# Divides the speed of the page's processor, so that what a test reads too early is not there yet.
SLOWNESS = float(os.environ.get("STUDIO_SLOWNESS", "1"))


# The names that the room and the world of the lesson share.
SHARED = re.compile(r"(time|room|counts|flight|packets|happened)(\.|$)")


class Studio:
    """A running `bluelab studio`."""

    # What those names begin with: `lesson.` for a test of the lesson's world.
    world = ""

    def named(self, name):
        return self.world + name if SHARED.match(name) else name

    def __init__(self, workplace, *arguments, environment=None, folder=PAGE):
        self.workplace, self.arguments, self.environment, self.folder = workplace, [str(argument) for argument in arguments], environment or {}, folder
        self._link = None
        self._start(["--port", "0"] if "--port" not in self.arguments else [])

    def _start(self, port):
        page = ["--page", self.folder] if self.folder else []
        self.process = Running(
            [TOOL, "studio", "--no-open", *port, *page, *self.arguments], self.workplace.environment(**self.environment), self.workplace.path)
        self.workplace.programs.append(self.process)
        # With a capture the link leads to its packets.
        self.link, _, self.view = re.search(r"https?://\S+", self.process.line("://")).group().partition("#")

    @property
    def port(self):
        return urllib.parse.urlsplit(self.link).port

    def connect(self, **options):
        """A WebSocket of its own, as of another page."""
        return WebLink(self.link, **options)

    def _connected(self):
        if self._link is None:
            self._link = self.connect()
            self._link.watched = set()
        return self._link

    def do(self, command, arguments=None):
        """Runs a command and returns its result."""
        return self._connected().do(self.named(command), arguments)

    def topic(self, name, condition=lambda value: True, timeout=LIMIT):
        """Waits until the value of a topic fulfils `condition`, and returns the value. The studio sends a change at its next update, which another topic
        may reach first: a test names what it expects as the condition, and does not read the newest value."""
        link, name = self._connected(), self.named(name)
        if name not in link.watched:
            link.watched.add(name)
            # The time comes first: a room that is sent after the end of a seek is the room at that time.
            link.watch(*sorted(link.watched, key=lambda name: (not name.endswith("time"), name)))
        return link.wait(name, condition, timeout)

    def becomes(self, read, expected):
        """Waits until what `read` finds in the topics is `expected`."""
        link, end = self._connected(), time.monotonic() + LIMIT
        while (found := read()) != expected:
            assert time.monotonic() < end, f"expected: {expected}\nfound: {found}"
            # The first reading of a topic receives updates of others.
            if read() == found:
                with contextlib.suppress(TimeoutError):
                    link.message()
        return True

    def events(self):
        """All events of the room until now."""
        link, name = self._connected(), self.named("happened")
        link.watched.add(name)
        link.items.pop(name, None)
        link.watch(*sorted(link.watched - {name}))
        link.watch(*sorted(link.watched))
        wait_for(lambda: link.message() and name in link.items)
        return link.items[name]

    def seek(self, nanoseconds):
        """Moves the virtual time, and waits until it is there."""
        self.do("time.seek", {"to": nanoseconds})
        return self.topic("time", lambda time: time["now"] == nanoseconds and not time["isSeeking"])

    def step(self):
        """Moves the virtual time to the end of the next packet."""
        before = self.topic("time")["now"]
        self.do("time.step")
        return self.topic("time", lambda time: time["now"] > before and not time["isRunning"])

    def memory(self):
        """The resident memory of the process in megabytes."""
        return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{self.process.child.pid}/status").read_text()).group(1)) / 1000

    def end(self, is_clean=True):
        """Ends the process; `is_clean` as Ctrl-C does, otherwise without a chance to say goodbye."""
        if self._link:
            self._link.close()
            self._link = None
        if is_clean:
            self.process.stop()
        else:
            self.process.kill()

    def restart(self):
        """Starts the command again on the same port."""
        port = self.port
        self._start(["--port", str(port)])


@pytest.fixture
def studio(workplace):
    """Starts a studio. Each has the same state folder. `folder` has the page, or None stands for the one in the tool."""

    def studio(*arguments, **options):
        return Studio(workplace, *arguments, **options)

    return studio


@pytest.fixture
def open_page(studio, browser, request):
    """Opens the page. Starts a studio unless `of` names one."""
    pages, contexts, studios = [], [], []

    def open_page(
            view="", of=None, language="en", scheme="light", width=1280, height=800, arguments=(), context=None, waits=True,
            reduced_motion="reduce", script=None):
        if of is None:
            if not studios:
                studios.append(studio(*arguments))
            of = studios[0]
        if context is None:
            context = browser.new_context(
                viewport={"width": width, "height": height}, locale="zh-CN" if language == "zh" else "en-US", color_scheme=scheme,
                reduced_motion=reduced_motion, accept_downloads=True)
            context.set_default_timeout(LIMIT * 1000)
            contexts.append(context)
        page = context.new_page()
        page.wait_for_function = functools.partial(wait_for_function, page)
        page.studio, page.allowed, page.errors = of, [], []
        page.on("console", lambda message: page.errors.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: page.errors.append(f"{error.message}\n{error.stack or ''}"))
        page.add_init_script(
            "addEventListener('securitypolicyviolation', (event) => console.error("
            "`Content-Security-Policy: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`));")
        if script:
            page.add_init_script(script)
        if SLOWNESS > 1:
            context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWNESS})
        pages.append(page)
        page.goto(of.link + (f"#{view}" if view else ""))
        if view.startswith("lesson") or "@lesson" in view:
            of.world = "lesson."
        if waits:
            page.wait_for_selector("body[data-link=open]", state="attached")
        return page

    yield open_page
    complaints = []
    for number, page in enumerate(pages):
        complaints += [error for error in page.errors if not any(allowed in error for allowed in page.allowed)]
        report = getattr(request.node, "report", None)
        if PICTURES and report is not None and report.failed and not page.is_closed():
            pathlib.Path(PICTURES).mkdir(parents=True, exist_ok=True)
            with contextlib.suppress(Exception):
                page.screenshot(path=pathlib.Path(PICTURES) / f"{re.sub(r'[^A-Za-z0-9]+', '-', request.node.name)}-{number}.png", timeout=5000)
    for context in contexts:
        context.close()
    assert not complaints, "the page reported errors:\n" + "\n".join(complaints)


def wait_for_function(page, expression, *, arg=None, timeout=LIMIT * 1000):
    """Waits until an expression of the page is true, and returns its value. Playwright's own function needs `eval` in the page, which the page's
    policy forbids."""
    end = time.monotonic() + timeout / 1000
    while not (value := page.evaluate(expression, arg)):
        assert time.monotonic() < end, f"{expression} is not true in {timeout / 1000} s"
        page.wait_for_timeout(20)
    return value


def pytest_configure(config):
    config.addinivalue_line("markers", "alone: a test that measures, and runs beside no other")


def pytest_terminal_summary(terminalreporter):
    figures = [text for report in terminalreporter.getreports("passed") for name, text in report.user_properties if name == "figure"]
    if figures:
        terminalreporter.section("figures")
        for text in figures:
            terminalreporter.line(text)
    if os.environ.get("STUDIO_FIGURES"):
        values = [value for report in terminalreporter.getreports("passed") for name, value in report.user_properties if name == "value"]
        sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "Benchmarks"))
        import report

        report.keep(values)
        report.write()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    if report.when == "call":
        item.report = report


@pytest.fixture
def page(open_page):
    return open_page()


@pytest.fixture
def do(page):
    return page.studio.do


@pytest.fixture
def seek(page):
    return page.studio.seek


@pytest.fixture
def step(page):
    return page.studio.step
