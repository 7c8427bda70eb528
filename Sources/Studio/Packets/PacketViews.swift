import BLEDissection
import Foundation
import StudioRoom
import StudioServer

/// The commands and files of the packet list.
///
/// - `packets.list {"from","count","filter","folded","around","conversation"}` returns a `PacketList`.
/// - `packets.detail {"n"}` returns a `PacketDetail`.
/// - The file `packets.pcapng`.
///
/// Indexes of the latest filters stay, so a page that scrolls costs no search. A command searches at most `searchLimit` packets.
package actor PacketViews {
    package typealias Source = @Sendable () async throws -> RoomPackets

    private static let indexLimit = 6
    private static let searchLimit = 25_000
    private static let rowLimit = 500

    private let source: Source
    private var run = 0
    /// The latest used one is the last.
    private var indexes: [(filter: PacketFilter, index: PacketIndex)] = []

    package init(_ source: @escaping Source) { self.source = source }

    package nonisolated func register(on hub: StudioHub) {
        hub.on("packets.list") { (query: PacketQuery) in try await self.list(query) }
        hub.on("packets.detail") { (query: PacketNumber) in try await self.detail(query.n) }
        hub.addFile("packets.pcapng") { PacketDownload.pcapng(try await self.source()) }
    }

    private func detail(_ number: Int) async throws -> PacketDetail {
        let packets = try await source()
        guard let packet = packets.ring[number] else {
            throw StudioFailure(
                "packet-gone", "Packet \(number) is not kept.",
                next: "The room keeps packets \(packets.ring.range.lowerBound) to \(packets.ring.range.upperBound - 1)."
            )
        }
        return PacketDetail(packet, packets.dissector)
    }

    private func list(_ query: PacketQuery) async throws -> PacketList {
        let packets = try await source()
        let filter = (query.filter ?? PacketFilter()).normal
        var index = takeIndex(filter, packets)
        let isComplete = index.advance(in: packets.ring, limit: Self.searchLimit)
        indexes.append((filter, index))
        if indexes.count > Self.indexLimit { indexes.removeFirst() }
        return PacketList(query, index, packets, isComplete: isComplete, limit: Self.rowLimit)
    }

    /// The index of a filter, which the caller adds again.
    private func takeIndex(_ filter: PacketFilter, _ packets: RoomPackets) -> PacketIndex {
        if packets.run != run {
            run = packets.run
            indexes = []
        }
        guard let place = indexes.firstIndex(where: { $0.filter == filter }) else { return PacketIndex(filter) }
        let index = indexes.remove(at: place).index
        return index.next <= packets.ring.count ? index : PacketIndex(filter)
    }
}

struct PacketNumber: Decodable, Sendable {
    var n: Int
}

struct PacketQuery: Decodable, Sendable {
    /// The first row; nil for the last `count` rows.
    var from: Int?
    var count: Int
    var filter: PacketFilter?
    /// Whether a conversation is one row.
    var folded: Bool?
    /// A packet that has to be among the rows. It overrides `from`.
    var around: Int?
    /// Lists the packets of a conversation that the filter selects. Rows count from 0.
    var conversation: Int?
}

/// Rows of the packet list. Rows keep their numbers while the run lasts; `first` grows when the room drops its oldest packets.
struct PacketList: Encodable, Sendable {
    /// The number of the run. Rows of another run are not the same.
    var run: Int
    /// The first row, and the number after the last one.
    var first: Int
    var end: Int
    /// The number of the first one of `rows`.
    var from: Int
    var rows: [PacketRow]
    /// The packets that the room keeps, and those that it had.
    var kept: Int
    var packets: Int
    /// The row of the packet `around`.
    var row: Int?
    /// Whether all packets are searched. If not, the page asks again.
    var isComplete: Bool

    init(_ query: PacketQuery, _ index: PacketIndex, _ packets: RoomPackets, isComplete: Bool, limit: Int) {
        let ring = packets.ring
        let isFolded = query.folded ?? false
        let oldest = ring.range.lowerBound
        let members = query.conversation.map { index.members(of: $0)?.numbers(from: oldest) ?? [] }
        let range = members.map { 0..<$0.count } ?? (isFolded ? index.foldedRange : index.flatRange)
        let count = min(max(0, query.count), limit)
        var start = query.from ?? max(range.lowerBound, range.upperBound - count)
        if let number = query.around {
            let row =
                members?.firstIndex { $0 >= number }
                ?? (isFolded
                    ? index.foldedRow(of: number, conversation: ring[number]?.summary.conversation)
                    : index.flatRow(of: number))
            self.row = row
            start = row - count / 2
        }
        let wanted = (start..<max(start, start &+ count)).clamped(to: range)
        rows = wanted.compactMap { row in
            if let members { return ring[members[row]].map { PacketRow($0) } }
            if isFolded { return PacketRow(index.row(row).numbers(from: oldest), in: ring) }
            return ring[index.number(ofFlatRow: row)].map { PacketRow($0) }
        }
        run = packets.run
        first = range.lowerBound
        end = range.upperBound
        from = wanted.lowerBound
        kept = ring.range.count
        self.packets = ring.count
        self.isComplete = isComplete
    }
}
