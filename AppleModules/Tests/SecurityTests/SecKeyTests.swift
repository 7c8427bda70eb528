import CryptoKit
import Security
import Testing

private nonisolated(unsafe) let curve =
    [
        kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
    ] as [CFString: Any]
private nonisolated(unsafe) let publicAttributes =
    [kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeyClass: kSecAttrKeyClassPublic] as CFDictionary
private nonisolated(unsafe) let privateAttributes =
    [kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeyClass: kSecAttrKeyClassPrivate] as CFDictionary

private func octets(_ hex: String) -> Data {
    let digits = hex.filter { $0 != " " }
    return Data(
        stride(from: 0, to: digits.count, by: 2).map { start in
            let first = digits.index(digits.startIndex, offsetBy: start)
            return UInt8(digits[first...].prefix(2), radix: 16)!
        })
}

/// The code of the error of a call that must fail.
private func failure<Result>(_ call: (UnsafeMutablePointer<Unmanaged<CFError>?>?) -> Result?) throws -> OSStatus {
    var error: Unmanaged<CFError>?
    #expect(call(&error) == nil)
    let value = try #require(error).takeRetainedValue()
    #expect(value.domain == "NSOSStatusErrorDomain")
    #expect(!value.localizedDescription.isEmpty)
    return OSStatus(value.code)
}

/// The example of RFC 5903, 8.1.
private enum Example {
    static let x1 = octets("DAD0B653 94221CF9 B051E1FE CA5787D0 98DFE637 FC90B9EF 945D0C37 72581180")
    static let y1 = octets("5271A046 1CDB8252 D61F1C45 6FA3E59A B1F45B33 ACCF5F58 389E0577 B8990BB3")
    static let k1 = octets("C88F01F5 10D9AC3F 70A292DA A2316DE5 44E9AAB8 AFE84049 C62A9C57 862D1433")
    static let x2 = octets("D12DFB52 89C8D4F8 1208B702 70398C34 2296970A 0BCCB74C 736FC755 4494BF63")
    static let y2 = octets("56FBF3CA 366CC23E 8157854C 13C58D6A AC23F046 ADA30F83 53E74F33 039872AB")
    static let k2 = octets("C6EF9C5D 78AE012A 011164AC B397CE20 88685D8F 06BF9BE0 B283AB46 476BEE53")
    static let secret = octets("D6840F6B 42F6EDAF D13116E0 E1256520 2FEF8E9E CE7DCE03 812464D0 4B9442DE")

    static func privateKeys() throws -> (SecKey, SecKey) {
        (
            try #require(SecKeyCreateWithData(Data([4]) + x1 + y1 + k1 as CFData, privateAttributes, nil)),
            try #require(SecKeyCreateWithData(Data([4]) + x2 + y2 + k2 as CFData, privateAttributes, nil))
        )
    }
}

