import BLETransfer
import Foundation
import TestConditions

/// Keeps received files in memory, also their beginnings.
final class MemoryStore: TransferStore, @unchecked Sendable {
    final class Sink: TransferSink {
        let store: MemoryStore
        let offer: TransferOffer
        init(_ store: MemoryStore, _ offer: TransferOffer) {
            self.store = store
            self.offer = offer
        }

        var count: Int { store.partial[offer]?.count ?? 0 }
        func readStored(_ body: (Data) -> Void) throws(TransferStoreError) { body(store.partial[offer] ?? Data()) }
        func append(_ octets: Data) throws(TransferStoreError) {
            guard count + octets.count <= store.space else { throw TransferStoreError(.noSpace) }
            store.partial[offer, default: Data()].append(octets)
            store.appended += octets.count
        }
        func removeAll() throws(TransferStoreError) { store.partial[offer] = nil }
        func commit() throws(TransferStoreError) {
            store.files[offer.name] = store.partial[offer] ?? Data()
            store.partial[offer] = nil
        }
    }

    var partial: [TransferOffer: Data] = [:]
    var files: [String: Data] = [:]
    /// The number of octets that were appended to any file.
    var appended = 0
    /// The most octets of one file.
    var space = Int.max
    var refusal: TransferReason?

    func open(_ offer: TransferOffer) throws(TransferStoreError) -> any TransferSink {
        if let refusal { throw TransferStoreError(refusal) }
        return Sink(self, offer)
    }
}

/// The events of one end.
final class EventLog: @unchecked Sendable {
    private let lock = NSLock()
    private var events: [TransferEvent] = []

    var report: @Sendable (TransferEvent) -> Void { { [self] event in lock.withLock { events.append(event) } } }
    var all: [TransferEvent] { lock.withLock { events } }

    /// The ends of transfers: nil is success.
    var ends: [TransferError?] { all.compactMap { if case .ended(_, let error) = $0 { .some(error) } else { nil } } }
    var starts: [Int] { all.compactMap { if case .started(_, let offset) = $0 { offset } else { nil } } }
    var lostLinks: Int { all.count { if case .linkLost = $0 { true } else { false } } }
    var isLinked: Bool { all.contains { if case .linked = $0 { true } else { false } } }
}

/// Octets that repeat nowhere.
func pattern(_ count: Int, seed: UInt64 = 1) -> Data {
    var random = Seeded(seed)
    var octets = Data(capacity: count + 8)
    while octets.count < count { withUnsafeBytes(of: random.next()) { octets.append(contentsOf: $0) } }
    return octets.prefix(count)
}
