import BLEWire
import Testing

@testable import BLEController

/// The Periodic Advertiser List and LE Periodic Advertising Create Sync (Vol 4, Part E, 7.8.67 to 7.8.73).
struct PeriodicAdvertiserListTests {
    private let address = DeviceAddress(kind: .random, value: 0xC605_0403_0201)
    private let identity = DeviceAddress(kind: .public, value: 7)

    @Test func entriesAreSetsAndTheListIsBounded() throws {
        var list = PeriodicAdvertiserList(capacity: 2)
        for _ in 0..<2 {
            try list.add(address, setID: 1)
            #expect(throws: HCI.ErrorCode.invalidHCICommandParameters) { try list.add(address, setID: 1) }
            try list.add(address, setID: 2)
            #expect(throws: HCI.ErrorCode.memoryCapacityExceeded) { try list.add(identity, setID: 1) }
            #expect(list.accepts(PeerAddress(address), setID: 1) && list.accepts(PeerAddress(address), setID: 2))
            #expect(!list.accepts(PeerAddress(address), setID: 3) && !list.accepts(PeerAddress(identity), setID: 1))
            try list.remove(address, setID: 1)
            #expect(throws: HCI.ErrorCode.unknownAdvertisingIdentifier) { try list.remove(address, setID: 1) }
            #expect(!list.accepts(PeerAddress(address), setID: 1))
            list.removeAll()
            #expect(!list.accepts(PeerAddress(address), setID: 2))
        }
        #expect(throws: HCI.ErrorCode.invalidHCICommandParameters) { try list.add(address, setID: 16) }
        #expect(throws: HCI.ErrorCode.invalidHCICommandParameters) {
            try list.add(DeviceAddress(kind: .anonymous, value: 0), setID: 0)
        }
        // A private address is of the identity that the list has.
        try list.add(identity, setID: 4)
        #expect(list.accepts(PeerAddress(address, identity: identity), setID: 4))
    }

    @Test func aRequestNamesASetOrUsesTheList() throws {
        var command = HCI.LEPeriodicAdvertisingCreateSync(
            advertisingSID: 3, advertiserAddress: address, skip: 1, syncTimeout: 100)
        var list = PeriodicAdvertiserList(capacity: 4)
        let named = try PeriodicSyncRequest(command)
        #expect(named.accepts(PeerAddress(address), setID: 3, list))
        #expect(!named.accepts(PeerAddress(address), setID: 4, list))
        #expect(!named.accepts(PeerAddress(identity), setID: 3, list))
        #expect(named.reception.enable == .reports && named.reception.skip == 1)
        command.options = [.usesList, .reportsAreOff, .filtersDuplicates]
        let listed = try PeriodicSyncRequest(command)
        #expect(!listed.accepts(PeerAddress(address), setID: 3, list))
        try list.add(identity, setID: 9)
        #expect(listed.accepts(PeerAddress(identity), setID: 9, list))
        #expect(listed.reception.enable == .filtersDuplicates)
        let changes: [(inout HCI.LEPeriodicAdvertisingCreateSync) -> Void] = [
            { $0.options = .init(rawValue: 8) }, { $0.skip = 500 }, { $0.syncTimeout = 9 },
            {
                $0.options = []
                $0.advertisingSID = 16
            },
            {
                $0.options = []
                $0.advertiserAddress = DeviceAddress(kind: .anonymous, value: 0)
            },
        ]
        for change in changes {
            var bad = command
            change(&bad)
            #expect(throws: HCI.ErrorCode.invalidHCICommandParameters) { try PeriodicSyncRequest(bad) }
        }
        // With the list, the address and the set of the command do not count.
        command.advertisingSID = 0xFF
        #expect(throws: Never.self) { try PeriodicSyncRequest(command) }
    }
}
