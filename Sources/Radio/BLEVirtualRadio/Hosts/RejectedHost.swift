import BLETransport
import BLEWire

/// A program beyond the limit of hosts. It has no controller: each of its commands fails with Connection Rejected due to Limited
/// Resources (Vol 1, Part F, 2.13), so that a host in any language can report the reason. Used only on the engine's queue.
final class RejectedHost {
    /// The number of commands that it answers. A host repeats HCI Reset some times before it gives up.
    private static let commandLimit = 16

    private let stream: DispatchStream
    private var framer = H4Framer(reader: .controller)
    private var answerCount = 0
    private var onEnd: (() -> Void)?

    /// - Parameter onEnd: Called once when the connection has ended.
    init(_ stream: DispatchStream, onEnd: @escaping () -> Void) {
        self.stream = stream
        self.onEnd = onEnd
        stream.onReceive = { [unowned self] in receive($0) }
        stream.onClose = { [unowned self] _ in end() }
        stream.start()
    }

    private func receive(_ octets: Span<UInt8>) {
        var answers: [UInt8] = []
        framer.receive(octets) { packet in
            // An H4 command: type, opcode, length (Vol 4, Part E, 5.4.1).
            guard packet.count >= 4, packet[0] == H4.PacketType.command.rawValue else { return }
            answerCount += 1
            answers += [
                H4.PacketType.event.rawValue, HCI.EventCode.commandComplete.rawValue, 4, 1, packet[1], packet[2],
                HCI.ErrorCode.connectionRejectedDueToLimitedResources.rawValue,
            ]
        }
        let isSent = answers.isEmpty || stream.send(answers.span) == .sent
        if !isSent || answerCount >= Self.commandLimit || framer.skippedOctets > 0 { end() }
    }

    func end() {
        stream.close()
        let onEnd = onEnd
        self.onEnd = nil
        onEnd?()
    }
}
