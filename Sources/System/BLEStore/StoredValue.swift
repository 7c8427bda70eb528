import BLEAdapter
import BLEWire
import Logging

/// One file of the store, which holds one value in an envelope.
struct StoredValue<Value: StoreCodable & Sendable>: Sendable {
    /// The result of reading a file.
    enum Reading {
        case absent
        case value(Value)
        /// The file has a later version and must not be replaced.
        case newer
    }

    let name: String
    let envelope: StoreEnvelope
    /// The consequence of a damaged file, for the log.
    let loss: String

    func encode(_ value: Value) -> [UInt8] { envelope.seal(value.encoded) }

    func decode(_ octets: [UInt8]) throws(StoreEnvelope.FormatError) -> Value {
        let content = try envelope.open(octets)
        do throws(DecodeError) {
            return try Value(decoding: content)
        } catch {
            throw .corrupt("its content cannot be decoded")
        }
    }

    /// Reads the file. An intact or absent file needs no lock.
    func read(in directory: StoreDirectory, _ log: Logger) throws(StoreError) -> Reading {
        guard let octets = try directory.read(name) else { return .absent }
        if let value = try? decode(octets) { return .value(value) }
        return try directory.whileLocked { locked throws(StoreError) in try read(in: locked, log) }
    }

    /// Reads the file. Renames a damaged file and reports it in the log.
    func read(in locked: StoreDirectory.Locked, _ log: Logger) throws(StoreError) -> Reading {
        guard let octets = try locked.read(name) else { return .absent }
        let path = locked.path(of: name)
        do throws(StoreEnvelope.FormatError) {
            return .value(try decode(octets))
        } catch {
            switch error {
            case .newer(let version):
                log.warning(
                    """
                    \(path) was written by a later version of this library (format \(version)). It is not changed, and \
                    this program remembers nothing after it ends: update the library.
                    """)
                return .newer
            case .corrupt(let reason):
                let other = try locked.setAside(name)
                log.warning("\(path) is damaged: \(reason). It was set aside as \(other); \(loss).")
                return .absent
            }
        }
    }

    /// Replaces the file.
    func write(_ value: Value, in locked: StoreDirectory.Locked) throws(StoreError) {
        try locked.replace(name, with: encode(value))
    }
}
