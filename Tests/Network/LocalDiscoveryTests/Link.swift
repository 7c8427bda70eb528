import Testing

@testable import LocalDiscovery

/// Responders and browsers on one link in virtual time. Each message reaches all of them after a millisecond, also its sender.
final class Link {
    final class Node {
        let endpoint: Endpoint
        var responder: MulticastResponder?
        var browser: ServiceBrowser?
        var events: [ServiceBrowser.Event] = []

        init(_ number: UInt8) { endpoint = Endpoint(IPAddress(192, 0, 2, number), 5353) }
    }

    struct Sent {
        let time: Duration
        let source: Endpoint
        let destination: Endpoint?
        let message: DNSMessage
    }

    var nodes: [Node] = []
    private(set) var now = Duration.zero
    private(set) var sent: [Sent] = []
    private var flying: [Sent] = []
    /// Whether a message is lost.
    var loses: (Sent) -> Bool = { _ in false }
    /// Called with each message that a node sends.
    var react: (Sent) -> Void = { _ in }
    static let interface = 3

    func responder(_ host: String, _ services: [LocalService] = [], seed: UInt64? = nil) throws -> Node {
        let node = Node(UInt8(nodes.count + 1))
        node.responder = try MulticastResponder(host: host, seed: seed ?? UInt64(nodes.count + 1))
        node.responder!.setInterfaces([Self.interface: [node.endpoint.address]], at: now)
        for service in services { try node.responder!.publish(service, at: now) }
        nodes.append(node)
        return node
    }

    func browser(_ type: String) throws -> Node {
        let node = Node(UInt8(nodes.count + 1))
        node.browser = try ServiceBrowser(type: type, seed: UInt64(nodes.count + 1))
        node.browser!.setInterfaces([Self.interface], at: now)
        nodes.append(node)
        return node
    }

    /// Sends a message from a host that is no node.
    func inject(_ message: DNSMessage, from source: Endpoint = Endpoint(IPAddress(192, 0, 2, 200), 5353)) {
        flying.append(Sent(time: now + .milliseconds(1), source: source, destination: nil, message: message))
    }

    func run(_ time: Duration) {
        let end = now + time
        collect()
        while true {
            let times = nodes.flatMap { [$0.responder?.deadline, $0.browser?.deadline] } + flying.map(\.time)
            guard let next = times.compactMap({ $0 }).min(), next <= end else { break }
            now = max(now, next)
            let arrived = flying.filter { $0.time <= now }
            flying.removeAll { $0.time <= now }
            for message in arrived { deliver(message) }
            for node in nodes {
                node.responder?.handleTimeout(at: now)
                node.browser?.handleTimeout(at: now)
            }
            collect()
        }
        now = end
    }

    private func deliver(_ sent: Sent) {
        for node in nodes where sent.destination == nil || sent.destination == node.endpoint {
            node.responder?.receive(sent.message, from: sent.source, on: Self.interface, at: now)
            node.browser?.receive(sent.message, from: sent.source, on: Self.interface, at: now)
        }
        collect()
    }

    private func collect() {
        for node in nodes {
            let messages = (node.responder?.takeOutgoing() ?? []) + (node.browser?.takeOutgoing() ?? [])
            for message in messages {
                let decoded: DNSMessage
                do {
                    decoded = try DNSMessage(decoding: message.octets)
                } catch {
                    Issue.record("\(message.octets): \(error)")
                    continue
                }
                let entry = Sent(
                    time: now + .milliseconds(1), source: node.endpoint, destination: message.destination,
                    message: decoded)
                sent.append(entry)
                react(entry)
                if !loses(entry) { flying.append(entry) }
            }
            node.events += node.browser?.takeEvents() ?? []
        }
    }

    func forgetSent() { sent = [] }
    func responses(from node: Node) -> [Sent] { sent.filter { $0.source == node.endpoint && $0.message.isResponse } }
    func queries(from node: Node) -> [Sent] { sent.filter { $0.source == node.endpoint && !$0.message.isResponse } }
}

func service(_ name: String = "Lamp", port: UInt16 = 80, text: [String: String] = [:]) throws -> LocalService {
    try LocalService(name, type: "_lamp._tcp", port: port, text: text)
}
