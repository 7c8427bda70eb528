import BLEAttribute
import BLEWire

/// The end of a link.
extension Connection {
    /// The time that the controller has to end a link, in addition to the supervision timeout.
    private static var endingPeriod: TimeSpan { .seconds(5) }
    /// The longest time that the end of a link waits for the acknowledgement of Pairing Failed.
    private static var refusalPeriod: TimeSpan { .seconds(2) }

    /// Ends the link. If the program disconnects right after a failed pairing, Pairing Failed leaves first, so that the peer learns the
    /// reason (Vol 3, Part H, 3.5.5): the link layer may send LL_TERMINATE_IND before queued data (Vol 6, Part B, 5.1.6).
    func end(_ cause: DisconnectionCause, at now: Instant, _ output: inout HostOutput) {
        switch phase {
        case .ending: break
        // A cause beside the request does not wait for the acknowledgement.
        case .refusing: if cause != .requested { disconnect(.requested, at: now, &output) }
        case .established:
            if cause == .requested, securityManager?.undeliveredRefusal != nil {
                phase = .refusing
                deadlines[.disconnection] = now + min(linkLayer.parameters.supervisionSpan, Self.refusalPeriod)
            } else {
                disconnect(cause, at: now, &output)
            }
        }
    }

    /// Goes on to Disconnect if it waits for the acknowledgement of Pairing Failed. Returns false if it does not.
    func endRefusal(at now: Instant, _ output: inout HostOutput) -> Bool {
        guard isRefusing else { return false }
        disconnect(.requested, at: now, &output)
        return true
    }

    /// Requests the end of the link from the controller (Vol 4, Part E, 7.1.6).
    private func disconnect(_ cause: DisconnectionCause, at now: Instant, _ output: inout HostOutput) {
        phase = .ending(cause)
        deadlines[.disconnection] = now + linkLayer.parameters.supervisionSpan + Self.endingPeriod
        output.commands.enqueue(
            HCI.Disconnect(connectionHandle: handle, reason: .remoteUserTerminatedConnection),
            for: .link(identifier, .disconnect))
    }

    /// Ends a link whose attribute bearer failed: no further attribute traffic is possible (Vol 3, Part F, 3.3.3).
    @inline(__always)
    func endIfBearerFailed(at now: Instant, _ output: inout HostOutput) {
        guard let failure = bearer.failure else { return }
        end(.host(failure == .timeout ? .attributeTimeout : .attributeViolation), at: now, &output)
    }

    /// The cause of the link's end if the controller gave up an encryption procedure (Vol 6, Part B, 5.2).
    func endOfEncryption(_ reason: HCI.ErrorCode) -> DisconnectionCause? {
        guard securityManager?.procedure != nil, reason == .llResponseTimeout else { return nil }
        return .host(.encryptionTimeout)
    }

    /// Closes the bearer and the channels of a link that has ended, and reports what they had open.
    func close(_ cause: DisconnectionCause, _ output: inout HostOutput) {
        bearer.close(output: &output.events.attributes)
        phase = .ending(cause)
        output.flush(self)
        channels.linkLost()
        flushChannels(&output)
        if usesChannels { output.data.channelLinks -= 1 }
        output.data.transmitter.close(slot)
    }
}

extension DisconnectionCause {
    /// The error of an attempt whose link ended before the peer's first packet.
    var attemptError: HCI.ErrorCode {
        if case .controller(let code) = self { code } else { .connectionFailedToBeEstablished }
    }
}
