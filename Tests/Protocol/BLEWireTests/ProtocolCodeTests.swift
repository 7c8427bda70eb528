import BLEWire
import Testing

/// The numbers of L2CAP, the Attribute Protocol, the Security Manager and advertising data, by hand from the specification.
struct ProtocolCodeTests {
    /// Vol 3, Part A, 2.1, 4, 4.1, 4.21 and 4.23.
    @Test func L2CAPHasItsNumbers() {
        #expect(
            [L2CAP.ChannelIdentifier.null, .attribute, .signalling, .securityManager].map(\.rawValue) == [0, 4, 5, 6])
        #expect(
            L2CAP.ChannelIdentifier.dynamic == 0x0040...0x007F && L2CAP.signallingMTU == 23 && L2CAP.headerCount == 4)
        let codes: [(L2CAP.SignalCode, UInt8)] = [
            (.commandReject, 0x01), (.disconnectionRequest, 0x06), (.disconnectionResponse, 0x07),
            (.connectionParameterUpdateRequest, 0x12), (.connectionParameterUpdateResponse, 0x13),
            (.creditBasedConnectionRequest, 0x14), (.creditBasedConnectionResponse, 0x15), (.flowControlCredit, 0x16),
            (.enhancedConnectionRequest, 0x17), (.enhancedConnectionResponse, 0x18),
            (.enhancedReconfigureRequest, 0x19),
            (.enhancedReconfigureResponse, 0x1A),
        ]
        for (code, number) in codes { #expect(code.rawValue == number) }
        let reasons: [L2CAP.CommandReject.Reason] = [.notUnderstood, .signallingMTUExceeded, .invalidChannelIdentifier]
        #expect(reasons.map(\.rawValue) == [0, 1, 2])
        let answers: [L2CAP.ConnectionParameterUpdateResponse.Result] = [.accepted, .rejected]
        #expect(answers.map(\.rawValue) == [0, 1])
        let results: [L2CAP.CreditBasedConnectionResponse.Result] = [
            .successful, .spsmNotSupported, .noResources, .insufficientAuthentication, .insufficientAuthorization,
            .keySizeTooShort, .insufficientEncryption, .invalidSourceChannel, .sourceChannelAllocated,
            .unacceptableParameters, .invalidParameters, .pending, .authenticationPending, .authorizationPending,
        ]
        #expect(results.map(\.rawValue) == [0, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15])
        let changes: [L2CAP.EnhancedReconfigureResponse.Result] = [
            .successful, .reducedMTU, .reducedMPS, .invalidChannel, .unacceptableParameters,
        ]
        #expect(changes.map(\.rawValue) == [0, 1, 2, 3, 4])
    }

    /// Vol 3, Part F, 3.4.8 and 3.4.1.1, the errors in the order of their numbers from 0x01.
    @Test func ATTHasItsNumbers() {
        let opcodes: [(ATT.Opcode, UInt8)] = [
            (.errorResponse, 0x01), (.exchangeMTURequest, 0x02), (.exchangeMTUResponse, 0x03),
            (.findInformationRequest, 0x04), (.findInformationResponse, 0x05), (.findByTypeValueRequest, 0x06),
            (.findByTypeValueResponse, 0x07), (.readByTypeRequest, 0x08), (.readByTypeResponse, 0x09),
            (.readRequest, 0x0A),
            (.readResponse, 0x0B), (.readBlobRequest, 0x0C), (.readBlobResponse, 0x0D), (.readMultipleRequest, 0x0E),
            (.readMultipleResponse, 0x0F), (.readByGroupTypeRequest, 0x10), (.readByGroupTypeResponse, 0x11),
            (.writeRequest, 0x12), (.writeResponse, 0x13), (.prepareWriteRequest, 0x16), (.prepareWriteResponse, 0x17),
            (.executeWriteRequest, 0x18), (.executeWriteResponse, 0x19), (.handleValueNotification, 0x1B),
            (.handleValueIndication, 0x1D), (.handleValueConfirmation, 0x1E), (.readMultipleVariableRequest, 0x20),
            (.readMultipleVariableResponse, 0x21), (.multipleHandleValueNotification, 0x23), (.writeCommand, 0x52),
            (.signedWriteCommand, 0xD2),
        ]
        for (opcode, number) in opcodes {
            #expect(opcode.rawValue == number && !opcode.description.contains("0x"))
            #expect(opcode.isCommand == (number & 0x40 != 0) && opcode.isSigned == (number & 0x80 != 0))
            if opcode.description.hasSuffix("Request") {
                #expect(opcode.kind == .request && opcode.response.rawValue == number + 1)
                #expect(opcode.response.kind == .response)
            }
        }
        let known = Set(opcodes.map(\.1))
        for number in UInt8.min...UInt8.max {
            #expect((ATT.Opcode(rawValue: number).kind == .unknown) == !known.contains(number))
        }
        let errors: [ATT.ErrorCode] = [
            .invalidHandle, .readNotPermitted, .writeNotPermitted, .invalidPDU, .insufficientAuthentication,
            .requestNotSupported, .invalidOffset, .insufficientAuthorization, .prepareQueueFull, .attributeNotFound,
            .attributeNotLong, .encryptionKeySizeTooShort, .invalidAttributeValueLength, .unlikelyError,
            .insufficientEncryption, .unsupportedGroupType, .insufficientResources, .databaseOutOfSync,
            .valueNotAllowed,
        ]
        #expect(errors.map(\.rawValue) == Array(0x01...0x13))
        // Core Specification Supplement, Part B, 1.2.
        let common: [ATT.ErrorCode] = [
            .writeRequestRejected, .clientConfigurationImproperlyConfigured, .procedureAlreadyInProgress, .outOfRange,
        ]
        #expect(common.map(\.rawValue) == [0xFC, 0xFD, 0xFE, 0xFF])
        #expect(ATT.defaultMTU == 23 && ATT.maximumValueLength == 512)
    }

    /// Vol 3, Part H, 3.3, 3.5 and 3.6, each list in the order of its numbers.
    @Test func theSecurityManagerHasItsNumbers() {
        let codes: [SMP.Code] = [
            .pairingRequest, .pairingResponse, .pairingConfirm, .pairingRandom, .pairingFailed, .encryptionInformation,
            .centralIdentification, .identityInformation, .identityAddressInformation, .signingInformation,
            .securityRequest, .pairingPublicKey, .pairingDHKeyCheck, .keypressNotification,
        ]
        #expect(codes.map(\.rawValue) == Array(0x01...0x0E))
        let reasons: [SMP.FailureReason] = [
            .passkeyEntryFailed, .outOfBandNotAvailable, .authenticationRequirements, .confirmValueFailed,
            .pairingNotSupported, .encryptionKeySize, .commandNotSupported, .unspecified, .repeatedAttempts,
            .invalidParameters, .dhKeyCheckFailed, .numericComparisonFailed, .classicPairingInProgress,
            .crossTransportNotAllowed, .keyRejected, .busy,
        ]
        #expect(reasons.map(\.rawValue) == Array(0x01...0x10))
        let capabilities: [SMP.IOCapability] = [
            .displayOnly, .displayYesNo, .keyboardOnly, .noInputNoOutput, .keyboardDisplay,
        ]
        #expect(capabilities.map(\.rawValue) == [0, 1, 2, 3, 4])
        let requirements: [SMP.AuthenticationRequirements] = [
            .bonding, .manInTheMiddle, .secureConnections, .keypress, .crossTransport,
        ]
        #expect(requirements.map(\.rawValue) == [0x01, 0x04, 0x08, 0x10, 0x20])
        let keys: [SMP.KeyDistribution] = [.encryption, .identity, .signing, .linkKey, .all, .encryptionAndIdentity]
        #expect(keys.map(\.rawValue) == [1, 2, 4, 8, 15, 3])
        let kinds: [SMP.KeypressNotification.Kind] = [
            .entryStarted, .digitEntered, .digitErased, .cleared, .entryCompleted,
        ]
        #expect(kinds.map(\.rawValue) == [0, 1, 2, 3, 4])
        #expect(SMP.channel == 6 && SMP.maximumLength == 65)
    }

    /// Assigned Numbers, 2.3.
    @Test func advertisingDataHasItsTypes() {
        let types: [(AD.StructureType, UInt8, Int, Int, Int)] = [
            (.flags, 0x01, 0, 0, 0), (.incompleteServiceUUIDs16, 0x02, 2, 0, 0),
            (.completeServiceUUIDs16, 0x03, 2, 0, 0),
            (.incompleteServiceUUIDs32, 0x04, 4, 0, 0), (.completeServiceUUIDs32, 0x05, 4, 0, 0),
            (.incompleteServiceUUIDs128, 0x06, 16, 0, 0), (.completeServiceUUIDs128, 0x07, 16, 0, 0),
            (.shortenedLocalName, 0x08, 0, 0, 0), (.completeLocalName, 0x09, 0, 0, 0), (.transmitPower, 0x0A, 0, 0, 0),
            (.connectionIntervalRange, 0x12, 0, 0, 0), (.solicitedServiceUUIDs16, 0x14, 0, 2, 0),
            (.solicitedServiceUUIDs128, 0x15, 0, 16, 0), (.serviceData16, 0x16, 0, 0, 2), (.appearance, 0x19, 0, 0, 0),
            (.solicitedServiceUUIDs32, 0x1F, 0, 4, 0), (.serviceData32, 0x20, 0, 0, 4),
            (.serviceData128, 0x21, 0, 0, 16),
            (.uri, 0x24, 0, 0, 0), (.manufacturerData, 0xFF, 0, 0, 0),
        ]
        for (type, number, listed, solicited, data) in types {
            #expect(type.rawValue == number && type.serviceUUIDWidth == listed)
            #expect(type.solicitedUUIDWidth == solicited && type.serviceDataUUIDWidth == data)
        }
        #expect(AD.legacyCapacity == 31 && AD.Builder().freeCapacity == 31)
    }

    /// A structure has up to 254 octets after its type, and the data as many as its capacity.
    @Test(arguments: [31, 255, 256, 257, 1_650]) func aBuilderIsFilledToItsLastOctet(capacity: Int) {
        for count in [0, 1, 28, 29, 30, 252, 253, 254, 255] {
            var builder = AD.Builder(capacity: capacity)
            let data = [UInt8](repeating: 7, count: count)
            var error: EncodeError?
            do throws(EncodeError) { try builder.append(data.span, type: .manufacturerData) } catch let thrown {
                error = thrown
            }
            let expected: EncodeError? = count > 254 ? .fieldTooLong : count + 2 > capacity ? .noSpace : nil
            #expect(error == expected, "\(count)")
            #expect(builder.bytes == (expected == nil ? [UInt8(count + 1), 0xFF] + data : []))
            #expect(builder.freeCapacity == capacity - builder.bytes.count)
        }
    }

    /// Two octets for each handle, the low one first.
    @Test func handlesOfAListHaveTwoOctets() throws {
        let octets = octets("0100 FF00 0001 34 12 FFFF")
        let request = try ATT.ReadMultipleRequest(decoding: octets.span)
        #expect(request.count == 5 && (0..<5).map { request[$0] } == [0x0001, 0x00FF, 0x0100, 0x1234, 0xFFFF])
        let variable = try ATT.ReadMultipleVariableRequest(decoding: octets.span)
        #expect(variable.count == 5 && (0..<5).map { variable[$0] } == [0x0001, 0x00FF, 0x0100, 0x1234, 0xFFFF])
    }

    /// The text form: 4 or 8 digits, or 36 characters with hyphens at 8, 13, 18 and 23.
    @Test func aUUIDIsReadFromItsText() {
        let text = "01234567-89AB-CDEF-8000-00805F9B34FB"
        let long = BluetoothUUID(high: 0x0123_4567_89AB_CDEF, low: 0x8000_0080_5F9B_34FB)
        #expect(BluetoothUUID(text) == long && BluetoothUUID(text.lowercased()) == long && long.description == text)
        #expect(
            BluetoothUUID("180D") == BluetoothUUID(UInt16(0x180D))
                && BluetoothUUID("fee7") == BluetoothUUID(UInt16(0xFEE7)))
        #expect(BluetoothUUID("09AFaf90") == BluetoothUUID(UInt32(0x09AF_AF90)))
        let characters = Array(text)
        for index in characters.indices {
            // A digit in place of a hyphen, a hyphen in place of a digit, and characters beside the digits.
            let others: [Character] = characters[index] == "-" ? ["0", "_"] : ["-", "/", ":", "@", "G", "`", "g", "é"]
            for other in others {
                var wrong = characters
                wrong[index] = other
                #expect(BluetoothUUID(String(wrong)) == nil, "\(String(wrong))")
            }
            #expect(BluetoothUUID(String(characters[..<index])) == nil || index == 4 || index == 8)
        }
        for wrong in ["", "180", "180DD", "180G", "18 D", "1234567", "123456789", text + "0"] {
            #expect(BluetoothUUID(wrong) == nil, "\(wrong)")
        }
    }

    /// Times are sums of nanoseconds from an origin.
    @Test func timesAddUp() {
        #expect(Instant.zero.nanoseconds == 0 && TimeSpan.zero.nanoseconds == 0)
        #expect(TimeSpan.seconds(2) == .milliseconds(2_000) && TimeSpan.milliseconds(3) == .microseconds(3_000))
        #expect(TimeSpan.microseconds(4) == .nanoseconds(4_000) && TimeSpan.seconds(1).nanoseconds == 1_000_000_000)
        let start = Instant.zero + .seconds(5)
        #expect(start - .seconds(5) == .zero && start - .zero == .seconds(5) && .zero < start)
        #expect(
            TimeSpan.milliseconds(7) * 3 == .milliseconds(21)
                && TimeSpan.seconds(1) - .milliseconds(1) == .milliseconds(999))
    }

    /// The reference implementations: xoshiro256** whose state is SplitMix64 from the seed, and SipHash-2-4 with the key 00 to 0F.
    @Test func generatorsAndHashesAreThoseOfTheirPapers() {
        var random = SeededRandom(seed: 0)
        #expect(
            (0..<5).map { _ in random.next() } == [
                0x99EC_5F36_CB75_F2B4, 0xBF6E_1F78_4956_452A, 0x1A5F_849D_4933_E6E0, 0x6AA5_94F1_262D_2D2C,
                0xBBA5_AD4A_1F84_2E59,
            ])
        var unit = SeededRandom(seed: 0)
        #expect(unit.unit() == Double(0x99EC_5F36_CB75_F2B4 as UInt64 >> 11) / Double(1 << 53 as UInt64))
        let hash = SipHash(key: (0x0706_0504_0302_0100, 0x0F0E_0D0C_0B0A_0908))
        let results: [(Int, UInt64)] = [
            (0, 0x726F_DB47_DD0E_0E31), (1, 0x74F8_39C5_93DC_67FD), (2, 0x0D6C_8009_D9A9_4F5A),
            (8, 0x93F5_F579_9A93_2462), (15, 0xA129_CA61_49BE_45E5),
        ]
        for (count, expected) in results { #expect(hash.hash((0..<count).map { UInt8($0) }) == expected, "\(count)") }
        let words = (0x0706_0504_0302_0100, 0x0F0E_0D0C_0B0A_0908) as (UInt64, UInt64)
        #expect(hash.hash(words: words.0, words.1) == hash.hash((0..<16).map { UInt8($0) }))
    }
}
