import BLEAdapter
import BLEWire

/// The open central, peripheral and periodic sessions, and the reports of the adapter's state to them.
struct SessionRegister {
    /// The shortest time between opening a session and its first report of the adapter's state. It lets a program
    /// observe a manager that it has just created. The wait runs in parallel with the start of the controller.
    static let firstStateDelay = TimeSpan.milliseconds(5)

    enum Role: Int { case central, peripheral, periodic }

    private struct Session {
        let number: Int
        let role: Role
        /// Whether the session gets changes of the adapter's state; see `firstStateDelay`.
        var isOpen = false
    }

    /// Central sessions before peripheral ones and those before periodic ones, each in the order in which they were opened.
    private var sessions: [Session] = []

    mutating func open(_ number: Int, as role: Role, _ context: inout SessionContext, at now: Instant) {
        let session = Session(number: number, role: role)
        let end = sessions.firstIndex { $0.role.rawValue > role.rawValue }
        sessions.insert(session, at: end ?? sessions.count)
        context.timers.add(.reportFirstState(session: number), at: now + Self.firstStateDelay)
    }

    mutating func close(_ number: Int, _ context: inout SessionContext) {
        sessions.removeAll { $0.number == number }
        context.timers.cancel(.reportFirstState(session: number))
    }

    /// Reports the present state to a session. The session gets no earlier state, and gets later states in order. If
    /// the state is not known yet, the session gets it as soon as it is known.
    mutating func reportFirst(_ state: AdapterState, to number: Int, _ context: inout SessionContext) {
        guard let index = sessions.firstIndex(where: { $0.number == number }) else { return }
        sessions[index].isOpen = true
        if state != .unknown { context.emit(.adapterState(state, session: number)) }
    }

    /// Reports a change of the adapter's state to every session.
    func report(_ state: AdapterState, _ context: inout SessionContext) {
        for session in sessions where session.isOpen { context.emit(.adapterState(state, session: session.number)) }
    }
}
