import BLEWire
import Testing

/// A command that the virtual controller claims: by hand from Vol 4, Part E, 6.27 (the octet and bit of its claim) and 7.1 to
/// 7.8 (parameters and answer), not from our own tables.
struct ClaimedCommand: Sendable, CustomTestStringConvertible {
    enum Answer: Equatable, Sendable {
        case status
        /// Command Complete with so many octets of return parameters.
        case complete(Int)
    }

    var opcode: UInt16
    /// Nil: the mask has no bit for it.
    var bit: (octet: Int, bit: Int)?
    /// Valid ones. `handle` stands for that of a link.
    var parameters: [UInt8]
    var answer: Answer
    /// The first parameter is a connection handle.
    var isAboutLink: Bool
    /// The answer to the valid parameters, sent by a central that has a link and does nothing else.
    var status: UInt8
    var testDescription: String { HCI.Opcode(rawValue: opcode).description }

    private init(
        _ opcode: UInt16, _ bit: (Int, Int)?, _ parameters: [UInt8], _ answer: Answer, isAboutLink: Bool = false,
        status: UInt8 = 0
    ) {
        self.opcode = opcode
        self.bit = bit.map { (octet: $0.0, bit: $0.1) }
        self.parameters = parameters
        self.answer = answer
        self.isAboutLink = isAboutLink
        self.status = status
    }

    /// Whether the host must not have used legacy commands before (Vol 4, Part E, 3.1.1).
    var isExtended: Bool { (0x2035...0x2044).contains(opcode) || [0x207F, 0x2082, 0x2086].contains(opcode) }

    func packet(_ parameters: [UInt8]) -> [UInt8] {
        [1, UInt8(opcode & 0xFF), UInt8(opcode >> 8), UInt8(parameters.count)] + parameters
    }

    func parameters(of handle: UInt16) -> [UInt8] {
        guard isAboutLink else { return parameters }
        return [UInt8(handle & 0xFF), UInt8(handle >> 8)] + parameters.dropFirst(2)
    }

    private static let peer: [UInt8] = [0x77, 0, 0, 0, 0, 0xC0]
    private static let update: [UInt8] = [24, 0, 24, 0, 0, 0, 200, 0, 0, 0, 0, 0]

