import BLEController
import BLEWire
import Testing

/// What the two simulated ends of an encrypted link could do wrong together: `AirDecryptor` computes the cipher by itself.
struct RefreshVectorTests {
    /// Each session begins with both packet counters at 0, with its own key, diversifiers and vectors (Vol 6, Part B, 5.1.3.1).
    @Test(arguments: [UInt16(0), 5]) func eachRefreshBeginsANewSession(latency: UInt16) throws {
        let bench = Bench()
        let (central, peripheral) = (bench.addHost(), bench.addHost())
        let keys: [UInt128] = [0x0102_0304_0506_0708_090A_0B0C_0D0E_0F10, 77, UInt128.max - 5, 77]
        let air = AirDecryptor(bench, of: central, keys: keys)
        let link = try #require(bench.connect(central, peripheral, interval: 6, latency: latency, timeout: 200))
        for (round, key) in keys.enumerated() {
            #expect(bench.encrypt(central, link.central, with: peripheral, key: key))
            // Different numbers of PDUs in the two directions, so that one counter cannot stand for the other.
            for number in 0..<5 + round { central.queue([UInt8(number), 1, 2], handle: link.central) }
            for number in 0..<2 + round { peripheral.queue([UInt8(number), 3], handle: link.peripheral) }
            bench.run(for: .seconds(1))
            #expect(air.sessions == round + 1)
            // LL_START_ENC_RSP, then the data.
            #expect(air.counters.central == UInt64(6 + round))
            #expect(air.counters.peripheral == UInt64(3 + round))
        }
        #expect(air.failures.isEmpty)
        let data = air.decrypted.filter { $0.kind != 3 }
        #expect(data.filter(\.isFromCentral).flatMap(\.payload) == peripheral.received[link.peripheral])
        #expect(data.filter { !$0.isFromCentral }.flatMap(\.payload) == central.received[link.central])
        // LL_START_ENC_RSP of both sides in each session; LL_PAUSE_ENC_REQ and the peripheral's LL_PAUSE_ENC_RSP before each refresh.
        let control = air.decrypted.filter { $0.kind == 3 }.map { $0.payload[0] }
        #expect(control.filter { $0 == 0x06 }.count == 8)
        #expect(control.filter { $0 == 0x0A }.count == 3 && control.filter { $0 == 0x0B }.count == 3)
        #expect(central.disconnections.isEmpty && peripheral.disconnections.isEmpty)
    }

    /// The packet counter has 39 bits (Vol 6, Part E, 2.1), not the 16 of the event counter.
    @Test func packetCountersGoOnBeyond16Bits() throws {
        let bench = Bench()
        let (central, peripheral) = (bench.addHost(), bench.addHost())
        let air = AirDecryptor(bench, of: central, keys: [9])
        air.range = 65_500...66_000
        let link = try #require(bench.connect(central, peripheral, interval: 80))
        central.send(HCI.LESetPHY(connectionHandle: link.central, txPHYs: .le2M, rxPHYs: .le2M, options: 0))
        bench.run(for: .seconds(1))
        #expect(bench.encrypt(central, link.central, with: peripheral, key: 9))
        for (host, handle) in [(central, link.central), (peripheral, link.peripheral)] {
            host.keepsEvents = false
            host.flood = RawHost.packet([7], handle: handle)
            host.pump()
        }
        #expect(bench.run(atMost: .seconds(120)) { min(air.counters.central, air.counters.peripheral) > 65_600 })
        #expect(air.failures.isEmpty && air.decrypted.count > 200)
        #expect(air.decrypted.allSatisfy { $0.kind == 3 || $0.payload == [7] })
        #expect(central.disconnections.isEmpty && peripheral.disconnections.isEmpty)
    }
}
