import BLEWire

/// Operations that wait until the link has the security that the peer requires.
///
/// A server refuses access with Insufficient Authentication, Encryption Key Size Too Short or Insufficient Encryption
/// (Vol 3, Part F, 3.4.1.1). The client then pairs or encrypts the link, and repeats the request (Vol 3, Part C,
/// 10.3.2).
extension ATTBearer {
    /// Keeps the task of a refused request, and emits `securityRequired`. Returns false if the refusal is the task's
    /// result: the bearer does not suspend, the error code is a different one, the bearer itself started the task, or
    /// the task was suspended before.
    mutating func suspend(for error: ATT.ErrorResponse, output: inout ATTOutput) -> Bool {
        guard suspendsForSecurity, error.code.asksForSecurity, let current = client.current,
            let request = current.lastRequest, let id = current.id
        else { return false }
        current.suspension = ClientState.Suspension(request: request, error: error)
        current.canSuspend = false
        current.lastRequest = nil
        client.request = nil
        client.deadline = nil
        output.emit(.securityRequired(id: id, error.code))
        return true
    }

    /// Continues the operation of the latest `securityRequired`. Until this call no request is outstanding, the 30 s of
    /// the transaction do not run (Vol 3, Part F, 3.3.3), and other operations wait. The server side, notifications and
    /// indications continue. Has no effect if no operation is suspended.
    ///
    /// An operation is suspended once. A second refusal fails it.
    ///
    /// - Parameter repeating: True sends the refused request again. False fails the operation with the refusal. A long
    ///   write first cancels the parts that it has prepared.
    package mutating func resume(repeating: Bool, at now: Instant, output: inout ATTOutput) {
        guard let suspension = client.current?.suspension.take() else { return }
        if repeating {
            suspension.request.send(to: &output)
            client.request = suspension.request.opcode
            client.deadline = now + Self.transactionTimeout
            client.programIsActive(at: now)
        } else {
            receiveResponse(.errorResponse(suspension.error), at: now, output: &output)
        }
    }
}

extension ATT.ErrorCode {
    /// Whether pairing or encryption can give the client access (Vol 3, Part F, 3.4.1.1).
    fileprivate var asksForSecurity: Bool {
        self == .insufficientAuthentication || self == .encryptionKeySizeTooShort || self == .insufficientEncryption
    }
}
