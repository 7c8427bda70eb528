import Dispatch

/// Tells when a radio switch of Bluetooth was thrown, or came or went: every adapter has one. Reads the events of
/// `/dev/rfkill`, which everybody may; where there is none it is silent.
///
/// Threads: the callback runs on the queue given.
package final class RadioSwitchWatcher {
    /// `RFKILL_TYPE_BLUETOOTH` and `RFKILL_TYPE_ALL`.
    private static let bluetooth: UInt8 = 2
    private static let all: UInt8 = 0
    /// Index (4), type, operation, soft, hard; later kernels append more.
    private static let shortest = 8

    private let source: any DispatchSourceRead

    /// Nil if the device cannot be opened.
    package init?(path: String = "/dev/rfkill", queue: DispatchQueue, _ changed: @escaping () -> Void) {
        let number = systemOpen(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0)
        guard number >= 0 else { return nil }
        let descriptor = Descriptor(number, kind: .file)
        source = DispatchSource.makeReadSource(fileDescriptor: number, queue: queue)
        source.setEventHandler { [source] in
            var isOurs = false
            var buffer = [UInt8](repeating: 0, count: 64)
            while true {
                let count = Sockets.read(descriptor, into: &buffer, limit: buffer.count)
                if count == -Int(EAGAIN) { break }
                guard count >= Self.shortest else {
                    source.cancel()
                    break
                }
                if buffer[4] == Self.bluetooth || buffer[4] == Self.all { isOurs = true }
            }
            if isOurs { changed() }
        }
        source.setCancelHandler { _ = descriptor }
        source.resume()
    }

    deinit { source.cancel() }
}
