internal import BLEAdapter
import BLETransport
import CoreBluetooth
import LocalDiscovery

/// Where a `DeviceFinder` looks for devices. A test supplies its own.
package protocol DeviceBrowsing: Sendable {
    /// Reports the services that multicast DNS finds, on the queue of the way. Returns a closure that ends the search.
    func browse(_ onService: @escaping (FoundService) -> Void) -> () -> Void
    /// Asks the broadcast addresses for some seconds, and then reports all answers. Returns a closure that ends the search without a report.
    func probe(_ onEnd: @escaping ([FoundService]) -> Void) -> () -> Void
}

/// The local network of this machine.
struct LocalDeviceBrowser: DeviceBrowsing {
    let interfaces: [String]
    let queue: DispatchQueue

    func browse(_ onService: @escaping (FoundService) -> Void) -> () -> Void {
        let network = LocalNetwork(browsingOn: interfaces, queue: queue)
        network.open()
        _ = try? network.browse(NetworkService.type) { event in
            switch event {
            case .found(let service), .changed(let service): onService(service)
            case .lost: break
            }
        }
        return { network.close() }
    }

    func probe(_ onEnd: @escaping ([FoundService]) -> Void) -> () -> Void {
        // Without a network there is nothing to ask now, and perhaps after the pause.
        guard
            let probe = try? NetworkProbe(
                type: NetworkService.type, interfaces: interfaces, queue: queue, completion: onEnd)
        else {
            onEnd([])
            return {}
        }
        // The probe works as long as the closure lives.
        return { withExtendedLifetime(probe) {} }
    }
}

/// Finds one device on the local network: by multicast DNS, and after a second also by queries to broadcast addresses.
///
/// An object on one queue.
///
/// `@unchecked Sendable`: all state is used on the queue that it was created with.
final class DeviceFinder: @unchecked Sendable {
    private static let probeDelay = Duration.seconds(1)

    private let device: String
    private let search: any DeviceBrowsing
    private let queue: DispatchQueue
    private let clock: QueueClock
    private var endBrowsing: (() -> Void)?
    private var endProbing: (() -> Void)?
    private var onFound: (([TransportAddress]) -> Void)?

    init(_ device: String, _ search: any DeviceBrowsing, queue: DispatchQueue, clock: QueueClock) {
        (self.device, self.search, self.queue, self.clock) = (device, search, queue, clock)
    }

    deinit { endBrowsing?() }

    /// Calls `onFound` with the addresses of the device, perhaps more than once.
    func start(_ onFound: @escaping ([TransportAddress]) -> Void) {
        self.onFound = onFound
        endBrowsing = search.browse { [weak self] service in self?.check(service) }
        planProbe()
    }

    func stop() {
        onFound = nil
        endBrowsing?()
        endProbing?()
        (endBrowsing, endProbing) = (nil, nil)
    }

    private func planProbe() {
        clock.schedule(at: clock.now + Self.probeDelay, on: queue) { [weak self] in self?.startProbe() }
    }

    private func startProbe() {
        guard onFound != nil else { return }
        endProbing = search.probe { [weak self] services in
            guard let self, onFound != nil else { return }
            for service in services { check(service) }
            // The way's time limit ends the search.
            planProbe()
        }
    }

    private func check(_ service: FoundService) {
        guard service.text[NetworkService.identifier] == device else { return }
        let addresses = service.addresses.map { address in
            let place = NetworkService.text(address, port: service.port)
            return TransportAddress.tcp(host: place.host, port: place.port)
        }
        if !addresses.isEmpty { onFound?(addresses) }
    }
}
