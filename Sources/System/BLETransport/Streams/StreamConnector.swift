import BLEWire
import Dispatch

/// Connects to a transport address without blocking. It resolves a host name on a background queue, tries the addresses
/// in order, and stops at a deadline.
///
/// Threads: use it on the serial queue given. The completion is called once on that queue, unless the connector was
/// cancelled.
package final class StreamConnector: @unchecked Sendable {
    package typealias Completion = (Result<TransportConnection, TransportError>) -> Void

    private let address: TransportAddress
    private let queue: DispatchQueue
    private let timeout: TimeSpan
    private var completion: Completion?
    private var timer: (any DispatchSourceTimer)?
    private var attempt: (any DispatchSourceWrite)?
    private var candidates: ArraySlice<SocketAddress> = []
    /// Whether the backlog of the listener was full at the last attempt.
    private var isWaitingForRoom = false

    /// Starts to connect.
    ///
    /// - Parameter timeout: The time limit for the name resolution and all addresses together.
    @discardableResult
    package static func connect(
        to address: TransportAddress, queue: DispatchQueue, timeout: TimeSpan = .seconds(5),
        completion: @escaping Completion
    ) -> StreamConnector {
        let connector = StreamConnector(address, queue, timeout, completion)
        connector.start()
        return connector
    }

    private init(
        _ address: TransportAddress, _ queue: DispatchQueue, _ timeout: TimeSpan, _ completion: @escaping Completion
    ) {
        self.address = address
        self.queue = queue
        self.timeout = timeout
        self.completion = completion
    }

    /// Cancels the attempt. The completion is not called any more.
    package func cancel() {
        completion = nil
        endAttempt()
    }

    private func start() {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + .nanoseconds(Int(max(0, timeout.nanoseconds))))
        timer.setEventHandler { [self] in
            let late = TransportError.timedOut(address, timeout.nanoseconds / 1_000_000)
            finish(.failure(isWaitingForRoom ? .connecting(to: address, EAGAIN) : late))
        }
        self.timer = timer
        timer.resume()
        switch address {
        case .unix(let path):
            guard let socketAddress = SocketAddress(path: path) else {
                finishLater(.connecting(to: address, ENAMETOOLONG))
                return
            }
            begin([socketAddress])
        case .serial(let device, let speed):
            do throws(TransportError) {
                let descriptor = try SerialPort.open(device, speed: speed)
                queue.async { [self] in succeed(descriptor) }
            } catch {
                finishLater(error)
            }
        case .adapter(let index): openAdapter(index)
        case .tcp(_, 0):
            finishLater(
                TransportError(
                    .refused, "Port 0 of \(address) is for listening alone: give the port of the controller."))
        case .tcp(let host, let port):
            if case .success(let addresses) = Sockets.resolve(host, port, numericOnly: true) {
                begin(addresses)
            } else {
                resolve(host, port)
            }
        }
    }

    private func resolve(_ host: String, _ port: UInt16) {
        let address = address
        DispatchQueue.global().async { [self] in
            let result = Sockets.resolve(host, port, numericOnly: false)
            queue.async { [self] in
                switch result {
                case .success(let addresses): begin(addresses)
                case .failure(let failure):
                    finish(
                        .failure(
                            TransportError(
                                .unknownHost,
                                "The host of \(address) is unknown (\(failure.text)): check its spelling and the network."
                            )))
                }
            }
        }
    }

    /// Opens an adapter. This may take seconds, because some drivers load firmware during the call.
    private func openAdapter(_ index: UInt16) {
        DispatchQueue.global().async { [self] in
            let result = UserChannel.open(index)
            queue.async { [self] in
                switch result {
                case .success(let descriptor): succeed(descriptor)
                case .failure(let error): finish(.failure(error))
                }
            }
        }
    }

    private func begin(_ addresses: [SocketAddress]) {
        candidates = addresses[...]
        tryNext(ECONNREFUSED)
    }

    /// Tries the next address. `code` is the error of the preceding one.
    private func tryNext(_ code: Int32) {
        guard completion != nil else { return }
        guard let candidate = candidates.popFirst() else {
            finishLater(.connecting(to: address, code))
            return
        }
        guard let descriptor = Sockets.make(family: candidate.family) else {
            tryNext(errno)
            return
        }
        switch Sockets.connect(descriptor.number, candidate) {
        case 0: queue.async { [self] in succeed(descriptor) }
        case EINPROGRESS, EINTR: awaitConnection(descriptor)
        case EAGAIN where candidate.family == AF_UNIX:
            // The backlog of a Unix socket is full (connect(2), EAGAIN): the attempt cannot wait in the kernel.
            isWaitingForRoom = true
            queue.asyncAfter(deadline: .now() + .milliseconds(50)) { [self] in
                candidates = [candidate]
                tryNext(EAGAIN)
            }
        case let code: tryNext(code)
        }
    }

    private func awaitConnection(_ descriptor: Descriptor) {
        let source = DispatchSource.makeWriteSource(fileDescriptor: descriptor.number, queue: queue)
        source.setEventHandler { [self] in
            guard attempt != nil else { return }
            attempt?.cancel()
            attempt = nil
            let code = Sockets.pendingError(descriptor.number)
            if code == 0 { succeed(descriptor) } else { tryNext(code) }
        }
        source.setCancelHandler { _ = descriptor }
        attempt = source
        source.resume()
    }

    private func succeed(_ descriptor: Descriptor) {
        finish(.success(TransportConnection(descriptor, name: address.description)))
    }

    /// Ensures that the completion is never called before `connect` has returned.
    private func finishLater(_ error: TransportError) {
        queue.async { [self] in finish(.failure(error)) }
    }

    private func finish(_ result: Result<TransportConnection, TransportError>) {
        guard let callback = completion else { return }
        completion = nil
        endAttempt()
        callback(result)
    }

    private func endAttempt() {
        timer?.cancel()
        timer = nil
        attempt?.cancel()
        attempt = nil
        candidates = []
    }
}
