import BLEWire
import Testing

@testable import BLEController

/// Control procedures of one end as tables: what goes on the air, in octets, and what the host receives (Vol 6, Part B, 2.4.2 and 5.1).
struct ProcedureTableTests {
    private let requested = LinkLayerProcedures.RequestedParameters(
        intervalMinimum: 0x0102, intervalMaximum: 0x0304, latency: 5, timeout: 0x0C80)

    private func context(_ role: HCI.Role, event: UInt16 = 0x1234) -> LinkLayerProcedures.Context {
        .init(role: role, event: event, latency: 0, interval: 24, hostDecidesParameters: true)
    }

    private func machine(
        _ role: HCI.Role, phys: (tx: LL.PHYSet, rx: LL.PHYSet) = ([.oneM, .twoM, .coded], [.oneM, .twoM, .coded])
    ) -> LinkLayerProcedures {
        LinkLayerProcedures(
            role: role,
            features: [
                .encryption, .connectionParametersRequest, .extendedReject, .dataPacketLengthExtension, .twoM, .coded,
            ],
            version: LL.VersionInd(version: 13, company: 0x0201, subversion: 0x0403),
            dataLength: DataLength(tx: .minimum, rx: .minimum), phys: phys)
    }

    /// What a machine sends and does upon a PDU.
    private func take(
        _ octets: [UInt8], _ procedures: inout LinkLayerProcedures, _ context: LinkLayerProcedures.Context
    ) -> (sent: [[UInt8]], actions: [LinkLayerProcedures.Action]) {
        var actions: [LinkLayerProcedures.Action] = []
        while !procedures.outgoing.isEmpty { procedures.acknowledged(&actions) }
        procedures.receive(octets.span, context, &actions)
        return (procedures.outgoing, actions)
    }

    // MARK: Octets

