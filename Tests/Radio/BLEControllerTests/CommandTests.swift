import BLEController
import BLEWire
import Testing

@Test func wrongParametersGetTheSpecifiedErrors() throws {
    let bench = Bench()
    let (host, peer) = (bench.addHost { $0.connectionLimit = 1 }, bench.addHost())
    host.send(HCI.LESetScanParameters(interval: 0x10, window: 0x20))
    bench.deliver()
    #expect(host.status(of: .leSetScanParameters) == .invalidHCICommandParameters)
    host.send(HCI.LESetAdvertisingParameters(intervalMinimum: 0x10, intervalMaximum: 0x10))
    bench.deliver()
    #expect(host.status(of: .leSetAdvertisingParameters) == .invalidHCICommandParameters)
    host.send(HCI.Disconnect(connectionHandle: 0x123))
    bench.deliver()
    #expect(host.status(of: .disconnect) == .unknownConnectionIdentifier)
    host.connect(to: peer.address, interval: 400, latency: 100, timeout: 100)
    bench.deliver()
    #expect(host.status(of: .leCreateConnection) == .invalidHCICommandParameters)
    host.scan()
    host.send(HCI.LESetRandomAddress(address: DeviceAddress(kind: .random, value: 1)))
    bench.deliver()
    #expect(host.status(of: .leSetRandomAddress) == .commandDisallowed)
    let link = try #require(bench.connect(host, peer))
    host.connect(to: peer.address)
    bench.deliver()
    #expect(host.status(of: .leCreateConnection) == .connectionAlreadyExists)
    host.connect(to: DeviceAddress(kind: .random, value: 0xC000_0000_0077))
    bench.deliver()
    #expect(host.status(of: .leCreateConnection) == .connectionLimitExceeded)
    host.advertise()
    bench.deliver()
    #expect(host.status(of: .leSetAdvertisingEnable) == .connectionLimitExceeded)
    host.send(HCI.Disconnect(connectionHandle: link.central, reason: .success))
    bench.deliver()
    #expect(host.status(of: .disconnect) == .invalidHCICommandParameters)
}

@Test func aRandomAddressMustBeSetBeforeItsUse() {
    let bench = Bench()
    let host = bench.addHost()
    host.send(HCI.Reset())
    host.advertise()
    bench.deliver()
    #expect(host.status(of: .leSetAdvertisingEnable) == .invalidHCICommandParameters)
}

@Test func maskedEventsAreNotSent() throws {
    let bench = Bench()
    let (central, peripheral) = (bench.addHost(), bench.addHost())
    central.send(HCI.SetEventMask(mask: HCI.EventMask.default.union(.leMeta).subtracting(.disconnectionComplete)))
    central.send(HCI.LESetEventMask(mask: [.connectionComplete]))
    let link = try #require(bench.connect(central, peripheral))
    central.send(HCI.LESetDataLength(connectionHandle: link.central, txOctets: 251, txTime: 2120))
    bench.run(for: .milliseconds(300))
    central.send(HCI.Disconnect(connectionHandle: link.central))
    bench.run(for: .milliseconds(300))
    #expect(central.all(HCI.LEDataLengthChange.self).isEmpty)
    #expect(central.all(HCI.LEChannelSelectionAlgorithm.self).isEmpty)
    #expect(central.disconnections.isEmpty)
    #expect(peripheral.disconnections.count == 1)
}

@Test func enhancedConnectionCompleteReplacesThePlainOne() throws {
    let bench = Bench()
    let (central, peripheral) = (bench.addHost(), bench.addHost())
    central.send(HCI.LESetEventMask(mask: [.connectionComplete, .enhancedConnectionComplete]))
    peripheral.advertise(interval: 0x20)
    central.connect(to: peripheral.address)
    #expect(bench.run(atMost: .seconds(1)) { !central.all(HCI.LEEnhancedConnectionComplete.self).isEmpty })
    #expect(central.connections.isEmpty)
}

