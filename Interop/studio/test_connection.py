"""The connection of the page: a server that restarts, a tab that sleeps or closes, two tabs, and too many of them."""

import contextlib
import os
import pathlib
import signal
import time

import pytest

from commands import wait_for

pytestmark = pytest.mark.long

LOST = ["WebSocket connection", "ERR_CONNECTION_REFUSED", "Failed to load resource"]


def state(page, name):
    page.wait_for_selector(f"body[data-link={name}]", state="attached")


def test_a_server_that_restarts(page):
    page.allowed += LOST
    page.studio.end(is_clean=False)
    state(page, "lost")
    page.wait_for_function("document.querySelector('.say.shown')?.textContent.includes('Trying again')")
    page.studio.restart()
    state(page, "open")
    page.wait_for_function("document.querySelector('.say.shown')?.textContent === 'Connected again.'")


def test_a_server_that_ends_says_goodbye(page):
    page.allowed += LOST
    page.studio.end()
    state(page, "lost")
    page.studio.restart()
    state(page, "open")


def test_a_server_with_another_key_is_named(page):
    page.allowed += LOST
    page.studio.end(is_clean=False)
    page.studio.arguments.append("--new-key")
    page.studio.restart()
    state(page, "refused")
    page.wait_for_function("document.querySelector('.say.shown')?.textContent.includes('no longer valid')")


def test_more_tabs_than_the_server_serves(page, open_page):
    others = [page.studio.connect() for _ in range(15)]
    assert all(other.do("studio.ping") == {} for other in others)
    late = open_page(waits=False)
    state(late, "full")
    late.wait_for_function("document.querySelector('.say.shown')?.textContent.includes('too many open pages')")
    others.pop().close()
    state(late, "open")
    for other in others:
        other.close()


def test_a_tab_that_closes_while_commands_run(page):
    """The page leaves in the middle of hundreds of commands; the server and the other pages do not notice."""
    page.evaluate(
        """() => {
            const socket = new WebSocket(new URL('socket', location.href.split('#')[0].replace('http', 'ws')));
            socket.onopen = () => { for (let id = 0; id < 500; id += 1) socket.send(JSON.stringify({ id, do: 'studio.ping', with: {} })); window.sent = true; };
        }""")
    page.wait_for_function("window.sent")
    page.close()
    assert page.studio.do("studio.ping") == {}
    assert page.studio.process.child.poll() is None


def test_a_tab_that_sleeps_is_complete_when_it_wakes(page):
    """Chromium freezes the tab, as a laptop that sleeps does. The server keeps nothing for it."""
    session = page.context.new_cdp_session(page)
    session.send("Page.setWebLifecycleState", {"state": "frozen"})
    before = page.studio.memory()
    end = time.monotonic() + 3
    while time.monotonic() < end:
        page.studio.do("studio.ping")
    assert page.studio.memory() < before + 10
    session.send("Page.setWebLifecycleState", {"state": "active"})
    state(page, "open")
    page.click("nav.tabs a[data-view=packets]")
    page.wait_for_selector("body[data-view=packets]")


def test_two_tabs_connect_again(page, open_page):
    other = open_page(of=page.studio)
    for tab in [page, other]:
        tab.allowed += LOST
        tab.wait_for_function("document.querySelector('aside.devices').textContent.includes('Wristband')")
    page.studio.end(is_clean=False)
    for tab in [page, other]:
        state(tab, "lost")
    page.studio.restart()
    for tab in [page, other]:
        state(tab, "open")
    page.studio.do("room.rename", {"device": "d2", "name": "Armband"})
    for tab in [page, other]:
        tab.wait_for_function("document.querySelector('aside.devices').textContent.includes('Armband')")


@pytest.fixture
def clocked(browser, open_page):
    """A page whose clock the test moves: `page.clock.fast_forward(milliseconds)`. `page.sockets` has its WebSockets."""
    context = browser.new_context(locale="en-US")
    context.clock.install()
    sockets = []
    context.on("page", lambda page: page.on("websocket", lambda socket: sockets.append(socket)))
    page = open_page(context=context)
    page.sockets = sockets
    page.allowed += LOST
    yield page
    context.close()


@contextlib.contextmanager
def stopped(studio):
    """The process stands still: the kernel accepts connections for it, and it says nothing and closes nothing."""
    os.kill(studio.process.child.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(studio.process.child.pid, signal.SIGCONT)


def forward(page, *milliseconds):
    """Moves the clock of the page in steps. Between them the page handles what has arrived."""
    for step in milliseconds:
        page.clock.fast_forward(step)
        page.evaluate("new Promise((resolve) => queueMicrotask(resolve))")


def test_a_server_that_says_nothing_is_noticed_and_found_again(clocked):
    """The server neither answers nor ends the connection, as after a cable is pulled. No event tells the page, so it asks by itself."""
    page = clocked
    with stopped(page.studio):
        # The page asks after 15 s of silence, and gives up 5 s later.
        forward(page, 16_000)
        assert page.evaluate("document.body.dataset.link") == "open"
        forward(page, 6_000)
        state(page, "lost")
        page.wait_for_function("document.querySelector('.say.shown')?.textContent.includes('does not answer')")
        # The next connections are accepted, and hear nothing: each ends after 10 s.
        forward(page, 1_000, 11_000, 2_000, 11_000)
        assert page.evaluate("document.body.dataset.link") == "lost"
        assert len(page.sockets) >= 3
    forward(page, 6_000)
    state(page, "open")
    page.wait_for_function("document.querySelector('.say.shown')?.textContent === 'Connected again.'")


def test_a_server_that_is_slow_to_answer_keeps_its_page(clocked):
    page = clocked
    with stopped(page.studio):
        forward(page, 16_000, 2_000)
    # The answer is on its way. The limit for it is still to come.
    page.studio.do("room.rename", {"device": "d2", "name": "Armband"})
    page.wait_for_function("document.querySelector('aside.devices').textContent.includes('Armband')")
    forward(page, 4_000)
    assert page.evaluate("document.body.dataset.link") == "open"
    assert len(page.sockets) == 1


def test_a_laptop_that_sleeps_with_the_time_running(clocked):
    """Page and server stand still together, for an hour by the page's clock. The connection still works, and the page is complete."""
    page = clocked
    page.studio.do("time.speed", {"speed": 1})
    page.studio.do("time.run")
    before = page.studio.topic("time", lambda time: time["now"] > 0)["now"]
    session = page.context.new_cdp_session(page)
    session.send("Page.setWebLifecycleState", {"state": "frozen"})
    with stopped(page.studio):
        # Until the kernel says so, the process may run.
        wait_for(lambda: pathlib.Path(f"/proc/{page.studio.process.child.pid}/stat").read_text().rpartition(")")[2].split()[0] == "T")
    session.send("Page.setWebLifecycleState", {"state": "active"})
    forward(page, 3_600_000)
    page.studio.topic("time", lambda time: time["now"] > before)
    page.studio.do("time.pause")
    page.studio.topic("time", lambda time: not time["isRunning"])
    shown = page.studio.topic("time")["now"] / 1e9
    page.wait_for_function(
        "(shown) => Math.abs(parseFloat(document.querySelector('.clock').textContent.replace(/[^0-9.]/g, '')) - shown) < 0.002", arg=shown)
    assert page.evaluate("document.body.dataset.link") == "open"
    assert len(page.sockets) == 1
