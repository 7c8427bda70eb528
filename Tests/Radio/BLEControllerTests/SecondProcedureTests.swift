import BLEWire
import Testing

@testable import BLEController

/// Procedures that meet, and the second procedure of a link (Vol 6, Part B, 5.2 and 5.3).
struct SecondProcedureTests {
    private let requested = LinkLayerProcedures.RequestedParameters(
        intervalMinimum: 10, intervalMaximum: 20, latency: 0, timeout: 100)

    private func context(_ role: HCI.Role, event: UInt16 = 100) -> LinkLayerProcedures.Context {
        LinkLayerProcedures.Context(role: role, event: event, latency: 0, interval: 24, hostDecidesParameters: true)
    }

    private func machine(_ role: HCI.Role) -> LinkLayerProcedures {
        LinkLayerProcedures(
            role: role, features: [.connectionParametersRequest, .extendedReject, .twoM, .encryption],
            version: LL.VersionInd(version: 13, company: 1, subversion: 2),
            dataLength: DataLength(tx: .minimum, rx: .minimum), phys: ([.oneM, .twoM], [.oneM, .twoM]))
    }

    private static let parameterRequest: [UInt8] =
        [0x0F, 10, 0, 20, 0, 0, 0, 100, 0, 0, 0, 0] + [UInt8](repeating: 0xFF, count: 12)
    private static let parameterResponse: [UInt8] = [0x10] + parameterRequest.dropFirst()
    private static let phyRequest: [UInt8] = [0x16, 2, 2]
    private static let phyResponse: [UInt8] = [0x17, 2, 2]
    private static let map: LinkLayerProcedures.Request = .channelMap(LL.ChannelMap(rawValue: 0xFFFF))

    /// The central has a change under way, up to its instant: it rejects both procedures of the peripheral that have an instant, with
    /// Different Transaction Collision, or with LL Procedure Collision for the procedure that it has begun itself.
    @Test(arguments: [
        "map", "update", "phy", "parameters sent", "phy sent", "host asked", "peer's update", "peer's phy",
    ])
    func theCentralRejectsAProcedureDuringAChange(state: String) {
        var procedures = machine(.central)
        var actions: [LinkLayerProcedures.Action] = []
        let context = context(.central)
        var same: UInt8?
        switch state {
        case "map": procedures.request(Self.map, context, &actions)
        case "update":
            procedures.request(.update(requested), context, &actions)
            procedures.receive(Self.parameterResponse.span, context, &actions)
        case "phy":
            procedures.request(.phy(tx: .twoM, rx: .twoM), context, &actions)
            procedures.receive(Self.phyResponse.span, context, &actions)
        case "parameters sent":
            procedures.request(.update(requested), context, &actions)
            same = 0x0F
        case "phy sent":
            procedures.request(.phy(tx: .twoM, rx: .twoM), context, &actions)
            same = 0x16
        case "host asked": procedures.receive(Self.parameterRequest.span, context, &actions)
        case "peer's update":
            procedures.receive(Self.parameterRequest.span, context, &actions)
            #expect(procedures.answerParameters(.success(requested), context, &actions))
        default: procedures.receive(Self.phyRequest.span, context, &actions)
        }
        while !procedures.outgoing.isEmpty { procedures.acknowledged(&actions) }
        actions.removeAll()
        for request in [Self.parameterRequest, Self.phyRequest] {
            procedures.receive(request.span, context, &actions)
            let error: UInt8 = request[0] == same ? 0x23 : 0x2A
            #expect(procedures.outgoing == [[0x11, request[0], error]] && actions.isEmpty)
            procedures.acknowledged(&actions)
        }
    }

