import BLEAdapter
import BLEWire
import MQTTClient
import Testing

@testable import CloudGateway

/// The whole texts of the messages that receivers parse.
@Suite struct CloudMessagesTests {
    private func text(_ octets: [UInt8]) -> String { String(decoding: octets, as: UTF8.self) }

    private func octets(_ hexadecimal: String) throws -> [UInt8] {
        try hexadecimal.split(separator: " ").map { try #require(UInt8($0, radix: 16)) }
    }

    // MARK: Advertisements

    private func advertisement(
        _ data: [UInt8], scanResponse: [UInt8] = [], address: DeviceAddress, isConnectable: Bool = true, rssi: Int8,
        _ change: (inout CloudConfiguration) -> Void = { _ in }
    ) throws -> String? {
        var bench = try CloudBench.ready(change)
        let discovery = Discovery(
            peer: PeerRecord(identifier: CloudBench.peer, name: nil), address: address, data: data,
            scanResponse: scanResponse, isConnectable: isConnectable, rssi: rssi)
        bench.session.discovered(discovery, at: bench.now, time: 1_700_000_000_123)
        return bench.take().stored.first.map { text($0.payload) }
    }

    /// The two top bits of a random address are its type (Vol 6, Part B, 1.3.2), and 127 is no signal strength (Vol 4, Part E, 7.7.65.2).
    @Test(
        arguments: [
            (
                DeviceAddress.Kind.public, 0xACBC_3289_0EA9, -60, true,
                #""AC:BC:32:89:0E:A9","addressType":"public","rssi":-60"#
            ),
            (.random, 0xC000_0000_0001, 126, false, #""C0:00:00:00:00:01","addressType":"static","rssi":126"#),
            (.random, 0x4000_0000_0001, 127, true, #""40:00:00:00:00:01","addressType":"resolvable""#),
            (.random, 0x0000_0000_0001, -128, false, #""00:00:00:00:00:01","addressType":"nonresolvable","rssi":-128"#),
            (.randomIdentity, 0xFFFF_FFFF_FFFF, 0, true, #""FF:FF:FF:FF:FF:FF","addressType":"static","rssi":0"#),
            (.publicIdentity, 0x0102_0304_0506, 20, true, #""01:02:03:04:05:06","addressType":"public","rssi":20"#),
        ] as [(DeviceAddress.Kind, UInt64, Int8, Bool, String)])
    func anAdvertisementHasItsAddressAndItsSignal(
        kind: DeviceAddress.Kind, address: UInt64, rssi: Int8, isConnectable: Bool, expected: String
    ) throws {
        let payload = try advertisement(
            [2, 1, 6], address: DeviceAddress(kind: kind, value: address), isConnectable: isConnectable, rssi: rssi)
        #expect(
            payload == #"{"time":1700000000123,"address":\#(expected),"connectable":\#(isConnectable),"data":"020106"}"#
        )
    }

    /// 1,650 octets of extended advertising are forwarded whole, with the PHYs, the set and the power of the packets.
    @Test func aLongAdvertisementIsWhole() throws {
        let value = [UInt8](repeating: 0xA5, count: 250)
        let data: [UInt8] =
            [2, 1, 6] + (0..<6).flatMap { [253, 0xFF, 0xFF, $0] + value } + [UInt8](repeating: 0, count: 123)
        #expect(data.count == 1650)
        var bench = try CloudBench.ready { _ in }
        for (form, members) in [
            (
                AdvertisementForm(isLegacy: false, primaryPHY: 3, secondaryPHY: 2, sid: 7, transmitPower: -4),
                #""transmitPower":-4,"primaryPHY":"Coded","secondaryPHY":"2M","set":7"#
            ),
            (
                AdvertisementForm(isLegacy: false, primaryPHY: 1, secondaryPHY: 0, sid: 0xFF, transmitPower: 127),
                #""primaryPHY":"1M""#
            ), (.legacy, nil),
        ] as [(AdvertisementForm, String?)] {
            let content = DiscoveryContent(
                identity: AdvertiserIdentity(CloudBench.peer), source: nil, names: PeerNames(),
                address: DeviceAddress(kind: .public, value: 5),
                octets: AdvertisingOctets(data: data.span, scanResponse: Span()), isConnectable: false, form: form)
            bench.session.discovered(Discovery(content, rssi: -60), at: bench.now, time: 1)
            bench.now += .seconds(10)
            let payload = try #require(bench.take().stored.first.map { text($0.payload) })
            #expect(
                payload.contains("\"data\":\"\(data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())\""))
            #expect(members.map { payload.hasSuffix($0 + "}") } ?? !payload.contains("PHY"), "\(payload.suffix(200))")
        }
    }

    /// AD structures (Core Specification Supplement, Part A, 1), the formats of beacons, and the parts of their meaning.
    private static let meanings: [(octets: String, members: [String])] = [
        ("", []), ("02 FF 59", []), ("03 03 0D 18 02 0A F4", [#""services":["180D"]"#, #""transmitPower":-12"#]),
        ("06 09 50 75 6C 73 65 05 02 0F 18 0D 18", [#""name":"Pulse""#, #""services":["180F","180D"]"#]),
        ("03 19 41 03", [#""appearance":"Heart Rate Belt""#]), ("03 19 00 FF", [#""appearance":"65280""#]),
        (
            "06 FF 59 00 01 0A FF",
            [#""manufacturer":{"identifier":89,"company":"Nordic Semiconductor ASA","data":"010aff"}"#]
        ), ("03 FF 00 FF", [#""manufacturer":{"identifier":65280,"company":"company FF00","data":""}"#]),
        (
            "04 16 0F 18 57 05 16 09 18 01 02",
            [#""serviceData":[{"service":"1809","data":"0102"},{"service":"180F","data":"57"}]"#]
        ),
        (
            "1A FF 4C 00 02 15 E2 C5 6D B5 DF FB 48 D2 B0 60 D0 F5 A7 10 96 E0 00 01 01 07 C5",
            [
                #""manufacturer":{"identifier":76,"company":"Apple, Inc.""#,
                #""data":"0215e2c56db5dffb48d2b060d0f5a71096e000010107c5"}"#,
                #""beacon":{"type":"iBeacon","uuid":"E2C56DB5-DFFB-48D2-B060-D0F5A71096E0","major":1,"minor":263"#,
                #""measuredPower":-59"#,
                #""text":"iBeacon E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, major 1, minor 263, -59 dBm at 1 m"}"#,
            ]
        ),
        (
            "1B FF 59 00 BE AC E2 C5 6D B5 DF FB 48 D2 B0 60 D0 F5 A7 10 96 E0 00 01 00 02 C6 00",
            [
                #""manufacturer":{"identifier":89,"company":"Nordic Semiconductor ASA""#,
                #""data":"beace2c56db5dffb48d2b060d0f5a71096e000010002c600"}"#, #""beacon":{"type":"AltBeacon""#,
                #""measuredPower":-58"#,
                #""text":"AltBeacon E2 C5 6D B5 DF FB 48 D2 B0 60 D0 F5 A7 10 96 E0 00 01 00 02, -58 dBm at 1 m"}"#,
            ]
        ),
        (
            "03 03 AA FE 17 16 AA FE 00 EE 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 00 00",
            [
                #""services":["FEAA"]"#,
                #""serviceData":[{"service":"FEAA","data":"00ee000102030405060708090a0b0c0d0e0f0000"}]"#,
                #""beacon":{"type":"Eddystone""#, #""measuredPower":-59"#,
                #""text":"Eddystone-UID namespace 00 01 02 03 04 05 06 07 08 09, instance 0A 0B 0C 0D 0E 0F, -59 dBm at 1 m"}"#,
            ]
        ),
        (
            "11 16 AA FE 20 00 0B B8 15 80 00 00 01 00 00 00 00 0A",
            [
                #""serviceData":[{"service":"FEAA","data":"20000bb81580000001000000000a"}]"#,
                #""beacon":{"type":"Eddystone""#,
                #""text":"Eddystone-TLM 3000 mV, 21.5 °C, 256 packets, up 1 s"}"#,
            ]
        ),
    ]

    @Test(arguments: 0..<meanings.count) func theMeaningOfAnAdvertisementIsAdded(index: Int) throws {
        let (hexadecimal, members) = Self.meanings[index]
        let expected = members.map { "," + $0 }.joined()
        let address = DeviceAddress(kind: .public, value: 0xACBC_3289_0EA9)
        let data = try octets(hexadecimal)
        let begin =
            #"{"time":1700000000123,"address":"AC:BC:32:89:0E:A9","addressType":"public","rssi":-60,"connectable":true"#
        let digits = hexadecimal.lowercased().replacing(" ", with: "")
        #expect(try advertisement(data, address: address, rssi: -60) == begin + #","data":"\#(digits)"\#(expected)}"#)
        #expect(try advertisement(data, address: address, rssi: -60) { $0.isRaw = false } == begin + expected + "}")
        #expect(
            try advertisement(data, address: address, rssi: -60) { $0.isDecoded = false }
                == begin + #","data":"\#(digits)"}"#)
        // The same structures in the scan response mean the same.
        if !data.isEmpty {
            #expect(
                try advertisement([], scanResponse: data, address: address, rssi: -60)
                    == begin + #","data":"","scanResponse":"\#(digits)"\#(expected)}"#)
        }
    }

    /// The meaning is kept for each device until its octets change: also the first ones again.
    @Test func theMeaningFollowsTheOctets() throws {
        var bench = try CloudBench.ready { $0.advertisementInterval = .zero }
        for (address, name) in [(1, "A"), (1, "B"), (2, "A"), (1, "B"), (2, "C"), (1, "A"), (2, "C")]
            as [(UInt64, String)]
        {
            bench.session.discovered(CloudBench.advertisement(address, name: name), at: bench.now, time: 0)
            let stored = try #require(bench.take().stored.first)
            #expect(stored.topic.hasSuffix("\(address)"))
            #expect(try json(stored.payload)["name"] as? String == name)
        }
    }

    // MARK: The session's own messages

    @Test func theStatusHasTheStateOfTheGateway() throws {
        for allowsCommands in [true, false] {
            var bench = try CloudBench { $0.allowsCommands = allowsCommands }
            bench.session.start(at: bench.now)
            bench.session.brokerConnected(at: bench.now)
            let first = try #require(bench.take().publications.first)
            #expect(
                text(first.payload)
                    == #"{"state":"online","adapter":"unknown","version":"1.0","queue":"0123abcd","commands":\#(allowsCommands)}"#
            )
            #expect(first == MQTTPublication(topic: "bluetooth/hall/status", payload: first.payload, isRetained: true))
            bench.session.adapterStateChanged(.poweredOn, time: 0)
            let second = bench.take().publications
            #expect(second.map(\.topic) == ["bluetooth/hall/status"])
            #expect(second.first.map { text($0.payload).contains(#""adapter":"on""#) } == true)
            // The same state again is no news.
            bench.session.adapterStateChanged(.poweredOn, time: 0)
            #expect(bench.take() == [])
        }
        let will = CloudSession.will(try CloudTopics(prefix: "bluetooth", name: "hall"))
        #expect(text(will.payload) == #"{"state":"offline","reason":"vanished"}"#)
        #expect(will.isAcknowledged)
    }

    @Test func theStatisticsCount() throws {
        var bench = try CloudBench.ready()
        bench.session.handleTimeout(at: bench.now, time: 0)
        let first = try #require(bench.take().publications.first)
        #expect(
            text(first.payload)
                == #"{"advertisements":0,"limited":0,"values":0,"commands":0,"connections":1,"queued":0,"devices":0,"links":0}"#
        )
        // Statistics that are lost are no loss: the next ones have the same counts and more.
        #expect(
            first == MQTTPublication(topic: "bluetooth/hall/statistics", payload: first.payload, isAcknowledged: false))
        bench.connect()
        _ = bench.command("s", "subscribe", #"{"handle":3}"#)
        bench.session.completed(CloudBench.peer, at: bench.now, .success(.done))
        for _ in 0..<5 { bench.session.received([1], handle: 3, from: CloudBench.peer, time: 0) }
        for address in 0..<4 as Range<UInt64> {
            bench.session.discovered(CloudBench.advertisement(address), at: bench.now, time: 0)
        }
        for _ in 0..<3 { bench.session.discovered(CloudBench.advertisement(1), at: bench.now, time: 0) }
        bench.session.queuedCount = 70_000
        bench.session.brokerDisconnected("ended", at: bench.now)
        bench.now = try #require(bench.session.deadline)
        bench.session.handleTimeout(at: bench.now, time: 0)
        bench.session.brokerConnected(at: bench.now)
        _ = bench.take()
        bench.session.handleTimeout(at: bench.now, time: 0)
        let second = try #require(bench.take().publications.first)
        #expect(
            text(second.payload)
                == #"{"advertisements":4,"limited":3,"values":5,"commands":2,"connections":2,"queued":70000,"devices":4,"links":1}"#
        )
    }

    @Test func aLinkAndAValueHaveTheirTime() throws {
        var bench = try CloudBench.ready()
        _ = bench.command("first", "connect")
        bench.session.linkConnected(CloudBench.peer, at: bench.now, time: 17)
        let connected = try #require(bench.take().stored.first)
        #expect(connected.topic == "bluetooth/hall/link/ACBC32890EA9")
        #expect(text(connected.payload) == #"{"time":17,"state":"connected"}"#)
        bench.session.linkEnded(CloudBench.peer, "the device was out of range", time: 18)
        let ended = try #require(bench.take().stored.first)
        #expect(text(ended.payload) == #"{"time":18,"state":"disconnected","reason":"the device was out of range"}"#)
        bench.connect()
        for (handle, expected) in [
            (3, #","characteristic":"2A19","value":"57","text":"87 %"}"#),
            (8, #","value":"57","text":"57  u8 87"}"#),
        ] {
            let arguments = #"{"characteristic":"2A19"}"#
            _ = bench.command("s\(handle)", "subscribe", arguments)
            bench.session.completed(CloudBench.peer, at: bench.now, .success(.done))
            bench.session.commands.links[CloudBench.peer]?.subscriptions.insert(8)
            _ = bench.take()
            bench.session.received([87], handle: UInt16(handle), from: CloudBench.peer, time: 1_700_000_000_123)
            let value = try #require(bench.take().stored.first)
            #expect(value.topic == "bluetooth/hall/value/ACBC32890EA9/\(handle)")
            #expect(
                text(value.payload)
                    == #"{"time":1700000000123,"address":"AC:BC:32:89:0E:A9","handle":\#(handle)"# + expected)
        }
        #expect(bench.session.counts.values == 2)
    }

    // MARK: Home Assistant

    @Test func homeAssistantGetsTheGatewayAndItsDevices() throws {
        var configuration = CloudConfiguration(name: "Hall-2 é/x_", version: "1.0")
        #expect(HomeAssistantDiscovery.messages(configuration, try CloudTopics(prefix: "b", name: "n")).isEmpty)
        configuration.homeAssistantPrefix = "ha"
        configuration.homeAssistantDevices = [CloudBench.address]
        let topics = try CloudTopics(prefix: "bluetooth", name: "hall")
        let messages = HomeAssistantDiscovery.messages(configuration, topics)
        let device =
            #","device":{"identifiers":["opencorebluetooth_Hall-2___x_"],"name":"Hall-2 é/x_","manufacturer":"OpenCoreBluetooth","model":"Bluetooth gateway","sw_version":"1.0"}}"#
        let availability =
            #","availability_topic":"bluetooth/hall/status","availability_template":"{{ value_json.state }}""#
        let expected: [(topic: String, payload: String)] = [
            (
                "ha/binary_sensor/Hall-2___x_/connection/config",
                #"{"name":"Connection","unique_id":"opencorebluetooth_Hall-2___x__connection","state_topic":"bluetooth/hall/status","value_template":"{{ 'ON' if value_json.state == 'online' else 'OFF' }}","device_class":"connectivity""#
                    + device
            ),
            (
                "ha/sensor/Hall-2___x_/advertisements/config",
                #"{"name":"Advertisements","unique_id":"opencorebluetooth_Hall-2___x__advertisements","state_topic":"bluetooth/hall/statistics","value_template":"{{ value_json.advertisements }}","state_class":"total_increasing""#
                    + availability + device
            ),
            (
                "ha/sensor/Hall-2___x_/queued/config",
                #"{"name":"Queued messages","unique_id":"opencorebluetooth_Hall-2___x__queued","state_topic":"bluetooth/hall/statistics","value_template":"{{ value_json.queued }}","state_class":"measurement""#
                    + availability + device
            ),
            (
                "ha/sensor/Hall-2___x_/ACBC32890EA9/config",
                #"{"name":"AC:BC:32:89:0E:A9","unique_id":"opencorebluetooth_Hall-2___x__ACBC32890EA9","state_topic":"bluetooth/hall/advertisement/ACBC32890EA9","value_template":"{{ value_json.rssi }}","json_attributes_topic":"bluetooth/hall/advertisement/ACBC32890EA9","device_class":"signal_strength","unit_of_measurement":"dBm","expire_after":300"#
                    + availability + device
            ),
        ]
        #expect(messages.map(\.topic) == expected.map(\.topic))
        for (message, expected) in zip(messages, expected) {
            #expect(text(message.payload) == expected.payload)
            #expect(message.isRetained && message.isAcknowledged)
        }
    }

    /// Home Assistant accepts letters, digits, hyphens and underscores.
    @Test func eachCharacterOfANameIsAllowedInAnIdentifier() throws {
        let scalars = (0x20...0x7E).compactMap { Unicode.Scalar(UInt32($0)) } + ["\u{E9}", "\u{660}", "\u{65E5}"]
        for scalar in scalars {
            var configuration = CloudConfiguration(name: String(Character(scalar)), version: "1")
            configuration.homeAssistantPrefix = "ha"
            let topics = try CloudTopics(prefix: "b", name: "n")
            let isAllowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".unicodeScalars.contains(
                scalar)
            let topic = try #require(HomeAssistantDiscovery.messages(configuration, topics).first).topic
            #expect(topic == "ha/binary_sensor/\(isAllowed ? String(Character(scalar)) : "_")/connection/config")
        }
    }

    // MARK: Names

    @Test func theTopicsOfAGateway() throws {
        let topics = try CloudTopics(prefix: "/plant//one/", name: "a/b")
        #expect(topics.base == "plant/one/a_b")
        #expect(topics.status == "plant/one/a_b/status")
        #expect(topics.statistics == "plant/one/a_b/statistics")
        #expect(topics.commands == "plant/one/a_b/command/+")
        #expect(topics.advertisement(0xACBC_3289_0EA9) == "plant/one/a_b/advertisement/ACBC32890EA9")
        #expect(topics.link(1) == "plant/one/a_b/link/000000000001")
        #expect(topics.value(0xFFFF_FFFF_FFFF, handle: 65_535) == "plant/one/a_b/value/FFFFFFFFFFFF/65535")
        #expect(topics.reply(to: "me") == "plant/one/a_b/reply/me")
        for client in ["m", String(repeating: "c", count: 64)] {
            #expect(topics.client(ofCommand: "plant/one/a_b/command/" + client) == client)
        }
        for topic in [
            "plant/one/a_b/command/" + String(repeating: "c", count: 65), "plant/one/a_b/command",
            "plant/one/a_b/commands/x",
            "plant/two/a_b/command/x", "",
        ] { #expect(topics.client(ofCommand: topic) == nil) }
    }

    /// The longest topic is an advertisement's level, 64 octets of a client and two slashes more: 256 octets with a base of 175.
    @Test func aTopicHasAtMost256Octets() throws {
        for (length, isPossible) in [(168, true), (174, true), (175, true), (176, false), (400, false)] {
            // The base is the prefix, a slash and the name.
            let prefix = String(repeating: "p", count: length - 5)
            let topics = try? CloudTopics(prefix: prefix, name: "hall")
            #expect((topics != nil) == isPossible, "\(length)")
        }
    }

    @Test func aConfigurationHasItsDefaults() {
        let configuration = CloudConfiguration(name: "hall", version: "1.0")
        #expect(configuration.prefix == "bluetooth" && configuration.brokerCount == 1 && !configuration.allowsCommands)
        #expect(configuration.advertisementInterval == .seconds(1) && configuration.advertisementRate == 200)
        #expect(configuration.publicationRate == nil && configuration.isRaw && configuration.isDecoded)
        #expect(configuration.linkLimit == 8 && configuration.homeAssistantPrefix == nil)
        #expect(configuration.homeAssistantDevices.isEmpty)
    }

    @Test func aDiscoveryPrefixHasOneOrTwoPlainLevels() {
        let most = String(repeating: "x", count: 64)
        for text in ["homeassistant", "a/b", "x", most, "\(most.dropLast(2))/b"] {
            #expect(CloudConfiguration.isDiscoveryPrefix(text), "\(text)")
        }
        for text in ["", "/", "a/", "/a", "a//b", "a/b/c", "+", "#", "a/+", "$x", most + "x", "\(most)/b", "a\u{1}"] {
            #expect(!CloudConfiguration.isDiscoveryPrefix(text), "\(text)")
        }
        #expect(CloudConfiguration.address("AC:BC:32:89:0E:A9") == 0xACBC_3289_0EA9)
        #expect(CloudConfiguration.address("AC:BC:32:89:0E") == nil)
    }

    // MARK: Requests

    @Test func aRequestHasBounds() throws {
        let long = String(repeating: "i", count: 64)
        for id in ["i", long, "\u{E9}" + long.dropLast(2)] {
            #expect(CloudRequest.decode(Array(#"{"id":"\#(id)","op":"connect"}"#.utf8))?.id == id)
        }
        for id in ["", long + "i", "\u{E9}" + long.dropLast(1)] {
            #expect(CloudRequest.decode(Array(#"{"id":"\#(id)","op":"connect"}"#.utf8)) == nil)
        }
        for (op, isPossible) in [("", true), (long, true), (long + "i", false)] {
            #expect((CloudRequest.decode(Array(#"{"id":"1","op":"\#(op)"}"#.utf8)) != nil) == isPossible)
        }
        let request = Array(#"{"id":"1","op":"connect"}"#.utf8)
        for (count, isPossible) in [(16_383, true), (16_384, true), (16_385, false), (65_536 + 100, false)] {
            let payload = request + [UInt8](repeating: 0x20, count: count - request.count)
            #expect((CloudRequest.decode(payload) != nil) == isPossible, "\(count)")
        }
    }
}

/// The reasons that clients and programs get, word for word.
@Suite struct CloudReasonsTests {
    @Test func eachEndOfALinkHasAReason() throws {
        let inbox = CloudInbox { _ in }
        let failures: [(ConnectionError, String)] = [
            (.endedByPeer, "the device ended it"), (.supervisionTimeout, "the device was out of range"),
            (.attributeTimeout, "the device left a request unanswered for 30 s"),
            (.protocolViolation, "the device violated the attribute protocol"), (.endedByHost, "this host ended it"),
            (.establishmentFailed, "it could not be established"),
            (.limitReached, "the controller has no room for another link"),
            (.adapterLost, "the adapter was removed or reset"),
            (.peerRemovedPairingInformation, "the device removed its bond"),
            (.encryptionTimedOut, "it was not encrypted in time"), (.encryptionFailed, "it could not be encrypted"),
            (.controller(0x0C), "the controller reported the error 0x0C"),
        ]
        let peer = PeerIdentifier(high: 1, low: 2)
        var expected: [String] = []
        for (failure, text) in failures {
            inbox.connectionFailed(peer, failure)
            inbox.disconnected(peer, .failed(failure), isReconnecting: false)
            expected += [text, text]
        }
        inbox.disconnected(peer, .cancelled, isReconnecting: false)
        expected.append("the gateway ended it")
        let reasons: [String?] = inbox.take().events.map {
            if case .ended(peer, let reason) = $0 { reason } else { nil }
        }
        #expect(reasons == expected)
    }

    @Test func whatTheAdapterReportsArrivesInOrder() throws {
        let inbox = CloudInbox { _ in }
        let peer = PeerIdentifier(high: 1, low: 2)
        inbox.adapterStateChanged(.poweredOff)
        inbox.connected(PeerRecord(identifier: peer, name: "x"))
        inbox.completed(.read(handle: 3), of: peer, .success(.value([7])))
        inbox.received([8, 9].span, handle: 4, from: peer)
        let events = inbox.take().events.map { "\($0)" }
        #expect(events.count == 4)
        for (event, part) in zip(events, ["poweredOff", "connected", "[7]", "[8, 9]"]) { #expect(event.contains(part)) }
    }

    private func error(_ code: String, _ message: String, id: String = #""r""#) -> String {
        #"{"id":\#(id),"error":{"code":"\#(code)","message":"\#(message)"}}"#
    }

    private func reply(_ actions: [CloudAction]) -> String? {
        actions.publications.last { $0.topic == "bluetooth/hall/reply/me" }
            .map { String(decoding: $0.payload, as: UTF8.self) }
    }

    @Test func aCommandThatCannotBeReadSaysWhatACommandIs() throws {
        var bench = try CloudBench.ready()
        bench.send("{}")
        #expect(
            reply(bench.take())
                == error(
                    "invalid", "A command is a JSON object of at most 16384 octets with the texts id and op.",
                    id: "null"))
    }

    @Test func aCommandThatIsNotPossibleSaysWhy() throws {
        let target = "The target must be the address of a device, as in AC:BC:32:89:0E:A9."
        let cases: [(command: String, code: String, message: String)] = [
            (
                #""op":"explode""#, "unknown-op",
                "The operations are connect, disconnect, read, write, subscribe and unsubscribe."
            ), (#""op":"connect""#, "invalid", target), (#""op":"disconnect","target":"x""#, "invalid", target),
            (
                #""op":"connect","target":"00:00:00:00:00:01","args":{"addressType":"x"}"#, "invalid",
                "The address type is public or random."
            ),
            (
                #""op":"read","target":"00:00:00:00:00:01","args":{"handle":3}"#, "not-connected",
                "There is no link to the device. Connect first."
            ),
        ]
        for (command, code, message) in cases {
            var bench = try CloudBench.ready()
            bench.connect()
            _ = bench.take()
            bench.send(#"{"id":"r",\#(command)}"#)
            #expect(reply(bench.take()) == error(code, message))
        }
        let onLink: [(op: String, arguments: String, code: String, message: String)] = [
            ("read", #"{"handle":0}"#, "invalid", "A handle is a number from 1 to 65535."),
            ("read", "{}", "invalid", "The argument characteristic must be a UUID, or handle a number."),
            (
                "read", #"{"characteristic":"2A19","service":"?"}"#, "invalid", "The argument service must be a UUID."
            ), ("read", #"{"characteristic":"2A37"}"#, "not-found", "The device has no such characteristic."),
            ("subscribe", #"{"handle":9}"#, "not-found", "The handle is not that of a characteristic's value."),
            (
                "write", #"{"handle":3}"#, "invalid",
                "The argument value must be at most 512 octets as hexadecimal digits."
            ),
        ]
        for (op, arguments, code, message) in onLink {
            var bench = try CloudBench.ready()
            bench.connect()
            _ = bench.take()
            #expect(reply(bench.command("r", op, arguments)) == error(code, message))
        }
    }

    @Test(arguments: [
        (AdapterState.unknown, "unknown"), (.resetting, "resetting"), (.unsupported, "unsupported"),
        (.unauthorized, "unauthorized"), (.poweredOff, "off"),
    ]) func aConnectionNeedsTheAdapter(state: AdapterState, text: String) throws {
        var bench = try CloudBench.ready()
        bench.session.adapterStateChanged(state, time: 0)
        _ = bench.take()
        let actions = bench.command("r", "connect")
        #expect(reply(actions) == error("adapter", "The Bluetooth adapter is \(text)."))
        #expect(actions.commands == [])
    }

    @Test func linksThatAreInTheWaySayWhy() throws {
        var bench = try CloudBench.ready { $0.linkLimit = 1 }
        bench.connect()
        bench.send(#"{"id":"r","op":"connect","target":"00:00:00:00:00:01"}"#)
        #expect(reply(bench.take()) == error("busy", "The gateway has its 1 links already."))
        _ = bench.command("d", "disconnect")
        #expect(reply(bench.command("r2", "connect")) == error("busy", "The link is ending. Try again.", id: #""r2""#))
        var other = try CloudBench.ready()
        _ = other.command("1", "connect", #"{"addressType":"random"}"#)
        // The identifiers of the bench do not depend on the type, and neither does a link.
        for index in 0..<31 { #expect(reply(other.command("w\(index)", "connect")) == nil) }
        #expect(reply(other.command("r", "connect")) == error("busy", "Too many commands of this device wait."))
    }

    /// Two addresses of one bonded device have one identifier.
    @Test func aDeviceIsConnectedWithOneOfItsAddresses() throws {
        var configuration = CloudConfiguration(name: "hall", version: "1.0")
        configuration.allowsCommands = true
        var session = CloudSession(
            configuration, topics: try CloudTopics(prefix: "bluetooth", name: "hall"), queueName: "0", seed: 1,
            identify: { _ in CloudBench.peer })
        session.start(at: .zero)
        session.brokerConnected(at: .zero)
        session.adapterStateChanged(.poweredOn, time: 0)
        for (id, target) in [("1", "00:00:00:00:00:01"), ("r", "00:00:00:00:00:02")] {
            session.actions = []
            let command = #"{"id":"\#(id)","op":"connect","target":"\#(target)"}"#
            session.brokerReceived(
                MQTTMessage(topic: "bluetooth/hall/command/me", payload: Array(command.utf8)), at: .zero)
        }
        #expect(
            reply(session.actions) == error("busy", "The device is connected with another of its addresses."))
        #expect(session.linkCount == 1)
    }

    @Test func whatADeviceRefusesSaysWhy() throws {
        let cases: [(GATTError, String, String)] = [
            (.attribute(0x05), "att", "The device answered with the ATT error 0x05."),
            (.bearerLost, "disconnected", "The device did not answer."),
            (.notConnected, "not-connected", "There is no link to the device."),
            (.valueTooLong, "invalid", "A value has at most 512 octets."),
        ]
        for (failure, code, message) in cases {
            var bench = try CloudBench.ready()
            bench.connect()
            for (op, arguments) in [
                ("read", #"{"handle":3}"#), ("write", #"{"handle":3,"value":"01"}"#), ("subscribe", #"{"handle":3}"#),
            ] {
                _ = bench.command("r-" + op, op, arguments)
                bench.session.completed(CloudBench.peer, at: bench.now, .failure(failure))
                #expect(reply(bench.take()) == error(code, message, id: "\"r-\(op)\""))
            }
            // A subscription that failed brings no values.
            bench.session.received([1], handle: 3, from: CloudBench.peer, time: 0)
            #expect(bench.take() == [])
            var other = try CloudBench.ready()
            _ = other.command("r", "connect")
            other.session.linkConnected(CloudBench.peer, at: other.now, time: 0)
            other.session.completed(CloudBench.peer, at: other.now, .failure(failure))
            #expect(reply(other.take()) == error(code, message))
        }
    }

    @Test func timeLimitsSayWhatDidNotCome() throws {
        var bench = try CloudBench.ready()
        _ = bench.command("r", "connect")
        bench.advance(.milliseconds(29_999))
        bench.session.handleTimeout(at: bench.now, time: 0)
        #expect(reply(bench.take()) == nil)
        bench.advance(.milliseconds(1))
        bench.session.handleTimeout(at: bench.now, time: 0)
        #expect(reply(bench.take()) == error("timeout", "The device did not accept the connection within 30 s."))
        bench.session.linkEnded(CloudBench.peer, "the gateway ended it", time: 0)
        _ = bench.command("r", "disconnect")
        _ = bench.command("r2", "connect")
        bench.session.linkConnected(CloudBench.peer, at: bench.now, time: 0)
        bench.advance(.milliseconds(59_999))
        bench.session.handleTimeout(at: bench.now, time: 0)
        #expect(reply(bench.take().filter { $0 != .connectBroker }) == nil)
        bench.advance(.milliseconds(1))
        bench.session.handleTimeout(at: bench.now, time: 0)
        #expect(
            reply(bench.take())
                == error("timeout", "The device did not tell its services within 60 s.", id: #""r2""#))
        _ = bench.command("r3", "disconnect")
        bench.advance(.milliseconds(10_000))
        bench.session.handleTimeout(at: bench.now, time: 21)
        let actions = bench.take()
        #expect(
            reply(actions) == error("timeout", "The adapter did not end the link within 10 s.", id: #""r3""#))
        #expect(
            actions.stored.map { String(decoding: $0.payload, as: UTF8.self) }
                == [#"{"time":21,"state":"disconnected","reason":"the adapter did not report its end"}"#])
    }

    @Test func theEndOfTheAdapterAndOfTheGatewaySaysWhy() throws {
        for state in [AdapterState.poweredOff, .resetting] {
            var bench = try CloudBench.ready()
            bench.connect()
            _ = bench.command("r", "read", #"{"handle":3}"#)
            bench.session.adapterStateChanged(state, time: 5)
            let reason = "the adapter is \(state == .poweredOff ? "off" : "resetting")"
            let actions = bench.take()
            #expect(reply(actions) == error("disconnected", "The link ended: \(reason)."))
            #expect(
                actions.stored.map { String(decoding: $0.payload, as: UTF8.self) }
                    == [#"{"time":5,"state":"disconnected","reason":"\#(reason)"}"#])
            #expect(actions.commands == [], "an adapter that is off has ended its links")
        }
        var bench = try CloudBench.ready()
        bench.connect()
        _ = bench.command("w", "write", #"{"handle":3,"value":"01","response":false}"#)
        _ = bench.command("r", "read", #"{"handle":3}"#)
        bench.session.stop(at: bench.now, time: 0)
        let actions = bench.take()
        #expect(actions.commands == [.cancelConnection(CloudBench.peer), .stopScan])
        let replies = actions.publications.filter { $0.topic.contains("/reply/") }
            .map { String(decoding: $0.payload, as: UTF8.self) }
        #expect(
            replies == [
                error("disconnected", "The link ended: the gateway stops."),
                error("busy", "Too many commands of this device wait.", id: #""w""#),
            ])
    }
}
