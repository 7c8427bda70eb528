"""Steps in the explorer that several tests need."""

import pathlib
import re

SECOND = 1_000_000_000

# A device with a characteristic of each kind: written, notified, indicated, refused, named.
LAB = """
summary: A device with characteristics of all kinds
advertising: {name: Lab, services: [FFE0], manufacturer: {company: 0x0059, data: 01 02}}
services:
  - uuid: FFE0
    characteristics:
      - {uuid: FFE1, properties: [read, write, write-without-response], value: "00"}
      - {uuid: FFE2, properties: [notify], format: u16, value: {counter: {minimum: 0, maximum: 60000, every: 200 ms}}, notify: {every: 200 ms}}
      - {uuid: FFE3, properties: [indicate], format: u8, value: {counter: {minimum: 0, maximum: 250, every: 200 ms}}, notify: {every: 200 ms}}
      - {uuid: FFE4, properties: [read], value: "01", read: {error: read-not-permitted}}
      - uuid: FFE5
        properties: [read]
        format: utf8
        value: forty-two
        descriptors: [{uuid: 2901, value: Answer}]
"""


def begin(page, *devices):
    """Adds devices and a phone with the explorer to an empty room, and starts the scan. A device is a set of arguments of `room.add`."""
    do = page.studio.do
    do("room.scene", {"scene": "empty"})
    for number, device in enumerate(devices):
        do("room.add", {"x": 1 + number, "y": 0} | device)
    page.click("[data-do=addPhone]")
    do("time.run")
    page.wait_for_selector("[data-do=scan]:enabled")
    page.click("[data-do=scan]")
    for device in devices:
        row(page, device["name"]).wait_for()


def lab(name="Lab"):
    return {"program": "profile", "name": name, "profile": LAB.replace("name: Lab", f"name: {name}")}


def row(page, name):
    return page.locator(".ex-rows li", has_text=re.compile(re.escape(name)))


def connect(page, name):
    """Connects to a device, and waits for its attributes."""
    row(page, name).locator("[data-do=connect]").click()
    page.wait_for_selector(f".ex-device h2:text-is('{name}')")
    page.wait_for_selector(".ex-tree [data-do=characteristic]")
    page.wait_for_selector(".ex-device[data-busy=false]")


def characteristic(page, uuid):
    """The line of a characteristic in the tree."""
    return page.locator(".ex-tree .ex-row", has_text=uuid)


def choose(page, uuid):
    """Shows a characteristic in the pane of values."""
    characteristic(page, uuid).locator("[data-do=characteristic]").click()
    page.wait_for_selector(f".ex-value p:has-text('{uuid}')")


def device(page, name=None):
    """The state of an opened device."""
    explorer = page.studio.topic("explorers")[0]["id"]
    found = page.studio.topic(f"explorer.{explorer}.devices", lambda devices: any(name in (None, each["name"]) for each in devices))
    return next(each for each in found if name in (None, each["name"]))


def wait_for_log(page, text):
    page.wait_for_selector(f".ex-log li:has-text({quoted(text)})")


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def saved(page, selector):
    """The name and the text of the file that a button saves."""
    with page.expect_download() as download:
        page.locator(selector).click()
    return download.value.suggested_filename, pathlib.Path(download.value.path()).read_text()
