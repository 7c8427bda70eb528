"""Colours and animation: only on a terminal that wants them."""


def test_a_pipe_gets_plain_text(serve, run):
    serve("wristband")
    for arguments in (["scan", "--count", "1"], ["explore", "wrist"], ["demo"], ["doctor", "--controller", "virtual"]):
        result = run(*arguments)
        assert result.code == 0 and "\x1b" not in result.output + result.errors, arguments


def test_colours_need_a_terminal_without_no_color(screen):
    colored = screen("doctor", "--controller", "virtual")
    assert colored.finish() == 0 and b"\x1b[32m" in colored.octets
    for plain in (
        screen("doctor", "--controller", "virtual", environment={"NO_COLOR": "1"}),
        screen("doctor", "--controller", "virtual", "--no-color"),
        screen("doctor", "--controller", "virtual", environment={"TERM": "dumb"}),
    ):
        assert plain.finish() == 0 and b"\x1b" not in plain.octets
