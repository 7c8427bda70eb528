import BLEAdapter
import BLEWire
import ESPHomeAPI

/// A link to a peer over a gateway, as a value: operations of sessions and messages of the gateway go in, requests and results come out.
///
/// Operations run one after another. Each ends in one result, unless the link ends first.
struct RemoteLink: Sendable {
    enum State: Sendable {
        /// The gateway was asked for the link.
        case connecting
        /// The gateway gave up. It is asked again at this time.
        case waiting(until: Instant)
        case up
        /// The gateway was asked for the end. Without an answer the link counts as ended at the deadline.
        case ending(deadline: Instant)
    }

    struct Result: Sendable {
        let session: Int
        let operation: GATTOperation
        let result: Swift.Result<GATTResult, GATTError>
    }

    enum Request: Hashable, Sendable {
        case getServices(GATTGetServicesRequest)
        case read(GATTReadRequest)
        case readDescriptor(GATTReadDescriptorRequest)
        case write(GATTWriteRequest)
        case writeDescriptor(GATTWriteDescriptorRequest)
        case notify(GATTNotifyRequest)
    }

    private struct Operation: Sendable {
        let session: Int
        let operation: GATTOperation
        /// The handle of the configuration that the gateway writes for a subscription; nil before it has registered for the notifications.
        var configuration: UInt16?
    }

    /// A device that does not answer within this time violates the protocol (Vol 3, Part F, 3.3.3). The gateway notices it first.
    static let timeout = TimeSpan.seconds(40)
    /// The time in which the gateway must report the end of a link.
    static let endTimeout = TimeSpan.seconds(20)
    /// The time in which the gateway must report the end of a link after an operation failed without one.
    static let lossTimeout = TimeSpan.seconds(5)
    /// The time before the gateway is asked again for a link that it gave up.
    static let retryDelay = TimeSpan.seconds(1)
    /// The attributes of a server: handles have 16 bits (Vol 3, Part F, 3.2.2).
    private static let attributeLimit = 0xFFFF
    private static let requestNotSupported: UInt8 = 0x06
    private static let insufficientResources: UInt8 = 0x11

    let address: UInt64
    var state = State.connecting
    /// The sessions that want the link, with their options.
    var sessions: [Int: ConnectionOptions] = [:]
    /// The sessions with a subscription, by value handle.
    private(set) var subscribers: [UInt16: Set<Int>] = [:]
    private var operations: [Operation] = []
    private var services: RemoteServices?
    /// What the gateway has sent of the services, during their discovery.
    private var collected: [GATTServiceRecord] = []
    /// The attributes of `collected`.
    private var collectedCount = 0
    private(set) var deadline: Instant?
    private(set) var results: [Result] = []
    private(set) var requests: [Request] = []

    init(address: UInt64) { self.address = address }

    mutating func takeResults() -> [Result] {
        defer { results = [] }
        return results
    }

    mutating func takeRequests() -> [Request] {
        defer { requests = [] }
        return requests
    }

    mutating func submit(_ operation: GATTOperation, session: Int, at now: Instant) {
        operations.append(Operation(session: session, operation: operation))
        if operations.count == 1 { begin(at: now) }
    }

    /// Removes what a session wants of the link. An operation that runs ends without a receiver.
    mutating func release(_ session: Int) {
        sessions[session] = nil
        for handle in subscribers.keys { subscribers[handle]?.remove(session) }
        if operations.count > 1 { operations = [operations[0]] + operations[1...].filter { $0.session != session } }
    }

    private mutating func begin(at now: Instant) {
        while let first = operations.first {
            if start(first) {
                deadline = now + Self.timeout
                return
            }
        }
        deadline = nil
    }

    /// Sends the request of an operation. Returns false if the operation ended without one.
    private mutating func start(_ first: Operation) -> Bool {
        switch first.operation {
        case .discoverServices(let wanted):
            guard let services else {
                requests.append(.getServices(GATTGetServicesRequest(address: address)))
                return true
            }
            finish(.success(.services(services.services(wanted))))
        case .discoverIncludedServices: finish(.success(.services([])))
        case .discoverCharacteristics(let service, let wanted):
            finish(.success(.characteristics(services?.characteristics(of: service, wanted) ?? [])))
        case .discoverDescriptors(let after, let end):
            finish(.success(.descriptors(services?.descriptors(after: after, end: end) ?? [])))
        case .read(let handle):
            let isDescriptor = services?.isDescriptor(handle) == true
            requests.append(
                isDescriptor
                    ? .readDescriptor(GATTReadDescriptorRequest(address: address, handle: UInt32(handle)))
                    : .read(GATTReadRequest(address: address, handle: UInt32(handle))))
            return true
        case .write(let handle, let value):
            guard value.count <= 512 else {
                finish(.failure(.valueTooLong))
                return false
            }
            let isDescriptor = services?.isDescriptor(handle) == true
            requests.append(
                isDescriptor
                    ? .writeDescriptor(
                        GATTWriteDescriptorRequest(address: address, handle: UInt32(handle), data: value))
                    : .write(
                        GATTWriteRequest(address: address, handle: UInt32(handle), needsResponse: true, data: value)))
            return true
        case .setNotify(let handle, let end, let mode): return configure(first, handle, end, mode)
        // The protocol does not carry the signal strength of a link.
        case .readRSSI: finish(.failure(.attribute(Self.requestNotSupported)))
        }
        return false
    }

