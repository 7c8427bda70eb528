import BLESimulator
import Testing

@testable import WorldFiles

/// Faults, platforms and stresses of a world while it runs.
struct FaultSceneTests {
    private static let late = "answers late by 0.050 s"

    private func times(_ text: String, of device: String, in world: World) -> [Duration] {
        world.events.filter { $0.device == device && $0.text == text }.map(\.time)
    }

    /// The phone connects twice: after the second time it asks the band again.
    private func meeting(_ events: String) throws -> World {
        try world(
            """
            devices:
              - {id: phone, program: walkthrough, at: [-1, 0]}
              - {id: band, program: wristband, at: [1, 0]}
            events:
              - {at: 0 s, fault: band, kind: slow-answers, by: 50 ms}
              - {at: 20 s, move: phone, to: [400, 0]}
              - {at: 30 s, move: phone, to: [-1, 0]}
            \(events)
            expect:
              - {link: [phone, band], after: 30 s, within: 9 s}
            """)
    }

    @Test func aFaultLastsUntilItIsRemoved() async throws {
        let kept = try meeting("")
        #expect(await kept.brokenExpectations() == [])
        await kept.run(until: .seconds(45))
        let before = times(Self.late, of: "band", in: kept).filter { $0 < .seconds(20) }
        #expect(before.count > 2)
        #expect(times(Self.late, of: "band", in: kept).contains { $0 > .seconds(30) })
        #expect(times("fault: \(Self.late)", of: "band", in: kept) == [.zero])
        let removed = try meeting("  - {at: 25 s, remove-faults: band}")
        #expect(await removed.brokenExpectations() == [])
        await removed.run(until: .seconds(45))
        #expect(times("no faults any more", of: "band", in: removed) == [.seconds(25)])
        #expect(times(Self.late, of: "band", in: removed) == before)
    }

    /// The host of a device that starts again is a new one.
    @Test func aFaultEndsWithThePower() async throws {
        let world = try meeting("  - {at: 21 s, power: band, on: false}\n  - {at: 25 s, power: band, on: true}")
        #expect(await world.brokenExpectations() == [])
        await world.run(until: .seconds(45))
        #expect(times(Self.late, of: "band", in: world).contains { $0 < .seconds(20) })
        #expect(!times(Self.late, of: "band", in: world).contains { $0 > .seconds(25) })
    }

    @Test func anExpectationCanWaitForWhatAFaultDoes() async throws {
        let world = try world(
            """
            devices: [{id: app}]
            events: [{at: 1 s, fault: app, kind: forgotten-bonds, after: 3 s}]
            expect:
              - {line: app, contains: "fault: forgets its bonds after 3.000 s", within: 1 s}
              - {line: app, contains: forgets its bonds, after: 3500 ms, within: 1 s}
            """)
        #expect(await world.brokenExpectations() == [])
    }

    // MARK: Platforms

    @Test func aDeviceStartsAgainWithThePlatform() async throws {
        let world = try world(
            """
            devices:
              - {id: phone, program: walkthrough, platform: pixel}
              - {id: band, program: wristband, at: [1, 0]}
            events:
              - {at: 5 s, platform: phone, is: windows}
              - {at: 20 s, platform: phone, is: none}
              - {at: 35 s, platform: phone, is: none}
              - {at: 40 s, power: phone, on: false}
              - {at: 41 s, platform: phone, is: iphone}
              - {at: 50 s, power: phone, on: true}
            """)
        await world.run(until: .seconds(4))
        #expect(try world.device("phone").platform == .pixel)
        #expect(try world.device("phone").links.map(\.supervisionTimeout) == [.seconds(5)])
        await world.run(until: .seconds(18))
        #expect(try world.device("phone").platform == .windows)
        #expect(try world.device("phone").links.map(\.supervisionTimeout) == [.milliseconds(9_600)])
        await world.run(until: .seconds(34))
        let plain = try world.device("phone")
        #expect(plain.platform == Platform())
        // The same platform changes nothing.
        await world.run(until: .seconds(36))
        #expect(try world.device("phone") === plain && plain.links.count == 1)
        await world.run(until: .seconds(45))
        // Without power the platform waits.
        #expect(throws: WorldFileError.self) { try world.device("phone") }
        await world.run(until: .seconds(51))
        #expect(try world.device("phone").platform == .iPhone)
        #expect(times("the platform is windows", of: "phone", in: world) == [.seconds(5)])
        #expect(times("no platform any more", of: "phone", in: world) == [.seconds(20), .seconds(35)])
    }

    @Test func expectationsHoldAcrossPlatforms() async throws {
        let world = try world(
            """
            devices:
              - {id: phone, program: walkthrough, platform: pixel}
              - {id: band, program: wristband, at: [1, 0]}
            events:
              - {at: 5 s, platform: band, is: bluez}
              - {at: 20 s, power: band, on: false}
            expect:
              - {link: [phone, band], within: 4 s}
              - {link: [phone, band], after: 12 s, within: 6 s}
              - {state: band, is: "off", at: 21 s}
            """)
        #expect(await world.brokenExpectations() == [])
    }

    // MARK: Stress

    private static let stressed = """
        devices:
          - {id: phone, program: walkthrough, at: [-1, 0]}
          - {id: band, program: wristband, at: [1, 0]}
          - {id: door, program: beacon}
          - {id: spare, program: wristband, on: false}
          - {id: app, at: [0, 1]}
        """

    private func run(_ world: World) async -> (octets: [UInt8], events: [WorldEvent]) {
        let log = world.recordEvents()
        await world.run(for: .seconds(30))
        return (log.octets, world.events)
    }

    @Test func aStressIsAFunctionOfItsSeed() async throws {
        let text = "seed: 4\nstress: 12\n" + Self.stressed
        let world = try world(text)
        let stress = Stress(seed: 12, devices: ["phone", "band", "app"])
        #expect(world.scene?.stress == stress)
        let first = await run(world)
        for entry in stress.entries {
            #expect(
                first.events.contains {
                    $0.time == .zero && $0.device == entry.device && $0.text == entry.fault.description
                }, "\(entry)")
        }
        let second = await run(try WorldFilesTests.world(text))
        #expect(first.octets == second.octets && first.events == second.events)
        let other = try WorldFilesTests.world("seed: 4\nstress: 13\n" + Self.stressed)
        #expect(other.scene?.stress != stress)
        #expect(try WorldFilesTests.world(Self.stressed).scene?.stress == nil)
    }

    /// A list of faults takes the place of those of the seed; an empty one is a world without them.
    @Test func aListReplacesTheFaultsOfTheSeed() async throws {
        func made(_ text: String, _ stress: Stress?) throws -> World {
            try World(try WorldFile(text: "world: 1\n" + text, file: "w"), fileName: "w", stress: stress)
        }
        let plain = await run(try made(Self.stressed, nil))
        let none = await run(try made("stress: 12\n" + Self.stressed, Stress([])))
        #expect(plain.octets == none.octets && plain.events == none.events)
        let late = Stress([.init("phone", .lateStart(by: .seconds(1))), .init("nobody", .staleCache)])
        let world = try made(Self.stressed, late)
        #expect(world.scene?.stress == late)
        await world.run(for: .milliseconds(900))
        #expect(try world.device("phone").activity?.isScanning == false)
        await world.run(for: .milliseconds(200))
        let phone = try world.device("phone")
        #expect(phone.activity?.isScanning == true || !phone.links.isEmpty)
    }
}
