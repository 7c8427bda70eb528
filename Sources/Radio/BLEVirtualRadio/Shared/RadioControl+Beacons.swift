import BLEController
import BLEWire

/// The commands that add and remove advertisers without a host.
extension RadioControl {
    static let beaconLimit = 256

    /// Runs `beacon add NAME KEY=VALUE...`; `words` begins with the name.
    func addBeacon(_ words: ArraySlice<Substring>, _ network: VirtualRadioNetwork) throws(CommandError) -> (
        NetworkDevice, DeviceAddress
    ) {
        let devices = network.devices
        guard let name = words.first, Self.isName(name) else {
            throw CommandError(
                "\(shown(words.first ?? "")) is not a name for a beacon: write 1 to 32 letters, digits, hyphens, dots and underscores, but neither a number nor all."
            )
        }
        guard !devices.contains(where: { $0.name == name }) else {
            throw CommandError(
                "There is a device \(shown(name)) already: choose another name, or remove that one first.")
        }
        guard devices.count(where: { !$0.isHost }) < Self.beaconLimit else {
            throw CommandError("There are \(Self.beaconLimit) beacons already: remove one first.")
        }
        var request = RequestedBeacon(name: String(name))
        for word in words.dropFirst() {
            guard let split = word.firstIndex(of: "=") else {
                throw CommandError("\(shown(word)) is not of the form KEY=VALUE: \(Self.keys).")
            }
            try request.set(word[..<split], word[word.index(after: split)...], self)
        }
        try request.check()
        let slot = network.takeSlot()
        let address = network.addAdvertiser(
            slot, request.identity, request.advertising, at: request.position, releasesSlot: true)
        guard let device = network.devices.first(where: { $0.slot == slot }) else {
            throw CommandError("The beacon \(shown(name)) cannot be added: try again.")
        }
        return (device, address)
    }

    func removeBeacon(_ word: Substring, _ network: VirtualRadioNetwork) throws(CommandError) {
        let device = try device(word, network)
        guard !device.isHost else {
            throw CommandError("\(shown(word)) is a program, not a beacon: drop \(device.name) breaks its connection.")
        }
        network.removeDevice(device.slot)
    }

    private static let keys =
        "the keys are type, data, response, interval, address, random, target, random-target, power and at"

    private static func isName(_ text: Substring) -> Bool {
        guard (1...32).contains(text.utf8.count), text != "all", !text.allSatisfy(\.isNumber) else { return false }
        return text.utf8.allSatisfy { octet in
            switch octet {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                true
            default: false
            }
        }
    }

    /// The beacon that one line describes.
    private struct RequestedBeacon {
        var identity: AdvertiserIdentity
        // 100 ms.
        var advertising = RawAdvertising(type: .nonconnectableUndirected, interval: 160)
        var position = RadioPosition.origin
        /// The keys set so far. `address` and `random` set the same value, and so do `target` and `random-target`.
        private var settings: Set<Substring> = []

        init(name: String) { identity = AdvertiserIdentity(name: name) }

        mutating func set(_ key: Substring, _ value: Substring, _ control: RadioControl) throws(CommandError) {
            let setting: Substring =
                switch key {
                case "random": "address"
                case "random-target": "target"
                default: key
                }
            guard settings.insert(setting).inserted else {
                throw CommandError(
                    "\(control.shown(key)) sets the same value as another key of this line: write one of them.")
            }
            switch key {
            case "type": advertising.type = try type(value, control)
            case "data": advertising.data = try data(value, control)
            case "response": advertising.response = try data(value, control)
            case "interval":
                guard let milliseconds = Double(String(value)), (20...10_240).contains(milliseconds) else {
                    throw CommandError(
                        "\(control.shown(value)) is not an interval: write milliseconds from 20 to 10240.")
                }
                advertising.interval = UInt16((milliseconds / 0.625).rounded())
            case "address": identity.address = try address(value, .public, control)
            case "random": identity.address = try address(value, .random, control)
            case "target": advertising.target = try address(value, .public, control)
            case "random-target": advertising.target = try address(value, .random, control)
            case "power":
                guard let power = Int8(String(value)), (-127...20).contains(power) else {
                    throw CommandError("\(control.shown(value)) is not a transmit power: write dBm from -127 to 20.")
                }
                identity.transmitPower = power
            case "at":
                guard let position = RadioPosition(text: String(value)) else {
                    throw CommandError("\(control.shown(value)) is not a position: write X,Y or X,Y,Z in metres.")
                }
                self.position = position
            default: throw CommandError("\(control.shown(key)) is not a key of a beacon: \(RadioControl.keys).")
            }
        }

        func check() throws(CommandError) {
            let isDirected = advertising.type == .connectableDirectedLowDutyCycle
            guard isDirected != advertising.target.isZero else {
                throw CommandError(
                    "Only a directed beacon has a target, and it needs one: write type=directed target=ADDRESS.")
            }
            guard !isDirected || advertising.data.count + advertising.response.count == 0 else {
                throw CommandError("A directed beacon carries no data: leave data and response out.")
            }
            guard advertising.type != .nonconnectableUndirected || advertising.response.count == 0 else {
                throw CommandError("A non-connectable beacon sends no scan response: write type=scannable.")
            }
        }

        private func type(_ value: Substring, _ control: RadioControl) throws(CommandError) -> HCI.AdvertisingType {
            switch value {
            case "connectable": .connectableUndirected
            case "scannable": .scannableUndirected
            case "nonconnectable": .nonconnectableUndirected
            case "directed": .connectableDirectedLowDutyCycle
            default:
                throw CommandError(
                    "\(control.shown(value)) is not an advertising type: write connectable, scannable, nonconnectable or directed."
                )
            }
        }

        private func data(_ value: Substring, _ control: RadioControl) throws(CommandError) -> HCI.AdvertisingData {
            guard let octets = [UInt8](hexadecimal: value) else {
                throw CommandError(
                    "\(control.shown(value)) is not data: write pairs of hexadecimal digits without spaces.")
            }
            guard let data = HCI.AdvertisingData(octets.span) else {
                throw CommandError(
                    "These are \(octets.count) octets: advertising data and a scan response have at most 31.")
            }
            return data
        }

        private func address(
            _ value: Substring, _ kind: DeviceAddress.Kind, _ control: RadioControl
        ) throws(CommandError) -> DeviceAddress {
            guard let address = DeviceAddress(text: String(value), kind: kind) else {
                throw CommandError(
                    "\(control.shown(value)) is no \(kind == .random ? "random" : "public") address of a device: write \(kind == .random ? "six octets, as C0:00:5E:00:00:01, with a first octet other than 80 to BF" : "six octets, as 02:00:5E:00:00:01, with an even first octet")."
                )
            }
            return address
        }
    }
}

extension [UInt8] {
    /// Parses pairs of hexadecimal digits. Returns nil for any other text.
    package init?(hexadecimal text: some StringProtocol) {
        let digits = Array(text.utf8)
        guard digits.count % 2 == 0 else { return nil }
        self.init()
        reserveCapacity(digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = Self.value(of: digits[index]), let low = Self.value(of: digits[index + 1]) else {
                return nil
            }
            append(high << 4 | low)
        }
    }

    private static func value(of digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
