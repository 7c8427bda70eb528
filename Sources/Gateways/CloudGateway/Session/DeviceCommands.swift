import AdvertisementScanning
import BLEAdapter
import BLETransport
import BLEWire

/// The links to devices, and the operations on them that clients command.
struct DeviceCommands: Sendable {
    enum Output: Sendable {
        case adapter(CloudAdapterCommand)
        case succeeded(ReplyDestination, CommandResult)
        case failed(ReplyDestination, CloudCommandError)
        /// A link began or ended.
        case link(address: UInt64, state: String, reason: String?, time: Int64)
        /// A device sent a value that a client subscribed to.
        case value([UInt8], handle: UInt16, characteristic: BluetoothUUID?, address: UInt64, time: Int64)
    }

    /// What the gateway knows when a command arrives.
    struct Surroundings {
        let adapter: AdapterState
        let now: Instant
        /// The devices that advertised.
        let devices: [UInt64: AdvertisementLimiter.Device]

        /// The type of a device's address: as it advertised, otherwise public.
        func kind(of address: UInt64) -> DeviceAddress.Kind { devices[address]?.kind ?? .public }
    }

    /// The most operations of one link that wait.
    static let pendingLimit = 32

    var outputs: [Output] = []
    var links = CloudLinks()
    /// The writes without response that the driver has not answered.
    private(set) var commandWrites: [Int: ReplyDestination] = [:]
    private var nextCommandWrite = 0
    private let linkLimit: Int
    private let identify: @Sendable (DeviceAddress) -> PeerIdentifier

    /// - Parameter identify: The identifier of the device with an address.
    init(linkLimit: Int, identify: @escaping @Sendable (DeviceAddress) -> PeerIdentifier) {
        (self.linkLimit, self.identify) = (linkLimit, identify)
    }

    mutating func takeOutputs() -> [Output] {
        defer { outputs = [] }
        return outputs
    }

    /// Begins a command. `succeeded` or `failed` ends it, now or later.
    ///
    /// - Throws: The reason why the command is not possible.
    mutating func begin(
        _ request: CloudRequest, _ origin: ReplyDestination, in surroundings: Surroundings
    ) throws(CloudCommandError) {
        switch request.op {
        case "connect": try connect(request, origin, in: surroundings)
        case "disconnect": try disconnect(request, origin, at: surroundings.now)
        case "read":
            let (peer, characteristic, handle) = try attribute(request)
            try submit(.read(handle: handle), .read(origin, characteristic: characteristic?.uuid), peer)
        case "write": try write(request, origin)
        case "subscribe", "unsubscribe":
            let (peer, found, _) = try attribute(request)
            guard let found else {
                throw CloudCommandError("not-found", "The handle is not that of a characteristic's value.")
            }
            let isOn = request.op == "subscribe"
            // Notify is bit 4 of the properties, and Indicate bit 5 (Vol 3, Part G, 3.3.1.1).
            let mode: GATTOperation.NotifyMode =
                !isOn ? .off : found.properties & 0x10 != 0 ? .notification : .indication
            try submit(
                .setNotify(valueHandle: found.valueHandle, end: found.end, mode: mode),
                .subscribe(origin, valueHandle: found.valueHandle, isOn: isOn), peer)
        default:
            throw CloudCommandError(
                "unknown-op", "The operations are connect, disconnect, read, write, subscribe and unsubscribe.")
        }
    }

    private func address(_ request: CloudRequest) throws(CloudCommandError) -> UInt64 {
        guard let target = request.target, let address = AddressDigits.value(target) else {
            throw CloudCommandError("invalid", "The target must be the address of a device, as in AC:BC:32:89:0E:A9.")
        }
        return address
    }

    private mutating func connect(
        _ request: CloudRequest, _ origin: ReplyDestination, in surroundings: Surroundings
    ) throws(CloudCommandError) {
        let address = try address(request)
        if let peer = links.peer(of: address), let link = links[peer] {
            switch link.state {
            case .up: return outputs.append(.succeeded(origin, .services(link.services)))
            case .ending: throw CloudCommandError("busy", "The link is ending. Try again.")
            case .connecting, .discovering:
                guard link.waiting.count < Self.pendingLimit else { throw Self.busy }
                links[peer]?.waiting.append(origin)
                return
            }
        }
        guard surroundings.adapter == .poweredOn else {
            throw CloudCommandError("adapter", "The Bluetooth adapter is \(surroundings.adapter.word).")
        }
        guard links.count < linkLimit else {
            throw CloudCommandError("busy", "The gateway has its \(linkLimit) links already.")
        }
        let kind: DeviceAddress.Kind
        switch request.args?.addressType {
        case nil: kind = surroundings.kind(of: address)
        case "public": kind = .public
        case "random", "static", "resolvable", "nonresolvable": kind = .random
        default: throw CloudCommandError("invalid", "The address type is public or random.")
        }
        let peer = identify(DeviceAddress(kind: kind, value: address))
        // A bonded device has one identifier for its private addresses and its identity address.
        guard links[peer] == nil else {
            throw CloudCommandError("busy", "The device is connected with another of its addresses.")
        }
        var link = CloudLinks.Link(address: address, state: .connecting(deadline: surroundings.now + Self.linkTimeout))
        link.waiting = [origin]
        links.add(link, peer)
        outputs.append(.adapter(.connect(peer)))
    }

