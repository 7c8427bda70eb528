import BLEAdapter
import BLEWire
import BlueZBench
import SystemBus
import Testing

@testable import BLEBlueZAdapter

/// A headset that plays music over BR/EDR and has services of LE.
struct BearerTests {
    private let service = [BluetoothUUID(0x180D as UInt16)]

    private func isShown(_ bench: CentralBench) -> Bool {
        bench.session?.connectedPeers(services: service).isEmpty == false
    }

    private func calls(_ bench: CentralBench) -> [String] {
        bench.bluez.calls.map(\.method).filter { $0.hasSuffix("onnect") }
    }

    private func connect(_ bench: CentralBench) -> [String] {
        bench.session?.connect(bench.headset, options: ConnectionOptions())
        bench.run(.seconds(1))
        return bench.lines()
    }

    private func cancel(_ bench: CentralBench) -> [String] {
        bench.session?.cancelConnection(bench.headset)
        bench.run(.seconds(5))
        return bench.lines()
    }

    @Test func bluetoothdTellsTheBearers() {
        let bench = CentralBench.on()
        let path = bench.addHeadset()
        bench.bluez.addBearers(path, areExperimental: true)
        bench.run()
        #expect(!isShown(bench))
        #expect(connect(bench) == ["connected headset"] && isShown(bench))
        #expect(cancel(bench) == ["disconnected cancelled"] && !isShown(bench))
        #expect(calls(bench) == ["LE1.Connect", "LE1.Disconnect"])
        #expect(bench.bluez.hasClassicLink(path) && !bench.bluez.isConnected(path))
    }

    @Test(arguments: [true, false])
    func theKernelTellsThem(advertises: Bool) {
        let bench = CentralBench.on(version: 66)
        let path = bench.addHeadset(advertises: advertises)
        bench.deviceOfKernel = path
        bench.run()
        #expect(!isShown(bench))
        #expect(connect(bench) == ["connected headset"] && isShown(bench))
        bench.bluez.dropLink(path, .remote)
        bench.run(.seconds(1))
        #expect(bench.lines() == ["disconnected failed(BLEAdapter.ConnectionError.endedByPeer)"] && !isShown(bench))
        #expect(connect(bench) == ["connected headset"])
        // bluetoothd has no call that would leave the link of BR/EDR alone.
        #expect(cancel(bench) == ["disconnected cancelled"])
        #expect(calls(bench) == ["Device1.Connect", "Device1.Connect"])
        #expect(bench.bluez.hasClassicLink(path) && bench.bluez.isConnected(path))
    }

    @Test func aLinkOfClassicThatBeganLaterIsLeftAlone() {
        let bench = CentralBench.on(version: 66)
        let path = bench.addHeadset()
        bench.deviceOfKernel = path
        bench.bluez.setClassicLink(path, false)
        bench.run()
        #expect(connect(bench) == ["connected headset"])
        bench.bluez.setClassicLink(path, true)
        bench.run()
        #expect(cancel(bench) == ["disconnected cancelled"] && bench.bluez.hasClassicLink(path))
        // The link of LE that stayed is used again.
        #expect(connect(bench) == ["connected headset"] && calls(bench) == ["Device1.Connect"])
    }

    /// The class without the flags of advertisements is the only sign.
    @Test func withoutEitherTheClassTells() {
        let bench = CentralBench.on(version: 66)
        _ = bench.addHeadset(advertises: false)
        bench.run()
        #expect(!isShown(bench))
    }

    @Test func theServicesOfLEAreAwaited() {
        let bench = CentralBench.on()
        bench.bluez.timing.resolving = .seconds(3)
        let path = bench.addHeadset()
        bench.bluez.addBearers(path, areExperimental: true)
        bench.run()
        // ServicesResolved is that of BR/EDR.
        #expect(connect(bench) == [])
        bench.run(.seconds(3))
        #expect(bench.lines() == ["connected headset"])
        bench.session?.submit(.discoverServices(nil), to: bench.headset)
        bench.run()
        #expect(bench.lines() == ["services [\"180D 2\"]"])
    }
}
