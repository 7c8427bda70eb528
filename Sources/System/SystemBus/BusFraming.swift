import BLETransport
import BLEWire

/// Finds lines and messages in the received octets, and gives each message its descriptors.
package struct BusFraming {
    /// The descriptors that wait for the end of their message: what the kernel passes with one write (SCM_MAX_FD).
    static let mostDescriptors = 253

    package enum Frame {
        case message(BusMessage)
        /// A message whose body cannot be read, without it. Any program may send one, so it is no fault of the bus.
        case unreadable(BusMessage, BusError)
    }

    private var input: [UInt8] = []
    /// The octets in front of it are taken.
    private var start = 0
    /// The first are those of the first message.
    private var descriptors: [Descriptor] = []
    /// The octets to drop that have not arrived, of a message that is too long.
    private var skipped = 0

    package init() {}

    /// The octets of a line or message that has not ended. Below the longest message.
    var unfinishedOctets: Int { input.count - start }

    package mutating func append(_ octets: Span<UInt8>, _ descriptors: [Descriptor]) throws(BusCallError) {
        guard self.descriptors.count + descriptors.count <= Self.mostDescriptors else {
            throw .violation("too many file descriptors")
        }
        input.append(octets)
        self.descriptors += descriptors
    }

    /// Drops what is taken.
    package mutating func compact() throws(BusCallError) {
        if start == input.count {
            // Descriptors come with the first octet of their message.
            guard descriptors.isEmpty else { throw .violation("file descriptors without a message") }
            input.removeAll(keepingCapacity: input.capacity <= 1 << 17)
        } else {
            input.removeSubrange(..<start)
        }
        start = 0
    }

    /// Takes a line, without its end.
    package mutating func line() throws(BusCallError) -> String? {
        let rest = input[start...]
        guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else {
            guard rest.count <= BusAuthentication.longestLine else {
                throw .violation("an unknown line during authentication")
            }
            return nil
        }
        let line = rest[..<end]
        guard line.count <= BusAuthentication.longestLine, line.last == UInt8(ascii: "\r"),
            line.allSatisfy({ $0 < 0x80 && $0 != 0 })
        else { throw .violation("an unknown line during authentication") }
        start = end + 1
        return String(decoding: line.dropLast(), as: UTF8.self)
    }

    /// Takes a message.
    package mutating func next() throws(BusCallError) -> Frame? {
        do throws(BusError) {
            skip(skipped)
            guard skipped == 0, let (frame, length, count) = try first() else { return nil }
            skip(length)
            descriptors.removeFirst(count)
            return frame
        } catch {
            throw .violation(error == .tooLong ? "a message that is too long" : "an invalid message")
        }
    }

    /// Drops the next octets, also those that have not arrived.
    private mutating func skip(_ count: Int) {
        let present = min(count, input.count - start)
        start += present
        skipped = count - present
    }

    /// The first message, with the numbers of its octets and of its descriptors.
    private func first() throws(BusError) -> (Frame, Int, Int)? {
        let rest = input.span.extracting(droppingFirst: start)
        guard let (headerLength, length) = try BusMessage.lengths(of: rest) else { return nil }
        let isTooLong = length > BusMessage.longest
        guard rest.count >= (isTooLong ? headerLength : length) else { return nil }
        let octets = rest.extracting(first: min(length, rest.count))
        let header = try BusMessage.Header(decoding: octets)
        guard header.descriptorCount <= descriptors.count else { throw .invalid }
        if isTooLong { return (.unreadable(header.message, .tooLong), length, header.descriptorCount) }
        do throws(BusError) {
            let message = try header.whole(octets, Array(descriptors.prefix(header.descriptorCount)))
            return (.message(message), length, header.descriptorCount)
        } catch {
            return (.unreadable(header.message, error), length, header.descriptorCount)
        }
    }
}
