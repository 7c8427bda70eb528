import CoreBluetooth
import TestConditions
import Testing

@Suite struct OperationClientRealTimeTests {
    let band = Band()

    @Test func operationsRunOneAfterAnother() async {
        let client = band.phone.run { OperationClient() }
        let connect = ConnectOperation(client, service: Band.heartRate)
        let discover = DiscoverOperation(client)
        let write = WriteOperation(client, Data([1, 2]), to: Band.goal)
        let read = ReadOperation(client, Band.goal)
        let all = [connect, discover, write, read]
        for operation in all { client.operations.addOperation(operation) }
        #expect(await eventually { all.allSatisfy(\.isFinished) })
        #expect(all.allSatisfy { $0.error == nil })
        #expect(read.value == Data([1, 2]))
        #expect(band.writtenGoal == 0x0201)
    }

    @Test func aCancelledOperationIsSkipped() async {
        let client = band.phone.run { OperationClient() }
        let all = [
            ConnectOperation(client, service: Band.heartRate), DiscoverOperation(client),
            WriteOperation(client, Data([9, 9]), to: Band.goal), ReadOperation(client, Band.goal),
        ]
        all[2].cancel()
        for operation in all { client.operations.addOperation(operation) }
        #expect(await eventually { all.allSatisfy(\.isFinished) })
        #expect((all[3] as? ReadOperation)?.value == Data([0x40, 0x1F]))
    }

    @Test func anErrorOfThePeerIsTheOperationsError() async {
        let client = band.phone.run { OperationClient() }
        let refused = WriteOperation(client, Data(repeating: 0, count: 40), to: Band.goal)
        let all = [ConnectOperation(client, service: Band.heartRate), DiscoverOperation(client), refused]
        for operation in all { client.operations.addOperation(operation) }
        #expect(await eventually { all.allSatisfy(\.isFinished) })
        #expect(refused.error is CBATTError)
    }
}
