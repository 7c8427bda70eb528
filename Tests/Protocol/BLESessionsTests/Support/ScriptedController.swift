/// A controller without radio: answers commands at once, and attempts to connect as the test says.
final class ScriptedController {
    /// What becomes of an attempt to connect.
    enum Outcome {
        case pending
        /// A link whose peer answers.
        case up
        /// A link whose peer acknowledges packets and answers no request.
        case silent
        /// A link that ends with this error before the peer's first packet.
        case lost(UInt8)
        /// No link; Connection Complete has this error.
        case failed(UInt8)
    }

    /// The outcomes of the next attempts; afterwards `.up`.
    var outcomes: [Outcome] = []
    /// Commands that get an error.
    var refusals: [UInt16: UInt8] = [:]
    /// The error of a command by its parameters, if any.
    var refuses: (_ opcode: UInt16, _ parameters: [UInt8]) -> UInt8? = { _, _ in nil }
    /// Commands that get no answer.
    var ignored: Set<UInt16> = []
    /// Whether it encrypts.
    var encrypts = false
    /// Whether it has extended advertising and the Coded PHY.
    var isExtended = false
    var advertisingSets: UInt8 = 4
    /// Whether it has periodic advertising as well.
    var isPeriodic = false { didSet { if isPeriodic { isExtended = true } } }
    /// Whether it tells peers of trains, and takes those of which they tell.
    var transfersTrains = false
    /// Whether LE Periodic Advertising Create Sync has no event yet.
    private(set) var isSynchronizing = false
    /// Takes Security Manager PDUs of the host.
    var takeSecurity: (_ handle: UInt16, _ pdu: [UInt8]) -> Void = { _, _ in }
    /// Takes signalling packets of the host.
    var takeSignal: (_ handle: UInt16, _ packet: [UInt8]) -> Void = { _, _ in }
    /// Takes LE Enable Encryption and the answers to a request for a key.
    var takeKey: (_ handle: UInt16, _ opcode: UInt16, _ parameters: [UInt8]) -> Void = { _, _, _ in }
    /// The error that a Read Request gets on this link, if any.
    var readError: (_ handle: UInt16) -> UInt8? = { _ in nil }
    /// The value of the peer's Device Name, if it has one.
    var deviceName: [UInt8]?
    /// Whether Disconnect is carried out.
    var endsLinks = true

    /// Whether requests of the host wait for `answerRequest`.
    var holdsRequests = false

    /// The number of frames that the host sent on links that had ended.
    private(set) var lateFrames = 0
    private(set) var heldRequests: [(handle: UInt16, pdu: [UInt8])] = []
    /// The attribute PDUs of the host.
    private(set) var attributes: [[UInt8]] = []
    private(set) var commands: [(opcode: UInt16, parameters: [UInt8])] = []
    /// The addresses of the attempts to connect.
    private(set) var attempts: [UInt64] = []
    private(set) var handles: [UInt16] = []
    private var silentHandles: Set<UInt16> = []
    private var isInitiating = false
    private var nextHandle: UInt16 = 0x40
    private var output: [[UInt8]] = []

    func takeOutput() -> [[UInt8]] {
        defer { output = [] }
        return output
    }

    func takeAttributes() -> [[UInt8]] {
        defer { attributes = [] }
        return attributes
    }

    func count(of opcode: UInt16) -> Int { commands.count { $0.opcode == opcode } }

    func event(_ code: UInt8, _ parameters: [UInt8]) {
        output.append([0x04, code, UInt8(parameters.count)] + parameters)
    }

    /// An advertising report from a random address.
    func report(
        _ kind: UInt8 = 3, from address: UInt64, _ data: [UInt8] = [2, 1, 6], rssi: Int8 = -40
    ) {
        event(
            0x3E,
            [0x02, 1, kind, 1] + Self.octets(address, 6) + [UInt8(data.count)] + data + [UInt8(bitPattern: rssi)])
    }

    /// An extended advertising report.
    func extendedReport(
        _ type: UInt16, from address: UInt64, _ data: [UInt8], kind: UInt8 = 1, sid: UInt8 = 0, primary: UInt8 = 1,
        secondary: UInt8 = 1
    ) {
        event(
            0x3E,
            [0x0D, 1] + Self.octets(UInt64(type), 2) + [kind] + Self.octets(address, 6) + [
                primary, secondary, sid, 127,
            ]
                + [UInt8(bitPattern: -40), 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(data.count)] + data)
    }

    /// An ATT PDU of the peer.
    func attribute(_ pdu: [UInt8], on handle: UInt16) {
        output.append(
            [0x02] + Self.octets(UInt64(handle | 0x2000), 2) + Self.octets(UInt64(pdu.count + 4), 2)
                + Self.octets(UInt64(pdu.count), 2) + [4, 0] + pdu)
    }

