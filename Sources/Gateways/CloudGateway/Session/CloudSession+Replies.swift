import BLETransport
import BLEWire

/// The replies to commands.
extension CloudSession {
    /// The longest reply, in octets.
    package static let replySizeLimit = 128 << 10

    mutating func succeed(_ origin: ReplyDestination, _ result: (inout JSONBuilder) -> Void) {
        end(
            origin,
            JSONBuilder.object { json in
                json.add("id", origin.id)
                json.add("result", object: result)
            })
    }

    mutating func fail(_ origin: ReplyDestination, _ failure: CloudCommandError) {
        end(
            origin,
            JSONBuilder.object { json in
                json.add("id", origin.id)
                Self.add(failure, to: &json)
            }, isKept: !["invalid", "unknown-op"].contains(failure.code))
    }

    /// - Parameter isKept: Whether the client gets this reply again if it repeats the command. Without it the command is looked at again.
    private mutating func end(_ origin: ReplyDestination, _ octets: [UInt8], isKept: Bool = true) {
        guard octets.count <= Self.replySizeLimit else {
            return fail(
                origin,
                CloudCommandError("too-large", "The command was carried out, and its reply has more than 128 KiB."))
        }
        if isKept { cache.end(origin, octets) } else { cache.forget(origin) }
        reply(octets, to: origin.client)
    }

    static func add(_ failure: CloudCommandError, to json: inout JSONBuilder) {
        json.add(
            "error",
            object: {
                $0.add("code", failure.code)
                $0.add("message", failure.message)
            })
    }

    static func add(_ services: [CloudLinks.Service], to json: inout JSONBuilder) {
        json.add(
            "services",
            list: { list in
                for service in services {
                    list.addElement(object: { json in
                        json.add("uuid", service.found.uuid.description)
                        json.add(
                            "characteristics",
                            list: { list in
                                for characteristic in service.characteristics {
                                    list.addElement(object: { json in
                                        json.add("uuid", characteristic.uuid.description)
                                        json.add("handle", characteristic.valueHandle)
                                        json.add("properties", characteristic.properties)
                                    })
                                }
                            })
                    })
                }
            })
    }
}
