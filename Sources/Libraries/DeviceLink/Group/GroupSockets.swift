import Dispatch
import LocalDiscovery

/// A device of a group on a UDP port.
///
/// An object on one queue; the handler and its completion run there.
///
/// `@unchecked Sendable`: all state is used on the queue that it was created with.
package final class GroupMemberSocket: @unchecked Sendable {
    /// Carries out a command, and calls the completion with the reply.
    package typealias Handler = (_ body: [UInt8], _ completion: @escaping ([UInt8]) -> Void) -> Void

    private let queue: DispatchQueue
    private let start = ContinuousClock.now
    private let socket: DatagramSocket
    private let handler: Handler
    private var member: GroupMember<Endpoint>

    /// - Parameters:
    ///   - address: Where the group's datagrams arrive: the unspecified address with the port of the group.
    /// - Throws: The error of the socket.
    package init(
        _ member: GroupMember<Endpoint>, at address: Endpoint, queue: DispatchQueue = .main, handler: @escaping Handler
    ) throws(DatagramSocket.SocketError) {
        self.member = member
        self.queue = queue
        self.handler = handler
        socket = try DatagramSocket(bindingTo: address)
        socket.start(on: queue) { [weak self] octets, source in
            guard let self else { return }
            self.member.receive(octets, from: source, at: ContinuousClock.now - start)
            work()
        }
    }

    package var port: UInt16 { socket.port }
    package var dropped: GroupMember<Endpoint>.Dropped { member.dropped }

    private func work() {
        for command in member.takeCommands() {
            handler(command.body) { [weak self] reply in
                self?.member.finish(command, reply: reply)
                self?.work()
            }
        }
        for datagram in member.takeOutgoing() {
            let nanoseconds = Int((datagram.delay / .nanoseconds(1)).rounded())
            queue.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) { [weak self] in
                self?.socket.send(datagram.octets, to: datagram.destination)
            }
        }
    }
}

/// The controller of a group on a UDP port.
///
/// An object on one queue. Events arrive there.
///
/// `@unchecked Sendable`: all state is used on the queue that it was created with.
package final class GroupControllerSocket: @unchecked Sendable {
    private let queue: DispatchQueue
    private let start = ContinuousClock.now
    private let socket: DatagramSocket
    private let group: [Endpoint]
    private let onEvent: (GroupController<Endpoint>.Event) -> Void
    private var controller: GroupController<Endpoint>
    private var scheduled: Duration?

    /// - Parameters:
    ///   - group: The broadcast addresses of the networks with members, with the port of the group (`broadcastAddresses`).
    /// - Throws: The error of the socket.
    package init(
        _ controller: GroupController<Endpoint>, group: [Endpoint], queue: DispatchQueue = .main,
        onEvent: @escaping (GroupController<Endpoint>.Event) -> Void
    ) throws(DatagramSocket.SocketError) {
        self.controller = controller
        self.group = group
        self.queue = queue
        self.onEvent = onEvent
        socket = try DatagramSocket(bindingTo: Endpoint(IPAddress(0, 0, 0, 0), 0))
        try socket.allowBroadcast()
        socket.start(on: queue) { [weak self] octets, source in
            guard let self else { return }
            self.controller.receive(octets, from: source, at: now)
            work()
        }
    }

    /// The broadcast addresses of this machine's networks.
    package static func broadcastAddresses(port: UInt16, interfaces: [String] = []) -> [Endpoint] {
        NetworkInterface.current(including: interfaces).flatMap(\.addresses).compactMap(\.broadcast)
            .map { Endpoint($0, port) }
    }

    package var dropped: GroupController<Endpoint>.Dropped { controller.dropped }

    /// Sends a command to the group. Returns its sequence number.
    package func submit(_ body: [UInt8]) throws(GroupController<Endpoint>.SubmitError) -> UInt64 {
        let sequence = try controller.submit(body, at: now)
        work()
        return sequence
    }

    private var now: Duration { ContinuousClock.now - start }

    private func work() {
        for datagram in controller.takeOutgoing() {
            for destination in datagram.destination.map({ [$0] }) ?? group {
                socket.send(datagram.octets, to: destination)
            }
        }
        for event in controller.takeEvents() { onEvent(event) }
        guard let deadline = controller.deadline else { return scheduled = nil }
        if let scheduled, scheduled <= deadline { return }
        scheduled = deadline
        let delay = max(.zero, deadline - now) / .nanoseconds(1)
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(delay.rounded(.up)))) { [weak self] in
            guard let self, scheduled == deadline else { return }
            scheduled = nil
            controller.handleTimeout(at: now)
            work()
        }
    }
}
