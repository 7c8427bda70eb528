import BLERuntime
import BLESimulator
import BLEValues
import Foundation
import Testing

@testable import Phrases

/// The errors that other parts write in English, in the page's other language.
struct ValueProblemTests {
    /// Texts that many fields refuse.
    private static let texts = [
        "", "x", "zz", "0x", "999999999999999999999999", "-5", "1.5", "1,2", "1, 2, 3, 4, 5, 6, 7", "2026-13-01",
        "1500-01-01",
        "1960-01-01", "2026-01-01 25:00:00", "a + b", "01 ff", "1e99", "inf",
    ]

    @Test func everyErrorOfAFormatHasBothLanguages() throws {
        var count = 0
        func check(_ encode: (String) throws(ValueError) -> [UInt8]) {
            for text in Self.texts {
                do throws(ValueError) {
                    _ = try encode(text)
                } catch {
                    count += 1
                    #expect(ValueProblems.knows(error.description), "\(error)")
                    let chinese = ValueProblems.phrase(error.description).inChinese
                    #expect(
                        !chinese.contains("expect") && !chinese.contains(" is ") && !chinese.contains("{"), "\(chinese)"
                    )
                    #expect(ValueProblems.phrase(error.description).description == error.description)
                }
            }
        }
        for format in ValueFormat.all { check { text throws(ValueError) in try format.octets(text) } }
        for uuid in Schemas.characteristics {
            let schema = try #require(Schemas.schema(of: uuid))
            check { text throws(ValueError) in try schema.encode(text) }
        }
        #expect(count > 500)
    }

    @Test func aValueErrorSaysWhatWasTyped() throws {
        let format = try #require(ValueFormat(name: "u8"))
        do throws(ValueError) {
            _ = try format.octets("300")
            Issue.record("300 is an octet")
        } catch {
            #expect(ValueProblems.phrase(error.description).inChinese == "“300”不是 u8 所需的 0 至 255 的整数。")
        }
    }

    @Test(arguments: [
        "frob", "HCI0", "hci", "hci70000", "tcp:", "tcp:1", "tcp:[::1", "tcp:::1:5", "tcp::5", "tcp:host:x", "unix:",
        "serial:",
        "serial:/dev/tty@x", "gateway:host:x", "bluez:", "bluez:usb", "radio:a b",
        "unix:" + String(repeating: "a", count: 200),
    ])
    func everyReasonWithoutAControllerHasBothLanguages(text: String) {
        guard case .none(let failure) = ControllerChoice(text) else {
            Issue.record("\(text) selects a controller")
            return
        }
        let phrase = ControllerProblems.phrase(failure.sentence)
        #expect(phrase.description == failure.sentence)
        #expect(phrase.data == nil)
        #expect(!phrase.inChinese.contains(#/\b(is|the|has|names|write|Did)\b/#), "\(phrase.inChinese)")
    }

    // check-tests: trap: the arguments are constants or made by the test, and valid.
    private static let target = try! RadioAddress("C6:05:04:03:02:01", isRandom: true)

    @Test(arguments: [
        RawAdvertisement(data: [UInt8](repeating: 0, count: 32)), RawAdvertisement(scanResponse: [2, 10, 0]),
        RawAdvertisement(interval: .milliseconds(1)),
        RawAdvertisement(.directed(to: ValueProblemTests.target), data: [2, 1, 6]),
    ])
    func everyReasonAgainstAnAdvertisementHasBothLanguages(advertisement: RawAdvertisement) {
        do throws(RawAdvertisement.ParameterError) {
            _ = try World(seed: 1).addAdvertiser("raw", advertisement)
            Issue.record("the world accepts \(advertisement)")
        } catch {
            let phrase = ServingProblems.phrase(error.description)
            #expect(phrase.description == error.description)
            #expect(phrase.data == nil && phrase.inChinese.hasSuffix("。"))
        }
    }

    @Test func aServiceThatCannotBePublishedNamesTheReason() {
        let phrase = ServingProblems.phrase("the service 180D cannot be published: The operation is not supported.")
        #expect(phrase.inChinese == "无法发布服务 180D：不支持此操作。")
    }
}
