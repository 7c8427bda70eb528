/// A DNS message (RFC 1035, 4), as multicast DNS uses it (RFC 6762, 18).
package struct DNSMessage: Equatable, Sendable {
    static let headerLength = 12
    /// The longest message that this module sends: it fits a packet of Ethernet with IPv6 (RFC 6762, 17).
    package static let longestSent = 1440
    /// The longest message of multicast DNS (RFC 6762, 17).
    package static let longest = 9000

    package var identifier: UInt16 = 0
    package var isResponse = false
    /// More known answers follow in another message (RFC 6762, 7.2).
    package var isTruncated = false
    package var questions: [DNSQuestion] = []
    package var answers: [DNSRecord] = []
    package var authorities: [DNSRecord] = []
    package var additionals: [DNSRecord] = []

    package init() {}

    /// Decodes a message. Octets behind its end are ignored.
    ///
    /// A message with another operation code or a response code is no message of multicast DNS (RFC 6762, 18.3 and 18.11): it
    /// decodes as empty.
    package init(decoding octets: [UInt8]) throws(DNSError) {
        var reader = DNSReader(octets)
        identifier = try reader.number16()
        let flags = try reader.number16()
        let counts = (
            try reader.number16(), try reader.number16(), try reader.number16(), try reader.number16()
        )
        isResponse = flags & 0x8000 != 0
        isTruncated = flags & 0x0200 != 0
        guard flags & 0x780F == 0 else { return }
        for _ in 0..<counts.0 { questions.append(try reader.question()) }
        for _ in 0..<counts.1 { answers.append(try reader.record()) }
        for _ in 0..<counts.2 { authorities.append(try reader.record()) }
        for _ in 0..<counts.3 { additionals.append(try reader.record()) }
    }

    /// The octets of the whole message, whatever their number.
    package var encoded: [UInt8] {
        var writer = DNSWriter()
        header(&writer, (questions.count, answers.count, authorities.count, additionals.count), isTruncated)
        for question in questions { writer.question(question) }
        for record in answers + authorities + additionals { writer.record(record) }
        return writer.octets
    }

    /// The octets of the message in parts of at most `limit`, where possible. Questions and authorities are in the first part. A
    /// query with more parts marks all but the last as truncated. Additional records that do not fit are left out.
    package func encoded(limit: Int) -> [[UInt8]] {
        var parts: [[UInt8]] = []
        var rest = answers[...]
        repeat {
            let isFirst = parts.isEmpty
            var writer = DNSWriter()
            header(&writer, (0, 0, 0, 0), false)
            if isFirst { for question in questions { writer.question(question) } }
            var tail = writer
            if isFirst { for record in authorities { tail.record(record) } }
            let reserved = tail.octets.count - writer.octets.count
            var count = 0
            while let record = rest.first {
                let before = writer
                writer.record(record)
                if writer.octets.count + reserved > limit, count > 0 || isFirst && reserved + questions.count > 0 {
                    writer = before
                    break
                }
                rest.removeFirst()
                count += 1
            }
            if isFirst { for record in authorities { writer.record(record) } }
            var extra = 0
            if rest.isEmpty {
                for record in additionals {
                    let before = writer
                    writer.record(record)
                    if writer.octets.count > limit {
                        writer = before
                        break
                    }
                    extra += 1
                }
            }
            header(
                &writer, (isFirst ? questions.count : 0, count, isFirst ? authorities.count : 0, extra),
                !isResponse && !rest.isEmpty)
            parts.append(writer.octets)
        } while !rest.isEmpty
        return parts
    }

    /// Appends the header to an empty writer, or replaces it.
    private func header(_ writer: inout DNSWriter, _ counts: (Int, Int, Int, Int), _ isTruncated: Bool) {
        // Responses are authoritative (RFC 6762, 18.4).
        let flags: UInt16 = (isResponse ? 0x8400 : 0) | (isTruncated ? 0x0200 : 0)
        if writer.octets.isEmpty { for _ in 0..<Self.headerLength / 2 { writer.number16(0) } }
        for (index, number) in [Int(identifier), Int(flags), counts.0, counts.1, counts.2, counts.3].enumerated() {
            writer.set16(number, at: 2 * index)
        }
    }
}
