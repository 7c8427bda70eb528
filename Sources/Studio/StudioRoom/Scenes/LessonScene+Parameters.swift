import Phrases

extension LessonScene {
    /// Returns parameters that have the choices of the scene and nothing else.
    ///
    /// - Throws: `PhrasedError` for an unknown name, and for a value that the choice does not have.
    static func checked(_ parameters: WorldValue, _ choices: [Choice]) throws -> WorldValue {
        let members: [String: WorldValue]
        switch parameters {
        case .null: return .null
        case .object(let object): members = object
        default:
            throw PhrasedError(
                "parameters",
                Phrase("The settings of a lesson are names with values.", "课程的设置由名称和值组成。"))
        }
        for (name, value) in members {
            guard let choice = choices.first(where: { $0.name == name }) else {
                let names = choices.map(\.name).joined(separator: ", ")
                throw PhrasedError(
                    "parameters",
                    Phrase("This lesson has no setting \(name.prefix(64)).", "此课程没有设置 \(name.prefix(64))。"),
                    next: names.isEmpty
                        ? Phrase("Open it without settings.", "请不带设置打开。")
                        : Phrase("It has \(names).", "可用的设置：\(names)。"))
            }
            guard choice.allows(value) else {
                throw PhrasedError(
                    "parameters",
                    Phrase(
                        "\(value.shortText) is not possible for \(choice.name).",
                        "\(choice.name) 不能是\(value.shortText)。"), next: choice.range)
            }
        }
        return parameters
    }
}

extension LessonScene.Choice {
    /// The longest text of a choice, which holds a UUID of 32 digits with hyphens, in octets.
    private static let textLimit = 64

    fileprivate func allows(_ value: WorldValue) -> Bool {
        if let number = value.number {
            guard number.isFinite else { return false }
            if let limits, (limits[0]...limits[1]).contains(number) { return !isWhole || value.integer != nil }
            return values.contains { $0.number == number }
        }
        guard let text = value.string else { return false }
        return isText ? text.utf8.count <= Self.textLimit : values.contains(value)
    }

    /// The values that the choice accepts, for an error.
    fileprivate var range: Phrase {
        if let limits {
            let (low, high) = (limits[0].shortText, limits[1].shortText)
            return Phrase("Use a number from \(low) to \(high).", "请使用 \(low) 到 \(high) 的数。")
        }
        if isText {
            return Phrase("Use a text of at most \(Self.textLimit) octets.", "请使用最多 \(Self.textLimit) 字节的文本。")
        }
        let names = values.map(\.shortText.description).joined(separator: ", ")
        return Phrase("Use one of: \(names).", "请使用其中之一：\(names)。")
    }
}

extension WorldValue {
    /// The value in a message.
    fileprivate var shortText: Phrase {
        switch self {
        case .string(""): Phrase("An empty text", "空文本")
        case .string(let text): Phrase(data: text.prefix(64))
        case .integer(let value): Phrase(data: "\(value)")
        case .number(let value): Phrase(data: value.shortText)
        case .bool(let flag): Phrase(data: "\(flag)")
        case .null, .array, .object: Phrase("Such a value", "这样的值")
        }
    }
}

extension Double {
    fileprivate var shortText: String { Int(exactly: self).map(String.init) ?? "\(self)" }
}
