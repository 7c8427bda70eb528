import BLEAdapter
import BLEGatewayAdapter
import BLETransport
import Dispatch
import LocalDiscovery

/// The way to a gateway: by its address, by its name in multicast DNS, or to the only one that announces itself.
package final class LocalGatewayNetwork: GatewayNetwork {
    package static let serviceType = "_esphomelib._tcp"
    /// The time that a search for gateways takes.
    package static let searchTime = Duration.seconds(3)

    private let place: GatewayAddress
    private let scheduler: QueueScheduler
    private let search = Lock<ServiceSearch?>(nil)

    package init(_ place: GatewayAddress, scheduler: QueueScheduler) {
        self.place = place
        self.scheduler = scheduler
    }

    package var description: String { "\(place)" }

    package func connect(_ completion: @escaping @Sendable (Result<any ByteStream, TransportError>) -> Void) {
        let queue = scheduler.queue
        resolve { result in
            switch result {
            case .success(let address):
                StreamConnector.connect(to: address, queue: queue) { result in
                    completion(result.map { DispatchStream($0, queue: queue) })
                }
            case .failure(let error): completion(.failure(error))
            }
        }
    }

    private func resolve(_ completion: @escaping @Sendable (Result<TransportAddress, TransportError>) -> Void) {
        scheduler.submit { [self] in
            if let host = place.host, place.localName == nil {
                return completion(.success(.tcp(host: host, port: place.port ?? GatewayAddress.standardPort)))
            }
            let place = place
            do throws(LocalServiceError) {
                let search = try ServiceSearch(
                    type: Self.serviceType, for: Self.searchTime, queue: scheduler.queue,
                    until: { place.localName != nil && Self.choose(place, $0) != nil },
                    completion: { [weak self] found in
                        self?.search.withLock { $0 = nil }
                        completion(Self.result(place, found))
                    })
                self.search.withLock { $0 = search }
            } catch {
                completion(.failure(TransportError(.system, "\(error)")))
            }
        }
    }

    /// The gateway that a place names among those found.
    static func choose(_ place: GatewayAddress, _ found: [FoundService]) -> FoundService? {
        guard let name = place.localName else { return found.count == 1 ? found[0] : nil }
        return found.first { $0.host.lowercased() == "\(name).local" }
            ?? found.first { $0.name.lowercased() == name }
    }

    static func result(_ place: GatewayAddress, _ found: [FoundService]) -> Result<TransportAddress, TransportError> {
        if let service = choose(place, found), let host = host(of: service) {
            return .success(.tcp(host: host, port: place.port ?? service.port))
        }
        // The system may know a name that no gateway announces, by Avahi or by a file.
        if let host = place.host {
            return .success(.tcp(host: host, port: place.port ?? GatewayAddress.standardPort))
        }
        guard !found.isEmpty else {
            return .failure(
                TransportError(
                    .unknownHost,
                    "No gateway announces itself on the local network: start one with bluelab gateway, or name it with BLUETOOTH_CONTROLLER=gateway:HOST."
                ))
        }
        let names = found.map { "gateway:\($0.host)" }.joined(separator: ", ")
        return .failure(
            TransportError(
                .unknownHost,
                "There are \(found.count) gateways on the local network. Set BLUETOOTH_CONTROLLER to one of \(names)."))
    }

    /// An address that this machine reaches. Link-local addresses need the interface that heard them (RFC 4007, 11).
    package static func host(of service: FoundService) -> String? {
        if let address = service.addresses.first(where: { !$0.address.isLinkLocal }) {
            return address.address.description
        }
        return service.addresses.first.map {
            $0.address.isIPv4 ? $0.address.description : "\($0.address)%\($0.interface)"
        }
    }
}
