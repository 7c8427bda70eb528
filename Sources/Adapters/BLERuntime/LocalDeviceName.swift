import BLEHostAdapter
import Glibc

/// The GAP device name (2A00; Vol 3, Part C, 12.1) of this program's host.
enum LocalDeviceName {
    /// `BLUETOOTH_NAME`. Otherwise, on a virtual radio, `BLUETOOTH_RADIO_NAME` or the name of the executable. Otherwise
    /// the name of the machine.
    static func text(
        on choice: ControllerChoice, environment: (String) -> String? = ProcessEnvironment.text,
        program: String = CommandLine.arguments.first ?? "", machine: String = Self.machineName()
    ) -> String {
        if let name = environment("BLUETOOTH_NAME"), !name.isEmpty { return name }
        let executable = program.split(separator: "/").last.map { String($0) } ?? machine
        switch choice {
        case .radio:
            if let name = environment("BLUETOOTH_RADIO_NAME"), !name.isEmpty { return name }
            return executable
        case .virtual: return executable
        case .adapter, .socket, .bluez, .gateway, .none: return machine
        }
    }

    private static func machineName() -> String {
        // gethostname writes no NUL after a name that fills its buffer, so the call does not get the last octet.
        var text = [CChar](repeating: 0, count: 256)
        guard gethostname(&text, text.count - 1) == 0, text[0] != 0 else { return "Linux" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
