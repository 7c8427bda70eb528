import BLEAdapter
import BLETransport
import BLEWire
import SystemBus

/// The operations of GATT as calls of bluetoothd.
extension CentralRole {
    /// The time before bluetoothd is asked again while it is busy with the attribute for another program (InProgress).
    private static let busyDelay = TimeSpan.milliseconds(50)
    /// The time in which bluetoothd has to notice that a socket was closed.
    private static let releaseTimeout = TimeSpan.seconds(2)
    private static let requestNotSupported: UInt8 = 0x06
    private static let attributeNotFound: UInt8 = 0x0A
    private static let invalidHandle: UInt8 = 0x01

    func perform(_ operation: GATTOperation, _ peer: PeerIdentifier) {
        guard let link = links[peer], link.phase == .up else { return finished(peer, .failure(.notConnected)) }
        if let result = link.attributes.services.result(of: operation) { return finished(peer, .success(result)) }
        afterCommands(peer) { [weak self] in self?.begin(operation, peer, link) }
    }

    private func begin(_ operation: GATTOperation, _ peer: PeerIdentifier, _ link: DeviceLink) {
        switch operation {
        case .read(let handle): read(handle, peer, link)
        case .write(let handle, let value): write(handle, value, peer, link)
        case .setNotify(let handle, _, .off): stopValues(handle, peer, link)
        case .setNotify(let handle, _, _): startValues(handle, peer, link)
        default:
            // bluetoothd removes the signal strength while a device is connected.
            log.debug("bluetoothd does not tell the signal strength of links.")
            finished(peer, .failure(.attribute(Self.requestNotSupported)))
        }
    }

    private func finished(_ peer: PeerIdentifier, _ result: Result<GATTResult, GATTError>) {
        central.finished(peer, result, at: now)
    }

    /// Calls a method of an attribute, again as long as bluetoothd is busy with it. The answer comes only if the link is still the same.
    private func call(
        _ attribute: RemoteAttributes.Attribute, _ member: String, _ arguments: [BusValue], _ peer: PeerIdentifier,
        _ number: Int, _ completion: @escaping (Result<BusMessage, BusCallError>) -> Void
    ) {
        let interface = attribute.isDescriptor ? BlueZ.descriptor : BlueZ.characteristic
        let call = BusMessage.call(BlueZ.service, attribute.path, interface, member, arguments)
        uplink.bus?.call(call, timeout: Self.attributeTimeout) { [weak self] result in
            guard let self, links[peer]?.number == number else { return }
            if case .failure(.error(BlueZ.Failure.inProgress, _)) = result, member.hasSuffix("Value") {
                let wait = DeviceLink.Wait(property: nil, deadline: now + Self.busyDelay) { [weak self] in
                    self?.call(attribute, member, arguments, peer, number, completion)
                }
                links[peer]?.waits.append(wait)
                return plan()
            }
            completion(result)
            settle()
        }
    }

    // MARK: Reading and writing

    private func read(_ handle: UInt16, _ peer: PeerIdentifier, _ link: DeviceLink) {
        guard let attribute = link.attributes[handle] else {
            return finished(peer, .failure(.attribute(Self.invalidHandle)))
        }
        if case .started(var values)? = links[peer]?.values[handle] {
            values.beginRead()
            links[peer]?.values[handle] = .started(values)
        }
        call(attribute, "ReadValue", [.properties([:])], peer, link.number) { [weak self] result in
            guard let self else { return }
            let value = result.mapError { AttributeFailure.error($0, isRead: true) }.flatMap { Self.value(in: $0) }
            if case .started(var values)? = links[peer]?.values[handle] {
                let notifications = values.endRead(try? value.get(), at: now)
                links[peer]?.values[handle] = .started(values)
                for value in notifications { central.received(value.span, handle: handle, from: peer) }
            }
            conclude(value.map { .value($0) }, peer, link.number)
        }
    }

    /// The value in an answer of ReadValue, an empty one if there is none. An answer of another type is no value.
    private static func value(in reply: BusMessage) -> Result<[UInt8], GATTError> {
        guard let first = reply.body.first else { return .success([]) }
        return first.bytes.map { .success(Array($0.prefix(ATT.maximumValueLength))) }
            ?? .failure(AttributeFailure.unexplained)
    }

    /// Reports a result. When the link ends, bluetoothd answers a request that waits for the device with an empty value or with an error
    /// without a code, before it tells the end.
    private func conclude(_ result: Result<GATTResult, GATTError>, _ peer: PeerIdentifier, _ number: Int) {
        guard result == .success(.value([])) || result == .failure(AttributeFailure.unexplained) else {
            return finished(peer, result)
        }
        confirmLink(peer, number) { [weak self] in self?.finished(peer, result) }
    }

    /// Runs `resume` if the link is still there.
    private func confirmLink(_ peer: PeerIdentifier, _ number: Int, _ resume: @escaping () -> Void) {
        guard let path = links[peer]?.path else { return }
        uplink.bus?.property(BlueZ.service, path, BlueZ.device, "Connected") { [weak self] _ in
            guard let self, let link = links[peer], link.number == number, link.phase == .up else { return }
            resume()
            settle()
        }
    }

