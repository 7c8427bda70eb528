import BLEController
import BLEWire
import Glibc

/// The name, position, address and platform that a program requests on a shared radio. The radio reads them from the environment
/// of the process, which the system shows to the same user. They therefore work for programs in any language, and need
/// no support in the HCI transport.
struct ProcessIntroduction: Hashable {
    /// `BLUETOOTH_RADIO_NAME`, otherwise the name of its executable, reduced to safe characters. Nil if it has none.
    var name: String?
    /// `BLUETOOTH_RADIO_POSITION`: metres, as `X,Y` or `X,Y,Z`. Nil if there is none, or no valid one.
    var position: RadioPosition?
    /// `BLUETOOTH_RADIO_ADDRESS`: the public address of its controller, as `02:00:5E:00:00:01`. Nil if there is none,
    /// or no valid one.
    var requestedAddress: UInt64?
    /// `BLUETOOTH_RADIO_PLATFORM`, at most 40 printable characters. Nil if there is none, or an empty one.
    var platform: String?
    /// A sentence for the log about an invalid `BLUETOOTH_RADIO_ADDRESS`.
    var complaint: String?

    /// Reads the environment of a process.
    ///
    /// - Parameter process: The process number.
    init(process: Int32) {
        self.init(
            environment: Self.read("/proc/\(process)/environ"), commandLine: Self.read("/proc/\(process)/cmdline"))
    }

    /// - Parameters: The texts in the format of `/proc`, with a zero octet after each entry.
    init(environment: [UInt8], commandLine: [UInt8]) {
        var program = commandLine.prefix { $0 != 0 }
        if let slash = program.lastIndex(of: UInt8(ascii: "/")) { program = program[(slash + 1)...] }
        name = Self.name(of: program)
        for entry in environment.split(separator: 0) {
            if let value = Self.value(of: "BLUETOOTH_RADIO_NAME=", in: entry) {
                name = Self.name(of: value) ?? name
            } else if let value = Self.value(of: "BLUETOOTH_RADIO_POSITION=", in: entry) {
                position = RadioPosition(text: String(decoding: value, as: UTF8.self)) ?? position
            } else if let value = Self.value(of: RequestedPlatform.variable + "=", in: entry), !value.isEmpty {
                platform = Self.harmless(String(decoding: value.prefix(256), as: UTF8.self))
            } else if let value = Self.value(of: "BLUETOOTH_RADIO_ADDRESS=", in: entry) {
                let text = String(decoding: value, as: UTF8.self)
                if let address = DeviceAddress(text: text) {
                    requestedAddress = address.value
                } else {
                    complaint =
                        "BLUETOOTH_RADIO_ADDRESS=\(Self.harmless(text)) is ignored: it is no public address of a device. Write six octets with an even first one, as 02:00:5E:00:00:01."
                }
            }
        }
    }

    /// The beginning of a text, without control characters.
    private static func harmless(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.prefix(40).map { (" "..."~").contains($0) ? $0 : "?" }))
    }

    private static func value(of name: String, in entry: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        entry.starts(with: name.utf8) ? entry.dropFirst(name.utf8.count) : nil
    }

    /// At most 32 letters, digits, dots, underscores and plus signs; a hyphen replaces any other octet.
    private static func name(of octets: ArraySlice<UInt8>) -> String? {
        guard !octets.isEmpty else { return nil }
        let text = String(
            decoding: octets.prefix(32).map { octet in
                switch octet {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "+"):
                    octet
                default: UInt8(ascii: "-")
                }
            }, as: UTF8.self)
        // A device name must not be a number or `all`: those select devices by number or select every device.
        return text == "all" || text.allSatisfy(\.isNumber) ? "program-" + text : text
    }

    private static func read(_ path: String) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return [] }
        defer { close(file) }
        var octets = [UInt8](repeating: 0, count: 1 << 18)
        var count = 0
        while count < octets.count {
            let more = octets.withUnsafeMutableBytes { Glibc.read(file, $0.baseAddress! + count, $0.count - count) }
            if more < 0, errno == EINTR { continue }
            guard more > 0 else { break }
            count += more
        }
        octets.removeLast(octets.count - count)
        return octets
    }
}

extension DeviceAddress {
    /// Parses six pairs of hexadecimal digits with colons between them. Returns nil for any other text, and for
    /// addresses that no device has: all zeros, all ones, a public group address, and a random address of the reserved
    /// type (Vol 6, Part B, 1.3).
    package init?(text: String, kind: Kind = .public) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 6 else { return nil }
        var value: UInt64 = 0
        for part in parts {
            guard part.utf8.count == 2, part.allSatisfy(\.isHexDigit), let octet = UInt8(part, radix: 16) else {
                return nil
            }
            value = value << 8 | UInt64(octet)
        }
        guard value != 0, value != 0xFFFF_FFFF_FFFF else { return nil }
        // The bit for groups is the lowest of the first octet (IEEE 802, 8.2); 10 at the top of a random address is
        // reserved.
        guard kind == .random ? value >> 46 != 2 : value >> 40 & 1 == 0 else { return nil }
        self.init(kind: kind, value: value)
    }
}

extension RadioPosition {
    /// Parses `X,Y` or `X,Y,Z` in metres. Returns nil for any other text, and for a coordinate beyond 100 km.
    package init?(text: String) {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { Self.coordinate($0) }
        guard (2...3).contains(parts.count), let x = parts[0], let y = parts[1], let z = parts.count == 3 ? parts[2] : 0
        else { return nil }
        self.init(x: x, y: y, z: z)
    }

    /// A coordinate in metres; nil if the text is not a number or the value is beyond 100 km.
    package static func coordinate(_ text: some StringProtocol) -> Double? {
        guard let number = Double(String(text)), abs(number) <= 100_000 else { return nil }
        return number
    }
}
