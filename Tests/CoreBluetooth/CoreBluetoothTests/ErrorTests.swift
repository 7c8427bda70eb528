import CoreBluetooth
import Testing

@Suite struct ErrorTests {
    @Test func row166_errorsCastAndMatchAsOnApplesSystems() {
        let error: any Error = CBError(.connectionTimeout, userInfo: [NSLocalizedDescriptionKey: "text"])
        #expect((error as? CBError)?.code == .connectionTimeout)
        #expect(error as? CBATTError == nil)
        #expect((error as NSError).domain == CBErrorDomain && (error as NSError).code == 6)
        #expect(error.localizedDescription == "text")
        var caught = false
        do { throw error } catch CBError.connectionTimeout { caught = true } catch {}
        #expect(caught)
        let attribute = CBATTError(.insufficientEncryption)
        #expect(attribute.code == .insufficientEncryption && attribute.errorCode == 15)
        #expect(CBATTError.errorDomain == "CBATTErrorDomain" && CBError.errorDomain == "CBErrorDomain")
        #expect(CBError(_nsError: NSError(domain: CBErrorDomain, code: 7)).code == .peripheralDisconnected)
        #expect(CBError(.unknown, userInfo: ["key": 1]).userInfo["key"] as? Int == 1)
        #expect(CBError(.unknown).errorUserInfo[NSLocalizedDescriptionKey] as? String == "Unknown error.")
        #expect(CBError(.unknown) == CBError(.unknown) && CBError(.unknown) != CBError(.outOfSpace))
        #expect(Set([CBATTError(.success), CBATTError(.success)]).count == 1)
    }

    @Test func anErrorHasItsTextInEveryDescription() {
        let sentence = "The specified device is not connected."
        let head = "Error Domain=CBErrorDomain Code=3 \"\(sentence)\""
        let plain = CBError(.notConnected)
        let existential: any Error = plain
        let forms = [
            "\(plain)", "\(existential)", String(describing: existential), String(reflecting: existential),
            "\((existential as NSError))",
        ]
        for form in forms { #expect(form.hasPrefix(head), "\(form)") }
        #expect("\(Optional(existential) as Any)" == "Optional(\(head))")
        #expect(plain.localizedDescription == sentence && existential.localizedDescription == sentence)
        #expect((existential as NSError).localizedDescription == sentence)

        let own = CBError(.notConnected, userInfo: [NSLocalizedDescriptionKey: "Gone."])
        #expect("\(own)" == "Error Domain=CBErrorDomain Code=3 \"Gone.\" UserInfo={NSLocalizedDescription=Gone.}")
        #expect((own as NSError).localizedDescription == "Gone.")

        let attribute: any Error = CBATTError(.readNotPermitted)
        #expect("\(attribute)" == "Error Domain=CBATTErrorDomain Code=2 \"Reading is not permitted.\"")
        #expect("\(attribute as NSError)".contains("Code=2 \"Reading is not permitted.\""))
        #expect("\(CBATTError(CBATTError.Code(rawValue: 0x80)!))".hasSuffix("Code=128 \"Unknown ATT error.\""))
    }

    @Test func row079_unknownErrorCodesArePreserved() {
        let code = CBATTError.Code(rawValue: 0x80)
        #expect(code?.rawValue == 0x80)
        #expect(CBATTError(code!).errorCode == 0x80)
    }

    @Test func theErrorCodesHaveApplesValues() {
        let codes: [CBError.Code] = [
            .unknown, .invalidParameters, .invalidHandle, .notConnected, .outOfSpace, .operationCancelled,
            .connectionTimeout, .peripheralDisconnected, .uuidNotAllowed, .alreadyAdvertising, .connectionFailed,
            .connectionLimitReached, .unkownDevice, .operationNotSupported, .peerRemovedPairingInformation,
            .encryptionTimedOut, .tooManyLEPairedDevices, .leGattExceededBackgroundNotificationLimit,
            .leGattNearBackgroundNotificationLimit, .channelSoundingConfigurationFailed,
            .channelSoundingProcedureFailed,
        ]
        #expect(codes.map(\.rawValue) == Array(0...20))
        let members: [CBError.Code] = [
            CBError.unknown, CBError.invalidParameters, CBError.invalidHandle, CBError.notConnected,
            CBError.outOfSpace, CBError.operationCancelled, CBError.connectionTimeout,
            CBError.peripheralDisconnected, CBError.uuidNotAllowed, CBError.alreadyAdvertising,
            CBError.connectionFailed, CBError.connectionLimitReached, CBError.unkownDevice,
            CBError.operationNotSupported, CBError.peerRemovedPairingInformation, CBError.encryptionTimedOut,
            CBError.tooManyLEPairedDevices, CBError.leGattExceededBackgroundNotificationLimit,
            CBError.leGattNearBackgroundNotificationLimit, CBError.channelSoundingConfigurationFailed,
            CBError.channelSoundingProcedureFailed,
        ]
        #expect(members == codes)
        #expect(CBError.unknownDevice == .unkownDevice && CBError.Code.unknownDevice.rawValue == 12)
        let attributes: [CBATTError.Code] = [
            CBATTError.success, CBATTError.invalidHandle, CBATTError.readNotPermitted, CBATTError.writeNotPermitted,
            CBATTError.invalidPdu, CBATTError.insufficientAuthentication, CBATTError.requestNotSupported,
            CBATTError.invalidOffset, CBATTError.insufficientAuthorization, CBATTError.prepareQueueFull,
            CBATTError.attributeNotFound, CBATTError.attributeNotLong, CBATTError.insufficientEncryptionKeySize,
            CBATTError.invalidAttributeValueLength, CBATTError.unlikelyError, CBATTError.insufficientEncryption,
            CBATTError.unsupportedGroupType, CBATTError.insufficientResources,
        ]
        #expect(attributes.map(\.rawValue) == Array(0...17))
    }

    @Test func aSwitchOverAnErrorCodeNeedsAnUnknownDefault() {
        func name(_ code: CBATTError.Code) -> String {
            switch code {
            case .success: "success"
            case .readNotPermitted: "read"
            default: "other"
            }
        }
        #expect(name(.success) == "success" && name(CBATTError.Code(rawValue: 0x9F)!) == "other")
    }
}
