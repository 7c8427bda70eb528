/// One TLS connection between octets of a socket and those of the application. It does no I/O.
final class TLSSession {
    /// The octets of one record and its overhead (RFC 8446, 5.1).
    private static let recordSize = 1 << 14

    private let context: TLSContext
    private let session: OpenSSL.Session
    private let incoming: OpenSSL.Buffer
    private let outgoing: OpenSSL.Buffer
    private var scratch = [UInt8](repeating: 0, count: recordSize)
    private(set) var isEstablished = false

    private var library: OpenSSL { context.library }

    /// Fails if OpenSSL has no memory.
    init?(_ context: TLSContext) {
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
        library.setAcceptState(session)
    }

    deinit { library.freeSession(session) }

    enum Outcome: Hashable {
        case open
        /// The peer has ended the session, or violated the protocol. `output` may hold an alert for it.
        case closed
    }

    /// Takes octets of the socket, and appends the decrypted ones to `plain`.
    func receive(_ octets: Span<UInt8>, into plain: inout [UInt8]) -> Outcome {
        library.clearErrors()
        let taken = octets.withUnsafeBytes { library.writeBuffer(incoming, $0.baseAddress, Int32($0.count)) }
        guard Int(taken) == octets.count else { return .closed }
        if !isEstablished {
            let result = library.handshake(session)
            guard result == 1 else { return isWaiting(result) ? .open : .closed }
            isEstablished = true
        }
        while true {
            let count = scratch.withUnsafeMutableBytes { library.read(session, $0.baseAddress, Int32($0.count)) }
            guard count > 0 else { return isWaiting(count) ? .open : .closed }
            plain.append(scratch.span.extracting(first: Int(count)))
        }
    }

    /// Encrypts octets; `takeOutput` returns them. Returns false if the session is closed.
    func send(_ octets: Span<UInt8>) -> Bool {
        guard isEstablished else { return false }
        guard !octets.isEmpty else { return true }
        library.clearErrors()
        return octets.withUnsafeBytes { Int(library.write(session, $0.baseAddress, Int32($0.count))) == $0.count }
    }

    /// Adds the alert that ends the session to the output.
    func close() {
        library.clearErrors()
        if isEstablished { _ = library.shutdown(session) }
    }

    /// Takes the octets for the socket.
    func takeOutput() -> [UInt8] {
        var output: [UInt8] = []
        while true {
            let count = scratch.withUnsafeMutableBytes { library.readBuffer(outgoing, $0.baseAddress, Int32($0.count)) }
            guard count > 0 else { break }
            output.append(scratch.span.extracting(first: Int(count)))
        }
        return output
    }

    /// Whether a call waits for octets of the peer: SSL_ERROR_WANT_READ.
    private func isWaiting(_ result: Int32) -> Bool {
        library.errorKind(session, result) == 2
    }
}
