import Glibc

/// What the sessions of one end share: certificates, a key, versions and options. TLS 1.2 and 1.3, no renegotiation, no compression, no tickets.
package final class TLSContext: @unchecked Sendable {
    let library: OpenSSL
    let pointer: OpenSSL.Context

    /// The certificate and the key of a server.
    ///
    /// - Parameters:
    ///   - certificate: A PEM file with the certificate of the server, and those of its issuers after it.
    ///   - key: A PEM file with the key, without a passphrase.
    package init(certificate: String, key: String) throws(TLSError) {
        library = try OpenSSL.load()
        pointer = try Self.make(library, library.serverMethod)
        try use(certificate: certificate, key: key)
    }

    /// The authorities that a client trusts, and its own certificate. The server's certificate has to be valid.
    ///
    /// - Parameters:
    ///   - authorities: A PEM file with the authorities of servers; nil for those of the system.
    ///   - certificate: A PEM file with the certificate of the client, and those of its issuers after it; nil without one.
    ///   - key: A PEM file with its key, without a passphrase.
    package init(authorities: String?, certificate: String?, key: String?) throws(TLSError) {
        library = try OpenSSL.load()
        pointer = try Self.make(library, library.clientMethod)
        // SSL_VERIFY_PEER.
        library.setVerification(pointer, 1, nil)
        if let authorities {
            guard library.loadAuthorities(pointer, authorities, nil) == 1 else {
                throw TLSError(
                    "The authorities \(authorities) cannot be used.", tried: "OpenSSL says: \(library.takeError()).",
                    next: "Give a PEM file with the certificates of the authorities.")
            }
        } else {
            guard library.useSystemAuthorities(pointer) == 1 else {
                throw TLSError(
                    "The authorities of the system cannot be used.", tried: "OpenSSL says: \(library.takeError()).",
                    next: "Install them (Debian: apt-get install ca-certificates), or give a file.")
            }
        }
        if let certificate, let key { try use(certificate: certificate, key: key) }
    }

    private static func make(
        _ library: OpenSSL, _ method: @convention(c) () -> OpaquePointer?
    ) throws(TLSError) -> OpenSSL.Context {
        library.clearErrors()
        guard let context = library.newContext(method()) else {
            throw TLSError(
                "OpenSSL cannot make a session.", tried: library.takeError(),
                next: "Check the installation of OpenSSL (openssl version).")
        }
        // SSL_CTRL_SET_SESS_CACHE_MODE with SSL_SESS_CACHE_OFF.
        _ = library.controlContext(context, 44, 0, nil)
        // SSL_OP_NO_RENEGOTIATION, SSL_OP_CIPHER_SERVER_PREFERENCE, SSL_OP_NO_COMPRESSION, SSL_OP_NO_TICKET.
        _ = library.setOptions(context, 1 << 30 | 1 << 22 | 1 << 17 | 1 << 14)
        // Refuses a key with a passphrase: the default would ask at the terminal.
        library.setPassphraseCallback(context) { _, _, _, _ in 0 }
        // SSL_CTRL_SET_MIN_PROTO_VERSION with TLS1_2_VERSION.
        guard library.controlContext(context, 123, 0x0303, nil) == 1 else {
            library.freeContext(context)
            throw TLSError(
                "OpenSSL offers no TLS 1.2.", tried: library.takeError(),
                next: "Install a newer version of OpenSSL (1.1.1 or later).")
        }
        return context
    }

    private func use(certificate: String, key: String) throws(TLSError) {
        guard library.useCertificateChain(pointer, certificate) == 1 else {
            throw TLSError(
                "The certificate \(certificate) cannot be used.", tried: "OpenSSL says: \(library.takeError()).",
                next: "Give a PEM file that begins with this certificate.")
        }
        guard library.usePrivateKey(pointer, key, 1) == 1 else {
            throw TLSError(
                "The key \(key) cannot be used.", tried: "OpenSSL says: \(library.takeError()).",
                next: "Give a PEM file with the key of the certificate, without a passphrase.")
        }
        guard library.checkPrivateKey(pointer) == 1 else {
            throw TLSError(
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
