import BLEWire
import Testing

@testable import BLEController

/// The arithmetic of the data length (Vol 6, Part B, 4.5.10). The times are those of a PDU with a MIC: on 1M (14 + n) * 8 us, on 2M (15 +
/// n) * 4 us, on Coded 376 us and (9 + n) octets of 64 or 16 us each, and 24 or 6 us of termination (Vol 6, Part B, 2.1 and 2.2).
struct DataLengthTests {
    private func limits(_ octets: UInt16, _ time: UInt16) -> DataLength.Limits { .init(octets: octets, time: time) }

    @Test(
        arguments: [
            (328, LL.PHY.oneM, 27), (335, .oneM, 27), (336, .oneM, 28), (2119, .oneM, 250), (2120, .oneM, 251),
            (17_040, .oneM, 251), (328, .twoM, 67), (331, .twoM, 67), (332, .twoM, 68), (1063, .twoM, 250),
            (1064, .twoM, 251),
            // The Coded PHY always has 2704 us, the time of 27 octets at eight symbols for each bit.
            (328, .codedS8, 27), (2704, .codedS8, 27), (2767, .codedS8, 27), (2768, .codedS8, 28),
            (17_039, .codedS8, 250),
            (17_040, .codedS8, 251), (328, .codedS2, 136), (2704, .codedS2, 136), (4541, .codedS2, 250),
            (4542, .codedS2, 251),
        ] as [(UInt16, LL.PHY, Int)])
    func theTimeLimitsThePayload(time: UInt16, phy: LL.PHY, octets: Int) {
        #expect(limits(251, time).payload(on: phy) == octets)
        // The octets are a limit of their own.
        #expect(limits(27, time).payload(on: phy) == 27)
        #expect(limits(60, time).payload(on: phy) == min(60, octets))
    }

    /// LE Data Length Change reports 2704 us at least on Coded, and at most 2120 us on the other PHYs.
    @Test func theReportedTimesDependOnThePHY() {
        for phy in [LL.PHY.oneM, .twoM] {
            #expect(limits(251, 17_040).on(phy) == limits(251, 2120))
            #expect(limits(27, 328).on(phy) == limits(27, 328))
            #expect(limits(100, 2120).on(phy) == limits(100, 2120))
        }
        for phy in [LL.PHY.codedS8, .codedS2] {
            #expect(limits(27, 328).on(phy) == limits(27, 2704))
            #expect(limits(251, 2705).on(phy) == limits(251, 2705))
            #expect(limits(251, 17_040).on(phy) == limits(251, 17_040))
        }
    }

    /// Each effective value is the smaller of this side's and the peer's value for the other direction.
    @Test func eachDirectionHasTheSmallerLimits() {
        var length = DataLength(tx: limits(100, 1000), rx: limits(200, 1500))
        #expect(length.effectiveTx == .minimum && length.effectiveRx == .minimum)
        #expect(length.receive(rxOctets: 99, rxTime: 1001, txOctets: 201, txTime: 1499) == true)
        #expect(length.effectiveTx == limits(99, 1000))
        #expect(length.effectiveRx == limits(200, 1499))
        // The same again changes nothing.
        #expect(length.receive(rxOctets: 99, rxTime: 1001, txOctets: 201, txTime: 1499) == false)
        // Each of the four values alone is a change.
        #expect(length.receive(rxOctets: 98, rxTime: 1001, txOctets: 201, txTime: 1499) == true)
        #expect(length.receive(rxOctets: 98, rxTime: 999, txOctets: 201, txTime: 1499) == true)
        #expect(length.receive(rxOctets: 98, rxTime: 999, txOctets: 199, txTime: 1499) == true)
        #expect(length.receive(rxOctets: 98, rxTime: 999, txOctets: 199, txTime: 1498) == true)
        // A change of what this side supports applies from the next exchange on.
        length.local.tx = limits(27, 328)
        #expect(length.effectiveTx == limits(98, 999))
        #expect(length.receive(rxOctets: 98, rxTime: 999, txOctets: 199, txTime: 1498) == true)
        #expect(length.effectiveTx == .minimum && length.effectiveRx == limits(199, 1498))
        // And back, also below the first values.
        length.local.tx = limits(251, 2120)
        #expect(length.receive(rxOctets: 27, rxTime: 328, txOctets: 251, txTime: 2120) == true)
        #expect(length.effectiveTx == .minimum && length.effectiveRx == limits(200, 1500))
    }

