import Foundation
import Yams

/// A YAML file as a tree with places.
package struct YAMLDocument: Hashable, Sendable {
    /// The name of the file in errors.
    package let file: String
    package let root: YAMLNode

    package init(file: String, root: YAMLNode) {
        self.file = file
        self.root = root
    }

    /// Limits of a kind of files. They bound the time and the memory for a hostile one.
    package struct Limits: Hashable, Sendable {
        /// Octets of the file.
        package var size: Int
        /// Nodes after the expansion of aliases.
        package var nodes: Int

        package init(size: Int = Limit.size, nodes: Int = Limit.nodes) {
            self.size = size
            self.nodes = nodes
        }
    }

    /// Limits of a file without limits of its own.
    package enum Limit {
        /// Octets of the file.
        package static let size = 1 << 20
        /// Mappings and lists inside each other.
        package static let depth = 32
        /// Nodes after the expansion of aliases.
        package static let nodes = 100_000
        /// Places that can be an alias (`*name`). Aliases to aliases multiply, so a bound on the expanded nodes alone would come too late.
        package static let aliases = 32
    }

    /// Reads a file.
    ///
    /// - Throws: `YAMLError` if the file cannot be read, exceeds a limit, or is not YAML.
    package init(path: String, limits: Limits = Limits()) throws(YAMLError) {
        self = try YAMLDocument(text: Self.text(of: path, limit: limits.size), file: path, limits: limits)
    }

    /// Parses a text. `file` is its name in errors.
    package init(text: String, file: String, limits: Limits = Limits()) throws(YAMLError) {
        self.file = file
        func problem(_ message: String, _ position: YAMLPosition? = nil) -> YAMLError {
            YAMLError([YAMLDiagnostic(file: file, at: position, message)])
        }
        guard text.utf8.count <= limits.size else {
            throw problem("expected at most \(limits.size) octets, found \(text.utf8.count).")
        }
        if let position = Self.positionOfExcessAlias(in: text) {
            throw problem("expected at most \(Limit.aliases) aliases, found more.", position)
        }
        root = try LargeStackThread.run { () -> Result<YAMLNode, YAMLError> in
            Result { () throws(YAMLError) in try Self.root(of: text, file, limits.nodes) }
        }.get()
    }

    private static func root(of text: String, _ file: String, _ limit: Int) throws(YAMLError) -> YAMLNode {
        func problem(_ message: String, _ position: YAMLPosition? = nil) -> YAMLError {
            YAMLError([YAMLDiagnostic(file: file, at: position, message)])
        }
        let node: Node?
        do {
            let text = text.first == "\u{FEFF}" ? String(text.dropFirst()) : text
            node = try Yams.compose(yaml: text, .default, .default, .utf8)
        } catch let error as YamlError {
            throw YAMLError([YAMLDiagnostic(file: file, error)])
        } catch {
            throw problem("expected YAML, found: \(error).")
        }
        guard let node else { throw problem("expected a mapping, found an empty file.", .init(line: 1, column: 1)) }
        var conversion = Conversion(file: file, limit: limit)
        return try conversion.convert(node, depth: 0)
    }

    /// Reads a UTF-8 text file within the limit of the size.
    package static func text(of path: String, limit: Int = Limit.size) throws(YAMLError) -> String {
        func problem(_ message: String) -> YAMLError {
            YAMLError([YAMLDiagnostic(file: path, at: nil, message)])
        }
        func reason() -> String { String(cString: strerror(errno)) }
        guard let file = fopen(path, "re") else { throw problem("the file cannot be opened: \(reason()).") }
        defer { fclose(file) }
        var octets = [UInt8](repeating: 0, count: limit + 1)
        let count = fread(&octets, 1, octets.count, file)
        guard ferror(file) == 0 else { throw problem("the file cannot be read: \(reason()).") }
        guard count <= limit else { throw problem("expected at most \(limit) octets, found more.") }
        guard let text = String(validating: octets[..<count], as: UTF8.self) else {
            throw problem("expected UTF-8 text, found other octets.")
        }
        return text
    }

    /// Whether a star after the character can begin an alias.
    static func precedesAlias(_ character: Unicode.Scalar) -> Bool {
        character.value <= 0x20 || "[{,:?-&!".unicodeScalars.contains(character)
    }

    /// The place of the first alias beyond the limit. Counts what looks like an alias, also in comments and quoted texts.
    private static func positionOfExcessAlias(in text: String) -> YAMLPosition? {
        var count = 0
        var line = 1
        var column = 1
        var previous = UInt8(ascii: "\n")
        var isAfterStar = false
        for octet in text.utf8 {
            if isAfterStar, octet > 0x20, octet != UInt8(ascii: "*") {
                count += 1
                if count > Limit.aliases { return YAMLPosition(line: line, column: column - 1) }
            }
            isAfterStar = octet == UInt8(ascii: "*") && precedesAlias(Unicode.Scalar(previous))
            if octet == UInt8(ascii: "\n") {
                line += 1
                column = 1
            } else if octet & 0xC0 != 0x80 {
                column += 1
            }
            previous = octet
        }
        return nil
    }
}

