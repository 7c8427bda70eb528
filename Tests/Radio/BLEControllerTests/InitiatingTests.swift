import BLEController
import BLEWire
import Testing

/// Both initiators are at the same distance from the advertiser, so neither CONNECT_IND survives a collision.
@Test(arguments: UInt64(0)..<8) func initiatorsThatRepeatTogetherDoNotCollideEachTime(seed: UInt64) {
    let bench = Bench(seed: seed)
    let centrals = [bench.addHost(at: RadioPosition(x: -2)), bench.addHost(at: RadioPosition(x: 2))]
    let peripheral = bench.addHost()
    peripheral.advertise()
    var attempts = 0
    while peripheral.connections.isEmpty, attempts < 20 {
        attempts += 1
        for central in centrals { central.connect(to: peripheral.address) }
        _ = bench.run(atMost: .seconds(2)) {
            !peripheral.connections.isEmpty || centrals.allSatisfy { $0.disconnections.count == attempts }
        }
        // Each attempt that collides ends at both centrals without a packet of the peripheral (Vol 6, Part B, 4.5.2).
        guard peripheral.connections.isEmpty else { break }
        #expect(centrals.allSatisfy { $0.disconnections.last?.reason == .connectionFailedToBeEstablished })
    }
    #expect(peripheral.connections.count == 1, "no link after \(attempts) attempts")
}