    static let all: [ClaimedCommand] = [
        Self(0x206D, (43, 2), [0, 0], .status, isAboutLink: true),
        // The peer of the link knows the features.
        Self(0x2074, (44, 1), [38, 1], .complete(1), status: 0x0C),
        Self(0x207D, (46, 0), [1, 0, 1, 0, 0, 0, 0, 0, 0x80, 0x0C], .complete(1)),
        // The host has not turned on subrating.
        Self(0x207E, (46, 1), [0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0x80, 0x0C], .status, isAboutLink: true, status: 0x0C),
        Self(0x2076, (44, 3), [0, 0, 1], .complete(6), isAboutLink: true),
        Self(0x2077, (44, 4), [0, 0, 1], .status, isAboutLink: true),
        Self(0x2078, (44, 5), [0, 0, 74, 6, 55, 5, 2, 0], .complete(3), isAboutLink: true),
        // The host has not set the zones.
        Self(0x2079, (44, 6), [0, 0, 1], .complete(3), isAboutLink: true, status: 0x0C),
        Self(0x207A, (44, 7), [0, 0, 1, 1], .complete(3), isAboutLink: true),
        // There is no such link.
        Self(0xFC0E, nil, [2, 0xFF, 0x0E, 0], .complete(1), status: 0x02),
        // A link has the address.
        Self(0xFC06, nil, [1, 2, 3, 4, 5, 6], .complete(1), status: 0x0C),
        Self(0xFC80, nil, [0, 0, 7], .complete(1)),
        Self(0x0406, (0, 5), [0, 0, 0x13], .status, isAboutLink: true),
        Self(0x041D, (2, 7), [0, 0], .status, isAboutLink: true),
        Self(0x0C01, (5, 6), [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x1F, 0, 0x20], .complete(1)),
        Self(0x0C03, (5, 7), [], .complete(1)),
        Self(0x0C2D, (10, 2), [0, 0, 0], .complete(4), isAboutLink: true),
        Self(0x0C63, (22, 2), [UInt8](repeating: 0, count: 8), .complete(1)),
        Self(0x0C7B, (32, 4), [0, 0], .complete(5), isAboutLink: true),
        Self(0x0C7C, (32, 5), [0, 0, 0xB8, 0x0B], .complete(3), isAboutLink: true),
        Self(0x1001, (14, 3), [], .complete(9)),
        Self(0x1002, nil, [], .complete(65)),
        Self(0x1003, (14, 5), [], .complete(9)),
        Self(0x1005, (14, 7), [], .complete(8)),
        Self(0x1009, (15, 1), [], .complete(7)),
        Self(0x1405, (15, 5), [0, 0], .complete(4), isAboutLink: true),
        Self(0x2001, (25, 0), [0x1F, 0, 0, 0, 0, 0, 0, 0], .complete(1)),
        Self(0x2002, (25, 1), [], .complete(4)),
        Self(0x2003, (25, 2), [], .complete(9)),
        Self(0x2005, (25, 4), [1, 2, 3, 4, 5, 0xC6], .complete(1)),
        Self(0x2006, (25, 5), [0x20, 0, 0x40, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 7, 0], .complete(1)),
        Self(0x2007, (25, 6), [], .complete(2)),
        Self(0x2008, (25, 7), [3, 2, 1, 6] + [UInt8](repeating: 0, count: 28), .complete(1)),
        Self(0x2009, (26, 0), [3, 2, 1, 6] + [UInt8](repeating: 0, count: 28), .complete(1)),
        Self(0x200A, (26, 1), [1], .complete(1)),
        Self(0x200B, (26, 2), [1, 0x10, 0, 0x10, 0, 1, 0], .complete(1)),
        Self(0x200C, (26, 3), [1, 0], .complete(1)),
        Self(0x200D, (26, 4), [0x10, 0, 0x10, 0, 0, 1] + peer + [1] + update, .status),
        // There is nothing to cancel.
        Self(0x200E, (26, 5), [], .complete(1), status: 0x0C),
        Self(0x200F, (26, 6), [], .complete(2)),
        Self(0x2010, (26, 7), [], .complete(1)),
        Self(0x2011, (27, 0), [1] + peer, .complete(1)),
        Self(0x2012, (27, 1), [1] + peer, .complete(1)),
        Self(0x2013, (27, 2), [0, 0] + update, .status, isAboutLink: true),
        Self(0x2014, (27, 3), [0xFF, 0xFF, 0xFF, 0, 0], .complete(1)),
        Self(0x2015, (27, 4), [0, 0], .complete(8), isAboutLink: true),
        Self(0x2016, (27, 5), [0, 0], .status, isAboutLink: true),
        Self(0x2017, (27, 6), [UInt8](repeating: 1, count: 32), .complete(17)),
        Self(0x2018, (27, 7), [], .complete(9)),
        Self(0x2019, (28, 0), [0, 0] + [UInt8](repeating: 1, count: 26), .status, isAboutLink: true),
        // The peer has not started encryption.
        Self(
            0x201A, (28, 1), [0, 0] + [UInt8](repeating: 1, count: 16), .complete(3), isAboutLink: true, status: 0x0C),
        Self(0x201B, (28, 2), [0, 0], .complete(3), isAboutLink: true, status: 0x0C),
        Self(0x201C, (28, 3), [], .complete(9)),
        // No side requested other parameters.
        Self(0x2020, (33, 4), [0, 0] + update, .complete(3), isAboutLink: true, status: 0x0C),
        Self(0x2021, (33, 5), [0, 0, 0x3B], .complete(3), isAboutLink: true, status: 0x0C),
        Self(0x2022, (33, 6), [0, 0, 0xFB, 0, 0x48, 8], .complete(3), isAboutLink: true),
        Self(0x2023, (33, 7), [], .complete(5)),
        Self(0x2024, (34, 0), [0xFB, 0, 0x48, 8], .complete(1)),
        Self(0x2025, (34, 1), [], .status),
        // The controller has no key pair.
        Self(0x2026, (34, 2), [UInt8](repeating: 1, count: 64), .status, status: 0x0C),
        // The point is not on the curve.
        Self(0x205E, (41, 2), [UInt8](repeating: 1, count: 65), .status, status: 0x12),
        Self(0x2027, (34, 3), [1] + peer + [UInt8](1...32), .complete(1)),
        // The resolving list is empty.
        Self(0x2028, (34, 4), [1] + peer, .complete(1), status: 0x02),
        Self(0x2029, (34, 5), [], .complete(1)),
        Self(0x202A, (34, 6), [], .complete(2)),
        Self(0x202B, (34, 7), [1] + peer, .complete(7), status: 0x02),
        Self(0x202C, (35, 0), [1] + peer, .complete(7), status: 0x02),
        Self(0x202D, (35, 1), [1], .complete(1)),
        Self(0x202E, (35, 2), [0x84, 3], .complete(1)),
        Self(0x202F, (35, 3), [], .complete(9)),
        Self(0x2030, (35, 4), [0, 0], .complete(5), isAboutLink: true),
        Self(0x2031, (35, 5), [0, 3, 3], .complete(1)),
        Self(0x2032, (35, 6), [0, 0, 0, 2, 2, 0, 0], .status, isAboutLink: true),
        // There is no such set.
        Self(0x2035, (36, 1), [5, 1, 2, 3, 4, 5, 0xC6], .complete(1), status: 0x42),
        Self(
            0x2036, (36, 2),
            [0, 0, 0, 0x20, 0, 0, 0x40, 0, 0, 7, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0x7F, 1, 0, 1, 0, 0], .complete(2)),
        Self(
            0x207F, (46, 2),
            [0, 0, 0, 0x20, 0, 0, 0x40, 0, 0, 7, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0x7F, 3, 0, 3, 0, 0, 3, 1], .complete(2)),
        Self(0x2037, (36, 3), [5, 3, 1, 3, 2, 1, 6], .complete(1), status: 0x42),
        Self(0x2038, (36, 4), [5, 3, 1, 3, 2, 1, 6], .complete(1), status: 0x42),
        Self(0x2039, (36, 5), [0, 0], .complete(1)),
        Self(0x203A, (36, 6), [], .complete(3)),
        Self(0x203B, (36, 7), [], .complete(2)),
        Self(0x203C, (37, 0), [5], .complete(1), status: 0x42),
        Self(0x203D, (37, 1), [], .complete(1)),
        Self(0x2041, (37, 5), [0, 0, 1, 0, 0x10, 0, 0x10, 0], .complete(1)),
        Self(0x2042, (37, 6), [0, 0, 0, 0, 0, 0], .complete(1)),
        Self(0x2043, (37, 7), [0, 0, 1] + peer + [1, 0x10, 0, 0x10, 0] + update, .status),
        // There is no such set, and no such sync.
        Self(0x2082, (46, 5), [5, 1, 0, 0, 0, 0], .complete(2), status: 0x42),
        Self(0x2083, (46, 6), [0, 0, 0, 0, 0, 0, 0, 0], .complete(3), status: 0x42),
        Self(0x2084, (46, 7), [0, 0, 0, 0, 1, 0], .complete(3), status: 0x42),
        Self(0x2086, (47, 1), [5, 0x50, 0, 0x50, 0, 0, 0, 0, 0, 0, 0, 0], .complete(2), status: 0x42),
        Self(0x203E, (37, 2), [5, 0x50, 0, 0x50, 0, 0, 0], .complete(1), status: 0x42),
        Self(0x203F, (37, 3), [5, 3, 3, 2, 1, 6], .complete(1), status: 0x42),
        Self(0x2040, (37, 4), [1, 5], .complete(1), status: 0x42),
        Self(0x2044, (38, 0), [0, 1, 1] + peer + [0, 0, 100, 0, 0], .status),
        // There is nothing to cancel, and no train.
        Self(0x2045, (38, 1), [], .complete(1), status: 0x0C),
        Self(0x2046, (38, 2), [0, 0], .complete(1), status: 0x42),
        Self(0x2047, (38, 3), [1] + peer + [3], .complete(1)),
        // The list is empty.
        Self(0x2048, (38, 4), [1] + peer + [3], .complete(1), status: 0x42),
        Self(0x2049, (38, 5), [], .complete(1)),
        Self(0x204A, (38, 6), [], .complete(2)),
        Self(0x2059, (40, 5), [0, 0, 1], .complete(1), status: 0x42),
        // There is neither such a train nor such a set.
        Self(0x205A, (40, 6), [0, 0, 1, 2, 0, 0], .complete(3), isAboutLink: true, status: 0x42),
        Self(0x205B, (40, 7), [0, 0, 1, 2, 5], .complete(3), isAboutLink: true, status: 0x42),
        Self(0x205C, (41, 0), [0, 0, 1, 0, 0, 100, 0, 0], .complete(3), isAboutLink: true),
        Self(0x205D, (41, 1), [1, 0, 0, 100, 0, 0], .complete(1)),
        Self(0x204B, (38, 7), [], .complete(3)),
        Self(0x204E, (39, 2), [1] + peer + [1], .complete(1), status: 0x02),
    ]
}
