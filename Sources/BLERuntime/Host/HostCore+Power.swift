import BLEHost
import BLEWire

extension HostCore {
    func openCentral(_ session: Int, _ observer: any CentralObserver) {
        centrals.append(CentralSlot(number: session, observer: observer))
        if state != .unknown { observer.adapterStateChanged(state) }
    }

    func openPeripheral(_ session: Int, _ observer: any PeripheralObserver) {
        peripherals.append(PeripheralSlot(number: session, observer: observer))
        if state != .unknown { observer.adapterStateChanged(state) }
    }

    func powerOff() {
        wantsPower = false
        guard link != nil, !isGoingDown else { return }
        isGoingDown = true
        host.powerOff(at: now)
    }

    func powerOn() {
        wantsPower = true
        // A power-off that is under way comes to its end first.
        guard link != nil, !isGoingDown else { return }
        host.start(at: now)
    }

    func hostStateChanged(_ new: HostState) {
        switch new {
        case .starting: break
        case .ready:
            isGoingDown = false
            timesReady += 1
            setState(.poweredOn)
            applyAdvertising()
        case .off:
            isGoingDown = false
            setState(.poweredOff)
            forgetTraffic()
            if wantsPower, link != nil { host.start(at: now) }
        case .resetting(let failure):
            log.warning("\(failure.sentence) The controller is being reset.")
            lose(as: .resetting)
        case .failed(let failure):
            log.error("\(failure.sentence)")
            // A controller that worked and went away may come back.
            let mayComeBack = failure == .transportClosed && state != .unknown && state != .unsupported
            lose(as: mayComeBack ? .resetting : .unsupported)
            onFailure?(failure)
        }
    }

    /// The adapter is gone: sessions have to begin anew, local services included. A start-up that is tried again before
    /// anyone saw the adapter work is no news.
    private func lose(as new: AdapterState) {
        if new != .resetting || state != .unknown { setState(new) }
        forgetTraffic()
        forgetDatabase()
        forgetChannelServices()
        isGoingDown = false
    }

    /// Forgets links, scans and what was under way. Advertising and the local services stay.
    private func forgetTraffic() {
        timers.removeAll()
        forgetChannels()
        scanner = Scanner()
        connections.removeAll()
        for client in clients { clientDisconnected(client.link) }
        requests = RequestTable()
        board.content.withLock { content in
            content.servers.removeAll()
            content.clients.removeAll()
            content.waitingForUpdates.removeAll()
        }
    }
}

extension HostFailure {
    /// What is wrong, for the log.
    package var sentence: String {
        switch self {
        case .transportClosed: "The connection to the Bluetooth controller is gone."
        case .noAnswer(let opcode): "The Bluetooth controller does not answer (command \(hex(opcode.rawValue)))."
        case .commandFailed(let opcode, let error):
            "The Bluetooth controller refused command \(hex(opcode.rawValue)) with error \(hex(UInt16(error.rawValue)))."
        case .malformedAnswer(let opcode):
            "The Bluetooth controller's answer to command \(hex(opcode.rawValue)) makes no sense."
        case .hardwareError(let code): "The Bluetooth controller reports hardware error \(hex(UInt16(code)))."
        case .noLowEnergy: "The Bluetooth controller does not do Bluetooth LE."
        case .noDataBuffers: "The Bluetooth controller has no buffers for data."
        case .missingEvent: "The Bluetooth controller left out an event that was due."
        }
    }

    private func hex(_ value: UInt16) -> String { "0x" + String(value, radix: 16, uppercase: true) }
}
