import BLEWire
import Testing

@testable import BLEController

/// The Connection Parameters Request procedure between two controllers (Vol 6, Part B, 5.1.7), by the cases of the SIG's
/// test suite LL.TS.
struct ParameterRequestTests {
    private let bench = Bench()
    private let central: RawHost
    private let peripheral: RawHost
    private let link: (central: UInt16, peripheral: UInt16)
    private let air: ControlRecord

    init() throws {
        central = bench.addHost()
        peripheral = bench.addHost()
        air = ControlRecord(bench, central)
        link = try #require(bench.connect(central, peripheral, interval: 24))
        bench.run(for: .milliseconds(200))
        air.reset()
    }

    private func host(_ role: HCI.Role) -> RawHost { role == .central ? central : peripheral }
    private func handle(_ role: HCI.Role) -> UInt16 { role == .central ? link.central : link.peripheral }
    private func other(_ role: HCI.Role) -> HCI.Role { role == .central ? .peripheral : .central }

    private func ask(
        _ role: HCI.Role, interval: ClosedRange<UInt16> = 6...6, latency: UInt16 = 0, timeout: UInt16 = 300
    ) {
        host(role).send(
            HCI.LEConnectionUpdate(
                connectionHandle: handle(role), intervalMinimum: interval.lowerBound,
                intervalMaximum: interval.upperBound, maximumLatency: latency, supervisionTimeout: timeout))
    }

    private func refuse(_ role: HCI.Role, _ reason: HCI.ErrorCode) {
        host(role).send(
            HCI.LERemoteConnectionParameterRequestNegativeReply(connectionHandle: handle(role), reason: reason))
    }

    private func accept(_ role: HCI.Role, interval: UInt16 = 6, latency: UInt16 = 0, timeout: UInt16 = 300) {
        host(role).send(
            HCI.LERemoteConnectionParameterRequestReply(
                connectionHandle: handle(role), intervalMinimum: interval, intervalMaximum: interval,
                maximumLatency: latency, supervisionTimeout: timeout, minimumConnectionEventLength: 0,
                maximumConnectionEventLength: 0))
    }

    private func requests(_ role: HCI.Role) -> [HCI.LERemoteConnectionParameterRequest] {
        host(role).all(HCI.LERemoteConnectionParameterRequest.self)
    }

    private func updates(_ role: HCI.Role) -> [HCI.LEConnectionUpdateComplete] {
        host(role).all(HCI.LEConnectionUpdateComplete.self)
    }

    private var lives: Bool { bench.hosts.allSatisfy { $0.disconnections.isEmpty } }

