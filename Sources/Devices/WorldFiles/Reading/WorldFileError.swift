import DeviceFiles

/// The errors of a world file, or of a request to a world that was read from one.
///
/// Each error is one sentence: `FILE:LINE:COLUMN: expected ..., found ...`.
public struct WorldFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The sentences, in the order of their places. A file with very many errors lists the first ones and their number.
    public let lines: [String]

    init(_ line: String) { lines = [line] }
    init(_ error: YAMLError) { lines = error.lines }

    /// The sentences, one per line.
    public var description: String { lines.joined(separator: "\n") }
}
