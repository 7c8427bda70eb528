import SystemBus

/// bluetoothd as the peripheral role has it since the adapter is on.
struct PeripheralConnection {
    let bus: any Bus
    let adapter: String
    /// The path of all objects.
    let base: String
    /// Whether each subscriber has a socket of its own. That is so from 5.69 on; the property that shows it came with 5.71.
    let hasPipes: Bool
    /// Whether this version knows the flags for subscriptions that need encryption.
    var knowsEncryptedUpdates = true
    /// Answers of an earlier connection are ignored.
    let generation: Int
}

extension BlueZ {
    /// The members of `properties`.
    static let propertyMembers: Set<String> = ["Get", "GetAll", "Set"]
}

extension BusCall {
    /// Answers a call for the properties of an exported object.
    func answer(_ interface: String, _ properties: BusProperties) {
        let arguments = message.body
        switch message.member {
        case "GetAll": reply([.properties(arguments.first?.text == interface ? properties : [:])])
        case "Get":
            guard arguments.count == 2, arguments[0].text == interface, let name = arguments[1].text,
                let value = properties[name]
            else { return fail(BusCallError.Name.invalidArguments, "There is no such property.") }
            reply([.variant(value)])
        default: fail("org.freedesktop.DBus.Error.PropertyReadOnly", "The properties are read-only.")
        }
    }
}
