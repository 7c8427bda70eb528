import Foundation
import StudioRoom
import TestConditions
import Testing

@testable import Studio

/// The texts of the lesson as the page has them.
enum LessonTexts {
    struct Language: Decodable {
        var title: String
        var text: String
        var look: String?
        var next: String?
        var choices: [String: [String: String]]?
        var actions: [String: String]?
    }

    struct Texts: Decodable {
        var marks: [String: [String?]]?
        var en: Language
        var zh: Language
    }

    /// The value of a module, which is JSON after `export const`.
    static func texts(_ name: String) throws -> [String: Texts] {
        let file = projectRoot.appendingPathComponent("Studio/parts/lesson-words-\(name).js")
        let text = try String(contentsOf: file, encoding: .utf8)
        let start = try #require(text.range(of: "export const \(name) = ")).upperBound
        let end = try #require(text.lastIndex(of: "}"))
        return try JSONDecoder().decode([String: Texts].self, from: Data(text[start...end].utf8))
    }
}

/// The texts of the lesson in the page: both languages, and names that exist.
@Suite struct LessonTextTests {
    /// The marks of a text with the words of each.
    private static func marks(_ text: String) -> [String: String] {
        Dictionary(
            text.matches(of: /\{(\w)\|([^}]*)\}/).map { (String($0.1), String($0.2)) },
            uniquingKeysWith: { _, last in last })
    }

    private static func hasHan(_ text: String) -> Bool {
        text.unicodeScalars.contains { (0x4E00...0x9FFF).contains($0.value) }
    }

    @Test(arguments: ["central", "peripheral"]) func eachStepHasItsWordsAndMarksInBothLanguages(name: String) throws {
        let texts = try LessonTexts.texts(name)
        let tour = name == "central" ? LessonTour.central : LessonTour.peripheral
        #expect(Set(texts.keys) == Set(tour.steps.map { "\($0.number)" }))
        var sources = 0
        for step in tour.steps {
            let words = try #require(texts["\(step.number)"])
            let source = try #require(tour.sources[step.number])
            let marks = try #require(words.marks)
            #expect(Set(Self.marks(words.en.text).keys) == Set(marks.keys), "step \(step.number)")
            #expect(Set(Self.marks(words.zh.text).keys) == Set(marks.keys), "step \(step.number)")
            for language in [words.en, words.zh] {
                #expect(
                    !language.title.isEmpty && !Self.marks(language.text).values.contains(""), "step \(step.number)")
            }
            #expect(Self.hasHan(words.zh.title) && Self.hasHan(words.zh.text) && !Self.hasHan(words.en.text))
            for (mark, parts) in marks {
                try #require(parts.count == 2, "step \(step.number), mark \(mark)")
                if let swift = parts[0] {
                    sources += 1
                    #expect(source.text.contains(swift), "step \(step.number): \(swift)")
                }
            }
        }
        #expect(sources > 5, "\(sources)")
    }

    @Test func eachSceneHasItsWordsInBothLanguages() throws {
        let texts = try LessonTexts.texts("scenes")
        #expect(Set(texts.keys) == Set(Lesson.scenes.map(\.id)))
        for scene in Lesson.scenes {
            let words = try #require(texts[scene.id])
            for language in [words.en, words.zh] {
                #expect(!language.title.isEmpty && !language.text.isEmpty)
                if LessonTour.tour(of: scene.id) == nil { #expect(language.look != nil && language.next != nil) }
                #expect(Set((language.actions ?? [:]).keys) == Set(scene.actions.map(\.id)), "\(scene.id)")
                #expect(Set((language.choices ?? [:]).keys) == Set(scene.choices.map(\.name)), "\(scene.id)")
                for choice in scene.choices {
                    let labels = Set(choice.values.map(Self.label) + [""])
                    #expect(Set((language.choices?[choice.name] ?? [:]).keys) == labels, "\(scene.id)")
                }
            }
            #expect(Self.hasHan(words.zh.text) && !Self.hasHan(words.en.text), "\(scene.id)")
        }
    }

    /// A value as the page writes it.
    private static func label(_ value: RoomValue) -> String {
        if let text = value.string { return text }
        let number = value.number ?? 0
        return number == number.rounded() ? "\(Int(number))" : "\(number)"
    }

    @Test func theShownSourceIsThatOfThePrograms() throws {
        for part in Array(LessonSources.central.values) + LessonSources.peripheral.values + LessonSources.regions.values
        {
            let text = try String(
                contentsOf: projectRoot.appendingPathComponent(part.file), encoding: .utf8)
            let lines = text.components(separatedBy: "\n")
            #expect(lines.indices.contains(part.line - 1), "\(part.file)")
            let shown = part.text.components(separatedBy: "\n")
            for (offset, line) in shown.enumerated() where !line.isEmpty {
                #expect(
                    lines.dropFirst(part.line - 1).prefix(shown.count + 4).contains {
                        $0.contains(line.trimmingCharacters(in: .whitespaces))
                    },
                    "\(part.file):\(part.line + offset): run Scripts/generate-lesson")
            }
        }
    }

    @Test func eachSceneShowsSourceAndCanBeCopied() {
        for scene in LessonCatalogue().scenes {
            #expect(!scene.sources.isEmpty)
            for source in scene.sources {
                #expect(LessonProject(source.program) != nil, "\(source.program)")
                #expect(source.part != nil || scene.steps != nil, "\(scene.id): \(source.program)")
            }
        }
    }
}
