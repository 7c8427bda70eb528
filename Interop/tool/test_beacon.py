"""bluelab beacon: frames on the air, distances, regions, wrong arguments."""

import json

REGION = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"


def test_a_beacon_is_sent_and_ranged(radio, run, begin):
    sender = begin("beacon", "send", "--ibeacon", f"{REGION}:1:7", "--eddystone-url", "https://example.com/", "--turn", "0.3", "--json")
    first = json.loads(sender.line())
    assert first["type"] == "beacon-sent" and first["content"] == f"{REGION}:1:7"
    watch = run("beacon", "watch", "--region", f"{REGION}:1", "--count", "1", "--json", "--duration", "20")
    entered, beacon = [json.loads(line) for line in watch.output.splitlines()]
    assert (entered["type"], entered["event"], entered["major"]) == ("region", "entered", 1)
    assert (beacon["format"], beacon["measuredPower"]) == ("iBeacon", -59)
    assert watch.code == 0
    lines = run("beacon", "watch", "--count", "2", "--duration", "20").output
    assert "Eddystone-URL  https://example.com/" in lines and f"iBeacon        {REGION}:1:7" in lines
    sender.interrupt()
    assert sender.finish().code == 130


def test_wrong_beacons_are_refused(run):
    result = run("beacon", "send", "--ibeacon", "1")
    assert result.code == 2 and "an iBeacon must be UUID:MAJOR:MINOR" in result.errors and not result.output
    result = run("beacon", "send")
    assert result.code == 2 and "A beacon needs a format" in result.errors
