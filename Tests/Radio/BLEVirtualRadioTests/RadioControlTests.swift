import BLEController
import BLEWire
import Foundation
import Testing

@testable import BLEVirtualRadio

/// The answers of the control socket, without sockets.
struct RadioControlTests {
    private final class SilentHost: HCIHost {
        func handleTimeout() {}
        func receive(_ packet: Span<UInt8>) {}
        func flush() {}
    }

    private struct Answer: Decodable {
        struct Device: Decodable {
            var name: String
            var platform: String?
        }
        var devices: [Device]
    }

    @Test func theListHasThePlatformsOfDevices() throws {
        let network = VirtualRadioNetwork(seed: 1, configuration: RadioConfiguration())
        defer { network.close() }
        let platforms: [String?] = ["pixel", nil]
        for (index, platform) in platforms.enumerated() {
            let slot = network.takeSlot()
            network.add(slot, ControllerConfiguration(), at: .origin) { SilentHost() }
            network.label(slot, "d\(index)", platform: platform)
        }
        var control = RadioControl()
        func list() throws -> [Answer.Device] {
            try JSONDecoder().decode(Answer.self, from: Data(control.answer("list", network).utf8)).devices
        }
        #expect(try list().map(\.name) == ["d0", "d1"])
        #expect(try list().map(\.platform) == platforms)
        // A device that takes the place of another one has none of its values.
        #expect(control.answer("drop d0", network) == "{\"ok\":true}")
        let slot = network.takeSlot()
        network.add(slot, ControllerConfiguration(), at: .origin) { SilentHost() }
        network.label(slot, "d2")
        #expect(try list().map(\.platform) == [nil, nil])
    }
}