    /// Interval, latency and timeout, no preferred periodicity, the reference event, and six offsets that are not valid (2.4.2.16 and
    /// 2.4.2.17).
    @Test func theOctetsOfAParameterRequestAndItsResponse() {
        let none = [UInt8](repeating: 0xFF, count: 12)
        let values: [UInt8] = [0x02, 0x01, 0x04, 0x03, 5, 0, 0x80, 0x0C, 0]
        for role in [HCI.Role.central, .peripheral] {
            var procedures = machine(role)
            var actions: [LinkLayerProcedures.Action] = []
            procedures.request(.update(requested), context(role), &actions)
            #expect(procedures.outgoing == [[0x0F] + values + [0x34, 0x12] + none] && actions.isEmpty)
        }
        // The response has the reference of the request.
        var peripheral = machine(.peripheral)
        let request: [UInt8] = [0x0F, 24, 0, 40, 0, 0, 0, 200, 0, 3, 0x78, 0x56] + [UInt8](repeating: 1, count: 12)
        let asked = take(request, &peripheral, context(.peripheral))
        #expect(asked.sent.isEmpty)
        #expect(
            asked.actions
                == [.askHost(.init(intervalMinimum: 24, intervalMaximum: 40, latency: 0, timeout: 200))])
        var actions: [LinkLayerProcedures.Action] = []
        #expect(peripheral.answerParameters(.success(requested), context(.peripheral), &actions) == true)
        #expect(peripheral.outgoing == [[0x10] + values + [0x78, 0x56] + none] && actions.isEmpty)
        // The host is asked once.
        #expect(peripheral.answerParameters(.success(requested), context(.peripheral), &actions) == false)
        #expect(peripheral.outgoing.count == 1)
    }

    /// The update keeps the interval if the range has it, else takes the nearest one of the range.
    @Test func theUpdateTakesTheNearestInterval() {
        for (current, interval) in [
            (UInt16(6), UInt16(20)), (19, 20), (20, 20), (25, 25), (30, 30), (31, 30), (3200, 30),
        ] {
            var procedures = machine(.central)
            var context = context(.central)
            context.interval = current
            var actions: [LinkLayerProcedures.Action] = []
            procedures.request(
                .update(.init(intervalMinimum: 20, intervalMaximum: 30, latency: 1, timeout: 400)), context, &actions)
            // The peer does not know the procedure.
            let (sent, done) = take([0x07, 0x0F], &procedures, context)
            #expect(sent == [[0x00, 1, 0, 0, UInt8(interval), 0, 1, 0, 0x90, 1, 0x3A, 0x12]], "\(current)")
            #expect(done.count == 1)
        }
    }

    /// The update lies in the ranges of both sides if they meet, also in a single value.
    @Test(
        arguments: [
            (24, 10...20), (15, 10...20), (20, 10...20), (8, 10...20), (24, 30...40), (35, 30...40), (24, 25...40),
            (8, 6...20), (8, 6...19),
            (40, 21...29), (26, 21...29), (45, 31...50), (20, 20...20), (30, 30...30),
        ] as [(UInt16, ClosedRange<UInt16>)])
    func theUpdateLiesInBothRanges(current: UInt16, granted: ClosedRange<UInt16>) {
        let own: ClosedRange<UInt16> = 20...30
        var procedures = machine(.central)
        var context = context(.central)
        context.interval = current
        var actions: [LinkLayerProcedures.Action] = []
        procedures.request(
            .update(.init(intervalMinimum: 20, intervalMaximum: 30, latency: 0, timeout: 400)), context, &actions)
        let response =
            [0x10, UInt8(granted.lowerBound), 0, UInt8(granted.upperBound), 0, 0, 0, 0x90, 1, 0, 0, 0]
            + [UInt8](repeating: 0xFF, count: 12)
        let (sent, _) = take(response, &procedures, context)
        let interval = UInt16(sent.first?[4] ?? 0)
        #expect(sent.map { $0[0] } == [0x00] && granted.contains(interval))
        if own.overlaps(granted) { #expect(own.contains(interval)) }
        // The present interval stays if both ranges have it.
        if granted.contains(current), !own.overlaps(granted) || own.contains(current) { #expect(interval == current) }
    }

    @Test func theOctetsOfTheOtherRequests() {
        // Bits 0 to 2 and 5 are encryption, the parameters request, the extended reject and the data length; 8 is 2M, 11 is Coded.
        let features: [UInt8] = [0x27, 9, 0, 0, 0, 0, 0, 0]
        let map = LL.ChannelMap(rawValue: 0x1A_BCDE_F012)
        for (request, role, octets) in [
            (.features, .central, [0x08] + features), (.features, .peripheral, [0x0E] + features),
            (.version, .central, [0x0C, 13, 1, 2, 3, 4]), (.version, .peripheral, [0x0C, 13, 1, 2, 3, 4]),
            (.ping, .peripheral, [0x12]), (.phy(tx: [.oneM, .twoM], rx: .coded), .central, [0x16, 3, 4]),
            (.channelMap(map), .central, [0x01, 0x12, 0xF0, 0xDE, 0xBC, 0x1A, 0x3A, 0x12]),
        ] as [(LinkLayerProcedures.Request, HCI.Role, [UInt8])] {
            var procedures = machine(role)
            var actions: [LinkLayerProcedures.Action] = []
            procedures.request(request, context(role), &actions)
            #expect(procedures.outgoing == [octets], "\(request)")
        }
    }

    // MARK: Refusals

    private let requests: [(LinkLayerProcedures.Request, opcode: UInt8)] = [
        (.features, 0x08), (.version, 0x0C), (.ping, 0x12), (.length, 0x14), (.phy(tx: .twoM, rx: .twoM), 0x16),
    ]

    /// The peer does not know a request, or rejects it: the host receives the error where it waits for a result, and the next request
    /// begins.
    @Test(arguments: [HCI.Role.central, .peripheral]) func aRefusedRequestEnds(role: HCI.Role) {
        for (request, centrals) in requests {
            let opcode: UInt8 = centrals == 0x08 && role == .peripheral ? 0x0E : centrals
            for (answer, error) in [([0x07, opcode], 0x1A), ([0x11, opcode, 0x1E], 0x1E), ([0x0D, 0x20], 0x20)]
                as [([UInt8], UInt8)]
            {
                var procedures = machine(role)
                var actions: [LinkLayerProcedures.Action] = []
                for _ in 0..<2 {
                    procedures.request(request, context(role), &actions)
                    #expect(procedures.outgoing.map { $0[0] } == [opcode])
                    procedures.request(.ping, context(role), &actions)
                    #expect(procedures.isWaiting && actions.isEmpty)
                    // Answers about another request change nothing.
                    #expect(take([0x07, 0x0F], &procedures, context(role)).actions.isEmpty)
                    #expect(take([0x11, 0x0F, 0x1A], &procedures, context(role)).actions.isEmpty)
                    let (sent, done) = take(answer, &procedures, context(role))
                    let code = HCI.ErrorCode(rawValue: error)
                    switch request {
                    case .features: #expect(done == [.reportFeatures(code, [])])
                    case .version:
                        #expect(done == [.reportVersion(code, LL.VersionInd(version: 0, company: 0, subversion: 0))])
                    case .phy: #expect(done == [.reportPHY(code)])
                    default: #expect(done.isEmpty)
                    }
                    #expect(sent == [[0x12]])
                    _ = take([0x13], &procedures, context(role))
                    #expect(procedures.isIdle && !procedures.isWaiting)
                    // The version is sent once on a link, so a second request for it has nothing to send.
                    if request == .version { break }
                }
            }
        }
    }

    /// A PDU without an answer waits for the peer's features (5.1.13, 5.1.21): they are requested first, by this side or for the host, and a peer that
    /// lacks the feature, or does not tell, gets no such PDU.
    @Test(arguments: [HCI.Role.central, .peripheral]) func aPDUWithoutAnAnswerWaitsForTheFeatures(role: HCI.Role) {
        let reporting = LL.ChannelReportingInd(isOn: true, minimumSpacing: 5, maximumDelay: 10)
        let indication: [UInt8] = [0x28, 1, 5, 10]
        let opcode: UInt8 = role == .central ? 0x08 : 0x0E
        // Bit 39 is the classification of channels.
        let (with, without): ([UInt8], [UInt8]) = ([0x09, 0, 0, 0, 0, 0x80, 0, 0, 0], [0x09, 1, 0, 0, 0, 0, 0, 0, 0])
        for isAsked in [false, true] {
            for (answer, isTold) in [(with, true), (without, false), ([0x07, opcode], false)] {
                var procedures = machine(role)
                var actions: [LinkLayerProcedures.Action] = []
                if isAsked { procedures.request(.features, context(role), &actions) }
                procedures.request(.channelReporting(reporting), context(role), &actions)
                procedures.request(.ping, context(role), &actions)
                #expect(procedures.outgoing.map { $0[0] } == [opcode] && procedures.isWaiting && actions.isEmpty)
                let (sent, done) = take(answer, &procedures, context(role))
                let report: LinkLayerProcedures.Action =
                    answer[0] == 0x07
                    ? .reportFeatures(.unsupportedRemoteFeature, [])
                    : .reportFeatures(.success, isTold ? .channelClassification : .encryption)
                #expect(done == (isAsked ? [report] : []))
                #expect(sent == (isTold ? [indication, [0x12]] : [[0x12]]), "\(answer)")
                _ = take([0x13], &procedures, context(role))
                #expect(procedures.isIdle)
                // The second time, what is known decides; what is not known is requested again.
                procedures.request(.channelReporting(reporting), context(role), &actions)
                let isKnown = answer[0] == 0x09
                #expect(procedures.outgoing.map { $0[0] } == (isTold ? [0x28] : isKnown ? [] : [opcode]))
            }
        }
        // The host asks while the link does: it gets what the link learned.
        var procedures = machine(role)
        var actions: [LinkLayerProcedures.Action] = []
        procedures.request(.channelReporting(reporting), context(role), &actions)
        procedures.request(.features, context(role), &actions)
        let (sent, done) = take(with, &procedures, context(role))
        #expect(sent == [indication] && done == [.reportFeatures(.success, .channelClassification)])
    }

    /// Results that are known need no PDU (5.1.4 and 5.1.5).
    @Test func knownResultsAreReportedAtOnce() {
        var procedures = machine(.central)
        let features: [UInt8] = [1, 1, 0, 0, 0, 0, 0, 0]
        var actions: [LinkLayerProcedures.Action] = []
        procedures.request(.features, context(.central), &actions)
        let first = take([0x09] + features, &procedures, context(.central))
        #expect(first.actions == [.reportFeatures(.success, [.encryption, .twoM])])
        procedures.request(.version, context(.central), &actions)
        let version = LL.VersionInd(version: 9, company: 0x0102, subversion: 0x0304)
        let second = take([0x0C, 9, 2, 1, 4, 3], &procedures, context(.central))
        #expect(second.actions == [.reportVersion(.success, version)] && second.sent.isEmpty)
        for _ in 0..<2 {
            actions.removeAll()
            procedures.request(.features, context(.central), &actions)
            procedures.request(.version, context(.central), &actions)
            #expect(
                actions == [.reportFeatures(.success, [.encryption, .twoM]), .reportVersion(.success, version)])
            #expect(procedures.isIdle)
        }
        // Responses that nobody asked for are no results, but the newest features count.
        #expect(take([0x09, 0, 0, 0, 0, 0, 0, 0, 0], &procedures, context(.central)).actions.isEmpty)
        #expect(procedures.remoteFeatures == [])
        #expect(take([0x13], &procedures, context(.central)).actions.isEmpty)
        // The peer's features exclude the PHYs.
        actions.removeAll()
        procedures.request(.phy(tx: .twoM, rx: .twoM), context(.central), &actions)
        #expect(actions == [.reportPHY(.unsupportedRemoteFeature)] && procedures.isIdle)
        // And the other procedures that are features: the host receives an error where it waits for a result.
        for (request, report) in [
            (.length, nil), (.clockAccuracy, .reportAccuracy(.unsupportedRemoteFeature, 0)),
            (.subrate(SubrateLimits()), .reportSubrate(.unsupportedRemoteFeature)),
        ] as [(LinkLayerProcedures.Request, LinkLayerProcedures.Action?)] {
            actions.removeAll()
            procedures.request(request, context(.central), &actions)
            #expect(actions == (report.map { [$0] } ?? []) && procedures.isIdle, "\(request)")
        }
    }

    /// One of the two PHYs among the peer's features is enough for the procedure.
    @Test func aPeerWithOneMorePHYGetsARequest() {
        for (octet, isSent) in [(UInt8(1), true), (8, true), (9, true), (0, false), (6, false)] {
            var procedures = machine(.central)
            var actions: [LinkLayerProcedures.Action] = []
            _ = take([0x0E, 0, octet, 0, 0, 0, 0, 0, 0], &procedures, context(.central))
            procedures.acknowledged(&actions)
            procedures.request(.phy(tx: .coded, rx: .coded), context(.central), &actions)
            #expect(procedures.outgoing == (isSent ? [[0x16, 4, 4]] : []), "\(octet)")
            #expect(actions == (isSent ? [] : [.reportPHY(.unsupportedRemoteFeature)]), "\(octet)")
        }
    }

    /// A peer that does not know LL_REJECT_EXT_IND gets LL_REJECT_IND (2.4.2.18).
    @Test func theRejectionIsOneThatThePeerKnows() {
        let request: [UInt8] = [0x0F, 5, 0, 5, 0, 0, 0, 200, 0, 0, 0, 0] + [UInt8](repeating: 0xFF, count: 12)
        for (features, rejection) in [(nil, [0x11, 0x0F, 0x1E]), (4, [0x11, 0x0F, 0x1E]), (0, [0x0D, 0x1E])]
            as [(UInt8?, [UInt8])]
        {
            var procedures = machine(.peripheral)
            if let features {
                _ = take([0x08, features, 0, 0, 0, 0, 0, 0, 0], &procedures, context(.peripheral))
            }
            #expect(take(request, &procedures, context(.peripheral)).sent == [rejection])
        }
    }

    // MARK: PHYs

    /// The central takes for each direction the fastest PHY that the sender prefers for sending and the receiver for receiving; none if it
    /// is in use (5.1.10).
    @Test func theCentralTakesTheFastestCommonPHYs() {
        let sets: [LL.PHYSet] = (1...7).map { LL.PHYSet(rawValue: UInt8($0)) }
        func choice(_ one: LL.PHYSet, _ other: LL.PHYSet, _ present: LL.PHY) -> UInt8 {
            let common = one.rawValue & other.rawValue
            let fastest: UInt8 = common & 2 != 0 ? 2 : common & 1 != 0 ? 1 : common & 4
            let current: UInt8 = present == .oneM ? 1 : present == .twoM ? 2 : 4
            return fastest == current ? 0 : fastest
        }
        for own in sets {
            for peer in sets {
                for (tx, rx) in [(LL.PHY.oneM, LL.PHY.oneM), (.twoM, .oneM), (.codedS8, .twoM), (.codedS2, .codedS8)] {
                    // The own sets and the peer's differ by direction.
                    let (ownRx, peerRx) = (
                        LL.PHYSet(rawValue: 8 - own.rawValue), LL.PHYSet(rawValue: 8 - peer.rawValue)
                    )
                    var procedures = machine(.central, phys: (own, ownRx))
                    var context = context(.central)
                    (context.txPHY, context.rxPHY) = (tx, rx)
                    let (sent, actions) = take([0x16, peer.rawValue, peerRx.rawValue], &procedures, context)
                    let (down, up) = (choice(own, peerRx, tx), choice(ownRx, peer, rx))
                    #expect(sent == [[0x18, down, up, 0x3A, 0x12]])
                    // Without a change the procedure is over.
                    #expect(actions.count == (down | up == 0 ? 0 : 1))
                    #expect((procedures.remote == .none) == (down | up == 0))
                }
            }
        }
    }

    /// The sets of an update have at most one PHY, one of the peripheral's.
    @Test func aPeripheralTakesOnlyPHYsThatItHas() {
        for down: UInt8 in 0...8 {
            for up: UInt8 in 0...8 {
                var procedures = machine(.peripheral)
                let isValid = [0, 1, 2, 4].contains(down) && [0, 1, 2, 4].contains(up)
                let actions = take([0x18, down, up, 0x40, 0x12], &procedures, context(.peripheral)).actions
                let change = LL.PHYUpdateInd(
                    centralToPeripheral: .init(rawValue: down), peripheralToCentral: .init(rawValue: up),
                    instant: 0x1240)
                #expect(actions == (isValid && down | up != 0 ? [.schedule(.phy(change))] : []), "\(down) \(up)")
            }
        }
        var plain = LinkLayerProcedures(
            role: .peripheral, features: [], version: LL.VersionInd(version: 13, company: 1, subversion: 2),
            dataLength: DataLength(tx: .minimum, rx: .minimum), phys: (.oneM, .oneM))
        for set: UInt8 in [2, 4] {
            #expect(take([0x18, set, 0, 0x40, 0x12], &plain, context(.peripheral)).actions.isEmpty)
            #expect(take([0x18, 0, set, 0x40, 0x12], &plain, context(.peripheral)).actions.isEmpty)
        }
        #expect(take([0x18, 1, 1, 0x40, 0x12], &plain, context(.peripheral)).actions.count == 1)
    }

    // MARK: The end

    /// LL_TERMINATE_IND precedes all queued PDUs but one that may be on the air (5.1.6).
    @Test func terminationPrecedesEverything() {
        for isInFlight in [true, false] {
            for queued in 0...3 {
                var procedures = machine(.central)
                var actions: [LinkLayerProcedures.Action] = []
                for _ in 0..<queued { procedures.queue(LL.PingRsp()) }
                procedures.terminate(reason: .remoteUserTerminatedConnection, keepingFirst: isInFlight)
                let kept: [[UInt8]] = isInFlight && queued > 0 ? [[0x13]] : []
                #expect(procedures.outgoing == kept + [[0x02, 0x13]], "\(queued)")
                // Once only, and nothing else begins.
                procedures.terminate(reason: .remoteDeviceTerminatedConnectionDueToPowerOff, keepingFirst: false)
                procedures.request(.ping, context(.central), &actions)
                #expect(procedures.outgoing == kept + [[0x02, 0x13]] && actions.isEmpty)
                for _ in kept { procedures.acknowledged(&actions) }
                #expect(actions.isEmpty)
                procedures.acknowledged(&actions)
                #expect(actions == [.end(.connectionTerminatedByLocalHost)])
                procedures.acknowledged(&actions)
                #expect(actions.count == 1)
            }
        }
    }

    /// PDUs that only the other role receives are unknown (2.4.2).
    @Test func eachRoleKnowsItsPDUs() {
        let features = [UInt8](repeating: 0, count: 8)
        for (octets, receiver) in [
            ([0x00, 1, 0, 0, 24, 0, 0, 0, 200, 0, 0x40, 0x12], HCI.Role.peripheral),
            ([0x01, 0xFF, 0xFF, 0, 0, 0, 0x40, 0x12], .peripheral), ([0x18, 2, 2, 0x40, 0x12], .peripheral),
            ([0x08] + features, .peripheral), ([0x0E] + features, .central),
        ] as [([UInt8], HCI.Role)] {
            for role in [HCI.Role.central, .peripheral] {
                var procedures = machine(role)
                let (sent, actions) = take(octets, &procedures, context(role))
                #expect((sent == [[0x07, octets[0]]]) == (role != receiver), "\(octets)")
                if role != receiver { #expect(actions.isEmpty && procedures.isIdle == false) }
            }
        }
    }

    // MARK: Waiting

    /// Each PDU that needs an answer begins a new wait, whose procedure response timeout is its own (5.2).
    @Test func eachAwaitedAnswerBeginsAWait() {
        let cases: [(String, HCI.Role, begin: [UInt8], end: [UInt8])] = [
            (
                "parameters", .peripheral,
                [0x0F, 24, 0, 24, 0, 0, 0, 200, 0, 0, 0, 0] + [UInt8](repeating: 0xFF, count: 12), [0x0D, 0x20]
            ),
            ("PHYs", .peripheral, [0x16, 2, 2], [0x11, 0x17, 0x23]),
        ]
        for (name, role, begin, end) in cases {
            var procedures = machine(role)
            var actions: [LinkLayerProcedures.Action] = []
            for round in 0..<3 {
                let before = procedures.waits
                _ = take(begin, &procedures, context(role))
                if name == "parameters" {
                    // The host takes its time, which counts for nobody.
                    #expect(procedures.waits == before && !procedures.isWaiting)
                    #expect(procedures.answerParameters(.success(requested), context(role), &actions) == true)
                }
                #expect(procedures.waits != before && procedures.isWaiting, "\(name), round \(round)")
                _ = take(end, &procedures, context(role))
                #expect(!procedures.isWaiting && procedures.isIdle, "\(name), round \(round)")
            }
        }
        for (request, _) in requests {
            var procedures = machine(.central)
            var actions: [LinkLayerProcedures.Action] = []
            let before = procedures.waits
            procedures.request(request, context(.central), &actions)
            #expect(procedures.waits != before && procedures.isWaiting)
        }
    }
}
