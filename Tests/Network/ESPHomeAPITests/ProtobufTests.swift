import BLEWire
import ESPHomeAPI
import Testing

struct ProtobufTests {
    private func fields(_ octets: [UInt8]) throws -> [String] {
        var reader = ProtobufReader(octets.span)
        var found: [String] = []
        while try reader.next() {
            let content = reader.content.withUnsafeBufferPointer { Array($0) }
            found.append("\(reader.number): \(reader.isOctets ? "\(content)" : "\(reader.varint)")")
        }
        return found
    }

    /// The examples of the encoding's documentation: 150, "testing", and 150 in a message.
    @Test func theDocumentedExamplesAreRead() throws {
        #expect(try fields([0x08, 0x96, 0x01]) == ["1: 150"])
        #expect(
            try fields([0x12, 0x07, 0x74, 0x65, 0x73, 0x74, 0x69, 0x6E, 0x67])
                == ["2: [116, 101, 115, 116, 105, 110, 103]"])
        #expect(try fields([0x1A, 0x03, 0x08, 0x96, 0x01]) == ["3: [8, 150, 1]"])
        #expect(try fields([0x09, 1, 2, 3, 4, 5, 6, 7, 8, 0x15, 1, 0, 0, 0]) == ["1: 578437695752307201", "2: 1"])
    }

    static let malformed: [([UInt8], ProtobufError)] = [
        ([0x08], .truncated), ([0x08, 0x96], .truncated), ([0x12, 0x07, 0x74], .truncated), ([0x09, 1, 2], .truncated),
        ([0x12, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01], .truncated),
        ([0x12, 0xFF, 0xFF, 0xFF, 0xFF, 0x07], .truncated), ([0x00, 0x01], .malformed), ([0x0B], .malformed),
        ([0x0C], .malformed), ([0x0F], .malformed),
        ([0x08, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01], .malformed),
    ]

    @Test(arguments: malformed) func malformedOctetsAreRefused(octets: [UInt8], error: ProtobufError) {
        #expect(throws: error) { try fields(octets) }
    }

    @Test func numbersSurviveTheRoundTrip() throws {
        for value in [1, 127, 128, 300, 0xFFFF_FFFF, 0xFFFF_FFFF_FFFF, UInt64.max] {
            var writer = ProtobufWriter()
            writer.uint(5, value)
            #expect(try fields(writer.octets) == ["5: \(value)"])
            #expect(writer.octets.count == 1 + ProtobufWriter.varintCount(value))
        }
        let response = DeviceConnectionResponse(address: 0xC0FF_EE00_1234, isConnected: true, mtu: 247, error: -1)
        #expect(try DeviceConnectionResponse(decoding: response.encoded.span) == response)
    }

    @Test func defaultsTakeNoOctets() {
        #expect(DeviceConnectionResponse().encoded.isEmpty)
        #expect(DeviceInfoResponse().encoded.isEmpty)
    }

    @Test func unknownFieldsAreSkipped() throws {
        var writer = ProtobufWriter()
        writer.uint(99, 7)
        writer.text(1000, "later")
        GATTReadRequest(address: 1, handle: 2).encode(into: &writer)
        writer.message(50) { $0.uint(1, 1) }
        #expect(try GATTReadRequest(decoding: writer.octets.span) == GATTReadRequest(address: 1, handle: 2))
    }

    @Test func aLengthOfSeveralOctetsIsPutInFront() throws {
        for count in [0, 1, 127, 128, 16_383, 16_384] {
            var writer = ProtobufWriter()
            let octets = [UInt8](repeating: 7, count: count)
            writer.message(1) { $0.octets += octets }
            #expect(try fields(writer.octets) == ["1: \(octets)"])
        }
    }

    @Test func nestedRecordsSurviveTheRoundTrip() throws {
        let heartRate = BluetoothUUID(0x180D as UInt16).fields(short: true)
        let custom = BluetoothUUID(high: 0x1122_3344_5566_7788, low: 0x99AA_BBCC_DDEE_FF00).fields(short: true)
        #expect(heartRate.uuid.isEmpty && heartRate.shortUUID == 0x180D)
        #expect(custom.uuid.count == 2 && custom.shortUUID == 0)
        #expect(
            BluetoothUUID(0x180D as UInt16).fields(short: false).uuid == [0x0000_180D_0000_1000, 0x8000_0080_5F9B_34FB])
        let response = GATTGetServicesResponse(
            address: 9,
            services: [
                GATTServiceRecord(
                    uuid: custom.uuid, handle: 1,
                    characteristics: (0..<40).map { number in
                        GATTCharacteristicRecord(
                            uuid: custom.uuid, handle: 3 + number, properties: 0x12,
                            descriptors: [GATTDescriptorRecord(uuid: [], handle: 4 + number, shortUUID: 0x2902)])
                    }), GATTServiceRecord(uuid: [], handle: 100, shortUUID: heartRate.shortUUID),
            ])
        #expect(try GATTGetServicesResponse(decoding: response.encoded.span) == response)
        #expect(
            BluetoothUUID(uuid: custom.uuid, shortUUID: 0)
                == BluetoothUUID(high: 0x1122_3344_5566_7788, low: 0x99AA_BBCC_DDEE_FF00))
        #expect(BluetoothUUID(uuid: [], shortUUID: 0x2902)?.octetCount == 2)
        #expect(BluetoothUUID(uuid: [1], shortUUID: 0) == nil)
    }

    @Test func aUUIDOfMoreThanTwoNumbersIsMalformed() throws {
        let long = (1...3).map { UInt64($0) }
        let descriptor = GATTCharacteristicRecord(uuid: [1, 2], descriptors: [GATTDescriptorRecord(uuid: long)])
        for service in [
            GATTServiceRecord(uuid: long),
            GATTServiceRecord(uuid: [1, 2], characteristics: [GATTCharacteristicRecord(uuid: long)]),
            GATTServiceRecord(uuid: [1, 2], characteristics: [descriptor]),
        ] {
            let octets = GATTGetServicesResponse(address: 5, services: [service]).encoded
            #expect(throws: ProtobufError.malformed) { try GATTGetServicesResponse(decoding: octets.span) }
        }
        // The numbers of a field may also come one by one.
        for count in [2, 3] as [UInt64] {
            var writer = ProtobufWriter()
            writer.uint(1, 5)
            writer.message(2) { for number in 1...count { $0.uint(1, number) } }
            let octets = writer.octets
            if count == 2 {
                #expect(
                    try GATTGetServicesResponse(decoding: octets.span).services == [GATTServiceRecord(uuid: [1, 2])])
            } else {
                #expect(throws: ProtobufError.malformed) { try GATTGetServicesResponse(decoding: octets.span) }
            }
        }
    }

    /// Fields of an unknown number are skipped whole, whatever stands in them.
    @Test func deepUnknownFieldsAreSkipped() throws {
        var octets: [UInt8] = []
        for _ in 0..<64 {
            var writer = ProtobufWriter()
            writer.message(30) { $0.octets += octets }
            octets = writer.octets
        }
        var outer = ProtobufWriter()
        outer.uint(1, 5)
        outer.message(2) { $0.octets += octets }
        let response = try GATTGetServicesResponse(decoding: outer.octets.span)
        #expect(response == GATTGetServicesResponse(address: 5, services: [GATTServiceRecord()]))
    }

    @Test func advertisementsSurviveTheRoundTrip() throws {
        var writer = ProtobufWriter()
        let data: [UInt8] = [2, 1, 6]
        let response: [UInt8] = [3, 9, 65, 66]
        let none: [UInt8] = []
        let random = DeviceAddress(kind: .random, value: 0xC0FF_EE12_3456)
        AdvertisementBatch.append(
            address: random, rssi: -71, data: data.span, scanResponse: response.span, to: &writer)
        AdvertisementBatch.append(
            address: DeviceAddress(kind: .publicIdentity, value: 5), rssi: 127, data: none.span,
            scanResponse: none.span, to: &writer)
        var found: [String] = []
        try AdvertisementBatch.forEach(in: writer.octets.span) { address, rssi, data in
            found.append("\(address) \(address.kind.rawValue) \(rssi) \(data.withUnsafeBufferPointer { Array($0) })")
        }
        #expect(
            found == ["C0:FF:EE:12:34:56 1 -71 [2, 1, 6, 3, 9, 65, 66]", "00:00:00:00:00:05 0 127 []"])
    }

    @Test func longAdvertisingDataIsBounded() throws {
        var writer = ProtobufWriter()
        let data = [UInt8](repeating: 1, count: 5000)
        AdvertisementBatch.append(
            address: DeviceAddress(kind: .public, value: 1), rssi: 0, data: data.span, scanResponse: data.span,
            to: &writer)
        var counts: [Int] = []
        try AdvertisementBatch.forEach(in: writer.octets.span) { counts.append($2.count) }
        #expect(counts == [3300])
    }

    /// Random and mutated octets end in a value or an error, never in a trap.
    @Test func hostileOctetsDoNotTrap() {
        var random = SeededRandom(seed: 14)
        let valid = GATTGetServicesResponse(
            address: 1, services: [GATTServiceRecord(uuid: [1, 2], handle: 1, characteristics: [.init(uuid: [3, 4])])]
        ).encoded
        for _ in 0..<20_000 {
            var octets = valid
            if Bool.random(using: &random) {
                octets = (0..<Int.random(in: 0..<64, using: &random)).map { _ in random.next() as UInt8 }
            } else {
                octets[Int.random(in: octets.indices, using: &random)] = random.next() as UInt8
                octets = Array(octets.prefix(Int.random(in: 0...octets.count, using: &random)))
            }
            _ = try? GATTGetServicesResponse(decoding: octets.span)
            _ = try? ConnectionsFreeResponse(decoding: octets.span)
            _ = try? DeviceInfoResponse(decoding: octets.span)
            try? AdvertisementBatch.forEach(in: octets.span) { _, _, _ in }
        }
    }
}
