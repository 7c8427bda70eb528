import BLEWire

/// The time for which a controller has no output. The owner of a radio in real time need not wake before its end.
extension Controller {
    /// The time before which the controller has no output if the radio is not called; nil if its next event may cause output.
    ///
    /// A train that is sent has no output, unless it has subevents; one that is received has reports. A link that exchanges only empty packets
    /// ends no sooner than its supervision timeout after the last packet. An advertiser has output only after a packet of an initiator, and the
    /// controller of an initiator is not quiet.
    var quietUntil: Instant? {
        guard shared.host.output.isEmpty, !discovery.scanning.isEnabled, !discovery.initiating.isEnabled,
            discovery.syncs.isEmpty, advertising.hasNoEnd, !advertising.hasSubevents
        else { return nil }
        var until = Instant(nanoseconds: .max)
        for slot in shared.connections.links.openSlots {
            guard let end = shared.connections.links[slot].quietUntil else { return nil }
            until = min(until, end)
        }
        return until
    }
}

extension LinkLayerConnection {
    /// The earliest time at which silence could end the link or be reported, if both sides have nothing to say and the last events succeeded; otherwise
    /// nil.
    fileprivate var quietUntil: Instant? {
        guard case .established(let supervisedFrom) = state, !hasNews, transmitter.completed == 0, changes.isEmpty,
            procedures.isIdle, !isMonitored, timing.anchor - supervisedFrom <= timing.longestSleep
        else { return nil }
        let supervision = supervisedFrom + timing.timeoutSpan
        guard procedures.encryption.isReceiving else { return supervision }
        return min(supervision, encryption.authenticatedFrom + payloadTimeoutSpan)
    }
}