    private func write(_ handle: UInt16, _ value: [UInt8], _ peer: PeerIdentifier, _ link: DeviceLink) {
        guard let attribute = link.attributes[handle] else {
            return finished(peer, .failure(.attribute(Self.invalidHandle)))
        }
        // bluetoothd refuses requests while somebody has the socket for write commands.
        releaseCommands(handle, peer) { [weak self] in
            let options: BusProperties = attribute.isDescriptor ? [:] : ["type": .string("request")]
            self?.call(attribute, "WriteValue", [.octets(value), .properties(options)], peer, link.number) { result in
                self?.conclude(
                    result.map { _ in .done }.mapError { AttributeFailure.error($0, isRead: false) }, peer, link.number)
            }
        }
    }

    /// Runs `resume` when a property of a characteristic is no longer true, or after some time.
    func wait(for name: String, of path: String, _ peer: PeerIdentifier, _ resume: @escaping () -> Void) {
        guard uplink.objects.isTrue(name, path, BlueZ.characteristic) else { return resume() }
        links[peer]?.waits.append(
            DeviceLink.Wait(property: (path, name), deadline: now + Self.releaseTimeout, resume: resume))
    }

    func changed(_ path: String, _ names: Set<String>) {
        if names.contains("MTU"), let mtu = uplink.objects.properties(path, BlueZ.characteristic)?["MTU"]?.number,
            let peer = peer(below: path), links[peer]?.phase == .up
        {
            central.snapshot.setMaximumTransmissionUnit(Int(clamping: mtu), of: peer)
        }
        guard names.contains("NotifyAcquired") || names.contains("WriteAcquired") else { return }
        for peer in Array(links.keys) {
            let over = links[peer]?.takeWaits { wait in
                wait.property.map { $0.path == path && !uplink.objects.isTrue($0.name, path, BlueZ.characteristic) }
                    ?? false
            }
            for wait in over ?? [] { wait.resume() }
        }
    }

    // MARK: Notifications

    private func startValues(_ handle: UInt16, _ peer: PeerIdentifier, _ link: DeviceLink) {
        guard link.values[handle] == nil else { return finished(peer, .success(.done)) }
        guard let attribute = link.attributes[handle], !attribute.isDescriptor,
            !attribute.flags.isDisjoint(with: ["notify", "indicate"])
        else { return finished(peer, .failure(.attribute(Self.attributeNotFound))) }
        call(attribute, "AcquireNotify", [.properties([:])], peer, link.number) { [weak self] result in
            guard let self else { return }
            if case .success(let reply) = result, let socket = socket(in: reply, peer) {
                acquired(handle, peer, socket)
            } else if case .failure(let error) = result, !AttributeFailure.isRefusal(error) {
                finished(peer, .failure(AttributeFailure.error(error, isRead: false)))
            } else {
                startNotify(handle, attribute, peer, link.number)
            }
        }
    }

    private func startNotify(
        _ handle: UInt16, _ attribute: RemoteAttributes.Attribute, _ peer: PeerIdentifier, _ number: Int
    ) {
        // What arrives before the answer counts.
        links[peer]?.values[handle] = .started(DeviceLink.PropertyValues())
        call(attribute, "StartNotify", [], peer, number) { [weak self] result in
            guard let self else { return }
            guard case .failure(let error) = result else { return finished(peer, .success(.done)) }
            links[peer]?.values[handle] = nil
            if AttributeFailure.isRefusal(error) {
                log.error("Another program receives the values of \(attribute.path) alone.")
            }
            finished(peer, .failure(AttributeFailure.error(error, isRead: false)))
        }
    }

    /// The socket in an answer of AcquireNotify or AcquireWrite. With it comes the ATT_MTU, which versions before 5.62 tell nowhere else.
    func socket(in reply: BusMessage, _ peer: PeerIdentifier) -> (any ValueSocket)? {
        if reply.body.count > 1, let mtu = reply.body[1].number {
            central.snapshot.setMaximumTransmissionUnit(Int(clamping: mtu), of: peer)
        }
        guard case .descriptor(let index)? = reply.body.first, reply.descriptors.indices.contains(Int(index)) else {
            return nil
        }
        return makeSocket(reply.descriptors[Int(index)])
    }

    private func acquired(_ handle: UInt16, _ peer: PeerIdentifier, _ socket: any ValueSocket) {
        socket.onValue = { [weak self] in self?.central.received($0, handle: handle, from: peer) }
        socket.onEnd = { [weak self] in self?.links[peer]?.values[handle] = nil }
        links[peer]?.values[handle] = .acquired(socket)
        finished(peer, .success(.done))
        // The first values may be there already.
        socket.start()
    }

    private func stopValues(_ handle: UInt16, _ peer: PeerIdentifier, _ link: DeviceLink) {
        let values = links[peer]?.values.removeValue(forKey: handle)
        guard let values, let attribute = link.attributes[handle] else { return finished(peer, .success(.done)) }
        switch values {
        case .acquired(let socket):
            socket.close()
            wait(for: "NotifyAcquired", of: attribute.path, peer) { [weak self] in self?.finished(peer, .success(.done))
            }
        case .started:
            call(attribute, "StopNotify", [], peer, link.number) { [weak self] _ in
                self?.finished(peer, .success(.done))
            }
        }
    }

    /// bluetoothd reported a value, of a notification or of any program's read.
    func received(_ path: String, _ value: [UInt8]) {
        guard let peer = peer(below: path), let link = links[peer],
            let handle = link.attributes.handle(of: path), case .started(var values)? = link.values[handle]
        else { return }
        let notification = values.take(value, at: now)
        links[peer]?.values[handle] = .started(values)
        if let notification { central.received(notification.span, handle: handle, from: peer) }
    }
}
