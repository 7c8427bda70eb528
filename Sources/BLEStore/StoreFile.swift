import BLEAdapter
import BLEWire
import Logging

/// The files `identity-key` and `state` in a store's directory. A damaged file is renamed and reported in the log. A
/// file of a later version is not changed.
struct StoreFile: Sendable {
    static let keyName = "identity-key"
    static let stateName = "state"

    let directory: StoreDirectory
    let log: Logger

    /// The result of reading a file.
    enum Reading<Value> {
        case absent
        case value(Value)
        /// The file has a later version and must not be replaced.
        case newer
    }

    // MARK: The key

    /// Returns the key of this host. Generates and writes one if there is none. Returns nil if the file has a later
    /// version.
    func key() throws(StoreFailure) -> StoreKey? {
        // Reading needs no lock, and the key nearly always exists.
        if let octets = try directory.read(Self.keyName), let key = try? Self.decodeKey(octets) { return key }
        return try directory.whileLocked { locked throws(StoreFailure) in
            switch try load(Self.keyName, locked, Self.decodeKey) {
            case .value(let key): return key
            case .newer: return nil
            case .absent:
                var random = SystemRandomNumberGenerator()
                let key = StoreKey(using: &random)
                try locked.replace(Self.keyName, with: Self.encode(key))
                return key
            }
        }
    }

    // MARK: The state

    func state() throws(StoreFailure) -> Reading<StoreContent> {
        guard let octets = try directory.read(Self.stateName) else { return .absent }
        if let content = try? Self.decodeState(octets) { return .value(content) }
        return try directory.whileLocked { locked throws(StoreFailure) in
            try load(Self.stateName, locked, Self.decodeState)
        }
    }

    /// Reads the entries of other processes, calls `merge` to add this process's changes, and writes the result.
    /// `merge` gets nil if there is no file. Returns false if the file has a later version.
    ///
    /// - Parameter key: A key that could not be written before. It is written now unless the file exists.
    func update(
        writing key: StoreKey?, _ merge: (StoreContent?) -> StoreContent
    ) throws(StoreFailure) -> Bool {
        try directory.whileLocked { locked throws(StoreFailure) in
            if let key, try locked.read(Self.keyName) == nil {
                try locked.replace(Self.keyName, with: Self.encode(key))
            }
            let current: StoreContent?
            switch try load(Self.stateName, locked, Self.decodeState) {
            case .value(let content): current = content
            case .absent: current = nil
            case .newer: return false
            }
            let merged = merge(current)
            // Empty content needs no file.
            if merged != current ?? StoreContent() { try locked.replace(Self.stateName, with: Self.encode(merged)) }
            return true
        }
    }

    // MARK: Both

    private func load<Value>(
        _ name: String, _ locked: StoreDirectory.Locked,
        _ decode: ([UInt8]) throws(StoreEnvelope.Failure) -> Value
    ) throws(StoreFailure) -> Reading<Value> {
        guard let octets = try locked.read(name) else { return .absent }
        do throws(StoreEnvelope.Failure) {
            return .value(try decode(octets))
        } catch {
            return try refuse(name, locked, error)
        }
    }

    private func refuse<Value>(
        _ name: String, _ locked: StoreDirectory.Locked, _ failure: StoreEnvelope.Failure
    ) throws(StoreFailure) -> Reading<Value> {
        let path = directory.path(of: name)
        switch failure {
        case .newer(let version):
            log.warning(
                """
                \(path) was written by a later version of this library (format \(version)). It is not changed, and this program \
                remembers nothing after it ends: update the library.
                """)
            return .newer
        case .corrupt(let reason):
            let other = try locked.setAside(name)
            let loss =
                name == Self.keyName
                ? "devices that were never connected get new identifiers" : "names and restoration state begin anew"
            log.warning("\(path) is damaged: \(reason). It was set aside as \(other); \(loss).")
            return .absent
        }
    }

    static func encode(_ key: StoreKey) -> [UInt8] {
        var writer = StoreWriter()
        writer.integer(key.high, 8)
        writer.integer(key.low, 8)
        return StoreEnvelope.key.seal(writer.octets)
    }

    static func decodeKey(_ octets: [UInt8]) throws(StoreEnvelope.Failure) -> StoreKey {
        var reader = StoreReader(try StoreEnvelope.key.open(octets))
        do throws(DecodeError) {
            let key = StoreKey(high: try reader.integer(8), low: try reader.integer(8))
            try reader.finish()
            return key
        } catch {
            throw .corrupt("its content cannot be decoded")
        }
    }

    static func encode(_ content: StoreContent) -> [UInt8] { StoreEnvelope.state.seal(content.encoded) }

    static func decodeState(_ octets: [UInt8]) throws(StoreEnvelope.Failure) -> StoreContent {
        let content = try StoreEnvelope.state.open(octets)
        do throws(DecodeError) {
            return try StoreContent(decoding: content)
        } catch {
            throw .corrupt("its content cannot be decoded")
        }
    }
}
