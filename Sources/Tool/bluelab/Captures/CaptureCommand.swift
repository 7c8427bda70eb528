import ArgumentParser
import BLERuntime
import BLETransport
import Foundation

struct CaptureCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "capture",
        abstract: "Run a program and record the packets between its host and its controller.",
        discussion: """
              bluelab capture trace.btsnoop -- bluelab explore wristband
              bluelab capture trace.btsnoop -- PROGRAM
              btmon --read trace.btsnoop

            Runs a program that uses this package, with BLUETOOTH_CAPTURE set to the file. btmon and Wireshark read the file. The exit \
            code is that of the program. With bluez, bluetoothd has the packets: record them with btmon. To record the packets on the air of a virtual radio, run `bluelab radio --capture`.
            """)

    @Argument(help: "The file to write (btsnoop).", completion: .file(extensions: ["btsnoop"]))
    var file: String

    @Argument(parsing: .postTerminator, help: "The program and its arguments, after --.")
    var command: [String] = []

    func validate() throws {
        if command.isEmpty { throw ValidationError("the program to run follows after --, as in: -- bluelab scan.") }
    }

    func run() throws {
        // The program would only log that it cannot write the file, and leave it empty if it ends before it has a controller.
        let path = URL(fileURLWithPath: file).path
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw ToolError.output(file, errno) }
        Self.begin(descriptor)
        close(descriptor)
        setenv("BLUETOOTH_CAPTURE", path, 1)
        var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) }
        arguments.append(nil)
        execvp(command[0], arguments)
        let reason = String(cString: strerror(errno))
        throw ToolError(
            .failed, "\(command[0]) cannot be run: \(reason).", "Try: command -v \(ShellWord.quoted(command[0]))")
    }

    /// Writes the header of a capture without packets to a new file. The program overwrites it.
    private static func begin(_ descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size == 0 else { return }
        var header: [UInt8] = []
        BtsnoopWriter(format: .h4).appendHeader(to: &header)
        _ = write(descriptor, header, header.count)
    }
}
