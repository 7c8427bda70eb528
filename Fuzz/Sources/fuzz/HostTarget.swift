/// A host under a hostile controller: octets of HCI that a controller could send, or could not.
enum HostTarget {
    private static let events: [UInt8] = [0x05, 0x08, 0x0C, 0x0E, 0x0F, 0x10, 0x13, 0x1A, 0x30, 0x3E, 0x57, 0x59]
    private static let subevents: [UInt8] = [
        1, 2, 3, 4, 5, 6, 7, 9, 0x0A, 0x0B, 0x0C, 0x0D, 0x12, 0x14, 8, 0x0E, 0x0F, 0x10, 0x11, 0x13, 0x18, 0x1F, 0x20,
        0x21,
        0x23, 0x24, 0x25, 0x26, 0x27, 0x28, 0x29,
    ]

    static func run(_ input: inout Input) {
        var world = HostWorld(HostWorld.Traits(rawValue: input.octet()))
        world.start()
        var steps = 0
        while !input.isAtEnd, steps < 200 {
            steps += 1
            switch input.octet() % 16 {
            case 0, 1: world.answerAll()
            case 2: world.receive(input.block())
            case 3:
                let code = input.one(of: events)
                let parameters = input.block()
                world.receive([4, code, UInt8(parameters.count)] + parameters)
            case 4, 5:
                let code = input.one(of: subevents)
                let parameters = input.take(Int(input.octet()) % 64)
                world.receive([4, 0x3E, UInt8(parameters.count + 1), code] + parameters)
            case 6:
                let data = input.block()
                let (handle, flags) = (0x40 + input.octet() % 4, input.octet())
                world.receive([2, handle, flags, UInt8(data.count), 0] + data)
            case 7:
                let channel = 4 + UInt16(input.octet() % 3)
                world.receiveFrame(
                    handle: 0x40 + input.octet() % 4, channel: channel, input.block(), fragment: 1 + Int(input.octet()))
            case 8: world.advance(.milliseconds(Int(input.octet()) * 20))
            case 9, 10: world.call(&input)
            case 11: world.connect(handle: 0x40 + input.octet() % 4, role: input.octet() & 1, peer: input.octet() % 4)
            case 12:
                // Another answer than the right one to the last command.
                let opcode = world.lastOpcode
                let parameters = input.take(Int(input.octet()) % 80)
                world.receive(
                    [4, 0x0E, UInt8(parameters.count + 3), 1, UInt8(opcode & 0xFF), UInt8(opcode >> 8)] + parameters)
            case 13:
                world.keepsCompletions.toggle()
                if !world.keepsCompletions { world.releaseCompletions() }
            case 14:
                // A part of an advertisement of several reports: incomplete, truncated or the last one.
                let (kind, status) = (input.octet(), input.octet() % 3)
                world.receive(report(kind, status, data: Array(input.block().prefix(229))))
            default:
                // A part of the data of a train.
                let (status, handle) = (input.octet() % 4, input.octet() % 3)
                let data = Array(input.block().prefix(247))
                let head: [UInt8] = [4, 0x3E, UInt8(data.count + 8), 0x0F, handle, 0, 127, 0xC0, 0xFF, status]
                world.receive(head + [UInt8(data.count)] + data)
            }
        }
        world.finish()
    }

    /// LE Extended Advertising Report with one report.
    private static func report(_ kind: UInt8, _ status: UInt8, data: [UInt8]) -> [UInt8] {
        var report: [UInt8] = [1, kind & 0x1F | status << 5, 0]
        report += [kind >> 7, kind >> 6 & 1, 0, 0, 0, 0, 0xC0]
        // PHYs, set, power, RSSI, interval and the target's address.
        report += [1, 1, kind >> 5 & 1, 127, 0xC0, 0, 0] + [UInt8](repeating: 0, count: 7)
        report.append(UInt8(data.count))
        return [4, 0x3E, UInt8(1 + report.count + data.count), 0x0D] + report + data
    }
}

