"""`bluelab shell`: typing, completion, history, notifications, reconnection, signals, pipes and recordings."""

import re
import subprocess

UP, CTRL_C, CTRL_D, CTRL_R, CTRL_U = "\x1b[A", "\x03", "\x04", "\x12", "\x15"


def test_a_session_on_a_terminal(serve, screen, workplace):
    serve("wristband")
    shell = screen("shell", "wrist", rows=16, columns=70)
    shell.expect(re.compile(r"connected to Wristband in .*\nWristband>$", re.S))

    # Completion of a command, a name and a format.
    shell.send("rea\tbo\tu\t8\t\r")
    shell.expect('Wristband> read "Body Sensor Location" u8\n2\nWristband>')
    shell.send("read h\t\t")
    shell.expect("Heart Rate Measurement 2A37")
    shell.send(CTRL_C)

    # Notifications appear above the line that is being typed.
    shell.send("notify 2A37\r")
    shell.expect("notifications of Heart Rate Measurement are on")
    shell.send("read 5B1D\x1b[D\x1b[D")
    shell.expect(lambda text: text.count(" bpm") >= 2 and text.endswith("bpm\nWristband> read 5B1D"))
    shell.send("x")
    shell.expect("Wristband> read 5Bx1D")

    # A paste of wide characters, which wraps at the edge of a narrower terminal.
    shell.send(CTRL_C + "\x1b[200~# 手环的\n心率\x1b[201~")
    shell.expect(lambda text: text.replace("\0", "").endswith("Wristband> # 手环的 心率"))
    shell.resize(16, 19)
    shell.send("!")
    shell.expect(re.compile(r"^Wristband> # 手环的\n 心率!$", re.M))
    shell.resize(16, 70)
    shell.send("\r")

    # The history, and a search in it.
    shell.send("notify 2A37 off\r")
    shell.expect("are off")
    shell.send(UP + UP + UP)
    shell.expect(re.compile(r"Wristband> notify 2A37$"))
    shell.send(CTRL_R + "body")
    shell.expect('(search) "body": read "Body Sensor Location" u8')
    shell.send("\r")
    shell.expect(re.compile(r"u8\n2\nWristband>$"))
    shell.send(CTRL_D)
    assert shell.finish() == 0

    history = workplace.path / "state" / "opencorebluetooth" / "shell-history"
    assert history.stat().st_mode & 0o777 == 0o600
    assert history.read_text().splitlines()[:2] == ['read "Body Sensor Location" u8', "notify 2A37"]
    # The next shell has the history of this one.
    shell = screen("shell")
    shell.expect("bluelab>")
    shell.send(UP)
    shell.expect('bluelab> read "Body Sensor Location" u8')
    shell.send(CTRL_C + CTRL_D)
    assert shell.finish() == 0


def test_ctrl_c_ends_a_command_and_not_the_shell(serve, screen):
    serve("wristband")
    shell = screen("shell", "wrist")
    shell.expect("Wristband> ".rstrip())
    shell.send("sleep 100\r")
    shell.expect(lambda text: text.endswith("sleep 100"))
    shell.send(CTRL_C)
    shell.expect(re.compile(r"interrupted\nWristband>$"))
    shell.send("scan 100\r")
    shell.expect(lambda text: text.endswith("scan 100"))
    shell.send(CTRL_C)
    shell.expect(lambda text: text.count("interrupted") == 2)
    # The link is still there.
    shell.send("half a line" + CTRL_C + "mtu\r")
    shell.expect(re.compile(r"^\d+ octets\nWristband>$", re.M))
    # Ctrl-Z gives the terminal back. Without a parent shell to continue it, the system does not stop the program.
    shell.send("\x1a")
    shell.expect(lambda _: b"\x1b[?2004l\x1b[?2004h" in shell.octets)
    shell.send("rssi\r")
    shell.expect(re.compile(r"^-\d+ dBm\nWristband>$", re.M))
    # The terminal is restored after a signal as well.
    shell.child.kill(15)
    assert shell.finish() == 143
    assert shell.octets.endswith(b"\x1b[?2004l")


