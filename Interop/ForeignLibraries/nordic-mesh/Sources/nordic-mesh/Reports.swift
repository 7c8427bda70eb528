import CoreBluetooth
import Foundation
import NordicMesh

struct Failure: LocalizedError {
    let errorDescription: String?
}

/// Scans, and reports what happens in its order. All of it runs on the main queue.
final class Reports: NSObject, CBCentralManagerDelegate, BearerDelegate, ProvisioningDelegate, ProxyFilterDelegate {
    enum Event { case found, opened, closed, capabilities, complete, failed, filter }

    private let (events, event) = AsyncStream.makeStream(of: Event.self)
    private var central: CBCentralManager!
    private var wanted: (service: CBUUID, isRight: ([String: Any]) -> Bool)?
    private var found: (CBPeripheral, [String: Any])?

    override init() {
        super.init()
        central = CBCentralManager(delegate: self, queue: .main)
    }

    /// Waits for an event; omits those before it.
    @MainActor func wait(for wanted: Event) async throws {
        for await event in events {
            if event == wanted { return }
            if event == .closed { throw Failure(errorDescription: "the link ended") }
            if event == .failed { throw Failure(errorDescription: "provisioning failed") }
        }
    }

    /// Scans for a service until the advertisement of a peripheral is the right one.
    @MainActor func scan(
        for service: CBUUID, _ isRight: @escaping ([String: Any]) -> Bool
    ) async throws -> (CBPeripheral, [String: Any]) {
        wanted = (service, isRight)
        centralManagerDidUpdateState(central)
        try await wait(for: .found)
        central.stopScan()
        wanted = nil
        return found!
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn, let wanted else { return }
        central.scanForPeripherals(withServices: [wanted.service])
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard let wanted, wanted.isRight(advertisementData) else { return }
        found = (peripheral, advertisementData)
        event.yield(.found)
    }

    func bearerDidOpen(_ bearer: Bearer) { event.yield(.opened) }
    func bearer(_ bearer: Bearer, didClose error: Error?) { event.yield(.closed) }

    func authenticationActionRequired(_ action: AuthAction) {}
    func inputComplete() {}
    func provisioningState(of unprovisionedDevice: UnprovisionedDevice, didChangeTo state: ProvisioningState) {
        switch state {
        case .capabilitiesReceived: event.yield(.capabilities)
        case .complete: event.yield(.complete)
        case .failed: event.yield(.failed)
        default: break
        }
    }

    func proxyFilterUpdated(type: ProxyFilerType, addresses: Set<Address>) { event.yield(.filter) }
}

/// The network ends with the program.
struct NoStorage: Storage {
    func load() -> Data? { nil }
    func save(_ data: Data) -> Bool { true }
}

/// Tells the library how to decode the status of a lamp. The program takes it from the result of `send`.
final class OnOffClient: ModelDelegate {
    let messageTypes: [UInt32: MeshMessage.Type] = [GenericOnOffStatus.opCode: GenericOnOffStatus.self]
    let isSubscriptionSupported = false
    let publicationMessageComposer: MessageComposer? = nil

    func model(
        _ model: Model, didReceiveAcknowledgedMessage request: any AcknowledgedMeshMessage, from source: Address,
        sentTo destination: MeshAddress
    ) throws -> any MeshResponse { throw ModelError.invalidMessage }
    func model(
        _ model: Model, didReceiveUnacknowledgedMessage message: any UnacknowledgedMeshMessage, from source: Address,
        sentTo destination: MeshAddress
    ) {}
    func model(
        _ model: Model, didReceiveResponse response: any MeshResponse,
        toAcknowledgedMessage request: any AcknowledgedMeshMessage, from source: Address
    ) {}
}