    /// 27 octets and 328 us are the least values that a peer may have (Vol 6, Part B, 2.4.2.21).
    @Test func valuesBelowTheMinimumAreIgnored() {
        var length = DataLength(tx: limits(251, 2120), rx: limits(251, 2120))
        #expect(length.receive(rxOctets: 100, rxTime: 900, txOctets: 100, txTime: 900) == true)
        for (rxOctets, rxTime, txOctets, txTime) in [
            (26, 328, 27, 328), (27, 327, 27, 328), (27, 328, 26, 328), (27, 328, 27, 327), (0, 0, 0, 0),
        ] as [(UInt16, UInt16, UInt16, UInt16)] {
            #expect(length.receive(rxOctets: rxOctets, rxTime: rxTime, txOctets: txOctets, txTime: txTime) == false)
            #expect(length.effectiveTx == limits(100, 900) && length.effectiveRx == limits(100, 900))
        }
        #expect(length.receive(rxOctets: 27, rxTime: 328, txOctets: 27, txTime: 328) == true)
        #expect(length.effectiveTx == .minimum && length.effectiveRx == .minimum)
        // Values beyond those of the specification are limited by this side's.
        #expect(length.receive(rxOctets: .max, rxTime: .max, txOctets: .max, txTime: .max) == true)
        #expect(length.effectiveTx == limits(251, 2120) && length.effectiveRx == limits(251, 2120))
    }

