"""The connection of the page: a server that restarts, a tab that sleeps or closes, two tabs, and too many of them."""

import time

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


def test_a_server_with_another_token_is_named(page):
    page.allowed += LOST
    page.studio.end(is_clean=False)
    page.studio.arguments.append("--new-token")
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

