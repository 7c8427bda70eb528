"""The tool in Chinese: help, errors and tables where the locale says so; JSON and exit codes are the same in every language."""

import json
import re

import pytest
from conftest import TOOL
from wcwidth import wcswidth

pytestmark = pytest.mark.long

CHINESE = {"LC_ALL": "zh_CN.UTF-8"}
HAN = re.compile("[\u4e00-\u9fff]")


@pytest.fixture
def chinese(run):
    def chinese(*arguments, **options):
        return run(*arguments, environment=CHINESE | options.pop("environment", {}), **options)

    return chinese


def commands():
    """The words of every command, from the description that the argument parser prints."""
    import subprocess

    dump = json.loads(subprocess.run([TOOL, "--experimental-dump-help"], capture_output=True, text=True, check=True).stdout)

    def walk(command, words):
        yield words
        for other in command.get("subcommands", []):
            if other["commandName"] != "help":
                yield from walk(other, [*words, other["commandName"]])

    return list(walk(dump["command"], []))


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_every_help_is_chinese(chinese, words):
    result = chinese("help", *words)
    assert result.code == 0 and result.errors == "" and result.output.startswith("概述：")
    assert result.output == chinese(*words, "--help").output
    for line in result.lines:
        text = re.sub(r"“.*?”|`.*?`|--?[a-z-]+|<.*?>", "", line)
        # Code, names and examples stay; a sentence in English has one of these words.
        is_code = line.startswith(("用法：", "示例：")) or not HAN.search(line)
        sentence = re.search(r"\b(the|of|and|with|is|are|that|from)\b", text)
        assert is_code or not sentence, line
        assert wcswidth(line) <= 80 or line.startswith(("用法：", "      ", "示例：", "  ")), line


def test_a_flag_and_its_opposite_share_a_line(chinese):
    for words, name in ((["studio"], "open"), (["gateway", "serve"], "announce"), (["link", "serve"], "announce")):
        lines = [line for line in chinese("help", *words).lines if line.startswith("  --") and f"-{name}" in line]
        assert len(lines) == 1 and lines[0].startswith(f"  --{name}/--no-{name}"), lines


def test_options_are_in_columns(chinese):
    lines = chinese("help", "scan").lines
    rows = [line for line in lines[lines.index("选项：") + 1:] if HAN.search(line)]
    assert len(rows) > 20 and "  --duration <seconds>    到此时间后停止。不指定时一直扫描到 Ctrl-C。" in rows
    for row in rows:
        assert row[:26].isascii() and row[25] == " " and row[26] != " ", row


@pytest.mark.parametrize(("arguments", "code", "line"), [
    (["read", "nobody", "2A38", "--timeout", "0.3"], 4, "bluelab：0.3 s 内没有设备符合“nobody”。"),
    (["scan", "--duration", "-1"], 2, "bluelab：“-1”不能作为“--duration <seconds>”的值：时间必须是大于 0 且不超过 1000000 的秒数，例如 10 或 0.5。"),
    (["scan", "--nope"], 2, "bluelab：未知的选项“--nope”。"),
    (["read"], 2, "bluelab：缺少参数“<device>”。"),
    (["nope"], 2, "bluelab：\"nope\" 不是 bluelab 的命令。"),
    (["write", "x", "2A38", "zz"], 2, "bluelab：“zz”不是十六进制：应为成对的数字，例如“"),
    (["scan", "--controller", "nonsense"], 2, "bluelab：“nonsense”不是传输方式："),
    (["scan", "--csv", "missing/x.csv", "--duration", "1"], 1, "bluelab：无法写入 missing/x.csv：文件夹 "),
])
def test_errors_are_chinese_with_the_same_code(radio, run, chinese, arguments, code, line):
    english, result = run(*arguments), chinese(*arguments)
    assert english.code == result.code == code and not HAN.search(english.errors)
    assert result.errors.splitlines()[0].startswith(line), result.errors
    # The command to try next is the same.
    tries = [last.split(": ", 1)[1] for last in english.errors.splitlines() if last.startswith("Try: ")]
    assert [last.split("：", 1)[1] for last in result.errors.splitlines() if last.startswith("请试：")] == tries


