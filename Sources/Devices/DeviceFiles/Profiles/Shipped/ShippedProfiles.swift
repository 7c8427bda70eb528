// swift-format-ignore-file
// Made by Scripts/generate-profiles from the folder Profiles; changes made here by hand are lost.

/// The profiles that the tool has without a file.
package enum ShippedProfiles {
    /// The YAML text of a profile; nil for an unknown name.
    package static func text(named name: String) -> String? { all.first { $0.name == name }?.text }

    /// All profiles in alphabetical order.
    package static let all: [(name: String, text: String)] = [
        (
            "battery",
            ##"""
            summary: A battery that loses a percent every ten seconds
            advertising:
              name: Battery
              services: [Battery]
            services:
              - uuid: Battery
                characteristics:
                  - uuid: Battery Level
                    properties: [read, notify]
                    format: u8
                    value:
                      counter: {minimum: 0, maximum: 100, step: -1, every: 10 s}
                    notify: {every: 10 s}
                    descriptors:
                      # Format u8, exponent 0, unit percentage 27AD, namespace 1, description 0.
                      - {uuid: Characteristic Presentation Format, value: 04 00 AD 27 01 00 00}

            """##
        ),
        (
            "ble-mp008",
            ##"""
            summary: "Tutorial 2: ble_mp008 with one service FF00, whose first characteristic is read and subscribed to"
            advertising:
              name: ble_mp008
              services: [FF00]
            services:
              - uuid: FF00
                characteristics:
                  - uuid: FF01
                    properties: [read, notify]
                    format: u16
                    value:
                      counter: {minimum: 0, maximum: 65535, every: 1 s}
                    notify: {every: 1 s}
                  - uuid: FF02
                    properties: [write, write-without-response]
                    write: {length: 1-20}
                  # The address of the device, which a central cannot ask its system for.
                  - uuid: FF03
                    properties: [read]
                    value: C0 FF EE 00 80 08
                    descriptors:
                      - {uuid: Characteristic User Description, value: MAC address}

            """##
        ),
        (
            "device01",
            ##"""
            summary: "Tutorial 4: device01, which answers each frame of 16 octets with another one"
            advertising:
              name: device01
            services:
              - uuid: FEE7
                characteristics:
                  - uuid: 36F5
                    properties: [write]
                    write:
                      length: 16
                      then:
                        - {characteristic: 36F6, value: 05 02 01 00 00 00 00 00 00 00 00 00 00 00 00 00}
                  - uuid: 36F6
                    properties: [read, notify]
                    value: 05 02 01 00 00 00 00 00 00 00 00 00 00 00 00 00

            """##
        ),
        (
            "heart-rate",
            ##"""
            summary: A chest strap that measures the pulse
            advertising:
              name: Pulse
              services: [Heart Rate]
            services:
              - uuid: Heart Rate
                characteristics:
                  - uuid: Heart Rate Measurement
                    properties: [notify]
                    format: u8
                    # The flags 00: the pulse is one octet (Heart Rate Service, 3.1.1.1).
                    value:
                      sine: {minimum: 62, maximum: 86, period: 14 s}
                      prefix: "00"
                    notify: {every: 1 s}
                    descriptors:
                      - {uuid: Characteristic User Description, value: Pulse}
                  - uuid: Body Sensor Location
                    properties: [read]
                    format: u8
                    value: 1
                  - uuid: Heart Rate Control Point
                    properties: [write]
                    # Reset Energy Expended is the only value; 0x80 is Control Point Not Supported (3.3.1).
                    write: {allowed: "01", error: 0x80}
              - uuid: Battery
                characteristics:
                  - uuid: Battery Level
                    properties: [read, notify]
                    format: u8
                    value:
                      counter: {minimum: 0, maximum: 100, step: -1, every: 1 min}
                    notify: {every: 1 min}
              - uuid: Device Information
                characteristics:
                  - {uuid: Manufacturer Name String, properties: [read], format: utf8, value: OpenCoreBluetooth}
                  - {uuid: Model Number String, properties: [read], format: utf8, value: Pulse 1}

            """##
        ),
        (
            "ibeacon",
            ##"""
            summary: An iBeacon with a service for its configuration
            advertising:
              name: Beacon
              services: [B3AC0000-5C1E-4B0D-9D7E-3F1A52C06E10]
              # Apple's company identifier, the type 02 15, the UUID, major 1, minor 7, and -59 dBm at 1 m.
              manufacturer:
                company: 0x004C
                data: 02 15 E2 C5 6D B5 DF FB 48 D2 B0 60 D0 F5 A7 10 96 E0 00 01 00 07 C5
            services:
              - uuid: B3AC0000-5C1E-4B0D-9D7E-3F1A52C06E10
                characteristics:
                  - uuid: B3AC0001-5C1E-4B0D-9D7E-3F1A52C06E10
                    properties: [read, write]
                    value: E2 C5 6D B5 DF FB 48 D2 B0 60 D0 F5 A7 10 96 E0
                    write: {length: 16}
                    descriptors:
                      - {uuid: Characteristic User Description, value: Proximity UUID}
                  - uuid: B3AC0002-5C1E-4B0D-9D7E-3F1A52C06E10
                    properties: [read, write]
                    format: u16be
                    value: 1
                    write: {length: 2}
                    descriptors:
                      - {uuid: Characteristic User Description, value: Major}
                  - uuid: B3AC0003-5C1E-4B0D-9D7E-3F1A52C06E10
                    properties: [read, write]
                    format: u16be
                    value: 7
                    write: {length: 2}
                    descriptors:
                      - {uuid: Characteristic User Description, value: Minor}
                  - uuid: B3AC0004-5C1E-4B0D-9D7E-3F1A52C06E10
                    properties: [read, write]
                    format: i8
                    value: -59
                    write: {length: 1, minimum: -100, maximum: 20}
                    descriptors:
                      - {uuid: Characteristic User Description, value: Measured power in dBm at 1 m}

            """##
        ),
        (
            "mobike",
            ##"""
            summary: "Tutorial 3: the bicycle Mobike with the highest, lowest and mean charge of its battery"
            advertising:
              name: Mobike
              services: [FF00, FFEE]
            services:
              - uuid: FFEE
                characteristics:
                  - uuid: FFE1
                    properties: [read, notify]
                    format: u8
                    value: 96
                  - uuid: FFE2
                    properties: [read, write, write-without-response]
                    format: u8
                    value: 20
                    write:
                      length: 1
                      maximum: 96
                      error: invalid-length
                      # The mean of the highest charge, 96, and the written one.
                      then:
                        - {characteristic: FFE3, factor: 0.5, offset: 48}
                  - uuid: FFE3
                    properties: [read, notify]
                    format: u8
                    value: 58

            """##
        ),
        (
            "pulse-band",
            ##"""
            summary: "Tutorial 1: a device whose name starts with P, with all that the 23 steps of a central use"
            advertising:
              name: Pulse Band
              services: [Heart Rate]
            services:
              - uuid: Heart Rate
                characteristics:
                  - uuid: Heart Rate Measurement
                    properties: [notify]
                    format: u8
                    value:
                      sine: {minimum: 62, maximum: 86, period: 14 s}
                      prefix: "00"
                    notify: {every: 1 s}
                    descriptors:
                      - {uuid: Characteristic User Description, value: Heart rate}
                  - uuid: Body Sensor Location
                    properties: [read]
                    format: u8
                    value: 2
              - uuid: 5B1D0000-6F2E-4C0A-9B6A-2F1C0E4D7A10
                characteristics:
                  - uuid: 5B1D0001-6F2E-4C0A-9B6A-2F1C0E4D7A10
                    properties: [read, write]
                    format: u16
                    value: 8000
                    write: {length: 2}
                    descriptors:
                      - {uuid: Characteristic User Description, value: Daily goal}

            """##
        ),
        (
            "streamer",
            ##"""
            summary: "Tutorial 5: a peripheral with a constant, a long text to read and write, and a stream of notifications"
            advertising:
              name: Streamer
              services: [71DA3FD1-7E10-41C1-B16F-4430B506CDE7]
            services:
              - uuid: 71DA3FD1-7E10-41C1-B16F-4430B506CDE7
                characteristics:
                  - {uuid: 71DA3FD2-7E10-41C1-B16F-4430B506CDE7, properties: [read], format: utf8, value: Streaming example}
                  - uuid: 71DA3FD3-7E10-41C1-B16F-4430B506CDE7
                    properties: [read, write, write-without-response]
                    format: utf8
                    value: Hello from Linux
                    write: {length: 0-512}
                  - uuid: 71DA3FD4-7E10-41C1-B16F-4430B506CDE7
                    properties: [notify]
                    format: u32
                    value:
                      counter: {minimum: 0, maximum: 4000000, every: 50 ms}
                    notify: {every: 50 ms}

            """##
        ),
        (
            "thermometer",
            ##"""
            summary: A thermometer for the body and the room
            advertising:
              name: Thermometer
              services: [Health Thermometer, Environmental Sensing]
            services:
              - uuid: Health Thermometer
                characteristics:
                  - uuid: Temperature Measurement
                    properties: [indicate]
                    format: i24
                    # Flags 00 (degrees Celsius), then an IEEE 11073 number: a mantissa of 24 bits and the exponent -1 (ff).
                    value:
                      random-walk: {minimum: 36.0, maximum: 39.5, start: 36.6, step: 0.2, every: 2 s, seed: 7}
                      factor: 10
                      prefix: "00"
                      suffix: "ff"
                    notify: {every: 2 s}
                  - uuid: Temperature Type
                    properties: [read]
                    format: u8
                    value: 2
                  - uuid: Measurement Interval
                    properties: [read, write]
                    format: u16
                    value: 2
                    # The interval is from 1 s to 65535 s; 0xFF is Out of Range.
                    write: {length: 2, minimum: 1, maximum: 65535, error: out-of-range}
              - uuid: Environmental Sensing
                characteristics:
                  - uuid: Temperature
                    properties: [read, notify]
                    format: i16
                    value:
                      sine: {minimum: 19.5, maximum: 22.5, period: 10 min}
                      factor: 100
                    notify: {every: 5 s}
                  - uuid: Humidity
                    properties: [read]
                    format: u16
                    value: 4500

            """##
        ),
        (
            "uart",
            ##"""
            summary: A serial port over Bluetooth LE, as on Nordic's boards, that returns each line
            advertising:
              name: UART
              services: [6E400001-B5A3-F393-E0A9-E50E24DCCA9E]
            services:
              - uuid: 6E400001-B5A3-F393-E0A9-E50E24DCCA9E
                characteristics:
                  - uuid: 6E400002-B5A3-F393-E0A9-E50E24DCCA9E
                    properties: [write, write-without-response]
                    write:
                      then:
                        - {characteristic: 6E400003-B5A3-F393-E0A9-E50E24DCCA9E, echo: true}
                    descriptors:
                      - {uuid: Characteristic User Description, value: RX}
                  - uuid: 6E400003-B5A3-F393-E0A9-E50E24DCCA9E
                    properties: [notify]
                    descriptors:
                      - {uuid: Characteristic User Description, value: TX}

            """##
        ),
    ]
}
