import BLESimulator
import Foundation
import Testing

@testable import WorldFiles

/// A world with every key.
private let complete = """
    world: 1
    name: A phone and a wristband
    summary: One sentence.
    seed: 7
    environment: {path-loss-exponent: 2.2, reference-loss: 41 dB, fading: 1.5 dB, packet-loss: 7 %, sensitivity: -90 dBm}
    walls:
      - {id: door, from: [0, -2], to: [0, 2], loss: 12 dB}
    devices:
      - {id: phone, program: walkthrough, parameters: {goal: 9000, namePrefix: "Wrist", half: 0.5, none: null, list: [1, true]}, at: [-1, 0]}
      - {id: band, name: "Wrist: \\"band\\"", program: wristband, at: [1, 0, 1.5], loss: 5.25 %, clock: -200 ppm, on: false}
      - {id: chest, profile: heart-rate, at: [3, 0]}
      - id: lamp
        profile:
          summary: A lamp
          advertising: {name: Lamp, services: [FFF0]}
          services:
            - uuid: FFF0
              characteristics:
                - {uuid: FFF1, properties: [read, write], format: u8, value: 0}
      - id: app
        script:
          - connect: Lamp
          - read: {characteristic: FFF1, equals: 0}
      - {id: door-beacon, beacon: {ibeacon: {uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, major: 1, minor: 7}, interval: 100 ms, power: -8 dBm}}
      - {id: tag, beacon: {type: scannable, flags: 0x06, services: [Heart Rate], response: {name: Tag}, interval: 1 s}}
      - {id: bare, at: [1e1, -0.5]}
      - id: apps
        scripts:
          - name: The first
            steps: [{connect: Lamp}, expect-bond]
          - [{connect: {connected: FFF0}}, disconnect]
      - {id: sensor, count: 6, grid: {columns: 3, spacing: 2}, name: "Sensor ${n}", at: [10, 10], beacon: {name: "S${n}"}}
    events:
      - {at: 26 s, power: band, on: true}
      - {at: 5 s, move: phone, to: [30, 0], over: 20 s}
      - {at: 27 s, loss: phone, share: 40 %}
      - {at: 28 s, press: phone, action: finish}
      - {at: 31 s, wall: door2, from: [5, 0], to: [5, 1], loss: 6 dB}
      - {at: 32 s, remove-wall: door}
      - {at: 33 s, rename: band, name: "true"}
      - {at: 34 s, restart: phone}
      - at: 35 s
        add: {id: late, name: Late, profile: battery, at: [1, 1]}
      - {at: 36 s, environment: {packet-loss: 50 %}}
      - {at: 37 s, press: lamp, action: apply, with: {yaml: "services: []"}}
      - {at: 38 s, remove: late}
    expect:
      - {link: [phone, band], within: 10 s, after: 26 s}
      - {no-link: [phone, band], at: 1 s}
      - {state: tag, is: advertising, during: [0 s, 1 s]}
      - {line: phone, contains: "scan", within: 1 s}
    """

