import BLEAdapter
import Glibc

/// `BLUETOOTH_CAPTURE`: the file that records the packets between the hosts of this process and their controllers.
package enum ProcessCapture {
    private static let open = Lock<[HCICapture]>([])

    /// Opens the capture that the environment names. Nil if it names none, or if the file cannot be opened; the log says why.
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
            // The program may exit in the callback of the last packet.
            if isFirst { atexit { ProcessCapture.finish() } }
            return capture
        } catch {
            LibraryLog.logger().error("BLUETOOTH_CAPTURE: \(error)")
            return nil
        }
    }

    /// Writes the queued records, for 1 s at most.
    private static func finish() {
        for capture in open.withLock({ $0 }) { capture.sink.flush(timeout: .seconds(1)) }
    }
}
