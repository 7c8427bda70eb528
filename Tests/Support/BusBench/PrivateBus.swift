import Foundation
import SystemBus

/// A `dbus-daemon` of a test's own, with a configuration and a socket in a temporary folder. It ends with the object.
///
/// The tests that use it need the program: in Debian and Ubuntu it is in the package dbus.
package final class PrivateBus {
    package struct MissingError: Error, CustomStringConvertible {
        package let description: String
    }

    private static let program = "/usr/bin/dbus-daemon"

    package let address: BusAddress
    private let folder: URL
    private let daemon = Process()

    /// - Parameters:
    ///   - isAbstract: Whether the socket has an abstract address.
    ///   - hasUsualLimits: Whether it has the limits of a system bus (dbus-daemon(1)).
    package init(isAbstract: Bool = false, hasUsualLimits: Bool = false) throws {
        guard FileManager.default.isExecutableFile(atPath: Self.program) else {
            throw MissingError(description: "This test needs \(Self.program): sudo apt-get install dbus")
        }
        folder = FileManager.default.temporaryDirectory.appending(path: "bus-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let path = folder.appending(path: "bus").path
        address = isAbstract ? .abstract(path) : .path(path)
        let configuration = folder.appending(path: "bus.conf")
        // The limits of the clients are tested, not those of the daemon: it keeps what a slow receiver has not read.
        let limits = """
              <limit name="max_outgoing_bytes">500000000</limit>
              <limit name="max_replies_per_connection">5000</limit>
            """
        let text = """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig>
              <type>session</type>
              <listen>unix:\(isAbstract ? "abstract" : "path")=\(path)</listen>
              <policy context="default">
                <allow send_destination="*" eavesdrop="true"/>
                <allow eavesdrop="true"/>
                <allow own="*"/>
                <allow user="*"/>
              </policy>
              <limit name="auth_timeout">120000</limit>
              \(hasUsualLimits ? "" : limits)
            </busconfig>
            """
        try text.write(to: configuration, atomically: true, encoding: .utf8)
        daemon.executableURL = URL(filePath: Self.program)
        daemon.arguments = ["--config-file=\(configuration.path)", "--nofork", "--nopidfile", "--print-address"]
        let output = Pipe()
        daemon.standardOutput = output
        try daemon.run()
        // The daemon listens when it has printed its address.
        guard !output.fileHandleForReading.availableData.isEmpty else {
            throw MissingError(description: "\(Self.program) ended at once.")
        }
    }

    deinit {
        kill()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Ends the daemon without a warning to its clients.
    package func kill() {
        guard daemon.isRunning else { return }
        Foundation.kill(daemon.processIdentifier, SIGKILL)
        daemon.waitUntilExit()
    }
}
