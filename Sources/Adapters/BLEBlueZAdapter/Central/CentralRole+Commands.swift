import BLEAdapter
import BLEWire
import SystemBus

/// Write commands: through a socket of bluetoothd's, else as calls one after another.
extension CentralRole {
    /// The time before a socket is looked at again that bluetoothd has not read to its end. The system does not report that.
    private static let drainDelay = TimeSpan.milliseconds(1)

    func write(_ value: [UInt8], _ handle: UInt16, _ peer: PeerIdentifier) {
        guard let link = links[peer], link.phase == .up, link.attributes[handle]?.isDescriptor == false else {
            return passed(value.count)
        }
        links[peer]?.commands[handle, default: DeviceLink.Commands()].waiting.append(value)
        pump(handle, peer)
    }

    private func passed(_ count: Int) {
        central.wrote(count)
        releaseWriters()
    }

    /// Tells the sessions that wait, once no write command waits here.
    func releaseWriters() {
        if links.values.allSatisfy({ $0.commands.values.allSatisfy(\.waiting.isEmpty) }) { central.releaseWriters() }
    }

    /// Sends what waits for a characteristic.
    private func pump(_ handle: UInt16, _ peer: PeerIdentifier) {
        while let next = nextCommand(handle, peer) {
            // An empty packet would end bluetoothd's reading of the socket.
            if next.isCalled || next.value.isEmpty { return callWrite(next.value, handle, peer) }
            guard let socket = next.socket else { return acquire(handle, peer) }
            switch socket.send(next.value.span) {
            case .sent: sent(handle, peer)
            case .full: return
            case .ended:
                socket.close()
                links[peer]?.commands[handle]?.socket = nil
                links[peer]?.commands[handle]?.isCalled = true
            }
        }
    }

    /// The first value that waits, with how it leaves; nil without one, or while a call runs. Nothing refers to the other values afterwards:
    /// removing the first one would copy all of them.
    private func nextCommand(
        _ handle: UInt16, _ peer: PeerIdentifier
    ) -> (value: [UInt8], socket: (any ValueSocket)?, isCalled: Bool)? {
        guard links[peer]?.phase == .up, let commands = links[peer]?.commands[handle], !commands.isBusy,
            let value = commands.waiting.first
        else { return nil }
        return (value, commands.socket, commands.isCalled)
    }

    private func sent(_ handle: UInt16, _ peer: PeerIdentifier) {
        guard let value = links[peer]?.commands[handle]?.waiting.removeFirst() else { return }
        passed(value.count)
    }

    private func acquire(_ handle: UInt16, _ peer: PeerIdentifier) {
        command("AcquireWrite", [.properties([:])], handle, peer) { [weak self] result in
            guard let self else { return }
            guard case .success(let reply) = result, let socket = socket(in: reply) else {
                // Another program has it, or the version has none.
                links[peer]?.commands[handle]?.isCalled = true
                return
            }
            updateMTU(reply, peer)
            socket.onRoom = { [weak self] in self?.pump(handle, peer) }
            socket.onEnd = { [weak self] in self?.links[peer]?.commands[handle]?.socket = nil }
            links[peer]?.commands[handle]?.socket = socket
            socket.start()
        }
    }

    private func callWrite(_ value: [UInt8], _ handle: UInt16, _ peer: PeerIdentifier) {
        guard let path = links[peer]?.attributes[handle]?.path else { return }
        if links[peer]?.commands[handle]?.socket != nil {
            // bluetoothd reads what the socket has before it notices the end.
            links[peer]?.commands[handle]?.isBusy = true
            return releaseCommands(handle, peer) { [weak self] in
                self?.links[peer]?.commands[handle]?.isBusy = false
                self?.pump(handle, peer)
            }
        }
        let options = BusValue.properties(["type": .string("command")])
        command("WriteValue", [.octets(value), options], handle, peer) { [weak self] result in
            if case .failure(let error) = result { self?.log.debug("A write command of \(path): \(error)") }
            self?.sent(handle, peer)
        }
    }

    /// Makes a call for the commands of a characteristic, during which no other leaves.
    private func command(
        _ member: String, _ arguments: [BusValue], _ handle: UInt16, _ peer: PeerIdentifier,
        _ completion: @escaping (Result<BusMessage, BusCallError>) -> Void
    ) {
        guard let link = links[peer], let path = link.attributes[handle]?.path else { return }
        links[peer]?.commands[handle]?.isBusy = true
        let call = BusMessage.call(BlueZ.service, path, BlueZ.characteristic, member, arguments)
        uplink.bus?.call(call, timeout: Self.attributeTimeout) { [weak self] result in
            guard let self, links[peer]?.number == link.number else { return }
            links[peer]?.commands[handle]?.isBusy = false
            completion(result)
            pump(handle, peer)
            settle()
        }
    }

    /// Runs `resume` once bluetoothd has taken all write commands of a link, so that what follows leaves after them.
    func afterCommands(_ peer: PeerIdentifier, _ resume: @escaping () -> Void) {
        let isOver = links[peer]?.commands.values.allSatisfy { $0.waiting.isEmpty && $0.socket?.isDrained != false }
        guard isOver == false else { return resume() }
        let wait = DeviceLink.Wait(property: nil, deadline: now + Self.drainDelay) { [weak self] in
            self?.afterCommands(peer, resume)
        }
        links[peer]?.waits.append(wait)
    }

    /// Closes the socket for write commands, which bluetoothd has read, and runs `resume` when it has noticed.
    func releaseCommands(_ handle: UInt16, _ peer: PeerIdentifier, _ resume: @escaping () -> Void) {
        guard let socket = links[peer]?.commands[handle]?.socket, let path = links[peer]?.attributes[handle]?.path
        else {
            return resume()
        }
        socket.close()
        links[peer]?.commands[handle]?.socket = nil
        wait(for: "WriteAcquired", of: path, peer, resume)
    }
}
