import Glibc

/// The certificate and the key of a server, and the versions and options of its sessions: TLS 1.2 and 1.3, no renegotiation, no compression, no tickets.
package final class TLSContext: @unchecked Sendable {
    let library: OpenSSL
    let pointer: OpenSSL.Context

    /// - Parameters:
    ///   - certificate: A PEM file with the certificate of the server, and those of its issuers after it.
    ///   - key: A PEM file with the key, without a passphrase.
    package convenience init(certificate: String, key: String) throws(TLSFailure) {
        try self.init(certificate: certificate, key: key, library: OpenSSL.load())
    }

    init(certificate: String, key: String, library: OpenSSL) throws(TLSFailure) {
        self.library = library
        library.clearErrors()
        guard let context = library.newContext(library.serverMethod()) else {
            throw TLSFailure(
                "OpenSSL cannot make a server.", tried: library.takeError(),
                next: "Check the installation of OpenSSL (openssl version).")
        }
        pointer = context
        // SSL_CTRL_SET_MIN_PROTO_VERSION with TLS1_2_VERSION.
        let hasVersion = library.controlContext(context, 123, 0x0303, nil) == 1
        // SSL_CTRL_SET_SESS_CACHE_MODE with SSL_SESS_CACHE_OFF.
        _ = library.controlContext(context, 44, 0, nil)
        // SSL_OP_NO_RENEGOTIATION, SSL_OP_CIPHER_SERVER_PREFERENCE, SSL_OP_NO_COMPRESSION, SSL_OP_NO_TICKET.
        _ = library.setOptions(context, 1 << 30 | 1 << 22 | 1 << 17 | 1 << 14)
        // Refuses a key with a passphrase: the default would ask at the terminal.
        library.setPassphraseCallback(context) { _, _, _, _ in 0 }
        guard hasVersion else {
            throw TLSFailure(
                "OpenSSL offers no TLS 1.2.", tried: library.takeError(),
                next: "Install a newer version of OpenSSL (1.1.1 or later).")
        }
        guard library.useCertificateChain(context, certificate) == 1 else {
            throw TLSFailure(
                "The certificate \(certificate) cannot be used.", tried: "OpenSSL says: \(library.takeError()).",
                next: "Give a PEM file that begins with the certificate of this server.")
        }
        guard library.usePrivateKey(context, key, 1) == 1 else {
            throw TLSFailure(
                "The key \(key) cannot be used.", tried: "OpenSSL says: \(library.takeError()).",
                next: "Give a PEM file with the key of the certificate, without a passphrase.")
        }
        guard library.checkPrivateKey(context) == 1 else {
            throw TLSFailure(
                "The key \(key) does not belong to the certificate \(certificate).",
                tried: "OpenSSL says: \(library.takeError()).",
                next: "Give the key with which the certificate was made.")
        }
    }

    deinit { library.freeContext(pointer) }

    /// Whether the certificate names a host or an address.
    package func isValid(for host: String) -> Bool {
        guard !host.isEmpty, let certificate = library.certificate(pointer) else { return false }
        defer { library.clearErrors() }
        return library.checkHost(certificate, host, host.utf8.count, 0, nil) == 1
            || library.checkAddress(certificate, host, 0) == 1
    }
}