def test_json_is_the_same(serve, run, chinese):
    serve("wristband")
    for arguments in (["explore", "wrist", "--json"], ["read", "wrist", "2A38", "2A37", "--json"], ["adapters", "--json"], ["bonds", "--json"]):
        english, result = run(*arguments), chinese(*arguments)
        assert english.code == result.code and english.output.count("\n") == result.output.count("\n")
        assert not HAN.search(result.output), result.output
    assert [set(record) for record in chinese("scan", "--json", "--count", "1").records] == [
        set(record) for record in run("scan", "--json", "--count", "1").records]
    assert not HAN.search(chinese("doctor", "--json").output)


@pytest.mark.parametrize("environment", [
    {"LC_ALL": None, "LANG": "zh_CN.UTF-8"}, {"LC_ALL": None, "LC_MESSAGES": "zh_TW.UTF-8", "LANG": "C.UTF-8"},
    {"LC_ALL": "en_US.UTF-8", "LANGUAGE": "zh_CN:en"}])
def test_the_locale_chooses(run, environment):
    assert run("help", "scan", environment=environment).output.startswith("概述：")


@pytest.mark.parametrize("environment", [
    {"LC_ALL": "C.UTF-8", "LANG": "zh_CN.UTF-8"}, {"LC_ALL": "C", "LANGUAGE": "zh_CN"}, {"LC_ALL": "zh_CN.GBK"},
    {"LC_ALL": "de_DE.UTF-8", "LANGUAGE": "de"}])
def test_other_locales_have_english(run, environment):
    assert run("help", "scan", environment=environment).output.startswith("OVERVIEW:")


@pytest.mark.parametrize("columns", [60, 80, 100, 132, 200])
def test_the_table_is_aligned(serve, run, screen, columns):
    serve("wristband")
    tag = ["--manufacturer", "0059:C0112233445F", "--local-name", "温度计 Küche", "--at", "4,0"]
    assert run("radio", "beacon", "add", "tag", *tag).code == 0
    scan = screen("scan", rows=10, columns=columns, environment=CHINESE)
    scan.expect(lambda text: "Wristband" in text and "温度计" in text and "信号" in text)
    # A wide character has two cells on the screen, the second one empty.
    header, *rows = [[cell.data for _, cell in sorted(scan.screen.buffer[row].items())] for row in range(3)]

    def column(cells, text):
        joined = "".join(cell or "\0" for cell in cells)
        return joined.index("\0".join(text) if HAN.search(text) else text)

    name = column(header, "名称")
    identifier = next(index for index in range(len(header) - 1) if header[index] == "I" and header[index + 1] == "D")
    for cells in rows:
        assert cells[name - 1] == " " and cells[name] != " ", cells
        assert re.fullmatch(r"[0-9A-F]{8}", "".join(cells[identifier:identifier + 8])), cells
        assert cells[identifier - 1] == " "
    scan.expect(re.compile(r"\d 秒，2 个设备"))
    assert columns < 80 or scan.expect("q 退出")
    scan.send("q")
    assert scan.finish() == 0


def test_the_page_of_a_device_is_chinese(serve, screen):
    serve("wristband")
    scan = screen("scan", rows=20, columns=80, environment=CHINESE)
    scan.expect("Wristband")
    scan.send("\x1b[B\r")
    page = scan.expect("esc 返回，r 读取，s 订阅，w 写入，n 取名，a 广播")
    assert "间隔" in page
    scan.expect(re.compile("2A38 .*Wrist$", re.M))
    scan.send("r")
    scan.expect("Heart Rate Measurement 不能读取。")
    scan.send("a")
    scan.expect(re.compile("^标识符 +[0-9A-F]{8}-", re.M))
    scan.send("\x1b\x1b")
    scan.expect("信号")
    scan.send("q")
    assert scan.finish() == 0