    /// After the instant the peripheral's next request is served, and the host's requests that waited begin.
    @Test func theInstantEndsTheWait() {
        var procedures = machine(.central)
        var actions: [LinkLayerProcedures.Action] = []
        let context = context(.central)
        for round in 0..<3 {
            procedures.request(Self.map, context, &actions)
            procedures.request(.phy(tx: .twoM, rx: .twoM), context, &actions)
            procedures.request(.update(requested), context, &actions)
            #expect(procedures.outgoing.map { $0[0] } == [0x01], "round \(round)")
            procedures.acknowledged(&actions)
            procedures.changed(context, &actions)
            #expect(procedures.outgoing.map { $0[0] } == [0x16], "round \(round)")
            procedures.acknowledged(&actions)
            procedures.receive(Self.phyResponse.span, context, &actions)
            #expect(procedures.outgoing.map { $0[0] } == [0x18], "round \(round)")
            procedures.acknowledged(&actions)
            procedures.changed(context, &actions)
            #expect(procedures.outgoing.map { $0[0] } == [0x0F], "round \(round)")
            procedures.acknowledged(&actions)
            procedures.receive([0x11, 0x0F, 0x20].span, context, &actions)
            #expect(procedures.isIdle, "round \(round)")
            // The peripheral's turn.
            procedures.receive(Self.phyRequest.span, context, &actions)
            #expect(procedures.outgoing.map { $0[0] } == [0x18], "round \(round)")
            procedures.acknowledged(&actions)
            procedures.changed(context, &actions)
            #expect(procedures.isIdle, "round \(round)")
        }
    }

    /// A central that breaks the rule and sends a second change before the instant of the first one.
    @Test(arguments: [true, false]) func aPeripheralIgnoresASecondChangeBeforeTheInstant(isOwn: Bool) {
        var procedures = machine(.peripheral)
        var actions: [LinkLayerProcedures.Action] = []
        let context = context(.peripheral)
        if isOwn { procedures.request(.update(requested), context, &actions) }
        let update: [UInt8] = [0x00, 1, 0, 0, 12, 0, 0, 0, 100, 0, 110, 0]
        procedures.receive(update.span, context, &actions)
        #expect(actions.count == 1)
        for second: [UInt8] in [
            [0x00, 1, 0, 0, 40, 0, 0, 0, 200, 0, 108, 0], [0x01, 0xFF, 0, 0, 0, 0, 108, 0], [0x18, 2, 2, 108, 0],
        ] {
            procedures.receive(second.span, context, &actions)
            #expect(actions.count == 1, "\(second)")
        }
        procedures.changed(context, &actions)
        procedures.receive([0x01, 0xFF, 0, 0, 0, 0, 120, 0].span, context, &actions)
        #expect(actions.count == 2)
    }

    /// Each end of the peer's procedure lets the host's request begin that waited for it.
    @Test(
        arguments: [
            [0x18, 0, 0, 0, 0], [0x18, 2, 2, 110, 0], [0x11, 0x17, 0x23],
        ] as [[UInt8]])
    func aPeripheralsRequestFollowsThePeersPHYUpdate(end: [UInt8]) {
        for round in 0..<2 {
            var procedures = machine(.peripheral)
            var actions: [LinkLayerProcedures.Action] = []
            let context = context(.peripheral)
            for _ in 0...round {
                procedures.receive(Self.phyRequest.span, context, &actions)
                #expect(procedures.outgoing.map { $0[0] } == [0x17] && procedures.isWaiting)
                procedures.acknowledged(&actions)
                procedures.request(.update(requested), context, &actions)
                #expect(procedures.outgoing.isEmpty)
                procedures.receive(end.span, context, &actions)
                if end[0] == 0x18, end[1] != 0 { procedures.changed(context, &actions) }
                #expect(procedures.outgoing.map { $0[0] } == [0x0F], "round \(round)")
                procedures.acknowledged(&actions)
                procedures.receive([0x11, 0x0F, 0x20].span, context, &actions)
                #expect(procedures.isIdle, "round \(round)")
            }
        }
    }

    /// A peripheral's own PHY request that collides with the central's one ends with the one update.
    @Test(arguments: [[0x18, 0, 0, 0, 0], [0x18, 2, 2, 110, 0]] as [[UInt8]])
    func collidingPHYRequestsEndTogether(end: [UInt8]) {
        var procedures = machine(.peripheral)
        var actions: [LinkLayerProcedures.Action] = []
        let context = context(.peripheral)
        procedures.request(.phy(tx: .twoM, rx: .twoM), context, &actions)
        procedures.receive(Self.phyRequest.span, context, &actions)
        while !procedures.outgoing.isEmpty { procedures.acknowledged(&actions) }
        procedures.receive(end.span, context, &actions)
        if end[1] != 0 { procedures.changed(context, &actions) }
        #expect(procedures.isIdle && !procedures.isWaiting)
    }

