"""The explorer on the machine's adapter: here a program of a virtual radio that `bluelab radio` runs."""

import json
import re
import socket

import pytest

from commands import LIMIT, wait_for
from exploring import LAB, characteristic, choose, connect, row, saved

pytestmark = pytest.mark.long


@pytest.fixture
def radio(begin, workplace):
    """A radio with the device of the tests. radio("drop studio") sends a request to its control socket."""
    (workplace.path / "lab.yaml").write_text(LAB)
    begin("radio").line("Ctrl-C")
    control = socket.socket(socket.AF_UNIX)
    control.connect(str(workplace.path / "opencorebluetooth" / "radio.control"))
    control.settimeout(LIMIT)
    answers = control.makefile("r")

    def radio(request):
        control.sendall(request.encode() + b"\n")
        answer = json.loads(answers.readline())
        assert answer["ok"], answer
        return answer

    begin("serve", "lab.yaml", environment={"BLUETOOTH_RADIO_NAME": "lab", "XDG_STATE_HOME": workplace.path / "state-lab"})
    wait_for(lambda: any(each["advertising"] for each in radio("list")["devices"]))
    yield radio
    answers.close()
    control.close()


@pytest.fixture
def explorer(open_page, studio, radio):
    """The explorer on the adapter, with a running scan."""
    page = open_page("explorer/adapter", of=studio("--controller", "radio", environment={"BLUETOOTH_RADIO_NAME": "studio"}))
    page.click("[data-do=scan]:enabled")
    row(page, "Lab").wait_for()
    return page


def test_the_adapter_is_explored_and_the_script_runs(explorer, run, workplace):
    page = explorer
    connect(page, "Lab")
    # Other devices of the room do not matter: this explorer has no virtual time.
    assert page.locator(".ex .notice:visible").count() == 0
    page.wait_for_selector(".ex-device .chip:text-is('ATT_MTU 498')")
    assert page.locator("[data-do=offerMTU]").is_hidden()
    characteristic(page, "FFE5").locator("[data-do=read]").click()
    characteristic(page, "FFE5").locator(".ex-treevalue:text('forty-two')").wait_for()
    choose(page, "FFE1")
    page.select_option(".ex-value [data-do=format]", "u16")
    page.fill(".ex-value [data-do=text]", "513")
    page.wait_for_selector(".ex-value code:text('Data([0x01, 0x02])')")
    page.click(".ex-value [data-do=write]")
    page.click(".ex-value [data-do=read]")
    page.wait_for_selector(".ex-value .octets:has-text('01 02')")
    characteristic(page, "FFE4").locator("[data-do=read]").click()
    characteristic(page, "FFE4").locator(".bad").wait_for()
    characteristic(page, "FFE2").locator("input[role=switch]").check(force=True)
    page.wait_for_selector(".ex-live:not([hidden])")
    characteristic(page, "FFE2").locator("input[role=switch]").uncheck(force=True)
    page.wait_for_selector(".ex-live", state="hidden")
    page.locator(".ex-device [data-do=disconnect]:visible").click()
    page.wait_for_selector(".ex-device .chip:text-is('not connected')")
    name, script = saved(page, ".ex-device [data-do=script]")
    for step in ("connect", "discover", "read", "write", "subscribe", "wait-for-notification", "unsubscribe", "disconnect"):
        assert re.search(rf"^  - {step}\b", script, re.MULTILINE), script
    (workplace.path / name).write_text(script)
    # Another program runs the script against the same device.
    done = run("run", name)
    assert done.code == 0 and re.search(r"(\d+) of \1 steps passed", done.output), done


def test_an_adapter_that_is_unplugged_while_in_use_and_plugged_again(explorer, radio, axe):
    page = explorer
    connect(page, "Lab")
    radio("drop studio")
    # The link and the scan end, and the page says what to do.
    page.wait_for_selector(".ex-device .chip:text-is('not connected')")
    wait_for(lambda: page.locator(".ex-log li:has-text('centralManagerDidUpdateState')").count() >= 2)
    assert "switched off or removed" in page.locator(".ex-device .notice.bad").inner_text()
    # The radio takes the program back, as a USB port does an adapter.
    page.wait_for_selector("[data-do=scan]:enabled:has-text('Scan')")
    page.wait_for_selector(".ex > .notice.warn", state="hidden")
    axe(page)
    page.click("[data-do=scan]")
    row(page, "Lab").locator("[data-do=connect]:visible").click()
    page.wait_for_selector(".ex-device[data-busy=false] .ex-tree [data-do=characteristic]")
    characteristic(page, "FFE5").locator("[data-do=read]").click()
    characteristic(page, "FFE5").locator(".ex-treevalue:text('forty-two')").wait_for()


