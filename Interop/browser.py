"""Fixtures of the suites in Chromium.

    browser     Debian's Chromium without a window
    axe(page)   fails with the rules of accessibility that the page violates
"""

import os

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("STUDIO_CHROMIUM", "/usr/bin/chromium-headless-shell"),
            # The tests often run as root in a container, where Chromium's own sandbox does not start.
            args=["--no-sandbox", "--disable-dev-shm-usage", "--force-color-profile=srgb"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def axe():
    checker = Axe()

    def axe(page, **options):
        """Fails with the rules of accessibility that the page violates, and the elements that violate them."""
        violations = checker.run(page, **options).response["violations"]
        found = [
            f"{violation['id']} ({violation['impact']}): {violation['help']}\n" + "\n".join(
                f"    {' '.join(map(str, node['target']))}: {node['failureSummary'].splitlines()[-1].strip()}" for node in violation["nodes"][:5])
            for violation in violations]
        assert not found, "\n".join(found)

    return axe
