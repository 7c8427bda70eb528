import BLEAdapter
import BLEHostAdapter
import BLEStore
import BLEWire
import Foundation

/// The files of the store: two programs write them in turn, a third one reads them, and the test sometimes damages
/// them.
struct StoreLife {
    private(set) var problems: [String] = []
    private(set) var sentence = ""

    static func run(seed: UInt64, rounds: Int) -> StoreLife {
        var life = StoreLife()
        let path = NSTemporaryDirectory() + "fault-soak-\(getpid())-\(seed)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let directory = StoreDirectory(path: path)
        var random = SeededRandom(seed: seed)
        var known: [(address: DeviceAddress, identifier: PeerIdentifier, name: String)] = []
        var damages = 0
        for round in 0..<rounds {
            let programs = [DeviceStore(directory: directory), DeviceStore(directory: directory)]
            for (number, program) in programs.enumerated() {
                let address = DeviceAddress(kind: .random, value: 0xC000_0000_0000 | random.next() >> 24)
                let name = "device \(round) \(number)"
                program.remember(address, PeerNames(deviceName: name))
                known.append((address, program.identifier(for: address), name))
            }
            for program in programs { program.flush() }
            if round % 7 == 6 {
                damages += 1
                damage(path + "/state", &random)
                // The names are lost, the identifiers are not.
                let program = DeviceStore(directory: directory)
                for index in known.indices {
                    if program.identifier(for: known[index].address) != known[index].identifier {
                        life.problems.append("store, round \(round): an identifier changed with a damaged file")
                    }
                    program.remember(known[index].address, PeerNames(deviceName: known[index].name))
                }
                program.flush()
            }
            let reader = DeviceStore(directory: directory)
            for peer in known {
                let record = reader.record(of: peer.identifier)
                if reader.identifier(for: peer.address) != peer.identifier || record.name != peer.name
                    || reader.address(of: peer.identifier) != peer.address
                {
                    life.problems.append("store, round \(round): \(peer.name) is lost, or has another identifier")
                }
            }
            if !life.problems.isEmpty { break }
        }
        life.sentence = "store: \(known.count) devices in \(rounds) rounds, \(damages) damaged files"
        return life
    }

    private static func damage(_ path: String, _ random: inout SeededRandom) {
        guard var octets = FileManager.default.contents(atPath: path), octets.count > 20 else { return }
        if random.next() & 1 == 0 {
            octets.removeLast(1 + Int(random.next() % 19))
        } else {
            octets[Int(random.next() % UInt64(octets.count))] ^= 0x10
        }
        try? octets.write(to: URL(fileURLWithPath: path))
    }
}