def test_a_device_that_vanishes_comes_back(serve, screen, radio):
    band = serve("wristband")
    shell = screen("shell", "wrist", rows=60, columns=100)
    shell.expect("connected to Wristband")
    shell.send("notify 2A37\r")
    shell.expect(" bpm")
    radio.drop("wristband")
    shell.expect(re.compile(r"Wristband disconnected: .*\. Reconnecting\s\.\.\.\n", re.S))
    # The program joins the radio again, and the subscription returns.
    shell.expect(re.compile(r"reconnected to Wristband after \d+\.\d{3} s\n(.*bpm\n)+Wristband>$", re.S), 30)

    # The program ends and starts again.
    band.kill()
    shell.send(CTRL_U)
    shell.expect(lambda text: text.count("Reconnecting") == 2 and text.endswith("Wristband (lost)>"), 30)
    shell.send("read 2A38\r")
    serve("wristband")
    shell.expect(lambda text: text.count("reconnected to Wristband") == 2, 30)
    # The command has waited for the connection.
    shell.expect(re.compile(r"^Wrist$", re.M))
    shell.send("disconnect\r")
    shell.expect(re.compile(r"disconnected from Wristband\nbluelab>$"))
    shell.send("quit\r")
    assert shell.finish() == 0


def test_commands_come_from_a_pipe(serve, run, begin):
    serve("wristband")
    result = run("shell", "wrist", input='# a comment\n\nread "body sensor location"\nfly\nwrite 2A38 00\nread 2A38 u8')
    assert result.output == "Wrist\n2\n"
    assert 'line 4: "fly" is not a command.' in result.errors
    assert "line 5: the device refused the write of Body Sensor Location" in result.errors
    assert result.code == 2
    assert run("shell", "--timeout", "0.5", input="connect nobody\nquit\n").code == 4
    assert run("shell", input="").code == 0

    commands = "scan 0.5\nconnect wrist\nrssi\nmtu\nexplore\nwrite 5B1D0001 1000 u16\nnotify 2A37\nsleep 1.2\ndisconnect\n"
    result = run("shell", "--json", input=commands)
    assert result.code == 0, result
    kinds = [record["type"] for record in result.records]
    assert kinds[:2] == ["seen", "link"] and kinds[-1] == "link" and "written" in kinds
    assert {"service", "characteristic", "notification"} <= set(kinds)
    assert [record["state"] for record in result.records if record["type"] == "link"] == [
        "connected", "rssi", "mtu", "disconnected"]

    waiting = begin("shell", "wrist", stdin=subprocess.PIPE)
    waiting.wait_for_error("connected to Wristband")
    waiting.interrupt()
    assert waiting.finish().code == 130


def test_a_recording_is_a_script_that_passes(serve, run, workplace):
    serve("wristband")
    session = (
        'connect wrist\nread 2A38\nread 5B1D0001 u16\nwrite 5B1D0001 9000 u16\nread 5B1D0001 u16\nwrite 2A38 00\n'
        "notify 2A37\nsleep 1.2\nnotify 2A37 off\nrssi\ndisconnect\n")
    assert run("shell", "--record", "/nothing/session.yaml", input=session).errors.startswith("bluelab: /nothing/session.yaml cannot be written")
    recorded = run("shell", "--record", "session.yaml", input=session)
    assert recorded.code == 6 and "wrote session.yaml" in recorded.errors
    text = (workplace.path / "session.yaml").read_text()
    assert "equals: 02\n" in text and "equals: 9000\n" in text and "refused: true" in text and "# seen: 8000" in text
    result = run("run", "session.yaml")
    assert result.code == 0, f"{result}\n{text}"
    # The device has another value.
    changed = text.replace("equals: 02\n", "equals: 03\n")
    (workplace.path / "session.yaml").write_text(changed)
    result = run("run", "session.yaml")
    assert result.code == 1 and "found:    02 (hex)" in result.output
