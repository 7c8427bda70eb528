import BLEAdapter
import BLEWire
import BlueZBench
import SystemBus
import Testing

@testable import BLEBlueZAdapter

struct OperationTests {
    private let bench = CentralBench.on()
    private let path: String

    init() { path = bench.connected() }

    private func handle(_ uuid: String) -> UInt16 { bench.handle(path, uuid) }
    private var service: HandleRange { HandleRange(start: 2, end: .max) }

    @Test func theDatabaseIsThatOfBluetoothd() {
        #expect(bench.perform(.discoverServices(nil)) == ["services [\"180D 2\"]"])
        #expect(bench.perform(.discoverServices([BluetoothUUID(0x180F as UInt16)])) == ["services []"])
        #expect(
            bench.perform(.discoverCharacteristics(service: service, nil))
                == ["characteristics [\"2A37 18\", \"2A39 12\", \"2A38 34\"]"])
        #expect(
            bench.perform(.discoverDescriptors(after: handle(CentralBench.location), end: .max))
                .first?.contains("2901") == true)
        #expect(bench.perform(.discoverIncludedServices(service: service, nil)) == ["services []"])
    }

    @Test func readsAndWrites() {
        #expect(bench.perform(.read(handle: handle(CentralBench.measurement))) == ["value [0, 60]"])
        #expect(bench.perform(.write(handle: handle(CentralBench.control), value: [1, 2])) == ["done"])
        #expect(bench.bluez.value(bench.path(path, CentralBench.control)) == [1, 2])
        let options = bench.bluez.calls(of: "GattCharacteristic1.WriteValue").last?.arguments.last?.properties
        #expect(options?["type"] == .string("request"))
        #expect(bench.perform(.write(handle: 9, value: Array(repeating: 0, count: 513))) == ["error valueTooLong"])
        #expect(bench.perform(.read(handle: 0x7777)) == ["error attribute(1)"])
        #expect(bench.perform(.readRSSI) == ["error attribute(6)"])
    }

    @Test func operationsRunInTheirOrder() {
        for _ in 0..<3 { bench.session?.submit(.read(handle: handle(CentralBench.measurement)), to: bench.peer) }
        bench.session?.submit(.write(handle: handle(CentralBench.control), value: [1]), to: bench.peer)
        bench.session?.submit(.read(handle: handle(CentralBench.location)), to: bench.peer)
        bench.run(.seconds(1))
        #expect(bench.lines() == ["value [0, 60]", "value [0, 60]", "value [0, 60]", "done", "value [1]"])
    }

    @Test(
        arguments: [
            (ScriptedFailure.attribute(0x02), "attribute(2)"), (.attribute(0x03), "attribute(3)"),
            (.attribute(0x05), "attribute(5)"), (.attribute(0x06), "attribute(6)"), (.attribute(0x07), "attribute(7)"),
            (.attribute(0x08), "attribute(8)"), (.attribute(0x0D), "attribute(13)"),
            (.attribute(0x0E), "attribute(14)"),
            (.attribute(0x80), "attribute(128)"), (.attribute(0xFD), "attribute(253)"),
            (.failed("who knows"), "attribute(14)"),
            (.notPermitted("?"), "attribute(2)"), (ScriptedFailure(full: "com.example.Nonsense", ""), "attribute(14)"),
            (ScriptedFailure(full: "org.freedesktop.DBus.Error.UnknownObject", ""), "attribute(1)"),
            (.failed("Operation failed with ATT error: 0x00"), "attribute(14)"),
            (.failed("Operation failed with ATT error: 0x1234"), "attribute(14)"),
        ] as [(ScriptedFailure, String)])
    func errorsHaveTheirCodes(failure: ScriptedFailure, text: String) {
        bench.bluez.script("GattCharacteristic1.ReadValue", .fails(failure))
        #expect(bench.perform(.read(handle: handle(CentralBench.measurement))) == ["error \(text)"])
    }

    @Test func anAttributeInUseByAnotherProgramIsTriedAgain() {
        bench.bluez.script("GattCharacteristic1.ReadValue", .fails(.inProgress), .fails(.inProgress))
        #expect(bench.perform(.read(handle: handle(CentralBench.measurement))) == ["value [0, 60]"])
    }

    @Test func answersOfWrongTypesAreErrors() {
        for answer in [[.string("x")], [.bool(true), .octets([1])], [.uint32(7)]] as [[BusValue]] {
            bench.bluez.script("GattCharacteristic1.ReadValue", .answers(answer))
            #expect(bench.perform(.read(handle: handle(CentralBench.measurement))) == ["error attribute(14)"])
        }
        bench.bluez.script("GattCharacteristic1.ReadValue", .answers([]))
        #expect(bench.perform(.read(handle: handle(CentralBench.measurement))) == ["value []"])
        bench.bluez.script("GattCharacteristic1.ReadValue", .answers([.octets(Array(repeating: 1, count: 100_000))]))
        #expect(bench.perform(.read(handle: handle(CentralBench.measurement))).first?.utf8.count ?? 0 < 2000)
    }

    /// A device that leaves a request unanswered: the link ends (Vol 3, Part F, 3.3.3).
    @Test func aCallWithoutAnAnswerEndsTheLink() {
        bench.bluez.script("GattCharacteristic1.ReadValue", .hangs)
        #expect(
            bench.perform(.read(handle: handle(CentralBench.measurement)), for: .seconds(50))
                == ["disconnected failed(BLEAdapter.ConnectionError.attributeTimeout)"])
    }

    @Test func theLinkThatEndsDuringACallHasNoResult() {
        bench.bluez.script("GattCharacteristic1.ReadValue", .hangs)
        bench.session?.submit(.read(handle: handle(CentralBench.measurement)), to: bench.peer)
        bench.run()
        bench.bluez.dropLink(path, .remote)
        bench.run(.seconds(60))
        #expect(bench.lines() == ["disconnected failed(BLEAdapter.ConnectionError.endedByPeer)"])
    }

    /// bluetoothd answers with an empty value or an error without a code then, and tells the end afterwards.
    @Test(arguments: ["read", "failed read", "failed write"])
    func aRequestThatTheEndOfTheLinkInterruptsHasNoResult(_ kind: String) {
        let handle = handle(CentralBench.control)
        let isRead = kind != "failed write"
        bench.bluez.script(isRead ? "GattCharacteristic1.ReadValue" : "GattCharacteristic1.WriteValue", .hangs)
        bench.session?.submit(isRead ? .read(handle: handle) : .write(handle: handle, value: [1]), to: bench.peer)
        bench.run()
        if kind == "read" {
            bench.bluez.held.first?.reply([.octets([])])
        } else {
            bench.bluez.held.first?.fail("org.bluez.Error.Failed", "Operation failed")
        }
        bench.bluez.dropLink(path, .remote)
        bench.run(.seconds(60))
        #expect(bench.lines() == ["disconnected failed(BLEAdapter.ConnectionError.endedByPeer)"])
    }

    // MARK: Notifications

    private func subscribe(_ uuid: String, _ mode: GATTOperation.NotifyMode = .notification) -> [String] {
        bench.perform(.setNotify(valueHandle: handle(uuid), end: .max, mode: mode))
    }

    @Test func notificationsComeThroughTheirSocket() {
        let characteristic = bench.path(path, CentralBench.measurement)
        bench.session?.submit(
            .setNotify(valueHandle: handle(CentralBench.measurement), end: .max, mode: .notification), to: bench.peer)
        bench.run(.milliseconds(20))
        // The first ones are there before anything else.
        for number in 0..<5 { bench.bluez.notify(characteristic, [UInt8(number)]) }
        bench.bluez.notify(characteristic, [])
        bench.run()
        #expect(bench.lines() == ["done"] + (0..<5).map { "notified [\($0)]" } + ["notified []"])
        // A read is told from a notification.
        bench.bluez.setValue(characteristic, [4, 5])
        #expect(bench.perform(.read(handle: handle(CentralBench.measurement))) == ["value [4, 5]"])
        #expect(subscribe(CentralBench.measurement, .off) == ["done"])
        #expect(bench.bluez.notifyClients(characteristic).isEmpty)
        #expect(subscribe(CentralBench.measurement) == ["done"])
        bench.bluez.notify(characteristic, [9])
        bench.run()
        #expect(bench.lines() == ["notified [9]"])
    }

    @Test func withoutASocketChangesOfThePropertyAreNotifications() {
        bench.bluez.always("GattCharacteristic1.AcquireNotify", .fails(.inProgress))
        let characteristic = bench.path(path, CentralBench.measurement)
        #expect(subscribe(CentralBench.measurement) == ["done"])
        for number in 0..<3 { bench.bluez.notify(characteristic, [UInt8(number)]) }
        bench.bluez.notify(characteristic, [0, 60])
        bench.run()
        #expect(bench.lines() == ["notified [0]", "notified [1]", "notified [2]", "notified [0, 60]"])
        // bluetoothd reports what it read as a change, too.
        #expect(bench.perform(.read(handle: handle(CentralBench.measurement))) == ["value [0, 60]"])
        bench.bluez.notify(characteristic, [7])
        bench.run()
        #expect(bench.lines() == ["notified [7]"])
        #expect(subscribe(CentralBench.measurement, .off) == ["done"])
        #expect(bench.bluez.calls(of: "GattCharacteristic1.StopNotify").count == 1)
        bench.bluez.notify(characteristic, [8])
        bench.run()
        #expect(bench.lines() == [])
    }

    @Test func aCharacteristicThatAnotherProgramHasAloneFails() {
        bench.bluez.always("GattCharacteristic1.AcquireNotify", .fails(.notPermitted("Notify acquired")))
        bench.bluez.always("GattCharacteristic1.StartNotify", .fails(.notPermitted("Notify acquired")))
        #expect(subscribe(CentralBench.measurement) == ["error attribute(3)"])
    }

    @Test(arguments: [
        [] as [BusValue], [.uint32(7)], [.string("x"), .uint16(23)],
    ]) func anAnswerWithoutASocketFallsBack(answer: [BusValue]) {
        bench.bluez.script("GattCharacteristic1.AcquireNotify", .answers(answer))
        #expect(subscribe(CentralBench.measurement) == ["done"])
        #expect(bench.bluez.calls(of: "GattCharacteristic1.StartNotify").count == 1)
    }

    @Test func aCharacteristicWithoutNotificationsFails() {
        #expect(subscribe(CentralBench.control) == ["error attribute(10)"])
    }

    @Test func twoSessionsShareASubscription() {
        let other = bench.open()
        other.session?.connect(bench.peer, options: ConnectionOptions())
        bench.run()
        _ = other.recorder.take()
        #expect(subscribe(CentralBench.measurement) == ["done"])
        other.session?.submit(
            .setNotify(valueHandle: handle(CentralBench.measurement), end: .max, mode: .notification), to: bench.peer)
        bench.run()
        let characteristic = bench.path(path, CentralBench.measurement)
        bench.bluez.notify(characteristic, [1])
        bench.run()
        #expect(bench.lines() == ["notified [1]"] && other.recorder.take() == ["done", "notified [1]"])
        #expect(bench.bluez.calls(of: "GattCharacteristic1.AcquireNotify").count == 1)
        bench.session?.cancelConnection(bench.peer)
        bench.run()
        bench.bluez.notify(characteristic, [2])
        bench.run()
        #expect(bench.lines() == ["disconnected cancelled"] && other.recorder.take() == ["notified [2]"])
        #expect(bench.bluez.notifyClients(characteristic).count == 1)
    }

    // MARK: Write commands

    private func write(_ value: [UInt8]) -> Bool? {
        bench.session?.writeCommand(value.span, handle: handle(CentralBench.control), to: bench.peer)
    }

    /// Values that the device got.
    private var written: [String] { bench.bluez.writes.map(\.description) }

    @Test func writeCommandsLeaveThroughASocketInTheirOrder() {
        for number in 0..<20 { #expect(write([UInt8(number)]) == true) }
        // What follows leaves after them.
        #expect(bench.perform(.read(handle: handle(CentralBench.measurement))) == ["value [0, 60]"])
        bench.bluez.readSockets()
        #expect(written == (0..<20).map { "acquired [\($0)]" })
        #expect(bench.bluez.calls(of: "GattCharacteristic1.AcquireWrite").count == 1)
        let read = bench.bluez.calls.lastIndex { $0.method == "GattCharacteristic1.ReadValue" }
        #expect(read == bench.bluez.calls.indices.last)
    }

    @Test func aRequestOnTheSameCharacteristicWaitsForTheSocket() {
        #expect(write([1]) == true)
        #expect(bench.perform(.write(handle: handle(CentralBench.control), value: [2]), for: .seconds(3)) == ["done"])
        #expect(write([3]) == true)
        bench.run(.seconds(1))
        bench.bluez.readSockets()
        #expect(written == ["acquired [1]", "request [2]", "acquired [3]"])
    }

    @Test func anEmptyCommandIsACall() {
        #expect(write([1]) == true && write([]) == true && write([2]) == true)
        bench.run(.seconds(3))
        bench.bluez.readSockets()
        #expect(written == ["acquired [1]", "command []", "acquired [2]"])
    }

    @Test func withoutASocketCommandsAreCalls() {
        bench.bluez.always("GattCharacteristic1.AcquireWrite", .fails(.notPermitted("Write acquired")))
        for number in 0..<5 { #expect(write([UInt8(number)]) == true) }
        bench.run(.seconds(3))
        #expect(written == (0..<5).map { "command [\($0)]" })
    }

    /// A bluetoothd that does not read: the buffer is full, and a bound holds.
    @Test func aFullSocketIsBackPressure() {
        bench.bluez.always("GattCharacteristic1.AcquireWrite", .hangs)
        var answers: [Bool?] = []
        for _ in 0..<400 { answers.append(write(Array(repeating: 1, count: 512))) }
        bench.run()
        #expect(answers.count { $0 == true } == 128 && bench.session?.canWriteCommand(to: bench.peer) == false)
        bench.bluez.dropLink(path, .remote)
        bench.run()
        #expect(bench.lines() == ["disconnected failed(BLEAdapter.ConnectionError.endedByPeer)"])
        // Nothing of them counts any more.
        bench.session?.connect(bench.peer, options: ConnectionOptions())
        bench.run(.seconds(3))
        #expect(bench.session?.canWriteCommand(to: bench.peer) == true)
    }

    @Test func roomAfterAFullSocketIsToldOnce() {
        var isAccepted = true
        var count = 0
        while isAccepted, count < 10_000 {
            isAccepted = write(Array(repeating: 1, count: 200)) == true
            count += 1
        }
        #expect(count < 10_000)
        for _ in 0..<200 {
            bench.run(.milliseconds(10))
            bench.bluez.readSockets()
        }
        #expect(bench.lines() == ["ready"])
        #expect(written.count == count)
    }

    // MARK: Changes of services

    @Test func servicesThatChangeAreReportedOnce() {
        #expect(subscribe(CentralBench.measurement) == ["done"])
        bench.bluez.change(path) { device in
            device.services.append(ScriptedService("0000180f-0000-1000-8000-00805f9b34fb"))
        }
        bench.bluez.changeServices(of: path)
        bench.run(.seconds(1))
        // The service of GAP, the one of the heart rate and the new one follow each other.
        #expect(bench.lines() == ["services changed 1...10"])
        #expect(bench.perform(.discoverServices(nil)).first?.contains("180F") == true)
        // The subscription of the old characteristic has gone with it.
        #expect(subscribe(CentralBench.measurement) == ["done"])
    }

    /// As the range of a Service Changed does.
    @Test func onlyTheServicesThatChangeAreReported() {
        #expect(subscribe(CentralBench.measurement) == ["done"])
        bench.bluez.change(path) { $0.services.append(ScriptedService("0000180f-0000-1000-8000-00805f9b34fb")) }
        bench.bluez.changeServices(of: path, only: "0000180f-0000-1000-8000-00805f9b34fb")
        bench.run(.seconds(1))
        #expect(bench.lines() == ["services changed 10...10"])
        // What else the program has of the device goes on.
        bench.bluez.notify(bench.path(path, CentralBench.measurement), [0, 70])
        bench.run()
        #expect(bench.lines() == ["notified [0, 70]"])
        bench.bluez.changeServices(of: path, only: "0000180d-0000-1000-8000-00805f9b34fb")
        bench.run(.seconds(1))
        #expect(bench.lines() == ["services changed 2...9"])
        #expect(subscribe(CentralBench.measurement) == ["done"])
    }

    /// Such as a read that waits for another program's.
    @Test func anOperationOutlivesAChangeOfServices() {
        bench.bluez.script("GattCharacteristic1.ReadValue", .fails(.inProgress))
        bench.bluez.changeServices(of: path, only: "00001800-0000-1000-8000-00805f9b34fb")
        bench.run(.milliseconds(190))
        bench.session?.submit(.read(handle: handle(CentralBench.measurement)), to: bench.peer)
        bench.run(.milliseconds(300))
        #expect(bench.lines() == ["services changed 1...1", "value [0, 60]"])
    }

    @Test func includedServicesAreThoseOfBluetoothd() {
        bench.bluez.change(path) { device in
            device.services[1].includes = [2]
            device.services.append(ScriptedService("0000180f-0000-1000-8000-00805f9b34fb"))
            device.services[2].isPrimary = false
        }
        bench.bluez.changeServices(of: path)
        bench.run(.seconds(1))
        _ = bench.lines()
        #expect(bench.perform(.discoverServices(nil)) == ["services [\"180D 2\"]"])
        #expect(bench.perform(.discoverIncludedServices(service: service, nil)) == ["services [\"180F 10\"]"])
        let other = [BluetoothUUID(0x180A as UInt16)]
        #expect(bench.perform(.discoverIncludedServices(service: service, other)) == ["services []"])
        let included = HandleRange(start: 10, end: .max)
        #expect(bench.perform(.discoverIncludedServices(service: included, nil)) == ["services []"])
    }

    @Test func pathsOfDevicesAreHostile() {
        for name in ["service", "service00zz", "service+001", "char0001x", "service0000", ""] {
            #expect(RemoteAttributes.handle("/org/bluez/hci0/dev/\(name)", "service") == nil, "\(name)")
        }
        #expect(RemoteAttributes.handle("/service00fF", "service") == 0xFF)
        var objects = BlueZObjects()
        let device = "/org/bluez/hci0/dev"
        let properties: BusProperties = ["UUID": .string("0000180d-0000-1000-8000-00805f9b34fb")]
        for (path, interface) in [
            ("service0001", BlueZ.gattService), ("service0001/charffff", BlueZ.characteristic),
            ("service0001/char0002/descffff", BlueZ.descriptor), ("elsewhere/char0003", BlueZ.characteristic),
        ] {
            _ = objects.apply(.added(path: "\(device)/\(path)", interfaces: [interface: properties]))
        }
        let attributes = RemoteAttributes(objects, of: device)
        #expect(attributes.services.services(nil).count == 1)
        #expect(attributes.services.characteristics(of: HandleRange(start: 1, end: .max), nil).isEmpty)
    }
}
