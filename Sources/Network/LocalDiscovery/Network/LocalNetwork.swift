import Dispatch

/// Multicast DNS on the interfaces of this machine: announces services and finds those of others.
///
/// ```swift
/// let network = try LocalNetwork(host: "gateway")
/// try network.publish(LocalService("Gateway", type: "_esphomelib._tcp", port: 6053, text: ["version": "2026.1.0"]))
/// ```
///
/// It shares port 5353 with other responders of the machine, such as Avahi, and needs none. A host name that another responder of this machine
/// announces with other addresses is a conflict: choose one of its own. An object on one queue; `close` says goodbye.
package final class LocalNetwork {
    private static let port: UInt16 = 5353
    private static let groups = [
        IPAddress(224, 0, 0, 251), IPAddress([0xFF, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFB])!,
    ]
    /// How often the interfaces of the machine are read.
    private static let interfacePause = DispatchTimeInterval.seconds(5)

    private struct Browse {
        var browser: ServiceBrowser
        let report: (ServiceBrowser.Event) -> Void
    }

    private struct GroupSocket {
        let socket: DatagramSocket
        let group: IPAddress
    }

    private let queue: DispatchQueue
    private let names: [String]
    private let start = ContinuousClock.now
    /// Nil for a network that only browses: this host then announces no name.
    private var responder: MulticastResponder?
    private var browses: [Int: Browse] = [:]
    private var nextBrowse = 1
    private var interfaces: [NetworkInterface] = []
    private var sockets: [Int: [GroupSocket]] = [:]
    private var timer: (any DispatchSourceTimer)?
    private var interfaceTimer: (any DispatchSourceTimer)?
    /// The datagrams that were no DNS message or came from outside of the link.
    package private(set) var dropped = 0
    /// The latest error of a socket.
    package private(set) var failure: DatagramSocket.SocketError?

    /// - Parameters:
    ///   - host: The first label of this host's name, such as `gateway` for `gateway.local`.
    ///   - interfaces: The names of the interfaces; empty for all that can multicast, without the loopback interface.
    ///   - queue: The serial queue of all methods and callbacks.
    package init(host: String, interfaces: [String] = [], queue: DispatchQueue = .main) throws(LocalServiceError) {
        self.queue = queue
        names = interfaces
        responder = try MulticastResponder(host: host, seed: UInt64.random(in: .min ... .max))
    }

    /// Finds the services of others and announces nothing.
    package init(browsingOn interfaces: [String] = [], queue: DispatchQueue = .main) {
        self.queue = queue
        names = interfaces
    }

    deinit {
        timer?.cancel()
        interfaceTimer?.cancel()
    }

    // MARK: Calls

    /// Opens the sockets, and follows changes of the interfaces.
    package func open() {
        guard interfaceTimer == nil else { return }
        readInterfaces()
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + Self.interfacePause, repeating: Self.interfacePause)
        timer.setEventHandler { [weak self] in self?.readInterfaces() }
        interfaceTimer = timer
        timer.resume()
    }

    package func publish(_ service: LocalService) throws(LocalServiceError) {
        try responder?.publish(service, at: now)
        work()
    }

    package func withdraw(_ service: LocalService) {
        responder?.withdraw(service)
        work()
    }

    /// The name that a published service has now: a conflict changes it.
    package func name(of service: LocalService) -> String? { responder?.name(of: service) }
    /// Whether all names are probed and announced.
    package var isEstablished: Bool { responder?.isEstablished == true && !interfaces.isEmpty }
    /// The name of the host, with the domain; empty for a network that only browses.
    package var hostName: String { responder?.hostName.description ?? "" }
    /// The names of the interfaces in use.
    package var interfaceNames: [String] { interfaces.map(\.name) }

    /// Finds services until `endBrowsing` gets the returned number.
    package func browse(
        _ type: String, _ report: @escaping (ServiceBrowser.Event) -> Void
    ) throws(LocalServiceError) -> Int {
        var browser = try ServiceBrowser(type: type, seed: UInt64.random(in: .min ... .max))
        browser.setInterfaces(Set(sockets.keys), at: now)
        let number = nextBrowse
        nextBrowse += 1
        browses[number] = Browse(browser: browser, report: report)
        work()
        return number
    }

    package func endBrowsing(_ number: Int) { browses[number] = nil }

    /// Says goodbye and closes the sockets.
    package func close() {
        responder?.shutDown()
        send(responder?.takeOutgoing() ?? [])
        timer?.cancel()
        interfaceTimer?.cancel()
        (timer, interfaceTimer) = (nil, nil)
        browses = [:]
        interfaces = []
        sockets = [:]
    }

    // MARK: Work

    private var now: Duration { ContinuousClock.now - start }

    private func readInterfaces() {
        let current = NetworkInterface.current(including: names)
        guard current != interfaces else { return }
        let gone = Set(sockets.keys).subtracting(current.map(\.number))
        for number in gone { sockets[number] = nil }
        for interface in current {
            let old = interfaces.first { $0.number == interface.number }
            if old != interface { sockets[interface.number] = open(interface) }
        }
        interfaces = current.filter { sockets[$0.number]?.isEmpty == false }
        sockets = sockets.filter { !$0.value.isEmpty }
        let addresses = interfaces.map { ($0.number, $0.addresses.map(\.address)) }
        responder?.setInterfaces(Dictionary(uniqueKeysWithValues: addresses), at: now)
        for number in browses.keys { browses[number]!.browser.setInterfaces(Set(sockets.keys), at: now) }
        work()
    }

    /// A socket for each family that the interface has an address of.
    private func open(_ interface: NetworkInterface) -> [GroupSocket] {
        Self.groups.compactMap { group in
            guard interface.addresses.contains(where: { $0.address.isIPv4 == group.isIPv4 }) else { return nil }
            let any = IPAddress([UInt8](repeating: 0, count: group.octets.count))!
            do {
                let socket = try DatagramSocket(
                    bindingTo: Endpoint(any, Self.port), interface: interface, isShared: true)
                try socket.join(group, on: interface)
                socket.start(on: queue) { [weak self] octets, sender in
                    self?.receive(octets, from: sender, on: interface)
                }
                return GroupSocket(socket: socket, group: group)
            } catch {
                failure = error as? DatagramSocket.SocketError
                return nil
            }
        }
    }

    private func receive(_ octets: [UInt8], from source: Endpoint, on interface: NetworkInterface) {
        guard octets.count <= DNSMessage.longest, interface.reaches(source.address),
            let message = try? DNSMessage(decoding: octets)
        else {
            dropped += 1
            return
        }
        responder?.receive(message, from: source, on: interface.number, at: now)
        for number in browses.keys {
            browses[number]!.browser.receive(message, from: source, on: interface.number, at: now)
        }
        work()
    }

    /// Sends and reports what there is, and sets the timer.
    private func work() {
        responder?.handleTimeout(at: now)
        send(responder?.takeOutgoing() ?? [])
        for number in browses.keys.sorted() {
            browses[number]?.browser.handleTimeout(at: now)
            let events = browses[number]?.browser.takeEvents() ?? []
            send(browses[number]?.browser.takeOutgoing() ?? [])
            // A callback may end this browse or another.
            for event in events { browses[number]?.report(event) }
        }
        schedule()
    }

    private func schedule() {
        let deadlines = [responder?.deadline] + browses.values.map(\.browser.deadline)
        guard let deadline = deadlines.compactMap({ $0 }).min(), interfaceTimer != nil else { return }
        let delay = max(.zero, deadline - now) / .nanoseconds(1)
        if timer == nil {
            let timer = DispatchSource.makeTimerSource(queue: queue)
            timer.setEventHandler { [weak self] in self?.work() }
            self.timer = timer
            timer.schedule(deadline: .now() + .nanoseconds(Int(delay.rounded(.up))))
            timer.resume()
        } else {
            timer!.schedule(deadline: .now() + .nanoseconds(Int(delay.rounded(.up))))
        }
    }

    private func send(_ messages: [OutgoingMessage]) {
        for message in messages {
            for entry in sockets[message.interface] ?? [] {
                let destination = message.destination ?? Endpoint(entry.group, Self.port)
                guard destination.address.isIPv4 == entry.group.isIPv4 else { continue }
                let code = entry.socket.send(message.octets, to: destination)
                if code != 0 { failure = DatagramSocket.SocketError(operation: "send to \(destination)", code: code) }
            }
        }
    }
}
