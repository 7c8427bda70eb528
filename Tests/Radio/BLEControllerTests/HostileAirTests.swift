import BLEWire
import Testing

@testable import BLEController

private let asPeripheral = LinkLayerProcedures.Context(
    role: .peripheral, event: 100, latency: 0, interval: 24, hostDecidesParameters: true)

private func machine(_ role: HCI.Role = .peripheral) -> LinkLayerProcedures {
    LinkLayerProcedures(
        role: role,
        features: [.connectionParametersRequest, .dataPacketLengthExtension, .twoM],
        version: LL.VersionInd(version: 13, company: 1, subversion: 2),
        dataLength: DataLength(tx: .minimum, rx: .init(octets: 251, time: 2120)),
        phys: ([.oneM, .twoM], [.oneM, .twoM]))
}

/// What a machine sends and does upon a PDU.
private func answer(
    _ octets: [UInt8], _ context: LinkLayerProcedures.Context = asPeripheral,
    _ prepare: (inout LinkLayerProcedures) -> Void = { _ in }
) -> (sent: [[UInt8]], actions: [LinkLayerProcedures.Action]) {
    var procedures = machine()
    prepare(&procedures)
    let before = procedures.outgoing.count
    var actions: [LinkLayerProcedures.Action] = []
    procedures.receive(octets.span, context, &actions)
    return (Array(procedures.outgoing.dropFirst(before)), actions)
}

@Test func unknownAndMalformedControlPDUsGetUnknownRsp() {
    #expect(answer([0x3A, 1, 2, 3]).sent == [[0x07, 0x3A]])
    // A length request that is too short, and one for the central.
    #expect(answer([0x14, 1]).sent == [[0x07, 0x14]])
    #expect(answer([0x0E, 0, 0, 0, 0, 0, 0, 0, 0]).sent == [[0x07, 0x0E]])
    // An answer is not answered, or two machines would talk for ever.
    #expect(answer([0x07]).sent.isEmpty && answer([0x07, 0x14]).sent.isEmpty && answer([]).sent.isEmpty)
}

@Test func controlRequestsGetTheirResponses() {
    #expect(answer([0x12]).sent == [[0x13]])
    #expect(answer([0x0C, 13, 9, 0, 0, 0]).sent == [[0x0C, 13, 1, 0, 2, 0]])
    #expect(answer([0x14, 251, 0, 0x48, 8, 251, 0, 0x48, 8]).sent == [[0x15, 251, 0, 0x48, 8, 27, 0, 0x48, 1]])
    #expect(answer([0x14, 251, 0, 0x48, 8, 251, 0, 0x48, 8]).actions == [.dataLengthChanged])
    #expect(answer([0x08, 0, 1, 0, 0, 0, 0, 0, 0]).sent == [[0x09, 0, 1, 0, 0, 0, 0, 0, 0]])
    #expect(answer([0x16, 3, 2]).sent == [[0x17, 3, 3]])
    #expect(answer([0x02, 0x13]).actions == [.terminate(.remoteUserTerminatedConnection)])
}

@Test func pingIsAnsweredAndEndsTheProcedure() {
    var (here, there) = (machine(), machine())
    var actions: [LinkLayerProcedures.Action] = []
    here.request(.ping, asPeripheral, &actions)
    #expect(here.outgoing == [[0x12]] && here.isWaiting)
    let request = here.outgoing[0]
    there.receive(request.span, asPeripheral, &actions)
    here.acknowledged(&actions)
    let response = there.outgoing[0]
    here.receive(response.span, asPeripheral, &actions)
    #expect(here.isIdle && actions.isEmpty)
}

