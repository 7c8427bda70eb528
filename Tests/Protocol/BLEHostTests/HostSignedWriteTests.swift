import BLEAttribute
import BLESecurity
import BLEWire
import Testing

@testable import BLEHost

/// Signed writes of a bonded client on links that are not encrypted (Vol 3, Part C, 10.4, and Part G, 4.9.2).
struct HostSignedWriteTests {
    /// The attribute PDUs of the central, and its Security Manager PDUs by their code.
    private final class Sent {
        var pdus: [[UInt8]] = []
        var codes: [UInt8] = []
    }

    private let pair: PairingBench
    private let sent = Sent()
    private let handle: UInt16

    init() throws { try self.init(properties: 0x40) }

    private init(properties: UInt) throws {
        pair = PairingBench({ $0.policy.localKeys.insert(.signing) })
        var definition = TestService.definition
        definition.characteristics[0].properties = properties
        definition.characteristics[0].permissions = 2
        let service = try #require(pair.peripheral.addService(definition))
        handle = service.characteristics[0].valueHandle
        pair.peripheral.host.databaseChanged([service.range], at: pair.bench.now)
        pair.central.controller.passesData = { [sent] packet in
            guard packet.count > 9 else { return true }
            if packet[7] == 4 { sent.pdus.append(Array(packet[9...])) }
            if packet[7] == 6 { sent.codes.append(packet[9]) }
            return true
        }
    }

    /// The latest counters that a host has reported.
    private func counters(_ host: BenchHost) -> [UInt8]? {
        var octets: [UInt8]?
        for entry in host.events { if case .signCountersChanged(_, let latest) = entry.event { octets = latest } }
        return octets
    }

    /// Connects again, as a driver that has kept the counters.
    private func reconnect() {
        pair.reconnect()
        for host in pair.hosts {
            for bond in host.host.bonds.bonds { host.host.addBond(bond, signCounters: counters(host)) }
        }
        pair.settle()
        sent.pdus = []
    }

    private func write(_ value: [UInt8]) throws {
        try pair.central.host.signedWriteCommand(value.span, handle: handle, on: pair.link, at: pair.bench.now)
        pair.settle()
    }

    /// Delivers an attribute PDU that the central did not send.
    private func inject(_ pdu: [UInt8]) throws {
        let link = try #require(pair.peripheral.controller.links.first)
        let length = UInt8(pdu.count)
        let head: [UInt8] = [
            2, UInt8(truncatingIfNeeded: link.handle), UInt8(truncatingIfNeeded: link.handle >> 8 | 0x20),
        ]
        pair.peripheral.controller.emit(head + [length + 4, 0, length, 0, 4, 0] + pdu)
        pair.settle()
    }

    private var written: [UInt8]? { pair.peripheral.values[handle] }

    @Test("GATT/CL/GAW/BV-02-C, GATT/SR/GAW/BV-02-C: a signed write on a link that is not encrypted")
    func aSignedWriteNeedsNoEncryption() throws {
        pair.pair()
        reconnect()
        for value: UInt8 in 1...3 {
            try write([value])
            #expect(written == [value])
            #expect(sent.pdus.last?.prefix(8) == [0xD2, UInt8(handle), 0, value, value - 1, 0, 0, 0])
        }
        #expect(pair.peripheral.host.security(of: pair.peripheralLink)?.isEncrypted == false)
        // The bond lasts, and so do its counters.
        reconnect()
        try write([9])
        #expect(written == [9] && pair.peripheral.writes == 4)
    }

    @Test func anEncryptedLinkHasOrdinaryWriteCommands() throws {
        pair.pair()
        try write([7])
        #expect(sent.pdus.last == [0x52, UInt8(handle), 0, 7] && written == [7])
    }

    @Test("GATT/SR/GAW/BI-01-C: a wrong signature is ignored")
    func aWrongSignatureIsIgnored() throws {
        pair.pair()
        reconnect()
        try write([1])
        var pdu = try #require(sent.pdus.last)
        // The next counter, and the code of the one before.
        pdu[4] = 1
        try inject(pdu)
        try inject(Array(pdu.prefix(14)))
        try inject([0xD2])
        try inject([0x52, UInt8(handle), 0, 5])
        #expect(written == [1] && pair.peripheral.writes == 1 && pair.peripheral.violations.isEmpty)
        try write([2])
        #expect(written == [2])
    }

