import BLEPacketDecoding
import Foundation
import Phrases
import StudioRoom
import StudioServer

/// The commands and files of the packet list.
///
/// - `packets.list {"from","count","filter","folded","around","conversation"}` returns a `PacketList`.
/// - `packets.detail {"n"}` returns a `PacketDetail`.
/// - The file `packets.pcapng`, and `packets.btsnoop` with `device`: the HCI packets of one host. Packets of a capture are not saved again.
///
/// Indexes of the latest filters stay, so a page that scrolls costs no search. A command searches at most `searchLimit` packets.
package actor PacketViews {
    package typealias Source = @Sendable () async throws -> RoomPackets
    /// Returns the HCI packets of a device.
    package typealias HCISource = @Sendable (_ device: String) async throws -> HCIRecording

    private static let indexLimit = 6
    private static let searchLimit = 25_000
    private static let rowLimit = 500

    private let source: Source
    private let hci: HCISource?
    private var run = 0
    /// The latest used one is the last.
    private var indexes: [(filter: PacketFilter, index: PacketIndex)] = []

    /// - Parameter hci: Nil for the packets of a capture.
    package init(_ source: @escaping Source, hci: HCISource?) {
        self.source = source
        self.hci = hci
    }

    /// - Parameter prefix: What the names begin with.
    package nonisolated func register(on hub: StudioHub, prefix: String = "") {
        hub.on(prefix + "packets.list") { (query: PacketQuery) in try await self.list(query) }
        hub.on(prefix + "packets.detail") { (query: PacketNumber) in try await self.detail(query.n) }
        guard let hci else { return }
        hub.addFile(prefix + "packets.pcapng") { PacketDownload.pcapng(try await self.source()) }
        hub.addFile(prefix + "packets.btsnoop") { arguments in
            let device = arguments["device"] ?? ""
            return PacketDownload.btsnoop(try await hci(device), device: device)
        }
    }

    private func detail(_ number: Int) async throws -> PacketDetail {
        let packets = try await source()
        guard let packet = packets.ring[number] else {
            let range = packets.ring.range
            let (first, last) = (range.lowerBound, range.upperBound - 1)
            throw PhrasedError(
                "packet-gone", Phrase("Packet \(number) is not kept.", "数据包 \(number) 已不再保留。"),
                next: range.isEmpty
                    ? Phrase("There are no packets to select.", "没有可选择的数据包。")
                    : Phrase("Select one of the packets \(first) to \(last).", "请从数据包 \(first) 至 \(last) 中选择。"))
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
    /// Conversations whose folded rows the answer names, at most 500.
    var opened: [Int]?
}

/// Rows of the packet list. `first` grows when the room drops its oldest packets. Rows keep their numbers, except those of conversations that began
/// before the oldest packet: they move up, so that there is no gap between them.
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
    /// The HCI packets that the room no longer keeps, by the identifiers of devices.
    var droppedHCI: [String: Int]
    /// The row of the packet `around`.
    var row: Int?
    /// The rows of the conversations `opened`; null for one without packets.
    var opened: [Int?]?
    /// Whether all packets are searched. If not, the page asks again.
    var isComplete: Bool

    init(_ query: PacketQuery, _ index: PacketIndex, _ packets: RoomPackets, isComplete: Bool, limit: Int) {
        let ring = packets.ring
        let isFolded = query.folded ?? false
        let oldest = ring.range.lowerBound
        let members = query.conversation.map { conversation in
            index.row(ofConversation: conversation).map { index.numbers(ofRow: $0, from: oldest) } ?? []
        }
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
            if isFolded { return PacketRow(index.numbers(ofRow: row, from: oldest), in: ring) }
            return ring[index.number(ofFlatRow: row)].map { PacketRow($0) }
        }
        opened = query.opened.map { $0.prefix(limit).map { index.row(ofConversation: $0) } }
        run = packets.run
        first = range.lowerBound
        end = range.upperBound
        from = wanted.lowerBound
        kept = ring.range.count
        self.packets = ring.count - packets.first
        droppedHCI = Dictionary(
            packets.droppedHCI.map { (RoomDevice.identifier($0), $1) }, uniquingKeysWith: { _, last in last })
        self.isComplete = isComplete
    }
}
