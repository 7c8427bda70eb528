import CoreBluetooth
import Foundation
import TestConditions
import Testing

@testable import Phrases

/// The phrases in the sources of the studio.
@Suite struct PhraseSourceTests {
    /// A call `Phrase("…", "…")`, with the texts of its interpolations.
    private struct Call {
        var place: String
        var english: Literal
        var chinese: Literal
    }

    private struct Literal {
        var text = ""
        var values: [String] = []
    }

    private static func sources() throws -> [URL] {
        let root = projectRoot.appending(path: "Sources")
        let all = try #require(FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil))
        return all.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
    }

    private static func calls(in file: URL) throws -> [Call] {
        let source = Array(try String(contentsOf: file, encoding: .utf8))
        var calls: [Call] = []
        var index = 0
        let opening = Array("Phrase(")
        while index + opening.count < source.count {
            defer { index += 1 }
            guard source[index..<(index + opening.count)].elementsEqual(opening) else { continue }
            var place = index + opening.count
            guard let english = literal(source, &place), skip(",", source, &place),
                let chinese = literal(source, &place)
            else { continue }
            let line = source[..<index].count { $0 == "\n" } + 1
            calls.append(Call(place: "\(file.lastPathComponent):\(line)", english: english, chinese: chinese))
        }
        return calls
    }

    private static func skip(_ character: Character, _ source: [Character], _ place: inout Int) -> Bool {
        while source.indices.contains(place), source[place].isWhitespace { place += 1 }
        guard source.indices.contains(place), source[place] == character else { return false }
        place += 1
        return true
    }

    private static func literal(_ source: [Character], _ place: inout Int) -> Literal? {
        guard skip("\"", source, &place) else { return nil }
        var literal = Literal()
        while source.indices.contains(place), source[place] != "\"" {
            if source[place] == "\\", source[place + 1] == "(" {
                let start = place + 2
                var depth = 1
                place = start
                while depth > 0 {
                    if source[place] == "(" { depth += 1 }
                    if source[place] == ")" { depth -= 1 }
                    place += 1
                }
                literal.values.append(String(source[start..<(place - 1)]))
            } else {
                if source[place] == "\\" { place += 1 }
                literal.text.append(source[place])
                place += 1
            }
        }
        place += 1
        return literal
    }

    private static func hasHan(_ text: String) -> Bool {
        text.unicodeScalars.contains { (0x4E00...0x9FFF).contains($0.value) }
    }

    @Test func everyPhraseHasBothLanguagesAndEqualValues() throws {
        var count = 0
        for file in try Self.sources() {
            for call in try Self.calls(in: file) {
                count += 1
                let hasWords = call.english.text.contains { $0.isLetter }
                #expect(!Self.hasHan(call.english.text), "\(call.place)")
                #expect(Self.hasHan(call.chinese.text) == hasWords, "\(call.place)")
                #expect(call.english.values.sorted() == call.chinese.values.sorted(), "\(call.place)")
                for text in [call.english.text, call.chinese.text] {
                    #expect(!text.contains("{") && !text.contains("}"), "\(call.place)")
                }
            }
        }
        // The scan finds the calls at all.
        #expect(count > 80)
    }

    @Test func everyErrorOfCoreBluetoothHasASentence() {
        let errors: [any Error] =
            (0...30).map { CBError(CBError.Code(rawValue: $0) ?? .unknown) }
            + (0...20).map { CBATTError(CBATTError.Code(rawValue: $0) ?? .unlikelyError) }
        for error in errors {
            let sentence = SystemWords.book.word(error.localizedDescription)
            #expect(sentence.data == nil && Self.hasHan(sentence.inChinese), "\(error.localizedDescription)")
        }
    }
}
