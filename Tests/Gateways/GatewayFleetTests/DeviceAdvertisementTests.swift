import BLEAdapter
import BLEWire
import CloudGateway
import MQTTClient
import Testing

@testable import GatewayFleet

@Suite struct DeviceAdvertisementTests {
    /// The payload that a gateway makes of an advertisement, as the outbox completes it.
    private func payload(
        of advertisement: DeviceAdvertisement, isRaw: Bool, isDecoded: Bool
    ) throws -> [UInt8] {
        var configuration = CloudConfiguration(name: "hall", version: "1")
        configuration.isRaw = isRaw
        configuration.isDecoded = isDecoded
        var session = CloudSession(
            configuration, topics: try CloudTopics(prefix: "fleet", name: "hall"), queueName: "01234567", seed: 1,
            identify: { PeerIdentifier(high: 0, low: $0.value) })
        let address = DeviceAdvertisement.address(gateway: 7, device: 42)
        session.discovered(
            Discovery(
                peer: PeerRecord(identifier: PeerIdentifier(high: 0, low: address.value), name: nil), address: address,
                data: advertisement.octets(device: 42), isConnectable: true, rssi: -50),
            at: .zero, time: 1_700_000_000_000)
        guard case .store(_, let payload)? = session.actions.first else {
            Issue.record("the gateway stored nothing")
            return []
        }
        return Array(#"{"queue":"01234567","seq":1234,"#.utf8) + payload.dropFirst()
    }

    @Test(arguments: [(true, true), (true, false), (false, true)])
    func aReceiverFindsTheCountAndTheTimeInTheMessageOfAGateway(isRaw: Bool, isDecoded: Bool) throws {
        let sent = DeviceAdvertisement(count: 0xFFAB_CDEF, time: 1_763_862_000_123_456)
        let payload = try payload(of: sent, isRaw: isRaw, isDecoded: isDecoded)
        #expect(DeviceAdvertisement(payload: payload) == sent)
        #expect(MessageNumber.find(in: payload) == 1234)
    }

    @Test func anAdvertisementFillsALegacyPacket() {
        let octets = DeviceAdvertisement(count: 1, time: 2).octets(device: 4095)
        #expect(octets.count == 31)
        #expect(octets.suffix(7).elementsEqual("tag4095".utf8))
    }

    @Test func eachDeviceOfAFleetHasAStaticAddressOfItsOwn() {
        var addresses: Set<UInt64> = []
        for gateway in [0, 1, 255, 256, 65_535, 99_999] {
            for device in [0, 1, 4095] {
                let value = DeviceAdvertisement.address(gateway: gateway, device: device).value
                #expect(value >> 46 == 3)
                addresses.insert(value)
            }
        }
        #expect(addresses.count == 18)
    }

    @Test(arguments: [
        "", "{", #"{"queue":"01234567","seq":"#, #"{"queue":"01234567","seq":,"#, #"{"queue":"012","seq":5,"#,
        #"{"queue":"01234567","seq":123456789012345678901234567890,"#, #"{"queue":"01234567","seq":-5}"#, "4f4342",
        "4f43420000000g0000000000000000",
    ])
    func otherPayloadsHaveNoNumberAndNoTime(text: String) {
        #expect(MessageNumber.find(in: Array(text.utf8)) == nil)
        #expect(DeviceAdvertisement(payload: Array(text.utf8)) == nil)
    }
}

@Suite struct FleetConfigurationTests {
    private let broker = MQTTConfiguration(
        [.init(host: "a", port: 1), .init(host: "b", port: 2), .init(host: "c", port: 3)], clientIdentifier: "")

    @Test func eachGatewayBeginsWithAnotherBrokerOfTheCluster() {
        let configuration = FleetConfiguration(
            folder: "/nowhere", gateway: CloudConfiguration(name: "x", version: "1"), broker: broker)
        let hosts = (0..<4).map { index in
            configuration.broker(of: index, name: "n\(index)").addresses.map(\.host).joined()
        }
        #expect(hosts == ["abc", "bca", "cab", "abc"])
        #expect(configuration.broker(of: 3, name: "n3").clientIdentifier == "opencorebluetooth-n3")
    }

    @Test func theNumberOfAGatewayStandsInItsName() {
        var configuration = FleetConfiguration(
            folder: "/nowhere", gateway: CloudConfiguration(name: "x", version: "1"), broker: broker)
        configuration.name = "hall-2"
        configuration.first = 500
        configuration.gateways = 20
        for index in 0..<20 {
            #expect(configuration.index(of: Substring(configuration.name(of: index)).utf8) == index)
        }
        for name in [
            "hall-2-499", "hall-2-520", "hall-2-", "hall-2", "hall-2-5x5", "hall-3-505", "", "hall-2-5055555555",
        ] {
            #expect(configuration.index(of: Substring(name).utf8) == nil, "\(name)")
        }
    }

    @Test func theRateFollowsFromTheDevices() {
        var configuration = FleetConfiguration(
            folder: "/nowhere", gateway: CloudConfiguration(name: "x", version: "1"), broker: broker)
        configuration.interval = .milliseconds(2500)
        #expect(configuration.rate == 40_000)
        #expect(configuration.descriptors == 5066)
    }
}
