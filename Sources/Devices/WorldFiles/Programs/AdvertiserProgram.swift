import BLESimulator
import BLEWire
import Foundation
import Phrases

extension WorldProgramKind {
    /// An iBeacon without a host. Its parameters are `uuid`, `major` and `minor`.
    package static let beacon = WorldProgramKind("beacon", kind: .beacon, defaultName: "Beacon") { context in
        let uuid = context.parameters["uuid"]?.string ?? "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
        guard let uuid = UUID(uuidString: uuid) else {
            throw PhrasedError(
                "uuid",
                Phrase(
                    "\(uuid.prefix(64)) is not a UUID of 32 hexadecimal digits.",
                    "\(uuid.prefix(64)) 不是由 32 位十六进制数字组成的 UUID。"))
        }
        let major = UInt16(clamping: context.parameters["major"]?.integer ?? 1)
        let minor = UInt16(clamping: context.parameters["minor"]?.integer ?? 1)
        return RawAdvertisement(structures: [.flags(), .iBeacon(uuid, major: major, minor: minor)])
    }

    /// A device without a host that advertises its name. Its parameter is `interval` in milliseconds.
    package static let advertiser = WorldProgramKind("advertiser", kind: .sensor, defaultName: "Sensor") { context in
        var random = SeededRandom(seed: context.seed)
        // 0.625 ms apart, so that many devices do not advertise at the same times.
        let drawn = Duration.microseconds(100_000 + 625 * Int(random.next() % 320))
        let interval =
            context.parameters["interval"]?.clamped(to: 20...10_240).map { Duration.milliseconds($0) } ?? drawn
        let value = UInt8(truncatingIfNeeded: random.next())
        return RawAdvertisement(
            .scannable, structures: [.flags(), .manufacturer(0xFFFF, [1, value])],
            scanResponse: [.localName(String(context.name.prefixOfOctets(29)))], interval: interval)
    }
}

extension String {
    /// The longest prefix with at most `limit` octets of UTF-8.
    func prefixOfOctets(_ limit: Int) -> Substring {
        var end = startIndex
        var count = 0
        for index in indices {
            count += self[index].utf8.count
            guard count <= limit else { break }
            end = self.index(after: index)
        }
        return self[..<end]
    }
}
