import BLESimulator
import BLEWire
import Foundation
import Testing

@testable import BLEPacketDecoding

/// The stories of one run in a world, as the phone's host and as the air have it.
final class WorldStoryTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("story-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func story(_ name: String) throws -> CaptureStory {
        try BLEPacketDecodingTests.story(
            of: [UInt8](try Data(contentsOf: folder.appendingPathComponent(name))), pieces: 4096)
    }

    @Test func hostAndAirTellTheSameLink() async throws {
        var captures: [Capture] = []
        let (host, air) = (folder.appendingPathComponent("host").path, folder.appendingPathComponent("air").path)
        let scene = try await ProtectedRead.run { world, phone in
            captures = [try phone.captureHCI(to: host), try world.captureAir(to: air)]
        }
        for capture in captures { try capture.finish() }

        let hostStory = try story("host")
        let link = try #require(hostStory.links.first)
        #expect(hostStory.links.count == 1 && link.isWhole && link.local == .central)
        #expect(link.encryption.wasOn && link.pairings.count == 1 && link.pairings.first?.initiator != nil)
        #expect(hostStory.counts.undecodable == 0 && hostStory.counts.other == 0)
        // The first read is refused, the second one follows the encryption.
        let server = link.servers[LinkSide.peripheral.rawValue]
        let temperature = BluetoothUUID(0x2A6E as UInt16)
        #expect(server.declared.contains { $0.kind == .value && $0.uuid == temperature })
        #expect(server.refusals.contains { $0.request == .readRequest && $0.attribute?.uuid == temperature })
        let use = try #require(server.uses.values.first { $0.attribute?.uuid == temperature })
        #expect(use.reads == 1 && use.octets == 2)
        #expect(hostStory.allFindings.filter(\.isProblem).isEmpty)

        let airStory = try story("air")
        let other = try #require(airStory.links.first)
        #expect(airStory.links.count == 1 && other.key == .air(accessAddress: scene.link.accessAddress))
        #expect(other.isWhole && other.local == nil && other.encryption.wasOn && other.encryption.hiddenPackets > 0)
        #expect(other.addresses[LinkSide.peripheral.rawValue] == link.addresses[LinkSide.peripheral.rawValue])
        #expect(other.events.first == link.events.first && other.mtu == link.mtu)
        // The refused read was plain; the value was not.
        let refusals = other.servers[LinkSide.peripheral.rawValue].refusals
        #expect(refusals.contains { $0.request == .readRequest && $0.attribute?.uuid == temperature })
        #expect(!other.servers[LinkSide.peripheral.rawValue].uses.values.contains { $0.attribute?.uuid == temperature })
        #expect(airStory.counts.damaged == 0 && airStory.counts.undecodable == 0)
    }
}
