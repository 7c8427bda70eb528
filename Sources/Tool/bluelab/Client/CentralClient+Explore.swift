import BLEAdapter
import CoreBluetooth

extension CentralClient {
    /// Discovers the services that a service includes.
    func discoverIncludedServices(of service: CBService, of peripheral: CBPeripheral) async throws {
        let what = "the discovery of included services"
        try await request(what, { peripheral.discoverIncludedServices(nil, for: service) }) { event in
            guard case .includedServices(let answered, let error) = event, answered === service else { return false }
            if let error { throw ToolError.refusal(of: what, error) }
            return true
        }
    }

    /// The properties of the link to a peripheral; nil if the adapter does not know them.
    func linkDescription(of peripheral: CBPeripheral) async -> LinkDescription? {
        let peer = PeerIdentifier(peripheral.identifier)
        return await withCheckedContinuation { continuation in
            adapter.describeLink(to: peer) { continuation.resume(returning: $0) }
        }
    }
}
