"""Programs of this library that use the radio of a gateway: `BLUETOOTH_CONTROLLER=gateway:HOST:PORT`."""

import time

from commands import LIMIT

KEY = "QRTIErOb/fcE9Ukd/5qA3RGYMn0Y+p06U58SCtOXvPc="


def over(gateway, key=KEY):
    return {"BLUETOOTH_CONTROLLER": f"gateway:127.0.0.1:{gateway.port}", "BLUETOOTH_GATEWAY_KEY": key}


def test_a_program_scans_reads_and_listens_over_a_gateway(gateway, serve, run, radio):
    serve("heart-rate")
    environment = over(gateway(key=KEY))
    found = run("scan", "--duration", "2", "--json", environment=environment)
    assert [record["name"] for record in found.records] == ["Pulse"], found
    read = run("read", "Pulse", "2A38", "--json", environment=environment)
    assert read.code == 0, read
    heard = run("notify", "Pulse", "2A37", "--count", "2", "--json", environment=environment)
    assert heard.code == 0 and len([record for record in heard.records if record["type"] == "notification"]) == 2, heard
    radio.wait_for(lambda device: device["name"] == "heart-rate" and not device["links"])


def test_a_wrong_key_is_named(gateway, run, radio):
    started = time.monotonic()
    result = run("scan", "--duration", "1", environment=over(gateway(key=KEY), "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="))
    assert result.code == 3 and "has another key: set BLUETOOTH_GATEWAY_KEY" in result.errors, result
    assert "setcap" not in result.errors and result.errors.count("\n") == 2, result
    assert time.monotonic() - started < LIMIT


def test_doctor_checks_the_key(gateway, run, radio):
    started = gateway(key=KEY)
    assert run("doctor", environment=over(started)).code == 0
    for key, problem in (("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", "has another key"), ("", "requires a key"), ("A" * 43 + "=", "of zeros")):
        result = run("doctor", environment=over(started, key))
        assert result.code == 3 and problem in result.output and "BLUETOOTH_GATEWAY_KEY" in result.output, result
