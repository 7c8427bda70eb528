import Foundation
import Glibc

/// Opens a link in the user's browser.
enum BrowserLauncher {
    /// Does nothing if there is no display or no `xdg-open`: the link is in the output.
    static func open(_ link: String, environment: [String: String] = ProcessInfo.processInfo.environment) {
        guard environment["DISPLAY"]?.isEmpty == false || environment["WAYLAND_DISPLAY"]?.isEmpty == false,
            let program = path(of: "xdg-open", in: environment["PATH"] ?? "")
        else { return }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = [link]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try? process.run()
    }

    static func path(of program: String, in folders: String) -> String? {
        folders.split(separator: ":").map { "\($0)/\(program)" }.first { access($0, X_OK) == 0 }
    }
}
