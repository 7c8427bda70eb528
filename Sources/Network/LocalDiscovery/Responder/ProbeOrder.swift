/// The order of the records of two hosts that probe for one name at the same time (RFC 6762, 8.2.1).
enum ProbeOrder {
    /// The sorted records: class, type and uncompressed data of each.
    static func keys(_ records: [DNSRecord]) -> [[UInt8]] {
        records.map { record in
            var writer = DNSWriter()
            writer.number16(record.class)
            writer.number16(record.type.rawValue)
            // A writer of its own compresses nothing against other records.
            writer.data(record.data)
            return writer.octets
        }.sorted { $0.lexicographicallyPrecedes($1) }
    }

    static func isBefore(_ left: [[UInt8]], _ right: [[UInt8]]) -> Bool {
        for (one, other) in zip(left, right) where one != other { return one.lexicographicallyPrecedes(other) }
        return left.count < right.count
    }
}
