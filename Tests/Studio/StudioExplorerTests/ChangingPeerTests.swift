import AdvertisementScanning
import BLEAdapter
import BLESimulator
import BLEWire
import CoreBluetooth
import Foundation
import Testing

@testable import StudioExplorer

/// Devices that change their services or their addresses all the time.
struct ChangingPeerTests {
    private static let second: Int64 = 1_000_000_000

    private func service(_ uuid: String) -> CBMutableService {
        let service = CBMutableService(type: CBUUID(string: uuid), primary: true)
        service.characteristics = [
            CBMutableCharacteristic(
                type: CBUUID(string: "FF01"), properties: [.read], value: nil, permissions: [.readable])
        ]
        return service
    }

    @Test func aDeviceThatChangesItsServicesAtEachEventCausesFewDiscoveries() async throws {
        let scene = ExplorerScene()
        let peer = TestPeripheral(
            "Peer", [service("FF00")], on: scene.world.addDevice("Peer", at: Position(x: 1)), queue: scene.queue)
        scene.programs.append(peer)
        let identifier = try await scene.open("Peer")
        let before = scene.read { $0.log.next }
        // 600 changes in 30 s.
        var changing: CBMutableService?
        for _ in 0..<600 {
            scene.queue.sync {
                if let service = changing {
                    peer.manager.remove(service)
                    changing = nil
                } else {
                    let service = service("FF80")
                    peer.manager.add(service)
                    changing = service
                }
            }
            await scene.run(.milliseconds(50))
        }
        let (calls, discoveries, lines) = scene.read { explorer in
            let entries = explorer.log.entries.filter { $0.n >= before }
            return (
                entries.count { $0.kind == .call }, entries.count { $0.key == "discover-services" },
                explorer.log.next - before
            )
        }
        // The pauses add up to 31.75 s after seven of them.
        #expect((4...9).contains(discoveries), "\(discoveries) discoveries")
        #expect(calls < 100 && lines < 300, "\(calls) calls, \(lines) lines")
        // The tree is complete after the changes end.
        #expect(
            await scene.run(
                .seconds(70),
                until: { state in
                    state.devices[0].link == .connected && !state.devices[0].isDiscovering
                        && !state.devices[0].services.isEmpty
                }))
        try scene.perform(.read(device: identifier, attribute: "1.1"))
        #expect(await scene.run(until: { $0.devices[0].services[0].characteristics[0].value != nil }))
    }

    @Test func aChangeAfterAQuietMinuteIsDiscoveredAtOnce() async throws {
        let scene = ExplorerScene()
        let peer = TestPeripheral(
            "Peer", [service("FF00")], on: scene.world.addDevice("Peer", at: Position(x: 1)), queue: scene.queue)
        scene.programs.append(peer)
        try await scene.open("Peer")
        // The host subscribes to Service Changed in the meantime.
        await scene.run(.seconds(1))
        scene.queue.sync { peer.manager.add(service("FF80")) }
        #expect(
            await scene.run(
                .seconds(2),
                until: { $0.devices[0].services.map(\.uuid).contains("FF80") && !$0.devices[0].isDiscovering }))
        #expect(scene.read { explorer in explorer.log.entries.count { $0.key == "services-changed" } } == 1)
    }

    @Test func thePauseBetweenDiscoveriesGrowsAndEnds() {
        var discovery = AttributeDiscovery()
        var time: Int64 = 0
        var pauses: [Int64] = []
        for _ in 0..<10 {
            discovery.servicesChanged(at: time)
            discovery.servicesChanged(at: time)
            #expect(discovery.changes == 2 && discovery.isActive && discovery.current == nil)
            pauses.append((discovery.due ?? 0) - time)
            time = discovery.due ?? 0
            discovery.begin()
        }
        #expect(
            pauses.map { Double($0) / Double(Self.second) } == [0, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 32])
        discovery.servicesChanged(at: time + AttributeDiscovery.quietTime)
        #expect(discovery.due == time + AttributeDiscovery.quietTime)
    }

    @Test func resultsOfAnEarlierDiscoveryAreIgnored() {
        var discovery = AttributeDiscovery()
        func takes() -> Bool { discovery.takesServices() }
        discovery.begin()
        #expect(discovery.awaits(.services))
        discovery.servicesChanged(at: 0)
        #expect(!discovery.awaits(.services) && discovery.next() == nil)
        // The device answers both requests, the outdated one first.
        discovery.begin()
        #expect(!takes())
        #expect(discovery.awaits(.services))
        #expect(takes())
        // An answer that comes before the next request.
        discovery.servicesChanged(at: Self.second)
        #expect(!takes())
        discovery.begin()
        #expect(takes())
        // The end of the link ends all requests.
        discovery.begin()
        discovery.linkEnded()
        discovery.begin()
        #expect(takes())
    }

    @Test(arguments: 0..<16) func aChangeInTheMiddleOfADiscoveryLeavesNoOldServices(part: Int) async throws {
        let scene = ExplorerScene()
        let (stays, goes) = (service("FF00"), service("FF80"))
        let peer = TestPeripheral(
            "Peer", [stays, goes], on: scene.world.addDevice("Peer", at: Position(x: 1)), queue: scene.queue)
        scene.programs.append(peer)
        let identifier = try await scene.open("Peer")
        // The host subscribes to Service Changed in the meantime.
        await scene.run(.seconds(1))
        try scene.perform(.discover(device: identifier))
        await scene.world.run(until: scene.world.now + .milliseconds(12 * part))
        scene.queue.sync {
            peer.manager.remove(goes)
            peer.manager.add(service("FF90"))
        }
        // Both changes are discovered: the second one after a pause of at most a second.
        await scene.run(.seconds(5))
        #expect(scene.state.devices[0].services.map(\.uuid) == ["FF00", "FF90"])
        #expect(!scene.state.devices[0].isDiscovering)
        #expect(scene.state.devices[0].services.allSatisfy { $0.characteristics.map(\.uuid) == ["FF01"] })
    }

    @Test func advertisersWithNewAddressesAreBounded() {
        let start = ContinuousClock.now
        var scan = ExplorerScan(clock: { 0 })
        for number in 0..<3 * ExplorerScan.capacity {
            scan.add(
                AdvertisementReport(
                    discovery: Discovery(
                        peer: PeerRecord(
                            identifier: PeerIdentifier(high: UInt64(number) << 32, low: 1), name: nil),
                        address: DeviceAddress(kind: .random, value: UInt64(number)), data: [], scanResponse: [],
                        isConnectable: true, rssi: Int8(-30 - number % 60)),
                    time: start + .microseconds(100 * number)))
            if number.isMultiple(of: 1000) {
                #expect(scan.count <= ExplorerScan.capacity && scan.trackCount <= ExplorerScan.capacity)
            }
        }
        #expect(scan.count <= ExplorerScan.capacity && scan.trackCount <= ExplorerScan.capacity)
        #expect(scan.rows(ScanSelection()).rows.count == ExplorerState.rowLimit)
    }

    @Test func theLogNamesTwentyDevicesASecondAndCountsTheOthers() {
        var found = FoundDevices()
        let named = (0..<10_000).count { found.admits(at: Int64($0) * 100_000) }
        #expect(named == FoundDevices.limit)
        #expect(found.takeUnnamed(at: 999_999_999) == nil)
        #expect(found.takeUnnamed(at: Self.second) == 10_000 - FoundDevices.limit)
        #expect(found.takeUnnamed(at: 2 * Self.second) == nil && found.admits(at: 2 * Self.second))
    }
}
