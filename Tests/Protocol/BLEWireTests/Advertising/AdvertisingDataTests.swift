import BLEWire
import Testing

struct AdvertisingDataTests {
    // Views cannot go through the macros of Swift Testing; arrays can.
    private func contains(_ service: BluetoothUUID, _ data: [UInt8]) -> Bool {
        AD.contains(service: service, in: data.span)
    }
    private func solicits(_ service: BluetoothUUID, _ data: [UInt8]) -> Bool {
        AD.solicits(service: service, in: data.span)
    }
    private func name(_ data: [UInt8]) -> String? { AD.localName(in: data.span) }

    @Test(arguments: [
        ("03 09 41 42", "03 09 43 44", "AB"), ("03 08 41 42", "03 09 43 44", "CD"),
        ("03 08 41 42", "03 08 43 44", "AB"),
        ("02 01 06", "03 08 43 44", "CD"), ("05 09 41", "03 09 43 44", "CD"), ("03 09 41 42", "1F 09 43", "AB"),
        ("", "", nil),
    ])
    func theNameIsReadFromDataAndScanResponseSeparately(_ data: String, _ scanResponse: String, _ name: String?) {
        let (data, scanResponse) = (octets(data), octets(scanResponse))
        let found = AD.localName(in: data.span, scanResponse: scanResponse.span)
        #expect(found == name)
    }

    @Test func everyStructureRoundTripsAndRejectsWrongLengths() {
        checkPDU(AD.Flags.self, "06", .fixed)
        checkPDU(AD.TransmitPower.self, "F4", .fixed)
        checkPDU(AD.ConnectionIntervalRange.self, "06 00 80 0C", .fixed)
        checkPDU(AD.Appearance.self, "C1 03", .fixed)
        checkPDU(AD.CompleteLocalName.self, "4D 6F 62 69 6B 65")
        checkPDU(AD.ShortenedLocalName.self, "4D 6F")
        checkPDU(AD.ManufacturerData.self, "4C 00 02 15 01 02")
        checkPDU(AD.URI.self, "17 2F 2F 61 2E 62")
        checkPDU(AD.UUIDList<2>.self, "0D 18 0F 18")
        checkPDU(AD.UUIDList<4>.self, "78 56 34 12")
        checkPDU(AD.UUIDList<16>.self, "FB 34 9B 5F 80 00 00 80 00 10 00 00 0D 18 00 00")
        checkPDU(AD.ServiceData<2>.self, "0F 18 64")
        checkPDU(AD.ServiceData<4>.self, "78 56 34 12 64")
        checkPDU(AD.ServiceData<16>.self, "FB 34 9B 5F 80 00 00 80 00 10 00 00 0D 18 00 00 64")
    }

    @Test func structuresAreDecodedAsSpecified() {
        let data = octets(
            "02 01 06  03 03 EE FF  07 09 4D 6F 62 69 6B 65  02 0A F4  05 FF 4C 00 02 15  03 19 C1 03  05 12 06 00 80 0C"
        )
        var structures = AD.Structures(data.span)
        var seen: [UInt8] = []
        // The structures whose content is looked at.
        var looked = 0
        while let structure = structures.next() {
            seen.append(structure.type.rawValue)
            if let flags = structure.content(as: AD.Flags.self) {
                looked += 1
                #expect(flags == [.generalDiscoverable, .classicNotSupported])
            }
            if let power = structure.content(as: AD.TransmitPower.self) {
                looked += 1
                #expect(power.level == -12)
            }
            if let own = structure.content(as: AD.ManufacturerData.self) {
                looked += 1
                #expect(own.company == 0x004C)
                #expect([UInt8](own.data) == [0x02, 0x15])
            }
            if let appearance = structure.content(as: AD.Appearance.self) {
                looked += 1
                #expect(appearance.value == 0x03C1)
            }
            if let range = structure.content(as: AD.ConnectionIntervalRange.self) {
                looked += 1
                #expect(range == AD.ConnectionIntervalRange(minimum: 6, maximum: 3200))
            }
        }
        #expect(seen == [0x01, 0x03, 0x09, 0x0A, 0xFF, 0x19, 0x12])
        #expect(looked == 5)
        #expect(name(data) == "Mobike")
    }

    private func types(_ data: [UInt8]) -> [UInt8] {
        var structures = AD.Structures(data.span)
        var result: [UInt8] = []
        while let structure = structures.next() { result.append(structure.type.rawValue) }
        return result
    }

    @Test func aLengthOfZeroEndsTheDataEarly() {
        #expect(types(octets("02 01 06 00 02 0A F4")) == [0x01])
        #expect(types(octets("00")) == [])
        #expect(types([]) == [])
    }

    @Test func aLengthBeyondTheEndEndsTheData() {
        #expect(types(octets("02 01 06 05 09 41 42")) == [0x01])
        #expect(types(octets("FF 09")) == [])
        #expect(types(octets("01")) == [])
        #expect(types(octets("01 09")) == [0x09])
    }