    /// From 7.5 ms to 4 s and back, requested by either side and granted by the other's host.
    @Test(arguments: [HCI.Role.central, .peripheral]) func eachSideCanRequestParameters(asking: HCI.Role) {
        for (round, interval) in [UInt16(6), 3200, 6].enumerated() {
            air.reset()
            let timeout: UInt16 = interval == 6 ? 300 : 3200
            ask(asking, interval: interval...interval, timeout: timeout)
            #expect(bench.run(atMost: .seconds(60)) { requests(other(asking)).count == round + 1 })
            #expect(requests(other(asking)).last?.intervalMinimum == interval)
            #expect(requests(other(asking)).last?.supervisionTimeout == timeout)
            accept(other(asking), interval: interval, timeout: timeout)
            #expect(
                bench.run(atMost: .seconds(60)) {
                    updates(.central).count > round && updates(.peripheral).count > round
                })
            for role in [asking, other(asking)] {
                #expect(updates(role).last?.status == .success && updates(role).last?.interval == interval)
                #expect(updates(role).last?.supervisionTimeout == timeout)
            }
            #expect(
                air.control
                    == (asking == .central
                        ? ["C0F", "P10", "C00"] : ["P0F", "C00"]))
            bench.run(for: LL.slot * Int(interval) * 4)
        }
        #expect(requests(asking).isEmpty && lives)
    }

    /// The central's word with other numbers than before, and the peripheral follows.
    /// LL/CON/CEN/BV-07-C, LL/CON/PER/BV-10-C
    @Test func aPeripheralFollowsEachUpdateOfTheCentral() {
        peripheral.acceptsParameters = true
        for (round, (interval, latency, timeout)) in [
            (UInt16(64), UInt16(0), UInt16(3200)), (6, 4, 300), (3200, 0, 3200), (6, 0, 300),
        ].enumerated() {
            ask(.central, interval: interval...interval, latency: latency, timeout: timeout)
            #expect(
                bench.run(atMost: .seconds(60)) {
                    updates(.peripheral).count > round && updates(.central).count > round
                })
            for role in [HCI.Role.central, .peripheral] {
                let update = updates(role).last
                #expect(update?.status == .success && update?.interval == interval && update?.latency == latency)
                #expect(update?.supervisionTimeout == timeout)
            }
        }
        bench.run(for: .seconds(10))
        #expect(lives)
    }

    /// The host's reason goes to the asking side as it is.
    /// LL/CON/CEN/BV-25-C, LL/CON/PER/BV-25-C, LL/CON/CEN/BV-35-C, LL/CON/PER/BV-34-C
    @Test(
        arguments: [HCI.Role.central, .peripheral],
        [HCI.ErrorCode.unacceptableConnectionParameters, .commandDisallowed, .invalidLLParameters])
    func theReasonOfARejectionReachesTheRequestingHost(asking: HCI.Role, reason: HCI.ErrorCode) {
        ask(asking)
        #expect(bench.run(atMost: .seconds(5)) { !requests(other(asking)).isEmpty })
        refuse(other(asking), reason)
        #expect(bench.run(atMost: .seconds(5)) { !updates(asking).isEmpty })
        #expect(updates(asking).map(\.status) == [reason] && updates(asking).map(\.interval) == [24])
        #expect(air.rejections == [[0x11, 0x0F, reason.rawValue]])
        // Nothing changed, and the next request is processed.
        ask(asking)
        #expect(bench.run(atMost: .seconds(5)) { requests(other(asking)).count == 2 })
        accept(other(asking))
        #expect(bench.run(atMost: .seconds(5)) { updates(asking).count == 2 && !updates(other(asking)).isEmpty })
        #expect(updates(asking).last?.interval == 6)
        #expect(updates(other(asking)).map(\.interval) == [6] && lives)
    }

    @Test func aNegativeReplyNeedsAReason() {
        ask(.central)
        #expect(bench.run(atMost: .seconds(5)) { !requests(.peripheral).isEmpty })
        refuse(.peripheral, .success)
        bench.deliver()
        let opcode = HCI.Opcode.leRemoteConnectionParameterRequestNegativeReply
        #expect(peripheral.status(of: opcode) == .invalidHCICommandParameters)
        refuse(.peripheral, .unacceptableConnectionParameters)
        bench.deliver()
        #expect(peripheral.status(of: opcode) == .success)
    }

    /// While the peer's request waits for this host, the host cannot begin the same procedure.
    /// LL/CON/CEN/BV-26-C, LL/CON/PER/BV-26-C
    @Test(arguments: [HCI.Role.central, .peripheral])
    func noUpdateStartsDuringAPendingRequest(asking: HCI.Role) {
        ask(asking)
        #expect(bench.run(atMost: .seconds(5)) { !requests(other(asking)).isEmpty })
        ask(other(asking))
        bench.deliver()
        #expect(host(other(asking)).status(of: .leConnectionUpdate) == .commandDisallowed)
        accept(other(asking))
        #expect(bench.run(atMost: .seconds(5)) { !updates(.central).isEmpty && !updates(.peripheral).isEmpty })
        // Now it may.
        ask(other(asking), interval: 12...12)
        #expect(bench.run(atMost: .seconds(5)) { !requests(asking).isEmpty })
        accept(asking, interval: 12)
        #expect(bench.run(atMost: .seconds(5)) { updates(.central).count == 2 && updates(.peripheral).count == 2 })
        #expect(updates(.peripheral).last?.interval == 12 && lives)
    }

    /// Both sides request in the same event: the central rejects the peripheral's request, and its own continues (Vol
    /// 6, Part B, 5.3).
    @Test func theCentralsRequestWinsACollision() {
        peripheral.acceptsParameters = true
        ask(.central, interval: 16...16)
        ask(.peripheral, interval: 80...80)
        #expect(bench.run(atMost: .seconds(5)) { updates(.central).count == 1 && updates(.peripheral).count == 2 })
        #expect(air.rejections == [[0x11, 0x0F, 0x23]])
        #expect(updates(.peripheral).map(\.status) == [.llProcedureCollision, .success])
        #expect(updates(.central).map(\.interval) == [16] && updates(.peripheral).last?.interval == 16)
        #expect(requests(.central).isEmpty && lives)
    }

    /// A new channel map that is on its way and a request of the peripheral exclude each other (5.3).
    /// LL/CON/CEN/BV-27-C, LL/CON/PER/BV-27-C
    @Test func aRequestCollidesWithAChannelMapUpdate() {
        central.send(HCI.LESetHostChannelClassification(channelMap: HCI.ChannelMap(rawValue: 0x15_5555_5555)))
        ask(.peripheral)
        #expect(bench.run(atMost: .seconds(5)) { !updates(.peripheral).isEmpty })
        #expect(updates(.peripheral).map(\.status) == [.differentTransactionCollision])
        #expect(air.rejections == [[0x11, 0x0F, 0x2A]])
        bench.run(for: .seconds(1))
        ask(.peripheral)
        #expect(bench.run(atMost: .seconds(5)) { !requests(.central).isEmpty })
        refuse(.central, .differentTransactionCollision)
        #expect(bench.run(atMost: .seconds(5)) { updates(.peripheral).count == 2 })
        #expect(updates(.peripheral).last?.status == .differentTransactionCollision && lives)
    }

    /// The peripheral's host masks the event: its controller rejects the request, and the central updates the parameters alone.
    /// LL/CON/CEN/BV-29-C, LL/CON/PER/BV-33-C
    @Test(arguments: [true, false]) func theCentralUpdatesAPeerWithoutTheProcedure(isMasked: Bool) {
        if isMasked {
            peripheral.send(HCI.LESetEventMask(mask: HCI.LEEventMask(rawValue: 0xFFFFF & ~(1 << 5 | 1 << 9))))
            ask(.central)
        } else {
            ask(.central)
            #expect(bench.run(atMost: .seconds(5)) { !requests(.peripheral).isEmpty })
            refuse(.peripheral, .unsupportedRemoteFeature)
        }
        #expect(bench.run(atMost: .seconds(5)) { !updates(.peripheral).isEmpty && !updates(.central).isEmpty })
        #expect(air.control == ["C0F", "P11", "C00"] && air.rejections == [[0x11, 0x0F, 0x1A]])
        #expect(updates(.central).map(\.status) == [.success] && updates(.peripheral).map(\.interval) == [6])
        #expect(requests(.peripheral).count == (isMasked ? 0 : 1) && lives)
    }

    /// LL/CON/CEN/BV-34-C
    @Test func aMaskedEventRejectsTheRequest() {
        central.send(HCI.LESetEventMask(mask: HCI.LEEventMask(rawValue: 0xFFFFF & ~(1 << 5 | 1 << 9))))
        ask(.peripheral)
        #expect(bench.run(atMost: .seconds(5)) { !updates(.peripheral).isEmpty })
        #expect(updates(.peripheral).map(\.status) == [.unsupportedRemoteFeature] && requests(.central).isEmpty)
        #expect(air.rejections == [[0x11, 0x0F, 0x1A]] && lives)
    }

    @Test func thePeripheralsHostMayOfferOtherParameters() {
        ask(.central, interval: 6...40, latency: 3, timeout: 400)
        #expect(bench.run(atMost: .seconds(5)) { !requests(.peripheral).isEmpty })
        accept(.peripheral, interval: 32, latency: 1, timeout: 500)
        #expect(bench.run(atMost: .seconds(5)) { !updates(.central).isEmpty && !updates(.peripheral).isEmpty })
        for role in [HCI.Role.central, .peripheral] {
            #expect(updates(role).map(\.interval) == [32] && updates(role).map(\.latency) == [1])
            #expect(updates(role).map(\.supervisionTimeout) == [500])
        }
    }

    @Test func anUnansweredRequestEndsTheLink() {
        // 40 s without LL_CONNECTION_PARAM_RSP (5.2).
        ask(.central)
        bench.run(for: .seconds(39))
        #expect(lives)
        bench.run(for: .seconds(3))
        #expect(central.disconnections.map(\.reason) == [.llResponseTimeout])
    }
}

