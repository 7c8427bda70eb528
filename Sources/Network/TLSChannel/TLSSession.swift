/// One TLS connection between octets of a socket and those of the application. It does no I/O.
///
/// Threads: used by one thread at a time.
package final class TLSSession {
    /// The octets of one record and its overhead (RFC 8446, 5.1).
    private static let recordSize = 1 << 14

    private let context: TLSContext
    private let session: OpenSSL.Session
    private let incoming: OpenSSL.Buffer
    private let outgoing: OpenSSL.Buffer
    private var scratch = [UInt8](repeating: 0, count: recordSize)
    package private(set) var isEstablished = false
    /// Why the session ended; nil as long as it is open.
    package private(set) var end: TLSCloseReason?

    private var library: OpenSSL { context.library }

    /// Begins as a server. Fails if OpenSSL has no memory.
    package convenience init?(_ context: TLSContext) {
        self.init(in: context)
        library.setAcceptState(session)
    }

    /// Begins as a client. `takeOutput` returns its first octets. Fails if OpenSSL has no memory, or cannot check the host.
    ///
    /// - Parameter host: The name or the address that the certificate of the server has to have.
    package convenience init?(_ context: TLSContext, to host: String) {
        self.init(in: context)
        guard setPeer(host) else { return nil }
        library.setConnectState(session)
        library.clearErrors()
        guard isWaiting(library.handshake(session)) else { return nil }
    }

    /// An address has no place in the extension for the server's name (RFC 6066, 3).
    private func setPeer(_ host: String) -> Bool {
        // OpenSSL would check no name for the first one, and any subdomain for the second.
        guard !host.isEmpty, !host.hasPrefix(".") else { return false }
        let parameters = library.parameters(session)
        if library.setAddress(parameters, host) == 1 { return true }
        // X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS.
        library.setHostFlags(parameters, 4)
        guard library.setHost(session, host) == 1 else { return false }
        // SSL_CTRL_SET_TLSEXT_HOSTNAME with TLSEXT_NAMETYPE_host_name.
        var name = Array(host.utf8CString)
        return name.withUnsafeMutableBytes { library.controlSession(session, 55, 0, $0.baseAddress) } == 1
    }

    private init?(in context: TLSContext) {
        let library = context.library
        guard let session = library.newSession(context.pointer) else { return nil }
        guard let incoming = library.newBuffer(library.memoryMethod()) else {
            library.freeSession(session)
            return nil
        }
        guard let outgoing = library.newBuffer(library.memoryMethod()) else {
            library.freeSession(session)
            return nil
        }
        self.context = context
        self.session = session
        self.incoming = incoming
        self.outgoing = outgoing
        // The session owns the buffers from here on.
        library.setBuffers(session, incoming, outgoing)
    }

    deinit { library.freeSession(session) }

    package enum Outcome: Hashable {
        case open
        /// The peer has ended the session, or violated the protocol. `output` may hold an alert for it.
        case closed
    }

    /// Takes octets of the socket, and appends the decrypted ones to `plain`.
    package func receive(_ octets: Span<UInt8>, into plain: inout [UInt8]) -> Outcome {
        library.clearErrors()
        let taken = octets.withUnsafeBytes { library.writeBuffer(incoming, $0.baseAddress, Int32($0.count)) }
        guard Int(taken) == octets.count else {
            end = .failed("no memory")
            return .closed
        }
        if !isEstablished {
            let result = library.handshake(session)
            guard result == 1 else { return outcome(of: result) }
            isEstablished = true
        }
        while true {
            let count = scratch.withUnsafeMutableBytes { library.read(session, $0.baseAddress, Int32($0.count)) }
            guard count > 0 else { return outcome(of: count) }
            plain += scratch.prefix(Int(count))
        }
    }

    /// Encrypts octets; `takeOutput` returns them. Returns false if the session is closed.
    package func send(_ octets: Span<UInt8>) -> Bool {
        guard isEstablished else { return false }
        guard !octets.isEmpty else { return true }
        library.clearErrors()
        return octets.withUnsafeBytes { Int(library.write(session, $0.baseAddress, Int32($0.count))) == $0.count }
    }

    /// Adds the alert that ends the session to the output.
    package func close() {
        library.clearErrors()
        if isEstablished { _ = library.shutdown(session) }
    }

    /// Takes the octets for the socket.
    package func takeOutput() -> [UInt8] {
        var output: [UInt8] = []
        while true {
            let count = scratch.withUnsafeMutableBytes { library.readBuffer(outgoing, $0.baseAddress, Int32($0.count)) }
            guard count > 0 else { break }
            output += scratch.prefix(Int(count))
        }
        return output
    }

    private func outcome(of result: Int32) -> Outcome {
        let kind = library.errorKind(session, result)
        if kind == Self.wantsRead { return .open }
        // SSL_ERROR_ZERO_RETURN is the peer's orderly end.
        end = kind == 6 ? .closed : TLSCloseReason(library, verification: library.verification(session))
        return .closed
    }

    /// SSL_ERROR_WANT_READ.
    private static let wantsRead: Int32 = 2

    /// Whether a call waits for octets of the peer.
    private func isWaiting(_ result: Int32) -> Bool { library.errorKind(session, result) == Self.wantsRead }
}
