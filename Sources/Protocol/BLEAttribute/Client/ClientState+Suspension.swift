import BLEWire

/// Operations that wait until the link has the security that the peer requires.
///
/// A server refuses access with Insufficient Authentication, Encryption Key Size Too Short or Insufficient Encryption
/// (Vol 3, Part F, 3.4.1.1). The client then pairs or encrypts the link, and repeats the request (Vol 3, Part C,
/// 10.3.2).
extension ClientState {
    /// Keeps the task of a refused request, and emits `securityRequired`. Returns false if the refusal is the task's
    /// result: the bearer does not suspend, the error code is a different one, the bearer itself started the task, or
    /// the task was suspended before.
    mutating func suspend(for error: ATT.ErrorResponse, output: inout ATTOutput) -> Bool {
        guard suspendsForSecurity, error.code.asksForSecurity, let current,
            let request = current.lastRequest, let id = current.id
        else { return false }
        current.suspension = Suspension(request: request, error: error)
        current.canSuspend = false
        current.lastRequest = nil
        endRequest()
        output.emit(.securityRequired(id: id, error.code))
        return true
    }
}

extension ClientState {
    /// Whether a refusal on an enhanced bearer makes its operation repeat on the unenhanced one, alone: the answer to the refusal
    /// concerns all operations of the link.
    func moves(for code: ATT.ErrorCode) -> Bool {
        (suspendsForSecurity && code.asksForSecurity) || (cache != nil && code == .databaseOutOfSync)
    }
}

extension ATT.ErrorCode {
    /// Whether pairing or encryption can give the client access (Vol 3, Part F, 3.4.1.1).
    fileprivate var asksForSecurity: Bool {
        self == .insufficientAuthentication || self == .encryptionKeySizeTooShort || self == .insufficientEncryption
    }
}
