"""`bluelab gateway` with aioesphomeapi, the client of Home Assistant."""

import asyncio
import socket

import pytest
from aioesphomeapi import APIConnectionError, BluetoothProxyFeature, InvalidEncryptionKeyAPIError, RequiresEncryptionAPIError
from aioesphomeapi.core import BluetoothGATTAPIError
from commands import LIMIT
from conftest import advertiser, api, connect, first

KEY = "QRTIErOb/fcE9Ukd/5qA3RGYMn0Y+p06U58SCtOXvPc="
OTHER_KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
MEASUREMENT = "00002a37-0000-1000-8000-00805f9b34fb"
LOCATION = "00002a38-0000-1000-8000-00805f9b34fb"
CONTROL = "00002a39-0000-1000-8000-00805f9b34fb"
CONFIGURATION = "00002902-0000-1000-8000-00805f9b34fb"


def characteristics(services):
    return {item.uuid: item for service in services.services for item in service.characteristics}


@pytest.mark.parametrize("key", [None, KEY])
def test_a_client_greets_and_reads_what_the_gateway_is(gateway, key):
    async def main():
        async with api(gateway("--slots", 2, key=key)) as client:
            information = await client.device_info()
            assert information.name == "hall"
            assert client.api_version.major == 1
            features = BluetoothProxyFeature(information.bluetooth_proxy_feature_flags_compat(client.api_version))
            assert BluetoothProxyFeature.RAW_ADVERTISEMENTS in features and BluetoothProxyFeature.REMOTE_CACHING in features
            assert information.bluetooth_mac_address == information.mac_address
            entities, actions = await client.list_entities_services()
            assert entities == [] and actions == []
            free, limit, *_ = await first_slots(client)
            assert (free, limit) == (2, 2)

    asyncio.run(main())


async def first_slots(client):
    found = asyncio.get_running_loop().create_future()
    client.subscribe_bluetooth_connections_free(lambda *values: found.done() or found.set_result(values))
    return await asyncio.wait_for(found, LIMIT)


def test_a_wrong_key_and_none_are_named(gateway):
    served = gateway(key=KEY)

    async def main():
        with pytest.raises(InvalidEncryptionKeyAPIError):
            async with api(served, key=OTHER_KEY):
                pass
        with pytest.raises(RequiresEncryptionAPIError):
            async with api(served, key=None):
                pass
        async with api(served):
            pass

    asyncio.run(main())


@pytest.mark.parametrize("key", [None, KEY])
def test_a_device_is_found_connected_read_written_and_heard(gateway, serve, radio, key):
    serve("heart-rate")
    served = gateway(key=key)

    async def main():
        async with api(served) as client:
            features = (await client.device_info()).bluetooth_proxy_feature_flags_compat(client.api_version)
            item = await advertiser(client, "Pulse")
            assert -127 < item.rssi < 0
            states, _ = await connect(client, item, features)
            connected, mtu, error = await asyncio.wait_for(states.get(), LIMIT)
            assert connected and error == 0 and mtu > 23
            services = await client.bluetooth_gatt_get_services(item.address)
            # The GAP service is the first of a device.
            assert any(service.uuid.startswith("00001800") for service in services.services)
            found = characteristics(services)
            assert await client.bluetooth_gatt_read(item.address, found[LOCATION].handle) == bytearray([1])
            configuration = next(d for d in found[MEASUREMENT].descriptors if d.uuid == CONFIGURATION)
            assert await client.bluetooth_gatt_read_descriptor(item.address, configuration.handle) == bytearray(2)

            heard = asyncio.Queue()
            stop, _ = await client.bluetooth_gatt_start_notify(
                item.address, found[MEASUREMENT].handle, lambda handle, value: heard.put_nowait((handle, bytes(value))))
            await client.bluetooth_gatt_write_descriptor(item.address, configuration.handle, b"\x01\x00")
            for _ in range(2):
                handle, value = await asyncio.wait_for(heard.get(), LIMIT)
                assert handle == found[MEASUREMENT].handle and len(value) >= 2
            assert await client.bluetooth_gatt_read_descriptor(item.address, configuration.handle) == bytearray([1, 0])
            await stop()
            await client.bluetooth_gatt_write(item.address, found[CONTROL].handle, b"\x01", True)

            with pytest.raises(BluetoothGATTAPIError) as refused:
                await client.bluetooth_gatt_read(item.address, 0x0FFF)
            assert refused.value.error.error == 0x01
            await client.bluetooth_device_disconnect(item.address)
            radio.wait_for(lambda device: device["name"] == "heart-rate" and not device["links"])

    asyncio.run(main())


def test_a_client_that_knows_the_services_subscribes(gateway, serve):
    serve("heart-rate")

    async def main():
        async with api(gateway()) as client:
            features = (await client.device_info()).bluetooth_proxy_feature_flags_compat(client.api_version)
            item = await advertiser(client, "Pulse")
            await connect(client, item, features)
            found = characteristics(await client.bluetooth_gatt_get_services(item.address))
            measurement = found[MEASUREMENT].handle
            configuration = next(d.handle for d in found[MEASUREMENT].descriptors if d.uuid == CONFIGURATION)
            await client.bluetooth_device_disconnect(item.address)

            item = await advertiser(client, "Pulse")
            await client.bluetooth_device_connect(
                item.address, lambda *state: None, timeout=LIMIT, feature_flags=features, has_cache=True, address_type=item.address_type)
            heard = asyncio.Queue()
            await client.bluetooth_gatt_start_notify(item.address, measurement, lambda handle, value: heard.put_nowait(handle))
            await client.bluetooth_gatt_write_descriptor(item.address, configuration, b"\x01\x00")
            assert await asyncio.wait_for(heard.get(), LIMIT) == measurement

    asyncio.run(main())


