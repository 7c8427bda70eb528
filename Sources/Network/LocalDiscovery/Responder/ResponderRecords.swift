/// The records of a responder's names.
extension MulticastResponder {
    /// RFC 6762, 10: 120 s for records with a host's name or address, 75 minutes for others.
    static let hostTimeToLive: UInt32 = 120
    static let otherTimeToLive: UInt32 = 4500
    static let services = DNSName(labels: ["_services", "_dns-sd", "_udp"], in: .local)!

    /// The records that belong to `unique` alone, without NSEC.
    func ownRecords(of unique: UniqueName, on interface: Int) -> [DNSRecord] {
        guard let service = unique.service else {
            return (interfaces[interface] ?? []).map {
                DNSRecord(
                    unique.name, $0.isIPv4 ? .a : .aaaa, isUnique: true, timeToLive: Self.hostTimeToLive, .address($0))
            }
        }
        return [
            DNSRecord(
                unique.name, .srv, isUnique: true, timeToLive: Self.hostTimeToLive,
                .service(priority: 0, weight: 0, port: service.port, host: host.name)),
            DNSRecord(
                unique.name, .txt, isUnique: true, timeToLive: Self.otherTimeToLive, .text(service.strings)),
        ]
    }

    /// The records that other responders may have as well (RFC 6763, 4.1 and 9).
    func sharedRecords(of unique: UniqueName) -> [DNSRecord] {
        guard let service = unique.service else { return [] }
        return [
            DNSRecord(
                service.typeName, .ptr, isUnique: false, timeToLive: Self.otherTimeToLive, .pointer(unique.name)),
            DNSRecord(
                Self.services, .ptr, isUnique: false, timeToLive: Self.otherTimeToLive, .pointer(service.typeName)),
        ]
    }

    func records(of unique: UniqueName, on interface: Int) -> [DNSRecord] {
        sharedRecords(of: unique) + ownRecords(of: unique, on: interface)
    }

    /// States which types the name has, so that a question for another type gets an answer at once (RFC 6762, 6.1).
    func denial(of unique: UniqueName, on interface: Int) -> DNSRecord {
        let types = Set(ownRecords(of: unique, on: interface).map(\.type)).sorted()
        return DNSRecord(
            unique.name, .nsec, isUnique: true, timeToLive: Self.hostTimeToLive,
            .existing(next: unique.name, types))
    }

    /// The answers to a question.
    func answers(to question: DNSQuestion, on interface: Int) -> [DNSRecord] {
        var result: [DNSRecord] = []
        for unique in uniques where unique.isAnnounced {
            guard
                question.name == unique.name || question.name == unique.service?.typeName
                    || question.name == Self.services
            else { continue }
            let found = records(of: unique, on: interface).filter(question.matches)
            result += found.filter { !result.contains($0) }
            guard found.isEmpty, question.name == unique.name, question.class == DNSRecord.internet else { continue }
            result.append(denial(of: unique, on: interface))
        }
        return result
    }

    /// Records that a questioner needs next (RFC 6763, 12).
    func additionals(to answers: [DNSRecord], on interface: Int) -> [DNSRecord] {
        var result: [DNSRecord] = []
        func add(_ records: [DNSRecord]) {
            result += records.filter { !answers.contains($0) && !result.contains($0) }
        }
        for answer in answers {
            if case .pointer(let target) = answer.data, let unique = uniques.first(where: { $0.name == target }) {
                add(ownRecords(of: unique, on: interface))
            }
        }
        if (answers + result).contains(where: { $0.type == .srv }) { add(ownRecords(of: host, on: interface)) }
        return result
    }
}