    @Test func arbitraryOctetsDoNotTrapTheIterator() {
        var random = SeededRandom(seed: 7)
        let service = BluetoothUUID(0x180D as UInt16)
        for _ in 0..<10_000 {
            let count = Int.random(in: 0...40, using: &random)
            let data = (0..<count).map { _ in
                Bool.random(using: &random)
                    ? UInt8.random(in: 0...8, using: &random) : .random(in: 0...255, using: &random)
            }
            var structures = AD.Structures(data.span)
            var total = 0
            while let structure = structures.next() {
                total += structure.data.count + 2
                structure.forEachServiceUUID { _ in }
                structure.forEachSolicitedUUID { _ in }
                _ = structure.serviceDataUUID
                _ = structure.serviceDataValue?.count
            }
            #expect(total <= data.count)
            _ = AD.contains(service: service, in: data.span)
            _ = AD.localName(in: data.span)
        }
    }

    @Test func aServiceIsFoundInEveryWidthOfItsUUID() {
        let heartRate = BluetoothUUID(0x180D as UInt16)
        let lists = [
            "05 02 0F 18 0D 18", "05 03 0F 18 0D 18", "05 04 0D 18 00 00", "05 05 0D 18 00 00",
            "11 06 FB 34 9B 5F 80 00 00 80 00 10 00 00 0D 18 00 00",
            "11 07 FB 34 9B 5F 80 00 00 80 00 10 00 00 0D 18 00 00",
        ]
        for list in lists {
            #expect(contains(heartRate, octets("02 01 06" + list)), "\(list)")
            #expect(!contains(BluetoothUUID(0x1812 as UInt16), octets(list)), "\(list)")
            #expect(!solicits(heartRate, octets(list)), "\(list)")
        }
        #expect(solicits(heartRate, octets("03 14 0D 18")))
        #expect(solicits(heartRate, octets("05 1F 0D 18 00 00")))
        #expect(!contains(heartRate, octets("03 14 0D 18")))
        #expect(!contains(heartRate, octets("03 16 0D 18")), "service data is no service list")
    }

    @Test func aTruncatedUUIDAtTheEndOfAListIsOmitted() {
        let data = octets("04 03 0D 18 0F")
        var structures = AD.Structures(data.span)
        var found: [BluetoothUUID] = []
        while let structure = structures.next() { structure.forEachServiceUUID { found.append($0) } }
        #expect(found == [BluetoothUUID(0x180D as UInt16)])
    }

    @Test func serviceDataKeepsItsServiceAndItsValue() {
        let data = octets("04 16 0F 18 64  06 20 78 56 34 12 01")
        var structures = AD.Structures(data.span)
        var services: [String] = []
        var values: [[UInt8]] = []
        while let structure = structures.next() {
            if let service = structure.serviceDataUUID { services.append(service.description) }
            if let value = structure.serviceDataValue { values.append([UInt8](value)) }
        }
        #expect(services == ["180F", "12345678"])
        #expect(values == [[0x64], [0x01]])
    }

    @Test func theCompleteNameIsPreferredToTheShortenedOne() {
        #expect(name(octets("03 08 4D 6F 04 09 4D 6F 62")) == "Mob")
        #expect(name(octets("03 08 4D 6F")) == "Mo")
        #expect(name(octets("02 01 06")) == nil)
    }

    @Test func theBuilderWritesWhatTheIteratorReads() throws {
        var builder = AD.Builder()
        try builder.append(AD.Flags([.generalDiscoverable, .classicNotSupported]))
        try builder.append(
            [BluetoothUUID(0xFFEE as UInt16), BluetoothUUID(0x180F as UInt16)], type: .completeServiceUUIDs16)
        try builder.append(AD.ManufacturerData(company: 0x004C, data: [1, 2].span))
        try builder.append(localName: "Mobike")
        #expect(builder.bytes == octets("02 01 06 05 03 EE FF 0F 18 05 FF 4C 00 01 02 07 09 4D 6F 62 69 6B 65"))
        #expect(builder.freeCapacity == 31 - 23)
    }

    @Test func theBuilderRefusesStructuresThatDoNotFit() throws {
        var builder = AD.Builder()
        try builder.append(AD.Flags.generalDiscoverable)
        let before = builder.bytes
        #expect(throws: EncodeError.noSpace) { try builder.append(localName: String(repeating: "x", count: 27)) }
        #expect(throws: EncodeError.fieldTooLong) { try builder.append(localName: String(repeating: "x", count: 255)) }
        #expect(throws: EncodeError.fieldTooLong) {
            try builder.append([BluetoothUUID(0xFFEE as UInt16)], type: .completeServiceUUIDs128)
        }
        #expect(builder.bytes == before)
        try builder.append(localName: String(repeating: "x", count: 26))
        #expect(builder.bytes.count == 31)
        #expect(builder.freeCapacity == 0)
    }
}
