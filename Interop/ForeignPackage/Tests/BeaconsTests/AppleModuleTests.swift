import CommonCrypto
import Surroundings
import UIKit
import XCTest

/// Tests of the modules that the script adds because a file of the package imports them.
final class AppleModuleTests: XCTestCase {
    func testTwoModulesHaveOneDigest() {
        XCTAssertEqual(Codes.digest([Data("a".utf8), Data("bc".utf8)]), Codes.sameDigest(Data("abc".utf8)))
    }

    func testAMessageComesBack() throws {
        let key = Codes.key(password: "password", salt: Data("salt".utf8))
        XCTAssertEqual(key.prefix(4), Data([0xEA, 0x6C, 0x01, 0x4D]))
        let message = Data("a message of 31 octets, as such".utf8)
        let encrypted = try XCTUnwrap(Codes.crypt(kCCEncrypt, message, key: key))
        XCTAssertEqual(encrypted.count, 32)
        XCTAssertEqual(Codes.crypt(kCCDecrypt, encrypted, key: key), message)
        XCTAssertNil(Codes.crypt(kCCDecrypt, encrypted.dropLast(), key: key))
    }

    func testTwoKeysShareASecret() throws {
        let (first, second) = (try Keys.make(), try Keys.make())
        let secret = try Keys.secret(first, second.publicData())
        XCTAssertEqual(secret, try Keys.secret(second, first.publicData()))
        XCTAssertEqual(secret.count, 32)
        XCTAssertThrowsError(try Keys.secret(first, Data([4])))
        XCTAssertEqual(Keys.random(7)?.count, 7)
    }

    func testFilesHaveTypes() {
        XCTAssertTrue(Firmware.isArchive(URL(fileURLWithPath: "/firmware.zip")))
        XCTAssertFalse(Firmware.isArchive(URL(fileURLWithPath: "/firmware.hex")))
        XCTAssertEqual(Firmware.mimeType(URL(fileURLWithPath: "/firmware.json")), "application/json")
    }

    @MainActor func testTheBackgroundIsCounted() {
        let background = Background()
        UIApplication.shared.moveToBackground()
        UIApplication.shared.moveToForeground()
        UIApplication.shared.moveToBackground()
        UIApplication.shared.moveToForeground()
        XCTAssertEqual(background.count, 2)
        XCTAssertFalse(Background.deviceName.isEmpty)
    }

    func testAQuarterTurn() {
        var orientation = Orientation()
        orientation.add([0, 0, .pi / 4], seconds: 2)
        orientation.add([0, 0, 0], seconds: 1)
        let direction = orientation.direction([1, 0, 0])
        XCTAssertEqual(direction.x, 0, accuracy: 1e-5)
        XCTAssertEqual(direction.y, 1, accuracy: 1e-5)
    }
}
