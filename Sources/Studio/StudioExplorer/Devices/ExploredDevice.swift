import DeviceFiles
import BLEValues
import CoreBluetooth
import Foundation
import Phrases

/// A device that the user opened: its link, its attributes, and the recording of its session.
struct ExploredDevice {
    /// The most services, and the most characteristics and descriptors of a device. A peer chooses how many it has.
    static let serviceLimit = 64
    static let characteristicLimit = 400
    static let descriptorLimit = 800
    /// The most operations of a characteristic that wait.
    static let pendingLimit = 32
    /// The most writes without response that wait for space in the buffer.
    static let queueLimit = 64

    let identifier: UUID
    /// Keeps the link: CoreBluetooth has only a weak reference.
    var peripheral: CBPeripheral
    var name: String?
    var link = DeviceState.Link.connecting
    var reason: Phrase?
    var rssi: Int?
    var isBonded = false
    var isPairing = false
    var securityLevel: Int?
    var discovers = false
    var recording = SessionRecording()

    private(set) var services: [ServiceNode] = []
    private(set) var moreAttributes = 0
    /// The place of each characteristic in `services`.
    private var places: [ObjectIdentifier: (service: Int, characteristic: Int)] = [:]
    private var descriptorCount = 0
    var discovery = AttributeDiscovery()
    /// The requests for the signal strength that wait.
    var pendingSignals = 0
    /// Writes without response that wait for space in the buffer.
    private(set) var queuedWrites: [(octets: [UInt8], characteristic: CBCharacteristic)] = []

    init(_ peripheral: CBPeripheral, name: String?) {
        identifier = peripheral.identifier
        self.peripheral = peripheral
        self.name = name ?? peripheral.name
    }

    var shortIdentifier: String { String(identifier.uuidString.prefix(8)) }

    /// The name of the device for the log.
    var title: String { name.map(ShownText.name) ?? shortIdentifier }

    // MARK: The tree

    mutating func clearTree() {
        services = []
        places = [:]
        moreAttributes = 0
        descriptorCount = 0
        queuedWrites = []
    }

    /// Sets the services. Returns those that the tree keeps.
    mutating func setServices(_ found: [CBService]) -> [CBService] {
        clearTree()
        services = found.prefix(Self.serviceLimit).map { ServiceNode(service: $0) }
        moreAttributes = found.count - services.count
        return services.map(\.service)
    }

    /// Sets the characteristics of a service. Returns those that the tree keeps.
    mutating func setCharacteristics(of service: CBService) -> [CBCharacteristic] {
        guard let index = services.firstIndex(where: { $0.service === service }),
            services[index].characteristics.isEmpty
        else { return [] }
        let found = service.characteristics ?? []
        let kept = found.prefix(max(0, Self.characteristicLimit - places.count))
        moreAttributes += found.count - kept.count
        services[index].characteristics = kept.map { CharacteristicNode($0) }
        for (place, characteristic) in kept.enumerated() {
            places[ObjectIdentifier(characteristic)] = (index, place)
        }
        return Array(kept)
    }

    /// Sets the descriptors of a characteristic. Returns those that the tree keeps.
    mutating func setDescriptors(of characteristic: CBCharacteristic) -> [CBDescriptor] {
        let found = characteristic.descriptors ?? []
        let kept = found.prefix(max(0, Self.descriptorLimit - descriptorCount))
        moreAttributes += found.count - kept.count
        descriptorCount += kept.count
        modify(characteristic) { $0.descriptors = kept.map { DescriptorNode($0) } }
        return Array(kept)
    }

    /// Changes what the device keeps about a characteristic. Returns nil if the tree does not have it.
    @discardableResult
    mutating func modify<Result>(
        _ characteristic: CBCharacteristic, _ change: (inout CharacteristicNode) -> Result
    ) -> Result? {
        guard let place = places[ObjectIdentifier(characteristic)] else { return nil }
        return change(&services[place.service].characteristics[place.characteristic])
    }

    mutating func modify(_ descriptor: CBDescriptor, _ change: (inout DescriptorNode) -> Void) {
        guard let characteristic = descriptor.characteristic else { return }
        modify(characteristic) { node in
            guard let index = node.descriptors.firstIndex(where: { $0.descriptor === descriptor }) else { return }
            change(&node.descriptors[index])
        }
    }

    enum Attribute {
        case characteristic(CharacteristicNode)
        case descriptor(DescriptorNode)
    }

    /// The attribute at a place such as `2.1` or `2.1.3`.
    func attribute(_ place: String) -> Attribute? {
        let numbers = place.split(separator: ".").map { (Int($0) ?? 0) - 1 }
        guard (2...3).contains(numbers.count), services.indices.contains(numbers[0]),
            services[numbers[0]].characteristics.indices.contains(numbers[1])
        else { return nil }
        let characteristic = services[numbers[0]].characteristics[numbers[1]]
        guard numbers.count == 3 else { return .characteristic(characteristic) }
        guard characteristic.descriptors.indices.contains(numbers[2]) else { return nil }
        return .descriptor(characteristic.descriptors[numbers[2]])
    }

    var characteristics: [CharacteristicNode] { services.flatMap(\.characteristics) }

    // MARK: Writes without response

    mutating func queue(_ octets: [UInt8], for characteristic: CBCharacteristic) {
        queuedWrites.append((octets, characteristic))
    }

    mutating func nextQueuedWrite() -> (octets: [UInt8], characteristic: CBCharacteristic)? {
        queuedWrites.isEmpty ? nil : queuedWrites.removeFirst()
    }

    // MARK: Values

    /// The ATT_MTU of the link: a write without response has an opcode and a handle before its value (Vol 3, Part F, 3.4.5.3).
    var mtu: Int? { link == .connected ? peripheral.maximumWriteValueLength(for: .withoutResponse) + 3 : nil }

    var state: DeviceState {
        DeviceState(
            id: identifier.uuidString, name: name.map(ShownText.name), link: link, reason: reason, rssi: rssi,
            mtu: mtu,
            isDiscovering: discovery.isActive, isBonded: isBonded, isPairing: isPairing, securityLevel: securityLevel,
            services: services.enumerated().map { index, node in
                ServiceState(
                    id: "\(index + 1)", uuid: node.service.uuid.uuidString, name: node.service.uuid.assignedName,
                    isPrimary: node.service.isPrimary,
                    characteristics: node.characteristics.enumerated().map { $1.state("\(index + 1).\($0 + 1)") })
            }, moreAttributes: moreAttributes)
    }

    /// A characteristic as scripts name it: its name or UUID if that is unique, else the path. `#2` selects the second of several
    /// services or characteristics with one UUID.
    func path(_ characteristic: CBCharacteristic) -> String {
        let uuid = characteristic.uuid
        guard characteristics.count(where: { $0.characteristic.uuid == uuid }) > 1,
            let place = places[ObjectIdentifier(characteristic)]
        else { return uuid.description }
        let service = services[place.service]
        let first = Self.word(
            service.service.uuid,
            number: services[..<place.service].count { $0.service.uuid == service.service.uuid } + 1,
            of: services.count { $0.service.uuid == service.service.uuid })
        let twins = service.characteristics
        let second = Self.word(
            uuid, number: twins[..<place.characteristic].count { $0.characteristic.uuid == uuid } + 1,
            of: twins.count { $0.characteristic.uuid == uuid })
        return "\(first)/\(second)"
    }

    private static func word(_ uuid: CBUUID, number: Int, of count: Int) -> String {
        count > 1 ? "\(uuid.uuidString)#\(number)" : uuid.uuidString
    }
}
