import ArgumentParser
import Foundation

/// The options of commands that follow values over time.
struct MeasurementOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Stop after this number of values.", valueName: "number"), transform: positiveCount)
    var count: Int?

    @Option(help: ArgumentHelp("Stop after this time.", valueName: "seconds"), transform: positiveSeconds)
    var duration: Duration?

    @Option(help: ArgumentHelp("Also write the values to this file as comma-separated lines.", valueName: "file"))
    var csv: String?

    @Option(
        help: ArgumentHelp(
            "Draw the numbers over time when the command ends, to a file whose name ends with .svg.",
            valueName: "file"))
    var plot: String?

    @Flag(help: "Draw the numbers on the terminal as they arrive. Without a terminal, each value is a line.")
    var live = false

    func validate() throws {
        if let plot, !PlotFile.canBe(plot) { throw ValidationError("the name of a plot must end with .svg.") }
    }

    /// Runs `body` with the files of the options. The files are written when `body` ends, also if a signal or a lost device ends it.
    ///
    /// - Parameter title: The title of the plot.
    @MainActor
    func record(
        header: String, title: String, isJSON: Bool, _ body: @MainActor (MeasurementRecorder) async throws -> Void
    ) async throws {
        let plotFile = try plot.map { try PlotFile($0) }
        let isLive = live && !isJSON && LiveChart.isPossible
        let recorder = MeasurementRecorder(title: title, live: isLive ? LiveChart() : nil)
        do {
            if let csv {
                try await OutputFile.lines(to: csv, header: header) { file in
                    recorder.file = file
                    try await body(recorder)
                }
            } else {
                try await body(recorder)
            }
        } catch {
            recorder.finish()
            // The error of the command precedes one of the plot.
            if recorder.hasNumbers { try? plotFile?.write(recorder.chart) }
            throw error
        }
        recorder.finish()
        guard let plotFile else { return }
        guard recorder.hasNumbers else {
            throw ToolError(
                .failed, "there are no numbers to plot.", "Try: the same command with --format, such as --format u16")
        }
        try plotFile.write(recorder.chart)
    }
}
