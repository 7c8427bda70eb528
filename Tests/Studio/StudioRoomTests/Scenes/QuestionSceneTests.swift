import Testing

@testable import StudioRoom

/// The claims of the texts about the fourteen questions.
@Suite struct QuestionSceneTests {
    @Test func question01_onlyThePatientPhoneFindsTheDevice() async throws {
        let stage = try SceneStage("q1")
        await stage.run(for: .seconds(3))
        #expect(
            stage.lines(of: "d1") == [
                "scanForPeripherals, in the state unknown", "centralManagerDidUpdateState: powered on",
            ])
        #expect(stage.lines(of: "d2").contains { $0.hasPrefix("didDiscover Gadget at -") })
    }

    @Test func question02_theAdvertisedNameChangesAndTheStoredOneStays() async throws {
        let stage = try SceneStage("q2")
        #expect(await stage.run(until: "didDisconnectPeripheral", on: "d1"))
        try await stage.perform("rename")
        #expect(await stage.run(until: "didDiscover: name \"Gadget 5F2A\", advertised name \"Renamed\"", on: "d1"))
    }

    @Test func question03_aPoliteEndIsHeardAtOnceAndALossAfterTheSupervisionTimeout() async throws {
        let stage = try SceneStage("q3")
        #expect(await stage.run(until: "didUpdateNotificationStateFor", on: "d1"))
        await stage.run(for: .seconds(2))
        try await stage.perform("cancel")
        #expect(await stage.run(until: "didUnsubscribeFrom", on: "d2", within: .seconds(1)))
        #expect(await stage.run(until: "didDisconnectPeripheral: without an error", on: "d1", within: .seconds(1)))
        try await stage.perform("connect")
        #expect(await stage.run(until: "didUpdateNotificationStateFor", on: "d1"))
        await stage.run(for: .seconds(2))
        let start = stage.world.now
        try await stage.perform("off")
        #expect(await stage.run(until: "didDisconnectPeripheral: The connection has timed out", on: "d1"))
        let end = try #require(stage.time(of: "didDisconnectPeripheral", on: "d1"))
        #expect(end - start > .seconds(1.8) && end - start < .seconds(2.2))
    }

    @Test func question04_anHourWithoutADeviceDoesNotEndTheScan() async throws {
        let stage = try SceneStage("q4")
        await stage.run(for: .seconds(1))
        try await stage.perform("hour")
        #expect(!stage.lines().contains { $0.hasPrefix("didDiscover") })
        try await stage.perform("on")
        #expect(await stage.run(until: "didDiscover Gadget", on: "d1", within: .seconds(2)))
    }

    @Test(arguments: [(2.5, 2), (2, 3), (4, 1)])
    func question05_theRangeFollowsFromThePathLoss(exponent: Double, found: Int) async throws {
        let stage = try SceneStage("q5", ["exponent": .number(exponent)])
        await stage.run(for: .seconds(10))
        #expect(stage.lines(of: "d1").count { $0.hasPrefix("didDiscover") } == found)
    }

    @Test func question06_aConnectionTakesMillisecondsWhileADeviceAdvertises() async throws {
        let stage = try SceneStage("q6")
        #expect(await stage.run(until: "ten connections", on: "d1"))
        let line = try #require(stage.lines(of: "d1").last)
        let numbers = line.split { !$0.isNumber }.compactMap { Int($0) }
        #expect(
            numbers.count == 3 && numbers[1] < 100 && numbers[0] <= numbers[2] && numbers[2] <= numbers[1], "\(line)")
    }

    @Test func question07_twelveDevicesSendToOnePhone() async throws {
        let stage = try SceneStage("q7")
        await stage.run(for: .seconds(15))
        #expect(stage.lines(of: "d1").contains { $0.hasSuffix("12 connected") })
        #expect(stage.lines(of: "d1").last?.hasSuffix("values from 12 devices") == true)
    }

    @Test(arguments: [0.2, 0.5]) func question08_allOctetsArriveOverABadRadio(loss: Double) async throws {
        let stage = try SceneStage("q8", ["loss": .number(loss)])
        #expect(await stage.run(until: "24000 octets, all correct", on: "d2", within: .seconds(120)))
        #expect(await stage.run(until: "didUpdateValueFor FF11: \"24000 octets, all correct\"", on: "d1"))
    }

    @Test func question09_aKnownDeviceComesBackInThreeWays() async throws {
        let stage = try SceneStage("q9")
        #expect(await stage.run(until: "didConnect", on: "d1"))
        try await stage.perform("connected")
        await stage.run(for: .milliseconds(100))
        #expect(stage.lines(of: "d1").contains("retrieveConnectedPeripherals: 1"))
        for way in ["known", "scan"] {
            try await stage.perform("cancel")
            #expect(await stage.run(until: "didDisconnectPeripheral", on: "d1"))
            try await stage.perform(way)
            #expect(await stage.run(until: "didConnect, the same identifier", on: "d1"))
        }
        #expect(stage.lines(of: "d1").contains("retrievePeripherals: 1"))
    }

    @Test func question10_aProtectedValuePairsAndTheDeviceIsListed() async throws {
        let stage = try SceneStage("q10")
        #expect(await stage.run(until: "didUpdateValueFor FF01: read", on: "d1"))
        #expect(stage.lines(of: "d1").first == "paired devices: 0")
        #expect(stage.lines(of: "d1").last == "paired devices: 1, this one: yes")
    }

    @Test func question11_thereAreThreeDevicesToLookAt() async throws {
        let stage = try SceneStage("q11")
        await stage.run(for: .seconds(5))
        #expect(stage.lines(of: "d1").count { $0.hasPrefix("didDiscover") } == 3)
    }

    @Test func question12_theIdentifierIsNoAddressAndTheDevicePublishesOne() async throws {
        let stage = try SceneStage("q12")
        #expect(await stage.run(until: "didUpdateValueFor", on: "d1"))
        #expect(stage.lines(of: "d1").last?.hasSuffix("address C0:11:22:33:44:55") == true)
        #expect(stage.lines(of: "d1").first?.hasPrefix("didDiscover: identifier ") == true)
    }

    @Test func question13_twoScannersSeeNothingUntilOneAdvertises() async throws {
        let stage = try SceneStage("q13")
        await stage.run(for: .seconds(20))
        #expect(!stage.lines().contains { $0.hasPrefix("didDiscover") })
        try await stage.perform("advertise")
        #expect(await stage.run(until: "didDiscover Phone as a device", on: "d2"))
        #expect(!stage.lines(of: "d1").contains { $0.hasPrefix("didDiscover") })
    }

    @Test func question14_flowControlIsFastAndLosesNothing() async throws {
        func arrived(_ way: String, within seconds: Int) async throws -> (octets: Int, time: Duration) {
            let stage = try SceneStage("q14", ["way": .string(way)])
            var best = (octets: 0, time: Duration.zero)
            for _ in 0..<seconds {
                await stage.run(for: .seconds(1))
                let line = stage.lines(of: "d2").last { $0.hasPrefix("received") }
                let octets = line.flatMap { Int($0.split(separator: " ")[1]) } ?? 0
                if octets > best.octets { best = (octets, stage.world.now) }
            }
            #expect(stage.lines(of: "d1").last?.hasPrefix("all parts given to the system") == true, "\(way)")
            return best
        }
        let pauses = try await arrived("pauses", within: 20)
        let response = try await arrived("response", within: 60)
        let flow = try await arrived("flow", within: 10)
        let careless = try await arrived("careless", within: 60)
        #expect(pauses.octets == 24_000 && response.octets == 24_000 && flow.octets == 24_000)
        #expect(flow.time < .seconds(3) && pauses.time > .seconds(9) && response.time > pauses.time)
        #expect(careless.octets < 400_000 && careless.octets > 0)
    }
}
