"""`bluelab capture`, and the files of captures."""

from conftest import TOOL


def test_a_command_is_recorded(serve, run, workplace):
    serve("wristband")
    result = run("capture", "trace.btsnoop", "--", TOOL, "read", "wrist", "2A38")
    assert (result.code, result.output) == (0, "Wrist\n")
    octets = (workplace.path / "trace.btsnoop").read_bytes()
    assert octets.startswith(b"btsnoop\0") and b"\x38\x2a" in octets and len(octets) > 500


def test_a_capture_without_packets_has_a_header(run, workplace):
    assert run("capture", "trace.btsnoop", "--", "true").code == 0
    octets = (workplace.path / "trace.btsnoop").read_bytes()
    assert octets == b"btsnoop\0" + (1).to_bytes(4) + (1002).to_bytes(4)


def test_the_exit_code_is_that_of_the_program(run, workplace):
    assert run("capture", "trace.btsnoop", "--", TOOL, "read").code == 2
    missing = run("capture", "trace.btsnoop", "--", "no-such-program")
    assert missing.code == 1 and missing.errors.endswith("Try: command -v no-such-program\n")
    refused = run("capture", "none/trace.btsnoop", "--", TOOL, "read")
    assert refused.code == 1 and "the folder" in refused.errors and "does not exist" in refused.errors
