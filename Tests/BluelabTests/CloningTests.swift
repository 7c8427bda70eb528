import Testing

@testable import bluelab

struct CloningTests {
    @Test func aTextOfAClonedValueStaysText() {
        #expect(Cloning.format(of: Array("Hello".utf8)).name == "utf8")
        #expect(Cloning.format(of: [0x41]).name == "hex")
        #expect(Cloning.format(of: [0x41, 0x00]).name == "hex")
        #expect(Cloning.format(of: [0xFF, 0xFE]).name == "hex")
    }
}
