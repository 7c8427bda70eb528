"""One side of the pairing runs on bluetoothd. usage: bluez_pairing.py central|peripheral NUMBER ...
INTEROP_CASES names the file of the cases, INTEROP_DIRECTORY the directory of shared digits."""

import asyncio
import os
import pathlib
import sys
import time

from dbus_next import PropertyAccess, Variant
from dbus_next.service import ServiceInterface, dbus_property, method

import pairing_plan
from bluez import ADAPTER_INTERFACE, DEVICE_INTERFACE, BlueZ
from bluez_server import Attribute
from management import Links, set_secure_connections

DIRECTORY = pathlib.Path(os.environ.get("INTEROP_DIRECTORY", "/tmp"))
CAPABILITIES = {
    pairing_plan.NO_INPUT_NO_OUTPUT: "NoInputNoOutput", pairing_plan.DISPLAY: "DisplayOnly", pairing_plan.DISPLAY_YES_NO: "DisplayYesNo",
    pairing_plan.KEYBOARD: "KeyboardOnly", pairing_plan.BOTH: "KeyboardDisplay",
}  # fmt: skip
ROOT, AGENT, ADVERTISEMENT = "/pairing", "/agent", "/pairing_advertisement"
STEP = 30


class Agent(ServiceInterface):
    """The user of this device in one case."""

    def __init__(self, case):
        super().__init__("org.bluez.Agent1")
        self.case, self.theirs = case, case["theirs"]

    def share(self, digits):
        path = DIRECTORY / f"digits-{self.case['number']}-theirs"
        path.with_suffix(".new").write_text(digits)
        path.with_suffix(".new").rename(path)

    def other_digits(self):
        path = DIRECTORY / f"digits-{self.case['number']}-ours"
        end = time.monotonic() + STEP
        while not path.exists() and time.monotonic() < end:
            time.sleep(0.05)
        return path.read_text()

    @method()
    def Release(self):
        pass

    @method()
    def Cancel(self):
        pass

    @method()
    def RequestPasskey(self, device: "o") -> "u":
        return int(self.theirs["digits"] or self.other_digits())

    @method()
    def DisplayPasskey(self, device: "o", passkey: "u", entered: "q"):
        self.share(f"{passkey:06}")

    @method()
    def RequestConfirmation(self, device: "o", passkey: "u"):
        self.share(f"{passkey:06}")
        if self.other_digits() != f"{passkey:06}":
            raise ValueError("other digits")

    @method()
    def RequestAuthorization(self, device: "o"):
        pass

    @method()
    def AuthorizeService(self, device: "o", uuid: "s"):
        pass


class Service(ServiceInterface):
    def __init__(self):
        super().__init__("org.bluez.GattService1")

    @dbus_property(access=PropertyAccess.READ)
    def UUID(self) -> "s":
        return pairing_plan.SERVICE.lower()

    @dbus_property(access=PropertyAccess.READ)
    def Primary(self) -> "b":
        return True


class Secret(Attribute):
    def __init__(self):
        super().__init__("GattCharacteristic1", pairing_plan.SECRET, ["encrypt-read"], lambda: pairing_plan.SECRET_VALUE)

    @dbus_property(access=PropertyAccess.READ)
    def Service(self) -> "o":
        return ROOT + "/service0"


class Advertisement(ServiceInterface):
    def __init__(self, name):
        super().__init__("org.bluez.LEAdvertisement1")
        self.local_name = name

    @dbus_property(access=PropertyAccess.READ)
    def Type(self) -> "s":
        return "peripheral"

    @dbus_property(access=PropertyAccess.READ)
    def LocalName(self) -> "s":
        return self.local_name

    @method()
    def Release(self):
        pass


def devices(objects, condition):
    return sorted(path for path, interfaces in objects.items() if DEVICE_INTERFACE in interfaces and condition(interfaces[DEVICE_INTERFACE]))