/// The machine alone, with peers that this controller would not be.
struct ParameterRequestMachineTests {
    private let context = LinkLayerProcedures.Context(
        role: .central, event: 100, latency: 0, interval: 24, hostDecidesParameters: true)
    private let requested = LinkLayerProcedures.RequestedParameters(
        intervalMinimum: 10, intervalMaximum: 20, latency: 0, timeout: 100)

    private func machine() -> LinkLayerProcedures {
        LinkLayerProcedures(
            role: .central,
            features: [.connectionParametersRequest, .extendedReject],
            version: LL.VersionInd(version: 13, company: 1, subversion: 2),
            dataLength: DataLength(tx: .minimum, rx: .minimum), phys: ([.oneM], [.oneM]))
    }

    private func update(_ interval: UInt16, latency: UInt16 = 0, timeout: UInt16 = 100) -> LinkLayerProcedures.Action {
        .schedule(
            .parameters(
                LL.ConnectionUpdateInd(
                    windowSize: 1, windowOffset: 0, interval: interval, latency: latency, timeout: timeout, instant: 106
                )
            ))
    }

    private func response(_ interval: ClosedRange<UInt16>) -> [UInt8] {
        let (low, high) = (interval.lowerBound, interval.upperBound)
        return [0x10, UInt8(low & 0xFF), UInt8(low >> 8), UInt8(high & 0xFF), UInt8(high >> 8), 0, 0, 100, 0, 0, 0, 0]
            + [UInt8](repeating: 0xFF, count: 12)
    }

