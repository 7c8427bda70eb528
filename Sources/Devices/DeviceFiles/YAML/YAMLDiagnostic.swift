/// One error of a file: `FILE:LINE:COLUMN: expected ..., found ...`.
package struct YAMLDiagnostic: Hashable, Sendable, CustomStringConvertible {
    package let file: String
    /// Nil if the error concerns the whole file.
    package let position: YAMLPosition?
    package let message: String

    package init(file: String, at position: YAMLPosition?, _ message: String) {
        self.file = file
        self.position = position
        self.message = message
    }

    package var description: String {
        guard let position else { return "\(file): \(message)" }
        return "\(file):\(position.line):\(position.column): \(message)"
    }
}

/// All errors of a file, in the order of their places.
package struct YAMLError: Error, Hashable, Sendable, CustomStringConvertible {
    package let list: [YAMLDiagnostic]
    /// The number of further errors that `list` leaves out.
    package let omitted: Int

    package init(_ list: [YAMLDiagnostic], omitted: Int = 0) {
        self.list = list
        self.omitted = omitted
    }

    package var lines: [String] {
        list.map(\.description) + (omitted > 0 ? ["\(omitted) more errors"] : [])
    }

    package var description: String { lines.joined(separator: "\n") }
}