class Side:
    def __init__(self, bluez, report, case):
        self.bluez, self.report, self.case, self.theirs = bluez, report, case, case["theirs"]

    async def manager(self, interface, member, *body, signature="", path="/org/bluez"):
        await self.bluez.call(path, "org.bluez." + interface, member, signature, *body, deadline=STEP)

    def signal(self, word):
        """Tells our peripheral that BlueZ scans, or that the link has ended."""
        if self.case["signals"]:
            (DIRECTORY / f"{word}-{self.case['number']}").touch()

    async def __aenter__(self):
        if self.theirs["private"] and not self.case["forgets"]:
            # With Privacy = device, the kernel generates another private address when the adapter powers on.
            for on in (False, True):
                await self.bluez.set(self.bluez.adapter, ADAPTER_INTERFACE, "Powered", Variant("b", on))
        if not self.case["peer"]:
            for path in devices(await self.bluez.objects(), lambda device: True):
                await self.bluez.call(self.bluez.adapter, ADAPTER_INTERFACE, "RemoveDevice", "o", path)
        set_secure_connections(self.theirs["secure"])
        self.agent = Agent(self.case)
        self.bluez.bus.export(AGENT, self.agent)
        await self.manager("AgentManager1", "RegisterAgent", AGENT, CAPABILITIES[self.theirs["capability"]], signature="os")
        await self.manager("AgentManager1", "RequestDefaultAgent", AGENT, signature="o")
        return self

    async def __aexit__(self, *_):
        self.signal("ended")
        await self.manager("AgentManager1", "UnregisterAgent", AGENT, signature="o")
        self.bluez.bus.unexport(AGENT, self.agent)

    async def serve(self):
        adapter = self.bluez.adapter
        advertisement = Advertisement(pairing_plan.name(self.case))
        self.bluez.bus.export(ADVERTISEMENT, advertisement)
        # A client may connect, and be done, before the registration of the advertisement returns.
        with Links() as links:
            await self.manager("LEAdvertisingManager1", "RegisterAdvertisement", ADVERTISEMENT, {}, signature="oa{sv}", path=adapter)
            self.report.note(f"READY {self.case['number']}")
            paired = await self.paired_client(links)
        await self.manager("LEAdvertisingManager1", "UnregisterAdvertisement", ADVERTISEMENT, signature="o", path=adapter)
        self.bluez.bus.unexport(ADVERTISEMENT, advertisement)
        return "paired" if paired else "plain"

    async def paired_client(self, links):
        """Waits until a client has come and left. Returns whether it was paired."""
        try:
            await asyncio.wait_for(links.begun.wait(), 60)
        except asyncio.TimeoutError:
            raise RuntimeError("a client did not come within 60 s") from None
        paired = False
        end = asyncio.get_running_loop().time() + 120
        while True:
            is_linked = links.count > 0
            paired = paired or bool(devices(await self.bluez.objects(), lambda device: device.get("Paired")))
            if not is_linked:
                return paired
            if asyncio.get_running_loop().time() > end:
                raise RuntimeError("the client did not leave within 120 s")
            await asyncio.sleep(0.1)

    async def connect_and_pair(self):
        bluez, adapter = self.bluez, self.bluez.adapter
        known = devices(await bluez.objects(), lambda device: device.get("Paired"))
        if not known:
            await bluez.call(adapter, ADAPTER_INTERFACE, "SetDiscoveryFilter", "a{sv}", {"Transport": Variant("s", "le")})
            await bluez.call(adapter, ADAPTER_INTERFACE, "StartDiscovery")
            # btvirt reports an advertiser once: when the scan begins, or when the advertising begins. The kernel drops reports that arrive
            # before its discovery is active, so the advertising has to begin after that.
            await bluez.discovering()
            self.signal("scanning")
            named = lambda objects: devices(objects, lambda device: device.get("Name") == pairing_plan.name(self.case))  # noqa: E731
            (path, *_) = named(await bluez.until(named, "the advertisement", 40))
            await bluez.call(adapter, ADAPTER_INTERFACE, "StopDiscovery")
            await bluez.call(path, DEVICE_INTERFACE, "Pair", deadline=40)
        else:
            (path, *_) = known
            self.signal("scanning")
        for tries in range(5):
            try:
                await bluez.call(path, DEVICE_INTERFACE, "Connect", deadline=20)
                break
            except (RuntimeError, asyncio.TimeoutError) as error:
                self.report.note(f"connect: {error!r}")
                await asyncio.sleep(1)
        objects = await bluez.until(lambda objects: objects.get(path, {}).get(DEVICE_INTERFACE, {}).get("ServicesResolved"), "the services", 40)
        found = {
            interfaces["org.bluez.GattCharacteristic1"]["UUID"].upper(): name
            for name, interfaces in objects.items()
            if name.startswith(path) and "org.bluez.GattCharacteristic1" in interfaces
        }
        characteristic = "org.bluez.GattCharacteristic1"
        value = bytes((await bluez.call(found[pairing_plan.SECRET], characteristic, "ReadValue", "a{sv}", {})).body[0])
        await bluez.call(found[pairing_plan.DONE], characteristic, "WriteValue", "aya{sv}", b"", {"type": Variant("s", "request")})
        paired = (await bluez.objects())[path][DEVICE_INTERFACE]["Paired"]
        await bluez.call(path, DEVICE_INTERFACE, "Disconnect")
        await bluez.until(lambda objects: not objects.get(path, {}).get(DEVICE_INTERFACE, {}).get("Connected"), "the end of the link", 20)
        return ("paired" if paired else "plain") + (", value read" if value == pairing_plan.SECRET_VALUE else f", {value!r}")


async def main():
    report = pairing_plan.Report()
    role, numbers = sys.argv[1], sys.argv[2:]
    bluez = await BlueZ.connected()
    await bluez.set(bluez.adapter, ADAPTER_INTERFACE, "Pairable", Variant("b", True))
    if role == "peripheral":
        bluez.bus.export(ROOT + "/service0", Service())
        bluez.bus.export(ROOT + "/service0/char0", Secret())
        bluez.bus.export(ROOT, ServiceInterface("org.bluez.Interop1"))
        await bluez.call(bluez.adapter, "org.bluez.GattManager1", "RegisterApplication", "oa{sv}", ROOT, {})
    for case in pairing_plan.read(os.environ["INTEROP_CASES"], numbers):
        async with Side(bluez, report, case) as side:
            try:
                outcome = await (side.serve() if role == "peripheral" else side.connect_and_pair())
            except (RuntimeError, asyncio.TimeoutError) as error:
                outcome = repr(error)
        expected = "paired" if role == "peripheral" else "paired, value read"
        report.compare(case["title"], outcome, expected, expected)
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