def test_slots_are_bounded_and_freed(gateway, serve):
    serve("heart-rate", name="one")
    serve("heart-rate", "--name", "Second", name="two")

    async def main():
        async with api(gateway("--slots", 1)) as client:
            features = (await client.device_info()).bluetooth_proxy_feature_flags_compat(client.api_version)
            slots = asyncio.Queue()
            client.subscribe_bluetooth_connections_free(lambda *values: slots.put_nowait(values[:2]))
            assert await asyncio.wait_for(slots.get(), LIMIT) == (1, 1)
            one = await advertiser(client, "Pulse")
            two = await advertiser(client, "Second")
            await connect(client, one, features)
            assert await asyncio.wait_for(slots.get(), LIMIT) == (0, 1)
            with pytest.raises(APIConnectionError):
                states, _ = await connect(client, two, features)
                connected, *_ = await asyncio.wait_for(states.get(), LIMIT)
                if not connected:
                    raise APIConnectionError("refused")
            await client.bluetooth_device_disconnect(one.address)
            while await asyncio.wait_for(slots.get(), LIMIT) != (1, 1):
                pass
            two = await advertiser(client, "Second")
            states, _ = await connect(client, two, features)
            assert (await asyncio.wait_for(states.get(), LIMIT))[0]

    asyncio.run(main())


def test_links_of_a_client_that_dies_are_closed(gateway, serve, radio):
    serve("heart-rate")
    served = gateway()

    async def main():
        async with api(served) as client:
            features = (await client.device_info()).bluetooth_proxy_feature_flags_compat(client.api_version)
            item = await advertiser(client, "Pulse")
            await connect(client, item, features)
            assert radio.wait_for(lambda device: device["name"] == "heart-rate" and device["links"])
            # The end of a process: its socket closes without a word of the protocol.
            await client.disconnect(force=True)
        await asyncio.to_thread(radio.wait_for, lambda device: device["name"] == "heart-rate" and not device["links"])
        async with api(served) as client:
            assert (await first_slots(client))[0] == 3

    asyncio.run(main())


def test_clients_share_a_device(gateway, serve, radio):
    serve("heart-rate")
    served = gateway("--slots", 1)

    async def main():
        async with api(served) as one, api(served) as two:
            features = (await one.device_info()).bluetooth_proxy_feature_flags_compat(one.api_version)
            item = await advertiser(one, "Pulse")
            await connect(one, item, features)
            await connect(two, item, features)
            assert (await first_slots(two))[0] == 0
            await one.bluetooth_device_disconnect(item.address)
            found = characteristics(await two.bluetooth_gatt_get_services(item.address))
            assert await two.bluetooth_gatt_read(item.address, found[LOCATION].handle) == bytearray([1])

    asyncio.run(main())


def test_a_device_pairs_and_forgets(gateway, serve):
    serve("heart-rate")

    async def main():
        async with api(gateway()) as client:
            features = (await client.device_info()).bluetooth_proxy_feature_flags_compat(client.api_version)
            item = await advertiser(client, "Pulse")
            await connect(client, item, features)
            assert (await client.bluetooth_device_pair(item.address)).paired
            assert (await client.bluetooth_device_unpair(item.address)).success
            assert (await client.bluetooth_device_clear_cache(item.address)).success

    asyncio.run(main())


@pytest.mark.parametrize("octets", [b"GET / HTTP/1.1\r\n\r\n", b"\x00\xff\xff\xff\xff", b"\x01\xff\xff", b"\x00\x02\x49\x08\x01", bytes(4096)])
def test_hostile_clients_are_cut_off(gateway, octets):
    served = gateway()
    with socket.create_connection((served.host, served.port), timeout=LIMIT) as hostile:
        hostile.sendall(octets)
        while hostile.recv(4096):
            pass

    async def main():
        async with api(served) as client:
            assert (await client.device_info()).name == "hall"

    asyncio.run(main())


def test_the_network_needs_a_key(run, radio):
    result = run("gateway", "--listen", "tcp:0.0.0.0:0")
    assert result.code == 1 and "the gateway has no key" in result.errors


def test_a_key_comes_from_a_file_that_others_cannot_read(run, radio, workplace):
    path = workplace.path / "gateway.key"
    assert run("gateway", "key", "--file", path).code == 0
    assert path.stat().st_mode & 0o777 == 0o600 and len(path.read_text()) == 45
    assert run("gateway", "key", "--file", path).code == 1
    path.chmod(0o644)
    refused = run("gateway", "--key-file", path)
    assert refused.code == 7 and "other users can read" in refused.errors
    assert path.read_text().strip() not in refused.errors
