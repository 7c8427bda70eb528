import BLEAttribute
import BLEWire
import Testing

@testable import BLEHost

struct HostGATTTests {
    /// Values that fill the queue up to its limit are taken, and not one octet more.
    @Test func severalValuesFillTheQueueUpToItsLimit() throws {
        let bench = Bench()
        var configuration = HostConfiguration()
        configuration.transmitQueueOctets = 100
        configuration.transmitQueueLimit = 300
        let central = bench.ready()
        let peripheral = bench.ready(configuration)
        let (_, link) = try #require(bench.link(central, peripheral))
        bench.run(.seconds(1))
        peripheral.controller.isStalled = true
        let value = [UInt8](repeating: 1, count: 10)
        for _ in 0..<20 where peripheral.host.queuedOctets(on: link) == 0 {
            peripheral.host.notify(value.span, handle: 3, on: link, at: bench.now)
            bench.settle()
        }
        let room = 300 - peripheral.host.queuedOctets(on: link)
        // A frame has a header of 4 octets, and a value of several has its handle and its length.
        func values(_ octets: Int) -> [AttributeValue] {
            [value, [UInt8](repeating: 1, count: octets - 26)].map { AttributeValue(handle: 3, value: $0) }
        }
        let isTaken = [room + 1, room].map { peripheral.host.notify(values($0), on: link, at: bench.now) }
        #expect(isTaken == [false, true])
    }

    private struct Pair {
        let bench: Bench
        let central: BenchHost
        let peripheral: BenchHost
        let link: LinkIdentifier
        let peripheralLink: LinkIdentifier
        /// The value's handle.
        let handle: UInt16
        let end: UInt16
    }

    private func pair(_ configuration: HostConfiguration = HostConfiguration()) throws -> Pair {
        let bench = Bench()
        let central = bench.ready(configuration)
        let peripheral = bench.ready(configuration)
        let added = try #require(peripheral.addService(TestService.definition))
        let (link, other) = try #require(bench.link(central, peripheral))
        let characteristic = try #require(added.characteristics.first)
        return Pair(
            bench: bench, central: central, peripheral: peripheral, link: link, peripheralLink: other,
            handle: characteristic.valueHandle, end: added.range.end)
    }

    private func perform(_ operation: GATTOperation, id: UInt32, _ pair: Pair) -> Result<GATTResult, GATTError>? {
        pair.central.host.submit(operation, id: id, on: pair.link, at: pair.bench.now)
        pair.bench.settle()
        return pair.central.result(id)
    }

    @Test func allAttributesAreDiscovered() throws {
        let pair = try pair()
        guard case .success(.services(let services))? = perform(.discoverServices(nil), id: 1, pair) else {
            Issue.record("no services")
            return
        }
        #expect(services.map(\.uuid) == [TestService.service])
        let range = try #require(services.first?.range)
        guard
            case .success(.characteristics(let found))? = perform(
                .discoverCharacteristics(service: range, nil), id: 2, pair), let characteristic = found.first
        else {
            Issue.record("no characteristics")
            return
        }
        #expect(characteristic.valueHandle == pair.handle)
        #expect(characteristic.uuid == TestService.characteristic)
        guard
            case .success(.descriptors(let descriptors))? = perform(
                .discoverDescriptors(after: characteristic.valueHandle, end: characteristic.end), id: 3, pair)
        else {
            Issue.record("no descriptors")
            return
        }
        #expect(Set(descriptors.map(\.uuid)) == [BluetoothUUID(UInt16(0x2902)), BluetoothUUID(UInt16(0x2901))])
    }