/// Without a connection, both forms of the event have neither a handle nor parameters, and the long one no private addresses.
@Test func aCanceledConnectionHasNoValues() throws {
    let bench = Bench()
    let central = bench.addHost()
    let peer = DeviceAddress(kind: .random, value: 0xC000_0000_0077)
    let start: [UInt8] = [2, 0, 0, 0, 1, 0x77, 0, 0, 0, 0, 0xC0]
    for (mask, event) in [
        (.connectionComplete, [0x3E, 19, 0x01] + start + [UInt8](repeating: 0, count: 7)),
        (.enhancedConnectionComplete, [0x3E, 31, 0x0A] + start + [UInt8](repeating: 0, count: 19)),
    ] as [(HCI.LEEventMask, [UInt8])] {
        central.send(HCI.LESetEventMask(mask: mask))
        central.connect(to: peer)
        central.send(HCI.LECreateConnectionCancel())
        bench.deliver()
        #expect(central.events.last == event)
    }
}

@Test func excessDataIsDroppedWithDataBufferOverflow() throws {
    let bench = Bench()
    let (central, peripheral) = (bench.addHost { $0.aclBufferCount = 4 }, bench.addHost())
    let link = try #require(bench.connect(central, peripheral))
    for number in 0..<6 { central.send(raw: RawHost.packet([UInt8(number)], handle: link.central)) }
    bench.deliver()
    #expect(central.events.filter { $0[0] == 0x1A }.count == 2)
    bench.run(for: .seconds(1))
    #expect(peripheral.received[link.peripheral] == [0, 1, 2, 3])
}

@Test func resetRestoresTheInitialState() throws {
    let bench = Bench()
    let (central, peripheral) = (bench.addHost(), bench.addHost())
    _ = try #require(bench.connect(central, peripheral, timeout: 50))
    central.scan()
    central.connect(to: DeviceAddress(kind: .random, value: 0xC000_0000_0077))
    bench.run(for: .milliseconds(200))
    central.send(HCI.Reset())
    bench.deliver()
    #expect(central.status(of: .reset) == .success)
    let count = central.events.count
    bench.run(for: .seconds(1))
    #expect(central.events.count == count)
    #expect(peripheral.disconnections.map(\.reason) == [.connectionTimeout])
    #expect(bench.radio.nextDeadline == nil)
}

@Test func hostileHostsDoNotTrap() {
    let bench = Bench(seed: 7)
    let hosts = [bench.addHost(), bench.addHost(), bench.addHost()]
    var random = SeededRandom(seed: 99)
    hosts[1].advertise(interval: 0x20)
    hosts[0].connect(to: hosts[1].address, interval: 6)
    bench.run(for: .milliseconds(200))
    let opcodes: [UInt16] = [
        0x0406, 0x041D, 0x0C01, 0x0C03, 0x1001, 0x1002, 0x1405, 0x2001, 0x2005, 0x2006, 0x2008, 0x2009, 0x200A, 0x200B,
        0x200C, 0x200D, 0x200E, 0x2010, 0x2011, 0x2012, 0x2013, 0x2014, 0x2015, 0x2016, 0x2020, 0x2021, 0x2022, 0x2024,
        0x2030, 0x2031, 0x2032, 0x0C7B, 0x0C7C, 0x2017, 0x2019, 0x201A, 0x201B, 0x2025, 0x2026, 0x205E, 0x2076, 0x2077,
        0x2078, 0x2079, 0x207A, 0xFC0E, 0xFC80,
    ]
    for round in 0..<20_000 {
        let host = hosts[Int(random.next() % 3)]
        var bytes: [UInt8] = []
        switch random.next() % 4 {
        case 0:
            bytes = (0..<Int(random.next() % 40)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        case 1:
            let opcode = opcodes[Int(random.next() % UInt64(opcodes.count))]
            // A reset now and then only, or nothing would ever be up.
            if opcode == 0x0C03 && round % 50 != 0 { continue }
            let length = Int(random.next() % 34)
            bytes = [1, UInt8(opcode & 0xFF), UInt8(opcode >> 8), UInt8(length)]
            bytes += (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next() >> 61) }
        case 2:
            let length = Int(random.next() % 60)
            bytes = [2, 0x40, UInt8(truncatingIfNeeded: random.next()), UInt8(length), 0]
            bytes += [UInt8](repeating: 3, count: length)
        default:
            bytes = [2, 0x40, 0, 0, 0, 1, 2]
        }
        host.send(raw: bytes)
        if round % 10 == 0 { bench.run(for: .milliseconds(3)) }
    }
    #expect(!hosts[0].events.isEmpty)
}
