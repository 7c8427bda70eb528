import BLEWire
import Testing

@testable import BLEAttribute

/// A server with several bearers.
struct EnhancedServerBearerTests {
    @Test("The MTU of an enhanced bearer is that of its channel; Exchange MTU is refused")
    func exchangeMTUIsRefused() throws {
        let pair = try BearerPair(bearers: 0)
        pair.open(1, mtu: 64)
        pair.injectAtServer(1, [0x02, 200, 0])
        #expect(pair.toClient == [.init(1, [0x01, 0x02, 0, 0, 0x06])])
        #expect(pair.server.mtu == 23)
        pair.injectAtServer(1, [0x08] + [1, 0, 0xFF, 0xFF] + [0x03, 0x28])
        #expect(pair.toClient.last.map { $0.pdu.count > 23 && $0.pdu.count <= 64 } == true)
        // A request above the ATT_MTU is malformed.
        pair.injectAtServer(1, [0x12, UInt8(pair.handles[0]), 0] + [UInt8](repeating: 1, count: 62))
        #expect(pair.toClient.last == .init(1, [0x01, 0x12, 0, 0, 0x04]))
        pair.onServer { server, _ in server.changeEnhanced(1, peerMTU: 90) }
        pair.injectAtServer(1, [0x12, UInt8(pair.handles[0]), 0] + [UInt8](repeating: 1, count: 62))
        #expect(pair.asked.map(\.handle) == [pair.handles[0]])
    }

    @Test("Each bearer has one request; the server answers each on its own bearer")
    func eachBearerHasOneRequest() throws {
        let pair = try BearerPair()
        let low = pair.handles.map { UInt8(truncatingIfNeeded: $0) }
        for bearer: UInt32 in [0, 1, 2] { pair.injectAtServer(bearer, [0x0A, low[Int(bearer)], 0]) }
        // A second request on a bearer gets no answer.
        pair.injectAtServer(1, [0x0A, low[4], 0])
        #expect(pair.asked.map(\.handle) == Array(pair.handles[0..<3]))
        for bearer: UInt32 in [2, 0, 1] {
            pair.answer(pair.handles[Int(bearer)])
            #expect(pair.toClient.last == .init(bearer, [0x0B, low[Int(bearer)]]))
        }
    }

    @Test("GATT/SR/GAR/BV-11-C, BV-12-C: several values at once on several bearers")
    func severalValuesAreReadOnEachBearer() throws {
        let pair = try BearerPair()
        let low = pair.handles.map { UInt8(truncatingIfNeeded: $0) }
        for bearer: UInt32 in [0, 1, 2] {
            let index = Int(bearer) * 2
            pair.injectAtServer(bearer, [0x20, low[index], 0, low[index + 1], 0])
        }
        for index in [0, 2, 4, 5, 3, 1] { pair.answer(pair.handles[index]) }
        for (bearer, sent) in zip([2, 1, 0] as [UInt32], pair.toClient.suffix(3)) {
            let index = Int(bearer) * 2
            #expect(sent == .init(bearer, [0x21, 1, 0, low[index], 1, 0, low[index + 1]]))
        }
    }

    /// The parts that the server's program gets.
    private func written(_ pair: BearerPair) -> [[UInt8]]? {
        guard let (items, octets) = pair.writes.last else { return nil }
        return items.map { Array(octets[$0.value]) }
    }

    @Test("GATT/SR/GAW/BV-12-C, BV-13-C, BV-14-C: a client prepares on several bearers, and executes on any")
    func theBearersOfAClientShareItsPreparedWrites() throws {
        let pair = try BearerPair(bearers: 3)
        let low = UInt8(truncatingIfNeeded: pair.handles[0])
        func prepare(_ bearers: UInt32...) {
            for (index, bearer) in bearers.enumerated() {
                let part: [UInt8] = [low, 0, UInt8(index), 0, UInt8(index)]
                pair.injectAtServer(bearer, [0x16] + part)
                #expect(pair.toClient.last == .init(bearer, [0x17] + part))
            }
        }
        prepare(1, 2, 3, 0)
        pair.injectAtServer(2, [0x18, 1])
        #expect(written(pair) == [[0], [1], [2], [3]])
        pair.answer(pair.handles[0])
        #expect(pair.toClient.last == .init(2, [0x19]))
        // Cancelled.
        prepare(1, 2)
        pair.injectAtServer(3, [0x18, 0])
        #expect(pair.toClient.last == .init(3, [0x19]) && pair.writes.count == 1)
        pair.injectAtServer(1, [0x18, 1])
        #expect(pair.toClient.last == .init(1, [0x19]) && pair.writes.count == 1, "nothing is left")
        // Bearers that end leave what they have prepared.
        prepare(1, 2, 3)
        pair.close(1)
        pair.close(3)
        pair.injectAtServer(0, [0x16, low, 0, 3, 0, 3])
        pair.injectAtServer(2, [0x18, 1])
        #expect(written(pair) == [[0], [1], [2], [3]])
        pair.answer(pair.handles[0])
        #expect(pair.toClient.last == .init(2, [0x19]))
    }

