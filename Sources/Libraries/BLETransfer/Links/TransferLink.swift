import Foundation

/// What a link received.
enum TransferFrame {
    case message(TransferMessage)
    case data(offset: Int, Data)
    /// Octets that are neither.
    case invalid
}

/// A link that carries one transfer.
protocol TransferLink: AnyObject {
    /// The most octets of a file in one value or frame.
    var maximumData: Int { get }
    /// Whether `sendData` may succeed. If not, the owner of the link calls `TransferEndpoint.hasSpace` later.
    var hasSpace: Bool { get }
    /// Sends a message reliably and in order.
    func send(_ message: TransferMessage)
    /// Sends octets of the file. Returns false if there is no space.
    func sendData(at offset: Int, _ octets: Data) -> Bool
    /// No more octets follow at the moment.
    func flushData()
    /// Whether all messages were accepted by the peer's host.
    var isFlushed: Bool { get }
}

extension TransferLink {
    func flushData() {}
}

/// The octets before those of the file in a value: the offset.
let dataHeaderCount = 4

/// Control messages as values of a characteristic: a stream of frames, cut where a value ends.
struct ControlOutbox {
    private var octets: [UInt8] = []

    var isEmpty: Bool { octets.isEmpty }

    /// A peer that takes no messages gets none beyond this number of octets. The time limit of its answer ends the transfer.
    private static let limit = 65_536

    mutating func append(_ message: TransferMessage) {
        if octets.count < Self.limit { octets += message.frame }
    }

    /// The next value of at most `limit` octets.
    func next(_ limit: Int) -> Data { Data(octets.prefix(max(1, limit))) }

    mutating func removeFirst(_ count: Int) { octets.removeFirst(count) }
}

/// The frames of a control stream.
struct ControlInbox {
    private var assembler = FrameAssembler(limit: TransferMessage.longest)

    mutating func take(_ value: Data) -> [TransferFrame] {
        assembler.append(value)
        var frames: [TransferFrame] = []
        while let frame = assembler.next() {
            frames.append(TransferMessage(frame).map(TransferFrame.message) ?? .invalid)
        }
        return assembler.isBroken ? frames + [.invalid] : frames
    }
}

/// Splits a value of the data characteristic.
func dataFrame(_ value: Data) -> TransferFrame {
    guard value.count >= dataHeaderCount else { return .invalid }
    let offset = value.prefix(dataHeaderCount).reversed().reduce(0) { $0 << 8 | Int($1) }
    return .data(offset: offset, value.dropFirst(dataHeaderCount))
}

/// Builds a value of the data characteristic.
func dataValue(at offset: Int, _ octets: Data) -> Data {
    var value = Data(capacity: dataHeaderCount + octets.count)
    value.append(contentsOf: TransferMessage.octets(offset))
    value.append(octets)
    return value
}