def test_a_device_that_loses_its_power_is_said(explorer, radio):
    page = explorer
    connect(page, "Lab")
    radio("drop lab")
    page.wait_for_selector(".ex-device .notice.bad:has-text('timed out')")


def served(page, device):
    """Runs a profile of the maker on the adapter."""
    page.wait_for_selector("#maker-problems .good")
    page.locator(".maker-editor textarea").fill(device)
    page.wait_for_function("() => document.querySelectorAll('.maker-service').length === 1")
    page.get_by_role("button", name="Run on the adapter").click()
    page.wait_for_selector(".maker-runs .chip.good:text-is('advertising')")


MADE = """
advertising: {name: Made}
services:
  - uuid: FFE0
    characteristics:
      - {uuid: FFE1, properties: [read, write], value: "2a"}
      - {uuid: FFE2, properties: [notify], format: u8, value: {counter: {minimum: 0, maximum: 250, every: 200 ms}}, notify: {every: 200 ms}}
"""


def test_a_device_of_the_maker_serves_other_programs_on_the_adapter(open_page, studio, radio, begin, run, axe):
    page = open_page("maker", of=studio("--controller", "radio", environment={"BLUETOOTH_RADIO_NAME": "studio"}))
    served(page, MADE)
    axe(page)
    # Found, read, written and subscribed to by other programs of the radio.
    assert "Made" in run("scan", "--duration", "2").output
    assert "2a" in run("read", "Made", "FFE1").output.lower()
    assert run("write", "Made", "FFE1", "0102").code == 0
    assert "01 02" in run("read", "Made", "FFE1").output
    page.wait_for_selector(".maker-events li:has-text('FFE1')")
    reader = begin("notify", "Made", "FFE2")
    page.wait_for_selector(".maker-runs .chip:text-is('Subscriptions: 1')")
    # A change in the form is applied while the device is connected; the room is another place.
    apply = page.locator(".maker-runs [data-field='apply:adapter']")
    assert apply.is_disabled()
    page.get_by_role("button", name="Run in the room").click()
    page.locator('[data-field="advertising/name"]').fill("Renamed")
    page.wait_for_selector(".maker-runs [data-field='apply:adapter']:enabled")
    page.locator(".maker-runs [data-field='apply:room']").click()
    page.wait_for_selector(".maker-runs [data-field='apply:room']:disabled")
    apply.click()
    page.wait_for_selector(".maker-runs [data-field='apply:adapter']:disabled")
    reader.stop()
    page.wait_for_selector(".maker-runs .chip:text-is('Subscriptions: 0')")
    wait_for(lambda: "Renamed" in run("scan", "--duration", "1").output)
    page.locator(".maker-runs [data-field='stop:adapter']").click()
    page.get_by_role("button", name="Run on the adapter").wait_for()
    wait_for(lambda: "Renamed" not in run("scan", "--duration", "1").output)


@pytest.mark.parametrize("language, start, gone", [("en", "Run on the adapter", "The adapter is gone, or bluetoothd has ended."), ("zh", "在适配器上运行", "适配器已断开，或 bluetoothd 已结束")])
def test_an_adapter_that_is_unplugged_while_it_serves_a_device(open_page, studio, begin, axe, language, start, gone):
    air = begin("radio")
    air.line("Ctrl-C")
    page = open_page("maker", of=studio("--controller", "radio", environment={"BLUETOOTH_RADIO_NAME": "studio"}), language=language)
    page.wait_for_selector("#maker-problems .good")
    page.get_by_role("button", name=start).click()
    page.wait_for_selector(".maker-runs .chip.good")
    air.stop()
    # The page says so, and the device in the room is not affected.
    page.wait_for_selector(f".maker-runs .notice.warn:has-text('{gone}')")
    page.wait_for_selector(".maker-runs .chip.warn")
    axe(page)
    page.locator(".maker-runs [data-field='run.room']").click()
    page.studio.topic("room", lambda room: any(each["program"] == "profile" for each in room["devices"]))
    # Plugged in again, the device advertises without a click.
    begin("radio").line("Ctrl-C")
    page.wait_for_selector(".maker-runs .chip.good")
    page.wait_for_selector(".maker-runs .notice.warn", state="detached")
