import BLEAdapter
import Testing

@testable import CoreBluetooth

struct PeripheralTableTests {
    @Test func aConnectionBringsAForgottenObjectBack() {
        let bench = CentralBench()
        let record = PeerRecord(identifier: CentralBench.peer, name: nil)
        let object = CBPeripheral(owner: bench.manager.core, record: record)
        object.isListed = false
        var table = PeripheralTable()
        #expect(table[CentralBench.peer] == nil)
        #expect(table.use(object) == (nil, nil))
        #expect(table[CentralBench.peer] === object && object.isListed)
        // An object that the table has stays.
        let other = CBPeripheral(owner: bench.manager.core, record: record)
        other.isListed = false
        #expect(table.use(other) == (nil, object))
        #expect(table[CentralBench.peer] === object && other.isListed)
        #expect(table.remove(CentralBench.peer, ObjectIdentifier(object)) == nil)
        #expect(table[CentralBench.peer] == nil)
    }
}