@Test func requestsOfOneKindAreReplaced() {
    var procedures = machine()
    var actions: [LinkLayerProcedures.Action] = []
    var asCentral = asPeripheral
    asCentral.role = .central
    procedures.request(.version, asCentral, &actions)
    for number in 0..<1000 {
        procedures.request(.channelMap(LL.ChannelMap(rawValue: UInt64(number + 3))), asCentral, &actions)
        procedures.request(.length, asCentral, &actions)
    }
    #expect(procedures.hasWaiting(.channelMap(.all)) && !procedures.hasWaiting(.ping))
    // The one that ran was answered; the map is the last that was wished.
    procedures.receive([0x0C, 13, 9, 0, 0, 0].span, asCentral, &actions)
    procedures.changed(asCentral, &actions)
    #expect(procedures.outgoing.map { $0[0] } == [0x0C, 0x01, 0x14])
    #expect(procedures.outgoing[1][1...2] == [0xEA, 0x03])
}

@Test func aPeerWithoutAcknowledgementsGetsNoMoreResponses() {
    var procedures = machine()
    var actions: [LinkLayerProcedures.Action] = []
    for _ in 0..<1000 { procedures.receive([0x12].span, asPeripheral, &actions) }
    #expect(procedures.outgoing.count == 16)
    procedures.receive([0x02, 0x13].span, asPeripheral, &actions)
    #expect(actions == [.terminate(.remoteUserTerminatedConnection)])
}

@Test func onlyOneChangeWaitsForItsInstant() {
    var procedures = machine()
    var actions: [LinkLayerProcedures.Action] = []
    for number: UInt8 in 0..<200 {
        procedures.receive([0x01, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F, number, 0x10].span, asPeripheral, &actions)
    }
    #expect(actions.count == 1)
    procedures.changed(asPeripheral, &actions)
    procedures.receive([0x01, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 0, 0x20].span, asPeripheral, &actions)
    #expect(actions.count == 2)
}

@Test func theDuplicateFilterIsBounded() {
    var scanner = ScanningRole()
    scanner.enable(filter: .on)
    func isNews(_ number: Int) -> Bool {
        scanner.isWorthReporting(.connectableUndirected, from: DeviceAddress(kind: .random, value: UInt64(number)))
    }
    #expect((0..<ReportedAdvertisers.limit).allSatisfy { isNews($0) })
    #expect(!isNews(0))
    #expect(isNews(ReportedAdvertisers.limit))
    // It begins anew.
    #expect(isNews(0) && !isNews(0))
}

@Test func anInstantThatHasPassedEndsTheLink() {
    let late: [UInt8] = [0x01, 0xFF, 0xFF, 0xFF, 0xFF, 0x1F, 99, 0]
    #expect(answer(late).actions == [.end(.instantPassed)])
    let early: [UInt8] = [0x01, 0xFF, 0xFF, 0xFF, 0xFF, 0x1F, 106, 0]
    #expect(
        answer(early).actions == [.schedule(.channelMap(LL.ChannelMapInd(channelMap: .all, instant: 106)))])
    // The counter wraps.
    var wrapping = asPeripheral
    wrapping.event = 0xFFFE
    #expect(answer([0x01, 0xFF, 0xFF, 0xFF, 0xFF, 0x1F, 4, 0], wrapping).actions.count == 1)
}

@Test func aCentralRejectsACollidingProcedure() {
    var central = asPeripheral
    central.role = .central
    let requested = LinkLayerProcedures.RequestedParameters(
        intervalMinimum: 24, intervalMaximum: 24, latency: 0, timeout: 100)
    // The peripheral asks for a PHY while an update of the parameters is under way.
    let different = answer([0x16, 2, 2], central) { procedures in
        var actions: [LinkLayerProcedures.Action] = []
        procedures.request(.update(requested), central, &actions)
    }
    #expect(different.sent == [[0x11, 0x16, 0x2A]])
    let same = answer([0x16, 2, 2], central) { procedures in
        var actions: [LinkLayerProcedures.Action] = []
        procedures.request(.phy(tx: .twoM, rx: .twoM), central, &actions)
    }
    #expect(same.sent == [[0x11, 0x16, 0x23]])
}

@Test func invalidParametersAreRejected() {
    // Interval 5.
    let request: [UInt8] = [0x0F, 5, 0, 5, 0, 0, 0, 100, 0, 0, 0, 0] + [UInt8](repeating: 0xFF, count: 12)
    #expect(answer(request).sent == [[0x11, 0x0F, 0x1E]])
    // An update to an interval of 0 is not followed.
    #expect(answer([0x00, 1, 0, 0, 0, 0, 0, 0, 100, 0, 110, 0]).actions.isEmpty)
}

