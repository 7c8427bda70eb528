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


def test_extended_beacons_are_sent_at_once(radio, run, begin):
    sender = begin("beacon", "send", "--ibeacon", f"{REGION}:1:7", "--eddystone-url", "https://example.com/", "--extended", "2m", "--json")
    contents = {json.loads(sender.line())["content"] for _ in range(2)}
    assert contents == {f"{REGION}:1:7", "https://example.com/"}
    watch = run("beacon", "watch", "--count", "2", "--duration", "20").output
    assert "Eddystone-URL  https://example.com/" in watch and f"iBeacon        {REGION}:1:7" in watch, watch
    # Both are sets of one device, of which a scan has the last packet.
    scan = run("scan", "--json", "--duration", "3")
    found = [json.loads(line) for line in scan.output.splitlines()]
    beacons = {(record["beacon"].split()[0], record["primaryPHY"], record["secondaryPHY"], record["set"]) for record in found if record.get("beacon")}
    assert beacons and beacons <= {("iBeacon", "1M", "2M", 1), ("Eddystone-URL", "1M", "2M", 2)}, beacons
    sender.interrupt()
    assert sender.finish().code == 130


def test_wrong_beacons_are_refused(run):
    result = run("beacon", "send", "--ibeacon", "1")
    assert result.code == 2 and "an iBeacon must be UUID:MAJOR:MINOR" in result.errors and not result.output
    result = run("beacon", "send", "--ibeacon", f"{REGION}:1:7", "--extended", "3m")
    assert result.code == 2 and "3m" in result.errors
    result = run("beacon", "send")
    assert result.code == 2 and "A beacon needs a format" in result.errors
