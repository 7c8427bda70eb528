/// The start of a connection, in lines of text (D-Bus Specification, "Authentication Protocol"): the mechanism EXTERNAL, then the passing of
/// descriptors.
struct BusAuthentication {
    private enum Step {
        case mechanism
        case descriptors
        case done
    }

    /// The longest line, in octets.
    static let longestLine = 1024

    private var step = Step.mechanism
    /// Whether the bus passes descriptors.
    private(set) var passesDescriptors = false
    var isDone: Bool { step == .done }

    /// The first octets: NUL, and the user's number in decimal digits, whose octets are in hexadecimal digits.
    static func start(user: UInt32) -> [UInt8] {
        let digits = String(user).utf8.map { String($0, radix: 16) }
        return [0] + Array("AUTH EXTERNAL \(digits.joined())\r\n".utf8)
    }

    /// Takes a line without its end, and returns the answer.
    mutating func receive(_ line: String) throws(BusCallError) -> String {
        let command = line.split(separator: " ", maxSplits: 1).first ?? ""
        switch (step, command) {
        case (.mechanism, "OK"):
            step = .descriptors
            return "NEGOTIATE_UNIX_FD\r\n"
        case (.mechanism, "REJECTED"), (.mechanism, "ERROR"), (.mechanism, "DATA"): throw .refused
        case (.descriptors, "AGREE_UNIX_FD"), (.descriptors, "ERROR"):
            passesDescriptors = command == "AGREE_UNIX_FD"
            step = .done
            return "BEGIN\r\n"
        default: throw .violation("an unknown line during authentication")
        }
    }
}
