import BLEAdapter
import BLEWire

/// A link to a device through bluetoothd, which some session wants.
struct DeviceLink {
    enum Phase: Hashable {
        /// bluetoothd has no object of the device: a discovery has to find it.
        case searching
        /// Connect was called.
        case connecting
        /// The device is connected, and bluetoothd discovers its services.
        case resolving(deadline: Instant)
        case up
        /// Disconnect was called.
        case ending
        /// The link ended, and the reason may still come.
        case ended(deadline: Instant)
    }

    /// The values of a characteristic.
    enum Values {
        /// Its own socket (AcquireNotify).
        case acquired(any ValueSocket)
        /// Changes of its property (StartNotify), which a read makes, too.
        case started(PropertyValues)
    }

    /// Changes of a property, which notifications make, and each program's reads: those of this program are left out.
    struct PropertyValues {
        /// A change may come after the answer of the read as well.
        private static let lifetime = TimeSpan.seconds(1)
        /// The values that wait for the answer of a read.
        private static let limit = 256

        private var isReading = false
        private var held: [[UInt8]] = []
        /// What the last read returned, if no change has reported it.
        private var echo: (value: [UInt8], until: Instant)?

        mutating func beginRead() { isReading = true }

        /// Takes the answer of a read, nil if it failed. Returns the notifications that came meanwhile.
        mutating func endRead(_ value: [UInt8]?, at now: Instant) -> [[UInt8]] {
            defer { (isReading, held) = (false, []) }
            guard let value else { return held }
            guard let index = held.lastIndex(of: value) else {
                echo = (value, now + Self.lifetime)
                return held
            }
            held.remove(at: index)
            return held
        }

        /// Takes a change. Returns a notification.
        mutating func take(_ value: [UInt8], at now: Instant) -> [UInt8]? {
            if isReading {
                held.append(value)
                return held.count > Self.limit ? held.removeFirst() : nil
            }
            guard let echo, echo.value == value, now < echo.until else { return value }
            self.echo = nil
            return nil
        }
    }

    /// Tells late answers from those for this link.
    let number: Int
    var phase = Phase.searching
    /// The object of the device; nil while searching.
    var path: String?
    /// Whether another program opened the link, which then outlives ours.
    var isForeign = false
    /// Whether the device had a link of BR/EDR before.
    var isBesideClassic = false
    /// Why the link ended, if bluetoothd said it.
    var reason: ConnectionError?
    var attributes = RemoteAttributes()
    var values: [UInt16: Values] = [:]
    var commands: [UInt16: WriteCommands] = [:]
    /// The sockets for write commands (AcquireWrite).
    var commandSockets: [UInt16: any ValueSocket] = [:]
    /// What goes on later.
    var waits: [Wait] = []
    /// The services that changed, by their handles.
    var changes: Set<UInt16> = []
    /// When these changes are reported.
    var changeDeadline: Instant?

    struct Wait {
        /// A property of a characteristic that has to become false; nil for the deadline alone.
        let property: (path: String, name: String)?
        let deadline: Instant
        let resume: () -> Void
    }

    init(number: Int) { self.number = number }

    /// The reason of an end by bluetoothd's name of it (src/device.c). Without one a device has ended the link, as far as anybody can tell.
    static func failure(_ reason: String?) -> ConnectionError {
        switch reason {
        case "org.bluez.Reason.Timeout": .supervisionTimeout
        case "org.bluez.Reason.Local", "org.bluez.Reason.Suspend": .endedByHost
        case "org.bluez.Reason.Authentication": .encryptionFailed
        default: .endedByPeer
        }
    }

    /// Takes the attributes after a change.
    mutating func renew(_ new: RemoteAttributes) {
        attributes = new
        changes = []
        changeDeadline = nil
    }

    /// Closes the sockets of attributes in some ranges. Returns the octets of their write commands, which do not leave.
    mutating func close(in ranges: [HandleRange]) -> Int {
        for case (let handle, .acquired(let socket)) in values where ranges.contains(handle) { socket.close() }
        for (handle, socket) in commandSockets where ranges.contains(handle) { socket.close() }
        let count = commands.reduce(0) { $0 + (ranges.contains($1.key) ? $1.value.count : 0) }
        values = values.filter { !ranges.contains($0.key) }
        commands = commands.filter { !ranges.contains($0.key) }
        commandSockets = commandSockets.filter { !ranges.contains($0.key) }
        return count
    }
}

extension [HandleRange] {
    func contains(_ handle: UInt16) -> Bool { contains { $0.start <= handle && handle <= $0.end } }
}

extension DeviceLink {
    /// When the link needs a step.
    var deadline: Instant? {
        var deadlines = waits.map(\.deadline) + [changeDeadline].compactMap { $0 }
        switch phase {
        case .resolving(let deadline), .ended(let deadline): deadlines.append(deadline)
        case .searching, .connecting, .up, .ending: break
        }
        return deadlines.min()
    }

    /// Takes out what need not wait any longer: the deadline has passed, or the property is false.
    mutating func takeWaits(where isOver: (Wait) -> Bool) -> [Wait] {
        let over = waits.filter(isOver)
        waits.removeAll(where: isOver)
        return over
    }
}
