/// H4 packets of a controller, and the answers of a scripted one.
enum Packets {
    static let handle: UInt16 = 0x0040

    static func event(_ code: UInt8, _ parameters: [UInt8]) -> [UInt8] {
        [0x04, code, UInt8(parameters.count)] + parameters
    }

    static func completed(_ packets: UInt16) -> [UInt8] {
        event(0x13, [1, UInt8(handle & 0xFF), UInt8(handle >> 8), UInt8(packets & 0xFF), UInt8(packets >> 8)])
    }

    /// An attribute PDU in ACL fragments of at most `length` octets.
    static func attribute(_ pdu: [UInt8], fragment length: Int = 251) -> [[UInt8]] {
        let frame = [UInt8(pdu.count & 0xFF), UInt8(pdu.count >> 8), 0x04, 0x00] + pdu
        return stride(from: 0, to: frame.count, by: length).map { start in
            let part = frame[start..<min(start + length, frame.count)]
            let header = handle | (start == 0 ? 0x2000 : 0x1000)
            return [0x02, UInt8(header & 0xFF), UInt8(header >> 8), UInt8(part.count & 0xFF), UInt8(part.count >> 8)]
                + part
        }
    }

    /// A report of a packet that cannot be connected to, from device `number`, with 31 octets of data.
    static func report(from number: UInt8) -> [UInt8] {
        let data: [UInt8] =
            [2, 1, 6, 9, 9] + Array("abcdefgh".utf8) + [0x11, 0xFF] + [UInt8](repeating: number, count: 16)
        return event(0x3E, [0x02, 1, 3, 1, number, 0, 0, 0, 0, 0xC0, 31] + data + [0xC5])
    }

    /// The same report in the extended form.
    static func extendedReport(from number: UInt8) -> [UInt8] {
        let report = report(from: number)
        let (address, data) = (report[6..<13], report[13..<45])
        return event(
            0x3E, [0x0D, 1, 0x10, 0] + address + [1, 0, 0xFF, 127, 0xC5] + [UInt8](repeating: 0, count: 9) + data)
    }

    static var connectionComplete: [UInt8] {
        event(
            0x3E, [0x01, 0, UInt8(handle & 0xFF), UInt8(handle >> 8), 0, 1, 1, 0, 0, 0, 0, 0xC0, 24, 0, 0, 0, 72, 0, 0])
    }

    /// What the controller answers to the commands in `packets`.
    static func answers(to packets: [UInt8], fragment: UInt8, buffers: UInt8) -> [[UInt8]] {
        var answers: [[UInt8]] = []
        var rest = packets[...]
        while rest.count >= 4, rest.first == 0x01 {
            let opcode = UInt16(rest[rest.startIndex + 1]) | UInt16(rest[rest.startIndex + 2]) << 8
            rest = rest.dropFirst(4 + Int(rest[rest.startIndex + 3]))
            let low = UInt8(opcode & 0xFF)
            let high = UInt8(opcode >> 8)
            func complete(_ parameters: [UInt8]) { answers.append(event(0x0E, [1, low, high, 0] + parameters)) }
            func status() { answers.append(event(0x0F, [0, 1, low, high])) }
            switch opcode {
            case 0x1001: complete([12, 0, 0, 12, 0xFF, 0xFF, 0, 0])
            case 0x1002: complete([UInt8](repeating: 0, count: 64))
            case 0x2002: complete([fragment, 0, buffers])
            case 0x2003: complete([UInt8](repeating: 0, count: 8))
            case 0x200D:
                status()
                answers.append(connectionComplete)
            case 0x2016:
                status()
                answers.append(
                    event(0x3E, [0x04, 0, UInt8(handle & 0xFF), UInt8(handle >> 8)] + [UInt8](repeating: 0, count: 8)))
            default: complete([UInt8](repeating: 0, count: 8))
            }
        }
        return answers
    }
}