    private func subscribe(_ pair: BearerPair, _ index: Int) {
        pair.submit(
            .setNotify(valueHandle: pair.handles[index], end: pair.handles[index] + 1, mode: .indication),
            UInt32(100 + index))
    }

    private func indicate(_ pair: BearerPair, _ index: Int, _ value: UInt8) {
        pair.onServer { $0.indicate(handle: pair.handles[index], value: [value].span, at: pair.now, output: &$1) }
    }

    @Test("Indications of different values are unconfirmed side by side, those of one value in turn")
    func indicationsUseAllBearers() throws {
        let pair = try BearerPair(bearers: 1)
        for index in 0..<3 { subscribe(pair, index) }
        for (index, value) in [(0, 1), (0, 2), (1, 3), (2, 4)] as [(Int, UInt8)] { indicate(pair, index, value) }
        // The second of the first value has its turn, and the others theirs after it.
        #expect(pair.received == [[1]])
        let confirm = { pair.onClient { $0.confirmIndication(output: &$1) } }
        confirm()
        #expect(pair.received == [[1], [2], [3]])
        #expect(pair.toClient.suffix(2).map(\.bearer) == [0, 1])
        confirm()
        #expect(pair.toServer.last == .init(0, [0x1E]))
        #expect(pair.received == [[1], [2], [3], [4]])
        confirm()
        #expect(pair.toServer.last == .init(1, [0x1E]))
        confirm()
        let before = pair.toServer.count
        confirm()
        #expect(pair.toServer.count == before, "nothing is left to confirm")
        let confirmed = pair.serverEvents.count { if case .indicationConfirmed = $0 { true } else { false } }
        #expect(confirmed == 4 && pair.server.deadline == nil)
    }

    @Test func theEndOfABearerEndsItsIndication() throws {
        let pair = try BearerPair(bearers: 1)
        for index in 0..<3 { subscribe(pair, index) }
        for index in 0..<3 { indicate(pair, index, UInt8(index)) }
        #expect(pair.received == [[0], [1]])
        pair.close(1)
        #expect(pair.serverEvents.last == .indicationConfirmed(valueHandle: pair.handles[1]))
        pair.onClient { $0.confirmIndication(output: &$1) }
        #expect(pair.received == [[0], [1], [2]])
        // The program confirms what came on the bearer that has ended.
        let before = pair.toServer.count
        pair.onClient { $0.confirmIndication(output: &$1) }
        #expect(pair.toServer.count == before)
        pair.onClient { $0.confirmIndication(output: &$1) }
        #expect(pair.toServer.last == .init(0, [0x1E]))
        // A bearer whose indication is never confirmed ends alone.
        pair.open(2)
        indicate(pair, 0, 7)
        indicate(pair, 1, 8)
        pair.onClient { $0.confirmIndication(output: &$1) }
        pair.later(.seconds(30))
        #expect(pair.failures == [.enhancedBearerFailed(2, .timeout)])
    }

    @Test("Unconfirmed indications of bearers that come and go are limited")
    func unconfirmedIndicationsAreLimited() throws {
        let pair = try BearerPair(bearers: 0)
        for number: UInt32 in 1..<100 {
            pair.open(number)
            pair.injectAtClient(number, [0x1D, UInt8(pair.handles[0]), 0, 1])
            pair.injectAtClient(number, [0x1D, UInt8(pair.handles[0]), 0, 2])
            pair.close(number)
        }
        #expect(pair.received.count == 6 && pair.client.client.unconfirmed.count == 6)
    }

