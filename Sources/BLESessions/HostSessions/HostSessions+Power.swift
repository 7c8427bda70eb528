import BLEAdapter
import BLEHost
import BLEWire

/// Sessions and the state of the adapter.
extension HostSessions {
    /// Opens a central session under a number that no session has.
    package mutating func openCentral(_ session: Int, at now: Instant) {
        centrals.append(Session(number: session))
        timers.add(.reportFirstState(session: session), at: now + Self.firstStateDelay)
    }

    package mutating func openPeripheral(_ session: Int, at now: Instant) {
        peripherals.append(Session(number: session))
        timers.add(.reportFirstState(session: session), at: now + Self.firstStateDelay)
    }

    /// Reports the present state to a session. The session never gets earlier states, and gets later ones in order. If the state
    /// is not known yet, the session gets it when it is.
    mutating func reportFirstState(_ session: Int) {
        if let index = centrals.firstIndex(where: { $0.number == session }) {
            centrals[index].isOpen = true
        } else if let index = peripherals.firstIndex(where: { $0.number == session }) {
            peripherals[index].isOpen = true
        } else {
            return
        }
        if state != .unknown { emit(.adapterState(state, session: session)) }
    }

    /// Reports a change of the adapter's state to every session.
    package mutating func setState(_ new: AdapterState) {
        guard new != state else { return }
        state = new
        for session in centrals where session.isOpen { emit(.adapterState(new, session: session.number)) }
        for session in peripherals where session.isOpen { emit(.adapterState(new, session: session.number)) }
    }

    /// The host has a controller: powers it on if that is wanted.
    package mutating func attach(at now: Instant) {
        isAttached = true
        isGoingDown = false
        if wantsPower {
            host.start(at: now)
        } else if host.state == .off {
            setState(.poweredOff)
        } else {
            host.powerOff(at: now)
        }
    }

    /// The controller is gone.
    package mutating func detach(at now: Instant) {
        guard isAttached else { return }
        isAttached = false
        isGoingDown = true
        // A host that has given up has reported its end already.
        if case .failed = host.state { return }
        host.transportClosed(at: now)
    }

    /// The radio was switched off from outside: ends the links. The driver sends `host.outgoing`, closes the transport and
    /// calls `block`.
    package mutating func prepareToBlock(at now: Instant) {
        guard isAttached else { return }
        isGoingDown = true
        // A host that is powering off takes the end of its transport as the end of the power-off.
        if host.state != .off { host.powerOff(at: now) }
    }

    /// The radio is off and the transport closed. As after a power-off by the user, local services and requests to advertise stay.
    package mutating func block(at now: Instant) {
        guard isAttached else { return setState(.poweredOff) }
        isAttached = false
        if host.state != .off { host.transportClosed(at: now) }
    }

    /// Turns Bluetooth off. Links end in order.
    package mutating func powerOff(at now: Instant) {
        wantsPower = false
        // A host that is off already has no end to report.
        guard isAttached, !isGoingDown, host.state != .off else { return }
        isGoingDown = true
        host.powerOff(at: now)
    }

    /// Turns Bluetooth on.
    package mutating func powerOn(at now: Instant) {
        wantsPower = true
        // A power-off that is under way ends first.
        guard isAttached, !isGoingDown else { return }
        host.start(at: now)
    }

    mutating func hostStateChanged(_ new: HostState, at now: Instant) {
        switch new {
        case .starting: break
        case .ready:
            isGoingDown = false
            timesReady += 1
            setState(.poweredOn)
            applyAdvertising(at: now)
        case .off:
            isGoingDown = false
            setState(.poweredOff)
            forgetTraffic()
            if wantsPower, isAttached { host.start(at: now) }
        case .resetting(let failure):
            note(.resetting(failure))
            forgetAdapter(as: .resetting)
        case .failed(let failure):
            // A controller that worked and went away may come back.
            let mayComeBack = failure == .transportClosed && state != .unknown && state != stateOfFailure
            let new = mayComeBack ? .resetting : stateOfFailure
            note(.failed(failure, isRepeated: new == state))
            forgetAdapter(as: new)
            emit(.failed(failure))
        }
    }

    /// The adapter is gone: sessions start anew, local services included. A start-up that is repeated before a session saw the
    /// adapter work is not reported.
    private mutating func forgetAdapter(as new: AdapterState) {
        if new != .resetting || state != .unknown { setState(new) }
        forgetTraffic()
        forgetDatabase()
        forgetChannelServices()
        isGoingDown = false
    }

    /// Forgets links, scans and what was under way. Advertising and the local services stay.
    private mutating func forgetTraffic() {
        timers.removeTraffic()
        forgetChannels()
        scans = ScanRequests()
        for request in requests { peers.release(request.peer) }
        requests.removeAll()
        while let link = links.first {
            if link.role == .peripheral {
                clientDisconnected(0)
            } else {
                links.removeFirst()
                emit(.linkDown(peers[link.peer].identifier, .central))
                peers.release(link.peer)
            }
        }
        clientRequests.removeAll()
    }
}
