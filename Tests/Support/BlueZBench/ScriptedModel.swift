import BLEWire
import SystemBus

/// An error of bluetoothd, with its text.
package struct ScriptedFailure: Hashable, Sendable {
    package let name: String
    package let text: String

    package init(_ name: String, _ text: String) { (self.name, self.text) = ("org.bluez.Error.\(name)", text) }
    package init(full name: String, _ text: String) { (self.name, self.text) = (name, text) }

    package static func failed(_ text: String) -> Self { Self("Failed", text) }
    package static func notPermitted(_ text: String) -> Self { Self("NotPermitted", text) }
    package static let invalidArguments = Self("InvalidArguments", "Invalid arguments in method call")
    package static let inProgress = Self("InProgress", "In Progress")
    /// The text that the calls for discovery answer with.
    package static let busy = Self("InProgress", "Operation already in progress")
    package static let notReady = Self("NotReady", "Resource Not Ready")
    package static let notSupported = Self("NotSupported", "Operation is not supported")
    package static let notAuthorized = Self("NotAuthorized", "Operation Not Authorized")
    package static let notConnected = Self("NotConnected", "Not Connected")
    package static let alreadyConnected = Self("AlreadyConnected", "Already Connected")
    package static let alreadyExists = Self("AlreadyExists", "Already Exists")
    package static let doesNotExist = Self("DoesNotExist", "Does Not Exist")
    package static let authenticationCanceled = Self("AuthenticationCanceled", "Authentication Canceled")
    package static let authenticationFailed = Self("AuthenticationFailed", "Authentication Failed")
    /// What Connect answers with after Disconnect, or if the link is lost first.
    package static let connectionCanceled = failed("br-connection-canceled")
    package static let connectionAborted = failed("le-connection-abort-by-local")

    /// The error for the error code of an attribute (Vol 3, Part F, 3.4.1.1).
    package static func attribute(_ code: UInt8) -> Self {
        switch code {
        case 0x02: notPermitted("Read not permitted")
        case 0x03: notPermitted("Write not permitted")
        case 0x05, 0x0C, 0x0F: notPermitted("Not paired")
        case 0x06: notSupported
        case 0x07: Self("InvalidArguments", "Invalid offset")
        case 0x08: notAuthorized
        case 0x0D: Self("InvalidArguments", "Invalid Length")
        default: failed("Operation failed with ATT error: 0x" + (code < 16 ? "0" : "") + String(code, radix: 16))
        }
    }
}

/// What the script does with a call instead of what bluetoothd does.
package enum ScriptedAnswer: Sendable {
    case fails(ScriptedFailure)
    /// No answer: the call is kept in `ScriptedBlueZ.held`.
    case hangs
    /// An answer with these values, whose types may be wrong.
    case answers([BusValue])
    /// The usual effects, and an answer with these values in place of the usual ones, without descriptors.
    case substitutes([BusValue])
    /// The usual answer, after a time.
    case late(TimeSpan)
}

/// A call that bluetoothd received.
package struct ScriptedCall: Hashable, Sendable, CustomStringConvertible {
    package let sender: String
    package let path: String
    /// The last part of the interface and the member, such as "Device1.Connect".
    package let method: String
    package let arguments: [BusValue]

    package var description: String { "\(method) \(path)" }
}

package struct ScriptedDescriptor: Hashable, Sendable {
    package var uuid: String
    package var value: [UInt8]

    package init(_ uuid: String, _ value: [UInt8] = []) { (self.uuid, self.value) = (uuid, value) }
}

package struct ScriptedCharacteristic: Hashable, Sendable {
    package var uuid: String
    package var flags: [String]
    package var value: [UInt8]
    package var descriptors: [ScriptedDescriptor]

    package init(_ uuid: String, _ flags: [String], _ value: [UInt8] = [], descriptors: [ScriptedDescriptor] = []) {
        (self.uuid, self.flags, self.value, self.descriptors) = (uuid, flags, value, descriptors)
    }
}

package struct ScriptedService: Hashable, Sendable {
    package var uuid: String
    package var isPrimary = true
    /// The indices of included services in the device.
    package var includes: [Int] = []
    package var characteristics: [ScriptedCharacteristic]

    package init(_ uuid: String, _ characteristics: [ScriptedCharacteristic] = []) {
        (self.uuid, self.characteristics) = (uuid, characteristics)
    }
}

/// A device in the radio's range, with what it does when it is connected.
package struct ScriptedDevice: Sendable {
    package enum Connecting: Sendable {
        case succeeds
        case fails(ScriptedFailure)
        /// It does not answer: until Disconnect.
        case never
    }

    package enum Pairing: Sendable {
        case succeeds
        /// The agent has to answer first.
        case asks(ScriptedQuestion)
        case fails(ScriptedFailure)
        case never
    }

    package var address: String
    package var addressType = "random"
    package var name: String?
    package var rssi: Int16? = -60
    package var txPower: Int16?
    package var uuids: [String] = []
    package var manufacturerData: [UInt16: [UInt8]] = [:]
    package var serviceData: [String: [UInt8]] = [:]
    package var services: [ScriptedService] = []
    package var connecting = Connecting.succeeds
    package var pairing = Pairing.succeeds
    package var isPaired = false
    /// ATT_MTU after the exchange.
    package var mtu: UInt16 = 517
    /// Further properties, or others than those above.
    package var properties: BusProperties = [:]

    package init(_ address: String, name: String? = nil) { (self.address, self.name) = (address, name) }

    func path(_ adapter: String) -> String { "\(adapter)/dev_\(address.split(separator: ":").joined(separator: "_"))" }

    func properties(of adapter: String, hasBonded: Bool) -> BusProperties {
        var all: BusProperties = [
            "Address": .string(address), "AddressType": .string(addressType), "Adapter": .path(adapter),
            "Alias": .string(name ?? address.split(separator: ":").joined(separator: "-")),
            "Paired": .bool(isPaired), "Trusted": .bool(false), "Blocked": .bool(false), "LegacyPairing": .bool(false),
            "Connected": .bool(false), "ServicesResolved": .bool(false),
        ]
        if hasBonded { all["Bonded"] = .bool(isPaired) }
        return all.merging(advertised) { $1 }.merging(properties) { $1 }
    }

    /// The properties that come from advertisements.
    var advertised: BusProperties {
        var all: BusProperties = ["UUIDs": .array("s", uuids.map { .string($0) })]
        all["Name"] = name.map { .string($0) }
        all["RSSI"] = rssi.map { .int16($0) }
        all["TxPower"] = txPower.map { .int16($0) }
        if !manufacturerData.isEmpty {
            all["ManufacturerData"] = .array(
                "{qv}",
                manufacturerData.sorted { $0.key < $1.key }.map {
                    .entry(.uint16($0.key), .variant(.octets($0.value)))
                })
        }
        if !serviceData.isEmpty { all["ServiceData"] = .properties(serviceData.mapValues { .octets($0) }) }
        return all
    }
}
