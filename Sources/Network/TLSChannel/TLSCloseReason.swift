/// Why a session ended.
package enum TLSCloseReason: Hashable, Sendable {
    /// The peer ended it in order.
    case closed
    /// The certificate of the peer is not trusted, for this reason of OpenSSL.
    case untrusted(String)
    /// The peer refused the session with an alert (RFC 8446, 6.2).
    case alert(UInt8)
    /// The octets of the peer are not those of TLS.
    case notTLS
    /// OpenSSL's reason.
    case failed(String)

    /// Takes the oldest error of this thread.
    init(_ library: OpenSSL, verification: Int) {
        let number = library.nextError()
        defer { library.clearErrors() }
        // X509_V_OK is 0. Version 1.1.1 has the library's number of an error one bit higher than version 3.
        let isOfTLS = number >> 23 & 0xFF == 20 || number >> 24 & 0xFF == 20
        switch (isOfTLS, number & 0xFFF) {
        // SSL_R_CERTIFICATE_VERIFY_FAILED.
        case (true, 134) where verification != 0:
            self = .untrusted(
                library.verificationText(verification).map { String(cString: $0) } ?? "no reason is given")
        // SSL_AD_REASON_OFFSET is 1000.
        case (true, let reason) where reason > 1000 && reason <= 1255: self = .alert(UInt8(reason - 1000))
        // SSL_R_WRONG_VERSION_NUMBER, SSL_R_HTTP_REQUEST, SSL_R_PACKET_LENGTH_TOO_LONG, SSL_R_UNEXPECTED_MESSAGE.
        case (true, 267), (true, 156), (true, 198), (true, 244): self = .notTLS
        default: self = .failed(library.text(of: number))
        }
    }
}
