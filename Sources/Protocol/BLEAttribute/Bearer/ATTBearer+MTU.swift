import BLEWire

/// The exchange of the ATT_MTU, which either side starts at most once for each link (Vol 3, Part F, 3.4.2).
extension ATTBearer {
    /// Queues the exchange of the ATT_MTU. `mtuChanged` follows at its end.
    package mutating func exchangeMTU(at now: Instant, output: inout ATTOutput) {
        submit(.exchangeMTU(MTUExchange(localMTU: localMTU)), at: now, output: &output)
    }

    /// Ends this side's exchange. The ATT_MTU is the smaller of both receive MTUs, and at least 23 (Vol 3, Part F,
    /// 3.4.2.2).
    mutating func adopt(peerMTU: UInt16?, output: inout ATTOutput) {
        client.hasExchangedMTU = true
        if let peerMTU { mtu = max(ATT.defaultMTU, min(localMTU, peerMTU)) }
        output.emit(.mtuChanged(mtu))
    }

    /// Answers the peer's exchange.
    mutating func answer(_ request: ATT.ExchangeMTURequest, output: inout ATTOutput) {
        output.send(ATT.ExchangeMTUResponse(number: localMTU))
        // A client sends this request once for each link (Vol 3, Part F, 3.4.2.1), so a second one changes nothing. It
        // still gets the response: after an Error Response with Request Not Supported a client uses 23 octets (Vol 3,
        // Part G, 4.3.1), and the two sides would use different values.
        guard !server.hasExchangedMTU else { return }
        server.hasExchangedMTU = true
        let agreed = max(ATT.defaultMTU, min(localMTU, request.number))
        guard agreed != mtu else { return }
        mtu = agreed
        output.emit(.mtuChanged(agreed))
    }
}
