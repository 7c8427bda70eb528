import BLEHost
import BLETransport
import BLEWire
import Dispatch

/// A host on a controller, without the sessions that a program has: those know no advertising sets, SIDs and PHYs.
///
/// Threads: everything runs on the main queue.
final class Peer: @unchecked Sendable {
    /// Takes an event with the octets to which its ranges refer.
    typealias Handler = (inout HostStack, HostEvent, [UInt8], Instant) -> Void

    private var host: HostStack
    private let stream: DispatchStream
    private let handle: Handler
    private let clock = MachineClock()
    private var framer = H4Framer(reader: .host)
    private let timer = DispatchSource.makeTimerSource(queue: .main)

    /// Starts a host with a static random address.
    init(_ connection: TransportConnection, address: DeviceAddress, name: String, handle: @escaping Handler) {
        var configuration = HostConfiguration()
        configuration.identityAddress = address
        configuration.deviceName = Array(name.utf8)
        host = HostStack(configuration: configuration, random: SeededRandom(seed: address.value))
        stream = DispatchStream(connection, queue: .main)
        self.handle = handle
        stream.onReceive = { [unowned self] in receive($0) }
        stream.onClose = { fail("the controller: \($0)") }
        timer.setEventHandler { [unowned self] in
            host.handleTimeout(at: clock.now)
            flush()
        }
        timer.resume()
        stream.start()
        host.start(at: clock.now)
        flush()
    }

    private func receive(_ octets: Span<UInt8>) {
        let now = clock.now
        framer.receive(octets) { host.receive($0, at: now) }
        flush()
    }

    private func flush() {
        while !host.output.packets.isEmpty || !host.output.events.pending.isEmpty {
            let events = host.output.events.pending
            let octets = host.output.events.attributes.arena.octets
            host.output.events.removeAll()
            for event in events { handle(&host, event, octets, clock.now) }
            let packets = host.output.packets
            host.output.packets.removeAll()
            if !packets.isEmpty { stream.send(packets.span) }
        }
        let wait = host.nextTimeout.map { Int(max(0, ($0 - clock.now).nanoseconds)) }
        timer.schedule(deadline: wait.map { .now() + .nanoseconds($0) } ?? .distantFuture)
    }
}
