import BLEAttribute
import BLELink
import BLEWire

/// The enhanced bearers of a link (Vol 3, Part G, 5.3 and 5.4).
extension Connection {
    /// The link is encrypted: a central looks for the peer's support.
    func findEnhancedBearers(at now: Instant, _ output: inout HostOutput) {
        guard role == .central, security.isEncrypted, !isEnding, enhanced.find() else { return }
        bearer.findEnhancedBearers(at: now, output: &output.events.attributes)
        output.flush(self)
    }

    /// The time to request the channels has come.
    func openEnhancedBearers(at now: Instant, _ output: inout HostOutput) {
        guard !isEnding else { return }
        noteChannels(&output)
        let numbers = channels.connect(
            enhanced.take(), spsm: EnhancedBearers.spsm, offer: enhanced.offer, at: now)
        enhanced.requested(numbers)
    }

    /// Takes those of the link's channel events that concern bearers.
    func serveEnhancedBearers(database: inout AttributeDatabase, at now: Instant, _ output: inout HostOutput) {
        guard enhanced.isOn, !channels.events.isEmpty else { return }
        let events = channels.events
        let octets = channels.bytes
        let before = enhanced
        for event in events where enhanced.owns(event) {
            if case .received(let number, let range) = event {
                guard !isEnding else { continue }
                bearer.receive(
                    octets.span.extracting(range), onEnhanced: number, database: &database, security: security, at: now,
                    output: &output.events.attributes)
                output.flush(self)
                channels.consumed(range.count, on: number)
            } else {
                serve(event, at: now, &output)
            }
        }
        if let delay = enhanced.collisionDelay() { deadlines[.bearers] = now + delay }
        let after = enhanced
        channels.removeEvents { before.owns($0) || after.owns($0) }
    }

    private func serve(_ event: CreditBasedEvent, at now: Instant, _ output: inout HostOutput) {
        switch event {
        case .opened(let number, let information):
            enhanced.opened(number)
            if !bearer.openEnhanced(
                number, peerMTU: information.sendMTU, at: now, output: &output.events.attributes)
            {
                enhanced.fail(number)
            }
        case .refused(let number, let error): enhanced.refused(number, error)
        case .reconfigured(let number, let sendMTU): bearer.changeEnhanced(number, peerMTU: sendMTU)
        case .closed(let number, let end):
            if case .violation(let violation) = end { output.events.report(.channel(violation), on: self) }
            bearer.endEnhanced(number, at: now, output: &output.events.attributes)
            enhanced.closed(number)
        case .received, .writable, .securityRequired: break
        }
        output.flush(self)
    }

    /// Closes the channels of bearers that have failed.
    func closeFailedBearers(at now: Instant, _ output: inout HostOutput) {
        while let number = enhanced.takeFailed() {
            bearer.endEnhanced(number, at: now, output: &output.events.attributes)
            output.flush(self)
            channels.close(number, at: now)
        }
    }
}
