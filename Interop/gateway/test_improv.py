"""py-improv-ble-client, unchanged, provisions a device over `bluelab gateway`: its Bleak is that of habluetooth, as in Home Assistant."""

import asyncio
import importlib
import subprocess
import sys

import pytest
from commands import LIMIT, PROGRAMS, Running
from conftest import home_assistant
from habluetooth import HaBleakScannerWrapper
from habluetooth.usage import install_multiple_bleak_catcher, uninstall_multiple_bleak_catcher

KEY = "QRTIErOb/fcE9Ukd/5qA3RGYMn0Y+p06U58SCtOXvPc="


@pytest.fixture
def improv():
    """The client, imported after habluetooth has taken the place of Bleak's classes."""

    def forget():
        for name in [name for name in sys.modules if name.split(".")[0] == "improv_ble_client"]:
            del sys.modules[name]

    install_multiple_bleak_catcher()
    forget()
    yield importlib.import_module("improv_ble_client")
    uninstall_multiple_bleak_catcher()
    forget()


@pytest.fixture
def lamp(workplace, radio):
    """Starts a device with our Improv service: line(text), send(text)."""

    def start(*arguments):
        device = Running(
            [PROGRAMS / "improv-peer", "Lamp", *arguments], workplace.environment(BLUETOOTH_RADIO_NAME="lamp"), workplace.path,
            stdin=subprocess.PIPE)
        workplace.programs.append(device)
        device.line('"advertising"')
        return device

    return start


async def ended(client):
    """Waits until the client has ended its link, as it does after each failure."""
    async with asyncio.timeout(LIMIT):
        while client._client is not None or client._background_tasks:
            await asyncio.sleep(0.02)


def provisioning(served, improv, work):
    """Finds the device through the gateway by its service, and runs `work(client)`.

    The client's own filter also asks for the service data, which Apple's API has no way to advertise.
    """
    client_module = importlib.import_module("improv_ble_client.client")

    async def main():
        async with home_assistant(served, KEY), HaBleakScannerWrapper() as scanner:
            async with asyncio.timeout(LIMIT):
                while not (found := [
                    (device, data) for device, data in scanner.discovered_devices_and_advertisement_data.values()
                    if client_module.SERVICE_UUID in data.service_uuids
                ]):
                    await asyncio.sleep(0.1)
            client = client_module.ImprovBLEClient(*found[0])
            try:
                async with asyncio.timeout(LIMIT * 2):
                    await work(client)
            finally:
                # The client would keep its link for 90 s.
                if client._client:
                    await client._client.disconnect()

    asyncio.run(main())


def test_a_foreign_client_provisions_a_device_over_the_gateway(gateway, improv, lamp, radio):
    device, states = lamp(), []

    async def work(client):
        assert not await client.need_authorization()
        assert client.can_identify and client.can_get_device_info and client.can_scan_wifi and not client.can_set_hostname
        await client.identify()
        information = await client.get_device_info()
        assert "lamp" in str(information) and "1.2" in str(information)
        networks = str(await client.scan_wifi())
        assert "home" in networks and "-40" in networks
        assert await client.provision("home", "correct horse", states.append) == "http://192.0.2.7/"

    provisioning(gateway(key=KEY), improv, work)
    device.line('"identify"')
    device.line('"value":4')
    assert [int(state.value) for state in states[:2]] == [3, 4]
    radio.wait_for(lambda found: found["name"] == "lamp" and not found["links"])


def test_a_wrong_password_and_a_second_try(gateway, improv, lamp):
    device = lamp()
    errors, protocol = (importlib.import_module(f"improv_ble_client.{name}") for name in ("errors", "protocol"))

    async def work(client):
        with pytest.raises(errors.ProvisioningFailed) as failure:
            await client.provision("home", "wrong", None)
        assert failure.value.error == protocol.Error.UNABLE_TO_CONNECT
        await ended(client)
        assert await client.provision("home", "correct horse", None) == "http://192.0.2.7/"

    provisioning(gateway(key=KEY), improv, work)
    device.line('"value":4')


def test_a_device_that_waits_for_its_button_says_so(gateway, improv, lamp):
    device = lamp("authorization")
    errors, protocol = (importlib.import_module(f"improv_ble_client.{name}") for name in ("errors", "protocol"))

    async def work(client):
        assert await client.need_authorization()
        with pytest.raises(errors.ProvisioningFailed) as failure:
            await client.provision("home", "correct horse", None)
        assert failure.value.error == protocol.Error.NOT_AUTHORIZED
        await ended(client)
        device.send("authorize\n")
        await asyncio.to_thread(device.line, '"value":2')
        assert not await client.need_authorization()
        assert await client.provision("home", "correct horse", None) == "http://192.0.2.7/"

    provisioning(gateway(key=KEY), improv, work)
