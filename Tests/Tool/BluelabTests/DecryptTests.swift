import Testing
import BLEWire

@testable import bluelab

struct DecryptTests {
    @Test func keysAreReadFromLines() throws {
        let keys = try DecryptCommand.keys(
            in: "4C68384139F574D836BCF34E9DFB01BF\n\n  00112233445566778899aabbccddeeff \n")
        #expect(
            keys.map(\.value) == [
                0x4C68_3841_39F5_74D8_36BC_F34E_9DFB_01BF, 0x0011_2233_4455_6677_8899_AABB_CCDD_EEFF,
            ])
    }

    /// The error names the line and does not contain it.
    @Test(arguments: [
        "4C68384139F574D836BCF34E9DFB01B", "0x4C68384139F574D836BCF34E9DFB01", "4C68384139F574D836BCF34E9DFB01BG",
    ])
    func aWrongLineIsNamedByItsNumber(line: String) throws {
        let failure = try #require(throws: ToolError.self) { try DecryptCommand.keys(in: "\n" + line) }
        #expect(failure.kind == .usage && failure.lines.first?.hasPrefix("Line 2 ") == true)
        #expect(!failure.lines.joined().contains("4C68"))
    }
}