/// A host under a hostile peer: L2CAP, signalling, ATT and credit-based channels over a link that works, in either role.
enum PeerTarget {
    static func run(_ input: inout Input) {
        let first = input.octet()
        var world = HostWorld(HostWorld.Traits(rawValue: first >> 1))
        world.start()
        let role = first & 1
        if role == 0 {
            // As central, a host must have requested the link.
            world.connectOut()
        }
        world.connect(handle: 0x40, role: role, peer: 1)
        world.answerAll()
        var steps = 0
        while !input.isAtEnd, steps < 300 {
            steps += 1
            switch input.octet() % 20 {
            case 0, 1, 2: frame(.attribute, input.block(), &input, &world)
            case 3:
                // A signal whose length is right.
                let (code, identifier) = (1 + input.octet() % 0x1A, input.octet())
                let body = input.take(Int(input.octet()) % 24)
                frame(.signalling, [code, identifier, UInt8(body.count), 0] + body, &input, &world)
            case 4: frame(.signalling, input.block(), &input, &world)
            case 5:
                // A valid channel request, and its response.
                frame(.signalling, [0x14, input.octet(), 10, 0, 0x80, 0, 0x40, 0, 100, 0, 50, 0, 9, 0], &input, &world)
            case 6:
                // A frame on a channel, with an SDU length that is right or not.
                let body = input.take(Int(input.octet()) % 110)
                let length = input.octet() & 3 == 0 ? input.octet() : UInt8(body.count)
                frame(.dynamic(input.octet() % 3), [length, 0] + body, &input, &world)
            case 7: frame(.dynamic(input.octet() % 3), input.block(), &input, &world)
            case 8: world.advance(.milliseconds(Int(input.octet()) * 150))
            case 9: world.call(&input)
            case 10:
                world.keepsCompletions.toggle()
                if !world.keepsCompletions { world.releaseCompletions() }
            case 11: frame(.other(input.number16()), input.block(), &input, &world)
            default: answer(&input, &world)
            }
            world.answerAll()
        }
        world.finish()
    }

    /// What a peer with enhanced bearers and pairing sends, and answers.
    private static func answer(_ input: inout Input, _ world: inout HostWorld) {
        let number = input.octet()
        switch number % 8 {
        case 0:
            // The features of a server that has enhanced bearers, and takes several values in one notification.
            frame(.attribute, [9, 3, 9, 0, 1], &input, &world)
        case 1:
            // Channels of the enhanced mode, for bearers or for the program.
            let ends = Self.ends(1 + number >> 3 % 6)
            let head: [UInt8] = [0x17, input.octet(), UInt8(8 + ends.count), 0, number & 0x40 == 0 ? 0x27 : 0x80, 0]
            frame(.signalling, head + [0x48, 0, 0x46, 0, 9, 0] + ends, &input, &world)
        case 2:
            // The answer to such a request.
            let ends = Self.ends(number >> 3 % 6)
            let head: [UInt8] = [0x18, input.octet(), UInt8(8 + ends.count), 0]
            frame(.signalling, head + [0x48, 0, 0x46, 0, 9, 0, input.octet() % 12, 0] + ends, &input, &world)
        case 3:
            let body: [UInt8] = [input.octet(), input.octet() & 1, input.octet(), 0] + Self.ends(number >> 3 % 6)
            frame(.signalling, [0x19, input.octet(), UInt8(body.count), 0] + body, &input, &world)
        case 4, 5:
            // A PDU of the Security Manager with its length.
            let code = 1 + input.octet() % 0x0E
            frame(.security, [code] + input.take(Self.securityLengths[Int(code) - 1]), &input, &world)
        case 6: world.receive([4, 0x3E, 13, 5, 0x40, 0] + [UInt8](repeating: 0, count: 10))
        default: world.receive([4, 0x08, 4, input.octet() & 1 == 0 ? 0 : 6, 0x40, 0, number >> 3 & 1])
        }
    }

    /// The peer's ends of channels.
    private static func ends(_ count: UInt8) -> [UInt8] { (0..<count).flatMap { [0x50 + $0, 0] } }

    /// Octets behind the code, by code from 1 on (Vol 3, Part H, 3.5 and 3.6).
    private static let securityLengths = [6, 6, 16, 16, 1, 16, 10, 16, 7, 16, 1, 64, 16, 1]

    private enum Channel {
        case attribute, signalling, security
        case dynamic(UInt8)
        case other(UInt16)

        var identifier: UInt16 {
            switch self {
            case .attribute: 4
            case .signalling: 5
            case .security: 6
            case .dynamic(let number): 0x40 + UInt16(number)
            case .other(let identifier): identifier
            }
        }
    }

    private static func frame(_ channel: Channel, _ payload: [UInt8], _ input: inout Input, _ world: inout HostWorld) {
        // Most frames arrive in one fragment.
        let how = input.octet()
        world.receiveFrame(
            handle: 0x40, channel: channel.identifier, payload, fragment: how & 0xC0 == 0xC0 ? 1 + Int(how & 0x3F) : 251
        )
    }
}