    /// The octets of LL_LENGTH_REQ and LL_LENGTH_RSP (Vol 6, Part B, 2.4.2.21 and 2.4.2.22): reception, then transmission; octets, then
    /// time.
    @Test func aPeerWithoutTheCodedPHYGetsTheTimesOfTheOthers() {
        let length = DataLength(tx: limits(150, 2000), rx: limits(251, 17_040))
        for (isCoded, time) in [(true, UInt16(17_040)), (false, 2120)] {
            let request = length.request(isCoded: isCoded)
            #expect(request == LL.LengthReq(maxRxOctets: 251, maxRxTime: time, maxTxOctets: 150, maxTxTime: 2000))
            let response = length.response(isCoded: isCoded)
            #expect(response == LL.LengthRsp(maxRxOctets: 251, maxRxTime: time, maxTxOctets: 150, maxTxTime: 2000))
        }
        let long = DataLength(tx: limits(251, 17_040), rx: limits(27, 328))
        #expect(
            long.request(isCoded: false)
                == LL.LengthReq(maxRxOctets: 27, maxRxTime: 328, maxTxOctets: 251, maxTxTime: 2120))
        #expect(long.request(isCoded: true).maxTxTime == 17_040)
    }

    private func machine(_ role: HCI.Role, tx: DataLength.Limits) -> LinkLayerProcedures {
        LinkLayerProcedures(
            role: role, features: [.dataPacketLengthExtension, .coded, .extendedReject],
            version: LL.VersionInd(version: 13, company: 1, subversion: 2),
            dataLength: DataLength(tx: tx, rx: limits(251, 17_040)), phys: ([.oneM], [.oneM]))
    }

    private let context = LinkLayerProcedures.Context(
        role: .peripheral, event: 100, latency: 0, interval: 24, hostDecidesParameters: true)

    /// The octets of both PDUs on the air; each field of the peer's has another value.
    @Test func bothPDUsOfTheExchangeSetTheSameLimits() {
        // Rx 60 octets in 600 us, tx 80 octets in 900 us.
        let values: [UInt8] = [60, 0, 0x58, 2, 80, 0, 0x84, 3]
        for isOwn in [true, false] {
            var procedures = machine(.peripheral, tx: limits(251, 17_040))
            var actions: [LinkLayerProcedures.Action] = []
            if isOwn { procedures.request(.length, context, &actions) }
            #expect(procedures.isIdle == !isOwn && procedures.isWaiting == isOwn)
            procedures.receive(([isOwn ? 0x15 : 0x14] + values).span, context, &actions)
            #expect(actions == [.dataLengthChanged])
            #expect(procedures.dataLength.effectiveTx == limits(60, 600))
            #expect(procedures.dataLength.effectiveRx == limits(80, 900))
            // Rx 251 octets in 17040 us, tx the same.
            let own: [UInt8] = [0xFB, 0, 0x90, 0x42, 0xFB, 0, 0x90, 0x42]
            #expect(procedures.outgoing == [[isOwn ? 0x14 : 0x15] + own])
            procedures.acknowledged(&actions)
            #expect(procedures.isIdle)
            // A response that nobody asked for changes nothing.
            procedures.receive([0x15, 27, 0, 0x48, 1, 27, 0, 0x48, 1].span, context, &actions)
            #expect(actions.count == 1 && procedures.dataLength.effectiveTx == limits(60, 600))
            // A second exchange does.
            procedures.receive([0x14, 27, 0, 0x48, 1, 27, 0, 0x48, 1].span, context, &actions)
            #expect(actions == [.dataLengthChanged, .dataLengthChanged])
            #expect(procedures.dataLength.effectiveTx == .minimum && procedures.dataLength.effectiveRx == .minimum)
        }
    }

    /// A peer whose features exclude the procedure gets no request; before a feature exchange it is tried.
    @Test func aPeerWithoutTheExtensionGetsNoRequest() {
        for (features, isSent) in [(UInt8(0x20), true), (0, false)] {
            var procedures = machine(.peripheral, tx: limits(251, 17_040))
            var actions: [LinkLayerProcedures.Action] = []
            procedures.receive([0x08, features, 0, 0, 0, 0, 0, 0, 0].span, context, &actions)
            procedures.acknowledged(&actions)
            procedures.request(.length, context, &actions)
            // The peer does not support the Coded PHY either.
            let expected: [[UInt8]] = [[0x14, 0xFB, 0, 0x48, 8, 0xFB, 0, 0x48, 8]]
            #expect(procedures.outgoing == (isSent ? expected : []))
            #expect(procedures.isWaiting == isSent)
        }
    }

    /// The opcodes of the control PDUs on the air of a new link.
    private func lengthRequests(of suggested: (UInt16, UInt16)?) throws -> [String] {
        let bench = Bench()
        let (central, peripheral) = (bench.addHost(), bench.addHost())
        if let suggested {
            for host in [central, peripheral] {
                host.send(
                    HCI.LEWriteSuggestedDefaultDataLength(maximumTxOctets: suggested.0, maximumTxTime: suggested.1))
            }
        }
        let identifier = central.identifier
        var seen: [String] = []
        bench.radio.airObserver = { packet in
            guard packet.channel < 37, packet.pdu.count > 2, packet.pdu[0] & 3 == 3 else { return }
            let name = packet.sender == identifier ? "C" : "P"
            if packet.pdu[2] == 0x14 || packet.pdu[2] == 0x15 { seen.append("\(name)\(packet.pdu[2])") }
        }
        _ = try #require(bench.connect(central, peripheral))
        bench.run(for: .milliseconds(500))
        return seen
    }

    /// A host that suggests no more than the default of 27 octets causes no exchange; one octet more does, on each new link.
    @Test func onlyALongerSuggestionStartsAnExchange() throws {
        #expect(try lengthRequests(of: nil) == [])
        #expect(try lengthRequests(of: (27, 2120)) == [])
        #expect(try lengthRequests(of: (28, 336)).sorted() == ["C20", "C21", "P20", "P21"])
    }

    /// The greatest values of a controller, by its PHYs and its longest PDU (Vol 6, Part B, 4.5.10; Vol 4, Part E, 7.8.46).
    @Test(
        arguments: [
            (251, true, 251, 17_040), (251, false, 251, 2120), (27, true, 27, 2704), (27, false, 27, 328),
            (28, false, 28, 336),
            (26, false, 27, 328), (0, true, 27, 2704), (252, false, 251, 2120), (65_535, true, 251, 17_040),
        ] as [(UInt16, Bool, UInt16, UInt16)])
    func theControllerReportsItsGreatestLength(configured: UInt16, isCoded: Bool, octets: UInt16, time: UInt16) throws {
        let bench = Bench()
        let host = bench.addHost {
            $0.maximumDataLength = configured
            $0.supportsCoded = isCoded
        }
        host.send(HCI.LEReadMaximumDataLength())
        bench.deliver()
        let values = [octets, time, octets, time].flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        #expect(host.events.last == [0x0E, 12, 1, 0x2F, 0x20, 0] + values)
        host.send(HCI.LEReadLocalSupportedFeatures())
        bench.deliver()
        // Bit 5 is LE Data Packet Length Extension.
        let features = try #require(host.events.last.map { $0.dropFirst(6) }?.first)
        #expect((features & 0x20 != 0) == (octets > 27))
        // What the host may set is limited by the same values.
        host.send(HCI.LEWriteSuggestedDefaultDataLength(maximumTxOctets: 251, maximumTxTime: 17_040))
        host.send(HCI.LEReadSuggestedDefaultDataLength())
        bench.deliver()
        #expect(host.events.last == [0x0E, 8, 1, 0x23, 0x20, 0] + values.prefix(4))
    }
}
