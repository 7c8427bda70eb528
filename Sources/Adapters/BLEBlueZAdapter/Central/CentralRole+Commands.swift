import BLEAdapter
import BLEWire
import SystemBus

/// Write commands: the steps of `WriteCommands` as calls and writes.
extension CentralRole {
    /// The time before a socket is looked at again that bluetoothd has not read to its end. The system does not report that.
    private static let drainDelay = TimeSpan.milliseconds(1)

    func write(_ value: [UInt8], _ handle: UInt16, _ peer: PeerIdentifier) {
        guard let link = links[peer], link.phase == .up, link.attributes[handle]?.isDescriptor == false else {
            return passed(value.count)
        }
        links[peer]?.commands[handle, default: WriteCommands()].add(value)
        pump(handle, peer)
    }

    private func passed(_ count: Int?) {
        guard let count else { return }
        central.wrote(count)
        releaseWriters()
    }

    /// Tells the sessions that wait, once no write command waits here.
    func releaseWriters() {
        if links.values.allSatisfy({ $0.commands.values.allSatisfy(\.isEmpty) }) { central.releaseWriters() }
    }

    /// Takes the steps of a characteristic.
    private func pump(_ handle: UInt16, _ peer: PeerIdentifier) {
        while links[peer]?.phase == .up, let step = links[peer]?.commands[handle]?.next() {
            switch step {
            case .acquire: acquire(handle, peer)
            case .call(let value):
                let options = BusValue.properties(["type": .string("command")])
                command("WriteValue", [.octets(value), options], handle, peer) { [weak self] result in
                    if case .failure(let error) = result { self?.log.debug("A write command: \(error)") }
                    self?.passed(self?.links[peer]?.commands[handle]?.called())
                }
            case .release: releaseCommands(handle, peer) {}
            case .write(let value):
                let result = links[peer]?.commandSockets[handle]?.send(value.span) ?? .ended
                if result == .ended { links[peer]?.commandSockets.removeValue(forKey: handle)?.close() }
                passed(links[peer]?.commands[handle]?.wrote(result))
            }
        }
    }

    private func acquire(_ handle: UInt16, _ peer: PeerIdentifier) {
        command("AcquireWrite", [.properties([:])], handle, peer) { [weak self] result in
            guard let self else { return }
            let socket = (try? result.get()).flatMap { self.socket(in: $0, peer) }
            socket?.onRoom = { [weak self] in
                self?.links[peer]?.commands[handle]?.hasRoom()
                self?.pump(handle, peer)
            }
            socket?.onEnd = { [weak self] in
                self?.links[peer]?.commandSockets[handle] = nil
                self?.links[peer]?.commands[handle]?.released()
                self?.pump(handle, peer)
            }
            links[peer]?.commandSockets[handle] = socket
            links[peer]?.commands[handle]?.acquired(socket != nil)
            socket?.start()
        }
    }

    /// Makes a call for the commands of a characteristic, after whose answer others leave.
    private func command(
        _ member: String, _ arguments: [BusValue], _ handle: UInt16, _ peer: PeerIdentifier,
        _ completion: @escaping (Result<BusMessage, BusCallError>) -> Void
    ) {
        guard let link = links[peer], let path = link.attributes[handle]?.path else { return }
        let call = BusMessage.call(BlueZ.service, path, BlueZ.characteristic, member, arguments)
        uplink.bus?.call(call, timeout: Self.attributeTimeout) { [weak self] result in
            guard let self, links[peer]?.number == link.number else { return }
            completion(result)
            pump(handle, peer)
            settle()
        }
    }

    /// Runs `resume` once bluetoothd has taken all write commands of a link, so that what follows leaves after them.
    func afterCommands(_ peer: PeerIdentifier, _ resume: @escaping () -> Void) {
        guard let link = links[peer] else { return }
        guard !link.commands.values.allSatisfy(\.isEmpty) || !link.commandSockets.values.allSatisfy(\.isDrained) else {
            return resume()
        }
        let wait = DeviceLink.Wait(property: nil, deadline: now + Self.drainDelay) { [weak self] in
            self?.afterCommands(peer, resume)
        }
        links[peer]?.waits.append(wait)
    }

    /// Closes the socket for write commands, which bluetoothd has read, and runs `resume` when it has noticed.
    func releaseCommands(_ handle: UInt16, _ peer: PeerIdentifier, _ resume: @escaping () -> Void) {
        guard let socket = links[peer]?.commandSockets.removeValue(forKey: handle),
            let path = links[peer]?.attributes[handle]?.path
        else { return resume() }
        socket.close()
        links[peer]?.commands[handle]?.release()
        wait(for: "WriteAcquired", of: path, peer) { [weak self] in
            self?.links[peer]?.commands[handle]?.released()
            resume()
            self?.pump(handle, peer)
        }
    }
}
