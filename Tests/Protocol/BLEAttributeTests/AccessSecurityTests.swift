import BLEWire
import Testing

@testable import BLEAttribute

/// Access that requires security, for every kind of request (Vol 3, Part F, 4; Vol 3, Part C, 10.3.1).
struct AccessSecurityTests {
    private let open: UInt16
    private let secret: UInt16
    private let fixed: UInt16
    private var database = AttributeDatabase()

    init() throws {
        let service = try database.added(
            ServiceDefinition(
                uuid(0xFEE7),
                [
                    CharacteristicDefinition(uuid(0x36F5), 0x0A, 3, value: nil),
                    CharacteristicDefinition(uuid(0x36F6), 0x20E, 12),
                    CharacteristicDefinition(uuid(0x36F7), 0x02, 4, value: [7]),
                ]))
        (open, secret, fixed) = (
            service.characteristics[0].valueHandle, service.characteristics[1].valueHandle,
            service.characteristics[2].valueHandle
        )
    }

    private static func link(_ keySize: UInt8, authenticated: Bool, secure: Bool, bonded: Bool = true) -> LinkSecurity {
        LinkSecurity(
            keySize: keySize, isAuthenticated: authenticated, isSecureConnections: secure, isBonded: bonded)
    }

    /// What the local device has of the peer (the columns of Vol 3, Part C, Table 10.2), in the order of the rows below.
    private static let keys = [
        link(0, authenticated: false, secure: false, bonded: false),
        link(0, authenticated: false, secure: true), link(0, authenticated: true, secure: false),
        link(0, authenticated: true, secure: true),
        link(16, authenticated: false, secure: true), link(16, authenticated: true, secure: false),
        link(16, authenticated: true, secure: true),
    ]

    /// The rows of the table: the requirement, and the error for each of `keys`.
    @Test(
        arguments: [
            (LinkSecurity.Level.unauthenticated, [0x05, 0x0F, 0x0F, 0x0F, 0, 0, 0]),
            (.authenticated, [0x05, 0x0F, 0x0F, 0x0F, 0x05, 0, 0]),
            (.secureConnections, [0x05, 0x0F, 0x0F, 0x0F, 0x05, 0x05, 0]),
        ] as [(LinkSecurity.Level, [UInt8])])
    func theErrorFollowsTheRequirementAndTheKeys(level: LinkSecurity.Level, errors: [UInt8]) {
        for (security, error) in zip(Self.keys, errors) {
            for request in requests {
                #expect(
                    answer(request.pdu, security, SecurityRequirement(level: level, keySize: 7))
                        == (error == 0 ? nil : [1, request.pdu[0]] + request.named + [error]),
                    "\(request.pdu) on \(security)")
            }
        }
    }

    @Test func aShortKeyHasItsOwnErrorOnAnEncryptedLinkAlone() {
        let requirement = SecurityRequirement(level: .unauthenticated, keySize: 16)
        let short = Self.link(15, authenticated: false, secure: false)
        for request in requests {
            #expect(answer(request.pdu, short, requirement) == [1, request.pdu[0]] + request.named + [0x0C])
            #expect(answer(request.pdu, .keyAvailable, requirement) == [1, request.pdu[0]] + request.named + [0x0F])
            #expect(answer(request.pdu, .encrypted, requirement) == nil)
        }
        let both = SecurityRequirement(level: .authenticated, keySize: 16)
        #expect(answer([0x0A] + low(secret), short, both)?.last == 0x05, "a pairing can mend both")
        #expect(LinkSecurity.authenticated.shortfall(for: both) == nil)
        let weak = Self.link(15, authenticated: true, secure: true)
        #expect(weak.shortfall(for: .init(level: .secureConnections, keySize: 7)) == .keySize)
    }

    /// Requests that access a protected value, and the handle in their errors.
    private var requests: [(pdu: [UInt8], named: [UInt8])] {
        [
            ([0x0A] + low(secret), low(secret)), ([0x0C] + low(secret) + [1, 0], low(secret)),
            ([0x0A] + low(fixed), low(fixed)),
            ([0x0E] + low(open) + low(secret), low(secret)), ([0x20] + low(open) + low(secret), low(secret)),
            ([0x08] + low(1) + low(0xFFFF) + [0xF6, 0x36], low(secret)),
            ([0x12] + low(secret) + [1], low(secret)), ([0x16] + low(secret) + [0, 0, 1], low(secret)),
            ([0x12] + low(secret + 1) + [2, 0], low(secret + 1)),
        ]
    }

    private func low(_ handle: UInt16) -> [UInt8] { [UInt8(truncatingIfNeeded: handle), UInt8(handle >> 8)] }

    /// The Error Response to a request; nil if the request is served.
    private func answer(
        _ pdu: [UInt8], _ security: LinkSecurity, _ requirement: SecurityRequirement
    ) -> [UInt8]? {
        var bearer = ATTBearer()
        var database = database
        database.encryptedAccess = requirement
        return bearer.answer(pdu, &database, security: security).pdus.first { $0[0] == 1 }
    }

    @Test func commandsWithoutSecurityAreDropped() {
        var database = database
        for security in [LinkSecurity.none, .keyAvailable] {
            var bearer = ATTBearer()
            let reply = bearer.answer([0x52] + low(secret) + [1], &database, security: security)
            #expect(reply.events.isEmpty && reply.pdus.isEmpty)
        }
        var bearer = ATTBearer()
        #expect(bearer.answer([0x52] + low(secret) + [1], &database, security: .encrypted).events.count == 1)
    }

    @Test func aSignedWriteIsNeverCarriedOut() {
        var database = database
        for security in [LinkSecurity.none, .encrypted, .authenticated] {
            var bearer = ATTBearer()
            let write = [0xD2] + low(open) + [1] + [UInt8](repeating: 0, count: 12)
            #expect(bearer.answer(write, &database, security: security) == bearer.act { _, _ in })
        }
    }

    @Test func aSearchByValueDoesNotFindProtectedValues() {
        var database = database
        var bearer = ATTBearer()
        let search = [0x06] + low(1) + low(0xFFFF) + [0xF7, 0x36, 7]
        #expect(bearer.answer(search, &database).pdus == [octets("01 06 0100 0A")])
        #expect(bearer.answer(search, &database, security: .encrypted).pdus == [[0x07] + low(fixed) + low(fixed)])
    }

    /// The link may lose its security between the parts of a long write and their execution.
    @Test func preparedWritesAreCheckedAgainAtTheirExecution() {
        var database = database
        var bearer = ATTBearer()
        let prepared = bearer.answer([0x16] + low(secret) + [0, 0, 1], &database, security: .encrypted)
        #expect(prepared.pdus.first?.first == 0x17)
        #expect(bearer.answer([0x18, 1], &database).pdus == [[1, 0x18] + low(secret) + [0x05]])
        #expect(bearer.answer([0x18, 1], &database, security: .encrypted).pdus == [[0x19]], "the queue is empty")
    }
}
