import NoiseChannel

/// A secure channel over a stream of octets that arrive reliably and in order, as a value.
///
/// Each frame has its length in two octets, the most significant first. The first frame of each end is its message of the handshake
/// Noise_NNpsk0_25519_ChaChaPoly_SHA256, and each further one a sealed envelope. A sealed frame counts, so none can be repeated, left out or
/// moved to another connection.
package struct SecureStream: Sendable {
    private enum State: Sendable {
        case handshake(HandshakeState)
        case ready(sending: NoiseCipher, receiving: NoiseCipher)
        case failed
    }

    private static let prologue = Array("OpenCoreBluetooth device link 1".utf8)
    private static let longestHandshake = 96
    private static let longestFrame = LinkEnvelope.longest + NoiseCipher.tagLength

    private let isClient: Bool
    private var state: State
    private var hasOpenedFrame = false
    private var buffer: [UInt8] = []
    private var outgoing: [UInt8] = []

    /// - Parameter ephemeralKey: A key of this connection alone.
    package init(isClient: Bool, key: LinkKey, ephemeralKey: EphemeralKey) {
        self.isClient = isClient
        state = .handshake(
            HandshakeState(
                role: isClient ? .initiator : .responder, key: key.key, prologue: Self.prologue,
                ephemeralKey: ephemeralKey))
    }

    package init(isClient: Bool, key: LinkKey) {
        self.init(isClient: isClient, key: key, ephemeralKey: EphemeralKey())
    }

    /// Whether the handshake has ended, so that envelopes can be sent. The first message of the handshake can be a recording, so this says nothing
    /// about the key of a client.
    package var isReady: Bool { if case .ready = state { true } else { false } }

    /// Whether the other end has shown that it knows the key, in this connection. A device knows it from the first sealed frame, which needs the
    /// ephemeral key of the client; a client knows it from the answer of the device.
    package var isConfirmed: Bool { isClient ? isReady : hasOpenedFrame }

    package mutating func takeOutgoing() -> [UInt8] {
        defer { outgoing = [] }
        return outgoing
    }

    /// The client begins.
    package mutating func start() {
        guard isClient, case .handshake(var handshake) = state, let message = try? handshake.writeMessage() else {
            return
        }
        state = .handshake(handshake)
        frame(message)
    }

    /// Seals an envelope. Before the channel is ready it is dropped.
    package mutating func send(_ envelope: [UInt8]) {
        guard case .ready(var sending, let receiving) = state, envelope.count <= LinkEnvelope.longest else { return }
        var sealed: [UInt8] = []
        do throws(NoiseError) {
            try sending.seal(envelope.span, into: &sealed)
        } catch {
            return state = .failed
        }
        state = .ready(sending: sending, receiving: receiving)
        frame(sealed)
    }

    /// Takes octets of the stream, and returns the envelopes that they complete. After an error the stream has to be closed.
    package mutating func receive(_ octets: some Sequence<UInt8>) throws(LinkChannelError) -> [[UInt8]] {
        if case .failed = state { throw .malformed }
        buffer.append(contentsOf: octets)
        var envelopes: [[UInt8]] = []
        var start = 0
        do throws(LinkChannelError) {
            while buffer.count - start >= 2 {
                let count = Int(buffer[start]) << 8 | Int(buffer[start + 1])
                guard count <= (isReady ? Self.longestFrame : Self.longestHandshake) else { throw .malformed }
                guard buffer.count - start - 2 >= count else { break }
                let frame = Array(buffer[start + 2..<start + 2 + count])
                start += 2 + count
                if let envelope = try take(frame) { envelopes.append(envelope) }
            }
        } catch {
            state = .failed
            buffer = []
            throw error
        }
        buffer.removeFirst(start)
        return envelopes
    }

    private mutating func take(_ frame: [UInt8]) throws(LinkChannelError) -> [UInt8]? {
        do throws(NoiseError) {
            switch state {
            case .handshake(var handshake):
                _ = try handshake.readMessage(frame)
                if !isClient { self.frame(try handshake.writeMessage()) }
                let (sending, receiving) = try handshake.ciphers()
                state = .ready(sending: sending, receiving: receiving)
                return nil
            case .ready(let sending, var receiving):
                let envelope = try receiving.open(frame.span)
                state = .ready(sending: sending, receiving: receiving)
                hasOpenedFrame = true
                return envelope
            case .failed: return nil
            }
        } catch {
            throw error == .authentication ? .authentication : .malformed
        }
    }

    private mutating func frame(_ octets: [UInt8]) {
        outgoing.append(UInt8(truncatingIfNeeded: octets.count >> 8))
        outgoing.append(UInt8(truncatingIfNeeded: octets.count))
        outgoing += octets
    }
}
