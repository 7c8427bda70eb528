"""Pairings of the explorer with locks of the room, answered in the page."""

import re

import pytest

from exploring import begin, characteristic, connect, device, wait_for_log

pytestmark = pytest.mark.long

BOLT = "5B1D0011"


@pytest.fixture
def lock(open_page):
    """The explorer, connected to a lock."""

    def lock(program, **options):
        page = open_page("explorer", **options)
        begin(page, {"program": program, "name": "Lock"})
        connect(page, "Lock")
        return page

    return lock


def ask(page):
    """Reads the bolt, which needs a pairing."""
    characteristic(page, BOLT).locator("[data-do=read]").click()
    page.wait_for_selector(".ex-prompt")


def displayed(page):
    """The digits on the display of the lock, in the list of what happens."""
    text = page.locator(".happened", has_text="The display shows")
    text.wait_for()
    return re.findall(r"The display shows (\d{6})", text.inner_text())[-1]


def test_numbers_are_compared_and_a_paired_device_connects_again(lock, axe):
    page = lock("lock-with-keys")
    ask(page)
    assert page.locator(".ex-digits").inner_text().replace(" ", "") == displayed(page)
    assert "What happens" in page.locator(".ex-prompt .hint").inner_text()
    axe(page)
    page.locator(".ex-prompt button.primary").click()
    characteristic(page, BOLT).locator(".ex-treevalue:has-text('01')").wait_for()
    page.wait_for_selector(".ex-device .chip.good:has-text('paired, security level 4')")
    assert page.locator(".ex-prompts[open]").count() == 0
    link = next(iter(page.studio.topic("room", lambda room: any(each["isEncrypted"] for each in room["links"]))["links"]))
    assert link["isEncrypted"]
    # The keys are used on the next link without a question.
    page.locator(".ex-device [data-do=disconnect]:visible").click()
    page.locator(".ex-device [data-do=connect]").click()
    page.wait_for_selector(".ex-device[data-busy=false] .ex-tree [data-do=characteristic]")
    characteristic(page, BOLT).locator("[data-do=read]").click()
    characteristic(page, BOLT).locator(".ex-treevalue:has-text('01')").wait_for()
    assert page.locator(".ex-prompts[open]").count() == 0
    assert device(page, "Lock")["isBonded"]
    page.locator(".ex-device [data-do=unpair]").click()
    page.wait_for_selector(".ex-device [data-do=unpair]", state="hidden")


def test_a_passkey_is_entered_with_the_keyboard(lock):
    page = lock("lock")
    ask(page)
    page.keyboard.type(displayed(page))
    page.keyboard.press("Enter")
    characteristic(page, BOLT).locator(".ex-treevalue:has-text('01')").wait_for()
    assert device(page, "Lock")["securityLevel"] == 4
    # What is done is not offered any more.
    page.locator(".ex-device [data-do=unpair]").wait_for()
    assert page.locator(".ex-device [data-do=pair]").is_hidden()


def test_a_wrong_passkey_is_said_and_the_next_one_may_be_right(lock):
    page = lock("lock")
    page.locator(".ex-device [data-do=pair]").click()
    page.wait_for_selector(".ex-prompt input")
    page.fill(".ex-prompt input", f"{(int(displayed(page)) + 1) % 1_000_000:06}")
    page.keyboard.press("Enter")
    page.wait_for_selector(".ex-log .ex-entry.error:has-text('pairing')")
    page.wait_for_selector(".ex-device [data-do=pair]:enabled")
    assert not device(page, "Lock")["isBonded"]


def test_a_pairing_that_the_user_refuses_changes_nothing(lock):
    page = lock("lock-with-keys")
    ask(page)
    page.locator(".ex-prompt button:not(.primary)").click()
    wait_for_log(page, "The read of")
    characteristic(page, BOLT).locator(".bad").wait_for()
    assert not device(page, "Lock")["isBonded"]
    assert page.locator(".ex-prompts[open]").count() == 0
