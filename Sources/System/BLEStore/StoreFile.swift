import BLEAdapter
import BLEWire
import Logging

/// The files `identity-key` and `state` in a store's directory. A damaged file is renamed and reported in the log. A
/// file of a later version is not changed.
struct StoreFile: Sendable {
    static let keyFile = StoredValue<StoreKey>(
        name: "identity-key", envelope: .key, loss: "devices that were never connected get new identifiers")
    static let stateFile = StoredValue<StoreContent>(
        name: "state", envelope: .state, loss: "names and restoration state begin anew")

    let directory: StoreDirectory
    let log: Logger

    /// Returns the key of this host. Generates and writes one if there is none. Returns nil if the file has a later
    /// version.
    func key() throws(StoreError) -> StoreKey? {
        switch try Self.keyFile.read(in: directory, log) {
        case .value(let key): return key
        case .newer: return nil
        case .absent: break
        }
        return try directory.whileLocked { locked throws(StoreError) in
            switch try Self.keyFile.read(in: locked, log) {
            case .value(let key): return key
            case .newer: return nil
            case .absent:
                var random = SystemRandomNumberGenerator()
                let key = StoreKey(using: &random)
                try Self.keyFile.write(key, in: locked)
                return key
            }
        }
    }

    func state() throws(StoreError) -> StoredValue<StoreContent>.Reading {
        try Self.stateFile.read(in: directory, log)
    }

    /// Reads the entries of other processes, calls `merge` to add this process's changes, and writes the result.
    /// `merge` gets nil if there is no file. Returns false if the file has a later version.
    ///
    /// - Parameters:
    ///   - key: The key of this run. It is written unless its file exists: a file that was removed during the run comes back.
    ///   - isKeyUnwritten: Whether the key could not be written before. The update fails if the file of the key cannot be read.
    func update(
        _ key: StoreKey, isKeyUnwritten: Bool, _ merge: (StoreContent?) -> StoreContent
    ) throws(StoreError) -> Bool {
        try directory.whileLocked { locked throws(StoreError) in
            let isKeyMissing =
                isKeyUnwritten ? try locked.read(Self.keyFile.name) == nil : locked.isAbsent(Self.keyFile.name)
            if isKeyMissing { try Self.keyFile.write(key, in: locked) }
            let current: StoreContent?
            switch try Self.stateFile.read(in: locked, log) {
            case .value(let content): current = content
            case .absent: current = nil
            case .newer: return false
            }
            let merged = merge(current)
            // Empty content needs no file.
            if merged != current ?? StoreContent() { try Self.stateFile.write(merged, in: locked) }
            return true
        }
    }
}

extension StoreKey: StoreCodable {
    init(from reader: inout StoreReader) throws(DecodeError) {
        self.init(high: try reader.integer(8), low: try reader.integer(8))
    }

    func write(to writer: inout StoreWriter) {
        writer.integer(high, 8)
        writer.integer(low, 8)
    }
}
