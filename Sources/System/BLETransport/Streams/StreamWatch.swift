import Dispatch

/// Watches the descriptor of one stream and calls the stream when it can read or write. Used by one thread at a time.
package protocol StreamWatch: AnyObject {
    /// Whether a hang-up is reported until the stream is closed. libdispatch reports it once.
    var repeatsHangUps: Bool { get }
    /// Starts or stops the calls for readable octets, errors and the end.
    func watchReading(_ isWatching: Bool)
    /// Starts or stops the calls for room to write.
    func watchWriting(_ isWatching: Bool)
    /// Ends all calls.
    func cancel()
}

extension PollingGroup? {
    /// Watches a descriptor with the group, which has the same queue, or with dispatch sources without one.
    package func watch(
        _ descriptor: Descriptor, queue: DispatchQueue, onReadable: @escaping () -> Void,
        onWritable: @escaping () -> Void
    ) -> any StreamWatch {
        self?.watch(descriptor, onReadable: onReadable, onWritable: onWritable)
            ?? DispatchWatch(descriptor, queue: queue, onReadable: onReadable, onWritable: onWritable)
    }
}

/// Watches with dispatch sources.
package final class DispatchWatch: StreamWatch {
    package let repeatsHangUps = false
    private let descriptor: Descriptor
    private let queue: DispatchQueue
    private let onReadable: () -> Void
    private let onWritable: () -> Void
    private var readSource: (any DispatchSourceRead)?
    private var isReading = false
    private var writeSource: (any DispatchSourceWrite)?
    private var isWriting = false

    package init(
        _ descriptor: Descriptor, queue: DispatchQueue, onReadable: @escaping () -> Void,
        onWritable: @escaping () -> Void
    ) {
        self.descriptor = descriptor
        self.queue = queue
        self.onReadable = onReadable
        self.onWritable = onWritable
    }

    deinit { cancel() }

    package func watchReading(_ isWatching: Bool) {
        guard isWatching != isReading else { return }
        isReading = isWatching
        if !isWatching {
            readSource?.suspend()
        } else if let readSource {
            readSource.resume()
        } else {
            let watched = descriptor.readiness ?? descriptor
            let source = DispatchSource.makeReadSource(fileDescriptor: watched.number, queue: queue)
            let handler = onReadable
            source.setEventHandler { handler() }
            source.setCancelHandler { [descriptor] in
                _ = watched
                _ = descriptor
            }
            readSource = source
            source.resume()
        }
    }

    package func watchWriting(_ isWatching: Bool) {
        guard isWatching != isWriting else { return }
        isWriting = isWatching
        if !isWatching {
            writeSource?.suspend()
        } else if let writeSource {
            writeSource.resume()
        } else {
            let source = DispatchSource.makeWriteSource(fileDescriptor: descriptor.number, queue: queue)
            let handler = onWritable
            source.setEventHandler { handler() }
            source.setCancelHandler { [descriptor] in _ = descriptor }
            writeSource = source
            source.resume()
        }
    }

    /// The descriptor closes after the last source has ended.
    package func cancel() {
        readSource?.cancel()
        // A suspended source must not be released.
        if !isReading { readSource?.resume() }
        readSource = nil
        isReading = false
        writeSource?.cancel()
        if !isWriting { writeSource?.resume() }
        writeSource = nil
        isWriting = false
    }
}
