import BLEAdapter
import BLEHost
import BLEWire

/// Sessions and the adapter's state.
extension HostSessions {
    /// Opens a central session. No open session may have the same number.
    package mutating func openCentral(_ session: Int, at now: Instant) {
        centrals.append(Session(number: session))
        timers.add(.reportFirstState(session: session), at: now + Self.firstStateDelay)
    }

    package mutating func openPeripheral(_ session: Int, at now: Instant) {
        peripherals.append(Session(number: session))
        timers.add(.reportFirstState(session: session), at: now + Self.firstStateDelay)
    }

    /// Reports the present state to a session. The session gets no earlier state, and gets later states in order. If
    /// the state is not known yet, the session gets it as soon as it is known.
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

    /// Takes a new controller. Powers it on if the adapter is to be on.
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

    /// Takes the loss of the controller.
    package mutating func detach(at now: Instant) {
        guard isAttached else { return }
        isAttached = false
        isGoingDown = true
        // A host in the state `.failed` has reported its end already.
        if case .failed = host.state { return }
        host.transportClosed(at: now)
    }

    /// Ends the links because the radio was switched off from outside. The driver sends `host.outgoing`, closes the
    /// transport and calls `block`.
    package mutating func prepareToBlock(at now: Instant) {
        guard isAttached else { return }
        isGoingDown = true
        // A host that is powering off treats the end of its transport as the end of the power-off.
        if host.state != .off { host.powerOff(at: now) }
    }

    /// Records that the radio is off and the transport closed. Local services and advertising requests stay, as after a
    /// power-off by the user.
    package mutating func block(at now: Instant) {
        guard isAttached else { return setState(.poweredOff) }
        isAttached = false
        if host.state != .off { host.transportClosed(at: now) }
    }

    /// Turns Bluetooth off. The host disconnects its links first.
    package mutating func powerOff(at now: Instant) {
        wantsPower = false
        // A host in the state `.off` reports no further end.
        guard isAttached, !isGoingDown, host.state != .off else { return }
        isGoingDown = true
        host.powerOff(at: now)
    }

    /// Turns Bluetooth on.
    package mutating func powerOn(at now: Instant) {
        wantsPower = true
        // A power-off under way ends first.
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
            // A controller that worked and then disappeared may return.
            let mayComeBack = failure == .transportClosed && timesReady > 0 && state != stateOfFailure
            let new = mayComeBack ? .resetting : stateOfFailure
            note(.failed(failure, isRepeated: new == state))
            forgetAdapter(as: new)
            emit(.failed(failure))
        }
    }

    /// Resets all sessions, including their local services, because the adapter is gone. A repeated start-up is not
    /// reported if no session has seen the adapter work.
    private mutating func forgetAdapter(as new: AdapterState) {
        if new != .resetting || state != .unknown { setState(new) }
        forgetTraffic()
        forgetDatabase()
        forgetChannelServices()
        isGoingDown = false
    }

    /// Removes links, scans and pending operations. Advertising and the local services stay.
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
