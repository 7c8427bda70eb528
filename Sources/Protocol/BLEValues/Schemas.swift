/// The schemas of adopted characteristics (GATT Specification Supplement) by their 16-bit UUIDs.
package enum Schemas {
    /// The schema of a characteristic's value; nil for an unknown characteristic.
    package static func schema(of characteristic: UInt16) -> Schema? { all[characteristic] }

    /// The UUIDs of all schemas in ascending order.
    package static var characteristics: [UInt16] { all.keys.sorted() }

    /// The schema of a descriptor's value; nil for an unknown descriptor.
    package static func descriptorSchema(of descriptor: UInt16) -> Schema? {
        descriptors[descriptor].map { Schema($0) }
    }

    private static let all: [UInt16: Schema] = {
        var all: [UInt16: Schema] = [:]
        for table in tables { all.merge(table.mapValues { Schema($0) }) { first, _ in first } }
        return all
    }()

    /// Each characteristic is in one table only.
    static var tables: [[UInt16: [Field]]] {
        [
            generic, deviceInformation, time, battery, alerts, health, medical, users, fitness, machines, navigation,
            environment, quantities,
        ]
    }
}
