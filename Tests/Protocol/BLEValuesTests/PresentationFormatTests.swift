import BLEValues
import BLEWire
import Testing

struct PresentationFormatTests {
    @Test(
        arguments: [
            ([0x0E, 0xFE, 0x2F, 0x27, 1, 0, 0], [0x1E, 0xFB], "-12.5 degree Celsius"),
            ([0x04, 0, 0xAD, 0x27, 1, 0, 0], [0x64], "100 percentage"),
            ([0x06, 0, 0, 0x27, 1, 0, 0], [0x40, 0x1F], "8000"),
            ([0x06, 3, 0, 0x27, 1, 0, 0], [2, 0], "2000"), ([0x19, 0, 0, 0x27, 1, 0, 0], [0x41], "\"A\""),
            ([0x0E, 0, 0, 0x27, 1, 0, 0], [1], nil), ([0x0B, 0, 0, 0x27, 1, 0, 0], [1], nil),
            ([0x04, 0x80, 0, 0x27, 1, 0, 0], [7], "7.0e-128"), ([0x16, 0, 0, 0x27, 1, 0, 0], [0x6A, 0xF1], "36.2"),
        ] as [([UInt8], [UInt8], String?)])
    func aValueHasTheFormatThatTheDeviceDeclares(format: [UInt8], octets: [UInt8], text: String?) throws {
        #expect(try #require(PresentationFormat(format)).text(octets) == text)
    }

    @Test func otherLengthsAreNoFormat() {
        #expect(PresentationFormat([]) == nil && PresentationFormat([4, 0, 0, 0x27, 1, 0]) == nil)
    }

    @Test func anyFormatAndValueHaveATextOrNone() {
        var random = SeededRandom(seed: 1)
        for _ in 0..<5000 {
            let format = PresentationFormat((0..<7).map { _ in UInt8.random(in: 0...255, using: &random) })
            let octets = (0..<Int.random(in: 0...17, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            #expect(format?.text(octets)?.isEmpty != true && format?.description.isEmpty == false)
        }
    }
}
