import BLEAdapter
import BLETransport

/// One channel: how far it is open, and what waits in both directions. It decides, and calls only its socket and its handle.
struct ChannelPump {
    enum State: Hashable {
        case opening
        case open
        /// The program closed it. What it wrote is still sent.
        case closing
        /// The system's channel has ended. SDUs that arrived before are still read.
        case ending(Int32)
    }

    enum Step: Hashable {
        case goesOn
        case opened(sendMTU: Int)
        case failed(ChannelSystemError)
        /// The channel has ended, and everything is read.
        case ended(ChannelEnd)
        /// Everything that the program wrote before it closed the channel is sent.
        case flushed
    }

    /// The octets that arrived and that the program has not read, from which on the socket is not read. The kernel then has its own
    /// buffer, and gives the peer no more credits when that is full.
    static let receiveWindow = 32_768
    /// The SDUs that are read in one turn of the queue.
    private static let turn = 32

    let socket: any ChannelSocket
    private(set) var state: State
    private(set) var handle: ChannelHandle?
    /// SDUs taken from the handle that the system has not accepted yet.
    private var queue = SDUQueue()
    private var unread = 0
    /// The system has not been writable since it refused an SDU, or since the program closed the channel.
    private var waitsForRoom = false

    init(_ socket: any ChannelSocket) {
        self.socket = socket
        state = .opening
    }

    mutating func attach(_ handle: ChannelHandle) {
        self.handle = handle
        if state == .opening { state = .open }
    }

    /// The watches that the socket needs now.
    func watch() {
        switch state {
        case .opening: socket.watch(reading: true, writing: true)
        case .ending: socket.watch(reading: unread < Self.receiveWindow, writing: false)
        case .open, .closing: socket.watch(reading: unread < Self.receiveWindow, writing: waitsForRoom)
        }
    }

    mutating func readable(_ buffer: inout [UInt8]) -> Step {
        if state == .opening { return progress() }
        for _ in 0..<Self.turn {
            guard unread < Self.receiveWindow else { return .goesOn }
            switch socket.receive(into: &buffer) {
            case .octets(let count):
                guard state != .closing, let handle else { continue }
                unread += count
                handle.deliver(buffer.span.extracting(first: count))
            case .nothing:
                guard case .ending(let code) = state else { return .goesOn }
                return .ended(ChannelEnd(code: code))
            case .end(let code):
                if case .ending(let first) = state, code == 0 || first != 0 { return .ended(ChannelEnd(code: first)) }
                if code == 0 { return .ended(.peer) }
                state = .ending(code)
            }
        }
        return .goesOn
    }

    mutating func writable() -> Step {
        if state == .opening { return progress() }
        waitsForRoom = false
        let step = pump()
        return step == .goesOn && state == .closing && !waitsForRoom ? .flushed : step
    }

    private func progress() -> Step {
        switch socket.progress {
        case .waiting: .goesOn
        case .connected(let mtu): .opened(sendMTU: mtu)
        case .failed(let error): .failed(error)
        }
    }

    /// Moves written SDUs to the system until it accepts no more.
    mutating func pump() -> Step {
        guard let handle, state == .open || state == .closing, !waitsForRoom else { return .goesOn }
        var sent = 0
        defer { if sent > 0 { handle.sent(sent) } }
        while true {
            handle.takeSDUs(into: &queue)
            guard !queue.isEmpty else { break }
            while !queue.isEmpty {
                switch socket.send(queue.first) {
                case 0:
                    sent += queue.firstLength
                    queue.removeFirst()
                case EAGAIN, ENOBUFS:
                    waitsForRoom = true
                    return .goesOn
                case let code:
                    // What arrived before is read first. A program that closed the channel does not read.
                    if state == .closing { return .flushed }
                    state = .ending(code)
                    return .goesOn
                }
            }
        }
        return .goesOn
    }

    /// The program read octets.
    mutating func consumed(_ count: Int) { unread = max(0, unread - count) }

    /// The program closed the channel.
    ///
    /// The kernel drops what it has accepted and the peer has no credits for. A socket is writable if the peer has some, because then
    /// nothing waits (l2cap_chan_send in net/bluetooth/l2cap_core.c).
    mutating func close() -> Step {
        guard state == .open else { return .flushed }
        state = .closing
        unread = 0
        defer { waitsForRoom = true }
        return pump()
    }
}
