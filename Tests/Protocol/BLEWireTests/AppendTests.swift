import BLEWire
import Testing

@Suite struct AppendTests {
    @Test func aHeaderPrecedesItsOctets() {
        var octets: [UInt8] = [1]
        let header: [3 of UInt8] = [2, 3, 4]
        let rest: [UInt8] = [5, 6]
        octets.append(header, rest.span)
        octets.append(header, [UInt8]().span)
        #expect(octets == [1, 2, 3, 4, 5, 6, 2, 3, 4])
    }

    @Test func otherReferencesKeepTheirOctets() {
        var octets: [UInt8] = [1, 2]
        octets.reserveCapacity(100)
        let before = octets
        octets.append(before.span)
        #expect(before == [1, 2] && octets == [1, 2, 1, 2])
    }
}