    /// Subscribes for the first session, and unsubscribes for the last one.
    private mutating func configure(
        _ first: Operation, _ handle: UInt16, _ end: UInt16, _ mode: GATTOperation.NotifyMode
    ) -> Bool {
        if mode == .off {
            subscribers[handle]?.remove(first.session)
            guard subscribers[handle]?.isEmpty != false else {
                finish(.success(.done))
                return false
            }
            subscribers[handle] = nil
        } else {
            subscribers[handle, default: []].insert(first.session)
        }
        requests.append(
            .notify(GATTNotifyRequest(address: address, handle: UInt32(handle), isEnabled: mode != .off)))
        return true
    }

    private mutating func finish(_ result: Swift.Result<GATTResult, GATTError>) {
        guard !operations.isEmpty else { return }
        let first = operations.removeFirst()
        (collected, collectedCount) = ([], 0)
        results.append(Result(session: first.session, operation: first.operation, result: result))
    }

    private mutating func end(_ result: Swift.Result<GATTResult, GATTError>, at now: Instant) {
        finish(result)
        begin(at: now)
    }

    // MARK: Messages of the gateway

    mutating func receive(_ response: GATTGetServicesResponse, at now: Instant) {
        guard case .discoverServices = operations.first?.operation, services == nil else { return }
        collectedCount += response.services.reduce(0) { $0 + $1.attributeCount }
        // A gateway that sends more attributes than a server can have is broken or hostile.
        guard collectedCount <= Self.attributeLimit else {
            return end(.failure(.attribute(Self.insufficientResources)), at: now)
        }
        collected += response.services
    }

    mutating func receivedServices(at now: Instant) {
        guard case .discoverServices(let wanted) = operations.first?.operation, services == nil else { return }
        let found = RemoteServices(collected)
        services = found
        end(.success(.services(found.services(wanted))), at: now)
    }

    mutating func receive(_ response: GATTReadResponse, at now: Instant) {
        guard case .read(let handle) = operations.first?.operation, UInt32(handle) == response.handle else { return }
        end(.success(.value(Array(response.data.prefix(512)))), at: now)
    }

    mutating func receive(_ response: GATTWriteResponse, at now: Instant) {
        switch operations.first?.operation {
        case .write(let handle, _) where UInt32(handle) == response.handle: end(.success(.done), at: now)
        case .setNotify where operations[0].configuration.map(UInt32.init) == response.handle:
            end(.success(.done), at: now)
        default: break
        }
    }

    mutating func receive(_ response: GATTNotifyResponse, at now: Instant) {
        guard case .setNotify(let handle, let last, let mode) = operations.first?.operation,
            UInt32(handle) == response.handle, operations[0].configuration == nil
        else { return }
        guard
            let configuration = services?.descriptors(after: handle, end: last).first(where: {
                $0.uuid == RemoteServices.configuration
            })
        else {
            // Attribute Not Found.
            subscribers[handle] = nil
            return end(.failure(.attribute(0x0A)), at: now)
        }
        operations[0].configuration = configuration.handle
        let value: UInt8 = mode == .off ? 0 : mode == .notification ? 1 : 2
        requests.append(
            .writeDescriptor(
                GATTWriteDescriptorRequest(address: address, handle: UInt32(configuration.handle), data: [value, 0])))
    }

    mutating func receive(_ response: GATTErrorResponse, at now: Instant) {
        guard let first = operations.first else { return }
        // The end of the link follows, and an operation of a link that ended has no result.
        if Self.failure(response.error) == .notConnected {
            let limit = now + Self.lossTimeout
            deadline = min(deadline ?? limit, limit)
            return
        }
        switch first.operation {
        case .discoverServices where response.handle == 0: break
        case .read(let handle) where UInt32(handle) == response.handle: break
        case .write(let handle, _) where UInt32(handle) == response.handle: break
        // The registration fails with the handle of the value, and the write with that of the configuration.
        case .setNotify(let handle, _, _)
        where UInt32(handle) == response.handle || first.configuration.map(UInt32.init) == response.handle:
            subscribers[handle]?.remove(first.session)
        default: return
        }
        end(.failure(Self.failure(response.error)), at: now)
    }

    /// Codes from 0x80 to 0x9F are of the gateway's host or of the device's application (Vol 3, Part F, 3.4.1.1).
    private static func failure(_ error: Int32) -> GATTError {
        switch error {
        case 0x8F, -1: .notConnected
        case 1...0xFF: .attribute(UInt8(error))
        // Unlikely Error.
        default: .attribute(0x0E)
        }
    }
}

extension GATTServiceRecord {
    /// The attributes that the service has at least: declarations, values and descriptors (Vol 3, Part G, 2.6).
    fileprivate var attributeCount: Int {
        characteristics.reduce(1) { $0 + 2 + $1.descriptors.count }
    }
}
