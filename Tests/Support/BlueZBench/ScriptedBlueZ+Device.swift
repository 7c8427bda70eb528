import BLEWire
import SystemBus

/// A device that bluetoothd knows, and its link.
struct ScriptedLink {
    var device: ScriptedDevice
    /// Whether bluetoothd forgets it by itself: until Connect, Pair or a bond.
    var isTemporary: Bool
    var isConnected = false
    /// Whether there is a link of BR/EDR.
    var hasClassicLink = false
    /// Whether it is removed when the link has ended.
    var isRemoved = false
    /// Counts attempts and links, so that what belongs to an earlier one has no effect.
    var generation = 0
    /// The calls that wait.
    var connecting: BusCall?
    var pairing: BusCall?
    var disconnecting: [BusCall] = []
    /// The link of a remote central.
    var isIncoming = false
}

/// The reason of the signal Disconnected.
package enum ScriptedReason: Sendable {
    case unknown
    case timeout
    case local
    case remote
    case authentication
    case suspend

    var arguments: [BusValue] {
        let (name, text) =
            switch self {
            case .unknown: ("Unknown", "Unspecified")
            case .timeout: ("Timeout", "Connection timeout")
            case .local: ("Local", "Connection terminated by local host")
            case .remote: ("Remote", "Connection terminated by remote user")
            case .authentication: ("Authentication", "Connection terminated due to authentication failure")
            case .suspend: ("Suspend", "Connection terminated by local host for suspend")
            }
        return [.string("org.bluez.Reason.\(name)"), .string(text)]
    }
}

/// Connections and bonds.
extension ScriptedBlueZ {
    package func isConnected(_ path: String) -> Bool { devices[path]?.isConnected == true }

    func device(_ call: BusCall, _ path: String) {
        guard devices[path] != nil else { return fail(call, .doesNotExist) }
        switch call.message.member {
        case "Connect": connect(call, path)
        case "Disconnect": disconnect(path, call)
        case "Pair": pair(call, path)
        default:
            guard let pairing = devices[path]?.pairing else { return fail(call, .doesNotExist) }
            devices[path]?.pairing = nil
            cancelQuestion()
            fail(pairing, .authenticationCanceled)
            reply(call)
        }
    }

    private func connect(_ call: BusCall, _ path: String) {
        guard let link = devices[path] else { return }
        guard link.pairing == nil, link.connecting == nil else { return fail(call, .inProgress) }
        guard !link.isConnected else { return reply(call) }
        devices[path]?.isTemporary = false
        guard property(adapter(of: path), Self.adapter, "Powered")?.flag == true else {
            return fail(call, .failed("Input/output error"))
        }
        devices[path]?.connecting = call
        attempt(path) { bluez in
            if let call = bluez.devices[path]?.connecting {
                bluez.devices[path]?.connecting = nil
                bluez.reply(call)
            }
        } failed: { bluez, failure in
            if let call = bluez.devices[path]?.connecting {
                bluez.devices[path]?.connecting = nil
                bluez.fail(call, failure)
            }
        }
    }

    func adapter(of path: String) -> String { path.split(separator: "/").prefix(3).map { "/" + $0 }.joined() }

    private func attempt(
        _ path: String, connected: @escaping @Sendable (ScriptedBlueZ) -> Void,
        failed: @escaping @Sendable (ScriptedBlueZ, ScriptedFailure) -> Void
    ) {
        devices[path]?.generation += 1
        let generation = devices[path]?.generation
        later(timing.connecting) { bluez in
            guard let link = bluez.devices[path], link.generation == generation else { return }
            switch link.device.connecting {
            case .never: break
            case .fails(let failure): failed(bluez, failure)
            case .succeeds:
                bluez.linkIsUp(path)
                connected(bluez)
            }
        }
    }

    /// Adds the interfaces of the bearers. Their properties are there with `--experimental`.
    package func addBearers(_ path: String, areExperimental: Bool) {
        guard let link = devices[path] else { return }
        func properties(_ isConnected: Bool) -> BusProperties {
            areExperimental ? ["Connected": .bool(isConnected)] : [:]
        }
        add(
            path, [Self.bearerLE: properties(link.isConnected), Self.bearerClassic: properties(link.hasClassicLink)])
    }

    /// Begins or ends a link of BR/EDR.
    package func setClassicLink(_ path: String, _ isUp: Bool) {
        devices[path]?.hasClassicLink = isUp
        tellLinks(path)
        set(path, Self.device, ["ServicesResolved": .bool(isUp)])
    }

    package func hasClassicLink(_ path: String) -> Bool { devices[path]?.hasClassicLink == true }

    private func tellLinks(_ path: String) {
        guard let link = devices[path] else { return }
        func tell(_ interface: String, _ isConnected: Bool) {
            guard let before = property(path, interface, "Connected"), before != .bool(isConnected) else { return }
            set(path, interface, ["Connected": .bool(isConnected)])
        }
        tell(Self.bearerLE, link.isConnected)
        tell(Self.bearerClassic, link.hasClassicLink)
        tell(Self.device, link.isConnected || link.hasClassicLink)
    }

    private func linkIsUp(_ path: String) {
        devices[path]?.isConnected = true
        tellLinks(path)
        let generation = devices[path]?.generation
        later(timing.resolving) { bluez in
            guard let link = bluez.devices[path], link.generation == generation, link.isConnected else { return }
            bluez.resolve(path)
        }
    }

