import BLEWire
import CLinuxBluetooth
import Dispatch
import Foundation
import TestConditions
import Testing

@testable import BLETransport

@Suite struct LocalAdapterTests {
    private static func information(_ index: UInt16, flags: UInt32, type: UInt8 = 1, first: UInt8 = 0x56)
        -> clb_device_info
    {
        var result = clb_device_info()
        result.index = index
        result.flags = flags
        result.type = type
        result.address = (first, 0x34, 0x12, 0xEF, 0xCD, 0xAB)
        return result
    }

    @Test func linksAreToldByTheirBearers() {
        let addresses = [1, 2, 3].map { number in
            clb_link(address: (number, 0x22, 0x33, 0x44, 0x55, 0x66), is_low_energy: number == 2 ? 0 : 1)
        }
        let links = RadioLinks(addresses)
        #expect(links.lowEnergy == [0x6655_4433_2201, 0x6655_4433_2203] && links.classic == [0x6655_4433_2202])
    }

    @Test func adaptersAreListedByNumberWithTheirProperties() throws {
        let fake = try FakeMachine()
        try fake.file("/sys/devices/usb1/product", "Bluetooth Radio\n")
        try fake.directory("/sys/devices/usb1/interface")
        for (index, soft, hard) in [(10, "0", "1"), (0, "0", "0"), (2, "1", "0")] {
            try fake.file("/sys/class/bluetooth/hci\(index)/rfkill\(index)/soft", soft + "\n")
            try fake.file("/sys/class/bluetooth/hci\(index)/rfkill\(index)/hard", hard + "\n")
        }
        try fake.link("/sys/class/bluetooth/hci0/device", "../../../devices/usb1/interface")
        try fake.directory("/sys/class/bluetooth/hci0:42")
        var queries = SystemBluetooth.KernelQueries()
        queries.information = { _ in
            [Self.information(0, flags: 0b101), Self.information(2, flags: 0, type: 3), Self.information(10, flags: 1)]
        }
        queries.managed = { [0, 2] }
        let adapters = SystemBluetooth(root: fake.root).localAdapters(queries)
        #expect(adapters.map(\.name) == ["hci0", "hci2", "hci10"])
        #expect(adapters.map(\.power) == [.up, .down, .taken])
        #expect(adapters.map(\.radio) == [.on, .softBlocked, .hardBlocked])
        #expect(adapters.map(\.bus) == ["usb", "uart", "usb"])
        #expect(adapters.map(\.product) == ["Bluetooth Radio", nil, nil])
        #expect(adapters[0].address?.description == "AB:CD:EF:12:34:56")
    }

    @Test func aSilentKernelLeavesTheStateUnknown() throws {
        let fake = try FakeMachine()
        try fake.link("/sys/class/bluetooth/hci0/device/subsystem", "../../../../bus/usb")
        var queries = SystemBluetooth.KernelQueries()
        queries.information = { _ in [] }
        queries.managed = { nil }
        let adapters = SystemBluetooth(root: fake.root).localAdapters(queries)
        #expect(
            adapters == [LocalAdapter(index: 0, product: nil, address: nil, bus: "usb", power: .unknown, radio: .on)])
    }

    @Test func aZeroAddressIsNoAddress() throws {
        let fake = try FakeMachine()
        try fake.directory("/sys/class/bluetooth/hci0")
        var queries = SystemBluetooth.KernelQueries()
        queries.information = { _ in [clb_device_info()] }
        queries.managed = { [0] }
        #expect(SystemBluetooth(root: fake.root).localAdapters(queries).first?.address == nil)
    }

    @Test func aMachineWithoutBluetoothHasNoAdapters() throws {
        let fake = try FakeMachine()
        #expect(SystemBluetooth(root: fake.root).localAdapters().isEmpty)
        // This one, too, whatever it has: no crash, and no rights needed.
        _ = SystemBluetooth.current.localAdapters()
        _ = SystemBluetooth.current.hasBluetooth
    }

    @Test func theMachineSwitchBlocksAnAbsentAdapter() throws {
        let fake = try FakeMachine()
        let machine = SystemBluetooth(root: fake.root)
        #expect(!machine.isBlocked(0))
        try fake.file("/sys/class/rfkill/rfkill0/type", "bluetooth\n")
        try fake.file("/sys/class/rfkill/rfkill0/name", "thinkpad_bluetooth_sw\n")
        try fake.file("/sys/class/rfkill/rfkill0/soft", "1\n")
        #expect(machine.isBlocked(0))
        try fake.file("/sys/class/rfkill/rfkill0/name", "hci1\n")
        #expect(!machine.isBlocked(0), "the switch of another adapter")
        try fake.file("/sys/class/rfkill/rfkill0/name", "phy0\n")
        try fake.file("/sys/class/rfkill/rfkill0/type", "wlan\n")
        #expect(!machine.isBlocked(0))
        // An adapter that is there has a switch of its own, which alone counts.
        try fake.directory("/sys/class/bluetooth/hci0/rfkill3")
        #expect(!machine.isBlocked(0))
        try fake.file("/sys/class/bluetooth/hci0/rfkill3/hard", "1\n")
        #expect(machine.isBlocked(0))
    }

    @Test func adapterNamesAreParsed() {
        #expect(SystemBluetooth.index("hci0") == 0)
        #expect(SystemBluetooth.index("hci65534") == 65534)
        for name in ["hci", "hci0:42", "hcix", "phy0", "hci65536", "hci-1"] {
            #expect(SystemBluetooth.index(name) == nil)
        }
    }

    @Test func eventsOfOtherRadiosAreIgnored() async throws {
        let fake = try FakeMachine()
        try fake.directory("/dev")
        let path = fake.root + "/dev/rfkill"
        #expect(mkfifo(path, 0o600) == 0)
        let queue = DispatchQueue(label: "switches")
        let (changes, continuation) = AsyncStream<Void>.makeStream()
        let watcher = queue.sync { RadioSwitchWatcher(path: path, queue: queue) { continuation.yield() } }
        let writer = open(path, O_WRONLY | O_NONBLOCK)
        #expect(writer >= 0)
        defer { close(writer) }
        // A wireless LAN's, then ours: index 4 octets, type, operation, soft, hard.
        for event: [UInt8] in [[1, 0, 0, 0, 1, 2, 1, 0], [0, 0, 0, 0, 2, 2, 1, 0]] {
            #expect(write(writer, event, event.count) == event.count)
            // They are packets in the device, and octets here: the next one only when this one has been read.
            var left: Int32 = 0
            try #require(await eventually { ioctl(writer, UInt(FIONREAD), &left) == 0 && left == 0 })
            queue.sync {}
        }
        continuation.finish()
        var count = 0
        for await _ in changes { count += 1 }
        withExtendedLifetime(watcher) { #expect(count == 1) }
        #expect(RadioSwitchWatcher(path: fake.root + "/none", queue: queue) {} == nil)
    }
}
