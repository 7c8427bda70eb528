import BLEAdapter
import BLEPacketDecoding
import BLESimulator
import BLEVirtualRadio
import BLEWire
import Testing

@testable import bluelab

struct TraceTests {
    private func hci(_ octets: [UInt8], _ direction: HCIDirection = .toHost) -> String {
        HCITracer.describe(
            octets.span, direction: direction, time: Instant(nanoseconds: 1_234_567_000), device: "Phone")
    }

    @Test func aPacketOfAHostIsALineWithTimeDeviceAndDirection() {
        #expect(hci([0x01, 0x03, 0x0C, 0x00], .toController) == "  1.234567  HCI     Phone      >  Reset")
        #expect(hci([0x02, 0x40, 0x20, 0x02, 0x00, 0x01, 0x02]).hasSuffix("  <  ACL handle 0040, 2 octets"))
    }

    /// The lines of a trace of one beacon.
    private func advertising(
        in terminal: Terminal, _ advertisement: RawAdvertisement = RawAdvertisement(structures: [.flags()])
    ) async throws -> [String] {
        let world = World(seed: 1)
        let tracer = AirTracer(names: ["Beacon"], terminal: terminal)
        let lines = Lock<[String]>([])
        world.observeAir { packet, _ in
            let line = tracer.describe(packet)
            lines.withLock { $0.append(line) }
        }
        _ = try world.addAdvertiser("Beacon", advertisement)
        _ = await world.run(timeout: .seconds(30)) { lines.withLock { !$0.isEmpty } }
        return lines.withLock { $0 }
    }

    @Test func aPacketOnTheAirHasTheColourOfItsLayer() async throws {
        let lines = try await advertising(in: Terminal(environment: ["TERM": "xterm"], isTerminal: true))
        #expect(!lines.isEmpty)
        #expect(lines.allSatisfy { $0.contains("\u{1B}[33mADV_NONCONN_IND") }, "\(lines)")
        let styles = PacketLayer.allCases.map { Terminal.Style($0) }
        #expect(Set(styles).count == styles.count)
    }

    @Test func aTraceNamesTheCodedPHY() async throws {
        let lines = try await advertising(
            in: Terminal(allowsColor: false, environment: [:], isTerminal: true),
            RawAdvertisement(structures: [.flags()], extended: .init(primaryPHY: .coded, secondaryPHY: .coded)))
        #expect(!lines.isEmpty)
        #expect(lines.allSatisfy { $0.contains("  Coded  Beacon") }, "\(lines)")
    }

    @Test func aTraceWithoutColoursIsPlainText() async throws {
        let lines = try await advertising(in: Terminal(allowsColor: false, environment: [:], isTerminal: true))
        #expect(!lines.isEmpty)
        #expect(lines.allSatisfy { !$0.contains("\u{1B}") && $0.contains("ADV_NONCONN_IND") }, "\(lines)")
    }
}
