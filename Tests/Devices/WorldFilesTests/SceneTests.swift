import BLESimulator
import CoreBluetooth
import ExamplePrograms
import Foundation
import Testing

@testable import WorldFiles

/// A world from a text.
func world(_ text: String, seed: UInt64? = nil) throws -> World {
    try World(try WorldFile(text: "world: 1\n" + text, file: "w"), fileName: "w", seed: seed)
}

private let walk = """
    seed: 7
    environment: {path-loss-exponent: 3, fading: 2 dB}
    devices:
      - {id: phone, program: walkthrough, at: [-1, 0]}
      - {id: band, program: wristband, at: [1, 0], loss: 5 %}
      - {id: chest, profile: heart-rate, at: [3, 0]}
      - {id: sensor, count: 20, grid: {columns: 5, spacing: 2}, beacon: {name: "S${n}"}}
    events:
      - {at: 3 s, move: phone, to: [400, 0], over: 4 s}
      - {at: 12 s, move: phone, to: [-1, 0]}
      - {at: 20 s, power: band, on: false}
      - {at: 30 s, power: band, on: true}
      - {at: 40 s, press: phone, action: finish}
    expect:
      - {link: [phone, band], within: 1 s}
      - {no-link: [phone, band], after: 3 s, within: 7 s}
      - {link: [phone, band], after: 12 s, within: 5 s}
      - {link: [phone, band], during: [17 s, 20 s]}
      - {no-link: [phone, band], at: 28 s}
      - {state: band, is: "off", during: [20.1 s, 29.9 s]}
      - {link: [phone, band], after: 30 s, within: 6 s}
      - {line: phone, contains: "disconnected", after: 40 s, within: 1 s}
      - {state: sensor-20, is: advertising, at: 41 s}
    """

struct SceneTests {
    @Test func whatTheFileDescribesHappensByItself() async throws {
        let world = try world(walk)
        let broken = await world.brokenExpectations()
        #expect(broken == [], "\(world.events.map(\.description).joined(separator: "\n"))")
        #expect(world.now == .seconds(41))
        #expect(world.events.contains { $0.device == "band" && $0.text == "power off" && $0.time == .seconds(20) })
        #expect(world.scene?.failures.isEmpty == true)
    }

    /// In 200 s a beacon sends some 8,000 events of three packets: 500 ppm are four of them.
    @Test func aDeviceHasItsClock() async throws {
        func packets(_ clock: String) async throws -> Int {
            let text = "devices: [{id: tag, beacon: {name: T, interval: 20 ms}, clock: \(clock)}]"
            let world = try world(text)
            let log = world.recordEvents()
            await world.run(for: .seconds(200))
            return log.count
        }
        let (slow, fast) = (try await packets("-500 ppm"), try await packets("500 ppm"))
        #expect(slow > 20_000 && (18...30).contains(fast - slow))
    }

    /// All packets on the air and between hosts and controllers.
    private func packets(seed: UInt64, parts: Int = 1) async throws -> [UInt8] {
        let world = try world(walk, seed: seed)
        let log = world.recordEvents()
        for _ in 0..<parts { await world.run(for: .seconds(45) / parts) }
        return log.octets
    }

    @Test func equalSeedsGiveEqualRuns() async throws {
        let (first, second) = (try await packets(seed: 3), try await packets(seed: 3))
        #expect(first.count > 1_000_000 && first == second)
        #expect(try await packets(seed: 3, parts: 9) == first)
        #expect(try await packets(seed: 4) != first)
    }

