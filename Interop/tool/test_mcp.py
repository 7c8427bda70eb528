"""`bluelab mcp`, driven as a client does: by lines, and by the Python package `mcp`."""

import asyncio
import json
import os
import subprocess

import pytest
from bumble import gatt
from bumble.core import UUID

from conftest import TOOL, schemas, wait_for


class Client:
    """A client that sends requests and keeps what it receives."""

    def __init__(self, begin, *arguments, environment=None):
        self.process = begin("mcp", *arguments, environment=environment, stdin=subprocess.PIPE)
        self.last = 0

    def send(self, message):
        self.process.send((message if isinstance(message, str) else json.dumps(message)) + "\n")

    def receive(self):
        message = json.loads(self.process.line("{"))
        assert message["jsonrpc"] == "2.0"
        return message

    def request(self, method, **parameters):
        self.last += 1
        self.send({"jsonrpc": "2.0", "id": self.last, "method": method, "params": parameters})
        return self.last

    def result(self, method, **parameters):
        wanted = self.request(method, **parameters)
        message = self.receive()
        assert message["id"] == wanted, message
        return message["result"]

    def initialize(self, version="2025-11-25"):
        result = self.result("initialize", protocolVersion=version, capabilities={}, clientInfo={"name": "test", "version": "1"})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return result

    def call(self, tool, **arguments):
        """The records of a successful call."""
        result = self.result("tools/call", name=tool, arguments=arguments)
        assert not result["isError"], result
        return self.records(result)

    @staticmethod
    def records(result):
        for record in result["structuredContent"]["records"]:
            schemas.check(record)
        return result["structuredContent"]["records"]

    def refusal(self, tool, **arguments):
        """The text and the exit code of a call that fails."""
        result = self.result("tools/call", name=tool, arguments=arguments)
        assert result["isError"], result
        return result["content"][0]["text"], result["structuredContent"]["code"]

    def end(self):
        self.process.child.stdin.close()
        return self.process.finish()


@pytest.fixture
def client(begin):
    def client(*arguments, **options):
        started = Client(begin, *arguments, **options)
        started.initialize()
        return started

    return client


