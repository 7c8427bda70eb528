import BLEWire
import Testing

@testable import BLEController

/// The ranges of parameters, at their limits and beside them, in octets.
struct ParameterRangeTests {
    private let bench = Bench()

    private static func octets(_ values: UInt16...) -> [UInt8] {
        values.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    }

    /// The status of a command.
    private func status(_ host: RawHost, _ opcode: UInt16, _ parameters: [UInt8]) -> UInt8? {
        host.events.removeAll()
        host.send(raw: [1, UInt8(opcode & 0xFF), UInt8(opcode >> 8), UInt8(parameters.count)] + parameters)
        bench.deliver()
        return host.status(of: HCI.Opcode(rawValue: opcode))?.rawValue
    }

    private static let success: UInt8 = 0
    private static let unsupported: UInt8 = 0x11
    private static let invalid: UInt8 = 0x12

    // MARK: Connection parameters

    struct Connection: Sendable {
        var minimum: UInt16 = 24
        var maximum: UInt16 = 24
        var latency: UInt16 = 0
        var timeout: UInt16 = 200
        var isValid = true
    }

    /// 7.5 ms to 4 s, at most 499 events, 100 ms to 32 s, and a timeout beyond (1 + latency) * interval * 2 (Vol 4, Part E, 7.8.12; Vol 6,
    /// Part B, 2.4.2.16).
    static let connections: [Connection] = [
        Connection(), Connection(minimum: 5, isValid: false), Connection(minimum: 6),
        Connection(minimum: 6, maximum: 6), Connection(minimum: 25, isValid: false),
        Connection(maximum: 23, isValid: false),
        Connection(minimum: 3200, maximum: 3200, timeout: 3200),
        Connection(minimum: 3200, maximum: 3201, timeout: 3200, isValid: false),
        Connection(minimum: 3201, maximum: 3201, timeout: 3200, isValid: false),
        Connection(maximum: .max, timeout: .max, isValid: false),
        Connection(minimum: 6, maximum: 6, latency: 499, timeout: 751),
        Connection(minimum: 6, maximum: 6, latency: 499, timeout: 750, isValid: false),
        Connection(minimum: 6, maximum: 6, latency: 500, timeout: 3200, isValid: false),
        Connection(latency: .max, timeout: .max, isValid: false),
        Connection(minimum: 6, maximum: 6, timeout: 9, isValid: false), Connection(minimum: 6, maximum: 6, timeout: 10),
        Connection(timeout: 3200), Connection(timeout: 3201, isValid: false),
        Connection(minimum: 6, maximum: 39, timeout: 10),
        Connection(minimum: 6, maximum: 40, timeout: 10, isValid: false),
        Connection(minimum: 6, maximum: 40, timeout: 11),
    ]

    @Test(arguments: connections) func aHostRequestsConnectionParametersWithinTheirRanges(row: Connection) throws {
        let (host, peer) = (bench.addHost(), bench.addHost())
        let expected = row.isValid ? Self.success : Self.invalid
        let values = Self.octets(row.minimum, row.maximum, row.latency, row.timeout, 0, 0)
        let create = Self.octets(0x10, 0x10) + [0, 1, 0x99, 0, 0, 0, 0, 0xC0, 1] + values
        #expect(status(host, 0x200D, create) == expected)
        #expect(status(host, 0x200E, []) == (row.isValid ? Self.success : 0x0C))
        let link = try #require(bench.connect(host, peer))
        #expect(status(host, 0x2013, Self.octets(link.central) + values) == expected)
        // The reply to a request of the peer: without one, valid parameters are disallowed.
        #expect(status(host, 0x2020, Self.octets(link.central) + values) == (row.isValid ? 0x0C : Self.invalid))
    }

    private func machine(_ role: HCI.Role) -> LinkLayerProcedures {
        LinkLayerProcedures(
            role: role, features: [.connectionParametersRequest, .extendedReject],
            version: LL.VersionInd(version: 13, company: 1, subversion: 2),
            dataLength: DataLength(tx: .minimum, rx: .minimum), phys: ([.oneM], [.oneM]))
    }

    private func context(_ role: HCI.Role) -> LinkLayerProcedures.Context {
        .init(role: role, event: 100, latency: 0, interval: 24, hostDecidesParameters: true)
    }

