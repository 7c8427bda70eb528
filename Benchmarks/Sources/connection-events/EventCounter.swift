import BLEController
import BLEWire
import Synchronization

/// Counts the connection events on the air: packets on a data channel that follow each other at T_IFS are one event.
final class EventCounter: Sendable {
    private struct State {
        var events: [[String]] = []
        var end = Instant.zero
    }

    private let state = Mutex(State())

    /// The events so far.
    var count: Int { state.withLock { $0.events.count } }

    /// Prints the packets on the air in each event.
    func trace() {
        for (number, packets) in state.withLock({ $0.events }).enumerated() {
            print("event \(number + 1): \(packets.joined(separator: ", "))")
        }
    }

    func add(_ packet: borrowing AirPacket) {
        guard packet.channel < 37 else { return }
        let text = describe(packet.pdu)
        let start = packet.start
        let end = start + packet.airTime
        state.withLock {
            let gap = start.nanoseconds - $0.end.nanoseconds
            if abs(gap - 150_000) <= 2_000, !$0.events.isEmpty {
                $0.events[$0.events.count - 1].append(text)
            } else {
                $0.events.append([text])
            }
            $0.end = end
        }
    }

    /// The LL control opcode or the ATT opcode of a data channel PDU, in hexadecimal.
    private func describe(_ pdu: Span<UInt8>) -> String {
        guard pdu.count >= 2, pdu[1] > 0 else { return "-" }
        let isControl = pdu[0] & 3 == 3
        let place = isControl ? 2 : 6
        guard place < pdu.count else { return "?" }
        let opcode = String(pdu[place], radix: 16)
        return (isControl ? "LL " : "ATT ") + opcode
    }
}
