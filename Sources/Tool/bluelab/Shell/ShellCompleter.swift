import BLEValues
import DeviceFiles

/// Completes the words of a line. It is a value: what the session knows comes in as a vocabulary.
struct ShellCompleter: Sendable {
    struct Device: Hashable, Sendable {
        let name: String?
        let identifier: String
    }

    struct Characteristic: Hashable, Sendable {
        let service: String
        /// Nil if the SIG assigned none.
        let serviceName: String?
        let uuid: String
        let name: String?
    }

    var devices: [Device] = []
    var characteristics: [Characteristic] = []

    /// The completion of the last word of `head`, the text before the cursor.
    func completion(of head: String) -> LineCompletion {
        let line = ShellWords(head)
        let isNewWord = line.lastLength == 0
        let typed = isNewWord ? "" : line.words.last ?? ""
        let position = line.words.count - (isNewWord ? 0 : 1)
        let candidates = self.candidates(line.words, position, typed)
        return LineCompletion(
            length: line.lastLength, candidates: candidates.map { Self.candidate($0, openQuote: line.openQuote) })
    }

    private struct Word: Hashable {
        let text: String
        var shown: String?
        /// Whether more of the same word follows, as after `180D/`.
        var isPart = false
    }

    private static func candidate(_ word: Word, openQuote: Character?) -> LineCompletion.Candidate {
        var (text, ending) = ShellWords.opened(word.text)
        if openQuote != nil, !text.hasPrefix("\"") { (text, ending) = ("\"" + text, "\" ") }
        return LineCompletion.Candidate(text, shown: word.shown ?? word.text, ending: word.isPart ? "" : ending)
    }

    private func candidates(_ words: [String], _ position: Int, _ typed: String) -> [Word] {
        guard position > 0 else { return Self.fitting(ShellCommandInfo.all.map(\.word), typed) }
        guard let info = ShellCommandInfo.all.first(where: { $0.word == words[0] }),
            position <= info.arguments.count
        else { return [] }
        var kinds = [info.arguments[position - 1]]
        // The format of a write is optional.
        if info.word == "write", position == 3 { kinds.append(.response) }
        return kinds.flatMap { candidates($0, info.word, typed) }
    }

    private func candidates(_ kind: ShellArgument, _ command: String, _ typed: String) -> [Word] {
        switch kind {
        case .device: return deviceWords(typed)
        case .characteristic: return characteristicWords(typed)
        case .format:
            let others = command == "format" ? ["auto"] : []
            return Self.fitting(others + ValueFormat.all.map(\.name), typed)
        case .state: return Self.fitting(["on", "off"], typed)
        case .security: return Self.fitting(ScriptSecurity.allCases.map(\.rawValue), typed)
        case .command: return Self.fitting(ShellCommandInfo.all.map(\.word), typed)
        case .response: return Self.fitting([ShellInstruction.separateWord], typed)
        case .file: return Self.fitting(["stop"], typed)
        case .value, .seconds: return []
        }
    }

    private static func fitting(_ words: [String], _ typed: String) -> [Word] {
        words.filter { starts($0, with: typed) }.map { Word(text: $0) }
    }

    private static func starts(_ text: String, with typed: String) -> Bool {
        text.lowercased().hasPrefix(typed.lowercased())
    }

    private func deviceWords(_ typed: String) -> [Word] {
        devices.compactMap { device in
            let identifier = String(device.identifier.prefix(8))
            if let name = device.name, Self.starts(name, with: typed) {
                // Devices with equal names differ in their identifiers.
                let isUnique = devices.count { $0.name == name } == 1
                return Word(text: isUnique ? name : identifier, shown: "\(name) (\(identifier))")
            }
            guard device.name == nil || !typed.isEmpty, Self.starts(identifier, with: typed) else { return nil }
            return Word(text: identifier, shown: "\(device.name ?? "(no name)") (\(identifier))")
        }
    }

    private func characteristicWords(_ typed: String) -> [Word] {
        if let slash = typed.firstIndex(of: "/") {
            let service = String(typed[..<slash])
            let rest = String(typed[typed.index(after: slash)...])
            return characteristics.filter {
                Self.isSame($0.service, service) || $0.serviceName.map { Self.isSame($0, service) } == true
            }.compactMap { characteristic in
                guard let word = word(characteristic, rest) else { return nil }
                return Word(text: service + "/" + word.text, shown: word.shown)
            }
        }
        var words = characteristics.compactMap { characteristic in
            let isUnique = characteristics.count { $0.uuid == characteristic.uuid } == 1
            guard isUnique else { return nil as Word? }
            return word(characteristic, typed)
        }
        // A service is the start of a path.
        for characteristic in characteristics {
            let names = [characteristic.serviceName, characteristic.service].compactMap { $0 }
            guard let name = names.first(where: { Self.starts($0, with: typed) }), !typed.isEmpty || words.isEmpty
            else { continue }
            let word = Word(text: name + "/", isPart: true)
            if !words.contains(word) { words.append(word) }
        }
        return words
    }

    private func word(_ characteristic: Characteristic, _ typed: String) -> Word? {
        let shown = [characteristic.name, characteristic.uuid].compactMap { $0 }.joined(separator: " ")
        if let name = characteristic.name, Self.starts(name, with: typed) { return Word(text: name, shown: shown) }
        guard characteristic.name == nil || !typed.isEmpty, Self.starts(characteristic.uuid, with: typed) else {
            return nil
        }
        return Word(text: characteristic.uuid, shown: shown)
    }

    private static func isSame(_ left: String, _ right: String) -> Bool { left.lowercased() == right.lowercased() }
}