    @Test("Service Changed precedes other indications and stays on the unenhanced bearer")
    func serviceChangedPrecedes() throws {
        let pair = try BearerPair(bearers: 1)
        pair.onClient { $0.enableServiceChanged(id: 1, at: pair.now, output: &$1) }
        pair.later(.seconds(1))
        for index in 0..<2 { subscribe(pair, index) }
        pair.onServer {
            $0.indicateServicesChanged(handles(20, 30), database: pair.database, at: pair.now, output: &$1)
        }
        for index in 0..<2 { indicate(pair, index, UInt8(index)) }
        #expect(pair.toClient.last?.bearer == 0 && pair.received.isEmpty)
        #expect(pair.clientEvents.last == .servicesChanged(handles(20, 30)))
        pair.onClient { $0.confirmIndication(output: &$1) }
        #expect(pair.received == [[0], [1]])
    }

    @Test("A client with several bearers reads the Database Hash to become change-aware")
    func outOfSyncIsOfTheClient() throws {
        let pair = try BearerPair(bearers: 1)
        // Robust caching.
        pair.injectAtServer(0, [0x12, 0x0B, 0, 1])
        pair.onServer { $0.databaseChanged(pair.database, security: pair.security, output: &$1) }
        let low = UInt8(truncatingIfNeeded: pair.handles[0])
        for bearer: UInt32 in [0, 1, 0, 1] {
            pair.injectAtServer(bearer, [0x0A, low, 0])
            #expect(pair.toClient.last == .init(bearer, [0x01, 0x0A, low, 0, 0x12]))
        }
        pair.injectAtServer(1, [0x08, 1, 0, 0xFF, 0xFF, 0x2A, 0x2B])
        #expect(pair.toClient.last?.pdu.first == 0x09)
        pair.injectAtServer(0, [0x0A, low, 0])
        #expect(pair.asked.count == 1 && pair.server.server.awareness.isAware)
        pair.answer(pair.handles[0])
        // With one bearer, the request after the error is enough.
        pair.close(1)
        pair.onServer { $0.databaseChanged(pair.database, security: pair.security, output: &$1) }
        pair.injectAtServer(0, [0x0A, low, 0])
        pair.injectAtServer(0, [0x0A, low, 0])
        #expect(pair.asked.count == 1)
    }

    @Test("Multiple Handle Value Notification: sent to clients that support it, received on every bearer")
    func severalValuesInOneNotification() throws {
        let pair = try BearerPair(bearers: 1)
        let values = (0..<3).map { AttributeValue(handle: pair.handles[$0], value: [UInt8($0), 9]) }
        let notify = { (values: [AttributeValue]) in pair.onServer { $0.notify(values, output: &$1) } }
        notify(values)
        #expect(pair.toClient.count == 3 && pair.toClient.allSatisfy { $0.pdu[0] == 0x1B })
        pair.toClient = []
        pair.injectAtServer(0, [0x12, 0x0B, 0, 4])
        pair.toClient = []
        notify(values)
        #expect(pair.toClient.map(\.pdu.count) == [19] && pair.toClient[0].pdu[0] == 0x23)
        #expect(pair.received.suffix(3) == [[0, 9], [1, 9], [2, 9]])
        // One value alone, values of which one does not fit, and a value that is cut.
        pair.toClient = []
        notify([values[0]])
        notify(values + [AttributeValue(handle: pair.handles[3], value: [1])])
        #expect(pair.toClient.map(\.pdu[0]) == [0x1B, 0x23, 0x1B])
        pair.toClient = []
        notify([values[0], AttributeValue(handle: pair.handles[3], value: pattern(30)), values[1], values[2]])
        #expect(pair.toClient.map(\.pdu[0]) == [0x1B, 0x1B, 0x23])
        #expect(pair.received.suffix(4) == [[0, 9], Array(pattern(30)[..<20]), [1, 9], [2, 9]])
        // A client takes what is whole, also one value alone.
        pair.received = []
        for pdu: [UInt8] in [
            [0x23, 1, 0, 1, 0, 7, 2, 0, 2, 0, 8], [0x23, 1, 0, 1, 0, 7], [0x23], [0x23, 1, 0, 2, 0, 7],
        ] {
            pair.injectAtClient(0, pdu)
        }
        #expect(pair.received == [[7], [7]] && pair.failures.isEmpty)
        pair.received = []
        pair.injectAtClient(1, [0x23, 1, 0, 1, 0, 7, 2, 0, 2, 0, 8, 9])
        pair.injectAtClient(1, [0x1B, 1, 0, 6])
        #expect(pair.received == [[7], [8, 9], [6]])
    }