    /// The central's reaction to the octets of a peer after its request.
    private func answer(_ octets: [UInt8]) -> (sent: [[UInt8]], actions: [LinkLayerProcedures.Action]) {
        var procedures = machine()
        var actions: [LinkLayerProcedures.Action] = []
        procedures.request(.update(requested), context, &actions)
        #expect(procedures.outgoing.map { $0[0] } == [0x0F] && actions.isEmpty && procedures.isWaiting)
        procedures.receive(octets.span, context, &actions)
        return (Array(procedures.outgoing.dropFirst()), actions)
    }

    @Test func anUnknownRspIsFollowedByAnUpdate() {
        for octets: [UInt8] in [[0x07, 0x0F], [0x11, 0x0F, 0x1A], [0x0D, 0x1A]] {
            let (sent, actions) = answer(octets)
            #expect(sent.map { $0[0] } == [0x00] && actions == [update(20)])
        }
        // The host receives any other reason.
        let (sent, actions) = answer([0x11, 0x0F, 0x20])
        #expect(sent.isEmpty && actions == [.reportUpdate(HCI.ErrorCode(rawValue: 0x20))])
    }

    @Test func aPeerWithoutTheFeatureGetsNoRequest() {
        var procedures = machine()
        var actions: [LinkLayerProcedures.Action] = []
        procedures.receive([0x0E, 0, 0, 0, 0, 0, 0, 0, 0].span, context, &actions)
        procedures.receive([0x09, 0, 0, 0, 0, 0, 0, 0, 0].span, context, &actions)
        while !procedures.outgoing.isEmpty { procedures.acknowledged(&actions) }
        procedures.request(.update(requested), context, &actions)
        #expect(procedures.outgoing.map { $0[0] } == [0x00] && actions == [update(20)])
    }

    @Test func theIntervalIsInBothRangesIfPossible() {
        #expect(answer(response(8...12)).actions == [update(12)])
        #expect(answer(response(14...16)).actions == [update(16)])
        #expect(answer(response(18...40)).actions == [update(20)])
        // Where they do not meet, the peripheral's counts.
        #expect(answer(response(40...60)).actions == [update(40)])
    }

    @Test func anInvalidResponseIsRejected() {
        let (sent, actions) = answer(response(2...4))
        #expect(sent == [[0x11, 0x10, 0x1E]] && actions == [.reportUpdate(.invalidLLParameters)])
    }

    @Test func anUnsolicitedParameterResponseIsIgnored() {
        var procedures = machine()
        var actions: [LinkLayerProcedures.Action] = []
        let octets = response(8...12)
        procedures.receive(octets.span, context, &actions)
        var peripheral = context
        peripheral.role = .peripheral
        procedures.receive(octets.span, peripheral, &actions)
        #expect(procedures.outgoing.isEmpty && actions.isEmpty)
    }

    /// The peripheral waits for the update that its answer announces, but no longer than the procedure may take.
    @Test func aPeripheralWaitsForTheUpdateAfterItsResponse() {
        var peripheral = context
        peripheral.role = .peripheral
        for end: [UInt8] in [
            [0x11, 0x10, 0x20], [0x0D, 0x20], [0x00, 1, 0, 0, 12, 0, 0, 0, 100, 0, 110, 0],
        ] {
            var procedures = machine()
            var actions: [LinkLayerProcedures.Action] = []
            let request = [0x0F] + response(8...12).dropFirst()
            procedures.receive(request.span, peripheral, &actions)
            #expect(procedures.hostIsAsked && !procedures.isWaiting)
            #expect(procedures.answerParameters(.success(requested), peripheral, &actions))
            #expect(procedures.outgoing.map { $0[0] } == [0x10] && procedures.isWaiting)
            // Its own request waits for the end of that procedure.
            procedures.request(.update(requested), peripheral, &actions)
            #expect(procedures.outgoing.count == 1)
            procedures.receive(end.span, peripheral, &actions)
            if end[0] == 0x00 { procedures.changed(peripheral, &actions) }
            #expect(procedures.outgoing.map { $0[0] } == [0x10, 0x0F])
        }
    }
}

/// The control PDUs of a bench's one link, in the order of their first transmission.
private final class ControlRecord {
    /// C or P for the sender, and the opcode.
    private(set) var control: [String] = []
    private(set) var rejections: [[UInt8]] = []

    init(_ bench: Bench, _ central: RawHost) {
        let identifier = central.identifier
        bench.radio.airObserver = { [unowned self] packet in
            guard packet.channel < 37, packet.pdu.count > 2, packet.pdu[0] & 3 == 3 else { return }
            let opcode = packet.pdu[2]
            let digits = String(opcode, radix: 16, uppercase: true)
            control.append((packet.sender == identifier ? "C" : "P") + (opcode < 16 ? "0" : "") + digits)
            if opcode == 0x11 { rejections.append([0x11, packet.pdu[3], packet.pdu[4]]) }
        }
    }

    func reset() {
        control.removeAll()
        rejections.removeAll()
    }
}
