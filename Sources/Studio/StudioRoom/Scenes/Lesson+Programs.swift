import CoreBluetooth

extension Lesson {
    /// A device that a program of a scene runs on.
    private static func kind(
        _ id: String, _ kind: WorldDeviceKind, _ name: String, actions: [WorldProgramAction] = [],
        make: @escaping @Sendable (WorldProgramContext) -> any SceneProgram
    ) -> WorldProgramKind {
        WorldProgramKind(id, kind: kind, defaultName: name, takesAnyAction: true, actions: actions) {
            SceneRoomProgram(make($0), in: $0)
        }
    }

    private static func action(_ id: String, in states: WorldDeviceState...) -> WorldProgramAction {
        WorldProgramAction(id, in: states)
    }

    private static func seconds(_ context: WorldProgramContext) -> () -> Double {
        let now = context.now
        return { now() / .seconds(1) }
    }

    static let scenePrograms: [WorldProgramKind] = [
        kind("scanning-phone", .phone, "Phone") { context in
            let phone = ScanningPhone(queue: context.queue)
            phone.services = context.parameters["filter"]?.string.flatMap { CBUUID(validating: $0) }.map { [$0] }
            return phone
        },
        kind("hasty-phone", .phone, "Hasty phone") { HastyPhone(queue: $0.queue) },
        kind("name-phone", .phone, "Phone") { NamePhone(queue: $0.queue) },
        kind(
            "keeping-phone", .phone, "Phone",
            actions: [action("cancel", in: .connecting, .connected), action("connect", in: .idle)]
        ) { KeepingPhone(queue: $0.queue) },
        kind("timing-phone", .phone, "Phone") { context in
            let phone = TimingPhone(queue: context.queue)
            phone.now = seconds(context)
            return phone
        },
        kind("many-phone", .phone, "Phone") { ManyPhone(queue: $0.queue) },
        kind("sending-phone", .phone, "Phone") { context in
            let phone = SendingPhone(queue: context.queue)
            phone.now = seconds(context)
            phone.way = context.parameters["way"]?.string.flatMap(SendingPhone.Way.init) ?? .flow
            phone.partCount = context.parameters["parts"]?.clamped(to: 0...20_000) ?? 1200
            if context.parameters["checks"]?.bool == true { phone.service = CheckingGadget.service }
            return phone
        },
        kind(
            "returning-phone", .phone, "Phone",
            actions: [
                action("cancel", in: .connecting, .connected), action("scan", in: .idle),
                action("connected", in: .idle, .connected), action("known", in: .idle),
            ]
        ) { ReturningPhone(queue: $0.queue) },
        kind("pairing-phone", .phone, "Phone") { PairingPhone(queue: $0.queue) },
        kind("address-phone", .phone, "Phone") { AddressPhone(queue: $0.queue) },
        kind("trying-phone", .phone, "Phone") { TryingPhone(queue: $0.queue) },
        kind("length-phone", .phone, "Phone") { context in
            let phone = LengthPhone(queue: context.queue)
            phone.now = seconds(context)
            return phone
        },
        kind(
            "two-role-phone", .phone, "Phone", actions: [action("advertise", in: .scanning)]
        ) { TwoRolePhone(queue: $0.queue) },
        kind("gadget", .sensor, "Gadget", actions: [action("rename", in: .advertising)]) { context in gadget(context) },
        kind("checking-gadget", .sensor, "Checker") { CheckingGadget(queue: $0.queue) },
        kind("address-gadget", .other, "Scale") { context in
            let gadget = AddressGadget(queue: context.queue)
            if let address = context.parameters["address"]?.octets { gadget.address = address }
            return gadget
        },
    ]

    private static func gadget(_ context: WorldProgramContext) -> Gadget {
        let gadget = Gadget(queue: context.queue)
        let parameters = context.parameters
        gadget.name = parameters["advertised"]?.string ?? context.name
        if let names = parameters["properties"]?.string {
            let selected = names.split(separator: " ")
            gadget.properties = []
            gadget.permissions = []
            if selected.contains("read") {
                gadget.properties.insert(.read)
                gadget.permissions.insert(.readable)
            }
            if selected.contains("write") {
                gadget.properties.insert(.write)
                gadget.permissions.insert(.writeable)
            }
            if selected.contains("commands") { gadget.properties.insert(.writeWithoutResponse) }
            if selected.contains("notify") { gadget.properties.insert(.notify) }
        }
        if parameters["isProtected"]?.bool == true {
            gadget.properties = .read
            gadget.permissions = .readEncryptionRequired
        }
        // An attribute has at most 512 octets (Vol 3, Part F, 3.2.9).
        if let length = parameters["length"]?.clamped(to: 0...512) {
            gadget.content = Data(repeating: 0x5B, count: length)
        }
        if let octets = parameters["mtu"]?.integer { context.device.setMaximumTransmissionUnit(octets) }
        switch parameters["latency"]?.string {
        case "low": gadget.latency = .low
        case "medium": gadget.latency = .medium
        case "high": gadget.latency = .high
        default: break
        }
        return gadget
    }
}

extension WorldValue {
    /// The octets of an array of integers.
    fileprivate var octets: [UInt8]? {
        guard case .array(let elements) = self else { return nil }
        let octets = elements.compactMap { $0.integer.flatMap { UInt8(exactly: $0) } }
        return octets.count == 6 ? octets : nil
    }
}