    /// A Security Manager PDU of the peer.
    func security(_ pdu: [UInt8], on handle: UInt16) { frame(6, pdu, handle) }

    /// A signalling packet of the peer.
    func signal(_ packet: [UInt8], on handle: UInt16) { frame(5, packet, handle) }

    private func frame(_ channel: UInt8, _ payload: [UInt8], _ handle: UInt16) {
        output.append(
            [0x02] + Self.octets(UInt64(handle | 0x2000), 2) + Self.octets(UInt64(payload.count + 4), 2)
                + Self.octets(UInt64(payload.count), 2) + [channel, 0] + payload)
    }

    /// Encryption Change.
    func encryptionChanged(_ handle: UInt16, status: UInt8 = 0) {
        event(0x08, [status] + Self.octets(UInt64(handle), 2) + [status == 0 ? 1 : 0])
    }

    /// LE Long Term Key Request.
    func requestKey(_ handle: UInt16, random: UInt64 = 0, diversifier: UInt16 = 0) {
        event(
            0x3E,
            [0x05] + Self.octets(UInt64(handle), 2) + Self.octets(random, 8) + Self.octets(UInt64(diversifier), 2))
    }

    /// Disconnection Complete.
    func end(_ handle: UInt16, _ reason: UInt8) {
        guard handles.contains(handle) else { return }
        handles.removeAll { $0 == handle }
        event(0x05, [0] + Self.octets(UInt64(handle), 2) + [reason])
    }

    /// A peer connects to this host.
    @discardableResult
    func acceptLink(from address: UInt64) -> UInt16 { makeLink(to: address, role: 1) }

    private func makeLink(to address: UInt64, role: UInt8) -> UInt16 {
        let handle = nextHandle
        nextHandle += 1
        handles.append(handle)
        complete(handle, role, address, status: 0)
        return handle
    }

    private func complete(_ handle: UInt16, _ role: UInt8, _ address: UInt64, status: UInt8) {
        event(
            0x3E,
            [0x01, status] + Self.octets(UInt64(handle), 2) + [role, 1] + Self.octets(address, 6)
                + [24, 0, 0, 0, 72, 0, 0])
    }

    /// Takes whole H4 packets of the host.
    func receive(_ octets: [UInt8]) {
        var rest = octets[...]
        while let type = rest.first {
            let packet = Array(rest)
            let length =
                type == 1 ? 4 + Int(packet[3]) : 5 + Int(packet[3]) + Int(packet[4]) << 8
            if type == 1 {
                command(UInt16(packet[1]) | UInt16(packet[2]) << 8, Array(packet[4..<length]))
            } else {
                data((UInt16(packet[1]) | UInt16(packet[2]) << 8) & 0xFFF, Array(packet[5..<length]))
            }
            rest = rest.dropFirst(length)
        }
    }

    private func command(_ opcode: UInt16, _ parameters: [UInt8]) {
        commands.append((opcode, parameters))
        guard !ignored.contains(opcode) else { return }
        let name = Self.octets(UInt64(opcode), 2)
        func status(_ error: UInt8 = 0) { event(0x0F, [error, 1] + name) }
        func complete(_ values: [UInt8], _ error: UInt8 = 0) { event(0x0E, [1] + name + [error] + values) }
        if let error = refusals[opcode] ?? refuses(opcode, parameters) {
            return opcode == 0x200D || opcode == 0x2043 || opcode == 0x2044 || opcode == 0x0406
                ? status(error) : complete([], error)
        }
        switch opcode {
        case 0x1001: complete([12, 0, 0, 12, 0xFF, 0xFF, 0, 0])
        case 0x1002: complete(supportedCommands)
        case 0x2002: complete([251, 0, 64])
        case 0x2003:
            let extended: UInt8 = isExtended ? isPeriodic ? 0x38 : 0x18 : 0
            complete([encrypts ? 1 : 0, extended, 0, transfersTrains ? 3 : 0, 0, 0, 0, 0])
        case 0x203A: complete([0x72, 0x06])
        case 0x203B: complete([advertisingSets])
        case 0x2036: complete([0])
        case 0x204A: complete([4])
        case 0x2044:
            status()
            isSynchronizing = true
        case 0x2045:
            complete([], isSynchronizing ? 0 : 0x0C)
            if isSynchronizing { syncEnds(0x44) }
        case 0x0C03:
            isSynchronizing = false
            complete([])
        case 0x2019:
            status()
            takeKey(UInt16(parameters[0]) | UInt16(parameters[1]) << 8, opcode, Array(parameters.dropFirst(2)))
        case 0x201A, 0x201B:
            complete(Array(parameters[0..<2]))
            takeKey(UInt16(parameters[0]) | UInt16(parameters[1]) << 8, opcode, Array(parameters.dropFirst(2)))
        case 0x200D:
            status()
            attempt(parameters[6..<12])
        case 0x2043:
            status()
            attempt(parameters[3..<9])
        case 0x200E:
            complete([])
            if isInitiating { self.complete(0, 0, attempts.last ?? 0, status: 0x02) }
            isInitiating = false
        case 0x0406:
            status()
            if endsLinks { end(UInt16(parameters[0]) | UInt16(parameters[1]) << 8, 0x16) }
        default: complete([UInt8](repeating: 0, count: 8))
        }
    }

