import BLEWire

/// The bits of Client Supported Features (Vol 3, Part G, 7.2).
struct ClientFeatures: OptionSet, Hashable, Sendable {
    let rawValue: UInt8
    static let robustCaching = ClientFeatures(rawValue: 1)
    static let enhancedBearers = ClientFeatures(rawValue: 2)
    static let multipleNotifications = ClientFeatures(rawValue: 4)
    /// The bits that the specification defines.
    static let known = ClientFeatures(rawValue: 0x07)
}

/// Whether a client knows about the latest change of the database (Vol 3, Part G, 2.5.2.1).
struct ChangeAwareness: Hashable, Sendable {
    enum State: Hashable {
        case aware
        case unaware
        /// The client has read the Database Hash, or has got Database Out Of Sync on its only bearer. Its next request makes it
        /// change-aware.
        case informed
    }

    private(set) var state = State.aware

    var isAware: Bool { state == .aware }

    mutating func databaseChanged() { state = .unaware }

    mutating func hashWasRead() { if state == .unaware { state = .informed } }

    mutating func serviceChangedWasConfirmed() { state = .aware }

    enum Verdict: Hashable {
        case serve
        /// Send Database Out Of Sync.
        case refuse
    }

    /// Takes a request of the client.
    ///
    /// - Parameters:
    ///   - usesHandles: Whether the request depends on handles that the client knows from before.
    ///   - isRobust: Whether the client supports robust caching. Other clients are never refused.
    ///   - usesOneBearer: Whether the client has no enhanced bearers. A client with several bearers may send the request before it
    ///     gets the error on another one, so it has to read the Database Hash.
    mutating func receiveRequest(usesHandles: Bool, isRobust: Bool, usesOneBearer: Bool) -> Verdict {
        switch state {
        case .aware: break
        case .informed: state = .aware
        case .unaware:
            guard usesHandles, isRobust else { break }
            if usesOneBearer { state = .informed }
            return .refuse
        }
        return .serve
    }
}

extension ATT.Packet {
    /// The handle in the error of a request that a change-unaware client must not make; nil for other requests.
    ///
    /// Requests that search the whole database do not depend on handles from before, and neither does a search for declarations.
    /// Execute Write names no handle.
    var handleFromBefore: UInt16? {
        switch self {
        case .readRequest(let request): request.handle
        case .readBlobRequest(let request): request.handle
        case .readMultipleRequest(let request): Self.first(of: request.octets)
        case .readMultipleVariableRequest(let request): Self.first(of: request.octets)
        case .writeRequest(let request): request.handle
        case .prepareWriteRequest(let request): request.handle
        case .readByTypeRequest(let request)
        where request.type != GATTType.include && request.type != GATTType.characteristic
            && request.range != .all:
            request.range.start
        default: nil
        }
    }

    private static func first(of handles: Span<UInt8>) -> UInt16 {
        var handles = handles
        return (try? handles.readUInt16()) ?? 0
    }
}
