/// The write commands of a characteristic, and the way that they take: a socket (AcquireWrite), or calls one after another. It decides, and the
/// role has the socket.
struct WriteCommands {
    enum Step: Hashable {
        /// AcquireWrite. `acquired` answers.
        case acquire
        /// To be written to the socket. `wrote` answers.
        case write([UInt8])
        /// WriteValue. `called` answers.
        case call([UInt8])
        /// The socket has to be closed before a call. `released` answers.
        case release
    }

    private enum Way: Hashable {
        /// bluetoothd was not asked for a socket, or its socket has ended.
        case unknown
        case socket
        case calls
    }

    private var way = Way.unknown
    /// What has no answer yet.
    private var step: Step?
    private var waiting: [[UInt8]] = []

    var isEmpty: Bool { waiting.isEmpty }
    /// The octets that wait.
    var count: Int { waiting.reduce(0) { $0 + $1.count } }

    mutating func add(_ value: [UInt8]) { waiting.append(value) }

    /// The step to take now; nil without one.
    mutating func next() -> Step? {
        guard step == nil, let value = waiting.first else { return nil }
        step =
            switch way {
            // An empty packet would end bluetoothd's reading of the socket.
            case .socket where value.isEmpty: .release
            case .socket: .write(value)
            case .unknown where !value.isEmpty: .acquire
            case .unknown, .calls: .call(value)
            }
        return step
    }

    /// - Parameter hasSocket: False if another program has it, or the version has none.
    mutating func acquired(_ hasSocket: Bool) {
        guard step == .acquire else { return }
        (step, way) = (nil, hasSocket ? .socket : .calls)
    }

    /// Returns the octets of the value if it left. A full socket takes it after `hasRoom`.
    mutating func wrote(_ result: ValueSocketResult) -> Int? {
        guard case .write = step, result != .full else { return nil }
        step = nil
        if result == .ended { way = .calls }
        return result == .sent ? waiting.removeFirst().count : nil
    }

    mutating func hasRoom() { if case .write = step { step = nil } }

    /// Returns the octets of the value, which left or was refused.
    mutating func called() -> Int? {
        guard case .call = step else { return nil }
        step = nil
        return waiting.removeFirst().count
    }

    /// The role closes the socket. `released` follows.
    mutating func release() { step = .release }

    /// There is no socket any more: bluetoothd ended it, or has noticed that the role closed it.
    mutating func released() { (step, way) = (nil, .unknown) }
}
