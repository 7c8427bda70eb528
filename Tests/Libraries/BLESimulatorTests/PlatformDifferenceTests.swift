import BLEAdapter
import BLEHostAdapter
import BLESimulator
import BLEWire
import Testing

/// Firmware and an app that work with one host and fail with another.
struct PlatformDifferenceTests {
    /// A firmware streams at 7.5 ms: it asks for that interval and relies on it.
    @Test(
        arguments: [
            ("windows", .microseconds(7_500)), ("pixel", .microseconds(11_250)), ("bluez", .microseconds(7_500)),
            // An iPhone refuses the request, and its own interval stays.
            ("iphone", .milliseconds(30)),
        ] as [(String, Duration)])
    func aFirmwareThatRequests7500MicrosecondsGetsWhatTheHostGrants(_ name: String, _ granted: Duration) async throws {
        let platform = try #require(Platform.presets[name])
        let pair = try await ConversationTests.Pair(phone: platform)
        await pair.world.run(for: .seconds(1))
        pair.band.requestConnectionParameters(interval: .microseconds(7_500)...(.microseconds(7_500)))
        await pair.world.run(for: .seconds(5))
        #expect(pair.phone.links.map(\.interval) == [granted])
    }

    /// The same firmware, with a second request that complies with Apple's rules.
    @Test func aSecondRequestWithinTheRulesOfAppleSucceeds() async throws {
        let pair = try await ConversationTests.Pair(phone: .iPhone)
        await pair.world.run(for: .seconds(1))
        pair.band.requestConnectionParameters(interval: .microseconds(7_500)...(.microseconds(7_500)))
        await pair.world.run(for: .seconds(5))
        pair.band.requestConnectionParameters(interval: .milliseconds(15)...(.milliseconds(15)))
        await pair.world.run(for: .seconds(5))
        #expect(pair.phone.links.map(\.interval) == [.milliseconds(15)])
        // A request that is not valid is not sent, and changes nothing.
        pair.band.requestConnectionParameters(
            interval: .seconds(4)...(.seconds(4)), latency: 499, supervisionTimeout: .milliseconds(100))
        await pair.world.run(for: .seconds(5))
        #expect(pair.phone.links.map(\.interval) == [.milliseconds(15)])
    }

    /// A firmware sends records of 100 octets in one notification, tested with an iPhone alone.
    @Test(arguments: [("iphone", 100), ("windows", 100), ("pixel", 20)])
    func aRecordInOneNotificationIsCutWithoutAnExchangeOfTheATTMTU(_ name: String, _ received: Int) async throws {
        let platform = try #require(Platform.presets[name])
        let pair = try await ConversationTests.Pair(phone: platform)
        let characteristic = try await pair.handles()[0]
        try await pair.central.perform(
            .setNotify(valueHandle: characteristic.valueHandle, end: characteristic.end, mode: .notification),
            on: pair.peer)
        await pair.world.run(for: .seconds(1))
        let record = (0..<100).map { UInt8($0) }
        #expect(pair.peripheral.update(record, of: TestPeripheral.notifying))
        await pair.world.run(for: .seconds(1))
        #expect(pair.central.values(of: characteristic.valueHandle) == [Array(record.prefix(received))])
    }

    /// An app that waits for readiness before its first write, tested with a current iPhone alone.
    @Test(arguments: [("iphone", true), ("iphone-ios-11", false)])
    func anAppThatWaitsBeforeItsFirstWriteHangsOnIOS11(_ name: String, _ sends: Bool) async throws {
        let platform = try #require(Platform.presets[name])
        let pair = try await ConversationTests.Pair(phone: platform)
        let handle = try await pair.handles()[1].valueHandle
        let (session, peer) = (pair.central.session, pair.peer)
        let isReady = await pair.world.run(timeout: .seconds(120)) { session.canWriteCommand(to: peer) }
        let value: [UInt8] = [5]
        if isReady { _ = session.writeCommand(value.span, handle: handle, to: peer) }
        await pair.world.run(for: .seconds(1))
        #expect((pair.peripheral.value == [5]) == sends)
    }
}
