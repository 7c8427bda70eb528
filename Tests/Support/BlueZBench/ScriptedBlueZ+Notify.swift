import BLETransport
import BLEWire
import Glibc
import SystemBus

/// Notifications of devices, and the sockets for them and for writing.
extension ScriptedBlueZ {
    func startNotify(_ call: BusCall, _ path: String) {
        let client = call.message.sender ?? ""
        let state = attributes.characteristics[path]
        guard devices[device(of: path)]?.disconnecting.isEmpty != false else { return fail(call, .notConnected) }
        guard state?.notifying == nil else { return fail(call, .notPermitted("Notify acquired")) }
        guard property(path, Self.characteristic, "Notifying") != nil else { return fail(call, .notSupported) }
        guard state?.clients.contains(client) != true else { return reply(call) }
        attributes.characteristics[path, default: .init()].clients.append(client)
        // Without a link it begins with the next one.
        guard isConnected(device(of: path)) else { return reply(call) }
        let generation = devices[device(of: path)]?.generation
        later(timing.attribute) { bluez in
            guard bluez.devices[bluez.device(of: path)]?.generation == generation else { return bluez.reply(call) }
            bluez.setNotifying(path, true)
            bluez.reply(call)
        }
    }

    private func setNotifying(_ path: String, _ isNotifying: Bool) {
        guard property(path, Self.characteristic, "Notifying")?.flag != isNotifying else { return }
        set(path, Self.characteristic, ["Notifying": .bool(isNotifying)])
    }

    func stopNotify(_ call: BusCall, _ path: String) {
        let client = call.message.sender ?? ""
        if attributes.characteristics[path]?.notifying != nil {
            endNotifySocket(path)
            return reply(call)
        }
        guard attributes.characteristics[path]?.clients.contains(client) == true else {
            return fail(call, .failed("No notify session started"))
        }
        stopNotify(path, client)
        reply(call)
    }

    private func stopNotify(_ path: String, _ client: String) {
        attributes.characteristics[path]?.clients.removeAll { $0 == client }
        if attributes.characteristics[path]?.clients.isEmpty == true { setNotifying(path, false) }
    }

    func forgetNotifications(of client: String) {
        for (path, state) in attributes.characteristics.sorted(by: { $0.key < $1.key })
        where state.clients.contains(client) {
            stopNotify(path, client)
        }
    }

    /// The programs that get the notifications of a characteristic.
    package func notifyClients(_ path: String) -> [String] {
        let state = attributes.characteristics[path]
        return (state?.clients ?? []) + (state?.notifying.map { [$0.owner] } ?? [])
    }

    /// A device notifies or indicates a value. Each program that called StartNotify causes a signal, which all of them receive.
    package func notify(_ path: String, _ value: [UInt8]) {
        readSockets()
        guard isConnected(device(of: path)), let state = attributes.characteristics[path] else { return }
        attributes.values[path] = value
        for _ in state.clients { setCached(path, value) }
        if let (socket, _) = state.notifying { _ = send(socket.number, value, value.count, Int32(MSG_NOSIGNAL)) }
    }

    // MARK: Sockets

    func acquireNotify(_ call: BusCall, _ path: String) {
        let state = attributes.characteristics[path]
        guard state?.notifying == nil else { return fail(call, .notPermitted("Notify acquired")) }
        guard state?.clients.isEmpty != false else { return fail(call, .inProgress) }
        guard property(path, Self.characteristic, "Notifying") != nil else { return fail(call, .notSupported) }
        guard let (own, other) = Self.sockets() else { return fail(call, .failed("Too many open files")) }
        attributes.characteristics[path, default: .init()].notifying = (own, call.message.sender ?? "")
        answer(call, path, other, "NotifyAcquired", after: timing.attribute)
    }

    func acquireWrite(_ call: BusCall, _ path: String) {
        guard attributes.characteristics[path]?.writing == nil else {
            return fail(call, .notPermitted("Write acquired"))
        }
        guard property(path, Self.characteristic, "WriteAcquired") != nil else { return fail(call, .notSupported) }
        guard let (own, other) = Self.sockets() else { return fail(call, .failed("Too many open files")) }
        attributes.characteristics[path, default: .init()].writing = own
        answer(call, path, other, "WriteAcquired", after: .zero)
    }

    private func answer(
        _ call: BusCall, _ path: String, _ socket: Descriptor, _ property: String, after delay: TimeSpan
    ) {
        let mtu = devices[device(of: path)]?.device.mtu ?? 23
        let generation = devices[device(of: path)]?.generation
        later(delay) { bluez in
            guard bluez.devices[bluez.device(of: path)]?.generation == generation else {
                return bluez.fail(call, .failed("Not connected"))
            }
            bluez.setAcquired(path, property, true)
            bluez.reply(call, [.descriptor(0), .uint16(mtu)], descriptors: [socket])
        }
    }

    /// Only characteristics with `notify` have the property NotifyAcquired.
    private func setAcquired(_ path: String, _ name: String, _ isAcquired: Bool) {
        if property(path, Self.characteristic, name) != nil {
            set(path, Self.characteristic, [name: .bool(isAcquired)])
        }
    }

    /// Two ends of a socket that keeps the boundaries of packets.
    private static func sockets() -> (Descriptor, Descriptor)? {
        var ends: [Int32] = [0, 0]
        let type = SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
        guard socketpair(AF_UNIX, Int32(type), 0, &ends) == 0 else { return nil }
        return (Descriptor(ends[0]), Descriptor(ends[1]))
    }

    private func endNotifySocket(_ path: String) {
        attributes.characteristics[path]?.notifying = nil
        setAcquired(path, "NotifyAcquired", false)
    }

    private func endWriteSocket(_ path: String) {
        attributes.characteristics[path]?.writing = nil
        setAcquired(path, "WriteAcquired", false)
    }

    /// Reads what programs wrote to sockets, and notices which they closed. Calls, notifications and this method do it.
    package func readSockets() {
        var buffer = [UInt8](repeating: 0, count: 512)
        for (path, state) in attributes.characteristics.sorted(by: { $0.key < $1.key }) {
            if let socket = state.notifying?.socket {
                let count = recv(socket.number, &buffer, buffer.count, Int32(MSG_DONTWAIT))
                if count == 0 { endNotifySocket(path) }
            }
            while let socket = attributes.characteristics[path]?.writing {
                let count = recv(socket.number, &buffer, buffer.count, Int32(MSG_DONTWAIT))
                if count == 0 { endWriteSocket(path) }
                guard count > 0 else { break }
                receive(ScriptedWrite(path: path, value: Array(buffer.prefix(count)), type: "acquired", offset: 0))
            }
        }
    }

    /// The link has ended: sockets hang up, and operations end. bluetoothd answers a reading with an empty value and a writing with success: the
    /// error of an operation that the link ended has the code 0, and is lost.
    func attributesAreGone(of device: String) {
        readSockets()
        for path in attributes.characteristics.keys.sorted() where path.hasPrefix(device + "/") {
            if attributes.characteristics[path]?.notifying != nil { endNotifySocket(path) }
            if attributes.characteristics[path]?.writing != nil { endWriteSocket(path) }
        }
        for path in attributes.reading.keys.sorted() where path.hasPrefix(device + "/") {
            for call in attributes.reading.removeValue(forKey: path)?.calls ?? [] { reply(call, [.octets([])]) }
        }
        for path in attributes.writing.keys.sorted() where path.hasPrefix(device + "/") {
            if let call = attributes.writing.removeValue(forKey: path) { reply(call) }
        }
    }
}
