import BLEAdapter
import Dispatch

/// The stored state of a manager with a restore identifier: the state that a new manager would restore if the process ended now.
final class RestorationRecord<Content: Equatable & Sendable>: Sendable {
    private struct State {
        var content: Content
        /// Whether `content` has changed since it was last handed to the store.
        var isUnwritten = false
        /// Whether a thread hands contents to the store.
        var isWriting = false
    }

    private let state: Lock<State>
    /// Entered while a thread hands contents to the store.
    private let writing = DispatchGroup()
    private let write: @Sendable (Content) -> Void

    /// - Parameters:
    ///   - content: The content that an earlier run left.
    ///   - write: Hands a content to the store.
    init(_ content: Content, write: @escaping @Sendable (Content) -> Void) {
        state = Lock(State(content: content))
        self.write = write
    }

    var content: Content { state.withLock { $0.content } }

    /// Changes the content and hands it to the store, outside the lock. The store receives contents in the order of the changes; the
    /// contents of changes that overlap in time may reach it as one. When this method returns, the store has the change, so a later
    /// `flush` of the store writes it.
    func change(_ body: (inout Content) -> Void) {
        let mustWrite: Bool? = state.withLock { state in
            let old = state.content
            body(&state.content)
            guard state.content != old else { return nil }
            state.isUnwritten = true
            guard !state.isWriting else { return false }
            state.isWriting = true
            writing.enter()
            return true
        }
        guard let mustWrite else { return }
        // The store receives contents in memory, so the thread that hands them over is not slow.
        guard mustWrite else { return writing.wait() }
        while let content = nextUnwritten() { write(content) }
    }

    private func nextUnwritten() -> Content? {
        state.withLock { state in
            state.isWriting = state.isUnwritten
            guard state.isUnwritten else {
                writing.leave()
                return nil
            }
            state.isUnwritten = false
            return state.content
        }
    }
}
