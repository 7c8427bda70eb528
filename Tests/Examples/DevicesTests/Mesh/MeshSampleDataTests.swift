import Crypto
import Devices
import Testing

/// The sample data of the Mesh Profile, section 8.
struct MeshSampleDataTests {
    private let network = MeshNetworkKey(hex("7dd7364cd842ad18c17c2b820c84c3d6"))
    private let ivIndex: UInt32 = 0x1234_5678

    @Test func functions() {
        // 8.1.1 to 8.1.6.
        #expect(MeshCrypto.s1("test".utf8) == hex("b73cefbd641ef2ea598c2b6efb62f79c"))
        #expect(
            MeshCrypto.k1(
                hex("3216d1509884b533248541792b877f98"), salt: hex("2ba14ffa0df84a2831938d57d276cab4"),
                hex("5a09d60797eeb4478aada59db3352a0d")) == hex("f6ed15a8934afbe7d83e8dcb57fcf5d7"))
        let key = hex("f7a2a44f8e8a8029064f173ddc1e2b00")
        var keys = MeshCrypto.k2(key)
        #expect(keys.nid == 0x7F)
        #expect(keys.encryption == hex("9f589181a0f50de73c8070c7a6d27f46"))
        #expect(keys.privacy == hex("4c715bd4a64b938f99b453351653124f"))
        keys = MeshCrypto.k2(key, hex("010203040506070809"))
        #expect(keys.nid == 0x73)
        #expect(keys.encryption == hex("11efec0642774992510fb5929646df49"))
        #expect(keys.privacy == hex("d4d7cc0dfa772d836a8df9df5510d7a7"))
        #expect(MeshCrypto.k3(key) == hex("ff046958233db014"))
        #expect(MeshCrypto.k4(hex("3216d1509884b533248541792b877f98")) == 0x38)
    }

    @Test func keysOfTheSampleNetwork() {
        // 8.2.1, 8.2.2, 8.2.4, 8.2.6, 8.4.3.
        #expect(MeshCrypto.k4(hex("63964771734fbd76e3b40519d1d94a48")) == 0x26)
        #expect(network.nid == 0x68)
        #expect(network.networkID == hex("3ecaff672f673370"))
        #expect(MeshCrypto.beaconKey(network.key) == hex("5423d967da639a99cb02231a83f7d254"))
        #expect(network.beacon(ivIndex: ivIndex) == hex("01003ecaff672f673370123456788ea261582f364f6f"))
    }

    /// 8.3.1 to 8.3.3, 8.3.6 to 8.3.9: those with the security material of the network.
    @Test(
        arguments: [
            (
                true, 0, 0x000001, 0x1201, 0xFFFD, "034b50057e400000010000",
                "68eca487516765b5e5bfdacbaf6cb7fb6bff871f035444ce83a670df"
            ),
            (true, 0, 0x014820, 0x2345, 0x1201, "04320308ba072f", "68d4c826296d7979d7dbc0c9b4d43eebec129d20a620d01e"),
            (true, 0, 0x2B3832, 0x2FE3, 0x1201, "04fa0205a6000a", "68da062bc96df253273086b8c5ee00bdd9cfcc62a2ddf572"),
            (
                false, 4, 0x3129AB, 0x0003, 0x1201, "8026ac01ee9dddfd2169326d23f3afdf",
                "68cab5c5348a230afba8c63d4e686364979deaf4fd40961145939cda0e"
            ),
            (
                false, 4, 0x3129AC, 0x0003, 0x1201, "8026ac21cfdc18c52fdef772e0e17308",
                "681615b5dd4a846cae0c032bf0746f44f1b8cc8ce5edc57e55beed49c0"
            ),
            (true, 11, 0x014835, 0x2345, 0x0003, "00a6ac00000002", "68e476b5579c980d0d730f94d7f3509df987bb417eb7c05f"),
            (
                false, 4, 0x3129AD, 0x0003, 0x1201, "8026ac01ee9dddfd2169326d23f3afdf",
                "684daa6267c2cf0e2f91add6f06e66006844cec97f973105ae2534f958"
            ),
            (true, 11, 0x014836, 0x2345, 0x0003, "00a6ac00000003", "68aec467ed4901d85d806bbed248614f938067b0d983bb7b"),
        ] as [(Bool, UInt8, UInt32, UInt16, UInt16, String, String)])
    func networkPDUs(
        isControl: Bool, ttl: UInt8, sequence: UInt32, source: UInt16, destination: UInt16, transport: String,
        octets: String
    ) {
        let pdu = MeshNetworkPDU(
            isControl: isControl, ttl: ttl, sequence: sequence, source: source, destination: destination,
            transport: hex(transport))
        #expect(pdu.octets(network, ivIndex: ivIndex) == hex(octets))
        #expect(MeshNetworkPDU(hex(octets), network, ivIndex: ivIndex) == pdu)
        #expect(MeshNetworkPDU(hex(octets), network, ivIndex: ivIndex + 1) == pdu, "the index before the present one")
        #expect(MeshNetworkPDU(hex(octets), network, ivIndex: ivIndex + 2) == nil)
        #expect(MeshNetworkPDU(hex(octets), network, ivIndex: ivIndex, kind: .proxyConfiguration) == nil)
    }

    /// 8.3.16, 8.3.18 and 8.3.19: messages in one segment, with the device key and with an application key.
    @Test(
        arguments: [
            (0x0003, MeshMessage.Key.device, 6, 11, "800300563412", "68e80e5da5af0e6b9be7f5a642f2f98680e61c3a8b47f228"),
            (0xFFFF, .application(0), 7, 3, "0400000000", "6848cba437860e5673728a627fb938535508e21a6baf57"),
            (0xFFFF, .application(0), 9, 3, "04000000010703", "68110edeecd83c3010a05e1b23a926023da75d25ba91793736"),
        ] as [(UInt16, MeshMessage.Key, UInt32, UInt8, String, String)])
    func messagesInOneSegment(
        destination: UInt16, key: MeshMessage.Key, sequence: UInt32, ttl: UInt8, payload: String, octets: String
    ) throws {
        var stack = MeshStack(
            MeshCredentials(
                networkKey: network.key, networkKeyIndex: 0, ivIndex: ivIndex, address: 0x1201,
                deviceKey: hex("9d6dd0e96eb25dc19a40ed9914f8f03f")), sequence: sequence)
        stack.applicationKeys[0] = hex("63964771734fbd76e3b40519d1d94a48")
        let pdus = stack.send(hex(payload), to: destination, key: key)
        let sent = try #require(pdus.first)
        #expect(pdus.count == 1)
        // The stack has another TTL than the sample, which the network layer encrypts with the rest.
        var pdu = try #require(MeshNetworkPDU(sent, network, ivIndex: ivIndex))
        pdu.ttl = ttl
        #expect(pdu.octets(network, ivIndex: ivIndex) == hex(octets))
    }

    /// 8.9.1: the configuration of a proxy has nonces of its own.
    @Test func aProxyConfigurationMessage() {
        let network = MeshNetworkKey(hex("d1aafb2a1a3c281cbdb0e960edfad852"))
        let octets = hex("10386bd60efbbb8b8c28512e792d3711f4b526")
        let pdu = MeshNetworkPDU(
            isControl: true, ttl: 0, sequence: 1, source: 1, destination: 0, transport: [0, 0])
        #expect(pdu.octets(network, ivIndex: ivIndex, kind: .proxyConfiguration) == octets)
        #expect(MeshNetworkPDU(octets, network, ivIndex: ivIndex, kind: .proxyConfiguration) == pdu)
        #expect(MeshNetworkPDU(octets, network, ivIndex: ivIndex) == nil)
    }

    /// Message 6: Config AppKey Add in two segments.
    @Test func aSegmentedMessageWithTheDeviceKey() throws {
        let deviceKey = hex("9d6dd0e96eb25dc19a40ed9914f8f03f")
        func stack(_ address: UInt16) -> MeshStack {
            MeshStack(
                MeshCredentials(
                    networkKey: network.key, networkKeyIndex: 0, ivIndex: ivIndex, address: address,
                    deviceKey: deviceKey), sequence: 0x3129AB)
        }
        let payload = hex("0056341263964771734fbd76e3b40519d1d94a48")
        var (sender, receiver) = (stack(0x0003), stack(0x1201))
        let pdus = sender.send(payload, to: 0x1201, key: .device)
        // The sample has a TTL of 4, which the network layer encrypts with the rest.
        let transports = pdus.compactMap { MeshNetworkPDU($0, network, ivIndex: ivIndex)?.transport }
        #expect(transports == [hex("8026ac01ee9dddfd2169326d23f3afdf"), hex("8026ac21cfdc18c52fdef772e0e17308")])
        let first = receiver.receive(hex("68cab5c5348a230afba8c63d4e686364979deaf4fd40961145939cda0e"))
        #expect(first.messages.isEmpty)
        let second = receiver.receive(hex("681615b5dd4a846cae0c032bf0746f44f1b8cc8ce5edc57e55beed49c0"))
        #expect(
            second.messages == [MeshMessage(source: 3, destination: 0x1201, key: .device, payload: payload)])
        let answer = try #require(second.answers.first)
        let acknowledgment = try #require(MeshNetworkPDU(answer, network, ivIndex: ivIndex))
        #expect(acknowledgment.isControl)
        #expect(acknowledgment.transport == hex("0026ac00000003"))
    }

    /// 8.7: provisioning without out-of-band data.
    @Test func provisioning() throws {
        let key = try P256.KeyAgreement.PrivateKey(
            rawRepresentation: hex("529aa0670d72cd6497502ed473502b037e8803b5c60829a5a3caa219505530ba"))
        var device = Provisionee(.init(key: key, random: hex("55a2a2bca04cd32ff6f346bd0a0c1a3a")))
        let publicKey =
            "2c31a47b5779809ef44cb5eaaf5c3e43d5f8faad4a8794cb987e9b03745c78dd"
            + "919512183898dfbecd52e2408e43871fd021109117bd3ed4eaf8437743715d4f"
        let exchanges: [(String, String?)] = [
            ("0000", "010100010000000000000000"), ("020000000000", nil),
            (
                "03" + publicKey,
                "03f465e43ff23d3f1b9dc7dfc04da8758184dbc966204796eccf0d6cf5e16500cc"
                    + "0201d048bcbbd899eeefc424164e33c201c2b010ca6b4d43a8a155cad8ecb279"
            ),
            ("05b38a114dfdca1fe153bd2c1e0dc46ac2", "05eeba521c196b52cc2e37aa40329f554e"),
            ("068b19ac31d58b124c946209b5db1021b9", "0655a2a2bca04cd32ff6f346bd0a0c1a3a"),
            ("07d0bd7f4a89a2ff6222af59a90a60ad58acfe3123356f5cec2973e0ec50783b10c7", "08"),
        ]
        for (request, response) in exchanges {
            let answer = device.receive(hex(request))
            #expect(answer == response.map(hex))
        }
        let credentials = try #require(device.credentials)
        #expect(credentials.networkKey == hex("efb2255e6422d330088e09bb015ed707"))
        #expect(credentials.networkKeyIndex == 0x0567)
        #expect(credentials.ivIndex == 0x0102_0304)
        #expect(credentials.address == 0x0B0C)
        #expect(credentials.deviceKey == hex("0520adad5e0142aa3e325087b4ec16d8"))
    }
}
