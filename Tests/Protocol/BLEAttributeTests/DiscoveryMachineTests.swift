import BLEWire
import Testing

@testable import BLEAttribute

/// Each discovery machine by its actions, against peers that behave and peers that do not.
struct DiscoveryMachineTests {
    @Test func servicesAreRequestedUpToTheLastHandle() throws {
        var machine = ServiceDiscovery(uuids: nil)
        #expect(machine.start(mtu: 23).request == .readByGroupType(handles(1, 0xFFFF), uuid(0x2800)))
        #expect(
            try machine.feed("11 06 0100 0500 0018 0600 0900 0118").request
                == .readByGroupType(handles(10, 0xFFFF), uuid(0x2800)))
        let found = try machine.feed("11 06 0A00 FFFF E7FE").output
        #expect(found == [DiscoveredService(uuid: uuid(0xFEE7), range: handles(10, 0xFFFF), isPrimary: true)])
    }

    @Test func attributeNotFoundEndsTheSearchAndAnyOtherErrorFailsIt() throws {
        var machine = ServiceDiscovery(uuids: nil)
        _ = machine.start(mtu: 23)
        #expect(try machine.feed("01 10 0100 0A").output == [])
        #expect(try machine.feed("01 10 0100 11").failure == .attribute(0x11))
        #expect(try machine.feed("01 10 0100 00").failure == .nonsense, "code 0 is not success")
    }

    @Test(arguments: [
        "11 06 0000 0500 0018", "11 06 0100 0000 0018", "11 06 0500 0400 0018", "11 06 0100 0500 0018 0500 0600 0118",
        "11 06 0600 0900 0118 0100 0500 0018",
    ])
    func serviceHandlesThatDoNotAdvanceEndTheSearch(pdu: String) throws {
        var machine = ServiceDiscovery(uuids: nil)
        _ = machine.start(mtu: 23)
        #expect(try machine.feed(pdu).failure == .nonsense)
    }

    @Test func aServiceListThatRepeatsItselfEndsTheSearch() throws {
        var machine = ServiceDiscovery(uuids: nil)
        _ = machine.start(mtu: 23)
        _ = try machine.feed("11 06 0100 0500 E7FE")
        #expect(try machine.feed("11 06 0100 0500 E7FE").failure == .nonsense)
        var wrongLength = ServiceDiscovery(uuids: nil)
        _ = wrongLength.start(mtu: 23)
        #expect(try wrongLength.feed("11 05 0100 0500 E7").failure == .malformed)
    }

    @Test func eachUUIDIsSearchedUpToTheLastHandle() throws {
        var machine = ServiceDiscovery(uuids: [uuid(0xFEE7), uuid(0x1800), uuid(0x180D), uuid(0xFEE7)])
        #expect(machine.start(mtu: 23).request == .findPrimaryServices(handles(1, 0xFFFF), uuid(0xFEE7)))
        #expect(
            try machine.feed("07 2000 2500 3000 3500").request
                == .findPrimaryServices(handles(0x36, 0xFFFF), uuid(0xFEE7)))
        #expect(try machine.feed("01 06 3600 0A").request == .findPrimaryServices(handles(1, 0xFFFF), uuid(0x180D)))
        let found = try machine.feed("07 1000 FFFF").output
        #expect(found?.map(\.range.start) == [0x10, 0x20, 0x30])
        #expect(found?.map(\.uuid) == [uuid(0x180D), uuid(0xFEE7), uuid(0xFEE7)])
    }

    @Test func foundHandlesThatDoNotAdvanceEndTheSearch() throws {
        for pdu in ["07 0000 0500", "07 2500 2000", "07 2000 2500 2500 3000"] {
            var machine = ServiceDiscovery(uuids: [uuid(0xFEE7)])
            _ = machine.start(mtu: 23)
            #expect(try machine.feed(pdu).failure == .nonsense, "\(pdu)")
        }
    }

    @Test func characteristicsEndWhereTheNextOneBegins() throws {
        var machine = CharacteristicDiscovery(service: handles(10, 30), uuids: nil)
        #expect(machine.start(mtu: 23).request == .readByType(handles(10, 30), uuid(0x2803)))
        #expect(
            try machine.feed("09 07 0B00 02 0C00 F536 0F00 10 1000 F636").request
                == .readByType(handles(17, 30), uuid(0x2803)))
        let found = try #require(try machine.feed("01 08 1100 0A").output)
        #expect(found.map(\.valueHandle) == [12, 16])
        #expect(found.map(\.end) == [14, 30])
    }

    @Test(arguments: [UInt16(12), 13])
    func noRequestFollowsIfNoCharacteristicFits(end: UInt16) throws {
        var machine = CharacteristicDiscovery(service: handles(10, end), uuids: [uuid(0x36F5)])
        _ = machine.start(mtu: 23)
        #expect(try machine.feed("09 07 0B00 02 0C00 F536").output?.count == 1)
    }

    @Test(arguments: [
        "09 07 0900 02 0C00 F536", "09 07 1F00 02 2000 F536", "09 07 0B00 02 0B00 F536", "09 07 0B00 02 0A00 F536",
        "09 07 0B00 02 1F00 F536", "09 07 0B00 02 0D00 F536 0C00 02 0E00 F636",
        "09 07 0B00 02 0C00 F536 0B00 02 0C00 F536",
    ])
    func invalidCharacteristicHandlesEndTheSearch(pdu: String) throws {
        var machine = CharacteristicDiscovery(service: handles(10, 30), uuids: nil)
        _ = machine.start(mtu: 23)
        #expect(try machine.feed(pdu).failure == .nonsense)
    }

    @Test func declarationsOfTheWrongLengthAreMalformed() throws {
        for pdu in ["09 02 0B00", "09 05 0B00 02 0C00", "09 06 0B00 02 0C00 F5", "09 09 0B00 02 0C00 F5360000"] {
            var machine = CharacteristicDiscovery(service: handles(10, 30), uuids: nil)
            _ = machine.start(mtu: 23)
            #expect(try machine.feed(pdu).failure == .malformed, "\(pdu)")
        }
    }

    @Test func anEmptyRangeNeedsNoRequest() {
        var characteristics = CharacteristicDiscovery(service: handles(10, 9), uuids: nil)
        #expect(characteristics.start(mtu: 23).output == [])
        var zero = CharacteristicDiscovery(service: handles(0, 0), uuids: nil)
        #expect(zero.start(mtu: 23).output == [])
        var includes = IncludedServiceDiscovery(service: handles(10, 9), uuids: nil)
        #expect(includes.start(mtu: 23).output == [])
        var descriptors = DescriptorDiscovery(after: 0xFFFF, end: 0xFFFF)
        #expect(descriptors.start(mtu: 23).output == [])
    }

    @Test func descriptorsAreFoundUpToTheEndOrTheNextDeclaration() throws {
        var machine = DescriptorDiscovery(after: 12, end: 0xFFFF)
        #expect(machine.start(mtu: 23).request == .findInformation(handles(13, 0xFFFF)))
        #expect(try machine.feed("05 01 0D00 0229").request == .findInformation(handles(14, 0xFFFF)))
        #expect(
            try machine.feed("05 01 0E00 0129 0F00 0328 1000 F536").output
                == [
                    DiscoveredDescriptor(uuid: uuid(0x2902), handle: 13),
                    DiscoveredDescriptor(uuid: uuid(0x2901), handle: 14),
                ])
        var last = DescriptorDiscovery(after: 0xFFFE, end: 0xFFFF)
        _ = last.start(mtu: 23)
        #expect(try last.feed("05 01 FFFF 0229").output?.count == 1, "the last handle of all")
    }

    @Test(arguments: [
        "05 01 0C00 0229", "05 01 1500 0229", "05 01 0000 0229", "05 01 0E00 0229 0D00 0129",
        "05 01 0E00 0229 0E00 0129",
    ])
    func invalidDescriptorHandlesEndTheSearch(pdu: String) throws {
        var machine = DescriptorDiscovery(after: 12, end: 20)
        _ = machine.start(mtu: 23)
        #expect(try machine.feed(pdu).failure == .nonsense)
    }

    @Test func includedServicesAreResolvedOneByOne() throws {
        var machine = IncludedServiceDiscovery(service: handles(10, 30), uuids: nil)
        #expect(machine.start(mtu: 23).request == .readByType(handles(10, 30), uuid(0x2802)))
        #expect(
            try machine.feed("09 08 0B00 0100 0500 0F18").request == .readByType(handles(12, 30), uuid(0x2802)))
        #expect(
            try machine.feed("09 06 0C00 4000 4500").request == .readByType(handles(13, 30), uuid(0x2802)))
        #expect(try machine.feed("01 08 0D00 0A").request == .findInformation(handles(1, 1)))
        #expect(try machine.feed("05 01 0100 0028").request == .findInformation(handles(0x40, 0x40)))
        #expect(try machine.feed("05 01 4000 0128").request == .read(handle: 0x40))
        let found = try #require(try machine.feed("0B 9ECADC240EE5A9E093F3A3B50100406E").output)
        #expect(found.map(\.uuid) == [uuid(0x180F), ClientServerTests.long])
        #expect(found.map(\.isPrimary) == [true, false])
    }

    @Test func invalidIncludesEndTheSearch() throws {
        for (pdu, failure) in [
            ("09 06 0900 4000 4500", GATTError.nonsense), ("09 06 0B00 0000 4500", .nonsense),
            ("09 06 0B00 4500 4000", .nonsense), ("09 07 0B00 4000 4500 01", .malformed), ("09 03 0B00 40", .malformed),
        ] {
            var machine = IncludedServiceDiscovery(service: handles(10, 30), uuids: nil)
            _ = machine.start(mtu: 23)
            #expect(try machine.feed(pdu).failure == failure, "\(pdu)")
        }
        var machine = IncludedServiceDiscovery(service: handles(10, 11), uuids: nil)
        _ = machine.start(mtu: 23)
        #expect(try machine.feed("09 06 0B00 4000 4500").request == .findInformation(handles(0x40, 0x40)))
        #expect(try machine.feed("01 04 4000 0A").request == .read(handle: 0x40))
        #expect(try machine.feed("0B 0102030405").failure == .malformed)
    }

    /// Declarations have the types 0x2800 to 0x2803 (Assigned Numbers, 3.5); descriptors begin at 0x2900.
    @Test(
        arguments: [(0x27FF, false), (0x2800, true), (0x2801, true), (0x2802, true), (0x2803, true), (0x2804, false)]
            as [(UInt16, Bool)])
    func anyDeclarationEndsTheDescriptors(type: UInt16, isDeclaration: Bool) throws {
        var machine = DescriptorDiscovery(after: 12, end: 20)
        _ = machine.start(mtu: 23)
        let pdu: [UInt8] = [0x05, 0x01, 13, 0, 0x01, 0x29, 14, 0, UInt8(type & 0xFF), UInt8(type >> 8)]
        let step = try machine.feed(pdu)
        let first = DiscoveredDescriptor(uuid: uuid(0x2901), handle: 13)
        #expect(step.output == (isDeclaration ? [first] : nil))
        #expect(step.request == (isDeclaration ? nil : .findInformation(handles(15, 20))))
    }
}