    /// The procedure response timeout of 40 s begins with each procedure (5.2).
    @Test(arguments: [HCI.Role.central, .peripheral]) func eachProcedureHasItsOwnTimeout(asking: HCI.Role) throws {
        let bench = Bench()
        let (central, peripheral) = (bench.addHost(), bench.addHost())
        let link = try #require(bench.connect(central, peripheral))
        bench.run(for: .milliseconds(300))
        let isCentral = asking == .central
        let (host, handle) = isCentral ? (central, link.central) : (peripheral, link.peripheral)
        let (other, otherHandle) = isCentral ? (peripheral, link.peripheral) : (central, link.central)
        func ask() {
            host.send(
                HCI.LEConnectionUpdate(
                    connectionHandle: handle, intervalMinimum: 24, intervalMaximum: 24, maximumLatency: 0,
                    supervisionTimeout: 100))
        }
        for round in 1...3 {
            ask()
            bench.run(for: .seconds(30))
            #expect(other.all(HCI.LERemoteConnectionParameterRequest.self).count == round)
            #expect(host.disconnections.isEmpty)
            other.send(
                HCI.LERemoteConnectionParameterRequestNegativeReply(
                    connectionHandle: otherHandle, reason: .unacceptableConnectionParameters))
            bench.run(for: .seconds(1))
            #expect(host.all(HCI.LEConnectionUpdateComplete.self).count == round)
        }
        // The one without an answer ends the link, 40 s after its own start.
        ask()
        bench.run(for: .milliseconds(39_900))
        #expect(host.disconnections.isEmpty)
        bench.run(for: .milliseconds(200))
        #expect(host.disconnections.map(\.reason) == [.llResponseTimeout])
    }

    /// A controller with two links: what the host says about one of them changes that one.
    @Test(arguments: 0..<6) func anAnswerConcernsItsOwnLink(phase: Int) throws {
        let bench = Bench()
        let (central, first, second) = (bench.addHost(), bench.addHost(), bench.addHost())
        let one = try #require(bench.connect(central, first, interval: 24))
        let two = try #require(bench.connect(central, second, interval: 24))
        bench.run(for: .milliseconds(300))
        func intervals(_ host: RawHost) -> [UInt16] { host.all(HCI.LEConnectionUpdateComplete.self).map(\.interval) }
        for (number, (peripheral, handle, other)) in [(first, one, second), (second, two, first)].enumerated() {
            let interval = UInt16(30 + number)
            let before = intervals(other)
            peripheral.send(
                HCI.LEConnectionUpdate(
                    connectionHandle: handle.peripheral, intervalMinimum: interval, intervalMaximum: interval,
                    maximumLatency: 0, supervisionTimeout: 400))
            bench.run(for: .milliseconds(200 + 5 * phase))
            #expect(central.all(HCI.LERemoteConnectionParameterRequest.self).last?.connectionHandle == handle.central)
            central.send(
                HCI.LERemoteConnectionParameterRequestReply(
                    connectionHandle: handle.central, intervalMinimum: interval, intervalMaximum: interval,
                    maximumLatency: 0, supervisionTimeout: 400, minimumConnectionEventLength: 0,
                    maximumConnectionEventLength: 0))
            bench.run(for: .seconds(1))
            #expect(intervals(peripheral).last == interval && intervals(other) == before)
            // A refused request is the other's as little.
            peripheral.send(
                HCI.LEConnectionUpdate(
                    connectionHandle: handle.peripheral, intervalMinimum: 80, intervalMaximum: 80, maximumLatency: 0,
                    supervisionTimeout: 400))
            bench.run(for: .milliseconds(200 + 5 * phase))
            central.send(
                HCI.LERemoteConnectionParameterRequestNegativeReply(
                    connectionHandle: handle.central, reason: .unacceptableConnectionParameters))
            bench.run(for: .seconds(1))
            #expect(
                peripheral.all(HCI.LEConnectionUpdateComplete.self).map(\.status)
                    == [.success, .unacceptableConnectionParameters])
        }
        #expect(bench.radio.links(of: central.identifier).map(\.interval) == [30, 31])
        #expect(bench.hosts.allSatisfy { $0.disconnections.isEmpty })
    }
}
