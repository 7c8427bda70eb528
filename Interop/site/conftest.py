"""Fixtures for tests of the site in Chromium. `Interop/run-site` makes the site; SITE names its folder.

    site                   the folder
    site_with_reference    the same; fails if the site has no reference
    address                the address of a static server, which has the site below a path and nothing at its root
    open_page(path, ...)   opens a page of the site, from the server or, with of="file", from the folder
    axe(page)              fails with the rules of accessibility that the page violates

A test fails if a page logs an error, throws, or requests a file that does not exist.
"""

import functools
import http.server
import os
import pathlib
import sys
import threading

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from browser import axe, browser  # noqa: E402, F401

LIMIT = 20_000
PICTURES = os.environ.get("SITE_PICTURES")


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves the site below /pages/, as a forge does."""

    def translate_path(self, path):
        return super().translate_path(path.removeprefix("/pages")) if path.startswith("/pages/") else os.devnull + "/none"

    def log_message(self, *arguments):
        pass


@pytest.fixture(scope="session")
def site():
    return pathlib.Path(os.environ["SITE"]).resolve()


@pytest.fixture(scope="session")
def site_with_reference(site):
    assert (site / "reference").is_dir(), "this site has no reference: Scripts/documentation, then Interop/run-site --reference .build/documentation"
    return site


@pytest.fixture(scope="session")
def address(site):
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=str(site))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/pages/"
        server.shutdown()


@pytest.fixture
def open_page(browser, site, address):
    pages, contexts = [], []

    def open_page(path, of="server", language="en", scheme="light", width=1280, height=800, motion="reduce", context=None):
        if context is None:
            context = browser.new_context(
                viewport={"width": width, "height": height}, locale="zh-CN" if language == "zh" else "en-US", color_scheme=scheme, reduced_motion=motion)
            context.set_default_timeout(LIMIT)
            contexts.append(context)
        page = context.new_page()
        page.errors = []
        page.on("console", lambda message: page.errors.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: page.errors.append(f"{error.message}\n{error.stack or ''}"))
        page.on("response", lambda response: page.errors.append(f"{response.status} {response.url}") if response.status >= 400 else None)
        pages.append(page)
        page.goto((address if of == "server" else f"{site.as_uri()}/") + path)
        return page

    yield open_page
    errors = [error for page in pages for error in page.errors]
    for context in contexts:
        context.close()
    assert not errors, "the page reported errors:\n" + "\n".join(errors)
