// swift-format-ignore-file
// Made by Scripts/generate-profiles from the folder Worlds; changes made here by hand are lost.

/// The worlds that the tool has without a file.
enum ShippedWorlds {
    /// The YAML text of a world; nil for an unknown name.
    static func text(named name: String) -> String? { all.first { $0.name == name }?.text }

    /// All worlds in alphabetical order.
    static let all: [(name: String, text: String)] = [
        (
            "corridor",
            ##"""
            world: 1
            name: A walk through a corridor
            summary: A phone walks past beacons and behind a wall. Its link breaks there, and returns.
            seed: 5
            environment: {path-loss-exponent: 2.5}
            walls:
              - {id: fire-door, from: [12, -3], to: [12, 3], loss: 45 dB}
            devices:
              - {id: phone, program: walkthrough, at: [1, 0]}
              - {id: band, program: wristband, at: [0, 0]}
              - id: beacon
                count: 5
                grid: {columns: 5, spacing: 5}
                at: [0, 2]
                beacon: {flags: 0x06, ibeacon: {uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, major: 1, minor: "${n}"}, power: -8 dBm}
            events:
              - {at: 5 s, move: phone, to: [25, 0], over: 20 s}
              - {at: 35 s, move: phone, to: [1, 0], over: 20 s}
            expect:
              - {link: [phone, band], within: 2 s}
              # At the fire door the phone is 11 m away: the signal is strong enough.
              - {link: [phone, band], during: [2 s, 13 s]}
              # Behind it, the supervision timeout ends the link.
              - {no-link: [phone, band], after: 14 s, within: 15 s}
              - {line: phone, contains: disconnected, after: 14 s, within: 15 s}
              - {link: [phone, band], after: 40 s, within: 15 s}

            """##
        ),
        (
            "factory",
            ##"""
            world: 1
            name: A factory
            summary: 200 sensors in a hall, and a gateway that reads one of them.
            seed: 11
            environment: {path-loss-exponent: 2.2, fading: 4 dB, packet-loss: 1 %}
            walls:
              - {id: furnace, from: [20, 10], to: [40, 10], loss: 20 dB}
            devices:
              - id: sensor
                count: 200
                grid: {columns: 20, spacing: 3}
                name: "Sensor ${n}"
                # Among so many advertisers most scan responses are lost, and scanners ask for fewer: the name is in the advertisement.
                beacon: {type: nonconnectable, flags: 0x06, name: "Sensor ${n}", manufacturer: {company: 0xFFFF, data: 01 00}, interval: 500 ms}
              - {id: thermometer, profile: thermometer, at: [30, 14]}
              - id: gateway
                at: [28, 16]
                script:
                  name: The gateway finds a sensor among 200 and reads the thermometer
                  steps:
                    - scan: {name: Sensor 130, within: 30 s}
                    - connect: {device: Thermometer, within: 30 s}
                    - subscribe: Temperature Measurement
                    - wait-for-notification: {characteristic: Temperature Measurement, count: 3, within: 30 s}
                    - disconnect
            events:
              - {at: 5 s, environment: {packet-loss: 20 %}}
              - {at: 10 s, environment: {packet-loss: 1 %}}
            expect:
              - {state: sensor-200, is: advertising, at: 1 s}
              - {link: [gateway, thermometer], within: 40 s}

            """##
        ),
        (
            "office",
            ##"""
            world: 1
            name: An office
            summary: Two rooms with a brick wall between them, and people who come and go.
            seed: 3
            environment: {path-loss-exponent: 3, fading: 3 dB}
            walls:
              - {id: middle, from: [0, -10], to: [0, 10], loss: 10 dB}
            devices:
              # The left room.
              - {id: phone, program: walkthrough, at: [-2, 0]}
              - {id: door, beacon: {flags: 0x06, ibeacon: {uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, major: 1, minor: 1}}, at: [-0.5, 4]}
              # The right room.
              - {id: band, program: wristband, at: [3, 0]}
              - {id: lock, program: lock, at: [6, 3]}
              - {id: lamp, profile: heart-rate, at: [5, -4]}
              - {id: desk, count: 12, grid: {columns: 4, spacing: 2}, at: [1, -8], name: "Desk ${n}", beacon: {name: "Desk ${n}", interval: 500 ms}}
              # A program that checks the lock from its own desk.
              - id: guard
                at: [4, 2]
                script:
                  name: The lock opens for paired devices only
                  steps:
                    - scan: {name: Lock, within: 5 s}
                    - connect
                    - rssi: {minimum: -80}
                    - sleep: 2 s
                    - disconnect
            events:
              # The visitor takes the phone through the building and returns.
              - {at: 10 s, move: phone, to: [-60, 0], over: 20 s}
              - {at: 40 s, move: phone, to: [-2, 0], over: 20 s}
              - {at: 70 s, power: lamp, on: false}
            expect:
              - {link: [phone, band], within: 3 s}
              - {line: band, contains: a central subscribed, within: 5 s}
              - {link: [guard, lock], within: 5 s}
              - {no-link: [phone, band], after: 10 s, within: 30 s}
              - {link: [phone, band], after: 40 s, within: 25 s}
              - {state: lamp, is: "off", at: 71 s}

            """##
        ),
        (
            "readme",
            ##"""
            world: 1
            name: The devices of the README
            summary: A wristband, a laptop, a lock of a bicycle and a beacon in the same room.
            seed: 1
            devices:
              - {id: wristband, program: wristband, at: [2, 0]}
              - id: laptop
                name: Laptop
                at: [4, 0]
                profile:
                  advertising: {name: Laptop, services: [7A9C0001-3B5E-4E0B-8D21-5C1F6E2A9B40]}
                  services:
                    - uuid: 7A9C0001-3B5E-4E0B-8D21-5C1F6E2A9B40
                      characteristics:
                        - {uuid: 7A9C0002-3B5E-4E0B-8D21-5C1F6E2A9B40, properties: [read], value: "01"}
              - {id: mobike, name: Mobike, profile: mobike, at: [0, 6]}
              - id: beacon
                at: [0, -9]
                beacon:
                  flags: 0x06
                  ibeacon: {uuid: E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, major: 1, minor: 7}
                  interval: 100 ms
            expect:
              - {state: wristband, is: advertising, within: 1 s}
              - {state: laptop, is: advertising, within: 1 s}
              - {state: mobike, is: advertising, within: 1 s}
              - {state: beacon, is: advertising, within: 1 s}

            """##
        ),
    ]
}
