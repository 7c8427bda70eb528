import BLEWire
import Testing

@testable import BLEController

/// Instants are counted modulo 65,536, and the latency of the peripheral counts (Vol 6, Part B, 5.1.1, 5.1.2, 5.1.10 and 5.5.1).
struct InstantArithmeticTests {
    enum Kind: CaseIterable { case parameters, channelMap, phy }

    private static let events: [UInt16] = [0, 1, 32_766, 32_767, 32_768, 65_524, 65_530, 65_535]

    private func context(
        _ role: HCI.Role, event: UInt16, latency: UInt16 = 0
    ) -> LinkLayerProcedures.Context {
        LinkLayerProcedures.Context(
            role: role, event: event, latency: latency, interval: 24, hostDecidesParameters: true)
    }

    private func machine(_ role: HCI.Role) -> LinkLayerProcedures {
        // Without the Connection Parameters Request procedure a central updates the parameters at once.
        LinkLayerProcedures(
            role: role, features: [.extendedReject, .twoM],
            version: LL.VersionInd(version: 13, company: 1, subversion: 2),
            dataLength: DataLength(tx: .minimum, rx: .minimum), phys: ([.oneM, .twoM], [.oneM, .twoM]))
    }

    /// The octets of the change that a central sends.
    private func octets(_ kind: Kind, instant: UInt16) -> [UInt8] {
        let (low, high) = (UInt8(instant & 0xFF), UInt8(instant >> 8))
        return switch kind {
        case .parameters: [0x00, 1, 0, 0, 24, 0, 0, 0, 200, 0, low, high]
        case .channelMap: [0x01, 0xFF, 0xFF, 0, 0, 0, low, high]
        case .phy: [0x18, 2, 2, low, high]
        }
    }

    /// Whether a peripheral at `event` takes a change at `instant`; nil if it does something else than that or ending the link.
    private func takes(_ kind: Kind, at event: UInt16, instant: UInt16) -> Bool? {
        var procedures = machine(.peripheral)
        var actions: [LinkLayerProcedures.Action] = []
        procedures.receive(octets(kind, instant: instant).span, context(.peripheral, event: event), &actions)
        guard actions.count == 1 else { return nil }
        switch actions[0] {
        case .schedule(let change): return change.instant == instant ? true : nil
        case .end(.instantPassed): return false
        default: return nil
        }
    }

    @Test(arguments: Kind.allCases, events) func anInstantIsPastFromHalfOfTheCounterOn(kind: Kind, event: UInt16) {
        for ahead: UInt16 in [0, 1, 6, 500, 32_766] {
            #expect(takes(kind, at: event, instant: event &+ ahead) == true, "\(ahead) ahead")
        }
        for ahead: UInt16 in [32_767, 32_768, 65_000, 65_535] {
            #expect(takes(kind, at: event, instant: event &+ ahead) == false, "\(ahead) ahead")
        }
    }

    /// The peripheral may receive the PDU as many events later as its latency, and listens to six more before the instant.
    @Test(arguments: events, [UInt16(0), 1, 40, 499])
    func theInstantLeavesThePeripheralSixEvents(event: UInt16, latency: UInt16) throws {
        for kind in Kind.allCases {
            var procedures = machine(.central)
            var actions: [LinkLayerProcedures.Action] = []
            let context = context(.central, event: event, latency: latency)
            switch kind {
            case .parameters:
                procedures.request(
                    .update(.init(intervalMinimum: 24, intervalMaximum: 24, latency: 0, timeout: 200)), context,
                    &actions)
            case .channelMap:
                procedures.request(.channelMap(LL.ChannelMap(rawValue: 0xFFFF)), context, &actions)
            case .phy:
                procedures.request(.phy(tx: .twoM, rx: .twoM), context, &actions)
                procedures.receive([0x17, 2, 2].span, context, &actions)
            }
            guard case .schedule(let change)? = actions.last else {
                Issue.record("\(kind): \(actions)")
                continue
            }
            let ahead = change.instant &- event
            #expect(ahead >= 6 + latency && ahead < 32_767, "\(kind) at \(event): \(change.instant)")
            // The PDU on the air has the same instant.
            let sent = try #require(procedures.outgoing.last)
            #expect(sent == octets(kind, instant: change.instant) || kind == .parameters)
            #expect(sent.suffix(2) == octets(kind, instant: change.instant).suffix(2))
        }
    }

    /// A change is due from its instant on, also if the radio was busy at the instant itself, and never before.
    @Test(arguments: events) func aChangeIsDueFromItsInstantOn(instant: UInt16) {
        let change = LL.ChannelMapInd(channelMap: LL.ChannelMap(rawValue: 0xFF), instant: instant)
        for (distance, isDue) in [(-500, false), (-6, false), (-1, false), (0, true), (1, true), (500, true)] {
            let link = connection()
            link.changes = [.channelMap(change)]
            link.timing.event = UInt16(truncatingIfNeeded: Int(instant) + distance)
            #expect(link.hasDueChange == isDue, "\(distance)")
            #expect(link.applyDueChanges(isAnchored: false).count == (isDue ? 1 : 0), "\(distance)")
            #expect(link.channels.map == (isDue ? change.channelMap : .all) && link.changes.isEmpty == isDue)
        }
    }

    /// The transmit window of new parameters begins by the central's offset after the anchor of the old interval.
    @Test func aPeripheralListensInTheCentralsTransmitWindow() {
        let link = connection()
        let anchor = link.timing.anchor
        link.changes = [
            .parameters(
                LL.ConnectionUpdateInd(
                    windowSize: 3, windowOffset: 7, interval: 40, latency: 2, timeout: 300, instant: 0))
        ]
        #expect(link.applyDueChanges(isAnchored: false).count == 1)
        #expect(link.timing.anchor == anchor + LL.slot * 7 && link.timing.window == LL.slot * 3)
        #expect(link.timing.interval == 40 && link.timing.latency == 2 && link.timing.timeout == 300)
    }

    private func connection() -> LinkLayerConnection {
        let request = LL.ConnectInd(
            initiator: 1, advertiser: 2, accessAddress: 0x1234_5678, crcInit: 0, windowSize: 1, windowOffset: 0,
            interval: 24,
            latency: 0, timeout: 100, channelMap: .all, hop: 5, sleepClockAccuracy: 7)
        return LinkLayerConnection(
            handle: 1, role: .peripheral, peer: DeviceAddress(kind: .public, value: 1), request: request,
            selection: .second(accessAddress: 0x1234_5678), anchor: .zero + .seconds(1), window: .zero,
            procedures: machine(.peripheral))
    }
}
