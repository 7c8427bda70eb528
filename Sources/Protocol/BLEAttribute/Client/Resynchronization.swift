import BLEWire

/// Finds out what Database Out Of Sync means for an operation (Vol 3, Part G, 2.5.2.1): reads the Database Hash, and if the database
/// has changed, discovers the attribute of the operation again. The operation is repeatable if that attribute is the same.
struct Resynchronization: ClientProcedure {
    struct Outcome: Hashable {
        /// Nil if the server has no Database Hash any more.
        var databaseHash: UInt128?
        /// Whether the database is the one that the client knows.
        var isUnchanged: Bool
        var isRepeatable: Bool
    }

    private enum State {
        case hash
        case type(UInt128?)
    }

    private let operation: GATTOperation
    private let knownHash: UInt128?
    private let knownType: BluetoothUUID?
    private var state = State.hash

    /// - Parameters:
    ///   - knownHash: The hash of the database in which the handles of the operation were discovered.
    ///   - knownType: The type of the operation's attribute in that database; nil if it is not known.
    init(_ operation: GATTOperation, knownHash: UInt128?, knownType: BluetoothUUID?) {
        self.operation = operation
        self.knownHash = knownHash
        self.knownType = knownType
    }

    mutating func start(mtu: Int) -> ClientStep<Outcome> {
        .send(.readByType(.all, GATTType.databaseHash))
    }

    mutating func receive(_ packet: ATT.Packet, mtu: Int) -> ClientStep<Outcome> {
        switch (state, packet) {
        case (.hash, .readByTypeResponse(let response)):
            guard let hash = CacheValidation.hash(response) else { return .malformed }
            guard hash != knownHash else { return finish(hash, isRepeatable: true) }
            return discover(hash)
        case (.hash, .errorResponse(let error)):
            return error.code == .attributeNotFound ? discover(nil) : .refused(error)
        case (.type(let hash), .findInformationResponse(let response)):
            return finish(hash, isRepeatable: response[0].uuid == knownType)
        case (.type(let hash), .errorResponse): return finish(hash, isRepeatable: false)
        default: return .nonsense
        }
    }

    private mutating func discover(_ hash: UInt128?) -> ClientStep<Outcome> {
        // A discovery depends on no handle of an attribute.
        guard let handle = operation.attributeHandle else { return finish(hash, isRepeatable: true) }
        guard knownType != nil else { return finish(hash, isRepeatable: false) }
        state = .type(hash)
        return .send(.findInformation(HandleRange(start: handle, end: handle)))
    }

    private func finish(_ hash: UInt128?, isRepeatable: Bool) -> ClientStep<Outcome> {
        .finish(
            Outcome(databaseHash: hash, isUnchanged: hash != nil && hash == knownHash, isRepeatable: isRepeatable))
    }
}

extension GATTOperation {
    /// The attribute that the operation accesses; nil for discoveries.
    var attributeHandle: UInt16? {
        switch self {
        case .read(let handle), .write(let handle, _): handle
        case .setNotify(let valueHandle, _, _): valueHandle
        case .discoverServices, .discoverIncludedServices, .discoverCharacteristics, .discoverDescriptors, .readRSSI:
            nil
        }
    }
}
