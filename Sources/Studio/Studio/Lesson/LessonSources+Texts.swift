import Foundation

/// The Swift source that the lesson shows, as it is in the repository. `Scripts/generate-lesson` writes each program once; what the page shows are
/// ranges of its lines.
enum LessonSources {
    /// A program without its imports.
    struct File: Sendable {
        let path: String
        let imports: [String]
        let text: String

        init(_ path: String, _ imports: [String], _ text: String) {
            self.path = path
            self.imports = imports
            self.text = text
        }
    }

    /// Lines of a program.
    struct Lines: Sendable {
        let file: String
        /// The number of the first line in the repository.
        let line: Int
        /// Lines of the file's text, from 0 on.
        let range: Range<Int>

        init(_ file: String, line: Int, _ range: Range<Int>) {
            self.file = file
            self.line = line
            self.range = range
        }
    }

    /// A program that a reader copies: files, and the lines that start it.
    struct Copy: Sendable {
        let files: [String]
        let start: String

        init(_ files: [String], _ start: String) {
            self.files = files
            self.start = start
        }
    }

    /// A piece of source for the page.
    struct Part: Codable, Hashable, Sendable {
        var file: String
        var line: Int
        var text: String
    }

    static let central = centralLines.compactMapValues(part)
    static let peripheral = peripheralLines.compactMapValues(part)
    static let regions = regionLines.compactMapValues(part)

    /// The source of a whole program; nil for an unknown name.
    static func program(_ name: String) -> String? {
        guard let copy = copies[name] else { return nil }
        let files = copy.files.compactMap { self.files[$0] }
        let imports = Set(files.flatMap(\.imports)).sorted().map { "import \($0)" }.joined(separator: "\n")
        return ([imports] + files.map(\.text) + [copy.start]).joined(separator: "\n\n") + "\n"
    }

    /// The lines without their common indentation, reports of steps, `public`, and the brace that begins a body.
    private static func part(_ lines: Lines) -> Part? {
        guard let file = files[lines.file] else { return nil }
        var text = file.text.split(separator: "\n", omittingEmptySubsequences: false)[lines.range].map {
            $0.replacingOccurrences(of: "public ", with: "")
        }
        text.removeAll { $0.drop { $0 == " " }.hasPrefix("onStep(") }
        let indentation = text.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
        text = text.map { String($0.dropFirst(indentation)) }
        if let last = text.last, last.hasSuffix("{") {
            text.removeLast()
            let signature = last.dropLast().trimmingSuffix { $0 == " " }
            if !signature.isEmpty { text.append(String(signature)) }
        }
        return Part(file: file.path, line: lines.line, text: text.joined(separator: "\n"))
    }
}

extension Substring {
    fileprivate func trimmingSuffix(_ isDropped: (Character) -> Bool) -> Substring {
        var end = endIndex
        while end > startIndex, isDropped(self[index(before: end)]) { end = index(before: end) }
        return self[startIndex..<end]
    }
}
