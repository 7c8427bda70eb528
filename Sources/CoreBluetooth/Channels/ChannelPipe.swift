#if !canImport(Darwin)
internal import BLERuntime
import BLEAdapter
import Foundation

/// What the two streams of a channel share: its handle, who of them was closed, and a place to wait.
final class ChannelPipe: ChannelObserver, @unchecked Sendable {
    let handle: ChannelHandle
    let delivery: Delivery
    /// Set once, before anything can happen.
    private let streams = Lock<(input: Weak, output: Weak)>((Weak(nil), Weak(nil)))
    private let closed = Lock((input: false, output: false))
    private let condition = NSCondition()

    struct Weak {
        weak var machine: StreamMachine?
        init(_ machine: StreamMachine?) { self.machine = machine }
    }

    init(handle: ChannelHandle, delivery: Delivery) {
        self.handle = handle
        self.delivery = delivery
        handle.observe(self)
    }

    func attach(input: StreamMachine) { streams.withLock { $0.input = Weak(input) } }
    func attach(output: StreamMachine) { streams.withLock { $0.output = Weak(output) } }

    /// On the adapter's executor.
    func channelChanged() {
        let (input, output) = streams.withLock { ($0.input.machine, $0.output.machine) }
        input?.evaluate()
        output?.evaluate()
        wakeWaiters()
    }

    private func wakeWaiters() {
        condition.lock()
        condition.broadcast()
        condition.unlock()
    }

    /// Waits until `isDone`, which is asked again whenever something changed. False where waiting would be for ever: in a
    /// callback for which virtual time stands still.
    func wait(until isDone: () -> Bool) -> Bool {
        condition.lock()
        defer { condition.unlock() }
        while !isDone() {
            if CallbackScope.isInside { return false }
            condition.wait()
        }
        return true
    }

    func inputClosed() {
        let both = closed.withLock { closed in
            closed.input = true
            return closed.output
        }
        if both { closeChannel() } else { handle.endReading() }
        wakeWaiters()
    }

    func outputClosed() {
        let both = closed.withLock { closed in
            closed.output = true
            return closed.input
        }
        if both { closeChannel() }
        wakeWaiters()
    }

    func closeChannel() {
        handle.close()
        channelChanged()
    }
}

extension ChannelEnd {
    /// What a stream says of it; nil: it simply ended.
    var error: CBError? {
        switch self {
        case .local, .peer: nil
        case .linkLost: CBError(describing: .peripheralDisconnected)
        case .violation: CBError(describing: .unknown)
        }
    }
}

extension ChannelFailure {
    /// What a delegate is told.
    var error: any Error {
        switch self {
        case .notConnected: CBError(describing: .notConnected)
        case .notPoweredOn, .refused: CBError(describing: .unknown)
        case .unknownPSM: CBError(describing: .invalidParameters)
        case .noResources: CBError(describing: .outOfSpace)
        case .noAnswer: CBError(describing: .connectionTimeout)
        case .insufficientAuthentication: CBATTError(describing: .insufficientAuthentication)
        case .insufficientAuthorization: CBATTError(describing: .insufficientAuthorization)
        case .insufficientKeySize: CBATTError(describing: .insufficientEncryptionKeySize)
        case .insufficientEncryption: CBATTError(describing: .insufficientEncryption)
        }
    }
}
#endif
