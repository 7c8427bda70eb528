internal import BLERuntime
import BLEAdapter
import Foundation

/// The state that the two streams of a channel share: the handle, which streams are closed, and a condition for blocking calls.
final class ChannelPipe: ChannelObserver, @unchecked Sendable {
    enum Direction { case input, output }

    private struct State {
        weak var input: StreamMachine?
        weak var output: StreamMachine?
        var isInputClosed = false
        var isOutputClosed = false
    }

    let handle: ChannelHandle
    let dispatcher: CallbackDispatcher
    private let state = Lock(State())
    /// Guards `changeCount`.
    private let condition = NSCondition()
    private var changeCount = 0

    init(handle: ChannelHandle, dispatcher: CallbackDispatcher) {
        self.handle = handle
        self.dispatcher = dispatcher
        handle.observe(self)
    }

    func attach(_ machine: StreamMachine, _ direction: Direction) {
        state.withLock { state in
            switch direction {
            case .input: state.input = machine
            case .output: state.output = machine
            }
        }
    }

    /// Called on the adapter's executor.
    func channelChanged() {
        let (input, output) = state.withLock { ($0.input, $0.output) }
        input?.evaluate()
        output?.evaluate()
        wakeWaiters()
    }

    private func wakeWaiters() {
        condition.lock()
        changeCount += 1
        condition.broadcast()
        condition.unlock()
    }

    /// Blocks until `isDone` returns true, which it evaluates after each change, outside the lock.
    ///
    /// - Returns: False in a callback during which virtual time stands still: the wait would never end.
    func wait(until isDone: () -> Bool) -> Bool {
        while true {
            condition.lock()
            let count = changeCount
            condition.unlock()
            if isDone() { return true }
            if CallbackScope.isInside { return false }
            condition.lock()
            while changeCount == count { condition.wait() }
            condition.unlock()
        }
    }

    /// Closes one direction, and the channel once both directions are closed.
    func close(_ direction: Direction) {
        let isClosed = state.withLock { state in
            switch direction {
            case .input: state.isInputClosed = true
            case .output: state.isOutputClosed = true
            }
            return state.isInputClosed && state.isOutputClosed
        }
        if isClosed {
            closeChannel()
        } else {
            if direction == .input { handle.endReading() }
            wakeWaiters()
        }
    }

    func closeChannel() {
        handle.close()
        channelChanged()
    }
}

extension ChannelEnd {
    /// The error of a stream; nil for a regular end.
    var error: CBError? {
        switch self {
        case .local, .peer: nil
        case .linkLost: CBError(describing: .peripheralDisconnected)
        case .violation: CBError(describing: .unknown)
        }
    }
}

extension ChannelError {
    /// The error for the delegate.
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