struct WorldFileTests {
    @Test func everyKeyIsRead() throws {
        let world = try WorldFile(text: complete, file: "w")
        #expect(world.name == "A phone and a wristband" && world.summary == "One sentence." && world.seed == 7)
        #expect(
            world.environment
                == RadioEnvironment(
                    pathLossExponent: 2.2, referenceLoss: 41, fading: 1.5, sensitivity: -90, packetLoss: 0.07))
        #expect(world.walls == [.init(id: "door", Wall(from: Position(y: -2), to: Position(y: 2), attenuation: 12))])
        #expect(world.devices.count == 15)
        let parameters: WorldValue = [
            "goal": 9000, "namePrefix": "Wrist", "half": 0.5, "none": .null, "list": [1, true],
        ]
        #expect(world.devices[0].body == .program("walkthrough", parameters: parameters))
        let band = world.devices[1]
        #expect(band.name == "Wrist: \"band\"" && band.position == Position(x: 1, z: 1.5) && !band.isOn)
        #expect(band.loss == 0.0525 && band.clockError == -200)
        #expect(world.devices[2].body == .profile(.shipped("heart-rate")))
        let uuid = try #require(UUID(uuidString: "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"))
        #expect(
            world.devices[5].body
                == .beacon(.init(RawAdvertisement(structures: [.iBeacon(uuid, major: 1, minor: 7)]), power: -8)))
        #expect(
            world.devices[6].body
                == .beacon(
                    .init(
                        RawAdvertisement(
                            .scannable, structures: [.flags(), try .services(["180D"])],
                            scanResponse: [.localName("Tag")], interval: .seconds(1)))))
        #expect(world.devices[7].body == .bare && world.devices[7].position == Position(x: 10, y: -0.5))
        guard case .scripts(let scripts) = world.devices[8].body else {
            Issue.record("\(world.devices[8].body)")
            return
        }
        #expect(scripts.map(\.script.name) == ["The first", nil] && scripts.map(\.script.steps.count) == [2, 2])
        #expect(
            world.events.map(\.time).map { $0.components.seconds } == [5, 26, 27, 28, 31, 32, 33, 34, 35, 36, 37, 38])
        #expect(world.events[0].change == .move(device: "phone", to: Position(x: 30), over: .seconds(20)))
        // An event keeps the values of the environment that it does not name.
        var environment = world.environment
        environment.packetLoss = 0.5
        #expect(world.events[9].change == .environment(environment))
        #expect(world.expectations.count == 4)
    }

    @Test func aBeaconMayHaveExtendedPackets() throws {
        let name = String(repeating: "n", count: 200)
        let world = try WorldFile(
            text: """
                world: 1
                devices:
                  - {id: a, beacon: {name: \(name), extended: {}}}
                  - {id: b, beacon: {type: scannable, response: {name: B}, extended: {primary: coded, secondary: 2M, set: 3}}}
                  - {id: c, beacon: {flags: 4, extended: {secondary: coded, anonymous: yes}}}
                """, file: "w")
        let advertisements = world.devices.map { device -> RawAdvertisement? in
            guard case .beacon(let beacon) = device.body else { return nil }
            return beacon.advertisement
        }
        #expect(
            advertisements == [
                RawAdvertisement(structures: [.localName(name)], extended: .init()),
                RawAdvertisement(
                    .scannable, structures: [], scanResponse: [.localName("B")],
                    extended: .init(primaryPHY: .coded, secondaryPHY: .twoM, sid: 3)),
                RawAdvertisement(
                    structures: [.flags(4)], extended: .init(secondaryPHY: .coded, isAnonymous: true)),
            ])
        #expect(try WorldFile(text: world.yaml, file: "w").devices == world.devices)
    }

    @Test func aGroupIsItsDevices() throws {
        let devices = try WorldFile(text: complete, file: "w").devices.suffix(6)
        #expect(devices.map(\.id) == (1...6).map { "sensor-\($0)" })
        #expect(devices.map(\.name) == (1...6).map { "Sensor \($0)" })
        #expect(
            devices.map(\.position)
                == [(10, 10), (12, 10), (14, 10), (10, 12), (12, 12), (14, 12)].map { Position(x: $0, y: $1) })
        #expect(devices.last?.body == .beacon(.init(RawAdvertisement(structures: [.localName("S6")]))))
    }

    @Test func whatIsWrittenReadsBackAsAnEqualWorld() throws {
        let world = try WorldFile(text: complete, file: "w")
        let again = try WorldFile(text: world.yaml, file: "w")
        #expect(again == world)
        #expect(again.yaml == world.yaml)
    }

    /// A saved room repeats its run only with the exact times of its changes, up to 30 days.
    @Test func timesAreExactToTheNanosecond() throws {
        for count: Int64 in [1, 999, 1_001, 1_234_567_891, 86_400_000_000_001, 2_591_999_999_999_999] {
            let world = WorldFile(events: [.init(at: .nanoseconds(count), .environment(RadioEnvironment()))])
            #expect(try WorldFile(text: world.yaml, file: "w") == world, "\(count)")
        }
    }

    /// Worlds from drawn values, among them names that YAML could read in another way.
    @Test(arguments: 0..<50) func drawnWorldsReadBackAsEqualWorlds(seed: UInt64) throws {
        var random = SystemOf(seed)
        var world = WorldFile(name: random.text(), summary: random.text(), seed: random.next())
        world.environment.packetLoss = Double(random.next() % 100_000_001) / 1e6 / 100
        for index in 0..<5 {
            let position = Position(x: random.number(), y: random.number(), z: random.number())
            world.walls.append(.init(id: "null-\(index)", Wall(from: position, to: .origin, attenuation: 3.25)))
            let parameters: WorldValue = .object([random.text(): .string(random.text()), "n": .number(random.number())])
            world.devices.append(
                .init("on-\(index)", name: random.text(), .program("wristband", parameters: parameters), at: position))
            world.events.append(
                .init(at: .nanoseconds(Int64(index) * 1_234_567_891), .rename(device: "on-\(index)", random.text())))
            world.expectations.append(
                .init(.line(device: "on-0", contains: random.text()), .within(.seconds(1), after: .zero)))
        }
        #expect(try WorldFile(text: world.yaml, file: "w") == world)
    }

    @Test func faultsAndPlatformsAreEvents() throws {
        let text = """
            world: 1
            stress: 18446744073709551615
            devices: [{id: app}, {id: band, program: wristband}]
            events:
              - {at: 1 s, fault: app, kind: late-start, by: 1900 ms}
              - {at: 1 s, fault: app, kind: stalled-completions, for: 40 s}
              - {at: 1 s, fault: app, kind: stalled-completions, after: 24 h, for: 0 s}
              - {at: 1 s, fault: app, kind: lost-service-changed}
              - {at: 1 s, fault: app, kind: forgotten-bonds}
              - {at: 1 s, fault: app, kind: forgotten-bonds, after: 5 min}
              - {at: 1 s, fault: app, kind: stale-cache}
              - {at: 1 s, fault: app, kind: early-notification}
              - {at: 1 s, fault: app, kind: shrinking-mtu, to: 23}
              - {at: 1 s, fault: app, kind: slow-answers, by: 60 s}
              - {at: 1 s, fault: app, kind: slow-discovery, by: 1 s}
              - {at: 1 s, fault: app, kind: slow-writes, by: 2 s}
              - {at: 1 s, fault: app, kind: slow-at-first, for: 3 s}
              - {at: 1 s, fault: app, kind: late-updates, by: 4 s}
              - {at: 1 s, fault: app, kind: slow-pairing, by: 5 s}
              - {at: 1 s, fault: app, kind: ignored-parameter-requests}
              - {at: 2 s, remove-faults: app}
              - {at: 3 s, platform: band, is: pixel}
              - {at: 4 s, platform: band, is: none}
            """
        let world = try WorldFile(text: text, file: "w")
        #expect(world.stress == .max)
        let faults: [Fault] = [
            .lateStart(by: .milliseconds(1_900)), .stalledCompletions(after: .zero, lasting: .seconds(40)),
            .stalledCompletions(after: .seconds(86_400), lasting: .zero), .lostServiceChanged,
            .forgottenBonds(after: .zero), .forgottenBonds(after: .seconds(300)), .staleCache, .earlyNotification,
            .shrinkingMTU(to: 23), .slowAnswers(.seconds(60)), .slowDiscovery(.seconds(1)), .slowWrites(.seconds(2)),
            .slowAtFirst(for: .seconds(3)), .lateUpdates(.seconds(4)), .slowPairing(.seconds(5)),
            .ignoredParameterRequests,
        ]
        let changes: [WorldFile.Event.Change] =
            faults.map { .fault(device: "app", $0) } + [
                .removeFaults(device: "app"), .platform(device: "band", "pixel"), .platform(device: "band", nil),
            ]
        #expect(world.events.map(\.change) == changes)
        #expect(Set(faults.map(\.kind)) == Set(Fault.Kind.allCases))
        #expect(try WorldFile(text: world.yaml, file: "w") == world)
    }

    /// What a stress selects can be written as events.
    @Test func eachFaultOfASeedIsAnEvent() throws {
        for seed in 0..<200 as Range<UInt64> {
            let entries = Stress(seed: seed, devices: ["a", "b"], within: .seconds(3_600)).entries
            let world = WorldFile(
                devices: [.init("a"), .init("b")],
                events: entries.map { .init(at: .seconds(1), .fault(device: $0.device, $0.fault)) })
            #expect(try WorldFile(text: world.yaml, file: "w") == world, "seed \(seed)")
        }
    }

    @Test func aDeviceHasTheHostOfAPlatform() throws {
        let text = """
            world: 1
            devices:
              - {id: app, platform: iphone}
              - {id: walker, program: walkthrough, platform: bluez-eatt}
              - {id: chest, profile: heart-rate}
            events:
              - {at: 1 s, add: {id: late, platform: pixel}}
            """
        let world = try WorldFile(text: text, file: "w")
        #expect(world.devices.map(\.platform) == ["iphone", "bluez-eatt", nil])
        guard case .add(let late)? = world.events.first?.change else {
            Issue.record("no device is added")
            return
        }
        #expect(late.platform == "pixel")
        #expect(try WorldFile(text: world.yaml, file: "w") == world)
    }
}

private struct SystemOf {
    private var state: UInt64
    init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }

    mutating func number() -> Double { Double(Int64(bitPattern: next()) % 100_000_000) / 1000 }

    mutating func text() -> String {
        let words = [
            "true", "null", "~", "1", "0x10", "手环", "a: b", "\"", "\\", "#", "- x", "\u{2028}", "é", " ", "${n}", "\n",
            "'", "nan",
        ]
        return "x" + (0..<Int(next() % 4)).map { _ in words[Int(next() % UInt64(words.count))] }.joined()
    }
}
