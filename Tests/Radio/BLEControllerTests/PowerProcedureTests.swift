import BLEWire
import Testing

@testable import BLEController

/// Power control of one end as tables: what goes on the air, in octets, and what the host learns (Vol 6, Part B, 5.1.17 and 5.1.18).
struct PowerProcedureTests {
    private let context = LinkLayerProcedures.Context(
        role: .peripheral, event: 10, latency: 0, interval: 24, hostDecidesParameters: true, rssi: -50)

    /// A peripheral with powers from -20 to 8 dBm, which sends with 8 dBm.
    private func machine(
        features: LL.FeatureSet = [.extendedReject, .twoM, .powerControl], reports: LinkPower.Reports = [],
        preferred: ClosedRange<Int8>? = nil
    ) -> LinkLayerProcedures {
        var procedures = LinkLayerProcedures(
            role: .peripheral, features: features, version: LL.VersionInd(version: 13, company: 0, subversion: 0),
            dataLength: DataLength(tx: .minimum, rx: .minimum), phys: (.oneM, .oneM),
            power: LinkPower(range: -20...8, preferred: preferred))
        procedures.power.reports = reports
        return procedures
    }

    private func take(
        _ octets: [UInt8], _ procedures: inout LinkLayerProcedures, rssi: Int8 = -50
    ) -> (sent: [[UInt8]], actions: [LinkLayerProcedures.Action]) {
        var context = context
        context.rssi = rssi
        var actions: [LinkLayerProcedures.Action] = []
        while !procedures.outgoing.isEmpty { procedures.acknowledged(&actions) }
        procedures.receive(octets.span, context, &actions)
        return (procedures.outgoing, actions)
    }

    private func report(
        _ reason: HCI.TransmitPowerReason, _ power: Int8, _ limits: LL.PowerLimits = [], delta: Int8,
        phy: LL.PHY = .oneM, status: HCI.ErrorCode = .success
    ) -> LinkLayerProcedures.Action {
        .reportPower(
            PowerReport(
                status: status, reason: reason, phy: phy, level: LinkPower.Level(power: power, limits: limits),
                delta: delta))
    }

    // MARK: The peer's requests

    /// The power changes by the request, to the nearest power at the ends of the range, and each PHY has its own.
    @Test func requestsChangeThePowerWithinTheRange() {
        var procedures = machine()
        for (request, answer) in [
            ([0x23, 1, 0xF6, 0], [0x24, 0, 0xF6, 0xFE, 30]), ([0x23, 1, 0xF6, 0], [0x24, 0, 0xF6, 0xF4, 30]),
            ([0x23, 1, 0xF6, 0], [0x24, 1, 0xF8, 0xEC, 30]), ([0x23, 1, 0xF6, 0], [0x24, 1, 0, 0xEC, 30]),
            ([0x23, 1, 127, 0], [0x24, 2, 28, 8, 30]), ([0x23, 1, 127, 0], [0x24, 2, 0, 8, 30]),
            ([0x23, 1, 0x80, 0], [0x24, 1, 0xE4, 0xEC, 30]),
            // The received power says nothing about a PHY that is not in use.
            ([0x23, 2, 0xFF, 0], [0x24, 0, 0xFF, 7, 0xFF]), ([0x23, 2, 0, 127], [0x24, 0, 0, 7, 0xFF]),
            ([0x23, 1, 0, 0], [0x24, 1, 0, 0xEC, 30]),
        ] as [([UInt8], [UInt8])] {
            let (sent, actions) = take(request, &procedures)
            #expect(sent == [answer] && actions.isEmpty, "\(request)")
        }
        #expect(procedures.isIdle == false && procedures.power.power(on: .twoM) == 7)
        #expect(procedures.power.power(on: .codedS8) == 8)
    }

    /// The reduction ends at the least received power that is acceptable (5.1.17.1).
    @Test func theAcceptableReductionFollowsFromTheReceivedPower() {
        for (rssi, reduction) in [(-50, 30), (-79, 1), (-80, 0), (-100, 0), (20, 100), (127, 0xFF)] as [(Int8, UInt8)] {
            var procedures = machine()
            #expect(take([0x23, 1, 0, 0], &procedures, rssi: rssi).sent.map { $0[4] } == [reduction], "\(rssi)")
        }
        for (rssi, reduction) in [(-45, 15), (-60, 0), (-70, 0)] as [(Int8, UInt8)] {
            var procedures = machine(preferred: -60 ... -50)
            #expect(take([0x23, 1, 0, 0], &procedures, rssi: rssi).sent.map { $0[4] } == [reduction], "\(rssi)")
        }
    }

