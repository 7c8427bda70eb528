import Foundation

/// The file of a plot. Creating it shows early whether it can be written.
final class PlotFile {
    enum Kind: String {
        case svg, png

        init?(path: String) { self.init(rawValue: URL(fileURLWithPath: path).pathExtension.lowercased()) }
    }

    private let kind: Kind
    private let file: OutputFile

    init(_ path: String) throws {
        kind = Kind(path: path) ?? .svg
        file = try OutputFile(path)
    }

    func write(_ chart: LineChart) throws {
        try file.append(kind == .svg ? Array(chart.svg().utf8) : chart.png())
        try file.publish()
    }
}
