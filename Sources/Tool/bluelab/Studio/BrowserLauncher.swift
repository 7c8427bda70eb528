import Foundation
import Glibc

/// Opens a page in the user's browser.
enum BrowserLauncher {
    /// The program that opens files in the user's browser; nil without a display or without `xdg-open`.
    static func program(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> String? {
        guard environment["DISPLAY"]?.isEmpty == false || environment["WAYLAND_DISPLAY"]?.isEmpty == false else {
            return nil
        }
        return path(of: "xdg-open", in: environment["PATH"] ?? "")
    }

    /// Starts the program. Returns false if it does not start.
    static func open(_ path: String, with program: String) -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = [path]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        return (try? process.run()) != nil
    }

    static func path(of program: String, in folders: String) -> String? {
        folders.split(separator: ":").map { "\($0)/\(program)" }.first { access($0, X_OK) == 0 }
    }
}
