import BLEAdapter
import BLEHost
import BLEWire

extension HostCore {
    /// A session hears of the adapter's state no sooner than this after it was opened, so that a program has the time to
    /// observe a manager that it has just made. The wait runs beside the start of the controller.
    static let firstStateDelay = TimeSpan.milliseconds(5)

    func openCentral(_ session: Int, _ observer: any CentralObserver) {
        centrals.append(CentralSlot(number: session, observer: observer))
        timers.add(.tellFirstState(session: session), at: now + Self.firstStateDelay)
    }

    func openPeripheral(_ session: Int, _ observer: any PeripheralObserver) {
        peripherals.append(PeripheralSlot(number: session, observer: observer))
        timers.add(.tellFirstState(session: session), at: now + Self.firstStateDelay)
    }

    /// Tells a session the present state. Earlier states are no news to it; later ones come in order. A state that is not known
    /// yet is told when it is.
    func tellFirstState(_ session: Int) {
        if let index = centrals.firstIndex(where: { $0.number == session }) {
            centrals[index].isOpen = true
            if state != .unknown { centrals[index].observer?.adapterStateChanged(state) }
        } else if let index = peripherals.firstIndex(where: { $0.number == session }) {
            peripherals[index].isOpen = true
            if state != .unknown { peripherals[index].observer?.adapterStateChanged(state) }
        }
    }

    func powerOff() {
        wantsPower = false
        // A host that is off already has no end to tell of.
        guard link != nil, !isGoingDown, host.state != .off else { return }
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
            log.warning("\(failure.sentence) It is being reset now.")
            lose(as: .resetting)
        case .failed(let failure):
            // A controller that worked and went away may come back.
            let mayComeBack = failure == .transportClosed && state != .unknown && state != stateOfFailure
            let new = mayComeBack ? .resetting : stateOfFailure
            // Where it is tried again and again, it is said once.
            log.log(level: new == state ? .debug : .error, "\(failure.sentence)")
            lose(as: new)
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
        timers.removeTraffic()
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
    /// What is wrong and what to do, for the log.
    package var sentence: String {
        switch self {
        case .transportClosed:
            "The connection to the Bluetooth controller is gone: see that the controller, or the program that simulates it, "
                + "runs."
        case .noAnswer(let opcode):
            "The Bluetooth controller does not answer (command \(hex(opcode.rawValue, 4))): see that it runs and speaks H4 "
                + "(HCI over a byte stream), and restart it."
        case .commandFailed(let opcode, let error):
            "The Bluetooth controller refused command \(hex(opcode.rawValue, 4)) with error "
                + "\(hex(UInt16(error.rawValue), 2)): restart it, or choose another."
        case .malformedAnswer(let opcode):
            "The Bluetooth controller's answer to command \(hex(opcode.rawValue, 4)) makes no sense: restart it, or choose "
                + "another."
        case .hardwareError(let code):
            "The Bluetooth controller reports hardware error \(hex(UInt16(code), 2)): if it stays so, unplug it or restart it."
        case .noLowEnergy: "The Bluetooth controller does not do Bluetooth LE: choose another."
        case .noDataBuffers: "The Bluetooth controller has no buffers for data: choose another."
        case .missingEvent: "The Bluetooth controller left out an event that was due: if it stays so, restart it."
        }
    }

    private func hex(_ value: UInt16, _ digits: Int) -> String {
        let text = String(value, radix: 16, uppercase: true)
        return "0x" + String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