    private mutating func disconnect(
        _ request: CloudRequest, _ origin: ReplyDestination, at now: Instant
    ) throws(CloudCommandError) {
        let address = try address(request)
        guard let peer = links.peer(of: address), let link = links[peer] else {
            return outputs.append(.succeeded(origin, .done))
        }
        guard link.ending.count < Self.pendingLimit else { throw Self.busy }
        links[peer]?.ending.append(origin)
        if !link.state.isEnding { cancel(peer, at: now) }
    }

    mutating func cancel(_ peer: PeerIdentifier, at now: Instant) {
        links[peer]?.state = .ending(deadline: now + Self.endTimeout)
        outputs.append(.adapter(.cancelConnection(peer)))
    }

    private static let busy = CloudCommandError("busy", "Too many commands of this device wait.")

    /// The link, the characteristic and the handle that a command names.
    private func attribute(
        _ request: CloudRequest
    ) throws(CloudCommandError) -> (PeerIdentifier, DiscoveredCharacteristic?, UInt16) {
        let address = try address(request)
        guard let peer = links.peer(of: address), let link = links[peer], link.state == .up else {
            throw CloudCommandError("not-connected", "There is no link to the device. Connect first.")
        }
        guard link.pending.count < Self.pendingLimit else { throw Self.busy }
        if let handle = request.args?.handle {
            guard handle > 0 else { throw CloudCommandError("invalid", "A handle is a number from 1 to 65535.") }
            return (peer, link.characteristic(handle: handle), handle)
        }
        guard let text = request.args?.characteristic, let uuid = BluetoothUUID(text) else {
            throw CloudCommandError("invalid", "The argument characteristic must be a UUID, or handle a number.")
        }
        var service: BluetoothUUID?
        if let text = request.args?.service {
            service = BluetoothUUID(text)
            guard service != nil else { throw CloudCommandError("invalid", "The argument service must be a UUID.") }
        }
        for candidate in link.services where service == nil || candidate.found.uuid == service {
            if let found = candidate.characteristics.first(where: { $0.uuid == uuid }) {
                return (peer, found, found.valueHandle)
            }
        }
        throw CloudCommandError("not-found", "The device has no such characteristic.")
    }

    private mutating func write(_ request: CloudRequest, _ origin: ReplyDestination) throws(CloudCommandError) {
        let (peer, _, handle) = try attribute(request)
        // A value has at most 512 octets (Vol 3, Part F, 3.2.9).
        guard let text = request.args?.value, text.utf8.count <= 2048, let value = Self.octets(text), value.count <= 512
        else {
            throw CloudCommandError("invalid", "The argument value must be at most 512 octets as hexadecimal digits.")
        }
        if request.args?.response ?? true {
            return try submit(.write(handle: handle, value: value), .write(origin), peer)
        }
        guard commandWrites.count < Self.pendingLimit else { throw Self.busy }
        nextCommandWrite &+= 1
        commandWrites[nextCommandWrite] = origin
        outputs.append(.adapter(.writeCommand(value, handle: handle, peer, number: nextCommandWrite)))
    }

    /// Ends a write without response. A Write Command that finds no room in the peer's buffer is not sent.
    mutating func wroteCommand(_ number: Int, isAccepted: Bool) {
        guard let origin = commandWrites.removeValue(forKey: number) else { return }
        outputs.append(isAccepted ? .succeeded(origin, .done) : .failed(origin, Self.busy))
    }

    private static func octets(_ text: String) -> [UInt8]? {
        Hexadecimal.octets(pairs: text.utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: ":") })
    }

    private mutating func submit(
        _ operation: GATTOperation, _ pending: CloudLinks.Pending, _ peer: PeerIdentifier
    ) throws(CloudCommandError) {
        links[peer]?.pending.append(pending)
        outputs.append(.adapter(.submit(operation, peer)))
    }
}
