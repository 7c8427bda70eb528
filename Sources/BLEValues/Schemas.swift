/// The values of adopted characteristics (GATT Specification Supplement), by their 16-bit UUIDs.
package enum Schemas {
    /// The layout of a characteristic's value; nil if this table does not know it.
    package static func schema(of characteristic: UInt16) -> Schema? { all[characteristic] }

    /// The UUIDs that the table knows, in order.
    package static var characteristics: [UInt16] { all.keys.sorted() }

    private static let all: [UInt16: Schema] = {
        var all: [UInt16: Schema] = [:]
        for table in [generic, deviceInformation, health, fitness, environment] {
            // One table has each characteristic.
            all.merge(table.mapValues { Schema($0) }) { first, _ in first }
        }
        return all
    }()
}
