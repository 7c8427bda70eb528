import BLEAdapter
import BLEHostAdapter
import BLEWire
import CoreBluetooth
import Testing

/// The peer decides which service includes which: circles of objects end with the connection, with a change of the services, and with the
/// peripheral.
@Suite struct IncludedServiceTests {
    enum End: CaseIterable { case disconnection, loss, change, release }

    private final class Watched {
        weak var first: CBService?
        weak var second: CBService?
        weak var characteristic: CBCharacteristic?
    }

    /// A includes B and B includes A; or A includes itself.
    @Test(arguments: End.allCases, [false, true])
    func aCircleOfServicesIsReleased(end: End, isOwn: Bool) throws {
        let bench = CentralBench()
        let watched = Watched()
        try {
            var peripheral: CBPeripheral? = bench.connectedPeripheral()
            try discover(try #require(peripheral), bench, watched, isOwn: isOwn)
            #expect(watched.first != nil && watched.characteristic != nil)
            switch end {
            case .disconnection:
                bench.emit { $0.disconnected(CentralBench.peer, .failed(.endedByPeer), isReconnecting: false) }
            case .loss: bench.powerChanged(to: .unsupported)
            case .change:
                bench.emit { $0.servicesChanged(HandleRange(start: 1, end: 0xFFFF), of: CentralBench.peer) }
                // Invalid objects stay for results that are on their way until the link ends.
                bench.recorder.invalidated { $0 = [] }
                #expect(peripheral?.services?.isEmpty == true)
                #expect(watched.first?.includedServices == nil && watched.second?.includedServices == nil)
                bench.emit { $0.disconnected(CentralBench.peer, .failed(.endedByPeer), isReconnecting: false) }
            case .release:
                bench.recorder.peripherals { $0 = [] }
                bench.manager.stopScan()
                peripheral = nil
            }
        }()
        bench.settle()
        #expect(watched.first == nil && watched.second == nil && watched.characteristic == nil)
    }

    private func discover(_ peripheral: CBPeripheral, _ bench: CentralBench, _ watched: Watched, isOwn: Bool) throws {
        let found = [DiscoveredService(0x180F, 1, 5), DiscoveredService(0x180D, 6, 9)]
        peripheral.discoverServices(nil)
        bench.answer(.success(.services(found)))
        let services = try #require(peripheral.services)
        try #require(services.count == 2)
        for (index, service) in services.enumerated() {
            peripheral.discoverIncludedServices(nil, for: service)
            bench.answer(.success(.services([found[isOwn ? index : 1 - index]])))
            let included = try #require(service.includedServices?.first)
            #expect(included === services[isOwn ? index : 1 - index])
        }
        peripheral.discoverCharacteristics(nil, for: services[0])
        bench.answer(.success(.characteristics([DiscoveredCharacteristic(0x2A19, .read, value: 3, end: 5)])))
        watched.first = services[0]
        watched.second = services[1]
        watched.characteristic = services[0].characteristics?.first
    }
}
