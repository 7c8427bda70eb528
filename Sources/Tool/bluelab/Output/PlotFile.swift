import Foundation

/// The file of a plot. Creating it shows early whether it can be written.
final class PlotFile {
    private let file: OutputFile

    init(_ path: String) throws { file = try OutputFile(path) }

    /// Whether the name is that of an SVG file, the only kind of plots.
    static func canBe(_ path: String) -> Bool { URL(fileURLWithPath: path).pathExtension.lowercased() == "svg" }

    func write(_ chart: LineChart) throws {
        try file.append(Array(chart.svg().utf8))
        try file.publish()
    }
}