/// Converts the nodes of Yams, which share what aliases repeat, into a tree of bounded size.
private struct Conversion {
    let file: String
    /// The most nodes.
    let limit: Int
    var count = 0

    init(file: String, limit: Int) {
        self.file = file
        self.limit = limit
    }

    mutating func convert(_ node: Node, depth: Int) throws(YAMLError) -> YAMLNode {
        let position = YAMLPosition(node.mark)
        count += 1
        guard depth <= YAMLDocument.Limit.depth else {
            throw problem("expected at most \(YAMLDocument.Limit.depth) levels, found more.", position)
        }
        guard count <= limit else {
            throw problem("expected at most \(limit) values, found more.", position)
        }
        switch node {
        case .scalar(let scalar):
            return YAMLNode(.scalar(scalar.string, isQuoted: scalar.style != .plain), at: position)
        case .sequence(let sequence):
            var elements: [YAMLNode] = []
            for element in sequence { elements.append(try convert(element, depth: depth + 1)) }
            return YAMLNode(.sequence(elements), at: position)
        case .mapping(let mapping):
            var entries: [YAMLEntry] = []
            for (key, value) in mapping {
                let keyPosition = YAMLPosition(key.mark)
                guard case .scalar(let scalar) = key else {
                    throw problem("expected a name as the key, found a list or a mapping.", keyPosition)
                }
                let value = try convert(value, depth: depth + 1)
                entries.append(YAMLEntry(key: scalar.string, at: keyPosition, value: value))
            }
            return YAMLNode(.mapping(entries), at: position)
        case .alias:
            throw problem("expected a value, found an alias without an anchor.", position)
        }
    }

    private func problem(_ message: String, _ position: YAMLPosition) -> YAMLError {
        YAMLError([YAMLDiagnostic(file: file, at: position, message)])
    }
}

extension YAMLPosition {
    fileprivate init(_ mark: Mark?) { self.init(line: mark?.line ?? 1, column: mark?.column ?? 1) }
}

extension YAMLDiagnostic {
    /// An error of the parser.
    fileprivate init(file: String, _ error: YamlError) {
        switch error {
        case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            let place = context.map { " (\($0.text) in line \($0.mark.line))" } ?? ""
            self.init(file: file, at: YAMLPosition(mark), "expected YAML, found: \(problem)\(place).")
        case .reader(let problem, let offset, _, let yaml):
            let before = yaml.prefix(offset ?? 0)
            let line = before.count { $0.isNewline } + 1
            let column = before.reversed().prefix { !$0.isNewline }.count + 1
            self.init(
                file: file, at: YAMLPosition(line: line, column: column), "expected text, found: \(problem).")
        case .duplicatedKeysInMapping(let duplicates, let context):
            let names = duplicates.map { "\"\($0)\"" }.joined(separator: ", ")
            self.init(
                file: file, at: YAMLPosition(context.mark), "expected each key once, found \(names) again.")
        default: self.init(file: file, at: nil, "expected YAML, found: \(error).")
        }
    }
}
