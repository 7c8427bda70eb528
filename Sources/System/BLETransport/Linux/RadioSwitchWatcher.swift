import Dispatch

/// Reports changes of Bluetooth's radio switches. Each adapter has one, so it also reports added and removed adapters.
/// It reads the events of `/dev/rfkill` (linux/rfkill.h), which needs no privileges.
///
/// Threads: the callback runs on the given queue.
package final class RadioSwitchWatcher {
    /// `RFKILL_TYPE_BLUETOOTH` and `RFKILL_TYPE_ALL`.
    private static let bluetooth: UInt8 = 2
    private static let all: UInt8 = 0
    /// `struct rfkill_event`: index (4 octets), type, operation, soft, hard. Later kernels append fields.
    private static let eventLength = 8

    private let source: any DispatchSourceRead

    /// Nil if the device cannot be opened.
    package init?(path: String = "/dev/rfkill", queue: DispatchQueue, _ changed: @escaping () -> Void) {
        let number = systemOpen(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0)
        guard number >= 0 else { return nil }
        let descriptor = Descriptor(number, kind: .file)
        source = DispatchSource.makeReadSource(fileDescriptor: number, queue: queue)
        source.setEventHandler { [source] in
            var isBluetooth = false
            var buffer = [UInt8](repeating: 0, count: 64)
            while true {
                let count = Sockets.read(descriptor, into: &buffer, limit: buffer.count)
                if count == -Int(EAGAIN) { break }
                guard count >= Self.eventLength else {
                    source.cancel()
                    break
                }
                if buffer[4] == Self.bluetooth || buffer[4] == Self.all { isBluetooth = true }
            }
            if isBluetooth { changed() }
        }
        source.setCancelHandler { _ = descriptor }
        source.resume()
    }

    deinit { source.cancel() }
}