    /// The bits of the commands of extended advertising (Vol 4, Part E, 6.27).
    private var supportedCommands: [UInt8] {
        var octets = [UInt8](repeating: 0, count: 64)
        if isExtended { octets.replaceSubrange(36...37, with: [0xFE, 0xE3]) }
        if isPeriodic { octets.replaceSubrange(37...40, with: [0xFF, 0x7F, 0, 0x20]) }
        if transfersTrains {
            octets[40] |= 0xC0
            octets[41] |= 1
        }
        return octets
    }

    private func attempt(_ octets: ArraySlice<UInt8>) {
        let address = octets.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        attempts.append(address)
        switch outcomes.isEmpty ? .up : outcomes.removeFirst() {
        case .pending: isInitiating = true
        case .up: _ = makeLink(to: address, role: 0)
        case .silent: silentHandles.insert(makeLink(to: address, role: 0))
        case .lost(let error): end(makeLink(to: address, role: 0), error)
        case .failed(let error): complete(0, 0, address, status: error)
        }
    }

    /// The search for a train finds it, or ends with an error.
    func syncEnds(_ error: UInt8 = 0, handle: UInt16 = 0, address: UInt64 = 0, sid: UInt8 = 0) {
        isSynchronizing = false
        event(
            0x3E,
            [0x0E, error] + Self.octets(UInt64(handle), 2) + [sid, 1] + Self.octets(address, 6) + [2, 80, 0, 5])
    }

    func syncIsLost(_ handle: UInt16) { event(0x3E, [0x10] + Self.octets(UInt64(handle), 2)) }

    /// A report of a train, with its data whole.
    func periodicReport(_ handle: UInt16, _ data: [UInt8], rssi: Int8 = -40, power: Int8 = 127, status: UInt8 = 0) {
        event(
            0x3E,
            [0x0F] + Self.octets(UInt64(handle), 2) + [UInt8(bitPattern: power), UInt8(bitPattern: rssi), 0xFF, status]
                + [UInt8(data.count)] + data)
    }

    /// Ends the attempt that is pending without a link.
    func failAttempt(_ error: UInt8) {
        guard isInitiating else { return }
        isInitiating = false
        complete(0, 0, attempts.last ?? 0, status: error)
    }

    /// The peer of a link takes a packet.
    private func data(_ handle: UInt16, _ frame: [UInt8]) {
        guard handles.contains(handle) else {
            lateFrames += 1
            return
        }
        event(0x13, [1] + Self.octets(UInt64(handle), 2) + [1, 0])
        if frame.count > 4, frame[2] == 5 { takeSignal(handle, Array(frame[4...])) }
        if frame.count > 4, frame[2] == 6 { return takeSecurity(handle, Array(frame[4...])) }
        if frame.count > 4, frame[2] == 4 { attributes.append(Array(frame[4...])) }
        guard frame.count > 4, frame[2] == 4, !silentHandles.contains(handle) else { return }
        if holdsRequests, Self.requests.contains(frame[4]) {
            heldRequests.append((handle, Array(frame[4...])))
        } else {
            answer(Array(frame[4...]), on: handle)
        }
    }

    /// The opcodes of the requests that the peer answers.
    private static let requests: Set<UInt8> = [0x02, 0x04, 0x06, 0x08, 0x0A, 0x10]

    /// The peer answers its oldest request.
    func answerRequest() {
        let (handle, pdu) = heldRequests.removeFirst()
        answer(pdu, on: handle)
    }

    private func answer(_ pdu: [UInt8], on handle: UInt16) {
        switch pdu[0] {
        case 0x02: attribute([0x03, 0xF7, 0], on: handle)
        // Read By Type Request of the Device Name, 0x2A00.
        case 0x08 where deviceName != nil && pdu[5...] == [0x00, 0x2A]:
            let name = deviceName ?? []
            attribute([0x09, UInt8(name.count + 2), 3, 0] + name, on: handle)
        // Nothing is found.
        case 0x04, 0x06, 0x08, 0x10: attribute([0x01, pdu[0], pdu[1], pdu[2], 0x0A], on: handle)
        case 0x0A:
            if let error = readError(handle) {
                attribute([0x01, 0x0A, pdu[1], pdu[2], error], on: handle)
            } else {
                attribute([0x0B, 0x2A], on: handle)
            }
        default: break
        }
    }

    private static func octets(_ value: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
    }
}