    @Test func aRepeatedCommandIsIgnoredAlsoOnLaterLinks() throws {
        pair.pair()
        reconnect()
        try write([1])
        let pdu = try #require(sent.pdus.last)
        try inject(pdu)
        #expect(pair.peripheral.writes == 1)
        reconnect()
        try inject(pdu)
        #expect(pair.peripheral.writes == 1)
        try write([2])
        #expect(written == [2] && pair.peripheral.writes == 2)
    }

    @Test func theCountersPrecedeTheWrite() throws {
        pair.pair()
        reconnect()
        pair.peripheral.clearEvents()
        try write([1])
        let kinds = pair.peripheral.events.map {
            switch $0.event {
            case .signCountersChanged: 1
            case .writeRequest: 2
            default: 0
            }
        }
        #expect(kinds.filter { $0 > 0 } == [1, 2])
    }

    @Test func withoutKeysNothingIsSigned() throws {
        let refusal = GATTError.attribute(0x05)
        #expect(throws: refusal) { try write([1]) }
        pair.pair()
        pair.reconnect()
        #expect(throws: GATTError.valueTooLong) { try write([UInt8](repeating: 1, count: 484)) }
        try write([UInt8](repeating: 1, count: 483))
        #expect(written?.count == 483)
        for bond in pair.central.host.bonds.bonds { pair.central.host.removeBond(bond.peer) }
        #expect(throws: refusal) { try write([1]) }
        pair.lose()
        #expect(throws: GATTError.notConnected) { try write([1]) }
    }

    /// A new pairing has new keys, whose counters begin with 0.
    @Test func aNewPairingHasNewKeys() throws {
        pair.pair()
        reconnect()
        try write([1])
        for host in pair.hosts { for bond in host.host.bonds.bonds { host.host.removeBond(bond.peer) } }
        pair.reconnect()
        pair.pair()
        pair.reconnect()
        try write([2])
        #expect(written == [2] && sent.pdus.last?[4] == 0)
    }

    @Test("A pairing distributes the signature key only for a server with signed writes", arguments: [true, false])
    func theKeyIsDistributedForSignedWrites(_ isUsed: Bool) throws {
        let tests = try HostSignedWriteTests(properties: isUsed ? 0x44 : 0x04)
        tests.pair.pair()
        #expect(tests.sent.codes.contains(0x0A) == isUsed)
        let bond = try #require(tests.pair.peripheral.host.bonds.bonds.first)
        #expect((bond.peerSignatureKey != nil) == isUsed && bond.localSignatureKey == nil)
        #expect(tests.pair.central.host.bonds.bonds.first?.localSignatureKey == bond.peerSignatureKey)
    }
}

/// Procedures over several attributes of two hosts.
struct HostSeveralValuesTests {
    private let pair = PairingBench()
    private let handles: [UInt16]

    init() throws {
        var definition = TestService.definition
        definition.characteristics = (0..<6).map {
            CharacteristicDefinition(
                uuid: BluetoothUUID(UInt16(0x36F0 + $0)), properties: 0x3E, permissions: 3, value: nil, descriptors: [])
        }
        let service = try #require(pair.peripheral.addService(definition))
        handles = service.characteristics.map(\.valueHandle)
        pair.settle()
    }

    @Test func severalValuesAreReadInOrder() {
        for handle in handles { pair.peripheral.values[handle] = [UInt8(handle), 1] }
        for id: UInt32 in [1, 2] {
            pair.central.host.readValues(handles, id: id, on: pair.link, at: pair.bench.now)
            pair.central.host.submit(.read(handle: handles[0]), id: id + 10, on: pair.link, at: pair.bench.now)
            pair.settle()
            #expect(pair.central.result(id) == .success(.values(handles.map { [UInt8($0), 1] })))
        }
        #expect(pair.central.completions.suffix(4) == [1, 11, 2, 12])
        pair.lose()
        pair.central.host.readValues(handles, id: 3, on: pair.link, at: pair.bench.now)
        pair.settle()
        #expect(pair.central.result(3) == .failure(.notConnected))
    }

    @Test func severalValuesAreWrittenTogether() {
        let values = handles.map { AttributeValue(handle: $0, value: [UInt8($0)]) }
        for id: UInt32 in [1, 2] {
            pair.central.host.writeReliably(values, id: id, on: pair.link, at: pair.bench.now)
            pair.settle()
            #expect(pair.central.result(id) == .success(.done))
            #expect(pair.peripheral.writes == Int(id))
        }
        for handle in handles { #expect(pair.peripheral.values[handle] == [UInt8(handle)]) }
    }
}
