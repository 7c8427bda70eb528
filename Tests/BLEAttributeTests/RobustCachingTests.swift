import BLECrypto
import BLEWire
import Testing

@testable import BLEAttribute

/// Robust caching, server side (Vol 3, Part G, 2.5.2.1).
struct RobustCachingTests {
    private var bearer = ATTBearer()
    private var database = AttributeDatabase(crypto: SwiftCryptoProvider())
    private let handle: UInt16

    /// A client with robust caching and subscriptions, whose server has changed.
    init() throws {
        let service = try database.added(
            ServiceDefinition(
                uuid(0xFEE7),
                [
                    CharacteristicDefinition(uuid(0x36F5), 0x3E, 3), CharacteristicDefinition(uuid(0x36F6), 2, 1, value: [7]),
                ]))
        handle = service.characteristics[0].valueHandle
        _ = bearer.answer(octets("12 0B00 01"), &database)
        _ = bearer.answer([0x12] + low(handle + 1) + [3, 0], &database)
        change()
    }

    private func low(_ handle: UInt16) -> [UInt8] { [UInt8(truncatingIfNeeded: handle), UInt8(handle >> 8)] }

    private mutating func change() {
        let (database, before) = (database, bearer.mtu)
        _ = bearer.act { $0.databaseChanged(database, security: .none, output: &$1) }
        #expect(before == 23)
    }

    private mutating func answer(_ text: String) -> [UInt8]? { bearer.answer(octets(text), &database).pdus.first }

    private mutating func answer(_ pdu: [UInt8]) -> [UInt8]? { bearer.answer(pdu, &database).pdus.first }

    private var isAware: Bool { bearer.server.awareness.isAware }

    @Test func everyRequestAtAHandleIsRefusedOnce() {
        let value = low(handle + 3)
        for pdu in [
            [0x0A] + value, [0x0C] + value + [0, 0], [0x0E] + value + value, [0x20] + value + value, [0x12] + value + [1],
            [0x16] + value + [0, 0, 1],
        ] {
            var test = self
            #expect(test.answer(pdu) == [1, pdu[0]] + value + [0x12], "\(pdu)")
            #expect(!test.isAware)
            #expect(test.answer([0x0A] + value) == [0x0B, 7], "the next request makes the client aware")
            #expect(test.isAware)
            test.change()
            #expect(test.answer([0x0A] + value)?.last == 0x12, "the database has changed again")
        }
    }

    /// Requests that do not depend on handles from before the change.
    @Test func discoveryIsServed() {
        for text in [
            "10 0100 FFFF 0028", "06 0100 FFFF 0028 E7FE", "04 0100 FFFF", "08 0100 0D00 0328", "08 0100 0D00 0228",
            "08 0100 FFFF F636", "08 0100 FFFF 002A", "02 1700", "18 00",
        ] {
            var test = self
            let answer = test.answer(text)
            #expect(answer?[0] == octets(text)[0] + 1 || answer?.last == 0x0A, "\(text)")
            #expect(!test.isAware, "\(text)")
        }
        for text in ["08 0200 FFFF F636", "08 0100 FEFF 2A2B"] {
            var test = self
            #expect(test.answer(text)?.last == 0x12, "\(text)")
        }
    }

    @Test mutating func theRequestAfterTheHashMakesTheClientAware() {
        #expect(answer("08 0100 FFFF 2A2B")?.count == 20)
        #expect(!isAware, "the client may not have received the hash")
        #expect(bearer.answer([0x52] + low(handle) + [1], &database).events.isEmpty)
        #expect(answer([0x0A] + low(handle + 3)) == [0x0B, 7])
        #expect(isAware)
    }

    @Test mutating func aChangeAfterTheHashWasReadCountsAgain() {
        _ = answer("08 0100 FFFF 2A2B")
        change()
        #expect(answer([0x0A] + low(handle + 3))?.last == 0x12)
    }

    @Test mutating func commandsAreIgnored() {
        #expect(bearer.answer([0x52] + low(handle) + [1], &database).events.isEmpty)
        _ = answer([0x0A] + low(handle))
        _ = answer("02 1700")
        #expect(bearer.answer([0x52] + low(handle) + [1], &database).events.count == 1)
    }

    @Test mutating func updatesWaitUntilTheClientIsAware() {
        #expect(bearer.clientConfiguration(ofValueHandle: handle) == 0)
        _ = answer([0x0A] + low(handle))
        #expect(bearer.clientConfiguration(ofValueHandle: handle) == 0)
        _ = answer("02 1700")
        #expect(bearer.clientConfiguration(ofValueHandle: handle) == 3)
    }

    @Test mutating func waitingIndicationsFollowServiceChanged() {
        _ = answer("0A 0300")
        _ = answer("12 0900 0200")
        let (handle, database) = (handle, database)
        for value in [UInt8]([1, 2]) {
            _ = bearer.act { $0.indicate(handle: handle, value: [value].span, at: .zero, output: &$1) }
        }
        change()
        let range = handles(30, 31)
        let quiet = bearer.act {
            $0.indicateServicesChanged(range, database: database, at: .zero, output: &$1)
            $0.indicateServicesChanged(range, database: database, at: .zero, output: &$1)
        }
        #expect(quiet.pdus.isEmpty, "the first indication is unconfirmed")
        let serviceChanged: [UInt8] = [0x1D, 8, 0, 30, 0, 31, 0]
        #expect(answer("1E") == serviceChanged)
        #expect(answer("1E") == serviceChanged && !isAware)
        #expect(answer("1E") == [0x1D] + low(handle) + [2] && isAware)
    }

    @Test mutating func withoutServiceChangedWaitingIndicationsFollowTheNextRequest() {
        _ = answer("0A 0300")
        _ = answer("02 1700")
        let handle = handle
        for value in [UInt8]([1, 2]) {
            _ = bearer.act { $0.indicate(handle: handle, value: [value].span, at: .zero, output: &$1) }
        }
        change()
        #expect(answer("1E") == nil)
        #expect(answer("0A 0300")?.last == 0x12)
        let reply = bearer.answer(octets("0A 0300"), &database)
        #expect(reply.pdus.contains([0x1D] + low(handle) + [2]))
    }

    @Test func aClientWithoutRobustCachingIsServedAsBefore() throws {
        var bearer = ATTBearer()
        var database = database
        _ = bearer.answer([0x12] + low(handle + 1) + [3, 0], &database)
        _ = bearer.act { $0.databaseChanged(database, security: .none, output: &$1) }
        #expect(bearer.clientConfiguration(ofValueHandle: handle) == 3)
        #expect(bearer.answer([0x0A] + low(handle + 3), &database).pdus == [[0x0B, 7]])
        #expect(bearer.answer([0x52] + low(handle) + [1], &database).events.count == 1)
    }

    @Test mutating func aClientThatAnnouncesItLateIsWithheldFromThenOn() {
        bearer = ATTBearer()
        _ = answer([0x12] + low(handle + 1) + [3, 0])
        change()
        #expect(bearer.clientConfiguration(ofValueHandle: handle) == 3)
        _ = answer("12 0B00 01")
        #expect(bearer.clientConfiguration(ofValueHandle: handle) == 0)
    }
}