    @Test func PDUsInAnyOrderOnAnyBearerDoNotTrap() throws {
        for seed in 0..<40 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            let pair = try BearerPair(bearers: 2)
            var next: UInt32 = 3
            for step in 0..<300 {
                pair.now += .milliseconds(200)
                let bearer = UInt32.random(in: 0..<next, using: &random)
                let opcode: UInt8 =
                    [0x02, 0x04, 0x08, 0x0A, 0x0C, 0x12, 0x16, 0x18, 0x1B, 0x1D, 0x1E, 0x23, 0x52, 0x01, 0x0B, 0x13]
                    .randomElement(using: &random) ?? 0
                let pdu =
                    [opcode]
                    + (0..<Int.random(in: 0...8, using: &random)).map { _ in
                        UInt8.random(in: 0...20, using: &random)
                    }
                switch Int.random(in: 0..<9, using: &random) {
                case 0, 1: pair.injectAtServer(bearer, pdu)
                case 2: pair.injectAtClient(bearer, pdu)
                case 3: pair.submit(.read(handle: pair.handles[step % 6]), UInt32(step))
                case 4: pair.submit(.write(handle: pair.handles[step % 6], value: [1]), UInt32(step))
                case 5: if let asked = pair.asked.randomElement(using: &random) { pair.answer(asked.handle) }
                case 6:
                    pair.open(next)
                    next += 1
                case 7: pair.close(bearer)
                default: indicate(pair, step % 3, UInt8(truncatingIfNeeded: step))
                }
                pair.onClient { $0.confirmIndication(output: &$1) }
            }
            for case .enhancedBearerFailed(let number, _) in pair.failures { pair.close(number) }
            pair.onClient { $0.close(output: &$1) }
            #expect(pair.client.enhancedCount == 0 && Set(pair.ended).count == pair.ended.count)
        }
    }
}

/// The features that both sides exchange (Vol 3, Part G, 7.2 and 7.4).
struct EnhancedBearerSupportTests {
    @Test func theClientAnnouncesItsFeaturesOnce() throws {
        var machine = EnhancedBearerSupport()
        #expect(machine.start(mtu: 23).request == .readByType(handles(1, 0xFFFF), uuid(0x2B3A)))
        #expect(try machine.feed("09 03 0F00 01").request == .readByType(handles(1, 0xFFFF), uuid(0x2B29)))
        #expect(try machine.feed("09 03 0B00 01").request == .write(handle: 0x0B, value: [0x07]))
        #expect(try machine.feed("13").output == true)
        // A bonded client has done so before. Further octets of the value stay.
        machine = EnhancedBearerSupport()
        _ = machine.start(mtu: 23)
        _ = try machine.feed("09 03 0F00 01")
        #expect(try machine.feed("09 04 0B00 0601").output == true)
        machine = EnhancedBearerSupport()
        _ = machine.start(mtu: 23)
        _ = try machine.feed("09 03 0F00 03")
        #expect(try machine.feed("09 04 0B00 0001").request == .write(handle: 0x0B, value: [0x06, 0x01]))
        #expect(try machine.feed("01 12 0B00 0E").output == false)
    }

    @Test func aServerWithoutTheBitHasNoBearers() throws {
        for answer in ["09 03 0F00 00", "09 03 0F00 02", "01 08 0100 0A", "09 02 0F00"] {
            var machine = EnhancedBearerSupport()
            _ = machine.start(mtu: 23)
            #expect(try machine.feed(answer).output == false)
        }
    }

    @Test("The server shows the bit only with enhanced bearers")
    func theServerShowsTheBit() throws {
        let pair = try BearerPair(bearers: 0)
        pair.onClient { $0.findEnhancedBearers(at: pair.now, output: &$1) }
        #expect(pair.clientEvents == [.enhancedBearersSupported(at: pair.now)])
        #expect(pair.server.server.features == [.enhancedBearers, .multipleNotifications])
        pair.database = AttributeDatabase(crypto: nil, hasEnhancedBearers: true)
        pair.onClient { $0.findEnhancedBearers(at: pair.now, output: &$1) }
        pair.later(.seconds(1))
        #expect(pair.clientEvents.count == 1)
    }
}
