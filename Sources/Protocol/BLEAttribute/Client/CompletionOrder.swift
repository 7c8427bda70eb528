import BLEWire
import DequeModule

/// The order in which operations end that run side by side on several bearers: that of their starts, which is that of the calls.
/// An operation that is done early waits here for the earlier ones.
struct CompletionOrder {
    private struct Entry {
        let id: UInt32
        var result: Result<GATTResult, GATTError>?
    }

    /// The number of entries from which on enhanced bearers start no more operations. A peer that keeps one answer back stops the
    /// others with it.
    static let limit = 64

    private var entries: Deque<Entry> = []

    var isEmpty: Bool { entries.isEmpty }
    var isFull: Bool { entries.count >= Self.limit }

    /// Notes the start of an operation. An operation that starts again keeps its place.
    mutating func begin(_ id: UInt32) {
        if !entries.contains(where: { $0.id == id }) { entries.append(Entry(id: id)) }
    }

    /// Takes the end of an operation. Emits it and those that waited for it, unless it waits for others itself.
    mutating func finish(_ id: UInt32, _ result: consuming Result<GATTResult, GATTError>, output: inout ATTOutput) {
        guard let index = entries.firstIndex(where: { $0.id == id }) else { return output.complete(id: id, result) }
        entries[index].result = result
        emitReady(output: &output)
    }

    /// Takes the withdrawal of an operation.
    mutating func remove(_ id: UInt32, output: inout ATTOutput) {
        entries.removeAll { $0.id == id }
        emitReady(output: &output)
    }

    /// Ends all operations. Those that are not done fail. Returns their numbers.
    mutating func removeAll(failing failure: GATTError, output: inout ATTOutput) -> [UInt32] {
        defer { entries.removeAll() }
        for entry in entries { output.emit(.completed(id: entry.id, entry.result ?? .failure(failure))) }
        return entries.map(\.id)
    }

    private mutating func emitReady(output: inout ATTOutput) {
        while let first = entries.first, let result = first.result {
            entries.removeFirst()
            output.complete(id: first.id, result)
        }
    }
}
