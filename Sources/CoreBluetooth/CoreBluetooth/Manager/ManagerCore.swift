import BLEAdapter
import Dispatch

/// The state that the managers of both roles keep.
protocol ManagerState: WatchedState {
    associatedtype Manager: AnyObject
    associatedtype Delegate
    associatedtype Session

    var manager: Manager? { get set }
    var delegate: Delegate? { get set }
    /// Nil before the session is open and after the manager's release.
    var session: Session? { get set }
    var state: CBManagerState { get set }
    /// Whether the adapter has reported a state.
    var isStateKnown: Bool { get set }
    /// The adapter's latest state if the queue had no room for it; nil after its callback has run.
    var missedState: CBManagerState? { get set }
}

/// The part of a manager that its public class reads: the state and its observers.
protocol ManagerStateSource: ChangeSource {
    var state: CBManagerState { get }
}

/// The implementation that the managers of both roles share: the session, the guarded state and the dispatcher of callbacks.
///
/// Operations and objects keep a reference to the core, so the core may outlive its manager. The session does not.
class ManagerCore<State: ManagerState>: ManagerStateSource, @unchecked Sendable {
    let dispatcher: CallbackDispatcher
    let guarded: ObservedLock<State>
    /// Entered while the session is being opened. The first callback may run on another thread before the session is stored.
    private let opening = DispatchGroup()

    init(dispatcher: CallbackDispatcher, state: State) {
        self.dispatcher = dispatcher
        guarded = ObservedLock(state)
    }

    /// Opens the session of a manager whose initialisation is complete.
    func start(_ manager: State.Manager, opening open: () -> State.Session) {
        guarded.withLock { $0.manager = manager }
        opening.enter()
        let session = open()
        guarded.withLock { $0.session = session }
        opening.leave()
    }

    /// Returns when the session is stored.
    func waitForSession() { opening.wait() }

    var manager: State.Manager? { guarded.withLock { $0.manager } }
    var delegate: State.Delegate? { guarded.withLock { $0.delegate } }
    var session: State.Session? { guarded.withLock { $0.session } }
    var state: CBManagerState { guarded.withLock { $0.state } }

    func add(_ observer: ChangeObserver) { guarded.add(observer) }
    func remove(_ observer: ChangeObserver) { guarded.remove(observer) }

    /// Runs `body` with a state of the adapter on the delegate's queue. If the queue is full, one callback beyond its limit gets the
    /// latest of the states that found no room, so that ``state`` is right when the queue has caught up.
    func postState(_ state: AdapterState, _ body: @escaping (CBManagerState) -> Void) {
        let state = CBManagerState(rawValue: state.rawValue) ?? .unknown
        let isCallbackPending = guarded.withLock { core in
            if core.missedState != nil { core.missedState = state }
            return core.missedState != nil
        }
        if isCallbackPending || dispatcher.post({ body(state) }) { return }
        guarded.withLock { $0.missedState = state }
        dispatcher.postBeyondLimit { [self] in
            let missed = guarded.withLock { core in
                defer { core.missedState = nil }
                return core.missedState
            }
            body(missed ?? state)
        }
    }

    /// The session if the manager is powered on; otherwise nil, with a line in the log.
    ///
    /// - Parameter caller: The manager's description for the log.
    func sessionForCommand(_ caller: @autoclosure () -> String) -> State.Session? {
        let (state, session) = guarded.withLock { ($0.state, $0.session) }
        guard state == .poweredOn else {
            APIMisuse.log("\(caller()) can only accept this command while in the powered on state")
            return nil
        }
        return session
    }
}