def test_versions_and_lines_that_are_wrong(begin):
    client = Client(begin, environment={"BLUETOOTH_CONTROLLER": "virtual"})
    client.request("tools/list")
    assert client.receive()["error"]["code"] == -32600
    assert client.initialize("2024-11-05")["protocolVersion"] == "2024-11-05"
    assert client.initialize("1999-01-01")["protocolVersion"] == "2025-11-25"
    for line, code in (
        ("not json", -32700), ('{"jsonrpc":"2.0","id":1', -32700), ("[]", -32600), ("3", -32600), ('{"id":1,"method":"ping"}', -32600),
        ('{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600), ('{"jsonrpc":"2.0","id":7,"method":"no/such"}', -32601),
        ('{"jsonrpc":"2.0","id":7,"method":"initialize"}', -32602),
        ('{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"erase"}}', -32602),
        ('"' + "x" * (1 << 20) + '"', -32700), ("[" * 100_000, -32700), ('{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600),
    ):
        client.send(line)
        assert client.receive()["error"]["code"] == code, line[:80]
    # Notifications and responses have no answer.
    client.send({"jsonrpc": "2.0", "method": "notifications/unknown"})
    client.send({"jsonrpc": "2.0", "id": 1, "result": {}})
    client.send("")
    assert client.result("ping") == {}
    assert client.end().code == 0


def test_requests_that_carry_their_revision(begin, serve):
    serve("wristband")
    client = Client(begin)
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
    discovered = client.result("server/discover", _meta=meta)
    assert discovered["supportedVersions"][0] == "2026-07-28" and "tools" in discovered["capabilities"]
    tools = client.result("tools/list", _meta=meta)
    assert tools["resultType"] == "complete" and tools["ttlMs"] == 0 and tools["cacheScope"] == "private"
    result = client.result("tools/call", name="read", arguments={"device": "wrist", "characteristic": "2A38"}, _meta=meta)
    assert result["resultType"] == "complete" and result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "bluelab"
    assert client.records(result)[0]["text"] == "Wrist"
    client.request("tools/list", _meta=meta | {"io.modelcontextprotocol/protocolVersion": "2099-01-01"})
    error = client.receive()["error"]
    assert error["code"] == -32022 and error["data"]["requested"] == "2099-01-01" and "2026-07-28" in error["data"]["supported"]


def test_tools_and_arguments(client, radio):
    plain = client()
    tools = {tool["name"]: tool for tool in plain.result("tools/list")["tools"]}
    assert {"scan", "explore", "read", "notify"} <= set(tools) and "write" not in tools
    for tool in tools.values():
        schema = tool["inputSchema"]
        assert schema["type"] == "object" and not schema["additionalProperties"]
        assert all(field["description"] for field in schema["properties"].values())
    assert plain.request("tools/call", name="write", arguments={}) and plain.receive()["error"]["code"] == -32602
    for arguments, words in (
        ({}, "device is missing"), ({"device": 3, "characteristic": "2A38"}, "device must be a text"),
        ({"device": "a", "characteristic": "2A38", "speed": 1}, 'no argument "speed"'),
        ({"device": "a", "characteristic": "2A38", "timeout": 1000}, "timeout must be a number from 1"),
        ({"device": "a", "characteristic": "2A38", "format": "u99"}, "a format must be one of"),
    ):
        text, code = plain.refusal("read", **arguments)
        assert words in text and code == 2, text
    # A value cannot become an option.
    text, code = plain.refusal("read", device="--controller=virtual", characteristic="2A38", timeout=1)
    assert code == 4 and 'no device matched "--controller=virtual"' in text
    assert "write" in {tool["name"] for tool in client("--allow-write").result("tools/list")["tools"]}


def test_calls_share_one_link(client, radio, serve):
    band = serve("wristband")
    links = lambda: next(device["links"] for device in radio.devices() if device["name"] == band.name)
    session = client("--allow-write")
    found = session.call("scan", duration=2, count=1, services=["heart rate"])
    assert [record["name"] for record in found] == ["Wristband"]
    tree = session.call("explore", device="wrist")
    assert any(record.get("uuid") == "2A38" and record.get("text") == "Wrist" for record in tree)
    assert links() == 1, "the link stays open"
    assert session.call("read", device="Wristband", characteristic="2A38")[0]["text"] == "Wrist"
    assert session.call("write", device="wrist", characteristic="5B1D0001", value="4321", format="u16")[0]["value"] == "e110"
    assert session.call("read", device="wrist", characteristic="5B1D0001", format="u16")[0]["text"] == "4321"
    values = session.call("notify", device="wrist", characteristics=["2A37"], count=2)
    assert len(values) == 2 and values[0]["text"].endswith("bpm")
    text, code = session.refusal("write", device="wrist", characteristic="2A38", value="01")
    assert code == 6 and "refused" in text
    assert links() == 1, "a refusal does not end the link"
    text, code = session.refusal("read", device="wrist", characteristic="9999")
    assert code == 4 and "180D/2A37" in text
    assert session.end().code == 0
    wait_for(lambda: links() == 0)


def test_a_call_is_cancelled_and_a_ping_is_answered_meanwhile(client, radio, serve):
    band = serve("wristband")
    session = client()
    call = session.request("tools/call", name="notify", arguments={"device": "wrist", "characteristics": ["2A37"], "duration": 60})
    radio.wait_for(lambda device: device["name"] == band.name and device["links"] == 1)
    waiting = session.request("tools/call", name="read", arguments={"device": "wrist", "characteristic": "2A38"})
    assert session.result("ping") == {}
    session.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": call}})
    answer = session.receive()
    assert answer["id"] == waiting and answer["result"]["structuredContent"]["records"][0]["text"] == "Wrist"
    session.process.interrupt()
    assert session.process.finish().code == 130
    radio.wait_for(lambda device: device["name"] == band.name and device["links"] == 0)


def test_a_device_that_vanishes_is_an_error_and_found_again(client, bumble, radio):
    value = gatt.Characteristic(
        UUID("FFF1"), gatt.Characteristic.Properties.READ | gatt.Characteristic.Properties.NOTIFY, gatt.Characteristic.READABLE, b"\x01")
    subscriptions = []
    value.on("subscription", lambda *event: subscriptions.append(event))
    device = bumble([gatt.Service(UUID("FFF0"), [value])], name="Scale")
    session = client()
    assert session.call("read", device="scale", characteristic="FFF1")[0]["value"] == "01"
    device.disconnect()
    radio.wait_for(lambda entry: entry["number"] == device.number and entry["links"] == 0 and entry["advertising"])
    assert session.call("read", device="scale", characteristic="FFF1")[0]["value"] == "01", "a lost link is opened again"
    call = session.request("tools/call", name="notify", arguments={"device": "scale", "characteristics": ["FFF1"], "duration": 60})
    wait_for(lambda: subscriptions)
    device.vanish()
    answer = session.receive()
    assert answer["id"] == call and answer["result"]["isError"] and "disconnected" in answer["result"]["content"][0]["text"]
    text, code = session.refusal("read", device="scale", characteristic="FFF1", timeout=1)
    assert code == 4 and session.result("ping") == {}


def test_a_lost_adapter_is_an_error_and_the_server_continues(client, radio, serve):
    serve("wristband")
    session = client()
    assert session.call("read", device="wrist", characteristic="2A38")
    number = next(device["number"] for device in radio.devices() if device["name"] == "bluelab")
    radio.drop(number)
    assert session.result("ping") == {}
    # The adapter returns by itself.
    assert session.call("read", device="wrist", characteristic="2A38")[0]["text"] == "Wrist"


def test_calls_before_the_end_of_the_input_are_answered(run, serve):
    serve("wristband")
    lines = [
        {"id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}},
        {"id": 2, "method": "tools/call", "params": {"name": "read", "arguments": {"device": "wrist", "characteristic": "2A38"}}}]
    result = run("mcp", input="".join(json.dumps({"jsonrpc": "2.0"} | line) + "\n" for line in lines))
    answers = [json.loads(line) for line in result.lines]
    assert result.code == 0 and [answer["id"] for answer in answers] == [1, 2]
    assert answers[0]["result"]["protocolVersion"] == "2025-06-18"
    assert answers[1]["result"]["content"][0]["text"] == json.dumps(answers[1]["result"]["structuredContent"]["records"][0], separators=(",", ":"))


def test_the_public_client_library(workplace, serve):
    serve("wristband")
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    async def talk():
        server = StdioServerParameters(command=str(TOOL), args=["mcp", "--allow-write"], env=workplace.environment())
        async with stdio_client(server, errlog=open(os.devnull, "w")) as (reading, writing):
            async with ClientSession(reading, writing) as session:
                await session.initialize()
                names = {tool.name for tool in (await session.list_tools()).tools}
                result = await session.call_tool("read", {"device": "wrist", "characteristic": "2A38"})
                wrong = await session.call_tool("read", {"device": "wrist", "characteristic": "9999"})
                return names, result, wrong

    names, result, wrong = asyncio.run(asyncio.wait_for(talk(), 30))
    assert {"scan", "read", "write"} <= names
    dumped, failed = result.model_dump(by_alias=True), wrong.model_dump(by_alias=True)
    assert not dumped["isError"] and dumped["structuredContent"]["records"][0]["text"] == "Wrist"
    assert failed["isError"] and failed["structuredContent"]["code"] == 4
