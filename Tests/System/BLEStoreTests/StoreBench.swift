import BLEAdapter
import BLEWire
import Dispatch
import Foundation
import Logging
import Testing

@testable import BLEStore

/// A directory of its own for a store, and what the store writes into the log.
final class StoreBench: Sendable {
    let root: String
    let warnings = Warnings()

    final class Warnings: Sendable {
        private let lines = Lock<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    private struct Handler: LogHandler {
        let warnings: Warnings
        var metadata = Logger.Metadata()
        var logLevel = Logger.Level.trace
        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }
        func log(event: LogEvent) { if event.level >= .warning { warnings.add("\(event.message)") } }
    }

    init() {
        root = NSTemporaryDirectory() + "ocb-store-\(UUID().uuidString)"
    }

    deinit {
        writes.end()
        try? FileManager.default.removeItem(atPath: root)
    }

    /// Runs the delayed writes of stores until the directory is removed: a store would make it again.
    private final class Writes: Sendable {
        private let isEnded = Lock(false)

        func run(_ write: () -> Void) {
            isEnded.withLock { isEnded in if !isEnded { write() } }
        }

        func end() { isEnded.withLock { $0 = true } }
    }

    private let writes = Writes()

    var directory: StoreDirectory { StoreDirectory(path: root + "/state/opencorebluetooth", lockAttempts: 1) }
    var log: Logger {
        let warnings = self.warnings
        return Logger(label: "test") { _ in Handler(warnings: warnings) }
    }

    /// A store as in a process that starts now.
    func start() -> DeviceStore {
        var directory = self.directory
        directory.lockAttempts = 300
        let writes = self.writes
        return DeviceStore(directory: directory, log: log) { delay, queue, body in
            // check-tests: wait: the timer of a store, as in a program; no test waits for its time.
            queue.asyncAfter(deadline: .now() + .nanoseconds(Int(delay.nanoseconds))) { writes.run(body) }
        }
    }

    /// The same, with timers that run when the test calls `fire`.
    ///
    /// - Parameters:
    ///   - lockAttempts: Between fork and exec, a process that another test starts has a copy of the lock's
    ///     file descriptor, so one attempt is not enough.
    ///   - name: A file that belongs to another user than that of the store: the store is one of another user, and owns the rest.
    func start(_ timers: Timers, lockAttempts: Int = 300, notOwning name: String? = nil) -> DeviceStore {
        var directory = self.directory
        directory.lockAttempts = lockAttempts
        if let name { directory.user = { $0.hasSuffix("/" + name) ? geteuid() + 1 : geteuid() } }
        return DeviceStore(directory: directory, log: log) { delay, queue, body in timers.add(delay, queue, body) }
    }

    /// The timers that a store has set, in order.
    final class Timers: Sendable {
        private struct Entry: Sendable {
            let delay: TimeSpan
            let queue: DispatchQueue
            let body: @Sendable () -> Void
        }
        private let entries = Lock<[Entry]>([])

        func add(_ delay: TimeSpan, _ queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
            entries.withLock { $0.append(Entry(delay: delay, queue: queue, body: body)) }
        }

        var delays: [TimeSpan] { entries.withLock { $0.map(\.delay) } }

        /// Runs the oldest one; gives its delay.
        func fire() -> TimeSpan? {
            guard let entry = entries.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return nil }
            entry.queue.sync(execute: entry.body)
            return entry.delay
        }
    }

    func path(_ name: String) -> String { directory.path(of: name) }
    func octets(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path(name)))) }
    func put(_ octets: [UInt8], _ name: String) throws {
        try Data(octets).write(to: URL(fileURLWithPath: path(name)))
    }
    func mode(_ path: String) throws -> Int {
        (try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int) ?? -1
    }
    func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() }

    static func address(_ number: UInt64) -> DeviceAddress {
        DeviceAddress(kind: .random, value: 0xC000_0000_0000 | number)
    }

    static let services = PeripheralRestoration(
        services: [
            .init(
                token: 7,
                definition: ServiceDefinition(
                    uuid: BluetoothUUID(0xFEE7 as UInt16), isPrimary: true, includedServices: [3],
                    characteristics: [
                        CharacteristicDefinition(
                            uuid: BluetoothUUID(high: 0x0011_2233_4455_6677, low: 0x8899_AABB_CCDD_EEFF),
                            properties: 0x02, permissions: 1, value: Array("hello".utf8),
                            descriptors: [
                                DescriptorDefinition(uuid: BluetoothUUID(0x2901 as UInt16), value: Array("Ü".utf8))
                            ])
                    ]))
        ],
        advertisement: Advertisement(localName: "Gerät", services: [BluetoothUUID(0xFEE7 as UInt16)]))

    static let central = CentralRestoration(
        scan: ScanRequest(
            services: [BluetoothUUID(0x180D as UInt16), BluetoothUUID(0x1234_5678 as UInt32)],
            solicitedServices: [BluetoothUUID(0xFEE7 as UInt16)], allowDuplicates: true),
        connections: [.init(peer: PeerIdentifier(high: 1, low: 2), reconnectsAutomatically: true)])
}
