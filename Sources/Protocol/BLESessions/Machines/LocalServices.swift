import BLEAdapter
import BLEAttribute
import BLEHost
import BLEWire

/// The services that sessions have added to the local database.
struct LocalServices {
    struct Service {
        var session: Int
        var token: Int
        var added: AddedService
    }

    struct Target {
        var session: Int
        var characteristic: CharacteristicReference
    }

    private(set) var services: [Service] = []
    private var targets: [UInt16: Target] = [:]

    mutating func add(_ service: Service) {
        services.append(service)
        for (index, characteristic) in service.added.characteristics.enumerated() {
            targets[characteristic.valueHandle] = Target(
                session: service.session,
                characteristic: CharacteristicReference(service: service.token, index: index))
        }
    }

    mutating func remove(at index: Int) {
        for characteristic in services.remove(at: index).added.characteristics {
            targets[characteristic.valueHandle] = nil
        }
    }

    mutating func removeAll() {
        services.removeAll()
        targets.removeAll()
    }

    /// The characteristic with this value handle, and its session.
    func target(of valueHandle: UInt16) -> Target? { targets[valueHandle] }

    func service(_ token: Int, of session: Int) -> Service? {
        services.first { $0.token == token && $0.session == session }
    }

    func valueHandle(of characteristic: CharacteristicReference, session: Int) -> UInt16? {
        guard let service = service(characteristic.service, of: session),
            service.added.characteristics.indices.contains(characteristic.index)
        else { return nil }
        return service.added.characteristics[characteristic.index].valueHandle
    }
}

/// Requests of clients that the program has not answered.
struct RequestTable {
    struct Request {
        /// The session that answers.
        var session: Int
        var link: LinkIdentifier
        var number: UInt32
        var isRead: Bool
        /// False for a Write Command, which has no response (Vol 3, Part F, 3.4.5.3).
        var needsResponse: Bool
    }

    private var pending: [RequestIdentifier: Request] = [:]
    private var count: UInt64 = 0

    mutating func add(_ request: Request) -> RequestIdentifier {
        count += 1
        let identifier = RequestIdentifier(rawValue: count)
        if request.needsResponse { pending[identifier] = request }
        return identifier
    }

    mutating func take(_ identifier: RequestIdentifier) -> Request? { pending.removeValue(forKey: identifier) }

    /// The requests that wait for a session, in the order in which they came.
    func waiting(for session: Int) -> [RequestIdentifier] {
        pending.filter { $0.value.session == session }.keys.sorted { $0.rawValue < $1.rawValue }
    }

    /// Removes all requests. Their identifiers are not used again: a program may answer late.
    mutating func removeAll() { pending.removeAll() }

    mutating func removeAll(of link: LinkIdentifier) { pending = pending.filter { $0.value.link != link } }
}
