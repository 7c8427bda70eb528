import BluetoothPairing
import CoreBluetooth
import Foundation
import Phrases

/// The reason why an operation on an attribute failed.
package struct AttributeFailure: Codable, Hashable, Sendable {
    package var text: Phrase
    /// Whether the device asks for a link with more security.
    package var needsSecurity: Bool

    init(_ error: any Error) {
        text = Phrase(error)
        let codes: [CBATTError.Code] = [
            .insufficientAuthentication, .insufficientAuthorization, .insufficientEncryption,
            .insufficientEncryptionKeySize,
        ]
        needsSecurity = (error as? CBATTError).map { codes.contains($0.code) } ?? false
    }
}

extension Phrase {
    /// The text of an error of CoreBluetooth or of a pairing.
    init(_ error: any Error) {
        if let error = error as? PairingError {
            self = Phrase(pairing: error)
        } else if let code = (error as? CBATTError)?.code.rawValue, (0x80...0x9F).contains(code) {
            // Codes of the application have no text of their own (Vol 3, Part F, 3.4.1.1).
            let digits = String(code, radix: 16, uppercase: true)
            self = Phrase("application error 0x\(digits)", "应用错误 0x\(digits)")
        } else {
            self = SystemWords.book.word(error.localizedDescription)
        }
    }

    private init(pairing error: PairingError) {
        let isFromPeer = error.isFromPeer
        let device = isFromPeer ? Phrase("The other device", "对方设备") : Phrase("This device", "本设备")
        self =
            switch error.code {
            case .cancelled where isFromPeer: Phrase("The other device cancelled the pairing.", "对方设备取消了配对。")
            case .cancelled: Phrase("The pairing was cancelled.", "配对已取消。")
            case .wrongPasskey:
                Phrase(
                    "The passkeys of the two devices differ, or their out-of-band data does not match.",
                    "两台设备的配对码不同，或者它们的带外数据不一致。")
            case .outOfBandDataMissing:
                Phrase(
                    "\(device) lacks the out-of-band data of this pairing. Transfer new data, and pair again.",
                    "\(device)缺少这次配对的带外数据。请传送新的数据，然后再次配对。")
            case .comparisonFailed:
                Phrase(
                    "The numbers on the two devices differ, or a user rejected them.",
                    "两台设备上的数字不同，或者用户拒绝了它们。")
            case .notSupported: Phrase("\(device) does not pair.", "\(device)不支持配对。")
            case .authenticationRequirements:
                Phrase(
                    "\(device) requires a protection that the two devices have no display or keyboard for.",
                    "\(device)要求的保护需要显示屏或键盘，而两台设备没有。")
            case .insufficientSecurity:
                Phrase("The link has less protection than required.", "连接的保护低于要求。")
            case .keySizeTooSmall: Phrase("\(device) requires a longer encryption key.", "\(device)要求更长的加密密钥。")
            case .repeatedAttempts:
                Phrase(
                    "\(device) refuses pairings for some time, because several failed.",
                    "\(device)在一段时间内拒绝配对，因为已失败多次。")
            case .busy: Phrase("\(device) is pairing with another device.", "\(device)正在与另一台设备配对。")
            case .keyMissing:
                Phrase(
                    "The other device has deleted its keys. Unpair it on this device, and pair again.",
                    "对方设备已删除它的密钥。请在本设备上删除密钥，然后再次配对。")
            case .checkFailed:
                Phrase(
                    "\(device) rejected a key or a check. Another device may be manipulating the pairing.",
                    "\(device)拒绝了密钥或校验。可能有其他设备在干扰配对。")
            case .timedOut: Phrase("A device did not answer within 30 seconds.", "有设备在 30 秒内没有响应。")
            case .encryptionFailed: Phrase("The link could not be encrypted.", "无法加密连接。")
            case .disconnected: Phrase("The device is not connected.", "设备未连接。")
            case .other(let reason):
                Phrase("\(device) ended the pairing with reason \(reason).", "\(device)结束了配对，原因 \(reason)。")
            }
    }
}