    @Test(arguments: connections) func aPeerRequestsConnectionParametersWithinTheirRanges(row: Connection) {
        for role in [HCI.Role.central, .peripheral] {
            var procedures = machine(role)
            var actions: [LinkLayerProcedures.Action] = []
            let request =
                [0x0F] + Self.octets(row.minimum, row.maximum, row.latency, row.timeout) + [0, 0, 0]
                + [UInt8](repeating: 0xFF, count: 12)
            procedures.receive(request.span, context(role), &actions)
            #expect(actions.isEmpty == !row.isValid)
            // Invalid LL Parameters.
            #expect(procedures.outgoing == (row.isValid ? [] : [[0x11, 0x0F, 0x1E]]))
        }
    }

    /// LL_CONNECTION_UPDATE_IND (Vol 6, Part B, 2.4.2.1): the window is as long as 1.25 ms to 10 ms and shorter than the interval, and
    /// begins within it.
    @Test(
        arguments: [
            (1, 0, 24, 0, 200, true), (0, 0, 24, 0, 200, false), (8, 0, 24, 0, 200, true), (9, 0, 24, 0, 200, false),
            (255, 0, 3200, 0, 3200, false), (5, 0, 6, 0, 200, true), (6, 0, 6, 0, 200, false), (7, 0, 8, 0, 200, true),
            (8, 0, 8, 0, 200, false), (8, 0, 9, 0, 200, true), (1, 24, 24, 0, 200, true), (1, 25, 24, 0, 200, false),
            (1, 0xFFFF, 24, 0, 200, false), (1, 3200, 3200, 0, 3200, true), (1, 0, 5, 0, 200, false),
            (1, 0, 6, 0, 200, true),
            (1, 0, 0, 0, 200, false), (1, 0, 3200, 0, 3200, true), (1, 0, 3201, 0, 3200, false),
            (1, 0, 6, 499, 751, true),
            (1, 0, 6, 499, 750, false), (1, 0, 6, 500, 3200, false), (1, 0, 6, 0, 10, true), (1, 0, 6, 0, 9, false),
            (1, 0, 24, 0, 3200, true), (1, 0, 24, 0, 3201, false), (1, 0, 39, 0, 10, true), (1, 0, 40, 0, 10, false),
            (1, 0, 0xFFFF, 0xFFFF, 0xFFFF, false),
        ] as [(UInt8, UInt16, UInt16, UInt16, UInt16, Bool)])
    func aPeripheralTakesOnlyValidUpdates(
        size: UInt8, offset: UInt16, interval: UInt16, latency: UInt16, timeout: UInt16, isValid: Bool
    ) {
        var procedures = machine(.peripheral)
        var actions: [LinkLayerProcedures.Action] = []
        let update = [0x00, size] + Self.octets(offset, interval, latency, timeout, 110)
        procedures.receive(update.span, context(.peripheral), &actions)
        let change = LL.ConnectionUpdateInd(
            windowSize: size, windowOffset: offset, interval: interval, latency: latency, timeout: timeout, instant: 110
        )
        #expect(actions == (isValid ? [.schedule(.parameters(change))] : []))
        #expect(procedures.outgoing.isEmpty && procedures.isIdle == !isValid)
    }

    /// A data channel map has two channels at least (Vol 6, Part B, 4.5.8.1).
    @Test func aPeripheralTakesOnlyMapsWithTwoChannels() {
        for (map, isValid) in [(UInt64(0), false), (1, false), (1 << 36, false), (1 << 36 | 1, true), (3, true)] {
            var procedures = machine(.peripheral)
            var actions: [LinkLayerProcedures.Action] = []
            let octets = (0..<5).map { UInt8(truncatingIfNeeded: map >> (8 * UInt64($0))) }
            procedures.receive(([0x01] + octets + [110, 0]).span, context(.peripheral), &actions)
            #expect(actions.count == (isValid ? 1 : 0), "\(map)")
        }
    }

    // MARK: Advertising and scanning

