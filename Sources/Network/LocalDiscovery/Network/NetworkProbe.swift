import Dispatch

/// Sends the queries of a `ServiceProbe` to the broadcast addresses of this machine's networks, or to one host, for three seconds.
///
/// An object on one queue. Keep a reference to it until the completion.
package final class NetworkProbe: @unchecked Sendable {
    private static let port: UInt16 = 5353

    private let queue: DispatchQueue
    private let start = ContinuousClock.now
    private var probe: ServiceProbe
    private var sockets: [(socket: DatagramSocket, destination: Endpoint)] = []
    private var completion: (([FoundService]) -> Void)?

    /// - Parameters:
    ///   - host: The address of a host; nil for the broadcast addresses.
    ///   - interfaces: The names of the interfaces; empty for all that can multicast.
    ///   - completion: Called on the queue with the services.
    /// - Throws: `LocalServiceError`, or the error of a socket if none opens.
    package init(
        type: String, host: IPAddress? = nil, interfaces: [String] = [], queue: DispatchQueue = .main,
        completion: @escaping ([FoundService]) -> Void
    ) throws {
        self.queue = queue
        self.completion = completion
        probe = try ServiceProbe(type: type, identifier: UInt16.random(in: 1 ... .max), at: .zero)
        var failure: (any Error)?
        for (destination, interface) in Self.destinations(host, interfaces) {
            do throws(DatagramSocket.SocketError) {
                let any = IPAddress([UInt8](repeating: 0, count: destination.octets.count))!
                let socket = try DatagramSocket(bindingTo: Endpoint(any, 0), interface: interface)
                if host == nil { try socket.allowBroadcast() }
                sockets.append((socket, Endpoint(destination, Self.port)))
            } catch {
                failure = error
            }
        }
        if let failure, sockets.isEmpty { throw failure }
        for entry in sockets {
            entry.socket.start(on: queue) { [weak self] octets, source in
                guard let self else { return }
                probe.receive(octets, from: source, at: ContinuousClock.now - start)
            }
        }
        queue.async { [weak self] in self?.work() }
    }

    private static func destinations(_ host: IPAddress?, _ names: [String]) -> [(IPAddress, NetworkInterface?)] {
        if let host { return [(host, nil)] }
        return NetworkInterface.current(including: names).flatMap { interface in
            interface.addresses.compactMap { address in address.broadcast.map { ($0, interface) } }
        }
    }

    private func work() {
        let now = ContinuousClock.now - start
        if let query = probe.handleTimeout(at: now) {
            for entry in sockets { entry.socket.send(query, to: entry.destination) }
        }
        guard let deadline = probe.deadline else {
            sockets = []
            completion?(probe.found)
            completion = nil
            return
        }
        let delay = max(.zero, deadline - now) / .nanoseconds(1)
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(delay.rounded(.up)))) { [weak self] in self?.work() }
    }
}
