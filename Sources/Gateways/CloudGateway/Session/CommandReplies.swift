import BLEValues
import BLETransport
import BLEWire

/// Takes the commands of clients, and makes the reply to each. A command that comes again gets its reply again.
struct CommandReplies: Sendable {
    /// What becomes of a payload.
    enum Arrival {
        /// The payload is no command. It has a reply.
        case invalid([UInt8])
        /// The command came before; nil if it is being carried out.
        case repeated([UInt8]?)
        /// The command waits for `succeed` or `fail`.
        case begun(CloudRequest, ReplyDestination)
        case refused(ReplyDestination, CloudCommandError)
    }

    /// The longest reply, in octets.
    static let sizeLimit = 128 << 10

    var cache = ReplyCache()

    mutating func take(_ payload: [UInt8], from client: String) -> Arrival {
        guard let request = CloudRequest.decode(payload) else {
            return .invalid(
                JSONBuilder.object { json in
                    json.addNull("id")
                    Self.add(
                        CloudCommandError(
                            "invalid",
                            "A command is a JSON object of at most \(CloudRequest.limit) octets with the texts id and op."
                        ),
                        to: &json)
                })
        }
        let origin = ReplyDestination(client: client, id: request.id)
        switch cache[origin] {
        case .pending: return .repeated(nil)
        case .done(let octets): return .repeated(octets)
        case nil: break
        }
        guard cache.begin(origin) else {
            return .refused(origin, CloudCommandError("busy", "Too many commands are being carried out. Try again."))
        }
        return .begun(request, origin)
    }

    /// The reply to a command that was carried out.
    mutating func succeed(_ origin: ReplyDestination, _ result: (inout JSONBuilder) -> Void) -> [UInt8] {
        end(
            origin,
            JSONBuilder.object { json in
                json.add("id", origin.id)
                json.add("result", object: result)
            })
    }

    /// The reply to a command that was not carried out.
    mutating func fail(_ origin: ReplyDestination, _ failure: CloudCommandError) -> [UInt8] {
        end(
            origin,
            JSONBuilder.object { json in
                json.add("id", origin.id)
                Self.add(failure, to: &json)
            }, isKept: !["invalid", "unknown-op"].contains(failure.code))
    }

    /// - Parameter isKept: Whether the client gets this reply again if it repeats the command. Without it the command is looked at again.
    private mutating func end(_ origin: ReplyDestination, _ octets: [UInt8], isKept: Bool = true) -> [UInt8] {
        guard octets.count <= Self.sizeLimit else {
            return fail(
                origin,
                CloudCommandError("too-large", "The command was carried out, and its reply has more than 128 KiB."))
        }
        if isKept { cache.end(origin, octets) } else { cache.forget(origin) }
        return octets
    }

    private static func add(_ failure: CloudCommandError, to json: inout JSONBuilder) {
        json.add(
            "error",
            object: {
                $0.add("code", failure.code)
                $0.add("message", failure.message)
            })
    }
}

/// The result of a command that was carried out.
enum CommandResult: Sendable {
    case done
    case services([CloudLinks.Service])
    case value([UInt8], characteristic: BluetoothUUID?)
    case subscription(handle: UInt16)

    func add(to json: inout JSONBuilder) {
        switch self {
        case .done: break
        case .services(let services): Self.add(services, to: &json)
        case .value(let value, let uuid):
            json.add("value", hexadecimal: value)
            json.add("text", FittingText.text(value, uuid?.shortValue.flatMap(Schemas.schema)))
        case .subscription(let handle): json.add("handle", handle)
        }
    }

    private static func add(_ services: [CloudLinks.Service], to json: inout JSONBuilder) {
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