    /// The end of an operation that an owner takes apart from the events precedes them, and its value stays in the arena with theirs.
    @Test func theEndOfAReadPrecedesTheEventsAfterIt() throws {
        let pair = try pair()
        let host = pair.central
        host.host.output.events.separatesCompletion = true
        let handle = host.host.connections[pair.link].map { $0.handle | 0x2000 } ?? 0
        func receive(_ pdu: [UInt8]) {
            let count = UInt8(pdu.count)
            let packet = [2, UInt8(handle & 0xFF), UInt8(handle >> 8), count + 4, 0, count, 0, 4, 0] + pdu
            host.host.receive(packet.span, at: pair.bench.now)
        }
        func notified() -> [UInt8]? {
            guard case .value(_, let value)? = host.host.output.events.pending.first, !value.isIndication else {
                return nil
            }
            return host.host.output.events.attributes.arena.copy(value.octets)
        }
        func submit(_ id: UInt32) {
            host.host.submit(.read(handle: pair.handle), id: id, on: pair.link, at: pair.bench.now)
            host.host.output.packets.removeAll()
        }
        submit(7)
        receive([0x0B, 1, 2, 3])
        receive([0x1B, 9, 0, 4])
        let read = host.host.output.events.read
        #expect(
            read?.id == 7 && read.map { Array(host.host.output.events.attributes.arena.octets[$0.value]) } == [1, 2, 3])
        #expect(notified() == [4])
        let done = host.host.output.events.takeCompletion()
        #expect(done?.id == 7 && done?.result == .success(.value([1, 2, 3])))
        let isEmpty = host.host.output.events.takeCompletion() == nil && host.host.output.events.read == nil
        #expect(isEmpty)
        host.host.output.events.removeAll()
        submit(8)
        receive([0x1B, 9, 0, 4])
        receive([0x0B, 5])
        let isApart = host.host.output.events.read != nil || host.host.output.events.completion != nil
        #expect(!isApart && notified() == [4])
        guard case .completed(_, 8, .success(.value([5])))? = host.host.output.events.pending.last else {
            Issue.record("the end of the read is missing")
            return
        }
        // What is drained is gone, also the end of a read or of another operation.
        for (operation, response) in [
            (GATTOperation.read(handle: pair.handle), [0x0B, 6]), (.write(handle: pair.handle, value: [1]), [0x13]),
        ] as [(GATTOperation, [UInt8])] {
            host.host.output.events.removeAll()
            host.host.submit(operation, id: 9, on: pair.link, at: pair.bench.now)
            host.host.output.packets.removeAll()
            receive(response)
            #expect(!host.host.output.events.isEmpty)
            host.host.output.events.removeAll()
            #expect(host.host.output.events.isEmpty)
        }
    }

    @Test(arguments: [UInt16(23), 185, 498]) func valuesOf512OctetsAreReadAndWritten(mtu: UInt16) throws {
        var configuration = HostConfiguration()
        configuration.localMTU = mtu
        let pair = try pair(configuration)
        let value = (0..<512).map { UInt8(truncatingIfNeeded: $0) }
        #expect(perform(.write(handle: pair.handle, value: value), id: 1, pair) == .success(.done))
        #expect(pair.peripheral.values[pair.handle] == value)
        #expect(perform(.read(handle: pair.handle), id: 2, pair) == .success(.value(value)))
    }

    @Test func notificationsAndIndicationsArriveInOrder() throws {
        let pair = try pair()
        let subscribe = GATTOperation.setNotify(valueHandle: pair.handle, end: pair.end, mode: .notification)
        #expect(perform(subscribe, id: 1, pair) == .success(.done))
        #expect(
            pair.peripheral.host.clientConfiguration(ofValueHandle: pair.handle, on: pair.peripheralLink) == 1)
        for number in 0..<50 as Range<UInt8> {
            let value = [number, 1, 2]
            _ = pair.peripheral.host.notify(
                value.span, handle: pair.handle, on: pair.peripheralLink, at: pair.bench.now)
        }
        pair.bench.settle()
        #expect(pair.central.notifications.map(\.first) == (0..<50).map { UInt8($0) })

        let indicate = GATTOperation.setNotify(valueHandle: pair.handle, end: pair.end, mode: .indication)
        #expect(perform(indicate, id: 2, pair) == .success(.done))
        pair.central.clearEvents()
        for number in 0..<5 as Range<UInt8> {
            let value = [number]
            pair.peripheral.host.indicate(
                value.span, handle: pair.handle, on: pair.peripheralLink, at: pair.bench.now)
        }
        pair.bench.settle()
        #expect(pair.central.notifications == [[0], [1], [2], [3], [4]])
        let confirmed = pair.peripheral.events.filter {
            if case .indicationConfirmed = $0.event { true } else { false }
        }
        #expect(confirmed.count == 5)
    }

    @Test func writeCommandsResumeWhenTheQueueHasDrained() throws {
        let pair = try pair()
        let value = [UInt8](repeating: 9, count: 400)
        pair.central.controller.isStalled = true
        var sent = 0
        while pair.central.host.takesValues(on: pair.link), sent < 1_000 {
            let taken = try pair.central.host.writeCommand(
                value.span, handle: pair.handle, on: pair.link, at: pair.bench.now)
            #expect(taken)
            sent += 1
        }
        #expect((10...40).contains(sent))
        pair.bench.settle()
        #expect(pair.central.drained == 0)
        #expect(pair.central.host.queuedOctets(on: pair.link) > 4_096)
        pair.central.controller.release()
        pair.bench.settle()
        #expect(pair.central.drained == 1)
        #expect(pair.central.host.takesValues(on: pair.link) == true)
        #expect(pair.peripheral.writes == sent)
    }

    @Test func theTransmitQueueIsBounded() throws {
        var configuration = HostConfiguration()
        configuration.transmitQueueLimit = 20_000
        let pair = try pair(configuration)
        let value = [UInt8](repeating: 9, count: 400)
        pair.central.controller.isStalled = true
        var taken = 0
        for _ in 0..<200 {
            if try pair.central.host.writeCommand(
                value.span, handle: pair.handle, on: pair.link, at: pair.bench.now)
            {
                taken += 1
            }
        }
        #expect(taken < 60)
        #expect(pair.central.host.queuedOctets(on: pair.link) <= 20_000)
    }

    @Test func anOperationWithoutALinkFailsAtOnce() throws {
        let pair = try pair()
        pair.central.host.disconnect(pair.link, at: pair.bench.now)
        #expect(perform(.read(handle: 3), id: 5, pair) == .failure(.notConnected))
        let value: [UInt8] = [1]
        #expect(throws: GATTError.notConnected) {
            try pair.central.host.writeCommand(value.span, handle: 3, on: pair.link, at: pair.bench.now)
        }
    }

    @Test func theRSSIIsReadFromTheController() throws {
        let pair = try pair()
        #expect(perform(.readRSSI, id: 1, pair) == .success(.rssi(-42)))
    }

    @Test func theDeviceNameIsServedAndRead() throws {
        var configuration = HostConfiguration()
        configuration.deviceName = Array("Wristband".utf8)
        let pair = try pair(configuration)
        pair.central.host.readDeviceName(id: 4, on: pair.link, at: pair.bench.now)
        pair.bench.run(.seconds(1))
        #expect(pair.central.result(4) == .success(.value(Array("Wristband".utf8))))
    }

    @Test func aDatabaseChangeIsIndicatedToSubscribers() throws {
        let pair = try pair()
        pair.central.host.enableServiceChanged(id: 1, on: pair.link, at: pair.bench.now)
        pair.bench.run(.seconds(1))
        #expect(pair.central.result(1) == .success(.done))
        let added = try #require(pair.peripheral.addService(TestService.definition))
        pair.peripheral.host.databaseChanged([added.range], at: pair.bench.now)
        pair.bench.settle()
        let changed = pair.central.events.compactMap {
            if case .servicesChanged(_, let range) = $0.event { range } else { nil }
        }
        #expect(changed == [added.range])
    }

    @Test func theEndOfALinkEndsItsSubscriptions() throws {
        let pair = try pair()
        let subscribe = GATTOperation.setNotify(valueHandle: pair.handle, end: pair.end, mode: .notification)
        #expect(perform(subscribe, id: 1, pair) == .success(.done))
        pair.central.host.disconnect(pair.link, at: pair.bench.now)
        pair.bench.settle()
        let subscriptions = pair.peripheral.events.compactMap {
            if case .subscriptionChanged(_, pair.handle, let configuration) = $0.event { configuration } else { nil }
        }
        #expect(subscriptions == [1, 0])
    }

    /// A notification is cut to ATT_MTU - 3 octets (Vol 3, Part F, 3.4.7.1), and a Write Command beyond that is not sent (3.4.5.3), whether
    /// the controller has room or not.
    @Test(arguments: [false, true]) func valuesBeyondTheMTUAreCutOrRefused(isStalled: Bool) throws {
        let pair = try pair()
        #expect(pair.central.host.mtu(of: pair.link) == 498)
        func stall(_ host: BenchHost, _ link: LinkIdentifier) {
            host.controller.isStalled = isStalled
            guard isStalled else { return }
            let value = [UInt8](repeating: 0, count: 300)
            if host === pair.peripheral {
                host.host.notify(value.span, handle: pair.handle, on: link, at: pair.bench.now)
            } else {
                _ = try? host.host.writeCommand(value.span, handle: pair.handle, on: link, at: pair.bench.now)
            }
            pair.bench.settle()
        }
        for count in [0, 1, 494, 495, 496, 512, 600] {
            let value = [UInt8](repeating: UInt8(count & 0xFF), count: count)
            stall(pair.peripheral, pair.peripheralLink)
            let isTaken = pair.peripheral.host.notify(
                value.span, handle: pair.handle, on: pair.peripheralLink, at: pair.bench.now)
            #expect(isTaken)
            pair.peripheral.controller.release()
            pair.bench.settle()
            #expect(pair.central.notifications.last == Array(value.prefix(495)))

            stall(pair.central, pair.link)
            let writes = pair.peripheral.writes + (isStalled ? 1 : 0)
            var failure: GATTError?
            do throws(GATTError) {
                let isTaken = try pair.central.host.writeCommand(
                    value.span, handle: pair.handle, on: pair.link, at: pair.bench.now)
                #expect(isTaken)
            } catch {
                failure = error
            }
            #expect(failure == (count > 495 ? .valueTooLong : nil))
            pair.central.controller.release()
            pair.bench.settle()
            #expect(pair.peripheral.writes == writes + (count > 495 ? 0 : 1))
            if count <= 495 { #expect(pair.peripheral.values[pair.handle] == value) }
        }
        #expect(pair.central.violations.isEmpty && pair.peripheral.violations.isEmpty)
    }
}
