import Foundation

/// The checkout of this package that a program was built in.
package enum Checkout {
    /// The folder of the running program's checkout; nil if it was installed, or if the path does not fit into a manifest as it is.
    package static var present: String? {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")).flatMap(folder)
    }

    /// The folder above `.build` in the path of a program, if it is a checkout of this package.
    static func folder(of program: String) -> String? {
        let parts = program.components(separatedBy: "/")
        guard let build = parts.lastIndex(of: ".build") else { return nil }
        let folder = parts[..<build].joined(separator: "/")
        let isPlain = folder.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0 != "\"" && $0 != "\\" }
        guard folder.hasPrefix("/"), isPlain,
            FileManager.default.fileExists(atPath: "\(folder)/Package.swift"),
            FileManager.default.fileExists(atPath: "\(folder)/Sources/CoreBluetooth/CoreBluetooth")
        else { return nil }
        return folder
    }
}
