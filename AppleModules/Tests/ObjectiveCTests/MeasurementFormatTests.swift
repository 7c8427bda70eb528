import AppleNames
import Foundation
import Testing

@Suite struct MeasurementFormatTests {
    private func text(_ value: Double, _ unit: UnitInformationStorage, _ style: ByteCountFormatStyle.Style) -> String {
        Measurement(value: value, unit: unit).formatted(.byteCount(style: style).locale(Locale(identifier: "en_US")))
    }

    @Test func theUnitFitsTheAmount() {
        #expect(text(40_000, .bytes, .file) == "40 kB")
        #expect(text(40, .kilobytes, .file) == "40 kB")
        #expect(text(1.5, .mebibytes, .memory) == "1.5 MB")
        #expect(text(512, .bytes, .file) == "512 bytes")
    }

    @Test func numbersStillHaveTheirOwnStyle() {
        #expect(Int64(2_000_000).formatted(.byteCount(style: .file).locale(Locale(identifier: "en_US"))) == "2 MB")
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300, -1e300]) func extremesHaveATextToo(value: Double) {
        #expect(!text(value, .bytes, .file).isEmpty)
    }

    @Test func zeroCanBeADigit() {
        let nothing = Measurement(value: 0, unit: UnitInformationStorage.bytes)
        let locale = Locale(identifier: "en_US")
        #expect(nothing.formatted(.byteCount(style: .file).locale(locale)) == "Zero kB")
        #expect(nothing.formatted(.byteCount(style: .file, spellsOutZero: false).locale(locale)) == "0 bytes")
    }
}
