import BLEAttribute
import BLEWire
import Testing

/// What a server refuses arrives at the program with its code: the cases `BI` of the SIG's suite GATT.TS, client side.
struct ErrorCodeTests {
    /// Vol 3, Part F, 3.4.1.1, and one of an application.
    static let codes: [UInt8] = [0x01, 0x02, 0x03, 0x05, 0x06, 0x07, 0x08, 0x0C, 0x0D, 0x0E, 0x0F, 0x11, 0x80, 0xFF]

    private func pair(_ code: UInt8) throws -> (Pair, characteristic: UInt16, descriptor: UInt16) {
        var database = AttributeDatabase(deviceName: Array("Band".utf8))
        let added = try database.added(
            ServiceDefinition(
                uuid(0xFEE7),
                [
                    CharacteristicDefinition(
                        uuid(0x36F5), 0x0A, 3, descriptors: [DescriptorDefinition(uuid: uuid(0x2901), value: [1])])
                ]))
        let characteristic = added.characteristics[0]
        let pair = Pair(database)
        pair.refusals[characteristic.valueHandle] = ATT.ErrorCode(rawValue: code)
        return (pair, characteristic.valueHandle, characteristic.descriptorHandles[0])
    }

    @Test(arguments: codes) func aRefusedReadHasItsErrorCode(code: UInt8) throws {
        let (pair, handle, descriptor) = try pair(code)
        #expect(pair.run(.read(handle: handle)) == .failure(.attribute(code)))
        #expect(pair.run(.read(handle: descriptor)) == .success(.value([1])), "the next operation goes on")
    }

    @Test(arguments: codes) func aRefusedWriteHasItsErrorCode(code: UInt8) throws {
        let (pair, handle, descriptor) = try pair(code)
        #expect(pair.run(.write(handle: handle, value: [1, 2])) == .failure(.attribute(code)))
        #expect(pair.run(.read(handle: descriptor)) == .success(.value([1])))
    }

    @Test(arguments: codes) func aRefusedLongWriteHasItsErrorCode(code: UInt8) throws {
        let (pair, handle, descriptor) = try pair(code)
        #expect(pair.run(.write(handle: handle, value: pattern(100))) == .failure(.attribute(code)))
        #expect(pair.run(.read(handle: descriptor)) == .success(.value([1])))
    }

    /// The first part comes, the next is refused: the value is not half a value.
    @Test(arguments: codes.filter { $0 != 0x07 && $0 != 0x0B }) func aReadRefusedInTheMiddleFails(code: UInt8) throws {
        let (pair, handle, _) = try pair(code)
        pair.refusals = [:]
        pair.values[handle] = pattern(100)
        pair.refusesAfter = (handle: handle, offset: 1, error: ATT.ErrorCode(rawValue: code))
        #expect(pair.run(.read(handle: handle)) == .failure(.attribute(code)))
        #expect(pair.reads == [0, 22])
    }
}
