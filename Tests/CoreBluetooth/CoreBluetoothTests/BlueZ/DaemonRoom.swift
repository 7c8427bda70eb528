import BLEBlueZAdapter
import BLESimulator
import BLEStore
import BLEVirtualRadio
import BLEWire
import Synchronization
import Testing

/// The kernel and the bluetoothd of this machine in a world, with a controller of it. The world runs in real time from then on.
final class DaemonRoom {
    /// The device of a scene that bluetoothd is.
    enum Place { case phone, gadget }

    /// A device that nobody hears, in place of a host of the world.
    let device: VirtualDevice
    private let index: UInt16

    init(_ world: World) async throws {
        device = world.addDevice("Unused", at: Position(x: 1_000_000))
        Self.worlds { $0.append(world) }
        let index = Locked<UInt16?>(nil)
        world.start()
        try world.serveKernel(at: Position(x: 1)) { number in index { $0 = number } }
        try #require(await world.run(timeout: .seconds(10)) { index.value != nil })
        self.index = try #require(index.value)
    }

    /// An adapter of a program with a memory of its own.
    func adapter() -> BlueZAdapter {
        var random = SeededRandom(seed: 99)
        return BlueZAdapter(
            adapter: "hci\(index)", identification: DeviceStore(key: StoreKey(using: &random)), report: { _ in })
    }

    /// Ends the worlds, when the programs in them have left bluetoothd: version 5.66 may end when an adapter is removed while it is used.
    static func end() async {
        for world in worlds.value { await world.run(for: .milliseconds(300)) }
        worlds { $0 = [] }
    }
    private static let worlds = Locked<[World]>([])

    /// Another seed for each scene: bluetoothd remembers the devices and the database of an address.
    static func nextSeed() -> UInt64 { UInt64(scenes.add(1, ordering: .relaxed).newValue) }
    private static let scenes = Atomic(0)
}
