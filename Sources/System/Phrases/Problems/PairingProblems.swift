/// The reasons why a pairing failed, as `PairingError` gives them to programs, in both languages.
package enum PairingProblems {
    package static func phrase(_ sentence: String) -> Phrase { book.phrase(sentence) }

    private static let book = PhraseBook(
        lines: [
            ("The other device cancelled the pairing.", "对方设备取消了配对。"),
            ("The pairing was cancelled.", "配对已取消。"),
            (
                "The passkeys of the two devices differ, or their out-of-band data does not match.",
                "两台设备的配对码不同，或带外数据不一致。"
            ),
            (
                "{word} lacks the out-of-band data of this pairing. Transfer new data, and pair again.",
                "{word}没有这次配对的带外数据。请传送新的数据，然后重新配对。"
            ),
            ("The numbers on the two devices differ, or a user rejected them.", "两台设备上的数字不同，或被用户拒绝。"),
            ("{word} does not pair.", "{word}不支持配对。"),
            (
                "{word} requires a protection that the two devices have no display or keyboard for.",
                "{word}要求的保护需要显示屏或键盘，而两台设备没有。"
            ),
            ("The link has less protection than required.", "链路的保护低于要求。"),
            ("{word} requires a longer encryption key.", "{word}要求更长的加密密钥。"),
            ("{word} refuses pairings for some time, because several failed.", "{word}因多次失败，暂时拒绝配对。"),
            ("{word} is pairing with another device.", "{word}正在与其他设备配对。"),
            (
                "The other device has deleted its keys. Unpair it on this device, and pair again.",
                "对方设备删除了它的密钥。请在本设备上取消配对，然后重新配对。"
            ),
            (
                "{word} rejected a key or a check. Another device may be manipulating the pairing.",
                "{word}拒绝了密钥或校验。可能有其他设备在操纵配对。"
            ),
            ("A device did not answer within 30 seconds.", "有设备在 30 秒内没有回答。"),
            ("The link could not be encrypted.", "无法加密链路。"),
            ("The device is not connected.", "设备未连接。"),
            ("{word} ended the pairing with reason {}.", "{word}结束了配对，原因是 {}。"),
        ],
        words: [("The other device", "对方设备"), ("This device", "本设备")])
}