def test_doctor_and_other_tables(radio, serve, run, chinese):
    doctor = chinese("doctor")
    assert doctor.code == 0 and doctor.lines[0] == f"正常     BLUETOOTH_CONTROLLER 是 radio：unix:{radio.path} 处的虚拟无线电。"
    assert all(re.match("(正常|提示|警告|问题)     |         请试：", line) for line in doctor.lines), doctor.output
    missing = chinese("doctor", environment={"BLUETOOTH_CONTROLLER": "radio:nope"})
    assert missing.code == 3 and missing.errors.splitlines()[0] == "bluelab：1 个问题使蓝牙无法使用。"
    serve("wristband")
    assert run("name", "wrist", "厨房").code == 0
    assert re.fullmatch("名称  ID\n厨房  [0-9A-F]{8}\n", chinese("name").output)
    assert "（未分配）" in chinese("explore", "厨房").output
    assert "最大数据包" in chinese("mtu", "厨房").output


ENGLISH = re.compile(r"\b(the|of|and|with|is|are|that|from|to|in|on|by|after|lost|steps|phone|device|heard)\b")


@pytest.mark.parametrize("arguments", [
    ["demo", "--seed", "3"], ["demo", "--distance", "400"], ["demo", "lamp", "--one-process"], ["gateway", "storm", "--gateways", "100"]], ids=" ".join)
def test_demos_are_chinese(run, chinese, arguments):
    english, result = run(*arguments), chinese(*arguments)
    assert english.code == result.code and len(english.lines) == len(result.lines)
    assert not HAN.search(english.output)
    for line in result.lines:
        # Names of services, of the wristband and of options stay.
        text = re.sub(r"^ *[\d.]+ s +\S+: |（.*?）|--\S+", "", line)
        assert not ENGLISH.search(text), line
    assert HAN.search(result.lines[0])


def test_json_of_the_demo_is_the_same(run, chinese):
    english, result = (one("demo", "lamp", "--one-process", "--seed", "5", "--json") for one in (run, chinese))
    assert english.code == result.code == 0 and english.output == result.output


def test_a_trace_keeps_the_names_of_the_specification(run, chinese):
    english, result = run("demo", "--trace", "hci", "--distance", "45"), chinese("demo", "--trace", "hci", "--distance", "45")

    def packets(lines):
        return [line for line in lines if re.match(r" *\d+\.\d{6}  (HCI|..  [12]M)", line)]

    before, after = packets(english.lines), packets(result.lines)
    assert english.code == result.code and len(before) == len(after) > 100
    words = [("unheard", "未收到"), ("damaged", " 已损坏"), ("missed", "   错过")]
    for old, new in zip(before, after):
        for word, other in words:
            old = old.replace(word, other.strip()) if f" {word} " in old else old
        assert old.split() == new.split()


def test_the_devices_of_a_radio_are_in_columns(radio, serve, run, chinese):
    serve("wristband")
    assert run("radio", "beacon", "add", "thermometer", "--local-name", "Kitchen").code == 0
    english, result = run("radio", "list"), chinese("radio", "list")
    assert english.lines[0].split() == ["device", "address", "position", "loss", "doing"]
    assert result.lines[0].split() == ["设备", "地址", "位置", "丢包", "活动"] and "正在广播" in result.output
    starts = [[wcswidth(line[:match.start()]) for match in re.finditer(r"(?<=  )\S", line)][-4:] for line in result.lines]
    assert all(row == starts[0] for row in starts), result.output
    assert chinese("radio", "wall", "add", "1", "-5", "1", "5", "20").output == "墙 1\n"
    assert chinese("radio", "wall").output == "墙 1  从 (1, -5) 到 (1, 5)  20 dB\n"
    assert not HAN.search(chinese("radio", "wall", "list", "--json").output)
    refused = [one("radio", "move", "nobody", "1", "1") for one in (run, chinese)]
    assert refused[0].code == refused[1].code == 1 and refused[1].errors == "bluelab radio：此无线电上没有设备 \"nobody\"：list 会列出设备。\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completions_are_chinese(run, chinese, shell):
    english, result = run("completions", shell), chinese("completions", shell)
    assert english.code == result.code == 0 and len(english.lines) == len(result.lines)
    # The commands and options are the same, and each description is another one.
    changed = [(old, new) for old, new in zip(english.lines, result.lines) if old != new]
    assert len(changed) > 300 or shell == "bash" and changed == []
    for old, new in changed:
        assert HAN.search(new) and old[:12] == new[:12], new
