import BLEAttribute
import BLELink
import BLEWire

/// Inbound data: ACL fragments become L2CAP frames, and each frame goes to its channel (Vol 3, Part A, 7.2).
extension HostStack {
    /// Takes one ACL fragment of a link.
    mutating func receive(_ fragment: Span<UInt8>, isContinuation: Bool, on connection: Connection, at now: Instant) {
        let outcome = connection.reassembler.receive(isContinuation: isContinuation, fragment)
        if let fault = outcome.fault {
            output.events.report(.fragment(ProtocolViolation.FragmentFault(fault)), on: connection)
        }
        switch outcome.progress {
        case .incomplete: break
        case .whole: route(fragment, on: connection, at: now)
        case .assembled:
            var frame: [UInt8] = []
            swap(&frame, &connection.reassembler.buffer)
            route(frame.span, on: connection, at: now)
            // Returns the buffer before emptying it: a buffer with two references would be copied.
            swap(&frame, &connection.reassembler.buffer)
            connection.reassembler.finish()
        }
    }

    private mutating func route(_ bytes: Span<UInt8>, on connection: Connection, at now: Instant) {
        guard let frame = try? L2CAP.Frame(decoding: bytes) else { return }
        switch frame.channel {
        case .attribute:
            // The program has ended the link; only the acknowledgement of Pairing Failed is awaited.
            guard !connection.isRefusing else { return }
            receiveAttribute(frame.payload, on: connection, at: now)
        case .signalling:
            let isOfChannels = connection.receiveChannelSignal(
                frame.payload, listeners: channelListeners, at: now, &output)
            if isOfChannels {
                connection.serveEnhancedBearers(database: &database, at: now, &output)
            } else {
                connection.receiveSignal(frame.payload, &output)
            }
        case .securityManager:
            security.receive(frame.payload, on: connection, at: now, &output)
            settleSecurity()
        default:
            if !connection.channels.receive(frame.payload, on: frame.channel, at: now) {
                output.events.report(.unknownChannel(frame.channel.rawValue), on: connection)
            }
            connection.serveEnhancedBearers(database: &database, at: now, &output)
        }
    }

    mutating func receiveAttribute(_ pdu: Span<UInt8>, on connection: Connection, at now: Instant) {
        if !pdu.isEmpty, pdu[0] == ATT.Opcode.signedWriteCommand.rawValue { return receiveSigned(pdu, on: connection) }
        connection.bearer.receive(
            pdu, database: &database, security: connection.security, at: now, output: &output.events.attributes)
        output.flush(connection, skippingQueue: !output.commands.hasChanged)
        connection.endIfBearerFailed(at: now, &output)
    }

    /// Takes a Signed Write Command, and ignores it unless its signature is that of the bonded peer (Vol 3, Part F, 3.4.5.4).
    private mutating func receiveSigned(_ pdu: Span<UInt8>, on connection: Connection) {
        // A link is not encrypted and signed at once (Vol 3, Part C, 10.4.2).
        guard !connection.security.isEncrypted, !connection.bearer.hasFailed, pdu.count <= Int(connection.bearer.mtu),
            let command = try? ATT.SignedWriteCommand(decoding: pdu.extracting(droppingFirst: 1)),
            security.verify(
                pdu.extracting(first: 3 + command.value.count), command.signature, on: connection, &output)
        else { return }
        connection.bearer.receiveAuthentic(
            command, database: database, security: connection.security, output: &output.events.attributes)
        output.flush(connection)
    }
}

extension ProtocolViolation.FragmentFault {
    init(_ fault: ACLReassembler.Fault) {
        switch fault {
        case .missingStart: self = .missingStart
        case .tooLong: self = .tooLong
        case .aboveLimit: self = .aboveLimit
        case .unfinished: self = .unfinished
        }
    }
}
