import ArgumentParser
import BLEAdapter
import BLESimulator
import BLEWire
import Foundation

struct RadioBeaconCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "beacon",
        abstract: "Add and remove simulated beacons and other advertisers.",
        discussion: """
              bluelab radio beacon add door --ibeacon E2C56DB5-DFFB-48D2-B060-D0F5A71096E0:1:7
              bluelab radio beacon add scale --type scannable --manufacturer FFFF:0102 --response 0409414243
              bluelab radio beacon remove door

            bluelab radio list shows the beacons. The commands move, loss and drop apply to them as well.
            """,
        subcommands: [Add.self, Remove.self])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add a beacon and print its address.",
            discussion: """
                  bluelab radio beacon add door --ibeacon E2C56DB5-DFFB-48D2-B060-D0F5A71096E0:1:7

                The advertising data consists of --data and the structures of the other options, in the order of this list.
                """
        )

        @Argument(help: "The name on the radio. It is not advertised; see --local-name.") var beacon: String
        @Option(
            help: ArgumentHelp(
                "connectable (ADV_IND), scannable (ADV_SCAN_IND), nonconnectable (ADV_NONCONN_IND) or directed (ADV_DIRECT_IND).",
                valueName: "type"))
        var type = "nonconnectable"
        @Option(help: ArgumentHelp("Raw advertising data.", valueName: "hex")) var data = ""
        @Option(help: ArgumentHelp("The Flags structure, such as 06.", valueName: "hex")) var flags: String?
        @Option(help: ArgumentHelp("The UUID of a service. Repeat the option for several services.", valueName: "uuid"))
        var service: [String] = []
        @Option(help: ArgumentHelp("Service data.", valueName: "uuid:hex")) var serviceData: String?
        @Option(help: ArgumentHelp("Manufacturer data with its company identifier.", valueName: "company:hex"))
        var manufacturer: String?
        @Option(
            help: ArgumentHelp("An iBeacon: proximity UUID, major and minor number.", valueName: "uuid:major:minor"))
        var ibeacon: String?
        @Option(help: ArgumentHelp("The complete local name.", valueName: "name")) var localName: String?
        @Option(help: ArgumentHelp("Raw scan response data.", valueName: "hex")) var response = ""
        @Option(help: ArgumentHelp("The advertising interval, 20 to 10240 ms.", valueName: "ms"))
        var interval = 100.0
        @Option(
            help: ArgumentHelp("The public address. Default: a static random address.", valueName: "address"))
        var address: String?
        @Option(help: ArgumentHelp("The random address.", valueName: "address")) var randomAddress: String?
        @Option(help: ArgumentHelp("The public target address of a directed advertiser.", valueName: "address"))
        var target: String?
        @Option(help: ArgumentHelp("The random target address of a directed advertiser.", valueName: "address"))
        var randomTarget: String?
        @Option(parsing: .unconditional, help: ArgumentHelp("The transmit power, -127 to 20.", valueName: "dBm"))
        var power = 0
        @Option(parsing: .unconditional, help: ArgumentHelp("The position in metres.", valueName: "x,y[,z]"))
        var at: String?
        @OptionGroup var radio: RadioNameOption

        func run() async throws {
            let answer = try await RadioAnswer.to(try line(), at: radio)
            print("\(say("beacon \(answer.number ?? 0)"))  \(answer.address ?? "")")
        }

        /// The request for the control socket.
        func line() throws -> String {
            var parts = ["beacon add \(try word(beacon))", "type=\(try word(type))", "interval=\(interval)"]
            parts.append("power=\(power)")
            let octets = try word(data, mayBeEmpty: true) + structures().map { digits(of: $0.octets) }.joined()
            if !octets.isEmpty { parts.append("data=\(octets)") }
            for (key, value) in [
                ("response", response.isEmpty ? nil : response), ("address", address), ("random", randomAddress),
                ("target", target), ("random-target", randomTarget), ("at", at),
            ] {
                if let value { parts.append("\(key)=\(try word(value))") }
            }
            return parts.joined(separator: " ")
        }

        private func structures() throws -> [AdvertisingStructure] {
            var structures: [AdvertisingStructure] = []
            if let flags {
                guard let octets = UInt8(flags, radix: 16) else {
                    throw refusal("--flags must be an octet such as 06", flags)
                }
                structures.append(.flags(octets))
            }
            if !service.isEmpty {
                guard let services = try? AdvertisingStructure.services(service) else {
                    throw refusal(
                        "--service must be a UUID, and all must have the same length", service.joined(separator: " "))
                }
                structures.append(services)
            }
            if let serviceData {
                let (uuid, octets) = try pair("--service-data must be UUID:HEX, such as FEAA:10EB", serviceData)
                guard let structure = try? AdvertisingStructure.serviceData(uuid, octets) else {
                    throw refusal("--service-data must be UUID:HEX, such as FEAA:10EB", serviceData)
                }
                structures.append(structure)
            }
            if let manufacturer {
                let rule = "--manufacturer must be COMPANY:HEX, such as FFFF:0102"
                let (company, octets) = try pair(rule, manufacturer)
                guard let number = UInt16(company, radix: 16) else { throw refusal(rule, manufacturer) }
                structures.append(.manufacturer(number, octets))
            }
            if let ibeacon {
                let parts = ibeacon.split(separator: ":", omittingEmptySubsequences: false)
                guard parts.count == 3, let uuid = UUID(uuidString: String(parts[0])), let major = UInt16(parts[1]),
                    let minor = UInt16(parts[2])
                else { throw refusal("--ibeacon must be UUID:MAJOR:MINOR", ibeacon) }
                structures.append(.iBeacon(uuid, major: major, minor: minor))
            }
            if let localName { structures.append(.localName(localName)) }
            return structures
        }

        private func pair(_ rule: String, _ text: String) throws -> (String, [UInt8]) {
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count == 2, let octets = [UInt8](hexadecimal: parts[1]) else { throw refusal(rule, text) }
            return (String(parts[0]), octets)
        }

        private func digits(of octets: [UInt8]) -> String { octets.map { hexadecimal($0, digits: 2) }.joined() }

        private func refusal(_ rule: String, _ text: String) -> ValidationError {
            ValidationError("\(rule), not \"\(text)\".")
        }

        private func word(_ text: String, mayBeEmpty: Bool = false) throws -> String {
            guard mayBeEmpty || !text.isEmpty, !text.contains(where: { $0.isWhitespace || $0.isNewline }) else {
                throw ValidationError("\"\(text)\" must be one word without spaces.")
            }
            return text
        }

        func validate() throws {
            guard Self.types.contains(type) else {
                throw refusal("--type must be \(Self.types.joined(separator: ", "))", type)
            }
            guard (20...10240).contains(interval) else {
                throw refusal("--interval must be from 20 to 10240 ms", number(interval))
            }
            guard (-127...20).contains(power) else { throw refusal("--power must be from -127 to 20 dBm", "\(power)") }
            for (option, text, isRandom) in [
                ("--address", address, false), ("--random-address", randomAddress, true), ("--target", target, false),
                ("--random-target", randomTarget, true),
            ] {
                guard let text, (try? RadioAddress(text, isRandom: isRandom)) == nil else { continue }
                let kind =
                    isRandom
                    ? "a random address, such as C0:00:5E:00:00:01" : "a public address, such as 02:00:5E:00:00:01"
                throw refusal("\(option) must be \(kind)", text)
            }
            _ = try line()
        }

        private static let types = ["connectable", "scannable", "nonconnectable", "directed"]
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a beacon.", discussion: "  bluelab radio beacon remove door")

        @Argument(help: "The name or number in the output of bluelab radio list.") var beacon: String
        @OptionGroup var radio: RadioNameOption

        func validate() throws {
            guard !beacon.isEmpty, !beacon.contains(where: { $0.isWhitespace || $0.isNewline }) else {
                throw ValidationError("A beacon must be a name or a number, not \"\(beacon)\".")
            }
        }

        func run() async throws { _ = try await RadioAnswer.to("beacon remove \(beacon)", at: radio) }
    }
}
