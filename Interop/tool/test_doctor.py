"""`bluelab doctor` on this machine, whatever it has."""


def topics(result):
    return {record["topic"]: record for record in result.records}


def test_a_running_radio_is_usable(radio, run):
    result = run("doctor", "--json")
    assert result.code == 0 and result.errors == ""
    found = topics(result)
    assert found["controller"]["state"] == "ok" and "the virtual radio at" in found["controller"]["text"]
    assert found["virtualRadio"]["text"].endswith("BLUETOOTH_CONTROLLER=radio.")
    assert "Linux" in found["versions"]["text"] and "state/opencorebluetooth" in found["store"]["text"]
    assert len(radio.devices()) == 0, "doctor does not join the radio"


def test_a_missing_radio_is_a_problem_with_a_command(run):
    result = run("doctor")
    assert result.code == 3
    assert "problem  BLUETOOTH_CONTROLLER is radio. No virtual radio runs at" in result.output
    assert result.errors.splitlines() == ["bluelab: 1 problem prevents the use of Bluetooth.", "Try: bluelab radio"]


def test_an_address_without_a_listener_is_a_problem(run):
    result = run("doctor", "--json", "--controller", "tcp:127.0.0.1:1")
    assert result.code == 3 and topics(result)["controller"]["state"] == "problem"
    assert run("doctor", "--controller", "virtual").code == 0


def test_a_store_without_rights_is_a_warning(run, workplace):
    (workplace.path / "file").write_text("")
    result = run("doctor", "--json", "--controller", "virtual", environment={"XDG_STATE_HOME": workplace.path / "file"})
    assert result.code == 0 and topics(result)["store"]["state"] == "warning"
