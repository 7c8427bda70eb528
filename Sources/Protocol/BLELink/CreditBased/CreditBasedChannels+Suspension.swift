import BLEWire

/// Channels that wait until the link has the security that the peer requires.
///
/// A peer refuses a channel with Insufficient Authentication, Encryption Key Size Too Short or Insufficient Encryption (Vol 3,
/// Part A, 4.23). The client then pairs or encrypts the link, and repeats the request (Vol 3, Part C, 10.3.2). Pairing does not
/// help against Insufficient Authorization, which is always final.
extension CreditBasedChannels {
    /// Keeps a refused channel and emits `securityRequired`. Returns false if the refusal is final.
    mutating func suspend(_ index: Int, for result: L2CAP.CreditBasedConnectionResponse.Result) -> Bool {
        guard channels[index].canSuspend, result.asksForSecurity else { return false }
        channels[index].canSuspend = false
        channels[index].state = .suspended(result)
        channels[index].deadline = nil
        events.append(.securityRequired(channels[index].number, result))
        return true
    }

    /// Continues the channel of a `securityRequired`. Until this call the timer of the response does not run. Has no effect if the
    /// channel is not suspended. A channel is suspended once; a second refusal is final.
    ///
    /// - Parameter repeating: True sends the request again. False ends the channel with `refused` and the peer's result.
    package mutating func resume(_ number: UInt32, repeating: Bool, at now: Instant) {
        guard let index = index(number: number), case .suspended(let result) = channels[index].state else { return }
        if repeating {
            request(index, at: now)
        } else {
            events.append(.refused(number, .result(result)))
            remove(index)
        }
    }
}

extension L2CAP.CreditBasedConnectionResponse.Result {
    /// Whether pairing or encryption can give the client access.
    fileprivate var asksForSecurity: Bool {
        self == .insufficientAuthentication || self == .keySizeTooShort || self == .insufficientEncryption
    }
}