@Suite struct SecKeyTests {
    @Test func theSecretIsThatOfRFC5903() throws {
        let (first, second) = try Example.privateKeys()
        let secondPublic = try #require(
            SecKeyCreateWithData(Data([4]) + Example.x2 + Example.y2 as CFData, publicAttributes, nil))
        let parameters = [SecKeyKeyExchangeParameter.requestedSize: 32] as CFDictionary
        var error: Unmanaged<CFError>?
        let secret = SecKeyCopyKeyExchangeResult(first, .ecdhKeyExchangeStandard, secondPublic, parameters, &error)
        #expect(error == nil)
        #expect(secret as Data? == Example.secret)
        let firstPublic = try #require(SecKeyCopyPublicKey(first))
        let same = SecKeyCopyKeyExchangeResult(second, .ecdhKeyExchangeCofactor, firstPublic, [:], nil)
        #expect(same as Data? == Example.secret)
    }

    @Test func keysComeBackFromTheirOctets() throws {
        let (first, _) = try Example.privateKeys()
        let firstPublic = try #require(SecKeyCopyPublicKey(first))
        let expected = Data([4]) + Example.x1 + Example.y1
        #expect(SecKeyCopyExternalRepresentation(firstPublic, nil) as Data? == expected)
        #expect(SecKeyCopyExternalRepresentation(first, nil) as Data? == expected + Example.k1)
        let again = try #require(SecKeyCopyPublicKey(firstPublic))
        #expect(SecKeyCopyExternalRepresentation(again, nil) as Data? == expected)
    }

    @Test func newPairsShareASecret() throws {
        var error: Unmanaged<CFError>?
        let attributes = [kSecAttrIsPermanent: false] as CFDictionary
        var parameters = curve
        parameters[kSecPrivateKeyAttrs] = attributes
        parameters[kSecPublicKeyAttrs] = attributes
        let first = try #require(SecKeyCreateRandomKey(parameters as CFDictionary, &error))
        var (secondPublic, second): (SecKey?, SecKey?)
        #expect(SecKeyGeneratePair(curve as CFDictionary, &secondPublic, &second) == errSecSuccess)
        let firstPublic = try #require(SecKeyCopyPublicKey(first))
        let secret = SecKeyCopyKeyExchangeResult(
            first, .ecdhKeyExchangeStandard, try #require(secondPublic), [:], &error)
        let same = SecKeyCopyKeyExchangeResult(
            try #require(second), .ecdhKeyExchangeStandard, firstPublic, [:], &error)
        #expect(secret as Data? == same as Data?)
        #expect(secret?.length == 32)
        #expect(error == nil)
        #expect(
            SecKeyCopyExternalRepresentation(firstPublic, nil) as Data?
                != SecKeyCopyExternalRepresentation(try #require(secondPublic), nil) as Data?)
    }

    /// The function of ANSI X9.63 by its definition: SHA-256 of the secret, a counter from 1, and the information.
    @Test func aDerivedKeyHasTheRequestedSize() throws {
        let (first, second) = try Example.privateKeys()
        let information = Data("info".utf8)
        let parameters: [CFString: Any] = [
            SecKeyKeyExchangeParameter.requestedSize.rawValue: 40,
            SecKeyKeyExchangeParameter.sharedInfo.rawValue: information as CFData,
        ]
        let key = SecKeyCopyKeyExchangeResult(
            first, .ecdhKeyExchangeStandardX963SHA256, try #require(SecKeyCopyPublicKey(second)),
            parameters as CFDictionary, nil)
        let blocks = [1, 2].map { SHA256.hash(data: Example.secret + Data([0, 0, 0, $0]) + information) }
        #expect(key as Data? == Data(blocks.flatMap(Array.init).prefix(40)))
        for size in [0, -1, 1 << 17] {
            let parameters = [SecKeyKeyExchangeParameter.requestedSize: size] as CFDictionary
            let status = try failure { error in
                SecKeyCopyKeyExchangeResult(first, .ecdhKeyExchangeCofactorX963SHA256, second, parameters, error)
            }
            #expect(status == errSecParam)
        }
    }

    @Test func octetsThatAreNoKeyAreRefused() throws {
        let valid = Data([4]) + Example.x1 + Example.y1
        // Not on the curve, cut, too long, the point at infinity, nothing, compressed without its coordinate.
        let invalid = [
            valid.dropLast() + [valid[64] ^ 1], valid.dropLast(), valid + [0], Data([0]), Data(), Data([2]),
        ]
        for data in invalid {
            #expect(try failure { SecKeyCreateWithData(data as CFData, publicAttributes, $0) } == errSecDecode)
        }
        for data in [valid, valid + Data(count: 32), valid + Data(repeating: 0xFF, count: 32)] {
            #expect(try failure { SecKeyCreateWithData(data as CFData, privateAttributes, $0) } == errSecDecode)
        }
    }

    @Test func whatLinuxDoesNotHaveIsRefused() throws {
        func status(_ changes: [CFString: Any]) throws -> OSStatus {
            let parameters = curve.merging(changes) { $1 } as CFDictionary
            var error: Unmanaged<CFError>?
            let pair = SecKeyGeneratePair(parameters, nil, nil)
            #expect(SecKeyCreateRandomKey(parameters, &error) == nil)
            #expect(pair == OSStatus(try #require(error).takeRetainedValue().code))
            return pair
        }
        #expect(try status([kSecAttrKeyType: kSecAttrKeyTypeRSA]) == errSecUnimplemented)
        #expect(try status([kSecAttrKeySizeInBits: 384]) == errSecUnimplemented)
        #expect(try status([kSecAttrTokenID: kSecAttrTokenIDSecureEnclave]) == errSecUnimplemented)
        #expect(
            try status([kSecPrivateKeyAttrs: [kSecAttrIsPermanent: true] as CFDictionary]) == errSecUnimplemented)
        let (first, second) = try Example.privateKeys()
        let other = SecKeyAlgorithm(rawValue: "other")
        #expect(
            try failure { SecKeyCopyKeyExchangeResult(first, other, second, [:], $0) } == errSecUnimplemented)
        let publicKey = try #require(SecKeyCopyPublicKey(first))
        #expect(
            try failure { SecKeyCopyKeyExchangeResult(publicKey, .ecdhKeyExchangeStandard, second, [:], $0) }
                == errSecParam)
        let withoutClass = [kSecAttrKeyType: kSecAttrKeyTypeEC] as CFDictionary
        #expect(try failure { SecKeyCreateWithData(Data() as CFData, withoutClass, $0) } == errSecParam)
        #expect(try failure { SecKeyCreateWithData(Data() as CFData, [:], $0) } == errSecUnimplemented)
    }
}

@Suite struct SecRandomTests {
    @Test func randomOctetsFillTheWholeBuffer() {
        for length in [0, 1, 7, 8, 9, 100] {
            var bytes = [UInt8](repeating: 0, count: length + 1)
            var seen = [UInt8](repeating: 0, count: length + 1)
            // An octet stays 0 sixty-four times with the probability 2^-512.
            for _ in 0..<64 {
                #expect(SecRandomCopyBytes(kSecRandomDefault, length, &bytes) == errSecSuccess)
                for index in seen.indices { seen[index] |= bytes[index] }
            }
            #expect(!seen.dropLast().contains(0))
            #expect(seen.last == 0)
        }
        var octet: UInt8 = 0
        #expect(SecRandomCopyBytes(kSecRandomDefault, -1, &octet) == errSecParam)
    }

    @Test func resultsHaveASentence() throws {
        for status in [
            errSecSuccess, errSecUnimplemented, errSecParam, errSecAllocate, errSecItemNotFound, errSecDecode,
        ] {
            #expect(try #require(SecCopyErrorMessageString(status, nil)).length > 0)
        }
        #expect(SecCopyErrorMessageString(1, nil) == nil)
    }
}