    /// Vol 4, Part E, 7.8.5.
    @Test func advertisingParametersHaveRanges() {
        func parameters(
            _ interval: (UInt16, UInt16) = (0x20, 0x20), type: UInt8 = 0, own: UInt8 = 1, peer: UInt8 = 0,
            map: UInt8 = 7,
            policy: UInt8 = 0
        ) -> [UInt8] {
            Self.octets(interval.0, interval.1) + [type, own, peer, 0x77, 0, 0, 0, 0, 0xC0, map, policy]
        }
        let host = bench.addHost()
        var rows: [([UInt8], UInt8)] = [
            (parameters((0x1F, 0x20)), Self.invalid), (parameters((0x20, 0x1F)), Self.invalid), (parameters(), 0),
            (parameters((0x21, 0x20)), Self.invalid), (parameters((0x20, 0x4000)), 0),
            (parameters((0x4000, 0x4000)), 0),
            (parameters((0x4000, 0x4001)), Self.invalid), (parameters((0x4001, 0x4001)), Self.invalid),
            // Only the high duty cycle has no interval.
            (parameters((0, 0), type: 1), 0), (parameters((0x8000, 1), type: 1), 0),
            (parameters((0, 0), type: 4), Self.invalid), (parameters((0, 0), type: 3), Self.invalid),
            (parameters(peer: 2), 0), (parameters(peer: 0xFF), 0),
        ]
        rows += (0...5).map { (parameters(type: $0), $0 <= 4 ? 0 : Self.invalid) }
        rows += [0, 1, 2, 3, 4, 0xFF].map { (parameters(own: $0), $0 <= 3 ? 0 : Self.invalid) }
        rows += [0, 1, 2, 3, 4, 0xFF].map { (parameters(policy: $0), $0 <= 3 ? 0 : Self.invalid) }
        rows += [0, 1, 2, 4, 7, 8, 0x0F, 0xFF].map { (parameters(map: $0), (1...7).contains($0) ? 0 : Self.invalid) }
        for type: UInt8 in [1, 4] {
            rows += [0, 1, 2, 0xFF].map { (parameters(type: type, peer: $0), $0 <= 1 ? 0 : Self.invalid) }
        }
        for (octets, expected) in rows { #expect(status(host, 0x2006, octets) == expected, "\(octets)") }
    }

    /// Vol 4, Part E, 7.8.10 and 7.8.12.
    @Test func scanningAndInitiatingHaveRanges() {
        let host = bench.addHost()
        let timings: [(UInt16, UInt16, Bool)] = [
            (4, 4, true), (3, 3, false), (4, 3, false), (5, 4, true), (4, 5, false), (0x4000, 0x4000, true),
            (0x4000, 4, true),
            (0x4001, 0x4000, false), (0x4001, 0x4001, false), (0, 0, false),
        ]
        func initiate(_ timing: [UInt8] = [0x10, 0, 0x10, 0], policy: UInt8 = 0, peer: UInt8 = 1, own: UInt8 = 1)
            -> UInt8?
        {
            let parameters =
                timing + [policy, peer, 0x77, 0, 0, 0, 0, 0xC0, own] + Self.octets(24, 24, 0, 200, 0, 0)
            let result = status(host, 0x200D, parameters)
            #expect(status(host, 0x200E, []) == (result == 0 ? 0 : 0x0C))
            return result
        }
        for (interval, window, isValid) in timings {
            let timing = Self.octets(interval, window)
            #expect(status(host, 0x200B, [1] + timing + [1, 0]) == (isValid ? 0 : Self.invalid), "\(timing)")
            #expect(initiate(timing) == (isValid ? 0 : Self.invalid), "\(timing)")
        }
        let timing = Self.octets(0x10, 0x10)
        for value: UInt8 in [0, 1, 2, 3, 4, 0xFF] {
            #expect(status(host, 0x200B, [value] + timing + [1, 0]) == (value <= 1 ? 0 : Self.invalid), "\(value)")
            #expect(status(host, 0x200B, [0] + timing + [value, 0]) == (value <= 3 ? 0 : Self.invalid), "\(value)")
            #expect(status(host, 0x200B, [0] + timing + [1, value]) == (value <= 3 ? 0 : Self.invalid), "\(value)")
            #expect(initiate(policy: value) == (value <= 1 ? 0 : Self.invalid), "\(value)")
            #expect(initiate(peer: value) == (value <= 3 ? 0 : Self.invalid), "\(value)")
            // The accept list makes the peer's address meaningless.
            #expect(initiate(policy: 1, peer: value) == 0, "\(value)")
        }
        // Types 0 and 2 need a public address, which this controller lacks.
        for (own, expected) in [(UInt8(0), Self.invalid), (1, 0), (2, Self.invalid), (3, 0), (4, Self.invalid)] {
            #expect(initiate(own: own) == expected, "\(own)")
        }
    }

    /// Without a resolving list there are no identity addresses, and no extended policies.
    @Test func aControllerWithoutAResolvingListHasSmallerRanges() {
        let host = bench.addHost { $0.resolvingListSize = 0 }
        let timing = Self.octets(0x10, 0x10)
        for value: UInt8 in 0...3 {
            let expected = value <= 1 ? Self.success : Self.unsupported
            #expect(status(host, 0x200B, [0] + timing + [value, 0]) == expected)
            #expect(status(host, 0x200B, [0] + timing + [1, value]) == expected)
            let advertising = Self.octets(0x20, 0x20) + [0, value, 0, 0, 0, 0, 0, 0, 0, 7, 0]
            #expect(status(host, 0x2006, advertising) == expected)
            let rest = Self.octets(24, 24, 0, 200, 0, 0)
            let named = timing + [0, value, 0x77, 0, 0, 0, 0, 0xC0, 1] + rest
            #expect(status(host, 0x200D, named) == (value <= 1 ? 0 : Self.invalid))
            _ = status(host, 0x200E, [])
        }
    }

    // MARK: Links

    /// Vol 4, Part E, 7.8.33 and 7.8.35.
    @Test func theDataLengthHasRanges() throws {
        let (host, peer) = (bench.addHost(), bench.addHost())
        let link = try #require(bench.connect(host, peer))
        for (length, time, isValid) in [
            (27, 328, true), (26, 328, false), (27, 327, false), (251, 17_040, true), (252, 17_040, false),
            (251, 17_041, false), (0, 0, false), (0xFFFF, 0xFFFF, false),
        ] as [(UInt16, UInt16, Bool)] {
            let expected = isValid ? Self.success : Self.invalid
            #expect(status(host, 0x2024, Self.octets(length, time)) == expected, "\(length) \(time)")
            #expect(status(host, 0x2022, Self.octets(link.central, length, time)) == expected, "\(length) \(time)")
        }
        #expect(status(host, 0x2022, Self.octets(0x0EFF, 27, 328)) == 0x02)
    }

    /// Vol 4, Part E, 7.8.48 and 7.8.49: a set without a preference is empty, or has a PHY that the controller lacks.
    @Test(arguments: [(true, true), (false, true), (true, false), (false, false)])
    func thePHYsAreThoseOfTheController(has2M: Bool, hasCoded: Bool) throws {
        let host = bench.addHost {
            $0.supports2M = has2M
            $0.supportsCoded = hasCoded
        }
        let link = try #require(bench.connect(host, bench.addHost()))
        let supported: UInt8 = 1 | (has2M ? 2 : 0) | (hasCoded ? 4 : 0)
        for set: UInt8 in [0, 1, 2, 3, 4, 5, 6, 7, 8, 0x81] {
            let expected = set == 0 ? Self.invalid : set & ~supported != 0 ? Self.unsupported : Self.success
            for preference: UInt8 in 0...3 {
                let tx = preference & 1 != 0 ? Self.success : expected
                let rx = preference & 2 != 0 ? Self.success : expected
                #expect(status(host, 0x2031, [preference, set, 1]) == tx)
                #expect(status(host, 0x2031, [preference, 1, set]) == rx)
            }
            #expect(status(host, 0x2032, Self.octets(link.central) + [0, set, set, 0, 0]) == expected)
            bench.run(for: .seconds(1))
        }
        #expect(host.disconnections.isEmpty)
    }

    /// Vol 4, Part E, 7.1.6, 7.3.35, 7.3.94 and 7.8.19.
    @Test func commandsAboutALinkHaveRanges() throws {
        let (host, peer) = (bench.addHost(), bench.addHost())
        let link = try #require(bench.connect(host, peer, interval: 24, latency: 4, timeout: 400))
        let handle = Self.octets(link.central)
        for type: UInt8 in [0, 1, 2, 0xFF] {
            #expect(status(host, 0x0C2D, handle + [type]) == (type <= 1 ? 0 : Self.invalid), "\(type)")
        }
        // (1 + latency) * interval are 150 ms, in units of 10 ms.
        for (timeout, isValid) in [(UInt16(0), false), (14, false), (15, true), (16, true), (0xFFFF, true), (1, false)]
        {
            #expect(status(host, 0x0C7C, handle + Self.octets(timeout)) == (isValid ? 0 : Self.invalid), "\(timeout)")
        }
        #expect(status(host, 0x0C7B, handle) == 0)
        #expect(host.events.last?.suffix(2) == [0xFF, 0xFF])
        for (map, isValid) in [
            ([0, 0, 0, 0, 0], false), ([0, 0, 0, 0, 0xE0], false), ([1, 0, 0, 0, 0], true), ([0, 0, 0, 0, 0x10], true),
            ([0xFF, 0xFF, 0xFF, 0xFF, 0x1F], true),
        ] as [([UInt8], Bool)] {
            #expect(status(host, 0x2014, map) == (isValid ? 0 : Self.invalid), "\(map)")
        }
        let permitted: Set<UInt8> = [0x05, 0x13, 0x14, 0x15, 0x1A, 0x29, 0x3B]
        for reason in UInt8.min...UInt8.max where !permitted.contains(reason) {
            #expect(status(host, 0x0406, handle + [reason]) == Self.invalid, "\(reason)")
        }
        #expect(host.disconnections.isEmpty)
    }

    @Test(arguments: [0x05, 0x13, 0x14, 0x15, 0x1A, 0x29, 0x3B] as [UInt8])
    func eachPermittedReasonReachesThePeer(reason: UInt8) throws {
        let (host, peer) = (bench.addHost(), bench.addHost())
        let link = try #require(bench.connect(host, peer))
        #expect(status(host, 0x0406, Self.octets(link.central) + [reason]) == 0)
        // The second command comes too late.
        #expect(status(host, 0x0406, Self.octets(link.central) + [reason]) == 0x0C)
        bench.run(for: .milliseconds(200))
        #expect(peer.disconnections.map(\.reason.rawValue) == [reason])
        #expect(host.disconnections.map(\.reason) == [.connectionTerminatedByLocalHost])
        #expect(status(host, 0x0406, Self.octets(link.central) + [reason]) == 0x02)
    }

    // MARK: The filter accept list

    /// The list does not change while a role filters by it (Vol 4, Part E, 7.8.15 to 7.8.17).
    @Test(arguments: ["advertiser", "scanner", "initiator"], [0, 1, 2, 3] as [UInt8])
    func anAcceptListInUseDoesNotChange(role: String, policy: UInt8) {
        let host = bench.addHost()
        func changes() -> [UInt8?] {
            [
                status(host, 0x2011, [1, 0x77, 0, 0, 0, 0, 0xC0]), status(host, 0x2012, [1, 0x77, 0, 0, 0, 0, 0xC0]),
                status(host, 0x2010, []),
            ]
        }
        let isInUse: Bool
        switch role {
        case "advertiser":
            isInUse = policy != 0
            host.advertise(policy: HCI.AdvertisingFilterPolicy(rawValue: policy))
        case "scanner":
            // 2 is the extended form of 0, without the list.
            isInUse = policy & 1 != 0
            host.scan(policy: HCI.ScanFilterPolicy(rawValue: policy))
        default:
            isInUse = policy & 1 != 0
            host.connect(
                to: DeviceAddress(kind: .random, value: 0xC000_0000_0099),
                policy: HCI.InitiatorFilterPolicy(rawValue: policy & 1))
        }
        bench.deliver()
        #expect(changes() == [UInt8?](repeating: isInUse ? 0x0C : 0, count: 3))
        bench.run(for: .milliseconds(100))
        #expect(changes() == [UInt8?](repeating: isInUse ? 0x0C : 0, count: 3))
        switch role {
        case "advertiser": host.send(HCI.LESetAdvertisingEnable(enable: false))
        case "scanner": host.send(HCI.LESetScanEnable(enable: false, filterDuplicates: false))
        default: host.send(HCI.LECreateConnectionCancel())
        }
        bench.deliver()
        #expect(changes() == [UInt8?](repeating: 0, count: 3))
    }
}