    @Test func anExpectationThatDoesNotHoldIsOneSentence() async throws {
        let world = try world(
            """
            devices:
              - {id: a}
              - {id: b, program: wristband}
            expect:
              - {link: [a, b], within: 1 s}
              - {state: b, is: idle, at: 1 s}
              - {line: b, contains: nothing, within: 2 s}
              - {no-link: [a, b], during: [0 s, 3 s]}
            """)
        #expect(
            await world.brokenExpectations() == [
                "w:6:5: expected link: [a, b], within: 1 s, found no link at 1 s.",
                "w:7:5: expected state: b, is: \"idle\", at: 1 s, found b is advertising at 1 s.",
                "w:8:5: expected line: b, contains: \"nothing\", within: 2 s, found no such line at 2 s.",
            ])
    }

    @Test func aTestRunsItsOwnProgramOnADevice() async throws {
        let world = try world(
            """
            devices:
              - {id: phone}
              - {id: band, program: wristband, at: [2, 0]}
            events:
              - {at: 30 s, power: phone, on: false}
              - {at: 31 s, power: phone, on: true}
            """)
        let queue = DispatchQueue(label: "test")
        let phone = try world.device("phone").run { WalkthroughCentral(queue: queue) }
        try world.device("phone").run { queue.sync { phone.start() } }
        await world.run(for: .seconds(30))
        #expect(world.events.contains { $0.device == "band" && $0.text.contains("a central subscribed") })
        // The device keeps its managers.
        let device = try world.device("phone")
        await world.run(for: .milliseconds(500))
        #expect(device.activity?.isScanning == false)
        #expect(try world.device("phone") === device)
    }

    @Test func devicesAreFoundByTheirIdentifiers() throws {
        let world = try world("devices: [{id: a}, {id: b, program: beacon}, {id: c, program: wristband, on: false}]")
        #expect(throws: WorldFileError("w: expected one of the devices a, b, c, found d.")) { try world.device("d") }
        #expect(throws: WorldFileError("w:2:20: the device b is a beacon without a host.")) { try world.device("b") }
        #expect(throws: WorldFileError("w:2:46: the device c has no power.")) { try world.device("c") }
        #expect(throws: WorldFileError("the world has no device a: it was not read from a file.")) {
            try World().device("a")
        }
    }

    @Test func everyKindOfEventHasItsEffect() async throws {
        let world = try world(
            """
            walls: [{id: door, from: [1, -5], to: [1, 5], loss: 100 dB}]
            devices:
              - {id: phone, program: walkthrough}
              - {id: band, program: wristband, at: [2, 0]}
              - {id: lamp, profile: {advertising: {name: Lamp}, services: [{uuid: FFF0}]}}
            events:
              - {at: 2 s, remove-wall: door}
              - {at: 5 s, wall: door, from: [1, -5], to: [1, 5], loss: 100 dB}
              - {at: 10 s, wall: door, from: [1, -5], to: [1, 5], loss: 1 dB}
              - {at: 20 s, environment: {packet-loss: 100 %}}
              - {at: 30 s, environment: {packet-loss: 0 %}}
              - {at: 40 s, loss: band, share: 100 %}
              - {at: 50 s, loss: band, share: 0 %}
              - {at: 60 s, restart: band}
              - {at: 70 s, add: {id: late, program: phone}}
              - {at: 71 s, remove: late}
              - {at: 72 s, rename: band, name: Renamed}
              - {at: 73 s, press: lamp, action: apply, with: {yaml: "nonsense"}}
            expect:
              - {no-link: [phone, band], during: [0 s, 2 s]}
              - {link: [phone, band], after: 2 s, within: 1 s}
              - {no-link: [phone, band], after: 5 s, within: 5 s}
              - {link: [phone, band], after: 10 s, within: 9 s}
              - {no-link: [phone, band], after: 20 s, within: 9 s}
              - {link: [phone, band], after: 30 s, within: 9 s}
              - {no-link: [phone, band], after: 40 s, within: 9 s}
              - {link: [phone, band], after: 50 s, within: 9 s}
              - {no-link: [phone, band], after: 60 s, within: 6 s}
              - {state: late, is: "off", at: 69 s}
              - {state: late, is: idle, at: 70.5 s}
              - {state: late, is: "off", at: 74 s}
            """)
        let broken = await world.brokenExpectations()
        #expect(broken == [], "\(world.events.map(\.description).joined(separator: "\n"))")
        // An event that fails is one sentence, and the others happen.
        #expect(world.scene?.failures.map(\.place.line) == [19])
        #expect(world.events.contains { $0.text.hasPrefix("w:19:5: press apply failed: The profile is not valid") })
    }

    /// A device with power again has its memory and its address.
    @Test func aDeviceKeepsItsAddressWithoutPower() async throws {
        let world = try world(
            """
            devices: [{id: b, program: beacon}, {id: c, program: wristband}]
            events:
              - {at: 1 s, power: c, on: false}
              - {at: 2 s, power: c, on: true}
            """)
        await world.run(for: .milliseconds(500))
        let (first, address) = (try world.device("c"), try world.device("c").activity?.address)
        await world.run(for: .seconds(2))
        let second = try world.device("c")
        #expect(first !== second && first.activity == nil && address != nil && second.activity?.address == address)
    }

    @Test func aWorldEndsWithItsPrograms() async throws {
        weak var world: World?
        weak var scene: WorldScene?
        do {
            let made = try self.made()
            await made.run(for: .seconds(5))
            (world, scene) = (made, made.scene)
        }
        #expect(world == nil && scene == nil)
    }

    private func made() throws -> World { try WorldFilesTests.world(walk) }

    @Test func aPlatformReachesTheHost() async throws {
        let text = """
            devices:
              - {id: app, platform: iphone}
              - {id: walker, program: walkthrough, platform: windows}
              - {id: band, program: wristband, at: [1, 0]}
              - {id: bare}
            """
        let world = try world(text)
        #expect(try world.device("app").platform == .iPhone)
        #expect(try world.device("bare").platform == Platform())
        await world.run(for: .seconds(5))
        #expect(try world.device("walker").links.map(\.supervisionTimeout) == [.milliseconds(9_600)])
        let names = world.radio.inspect { $0.devices.map { [$0.name, $0.platform] } }
        #expect(names == [["app", "iphone"], ["walker", "windows"], ["band", nil], ["bare", nil]])
    }
}