    /// No PHY, several, a reserved one, one that the controller does not have; and a power that a request must not have.
    @Test func wrongRequestsAreRejected() {
        for phys in [0, 3, 4, 8, 0x0F, 0x10, 0x11, 0x80, 0xFF] as [UInt8] {
            var procedures = machine()
            let (sent, actions) = take([0x23, phys, 5, 0], &procedures)
            #expect(sent == [[0x11, 0x23, 0x20]] && actions.isEmpty, "\(phys)")
        }
        var procedures = machine()
        #expect(take([0x23, 1, 0xFB, 126], &procedures).sent == [[0x11, 0x23, 0x1E]])
        #expect(procedures.power.power(on: .oneM) == 8 && !procedures.power.isPeerInterested)
        // Wrong lengths, and a controller without the feature.
        for octets in [[0x23], [0x23, 1, 0], [0x23, 1, 0, 0, 0], [0x25, 1, 0, 0], [0x25, 1, 0, 0, 0, 0]] as [[UInt8]] {
            #expect(take(octets, &procedures).sent == [[0x07, octets[0]]], "\(octets)")
        }
        var old = machine(features: [.extendedReject])
        #expect(take([0x23, 1, 0, 0], &old).sent == [[0x07, 0x23]])
        #expect(take([0x25, 1, 0, 0, 0], &old).sent == [[0x07, 0x25]])
    }

    /// A host that wants reports of this side gets one for each change, and none without a change.
    @Test func ownChangesAreReportedWhereEnabled() {
        var procedures = machine(reports: .local)
        #expect(take([0x23, 1, 0xF6, 0], &procedures).actions == [report(.localChanged, -2, delta: -10)])
        #expect(take([0x23, 1, 0xEC, 0], &procedures).actions == [report(.localChanged, -20, .minimum, delta: -18)])
        #expect(take([0x23, 1, 0xF6, 0], &procedures).actions.isEmpty)
        procedures.power.reports = .remote
        #expect(take([0x23, 1, 10, 0], &procedures).actions.isEmpty)
    }

    // MARK: The peer's power

    @Test func changesOfThePeerAreReportedWhereEnabled() {
        var procedures = machine(reports: .remote)
        // The first power is news; its change is not known.
        #expect(take([0x23, 1, 0, 4], &procedures).actions == [report(.remoteChanged, 4, delta: 127)])
        #expect(take([0x23, 1, 0, 4], &procedures).actions.isEmpty)
        #expect(take([0x25, 1, 2, 6, 10], &procedures).actions == [report(.remoteChanged, 10, .maximum, delta: 6)])
        #expect(take([0x25, 1, 2, 6, 10], &procedures).actions.isEmpty)
        // Two PHYs at once; the others are not supported or reserved (5.1.18).
        let both = [report(.remoteChanged, 0, delta: -10), report(.remoteChanged, 0, delta: 127, phy: .twoM)]
        #expect(take([0x25, 0xFF, 0, 0xF6, 0], &procedures).actions == both)
        for phys in [0, 4, 0xF0] as [UInt8] {
            let (sent, actions) = take([0x25, phys, 0, 1, 1], &procedures)
            #expect(sent.isEmpty && actions.isEmpty)
        }
        // It stops managing the power, and then sends nonsense.
        #expect(take([0x25, 1, 3, 0, 126], &procedures).actions == [report(.remoteChanged, 126, delta: 127)])
        for power in [21, 100, 125, 0x80] as [UInt8] {
            _ = take([0x25, 1, 3, 0, power], &procedures)
            #expect(procedures.power.peerLevel(on: .oneM) == LinkPower.Level(power: 127), "\(power)")
        }
        procedures.power.reports = .local
        #expect(take([0x25, 1, 0, 0, 0], &procedures).actions.isEmpty)
        #expect(procedures.power.pathLoss(rssi: -60, on: .oneM) == 60)
    }

    @Test func theHostReadsThePowerAgainAndAgain() {
        var procedures = machine()
        let request = PowerRequest(phy: .oneM, purpose: .read)
        for (answer, expected) in [
            ([0x24, 2, 0, 20, 5], report(.remoteRead, 20, .maximum, delta: 0)),
            ([0x24, 0, 0xFB, 15, 5], report(.remoteRead, 15, delta: -5)),
            ([0x24, 3, 9, 126, 9], report(.remoteRead, 126, delta: 127)),
            ([0x24, 3, 9, 100, 9], report(.remoteRead, 127, delta: 127)),
            ([0x11, 0x23, 0x3A], report(.remoteRead, 127, delta: 127, status: .controllerBusy)),
            ([0x07, 0x23], report(.remoteRead, 127, delta: 127, status: .unsupportedRemoteFeature)),
        ] as [([UInt8], LinkLayerProcedures.Action)] {
            var actions: [LinkLayerProcedures.Action] = []
            procedures.request(.powerControl(request), context, &actions)
            #expect(procedures.outgoing == [[0x23, 1, 0, 8]] && procedures.isWaiting && actions.isEmpty)
            #expect(procedures.hasWaiting(.powerControl(request)) == false)
            #expect(take(answer, &procedures).actions == [expected], "\(answer)")
            #expect(!procedures.isWaiting)
            // It comes late, and changes nothing.
            #expect(take([0x24, 0, 0, 3, 0], &procedures).actions.isEmpty)
            procedures.acknowledgeAll()
        }
    }

