import NoiseChannel

/// A datagram of a group: a header in plain text, which the tag covers, and a sealed content.
///
///     0       1       2                  18                 26
///     version kind    session (16)       counter (8)        content, tag (16)
///
/// Numbers have their most significant octet first. Documentation/DeviceGroup.md describes the contents.
enum GroupDatagram {
    static let version: UInt8 = 1
    static let headerLength = 26
    /// Fits a packet of each link without fragments.
    static let longest = 1200
    static let longestBody = 1024
    static let longestMember = 64
    static let longestReply = 256

    struct Header {
        let kind: UInt8
        let session: GroupSession
        let counter: UInt64
        let octets: [UInt8]
    }

    enum Kind {
        static let command: UInt8 = 1
        static let challenge: UInt8 = 2
        static let proof: UInt8 = 3
        static let acknowledgement: UInt8 = 4
    }

    static func header(of datagram: [UInt8]) -> Header? {
        guard datagram.count >= headerLength + NoiseCipher.tagLength, datagram.count <= longest,
            datagram[0] == version, let session = GroupSession(Array(datagram[2..<18]))
        else { return nil }
        let counter = datagram[18..<26].reduce(0) { $0 << 8 | UInt64($1) }
        guard counter != .max else { return nil }
        return Header(kind: datagram[1], session: session, counter: counter, octets: Array(datagram[..<headerLength]))
    }

    /// The content of a datagram that the end with the header's session sealed; nil if it is forged.
    static func open(_ datagram: [UInt8], _ header: Header, _ cipher: NoiseCipher) -> [UInt8]? {
        try? cipher.open(
            datagram.span.extracting(droppingFirst: headerLength), nonce: header.counter, header: header.octets)
    }
}

/// The sealing side of one end.
struct GroupSealer: Sendable {
    let session: GroupSession
    private var cipher: NoiseCipher

    /// The counter of the next datagram.
    var nextCounter: UInt64 { cipher.nextNonce }

    init(_ key: GroupKey, _ session: GroupSession) {
        self.session = session
        cipher = key.cipher(of: session)
    }

    /// Each datagram has a counter of its own, also if its content is repeated.
    mutating func seal(_ kind: UInt8, _ content: [UInt8]) -> [UInt8] {
        var datagram = [GroupDatagram.version, kind] + session.octets
        GroupContent.append(cipher.nextNonce, to: &datagram)
        let header = datagram
        // A cipher refuses after 2^64 - 1 messages only, and contents have a limit.
        guard (try? cipher.seal(content.span, header: header, into: &datagram)) != nil else {
            preconditionFailure("The content of a datagram is too long.")
        }
        return datagram
    }
}

/// The contents of the four kinds.
enum GroupContent {
    struct Command: Equatable {
        var sequence: UInt64
        /// The oldest sequence number that the controller still repeats. A member waits for none before it.
        var first: UInt64
        var body: [UInt8]
    }

    /// A member does not know the session of a controller, and asks for a proof that the session is alive.
    struct Challenge: Equatable {
        var controller: GroupSession
        /// The counter of the command that the challenge answers.
        var command: UInt64
        var member: [UInt8]
    }

    /// The controller knows the session of the member, which is as old as the member's run.
    struct Proof: Equatable {
        var member: GroupSession
        /// The counter of the challenge that the proof answers.
        var challenge: UInt64
        /// The sequence number that the member has to carry out first.
        var first: UInt64
    }

    struct Acknowledgement: Equatable {
        var controller: GroupSession
        var sequence: UInt64
        var member: [UInt8]
        var reply: [UInt8]
    }

    static func append(_ number: UInt64, to octets: inout [UInt8]) {
        for shift in stride(from: 56, through: 0, by: -8) { octets.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }

    static func encode(_ command: Command) -> [UInt8] {
        var octets: [UInt8] = []
        append(command.sequence, to: &octets)
        append(command.first, to: &octets)
        return octets + command.body
    }

    static func encode(_ challenge: Challenge) -> [UInt8] {
        var octets = challenge.controller.octets
        append(challenge.command, to: &octets)
        return octets + [UInt8(challenge.member.count)] + challenge.member
    }

    static func encode(_ proof: Proof) -> [UInt8] {
        var octets = proof.member.octets
        append(proof.challenge, to: &octets)
        append(proof.first, to: &octets)
        return octets
    }

    static func encode(_ acknowledgement: Acknowledgement) -> [UInt8] {
        var octets = acknowledgement.controller.octets
        append(acknowledgement.sequence, to: &octets)
        return octets + [UInt8(acknowledgement.member.count)] + acknowledgement.member + acknowledgement.reply
    }

    static func command(_ octets: [UInt8]) -> Command? {
        guard octets.count >= 16, octets.count <= 16 + GroupDatagram.longestBody else { return nil }
        let command = Command(
            sequence: number(octets[0..<8]), first: number(octets[8..<16]), body: Array(octets[16...]))
        return command.first <= command.sequence && command.sequence <= greatestSequence ? command : nil
    }

    static func challenge(_ octets: [UInt8]) -> Challenge? {
        guard octets.count >= 25, let session = GroupSession(Array(octets[..<16])),
            (1...GroupDatagram.longestMember).contains(Int(octets[24])), octets.count == 25 + Int(octets[24])
        else { return nil }
        return Challenge(controller: session, command: number(octets[16..<24]), member: Array(octets[25...]))
    }

    static func proof(_ octets: [UInt8]) -> Proof? {
        guard octets.count == 32, let session = GroupSession(Array(octets[..<16])) else { return nil }
        let first = number(octets[24..<32])
        guard first <= greatestSequence else { return nil }
        return Proof(member: session, challenge: number(octets[16..<24]), first: first)
    }

    static func acknowledgement(_ octets: [UInt8]) -> Acknowledgement? {
        guard octets.count >= 25, let session = GroupSession(Array(octets[..<16])) else { return nil }
        let length = Int(octets[24])
        guard (1...GroupDatagram.longestMember).contains(length), octets.count >= 25 + length,
            octets.count <= 25 + length + GroupDatagram.longestReply
        else { return nil }
        return Acknowledgement(
            controller: session, sequence: number(octets[16..<24]), member: Array(octets[25..<25 + length]),
            reply: Array(octets[(25 + length)...]))
    }

    /// Larger sequence numbers have no meaning, so a member may add to them.
    static let greatestSequence = UInt64.max / 2

    private static func number(_ octets: ArraySlice<UInt8>) -> UInt64 { octets.reduce(0) { $0 << 8 | UInt64($1) } }
}
