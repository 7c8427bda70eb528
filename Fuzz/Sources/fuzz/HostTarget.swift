/// A host under a hostile controller: octets of HCI that a controller could send, or could not.
enum HostTarget {
    private static let events: [UInt8] = [0x05, 0x08, 0x0C, 0x0E, 0x0F, 0x10, 0x13, 0x1A, 0x30, 0x3E, 0x57]
    private static let subevents: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 9, 0x0A, 0x0B, 0x0C, 0x0D, 0x12, 0x14]

    static func run(_ input: inout Input) {
        var world = HostWorld()
        world.start()
        var steps = 0
        while !input.isAtEnd, steps < 200 {
            steps += 1
            switch input.octet() % 14 {
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
            default:
                world.keepsCompletions.toggle()
                if !world.keepsCompletions { world.releaseCompletions() }
            }
        }
        world.finish()
    }
}

/// A host under a hostile peer: L2CAP, signalling, ATT and credit-based channels over a link that works, in either role.
enum PeerTarget {
    static func run(_ input: inout Input) {
        var world = HostWorld()
        world.start()
        let role = input.octet() & 1
        if role == 0 {
            // As central, a host must have requested the link.
            world.connectOut()
        }
        world.connect(handle: 0x40, role: role, peer: 1)
        world.answerAll()
        var steps = 0
        while !input.isAtEnd, steps < 300 {
            steps += 1
            switch input.octet() % 12 {
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
            default: frame(.other(input.number16()), input.block(), &input, &world)
            }
            world.answerAll()
        }
        world.finish()
    }

    private enum Channel {
        case attribute, signalling
        case dynamic(UInt8)
        case other(UInt16)

        var identifier: UInt16 {
            switch self {
            case .attribute: 4
            case .signalling: 5
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
