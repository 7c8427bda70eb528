import BLEAdapter
import BLEWire

@testable import BLEStore

/// The files of the store. What decodes has to encode, and to decode again to an equal value.
enum StoreTarget {
    static func run(_ input: inout Input) {
        let kind = input.octet()
        let octets = input.rest()
        switch kind % 6 {
        case 0: check(StoreContent.self, octets)
        case 1: check(CentralRestoration.self, octets)
        case 2: check(PeripheralRestoration.self, octets)
        case 3:
            // As they are: the checksum keeps nearly all of them out.
            _ = try? StoreEnvelope.state.open(octets)
            _ = try? StoreFile.keyFile.decode(octets)
            _ = try? StoreFile.stateFile.decode(octets)
        case 4:
            // In an envelope of our own.
            let sealed = StoreEnvelope.state.seal(octets)
            guard let content = try? StoreEnvelope.state.open(sealed) else { fatalError("a sealed file does not open") }
            require(content.elementsEqual(octets), "a sealed file holds other octets")
            _ = try? StoreFile.stateFile.decode(sealed)
            _ = try? StoreFile.keyFile.decode(StoreEnvelope.key.seal(octets))
            _ = try? PersistentBondStore.file.decode(StoreEnvelope.bonds.seal(octets))
        default: check(BondContent.self, octets)
        }
    }

    private static func check<Value: StoreCodable & Equatable>(_ type: Value.Type, _ octets: [UInt8]) {
        guard let value = try? Value(decoding: octets[...]) else { return }
        let encoded = value.encoded
        guard let again = try? Value(decoding: encoded[...]) else {
            fatalError("\(type) does not decode what it encoded")
        }
        require(again == value && again.encoded == encoded, "\(type) changes when it is written and read")
        require(encoded.count <= octets.count * 2 + 64, "\(type) grows when it is written")
    }
}
