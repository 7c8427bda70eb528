/// A phrase is `{"en", "zh", "with"}`, where `{0}` in both texts is the first value of `with`: a text or a phrase. A text that is the same in all
/// languages is a JSON string.
extension Phrase: Codable {
    private enum Key: String, CodingKey {
        case english = "en"
        case chinese = "zh"
        case arguments = "with"
    }

    package init(from decoder: any Decoder) throws {
        if let text = try? decoder.singleValueContainer().decode(String.self) {
            self.init(data: text)
            return
        }
        let container = try decoder.container(keyedBy: Key.self)
        self.init(
            english: try container.decode(String.self, forKey: .english),
            chinese: try container.decode(String.self, forKey: .chinese),
            arguments: try container.decodeIfPresent([Argument].self, forKey: .arguments) ?? [])
    }

    package func encode(to encoder: any Encoder) throws {
        if let data {
            var container = encoder.singleValueContainer()
            return try container.encode(data)
        }
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(english, forKey: .english)
        try container.encode(chinese, forKey: .chinese)
        if !arguments.isEmpty { try container.encode(arguments, forKey: .arguments) }
    }
}

extension Phrase.Argument: Codable {
    package init(from decoder: any Decoder) throws {
        let phrase = try Phrase(from: decoder)
        self = phrase.data.map { .text($0) } ?? .phrase(phrase)
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .text(let text):
            var container = encoder.singleValueContainer()
            try container.encode(text)
        case .phrase(let phrase): try phrase.encode(to: encoder)
        }
    }
}
