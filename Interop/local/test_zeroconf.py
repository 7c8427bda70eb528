"""Our responder and browser beside python-zeroconf."""

TYPE = "_nearlamp._tcp"


def test_ours_is_found_by_zeroconf(ours, foreign, places):
    browser = foreign("browse", TYPE)
    ours("publish", "Näh. 灯", TYPE, 8080, "id=7", "empty=")
    found = browser.wait("found", name="Näh. 灯")
    assert (found["host"], found["port"], found["text"]) == ("near.local.", 8080, {"id": "7", "empty": ""})
    assert places[0].address in found["addresses"]
    assert any(":" in address for address in found["addresses"]), "IPv6 is announced as well"


def test_a_service_that_was_there_before_is_found_by_zeroconf(ours, foreign):
    ours("publish", "Early", TYPE, 8080).wait("established", name="Early", host="near.local")
    foreign("browse", TYPE).wait("found", name="Early")


def test_zeroconf_is_found_by_ours(ours, foreign, places):
    browser = ours("browse", TYPE)
    foreign("publish", "Foreign 灯", TYPE, 99, "a=1", "b=2")
    found = browser.wait("found", name="Foreign 灯")
    assert (found["host"], found["port"], found["text"]) == ("foreign.local", 99, {"a": "1", "b": "2"})
    assert found["addresses"] == [places[1].address]


def test_a_zeroconf_service_that_was_there_before_is_found_by_ours(ours, foreign):
    foreign("publish", "Early", TYPE, 99).wait("established")
    ours("browse", TYPE).wait("found", name="Early")


def test_our_goodbye_is_understood(ours, foreign):
    browser = foreign("browse", TYPE)
    lamp = ours("publish", "Lamp", TYPE, 80)
    browser.wait("found", name="Lamp")
    lamp.send("withdraw")
    browser.wait("lost", name="Lamp")


def test_the_end_of_our_program_is_a_goodbye(ours, foreign):
    browser = foreign("browse", TYPE)
    lamp = ours("publish", "Lamp", TYPE, 80)
    browser.wait("found", name="Lamp")
    lamp.end()
    browser.wait("lost", name="Lamp")


def test_their_goodbye_is_understood(ours, foreign):
    browser = ours("browse", TYPE)
    lamp = foreign("publish", "Lamp", TYPE, 80)
    browser.wait("found", name="Lamp")
    lamp.send("withdraw")
    browser.wait("lost", name="Lamp")


def test_a_name_that_zeroconf_has_gets_a_number(ours, foreign):
    foreign("publish", "Lamp", TYPE, 99).wait("established", name="Lamp")
    ours("publish", "Lamp", TYPE, 80).wait("established", name="Lamp (2)")
    browser = foreign("browse", TYPE)
    browser.wait("found", name="Lamp (2)", port=80)


def test_a_name_that_we_have_is_not_taken_by_zeroconf(ours, foreign):
    ours("publish", "Lamp", TYPE, 80).wait("established", name="Lamp")
    established = foreign("publish", "Lamp", TYPE, 99).wait("established")
    assert established["name"] != "Lamp"


def test_a_broadcast_finds_our_service_without_multicast(ours):
    ours("publish", "Lamp", TYPE, 80, "id=7").wait("established")
    probe = ours("probe", TYPE, host="other", place=1)
    found = probe.wait("found", name="Lamp")
    assert (found["host"], found["port"], found["text"]) == ("near.local", 80, {"id": "7"})


def test_an_address_by_hand_finds_our_service(ours, places):
    ours("publish", "Lamp", TYPE, 80).wait("established")
    ours("probe", TYPE, places[0].address, host="other", place=1).wait("found", name="Lamp")


def test_an_address_by_hand_finds_a_service_of_zeroconf(ours, foreign, places):
    foreign("publish", "Lamp", TYPE, 99).wait("established")
    ours("probe", TYPE, places[1].address).wait("found", name="Lamp", port=99)
