import Foundation
import Phrases

/// What a user does in the explorer.
///
/// A device is the `identifier` of its `CBPeripheral`. An attribute is its place in the device's tree: `2` is the second service, `2.1` its
/// first characteristic, and `2.1.3` the third descriptor of that.
package enum ExplorerAction: Hashable, Sendable {
    case startScan
    case stopScan
    /// Connects, and discovers all attributes if `discovers` is true.
    case connect(device: UUID, discovers: Bool)
    case disconnect(device: UUID)
    /// Disconnects, and removes the device from the list of opened devices.
    case close(device: UUID)
    case discover(device: UUID)
    case read(device: UUID, attribute: String)
    /// Reads all characteristics that can be read.
    case readAll(device: UUID)
    /// Reads the characteristics and descriptors that can be read, and were neither read nor refused.
    case readMissing(device: UUID)
    case write(device: UUID, attribute: String, WriteValue)
    case subscribe(device: UUID, attribute: String)
    case unsubscribe(device: UUID, attribute: String)
    case readRSSI(device: UUID)
    case pair(device: UUID, PairingLevel)
    case unpair(device: UUID)
    /// Answers a prompt of a pairing. A prompt for a passkey needs its digits.
    case answer(prompt: Int, accepts: Bool, passkey: String?)
    case clearLog
    /// Sets the ATT_MTU of later links, 23 to 517 octets.
    case offerMTU(Int)

    /// A value to write, as the user entered it.
    package struct WriteValue: Hashable, Sendable {
        package let text: String
        /// The name of a `ValueFormat`, or `sig` for the format that the SIG defines for the attribute.
        package let format: String
        /// Whether the device responds; nil: if the characteristic supports it.
        package let response: Bool?

        package init(_ text: String, format: String = "hex", response: Bool? = nil) {
            self.text = text
            self.format = format
            self.response = response
        }
    }

    package enum PairingLevel: String, Codable, Hashable, Sendable {
        case encrypted, authenticated
        case secureConnections = "secure-connections"
    }
}

// MARK: JSON

extension ExplorerAction {
    /// The arguments of all actions. Each action uses its own.
    private struct Arguments: Codable {
        var device: String?
        var attribute: String?
        var discovers: Bool?
        var value: String?
        var format: String?
        var response: Bool?
        var level: PairingLevel?
        var prompt: Int?
        var accepts: Bool?
        var passkey: String?
        var mtu: Int?

        func peer() throws -> UUID {
            guard let peer = device.flatMap(UUID.init(uuidString:)) else { throw PhrasedError.actionArguments }
            return peer
        }

        func place() throws -> String {
            guard let attribute, attribute.utf8.count <= 32 else { throw PhrasedError.actionArguments }
            return attribute
        }
    }

    /// The longest text of a value: 512 octets as hexadecimal digits with prefixes and separators.
    private static let textLimit = 4096

    /// - Parameters:
    ///   - name: The name of the action, such as `read`.
    ///   - arguments: Its arguments as a JSON object.
    package init(_ name: String, _ arguments: Data) throws {
        guard let with = try? JSONDecoder().decode(Arguments.self, from: arguments) else {
            throw PhrasedError.actionArguments
        }
        switch name {
        case "scan": self = .startScan
        case "stopScan": self = .stopScan
        case "connect": self = .connect(device: try with.peer(), discovers: with.discovers ?? true)
        case "disconnect": self = .disconnect(device: try with.peer())
        case "close": self = .close(device: try with.peer())
        case "discover": self = .discover(device: try with.peer())
        case "read": self = .read(device: try with.peer(), attribute: try with.place())
        case "readAll": self = .readAll(device: try with.peer())
        case "readMissing": self = .readMissing(device: try with.peer())
        case "write":
            guard let text = with.value, text.utf8.count <= Self.textLimit else { throw PhrasedError.actionArguments }
            let value = WriteValue(text, format: with.format ?? "hex", response: with.response)
            self = .write(device: try with.peer(), attribute: try with.place(), value)
        case "subscribe": self = .subscribe(device: try with.peer(), attribute: try with.place())
        case "unsubscribe": self = .unsubscribe(device: try with.peer(), attribute: try with.place())
        case "readRSSI": self = .readRSSI(device: try with.peer())
        case "pair": self = .pair(device: try with.peer(), with.level ?? .encrypted)
        case "unpair": self = .unpair(device: try with.peer())
        case "answer":
            guard let prompt = with.prompt else { throw PhrasedError.actionArguments }
            self = .answer(prompt: prompt, accepts: with.accepts ?? false, passkey: with.passkey)
        case "clearLog": self = .clearLog
        case "offerMTU":
            guard let mtu = with.mtu else { throw PhrasedError.actionArguments }
            self = .offerMTU(mtu)
        default:
            throw PhrasedError(
                "unknown-action",
                Phrase("The explorer has no action “\(name.prefix(64))”.", "探索器没有操作“\(name.prefix(64))”。"))
        }
    }
}
