/// A device that takes the credentials of a network, as a value: commands and time in, actions out.
struct ProvisioningMachine: Sendable {
    enum Action: Equatable, Sendable {
        case setState(ImprovState)
        case setError(ImprovError)
        case sendResult([UInt8])
        case identify
        /// Join the network, and call `joined` with the number.
        case join(WiFiCredentials, attempt: Int)
        /// The attempt is over: its result no longer matters.
        case abandon(attempt: Int)
        /// List the networks, and call `scanned`.
        case scan
    }

    let timing: ImprovTiming
    let capabilities: ImprovCapabilities
    let information: ImprovDeviceInformation?
    /// Whether the user has to authorise the device.
    let requiresAuthorization: Bool

    private(set) var state: ImprovState
    private(set) var error = ImprovError.none
    private(set) var deadline: Duration?
    private var assembler = PacketAssembler()
    /// The time at which the rest of a command has to be there.
    private var commandDeadline: Duration?
    private var authorizationDeadline: Duration?
    private var joinDeadline: Duration?
    private var attempt = 0
    private var isScanning = false
    private var actions: [Action] = []

    init(
        capabilities: ImprovCapabilities, information: ImprovDeviceInformation?, requiresAuthorization: Bool,
        timing: ImprovTiming
    ) {
        var capabilities = capabilities
        if information == nil {
            capabilities.remove(.deviceInformation)
        } else {
            capabilities.insert(.deviceInformation)
        }
        self.capabilities = capabilities
        self.information = information
        self.requiresAuthorization = requiresAuthorization
        self.timing = timing
        state = requiresAuthorization ? .authorizationRequired : .authorized
    }

    mutating func takeActions() -> [Action] {
        defer { actions = [] }
        return actions
    }

    // MARK: Calls

    /// The user has authorised the device. The authorisation ends after `timing.authorization`.
    mutating func authorize(at now: Duration) {
        guard state == .authorizationRequired || state == .authorized else { return }
        if requiresAuthorization { authorizationDeadline = now + timing.authorization }
        if error == .notAuthorized { set(.none) }
        set(.authorized)
        updateDeadline()
    }

    /// A write to the command characteristic.
    mutating func receive(_ value: [UInt8], at now: Duration) {
        switch assembler.add(value) {
        case .incomplete: commandDeadline = now + timing.command
        case .invalid:
            commandDeadline = nil
            set(ImprovError.invalidPacket)
        case .packet(let packet):
            commandDeadline = nil
            perform(packet, at: now)
        }
        updateDeadline()
    }

    /// The link has ended: the beginning of a command is worth nothing. An attempt to join continues.
    mutating func linkEnded() {
        assembler.removeAll()
        commandDeadline = nil
        updateDeadline()
    }

    /// The attempt to join has ended: with the addresses that the client can open, or an error.
    mutating func joined(attempt: Int, _ result: Result<[String], ImprovError>, at now: Duration) {
        guard state == .provisioning, attempt == self.attempt else { return }
        joinDeadline = nil
        switch result {
        case .success(let addresses):
            authorizationDeadline = nil
            set(ImprovState.provisioned)
            actions.append(.sendResult(ImprovPacket.result(ImprovPacket.Command.join, addresses).encoded))
        case .failure(let error): fail(error, at: now)
        }
        updateDeadline()
    }

    /// The networks that the device sees.
    mutating func scanned(_ networks: [VisibleNetwork]) {
        guard isScanning else { return }
        isScanning = false
        let strings = networks.flatMap { [$0.name, String($0.signal), $0.security] }
        actions.append(
            .sendResult(ImprovPacket.result(ImprovPacket.Command.networkScan, strings, group: 3).encoded))
    }

    mutating func handleTimeout(at now: Duration) {
        if let commandDeadline, commandDeadline <= now {
            self.commandDeadline = nil
            assembler.removeAll()
            set(ImprovError.invalidPacket)
        }
        if let joinDeadline, joinDeadline <= now {
            self.joinDeadline = nil
            actions.append(.abandon(attempt: attempt))
            fail(.unableToConnect, at: now)
        }
        if let authorizationDeadline, authorizationDeadline <= now {
            self.authorizationDeadline = nil
            if state == .authorized { set(ImprovState.authorizationRequired) }
        }
        updateDeadline()
    }

    // MARK: Commands

    private mutating func perform(_ packet: ImprovPacket, at now: Duration) {
        switch packet.command {
        case ImprovPacket.Command.join: join(packet, at: now)
        case ImprovPacket.Command.identify where capabilities.contains(.identify):
            guard isPlain(packet), isIdle else { return }
            set(ImprovError.none)
            actions.append(.identify)
        case ImprovPacket.Command.deviceInformation where information != nil:
            guard isPlain(packet) else { return }
            set(ImprovError.none)
            actions.append(
                .sendResult(
                    ImprovPacket.result(ImprovPacket.Command.deviceInformation, information!.strings).encoded))
        case ImprovPacket.Command.networkScan where capabilities.contains(.networkScan):
            guard isPlain(packet) else { return }
            set(ImprovError.none)
            guard !isScanning else { return }
            isScanning = true
            actions.append(.scan)
        default: set(ImprovError.unknownCommand)
        }
    }

    private mutating func join(_ packet: ImprovPacket, at now: Duration) {
        guard let credentials = packet.credentials else { return set(ImprovError.invalidPacket) }
        guard state != .authorizationRequired else { return set(ImprovError.notAuthorized) }
        // One attempt at a time, and none after the end.
        guard state == .authorized else { return set(ImprovError.unknown) }
        attempt += 1
        authorizationDeadline = nil
        joinDeadline = now + timing.join
        set(ImprovError.none)
        set(ImprovState.provisioning)
        actions.append(.join(credentials, attempt: attempt))
    }

    private var isIdle: Bool { state == .authorizationRequired || state == .authorized }

    private mutating func isPlain(_ packet: ImprovPacket) -> Bool {
        if packet.data.isEmpty { return true }
        set(ImprovError.invalidPacket)
        return false
    }

    /// After a failure the device takes other credentials, and the time of the authorisation starts again.
    private mutating func fail(_ error: ImprovError, at now: Duration) {
        set(ImprovState.authorized)
        set(error)
        if requiresAuthorization { authorizationDeadline = now + timing.authorization }
    }

    private mutating func set(_ state: ImprovState) {
        guard state != self.state else { return }
        self.state = state
        actions.append(.setState(state))
    }

    private mutating func set(_ error: ImprovError) {
        // An error that occurs again is notified again.
        guard error != self.error || error != .none else { return }
        self.error = error
        actions.append(.setError(error))
    }

    private mutating func updateDeadline() {
        deadline = [commandDeadline, authorizationDeadline, joinDeadline].compactMap { $0 }.min()
    }
}