    /// The feature is known to be missing: nothing goes on the air.
    @Test func aPeerWithoutTheFeatureIsNotAsked() {
        var procedures = machine()
        _ = take([0x08, 1, 0, 0, 0, 0, 0, 0, 0], &procedures)
        procedures.acknowledgeAll()
        var actions: [LinkLayerProcedures.Action] = []
        for _ in 0..<2 {
            procedures.request(.powerControl(PowerRequest(phy: .twoM, purpose: .read)), context, &actions)
        }
        let refused = report(.remoteRead, 127, delta: 127, phy: .twoM, status: .unsupportedRemoteFeature)
        #expect(actions == [refused, refused] && procedures.outgoing.isEmpty && procedures.isIdle)
        // The controller's own requests end without a word, and are not repeated.
        procedures.request(.powerControl(PowerRequest(phy: .oneM, purpose: .own)), context, &actions)
        #expect(actions.count == 2 && procedures.power.isRefused && !procedures.power.mayAsk(on: .oneM))
    }

    /// Both sides ask at the same time: both answers come, without a reduction (5.1.17).
    @Test func requestsCross() {
        var procedures = machine()
        var actions: [LinkLayerProcedures.Action] = []
        procedures.request(.powerControl(PowerRequest(phy: .oneM, delta: 5, purpose: .own)), context, &actions)
        #expect(procedures.outgoing == [[0x23, 1, 5, 8]])
        #expect(take([0x23, 1, 0xFB, 0], &procedures).sent == [[0x24, 0, 0xFB, 3, 0xFF]])
        #expect(take([0x24, 0, 5, 5, 9], &procedures).actions.isEmpty)
        #expect(procedures.power.peerLevel(on: .oneM).power == 5)
        procedures.acknowledgeAll()
        #expect(procedures.isIdle)
        // A queued request counts as well.
        procedures.request(.ping, context, &actions)
        procedures.request(.powerControl(PowerRequest(phy: .oneM, purpose: .own)), context, &actions)
        #expect(take([0x23, 1, 0, 0], &procedures).sent == [[0x24, 0, 0, 3, 0xFF]])
        #expect(take([0x13], &procedures).sent == [[0x23, 1, 0, 3]])
        _ = take([0x24, 0, 0, 5, 9], &procedures)
        #expect(take([0x23, 1, 0, 0], &procedures).sent == [[0x24, 0, 0, 3, 30]])
    }

    // MARK: Changes by this side

    /// A peer learns a change if it has made a request before (5.1.18).
    @Test func theInterestedPeerLearnsEachChange() {
        var procedures = machine()
        var actions: [LinkLayerProcedures.Action] = []
        procedures.changePower(to: 0, on: .oneM, &actions)
        #expect(procedures.outgoing.isEmpty && procedures.power.power(on: .oneM) == 0)
        _ = take([0x23, 2, 0, 0], &procedures)
        procedures.acknowledgeAll()
        for (power, octets) in [
            (-10, [0x25, 1, 0, 0xF6, 0xF6]), (-128, [0x25, 1, 1, 0xF6, 0xEC]), (127, [0x25, 1, 2, 28, 8]),
        ] as [(Int8, [UInt8])] {
            for _ in 0..<2 { procedures.changePower(to: power, on: .oneM, &actions) }
            #expect(procedures.outgoing == [octets], "\(power)")
            procedures.acknowledgeAll()
        }
        #expect(actions.isEmpty)
        procedures.power.reports = .local
        procedures.changePower(to: 1, on: .twoM, &actions)
        #expect(actions == [report(.localChanged, 1, delta: -7, phy: .twoM)])
    }

    /// The wanted change leads to the middle of the range, and a peer at its limit is left alone.
    @Test func aPreferredRangeAsksForTheMiddle() {
        var power = LinkPower(range: -20...8, preferred: -60 ... -50)
        for (rssi, change) in [(-60, nil), (-50, nil), (-49, -6), (-61, 6), (20, -75), (-127, 72), (127, nil)]
            as [(Int8, Int8?)]
        {
            #expect(power.wantedChange(rssi: rssi, on: .oneM) == change, "\(rssi)")
        }
        _ = power.learn(8, .maximum, on: .oneM)
        #expect(power.wantedChange(rssi: -90, on: .oneM) == nil && power.wantedChange(rssi: -40, on: .oneM) == -15)
        _ = power.learn(-20, .minimum, on: .oneM)
        #expect(power.wantedChange(rssi: -90, on: .oneM) == 35 && power.wantedChange(rssi: -40, on: .oneM) == nil)
        #expect(power.wantedChange(rssi: -40, on: .twoM) == -15)
        power.isRefused = true
        #expect(power.wantedChange(rssi: -90, on: .oneM) == nil)
        #expect(LinkPower(range: 0...0).wantedChange(rssi: -90, on: .oneM) == nil)
    }
}

extension LinkLayerProcedures {
    fileprivate mutating func acknowledgeAll() {
        var actions: [Action] = []
        while !outgoing.isEmpty { acknowledged(&actions) }
    }
}
