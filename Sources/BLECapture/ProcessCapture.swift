import BLEAdapter
import BLETransport
import Glibc

/// `BLUETOOTH_CAPTURE`: what the hosts of this process and their controllers say to each other goes to that file.
package enum ProcessCapture {
    private static let open = Lock<[HCICapture]>([])

    /// Opens the capture that the environment asks for; nil if it asks for none, or it cannot be opened, which the log says.
    package static func make(
        format: BtsnoopWriter.Format, path: String? = getenv("BLUETOOTH_CAPTURE").map { String(cString: $0) }
    ) -> HCICapture? {
        guard let path, !path.isEmpty else { return nil }
        do throws(TransportError) {
            let capture = HCICapture(to: try CaptureSink(path: path), format: format)
            try capture.sink.verify()
            capture.sink.onFailure { LibraryLog.logger().error("BLUETOOTH_CAPTURE: \($0)") }
            let isFirst = open.withLock { open in
                open.append(capture)
                return open.count == 1
            }
            // A program may end in the very call that the last packet led to.
            if isFirst { atexit { ProcessCapture.finish() } }
            return capture
        } catch {
            LibraryLog.logger().error("BLUETOOTH_CAPTURE: \(error)")
            return nil
        }
    }

    /// Writes what waits.
    private static func finish() {
        for capture in open.withLock({ $0 }) { capture.sink.flush(timeout: .seconds(1)) }
    }
}
