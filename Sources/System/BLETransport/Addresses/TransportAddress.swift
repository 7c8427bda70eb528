/// The address of a controller or of a host, as in `BLUETOOTH_CONTROLLER` and in the options of the tool.
package enum TransportAddress: Hashable, Sendable {
    /// H4 over TCP. The host is a name or an IPv4 or IPv6 address, without brackets.
    case tcp(host: String, port: UInt16)
    /// H4 over a Unix stream socket.
    case unix(path: String)
    /// H4 over a serial port, with hardware flow control. The speed is in bits a second.
    case serial(device: String, speed: UInt32)
    /// An adapter of this machine, by the number in its name (`hci0`), which this program takes from the kernel.
    case adapter(index: UInt16)
}

extension TransportAddress: CustomStringConvertible {
    package var description: String {
        switch self {
        case .tcp(let host, let port): host.contains(":") ? "tcp:[\(host)]:\(port)" : "tcp:\(host):\(port)"
        case .unix(let path): "unix:\(path)"
        case .serial(let device, let speed): "serial:\(device)@\(speed)"
        case .adapter(let index): "hci\(index)"
        }
    }
}

extension TransportAddress {
    /// The longest path that a socket address holds, in octets (unix(7): 108 with the NUL).
    static let maximumPathLength = 107
    /// The speed of a serial port whose address names none, in bits a second.
    static let defaultSerialSpeed: UInt32 = 115_200
    /// The speeds of H4 boards, in bits a second.
    static let serialSpeeds: ClosedRange<UInt32> = 1200...12_000_000

    /// Reads `tcp:HOST:PORT`, `tcp:[IPV6]:PORT`, `unix:PATH`, `serial:DEVICE@SPEED` (without `@SPEED`: 115200) or
    /// `hciN`. Port 0 is for listening: the system chooses one.
    package init(parsing text: String) throws(TransportError) {
        if let rest = text.dropping(prefix: "tcp:") {
            self = try Self.tcp(rest, of: text)
        } else if let rest = text.dropping(prefix: "unix:") {
            self = try Self.unix(rest, of: text)
        } else if let rest = text.dropping(prefix: "hci"), !rest.isEmpty, rest.allSatisfy(\.isDigit) {
            guard let index = UInt16(rest), index < 0xFFFF else {
                throw Self.malformed(text, "the number of an adapter is at most 65534, as in hci0")
            }
            self = .adapter(index: index)
        } else if let rest = text.dropping(prefix: "serial:") {
            self = try Self.serial(rest, of: text)
        } else {
            throw TransportError(
                .unknownTransport,
                "\"\(text)\" is no transport: write hci0 (an adapter of this machine), tcp:HOST:PORT, unix:PATH or "
                    + "serial:DEVICE@SPEED."
            )
        }
    }

    private static func tcp(_ rest: Substring, of text: String) throws(TransportError) -> TransportAddress {
        let host: Substring
        let port: Substring
        if rest.first == "[" {
            guard let end = rest.firstIndex(of: "]"), rest[end...].dropFirst().first == ":" else {
                throw malformed(text, "an IPv6 address stands in brackets before the port, as in tcp:[::1]:6402")
            }
            host = rest[..<end].dropFirst()
            port = rest[end...].dropFirst(2)
        } else {
            guard let colon = rest.lastIndex(of: ":") else {
                throw malformed(text, "the port is missing, as in tcp:127.0.0.1:6402")
            }
            host = rest[..<colon]
            port = rest[colon...].dropFirst()
            guard !host.contains(":") else {
                throw malformed(text, "an IPv6 address stands in brackets before the port, as in tcp:[::1]:6402")
            }
        }
        guard !host.isEmpty, !host.contains("\0") else {
            throw malformed(text, "the host is missing, as in tcp:127.0.0.1:6402")
        }
        guard !port.isEmpty, port.allSatisfy(\.isDigit), let number = UInt16(port) else {
            throw malformed(text, "the port is a number from 0 to 65535")
        }
        return .tcp(host: String(host), port: number)
    }

    private static func unix(_ path: Substring, of text: String) throws(TransportError) -> TransportAddress {
        guard !path.isEmpty, !path.contains("\0") else {
            throw malformed(text, "the path is missing, as in unix:/tmp/hci")
        }
        guard path.utf8.count <= maximumPathLength else {
            throw malformed(text, "the path of a socket is at most \(maximumPathLength) octets long")
        }
        return .unix(path: String(path))
    }

    private static func serial(_ rest: Substring, of text: String) throws(TransportError) -> TransportAddress {
        let parts = rest.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        guard let device = parts.first, !device.isEmpty, !device.contains("\0") else {
            throw malformed(text, "the device is missing, as in serial:/dev/ttyACM0@1000000")
        }
        guard parts.count == 2 else { return .serial(device: String(device), speed: defaultSerialSpeed) }
        guard parts[1].allSatisfy(\.isDigit), let speed = UInt32(parts[1]), serialSpeeds.contains(speed) else {
            throw malformed(text, "the speed is a number of bits a second from 1200 to 12000000")
        }
        return .serial(device: String(device), speed: speed)
    }

    private static func malformed(_ text: String, _ rule: String) -> TransportError {
        TransportError(.unknownTransport, "\"\(text)\" is no transport: \(rule).")
    }
}

extension String {
    fileprivate func dropping(prefix: String) -> Substring? {
        hasPrefix(prefix) ? dropFirst(prefix.count) : nil
    }
}

extension Character {
    fileprivate var isDigit: Bool { ("0"..."9").contains(self) && isASCII }
}
