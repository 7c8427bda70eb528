"""The help, the usage errors, the completions and the manual page of all commands."""

import json
import re
import subprocess

import pytest

from conftest import PROGRAMS, ROOT, TOOL


def tree():
    """The commands as lists of words, with the description of each by the argument parser."""
    text = subprocess.run([TOOL, "--experimental-dump-help"], capture_output=True, text=True, check=True).stdout
    found = []

    def visit(command, words):
        found.append((words, command))
        for child in command.get("subcommands", []):
            if child["commandName"] != "help":
                visit(child, [*words, child["commandName"]])

    visit(json.loads(text)["command"], [])
    assert len(found) > 20, found
    return found


@pytest.fixture(scope="module")
def commands():
    return tree()


def test_each_help_has_an_example(commands):
    missing = []
    for words, command in commands:
        text = subprocess.run([TOOL, "help", *words], capture_output=True, text=True, check=True).stdout
        # A line with the command itself, before its options. A group of commands shows one of them.
        example = " ".join(["bluelab", *words]) + (" " if command.get("subcommands") or command.get("arguments") else "")
        lines = [line.strip() for line in text.split("OPTIONS:")[0].splitlines() if not line.startswith("USAGE:")]
        if not any(example.strip() in line and not line.startswith(("OVERVIEW", "USAGE")) for line in lines):
            missing.append(" ".join(words))
    assert missing == []


def test_no_help_needs_a_checkout(commands):
    for words, command in commands:
        text = (command.get("discussion") or "") + "".join(argument.get("abstract") or "" for argument in command.get("arguments", []))
        assert not re.search(r"swift run|\.build/", text), (words, text)


def test_each_usage_error_is_one_sentence_and_a_command(commands):
    for words, command in commands:
        if not words:
            continue
        done = subprocess.run([TOOL, *words, "--no-such-option"], capture_output=True, text=True, check=False, timeout=20)
        lines = done.stderr.splitlines()
        assert done.returncode == 2 and done.stdout == "", (words, done)
        assert len(lines) == 2 and lines[0].startswith("bluelab: ") and lines[0].endswith((".", "?")), (words, lines)
        assert lines[1].startswith("Try: bluelab help"), (words, lines)
    unknown = subprocess.run([TOOL, "nonsense"], capture_output=True, text=True, check=False)
    assert unknown.returncode == 2 and unknown.stderr.count("\n") == 1 and '"nonsense" is not a command' in unknown.stderr


def test_each_argument_and_option_is_explained(commands):
    for words, command in commands:
        for argument in command.get("arguments", []):
            assert argument.get("abstract"), (words, argument)


def test_each_default_value_is_shown():
    # The argument parser shows no default value of an option with a transform: such an option takes its help as `shown:`.
    pattern = re.compile(r"@Option\(((?:(?!@Option|@Flag|@Argument).)*?)\)\s*\n?\s*var (\w+)(: [\w?\[\]]+)? = (?!\[\])", re.DOTALL)
    hidden = []
    for path in (ROOT / "Sources/Tool/bluelab").rglob("*.swift"):
        for found in pattern.finditer(path.read_text()):
            if "transform:" in found[1] and not found[1].lstrip().startswith("shown:"):
                hidden.append(f"{path.name}: {found[2]}")
    assert hidden == []
    shown = subprocess.run([TOOL, "help", "explore"], capture_output=True, text=True, check=True).stdout
    assert "(default: 10)" in " ".join(shown.split())


def test_a_value_below_zero_is_explained(run):
    for words in (["scan", "--duration"], ["notify", "x", "2A37", "--count"], ["explore", "x", "--timeout"], ["link", "ask", "x", "get", "--timeout"]):
        result = run(*words, "-1")
        assert result.code == 2 and "above 0" in result.errors and "Missing value" not in result.errors, result


def test_a_service_that_does_not_exist_is_a_usage_error(run):
    for option, value in (("--service", "zzzz"), ("--not-service", "zzzz"), ("--company", "zzzzz"), ("--minimum-rssi", "-200"), ("--data", "4")):
        result = run("scan", option, value)
        assert result.code == 2 and result.output == "" and value in result.errors, result


def test_wrong_arguments_are_refused_before_anything_else(run):
    for words in (
            ["radio", "beacon", "add", "x", "--type", "nope"], ["radio", "beacon", "add", "x", "--interval", "1"],
            ["radio", "beacon", "add", "x", "--power", "900"], ["radio", "beacon", "add", "x", "--address", "zz"], ["read", "x", ""], ["notify", "x", "/"],
            ["write", "x", "2A38", "--file", "/nofile"], ["run", "nofile.yaml"], ["serve", "nofile.yaml"], ["serve", "/"],
            ["decrypt", "/nofile", "--keys", "/nofile", "--output", "x"], ["pair", "x", "--passkey-file", "/nofile"]):
        result = run(*words, environment={"BLUETOOTH_CONTROLLER": "unix:/nonexistent"})
        assert result.code == 2 and result.output == "" and result.errors.splitlines()[-1].startswith("Try: "), result


def test_each_example_program_answers_help(workplace):
    # `pulse` is the short program of the lesson, which has no arguments.
    programs = [path.parent.name for path in (ROOT / "Examples").glob("*/main.swift") if path.parent.name != "pulse"]
    assert len(programs) >= 11
    for program in programs:
        done = subprocess.run(
            [PROGRAMS / program, "--help"], capture_output=True, text=True, check=False, timeout=10, env=workplace.environment())
        assert done.returncode == 0 and done.stdout.startswith(f"usage: {program}"), (program, done)


def test_a_demo_that_nobody_hears_says_so(run):
    result = run("demo", "--distance", "1000")
    assert result.code == 1 and "packets on air, none heard" in result.output, result


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completions(shell, commands):
    done = subprocess.run([TOOL, "completions", shell], capture_output=True, text=True, check=True)
    for words, _ in commands:
        assert not words or words[-1] in done.stdout, words
    if shell == "bash":
        subprocess.run(["bash", "-n"], input=done.stdout, text=True, check=True)
        script = done.stdout + "\nCOMP_LINE='bluelab explo' COMP_POINT=13 COMP_WORDS=(bluelab explo) COMP_CWORD=1; _bluelab bluelab explo bluelab; echo ${COMPREPLY[@]}"
        assert subprocess.run(["bash"], input=script, capture_output=True, text=True, check=True).stdout.split() == ["explore"]


def test_devices_are_completed(serve, run):
    serve("wristband")
    assert run("read", "wrist", "2A38").code == 0
    # The completion scripts ask the tool.
    assert run("---completion", "read", "--", "positional@0", "2", "0").output.split() == ["Wristband"]


def test_the_manual_page_is_that_of_the_help():
    done = subprocess.run([ROOT / "Scripts" / "generate-manual", "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
