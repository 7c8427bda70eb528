import BLEAdapter
import BLEController
import BLEWire
import Glibc

/// Who a program on the radio is and where it wants to stand. It says so in its environment, which the system lets its own user
/// read; so it works for programs in any language, without a word about it on the wire.
struct ProcessIntroduction: Hashable {
    /// `BLUETOOTH_RADIO_NAME`, else the name of its executable; made harmless. Nil if it has none.
    var name: String?
    /// `BLUETOOTH_RADIO_POSITION`: metres, as `X,Y` or `X,Y,Z`. Nil if there is none that makes sense.
    var position: RadioPosition?
    /// `BLUETOOTH_RADIO_ADDRESS`: the public address of its controller, as `02:00:5E:00:00:01`. Nil if there is none that makes sense.
    var address: UInt64?
    /// A sentence for the log about a `BLUETOOTH_RADIO_ADDRESS` that makes no sense.
    var complaint: String?

    /// Reads what the process with this number says of itself.
    init(process: Int32) {
        self.init(
            environment: Self.read("/proc/\(process)/environ"), commandLine: Self.read("/proc/\(process)/cmdline"))
    }

    /// - Parameters: as `/proc` has them, entries with a zero octet after each.
    init(environment: [UInt8], commandLine: [UInt8]) {
        var program = commandLine.prefix { $0 != 0 }
        if let slash = program.lastIndex(of: UInt8(ascii: "/")) { program = program[(slash + 1)...] }
        name = Self.name(of: program)
        for entry in environment.split(separator: 0) {
            if let value = Self.value(of: "BLUETOOTH_RADIO_NAME=", in: entry) {
                name = Self.name(of: value) ?? name
            } else if let value = Self.value(of: "BLUETOOTH_RADIO_POSITION=", in: entry) {
                position = RadioPosition(text: String(decoding: value, as: UTF8.self)) ?? position
            } else if let value = Self.value(of: "BLUETOOTH_RADIO_ADDRESS=", in: entry) {
                let text = String(decoding: value, as: UTF8.self)
                if let wish = DeviceAddress(text: text) {
                    address = wish.value
                } else {
                    complaint =
                        "BLUETOOTH_RADIO_ADDRESS=\(Self.harmless(text)) is ignored: it is no public address of a device. Write six octets with an even first one, as 02:00:5E:00:00:01."
                }
            }
        }
    }

    /// The beginning of a text, without characters that a terminal or a log obeys.
    private static func harmless(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.prefix(40).map { (" "..."~").contains($0) ? $0 : "?" }))
    }

    private static func value(of name: String, in entry: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        entry.starts(with: name.utf8) ? entry.dropFirst(name.utf8.count) : nil
    }

    /// At most 32 of the characters that need no care anywhere; what else there is becomes a hyphen.
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
        // Numbers, and the word for everybody, name devices in another way.
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
    /// From six pairs of hexadecimal digits with colons between them; nil for anything else, and for addresses that no device has: all
    /// zeros, all ones, a public group address, and a random address of the reserved type (Vol 6, Part B, 1.3).
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
        // The bit for groups is the lowest of the first octet (IEEE 802, 8.2); 10 at the top of a random address is reserved.
        guard kind == .random ? value >> 46 != 2 : value >> 40 & 1 == 0 else { return nil }
        self.init(kind: kind, value: value)
    }
}

extension RadioPosition {
    /// From `X,Y` or `X,Y,Z`; nil if that is not what it is, or not within 100 km.
    init?(text: String) {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { Self.coordinate($0) }
        guard (2...3).contains(parts.count), let x = parts[0], let y = parts[1], let z = parts.count == 3 ? parts[2] : 0
        else { return nil }
        self.init(x: x, y: y, z: z)
    }

    /// Metres; nil if it is no number or not within 100 km.
    static func coordinate(_ text: some StringProtocol) -> Double? {
        guard let number = Double(String(text)), abs(number) <= 100_000 else { return nil }
        return number
    }
}
