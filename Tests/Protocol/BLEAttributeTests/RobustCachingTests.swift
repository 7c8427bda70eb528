import BLECrypto
import BLEWire
import Testing

@testable import BLEAttribute

/// A client with robust caching and subscriptions, whose server has changed.
private final class ChangedServer {
    var bearer = ATTBearer()
    var database = AttributeDatabase(crypto: SwiftCryptoProvider())
    let handle: UInt16

    init() throws {
        let service = try database.added(
            ServiceDefinition(
                uuid(0xFEE7),
                [
                    CharacteristicDefinition(uuid(0x36F5), 0x3E, 3),
                    CharacteristicDefinition(uuid(0x36F6), 2, 1, value: [7]),
                ]))
        handle = service.characteristics[0].valueHandle
        _ = answer("12 0B00 01")
        subscribe()
        change()
    }

    func subscribe() { _ = answer([0x12] + low(handle + 1) + [3, 0]) }

    func low(_ handle: UInt16) -> [UInt8] { [UInt8(truncatingIfNeeded: handle), UInt8(handle >> 8)] }

    func change() { _ = bearer.act { $0.databaseChanged(database, security: .none, output: &$1) } }

    func reply(_ pdu: [UInt8]) -> Reply { bearer.answer(pdu, &database) }

    func answer(_ text: String) -> [UInt8]? { reply(octets(text)).pdus.first }

    func answer(_ pdu: [UInt8]) -> [UInt8]? { reply(pdu).pdus.first }

    func indicate(_ value: UInt8) {
        _ = bearer.act { $0.indicate(handle: handle, value: [value].span, at: .zero, output: &$1) }
    }

    var isAware: Bool { bearer.server.awareness.isAware }
    /// What the client gets of the value.
    var configuration: UInt16 { bearer.clientConfiguration(ofValueHandle: handle) }
    /// A request that needs no answer of the program.
    var read: [UInt8] { [0x0A] + low(handle + 3) }
    var isRefused: Bool { answer(read)?.last == 0x12 }
    var isServed: Bool { answer(read) == [0x0B, 7] }
    /// Whether a Write Command has an effect.
    var takesCommands: Bool { !reply([0x52] + low(handle) + [1]).events.isEmpty }
}

/// Robust caching, server side (Vol 3, Part G, 2.5.2.1).
struct RobustCachingTests {
    private let server: ChangedServer

    init() throws { server = try ChangedServer() }

    @Test(arguments: 0..<6) func everyRequestAtAHandleIsRefusedOnce(kind: Int) {
        let value = server.low(server.handle + 3)
        let pdu: [UInt8] =
            switch kind {
            case 0: [0x0A] + value
            case 1: [0x0C] + value + [0, 0]
            case 2: [0x0E] + value + value
            case 3: [0x20] + value + value
            case 4: [0x12] + value + [1]
            default: [0x16] + value + [0, 0, 1]
            }
        #expect(server.answer(pdu) == [1, pdu[0]] + value + [0x12])
        #expect(!server.isAware)
        #expect(server.isServed, "the next request makes the client aware")
        #expect(server.isAware)
        server.change()
        #expect(server.isRefused, "the database has changed again")
    }

    /// Requests that do not depend on handles from before the change.
    @Test(
        arguments: [
            "10 0100 FFFF 0028", "06 0100 FFFF 0028 E7FE", "04 0100 FFFF", "08 0100 0D00 0328", "08 0100 0D00 0228",
            "08 0100 FFFF F636", "08 0100 FFFF 002A", "02 1700", "18 00",
        ])
    func discoveryIsServed(request: String) {
        let answer = server.answer(request)
        #expect(answer?[0] == octets(request)[0] + 1 || answer?.last == 0x0A)
        #expect(!server.isAware)
    }

    @Test(arguments: ["08 0200 FFFF F636", "08 0100 FEFF 2A2B"])
    func aReadByTypeInAPartOfTheDatabaseIsRefused(request: String) {
        #expect(server.answer(request)?.last == 0x12)
    }

    @Test func theRequestAfterTheHashMakesTheClientAware() {
        #expect(server.answer("08 0100 FFFF 2A2B")?.count == 20)
        #expect(!server.isAware && !server.takesCommands, "the client may not have received the hash")
        #expect(server.isServed && server.isAware && server.takesCommands)
    }

    @Test func aChangeAfterTheHashWasReadCountsAgain() {
        _ = server.answer("08 0100 FFFF 2A2B")
        server.change()
        #expect(server.isRefused)
    }

    @Test func commandsAreIgnored() {
        #expect(!server.takesCommands)
        #expect(server.isRefused)
        #expect(!server.takesCommands)
        _ = server.answer("02 1700")
        #expect(server.takesCommands)
    }

    @Test func updatesWaitUntilTheClientIsAware() {
        #expect(server.configuration == 0 && server.bearer.withholdsUpdates)
        #expect(server.isRefused)
        #expect(server.configuration == 0 && server.bearer.withholdsUpdates)
        #expect(server.reply(octets("02 1700")).events.first == .updatesResumed)
        #expect(server.configuration == 3 && !server.bearer.withholdsUpdates)
    }

    @Test func waitingIndicationsFollowServiceChanged() {
        _ = server.answer("0A 0300")
        _ = server.answer("12 0900 0200")
        server.indicate(1)
        server.indicate(2)
        server.change()
        let database = server.database
        for _ in 0..<2 {
            let reply = server.bearer.act {
                $0.indicateServicesChanged(handles(30, 31), database: database, at: .zero, output: &$1)
            }
            #expect(reply.pdus.isEmpty, "the first indication is unconfirmed")
        }
        let serviceChanged: [UInt8] = [0x1D, 8, 0, 30, 0, 31, 0]
        #expect(server.answer("1E") == serviceChanged)
        #expect(server.answer("1E") == serviceChanged && !server.isAware)
        #expect(server.answer("1E") == [0x1D] + server.low(server.handle) + [2] && server.isAware)
    }

    @Test func withoutServiceChangedWaitingIndicationsFollowTheNextRequest() {
        _ = server.answer("0A 0300")
        _ = server.answer("02 1700")
        server.indicate(1)
        server.indicate(2)
        server.change()
        #expect(server.answer("1E") == nil)
        #expect(server.isRefused)
        #expect(server.reply(server.read).pdus.contains([0x1D] + server.low(server.handle) + [2]))
    }

    @Test func aClientWithoutRobustCachingIsServedAsBefore() {
        server.bearer = ATTBearer()
        server.subscribe()
        server.change()
        #expect(server.configuration == 3 && server.isServed && server.takesCommands)
    }

    @Test func aClientThatAnnouncesItLateIsWithheldFromThenOn() {
        server.bearer = ATTBearer()
        server.subscribe()
        server.change()
        #expect(server.configuration == 3)
        _ = server.answer("12 0B00 01")
        #expect(server.configuration == 0)
    }
}