@Test func arbitraryControlPDUsDoNotTrap() {
    var random = SeededRandom(seed: 11)
    let requested = LinkLayerProcedures.RequestedParameters(
        intervalMinimum: 24, intervalMaximum: 40, latency: 0, timeout: 100)
    let encryption = EncryptionProcedure.Request(
        longTermKey: LongTermKey(value: 1),
        pdu: LL.EncReq(
            randomNumber: 1, encryptedDiversifier: 2, part: LL.SessionPart(diversifier: 3, vector: 4)))
    for role in [HCI.Role.central, .peripheral] {
        var procedures = machine(role)
        var actions: [LinkLayerProcedures.Action] = []
        var context = asPeripheral
        context.role = role
        for _ in 0..<20_000 {
            var octets = [UInt8(random.next() % 0x1C)]
            octets += (0..<Int(random.next() % 26)).map { _ in
                UInt8(truncatingIfNeeded: random.next() >> (random.next() % 56))
            }
            context.event = UInt16(truncatingIfNeeded: random.next())
            procedures.receive(octets.span, context, &actions)
            switch random.next() % 10 {
            case 0: procedures.request(.phy(tx: .twoM, rx: .twoM), context, &actions)
            case 1: procedures.request(.length, context, &actions)
            case 2: procedures.changed(context, &actions)
            case 3: _ = procedures.answerParameters(.failure(.unacceptableConnectionParameters), context, &actions)
            case 4: _ = procedures.answerParameters(.success(requested), context, &actions)
            case 5: procedures.request(.update(requested), context, &actions)
            case 6 where role == .central: procedures.request(.encryption(encryption), context, &actions)
            case 6: procedures.answerEncryption(encryption.pdu.part, context, &actions)
            case 7: _ = procedures.provideKey(random.next() % 2 == 0 ? nil : encryption.longTermKey, context, &actions)
            default: while !procedures.outgoing.isEmpty { procedures.acknowledged(&actions) }
            }
            actions.removeAll()
        }
    }
}

@Test(arguments: [UInt64(1), 2, 3, 4])
func corruptedPDUsDoNotTrap(seed: UInt64) {
    let bench = Bench(seed: seed)
    let (central, peripheral, scanner) = (bench.addHost(), bench.addHost(), bench.addHost())
    var random = SeededRandom(seed: seed)
    bench.radio.tamper = { pdu in
        guard random.next() % 4 == 0 else { return }
        switch random.next() % 4 {
        case 0: pdu.removeLast(Int(random.next() % UInt64(pdu.count + 1)))
        case 1: pdu.append(UInt8(truncatingIfNeeded: random.next()))
        default:
            guard !pdu.isEmpty else { return }
            pdu[Int(random.next() % UInt64(pdu.count))] = UInt8(truncatingIfNeeded: random.next())
            if pdu.count > 2 && random.next() % 2 == 0 { pdu[2] = UInt8(random.next() % 0x1A) }
        }
    }
    scanner.scan(.active)
    for _ in 0..<40 {
        peripheral.advertise(interval: 0x20)
        central.connect(to: peripheral.address, interval: 6, timeout: 50)
        bench.run(for: .milliseconds(100))
        for connection in central.connections.suffix(1) {
            central.send(
                HCI.LESetPHY(connectionHandle: connection.connectionHandle, txPHYs: .le2M, rxPHYs: .le2M, options: 0))
            central.send(
                HCI.LESetDataLength(connectionHandle: connection.connectionHandle, txOctets: 251, txTime: 2120))
            central.send(HCI.LEReadRemoteFeatures(connectionHandle: connection.connectionHandle))
            central.send(raw: RawHost.packet([1, 2, 3], handle: connection.connectionHandle))
        }
        bench.run(for: .milliseconds(400))
        central.send(HCI.LECreateConnectionCancel())
        central.send(HCI.LESetAdvertisingEnable(enable: false))
    }
    #expect(!central.connections.isEmpty)
}
