import BLEAdapter
import BLESimulator
import BLEWire
import BluetoothPairing
import Foundation
import Testing

/// No key of a pairing is in a capture of the air, neither in its packets nor in its metadata.
@Suite(.timeLimit(.minutes(10))) struct CaptureSecrecyTests {
    @Test func aCaptureOfTheAirHasNoKey() async throws {
        let path = NSTemporaryDirectory() + "ocb-pairing-\(UUID().uuidString).pcapng"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let scene = PairingScene(lock: .displaysPasskey) { .entersPasskey(shownBy: $0) }
        let capture = try scene.world.captureAir(to: path, names: ["Lock", "Phone"])
        _ = try await scene.pair(minimum: .authenticated).get()
        try capture.finish()
        let file = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(file.count > 1000)
        // A packet of the pairing is there, so the search can find octets: a Pairing Public Key (0x0C) on CID 6.
        #expect(file.range(of: Data([0x41, 0x00, 0x06, 0x00, 0x0C])) != nil)

        var keys: [UInt128] = []
        for device in [scene.phone, scene.lock] {
            let store = device.adapter.store.bonds
            let bond = try #require(store.bonds.first)
            keys += [store.localIdentityKey?.value, bond.peerIdentityKey?.value].compactMap { $0 }
            keys += [bond.localKey?.key.value, bond.peerKey?.key.value].compactMap { $0 }
        }
        #expect(Set(keys).count >= 3, "a long term key and two identity keys")
        let text = String(decoding: file, as: Unicode.ASCII.self).lowercased()
        for (index, key) in keys.enumerated() {
            let octets = (0..<16).map { UInt8(truncatingIfNeeded: key >> (8 * UInt128($0))) }
            for order in [octets, octets.reversed()] {
                #expect(file.range(of: Data(order)) == nil, "key \(index)")
                let digits = order.map { String(format: "%02x", $0) }
                #expect(!text.contains(digits.joined()) && !text.contains(digits.joined(separator: " ")))
            }
        }
    }
}
