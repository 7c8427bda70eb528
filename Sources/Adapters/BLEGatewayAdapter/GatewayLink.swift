import BLEAdapter
import BLEWire
import ESPHomeAPI

/// The operation that runs on a link over a gateway, as a value: it becomes requests of the API, and the gateway's answers become its
/// result.
struct GatewayLink: Sendable {
    enum Step: Sendable {
        case send(any APIMessage)
        /// The operation ended. After `.notConnected` the end of the link follows.
        case end(Result<GATTResult, GATTError>)
    }

    /// The attributes of a server: handles have 16 bits (Vol 3, Part F, 3.2.2).
    private static let attributeLimit = 0xFFFF
    private static let configuration = BluetoothUUID(0x2902 as UInt16)
    private static let requestNotSupported: UInt8 = 0x06
    private static let attributeNotFound: UInt8 = 0x0A
    private static let unlikelyError: UInt8 = 0x0E
    private static let insufficientResources: UInt8 = 0x11

    let address: UInt64
    private var operation: GATTOperation?
    /// The handle of the configuration that the gateway writes for a subscription; nil before it has registered for the notifications.
    private var configuration: UInt16?
    private var services: RemoteServices?
    /// What the gateway has sent of the services, during their discovery.
    private var collected: [GATTServiceRecord] = []
    /// The attributes of `collected`.
    private var collectedCount = 0

    init(address: UInt64) { self.address = address }

    /// Begins an operation, after the one before has ended.
    mutating func begin(_ operation: GATTOperation) -> Step {
        self.operation = operation
        switch operation {
        case .discoverServices where services == nil: return .send(GATTGetServicesRequest(address: address))
        case .read(let handle):
            return services?.isDescriptor(handle) == true
                ? .send(GATTReadDescriptorRequest(address: address, handle: UInt32(handle)))
                : .send(GATTReadRequest(address: address, handle: UInt32(handle)))
        case .write(let handle, let value):
            return services?.isDescriptor(handle) == true
                ? .send(GATTWriteDescriptorRequest(address: address, handle: UInt32(handle), data: value))
                : .send(GATTWriteRequest(address: address, handle: UInt32(handle), needsResponse: true, data: value))
        case .setNotify(let handle, _, let mode):
            return .send(GATTNotifyRequest(address: address, handle: UInt32(handle), isEnabled: mode != .off))
        default:
            // Before the services are known, there is nothing in them. The protocol does not carry the signal strength of a link.
            let found = (services ?? RemoteServices()).result(of: operation)
            return end(found.map { .success($0) } ?? .failure(.attribute(Self.requestNotSupported)))
        }
    }

    private mutating func end(_ result: Result<GATTResult, GATTError>) -> Step {
        (operation, configuration) = (nil, nil)
        (collected, collectedCount) = ([], 0)
        return .end(result)
    }

    // MARK: Messages of the gateway

    mutating func receive(_ response: GATTGetServicesResponse) -> Step? {
        guard case .discoverServices = operation else { return nil }
        collectedCount += response.services.reduce(0) { $0 + $1.attributeCount }
        // A gateway that sends more attributes than a server can have is broken or hostile.
        guard collectedCount <= Self.attributeLimit else {
            return end(.failure(.attribute(Self.insufficientResources)))
        }
        collected += response.services
        return nil
    }

    mutating func receivedServices() -> Step? {
        guard case .discoverServices(let wanted) = operation else { return nil }
        let found = RemoteServices(collected)
        services = found
        return end(.success(.services(found.services(wanted))))
    }

    mutating func receive(_ response: GATTReadResponse) -> Step? {
        guard case .read(let handle) = operation, UInt32(handle) == response.handle else { return nil }
        return end(.success(.value(Array(response.data.prefix(ATT.maximumValueLength)))))
    }

    mutating func receive(_ response: GATTWriteResponse) -> Step? {
        switch operation {
        case .write(let handle, _) where UInt32(handle) == response.handle: end(.success(.done))
        case .setNotify where configuration.map(UInt32.init) == response.handle: end(.success(.done))
        default: nil
        }
    }

    mutating func receive(_ response: GATTNotifyResponse) -> Step? {
        guard case .setNotify(let handle, let last, let mode) = operation, UInt32(handle) == response.handle,
            configuration == nil
        else { return nil }
        let descriptors = services?.descriptors(after: handle, end: last) ?? []
        guard let found = descriptors.first(where: { $0.uuid == Self.configuration }) else {
            return end(.failure(.attribute(Self.attributeNotFound)))
        }
        configuration = found.handle
        let value: UInt8 = mode == .off ? 0 : mode == .notification ? 1 : 2
        return .send(GATTWriteDescriptorRequest(address: address, handle: UInt32(found.handle), data: [value, 0]))
    }

    mutating func receive(_ response: GATTErrorResponse) -> Step? {
        let failure = Self.failure(response.error)
        // The operation does not end with it: the end of the link follows.
        if failure == .notConnected { return .end(.failure(failure)) }
        switch operation {
        case .discoverServices where response.handle == 0: break
        case .read(let handle) where UInt32(handle) == response.handle: break
        case .write(let handle, _) where UInt32(handle) == response.handle: break
        // The registration fails with the handle of the value, and the write with that of the configuration.
        case .setNotify(let handle, _, _)
        where UInt32(handle) == response.handle || configuration.map(UInt32.init) == response.handle:
            break
        default: return nil
        }
        return end(.failure(failure))
    }

    /// Codes from 0x80 to 0x9F are of the gateway's host or of the device's application (Vol 3, Part F, 3.4.1.1).
    private static func failure(_ error: Int32) -> GATTError {
        switch error {
        case 0x8F, -1: .notConnected
        case 1...0xFF: .attribute(UInt8(error))
        default: .attribute(unlikelyError)
        }
    }
}
