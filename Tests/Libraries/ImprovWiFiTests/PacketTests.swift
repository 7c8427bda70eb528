import Testing

@testable import ImprovWiFi

struct PacketTests {
    /// The example of the specification: 01 1E 0C MyWirelessAP 10 mysecurepassword CS.
    @Test func theExampleOfTheSpecificationHasItsOctets() throws {
        let credentials = try WiFiCredentials(network: "MyWirelessAP", password: "mysecurepassword")
        let octets = ImprovPacket.join(credentials).encoded
        var expected: [UInt8] = [0x01, 0x1E, 0x0C] + Array("MyWirelessAP".utf8) + [0x10]
        expected += Array("mysecurepassword".utf8)
        expected.append(expected.reduce(0, &+))
        #expect(octets == expected)
        #expect(ImprovPacket(decoding: octets)?.credentials == credentials)
    }

    @Test func commandsWithoutDataHaveThreeOctets() {
        #expect(ImprovPacket(ImprovPacket.Command.identify).encoded == [2, 0, 2])
        #expect(ImprovPacket(ImprovPacket.Command.deviceInformation).encoded == [3, 0, 3])
        #expect(ImprovPacket(ImprovPacket.Command.networkScan).encoded == [4, 0, 4])
    }

    @Test func aResultHasItsStrings() {
        let packet = ImprovPacket.result(1, ["http://a/", ""])
        #expect(
            packet.encoded == [1, 11, 9] + Array("http://a/".utf8) + [
                0, UInt8(truncatingIfNeeded: 1 + 11 + 9 + Array("http://a/".utf8).reduce(0) { $0 + Int($1) }),
            ])
        #expect(packet.strings == ["http://a/", ""])
        #expect(ImprovPacket.result(1, []).encoded == [1, 0, 1])
        // Groups that do not fit are left out whole.
        let many = ImprovPacket.result(4, Array(repeating: String(repeating: "x", count: 40), count: 9), group: 3)
        #expect(many.strings?.count == 6)
    }

    @Test func wrongLengthsAndChecksumsAreRefused() throws {
        let good = ImprovPacket.join(try WiFiCredentials(network: "net", password: "password")).encoded
        for count in 0..<good.count { #expect(ImprovPacket(decoding: Array(good[..<count])) == nil) }
        #expect(ImprovPacket(decoding: good + [0]) == nil)
        for index in good.indices {
            var bad = good
            bad[index] &+= 1
            #expect(ImprovPacket(decoding: bad) == nil, "octet \(index)")
        }
        // The lengths inside of the data.
        for data in [
            [], [3], [3, 1, 2], [0, 0], [1, 0x61], [1, 0x61, 1], [1, 0x61, 0, 0], [1, 0xFF, 0], [1, 0x61, 1, 0xC0],
        ]
            as [[UInt8]]
        {
            #expect(ImprovPacket(1, data).credentials == nil, "\(data)")
        }
        #expect(
            ImprovPacket(1, [1, 0x61, 0]).credentials == (try? WiFiCredentials(network: "a", password: "")))
        #expect(ImprovPacket(3, [5, 1]).strings == nil)
    }

    @Test func credentialsHaveLimits() throws {
        #expect((try? WiFiCredentials(network: "", password: "")) == nil)
        #expect((try? WiFiCredentials(network: String(repeating: "n", count: 33), password: "")) == nil)
        #expect((try? WiFiCredentials(network: "灯灯灯灯灯灯灯灯灯灯灯", password: "")) == nil)
        #expect((try? WiFiCredentials(network: "n", password: String(repeating: "p", count: 65))) == nil)
        let longest = try WiFiCredentials(
            network: String(repeating: "n", count: 32), password: String(repeating: "p", count: 64))
        #expect(ImprovPacket(decoding: ImprovPacket.join(longest).encoded)?.credentials == longest)
    }

    @Test func aPacketArrivesWhateverItsParts() throws {
        let octets = ImprovPacket.join(try WiFiCredentials(network: "network", password: "password")).encoded
        for size in 1...octets.count {
            var assembler = PacketAssembler()
            var outcomes: [PacketAssembler.Outcome] = []
            for start in stride(from: 0, to: octets.count, by: size) {
                outcomes.append(assembler.add(Array(octets[start..<min(start + size, octets.count)])))
            }
            #expect(outcomes.dropLast().allSatisfy { $0 == .incomplete })
            #expect(outcomes.last == .packet(ImprovPacket(decoding: octets)!))
            #expect(assembler.isEmpty)
        }
    }

    @Test func anAssemblerIsBoundedAndRecovers() {
        var assembler = PacketAssembler()
        #expect(assembler.add([1, 255] + [UInt8](repeating: 0, count: 255)) == .incomplete)
        #expect(assembler.add([0, 0, 0]) == .invalid)
        #expect(assembler.add([]) == .invalid)
        #expect(assembler.add([2, 0, 2, 9]) == .invalid, "octets behind the end")
        #expect(assembler.add([2, 0, 3]) == .invalid)
        #expect(assembler.add([2, 0, 2]) == .packet(ImprovPacket(2)))
    }

    @Test func noDescriptionContainsThePassword() throws {
        let secret = "correct horse"
        let credentials = try WiFiCredentials(network: "net", password: secret)
        var dumped = ""
        dump(credentials, to: &dumped)
        dump(ImprovPacket.join(credentials), to: &dumped)
        dump(ProvisioningMachine.Action.join(credentials, attempt: 1), to: &dumped)
        let texts = ["\(credentials)", String(reflecting: credentials), "\(ImprovPacket.join(credentials))", dumped]
        for text in texts { #expect(!text.contains(secret) && !text.contains("\(secret.utf8.first!), ")) }
    }

    @Test func serviceDataHasSixOctets() {
        let advertisement = ImprovAdvertisement(state: .authorized, capabilities: [.identify, .networkScan])
        #expect(advertisement.encoded == [2, 5, 0, 0, 0, 0])
        #expect(ImprovAdvertisement(decoding: advertisement.encoded) == advertisement)
        #expect(ImprovAdvertisement(decoding: [2, 5, 0, 0, 0]) == nil)
    }
}