    private func resolve(_ path: String) {
        addServices(of: path)
        set(path, Self.device, ["ServicesResolved": .bool(true)])
    }

    func disconnect(_ path: String, _ call: BusCall) {
        if call.message.interface == Self.device, devices[path]?.hasClassicLink == true { setClassicLink(path, false) }
        guard let link = devices[path] else { return }
        if let pairing = link.pairing {
            devices[path]?.pairing = nil
            cancelQuestion()
            fail(pairing, .authenticationCanceled)
        }
        if let connecting = link.connecting {
            devices[path]?.connecting = nil
            devices[path]?.generation += 1
            fail(connecting, .connectionCanceled)
        }
        guard link.isConnected else { return reply(call) }
        devices[path]?.disconnecting.append(call)
        if link.disconnecting.isEmpty { endLater(path, .local) }
    }

    private func endLater(_ path: String, _ reason: ScriptedReason) {
        let generation = devices[path]?.generation
        later(timing.disconnecting) { bluez in
            if bluez.devices[path]?.generation == generation { bluez.dropLink(path, reason) }
        }
    }

    /// Ends a link.
    package func dropLink(_ path: String, _ reason: ScriptedReason) {
        guard let link = devices[path], link.isConnected else { return }
        devices[path]?.isConnected = false
        devices[path]?.generation += 1
        devices[path]?.disconnecting = []
        if property(path, Self.device, "ServicesResolved")?.flag == true {
            set(path, Self.device, ["ServicesResolved": .bool(false)])
        }
        if let connecting = link.connecting {
            devices[path]?.connecting = nil
            fail(connecting, .connectionCanceled)
        }
        if version >= 83, !link.hasClassicLink { emit(.signal(path, Self.device, "Disconnected", reason.arguments)) }
        tellLinks(path)
        for call in link.disconnecting { reply(call) }
        if let pairing = link.pairing {
            devices[path]?.pairing = nil
            fail(pairing, .authenticationCanceled)
        }
        attributesAreGone(of: path)
        centralIsGone(path)
        if link.isRemoved { vanish(path) }
    }

    /// A remote device connects, or this host to one by itself: a bonded device that advertises.
    package func connectIncoming(_ path: String, resolves: Bool = true) {
        guard devices[path]?.isConnected == false else { return }
        devices[path]?.generation += 1
        if resolves { return linkIsUp(path) }
        devices[path]?.isConnected = true
        devices[path]?.isIncoming = true
        tellLinks(path)
    }

    /// Ends all links without a word: the service has ended.
    func resetLinks() {
        for (path, link) in devices.sorted(by: { $0.key < $1.key }) {
            removeServices(of: path)
            if link.isTemporary || !link.device.isPaired {
                devices[path] = nil
                remove(path)
            } else {
                devices[path] = ScriptedLink(device: link.device, isTemporary: false, generation: link.generation + 1)
                set(path, Self.device, ["Connected": .bool(false), "ServicesResolved": .bool(false), "RSSI": nil])
            }
        }
    }

    // MARK: Bonds

    private func pair(_ call: BusCall, _ path: String) {
        guard let link = devices[path] else { return }
        devices[path]?.isTemporary = false
        guard link.pairing == nil, link.connecting == nil else { return fail(call, .inProgress) }
        guard !link.device.isPaired else { return fail(call, .alreadyExists) }
        devices[path]?.pairing = call
        let owner = agents.agent(for: call.message.sender ?? "")
        guard !link.isConnected else { return exchangeKeys(path, owner) }
        attempt(path) {
            $0.exchangeKeys(path, owner)
        } failed: { bluez, failure in
            bluez.endPairing(path, ScriptedFailure.failed("Software caused connection abort"))
        }
    }

    private func exchangeKeys(_ path: String, _ owner: String?) {
        let generation = devices[path]?.generation
        later(timing.pairing) { bluez in
            guard let link = bluez.devices[path], link.pairing != nil, link.generation == generation else { return }
            switch link.device.pairing {
            case .never: break
            case .succeeds: bluez.endPairing(path, nil)
            case .fails(let failure): bluez.endPairing(path, failure)
            case .asks(let question):
                bluez.ask(question, about: path, owner) { result in
                    guard bluez.devices[path]?.pairing != nil else { return }
                    if case .success = result { return bluez.endPairing(path, nil) }
                    bluez.endPairing(path, .authenticationFailed)
                    bluez.endLater(path, .authentication)
                }
            }
        }
    }

    private func endPairing(_ path: String, _ failure: ScriptedFailure?) {
        guard let call = devices[path]?.pairing else { return }
        devices[path]?.pairing = nil
        if let failure { return fail(call, failure) }
        setPaired(path)
        reply(call)
    }

    /// A bond exists now: after Pair, or because the device asked for it.
    package func setPaired(_ path: String, _ isPaired: Bool = true) {
        guard devices[path] != nil else { return }
        devices[path]?.device.isPaired = isPaired
        devices[path]?.isTemporary = !isPaired
        if version >= 65 { set(path, Self.device, ["Bonded": .bool(isPaired)]) }
        set(path, Self.device, ["Paired": .bool(isPaired)])
    }
}
