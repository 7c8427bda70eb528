import BLEWire
import SystemBus

/// A service of a session.
struct PublishedKey: Hashable {
    var session: Int
    var token: Int
}

/// Objects that bluetoothd reads at once, as one "application" (org.bluez.GattManager1): the services that include each other. Other
/// services are applications of their own, which come and go one by one; an included service must be in the same application, before the
/// one that includes it.
struct PublishedApplication {
    struct Member {
        let key: PublishedKey
        let definition: ServiceDefinition
    }

    /// What an object of the application is. The first number is the index of the service in `members`.
    enum Target: Hashable {
        case service(Int)
        case characteristic(Int, Int)
        case descriptor(Int, Int, Int)
    }

    struct Object {
        let target: Target
        let path: String
        let interface: String
        let properties: BusProperties
        let members: Set<String>
    }

    let number: Int
    let members: [Member]

    func path(below base: String) -> String { "\(base)/application\(number)" }

    private func path(_ target: Target, below base: String) -> String {
        switch target {
        case .service(let service): "\(path(below: base))/service\(service)"
        case .characteristic(let service, let index): "\(path(.service(service), below: base))/characteristic\(index)"
        case .descriptor(let service, let index, let descriptor):
            "\(path(.characteristic(service, index), below: base))/descriptor\(descriptor)"
        }
    }

    func path(of key: PublishedKey, characteristic: Int, below base: String) -> String? {
        guard let service = members.firstIndex(where: { $0.key == key }),
            members[service].definition.characteristics.indices.contains(characteristic)
        else { return nil }
        return path(.characteristic(service, characteristic), below: base)
    }

    var hasEncryptedUpdates: Bool {
        members.contains { $0.definition.characteristics.contains { PublishedFlags($0).hasEncryptedUpdates } }
    }

    /// The objects, each after the one that it belongs to: bluetoothd gives handles in this order.
    func objects(below base: String, knowsEncryptedUpdates: Bool) -> [Object] {
        var objects: [Object] = []
        for (number, member) in members.enumerated() {
            objects.append(service(number, member, below: base))
            for (index, characteristic) in member.definition.characteristics.enumerated() {
                let target = Target.characteristic(number, index)
                objects.append(
                    self.characteristic(
                        target, characteristic, service: path(.service(number), below: base), below: base,
                        knowsEncryptedUpdates))
                for (descriptor, definition) in characteristic.descriptors.enumerated() {
                    // bluetoothd makes these two itself.
                    guard definition.uuid != PublishedFlags.extendedProperties,
                        definition.uuid != PublishedFlags.clientConfiguration
                    else { continue }
                    objects.append(
                        self.descriptor(
                            .descriptor(number, index, descriptor), definition,
                            characteristic: path(target, below: base), below: base))
                }
            }
        }
        return objects
    }

    private func service(_ number: Int, _ member: Member, below base: String) -> Object {
        let included = member.definition.includedServices.compactMap { token in
            members.firstIndex { $0.key == PublishedKey(session: member.key.session, token: token) }
        }
        var properties: BusProperties = [
            "UUID": .string("\(member.definition.uuid)"), "Primary": .bool(member.definition.isPrimary),
        ]
        if !included.isEmpty {
            properties["Includes"] = .array("o", included.map { .path(path(.service($0), below: base)) })
        }
        return Object(
            target: .service(number), path: path(.service(number), below: base), interface: BlueZ.gattService,
            properties: properties, members: [])
    }

    private func characteristic(
        _ target: Target, _ definition: CharacteristicDefinition, service: String, below base: String,
        _ knowsEncryptedUpdates: Bool
    ) -> Object {
        let flags = PublishedFlags(definition)
        let names = flags.names(knowsEncryptedUpdates: knowsEncryptedUpdates)
        var properties: BusProperties = [
            "UUID": .string("\(definition.uuid)"), "Service": .path(service),
            "Flags": .array("s", names.map { .string($0) }),
        ]
        var members: Set<String> = ["ReadValue", "WriteValue"]
        if flags.hasUpdates {
            // With this property, bluetoothd calls AcquireNotify for each subscriber, with its device.
            properties["NotifyAcquired"] = .bool(false)
            members.formUnion(["AcquireNotify", "StartNotify", "StopNotify", "Confirm"])
        }
        return Object(
            target: target, path: path(target, below: base), interface: BlueZ.characteristic, properties: properties,
            members: members)
    }

    private func descriptor(
        _ target: Target, _ definition: DescriptorDefinition, characteristic: String, below base: String
    ) -> Object {
        Object(
            target: target, path: path(target, below: base), interface: BlueZ.descriptor,
            properties: [
                "UUID": .string("\(definition.uuid)"), "Characteristic": .path(characteristic),
                "Flags": .array("s", [.string("read")]),
            ], members: ["ReadValue", "WriteValue"])
    }

    /// The answer to GetManagedObjects.
    static func managedObjects(_ objects: [Object]) -> BusValue {
        .array(
            "{oa{sa{sv}}}",
            objects.map {
                .entry(
                    .path($0.path), .dictionary([$0.interface: .properties($0.properties)], of: "a{sv}"))
            })
    }
}
