/// The reasons why a pairing failed, as `PairingError` gives them to programs, in both languages.
package enum PairingProblems {
    package static func phrase(_ sentence: String) -> Phrase { book.phrase(sentence) }

    private static let book = PhraseBook(lines: lines, words: [])

    package static let lines: [(String, String)] =
        [
            ("The other device cancelled the pairing.", "对方设备取消了配对。"),
            ("The pairing was cancelled.", "配对已取消。"),
            (
                "The passkeys of the two devices differ, or their out-of-band data does not match.",
                "两台设备的配对码不同，或带外数据不一致。"
            ),
            ("The numbers on the two devices differ, or a user rejected them.", "两台设备上的数字不同，或被用户拒绝。"),
            ("The link has less protection than required.", "链路的保护低于要求。"),
            (
                "The other device has deleted its keys. Unpair it on this device, and pair again.",
                "对方设备删除了它的密钥。请在本设备上取消配对，然后重新配对。"
            ),
            ("A device did not answer within 30 seconds.", "有设备在 30 秒内没有回答。"),
            ("The link could not be encrypted.", "无法加密链路。"),
            ("The device is not connected.", "设备未连接。"),
        ] + ends(of: "The other device", "对方设备") + ends(of: "This device", "本设备")

    /// What one of the two devices did.
    private static func ends(of device: String, _ chinese: String) -> [(String, String)] {
        [
            (
                "lacks the out-of-band data of this pairing. Transfer new data, and pair again.",
                "没有这次配对的带外数据。请传送新的数据，然后重新配对。"
            ),
            ("does not pair.", "不支持配对。"),
            (
                "requires a protection that the two devices have no display or keyboard for.",
                "要求的保护需要显示屏或键盘，而两台设备没有。"
            ),
            ("requires a longer encryption key.", "要求更长的加密密钥。"),
            ("refuses pairings for some time, because several failed.", "因多次失败，暂时拒绝配对。"),
            ("is pairing with another device.", "正在与其他设备配对。"),
            (
                "rejected a key or a check. Another device may be manipulating the pairing.",
                "拒绝了密钥或校验。可能有其他设备在操纵配对。"
            ),
            ("ended the pairing with reason {}.", "结束了配对，原因是 {}。"),
        ].map { ("\(device) \($0.0)", "\(chinese)\($0.1)") }
    }
}
