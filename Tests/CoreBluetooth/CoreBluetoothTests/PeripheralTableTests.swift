import BLEAdapter
import Testing

@testable import CoreBluetooth

struct PeripheralTableTests {
    @Test func aConnectionBringsAForgottenObjectBack() {
        let bench = CentralBench()
        let record = PeerRecord(identifier: CentralBench.peer, name: nil)
        let peer = AdvertiserIdentity(CentralBench.peer)
        let object = CBPeripheral(owner: CentralHandle(bench.manager.core), record: record, identity: peer)
        object.isListed = false
        var table = PeripheralTable()
        #expect(table[peer] == nil)
        #expect(table.use(object) == (nil, nil))
        #expect(table[peer] === object && object.isListed)
        // An object that the table has stays.
        let other = CBPeripheral(owner: CentralHandle(bench.manager.core), record: record, identity: peer)
        other.isListed = false
        #expect(table.use(other) == (nil, object))
        #expect(table[peer] === object && other.isListed)
        #expect(table.remove(peer, ObjectIdentifier(object)) == nil)
        #expect(table[peer] == nil)
    }
}
