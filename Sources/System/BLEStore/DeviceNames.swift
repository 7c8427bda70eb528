import BLEAdapter
import BLEWire

/// The names that a user gave to devices, by their identifiers.
package struct DeviceNames: Hashable, Sendable {
    /// The most names, and the most octets of one.
    package static let limit = 1024
    package static let lengthLimit = 128

    package private(set) var names: [PeerIdentifier: String] = [:]

    package init() {}

    package subscript(_ identifier: PeerIdentifier) -> String? {
        get { names[identifier] }
        set { names[identifier] = newValue }
    }

    /// The device with a name. Ignores case.
    package func identifier(named name: String) -> PeerIdentifier? {
        let wanted = name.lowercased()
        return names.first { $0.value.lowercased() == wanted }?.key
    }

    /// The devices in the order of their names.
    package var sorted: [(identifier: PeerIdentifier, name: String)] {
        names.map { (identifier: $0.key, name: $0.value) }
            .sorted { ($0.name, $0.identifier.high) < ($1.name, $1.identifier.high) }
    }
}

extension DeviceNames: StoreCodable {
    init(from reader: inout StoreReader) throws(DecodeError) {
        while !reader.isAtEnd {
            let identifier = try PeerIdentifier(from: &reader)
            let name = try reader.text()
            guard !name.isEmpty, name.utf8.count <= Self.lengthLimit, names.count < Self.limit else {
                throw .invalidValue
            }
            names[identifier] = name
        }
    }

    func write(to writer: inout StoreWriter) {
        for (identifier, name) in sorted {
            identifier.write(to: &writer)
            writer.text(name)
        }
    }
}

/// The file `names` of the store. Unlike other changes, a new name is on the disk when `change` returns.
package struct DeviceNameFile: Sendable {
    private static let file = StoredValue<DeviceNames>(
        name: "names", envelope: .names, loss: "devices have no names of their own any more")

    private let directory: StoreDirectory

    package init(directory: StoreDirectory) { self.directory = directory }

    /// The reason why the file cannot be used. The description is a sentence.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// Empty without a file, and with one that cannot be used.
    package func read() throws(Failure) -> DeviceNames {
        do throws(StoreError) {
            guard case .value(let names) = try Self.file.read(in: directory, LibraryLog.logger()) else {
                return DeviceNames()
            }
            return names
        } catch {
            throw Failure(description: error.description)
        }
    }

    /// Changes the names while no other process does. Returns the result of `body`, and writes nothing if it throws.
    package func change<Result>(_ body: (inout DeviceNames) throws -> Result) throws -> Result {
        var result: Swift.Result<Result, any Error>?
        do throws(StoreError) {
            try directory.whileLocked { locked throws(StoreError) in
                var names = DeviceNames()
                switch try Self.file.read(in: locked, LibraryLog.logger()) {
                case .value(let found): names = found
                case .absent: break
                case .newer:
                    throw StoreError("\(locked.path(of: "names")) was written by a later version of this library.")
                }
                let before = names
                let answer = Swift.Result { try body(&names) }
                result = answer
                guard case .success = answer, names != before else { return }
                try Self.file.write(names, in: locked)
            }
        } catch {
            throw Failure(description: error.description)
        }
        // The body ran if nothing was thrown.
        guard let result else { throw Failure(description: "\(directory.path) cannot be written.") }
        return try result.get()
    }
}
