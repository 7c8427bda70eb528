import BLEAdapter
import BLEAttribute
import BLEWire
import SystemBus

/// The attributes of a device as bluetoothd's objects. Their paths end in the handles: `service0028/char0029/desc002b`. That of a characteristic is
/// the handle of its declaration.
struct RemoteAttributes {
    struct Attribute {
        let path: String
        let isDescriptor: Bool
        /// The properties of a characteristic, as their names.
        let flags: Set<String>
    }

    /// The attributes of a server: handles have 16 bits (Vol 3, Part F, 3.2.2).
    private static let bits: [String: UInt8] = [
        "broadcast": 0x01, "read": 0x02, "write-without-response": 0x04, "write": 0x08, "notify": 0x10,
        "indicate": 0x20, "authenticated-signed-writes": 0x40, "extended-properties": 0x80,
    ]
    /// The ATT_MTU before an exchange (Vol 3, Part F, 3.2.8).
    private static let defaultMTU = 23

    private(set) var services = RemoteServices()
    /// By the handle of the value, or of the descriptor.
    private var attributes: [UInt16: Attribute] = [:]
    private var handles: [String: UInt16] = [:]
    /// The ATT_MTU in octets; the smallest one if bluetoothd does not tell. Versions before 5.62 do not.
    private(set) var mtu = RemoteAttributes.defaultMTU

    init() {}

    init(_ objects: BlueZObjects, of device: String) {
        var characteristics: [String: [RemoteServices.Characteristic]] = [:]
        var descriptors: [String: [DiscoveredDescriptor]] = [:]
        for path in objects.paths(with: BlueZ.descriptor, below: device) {
            guard let found = objects.properties(path, BlueZ.descriptor), let handle = Self.handle(path, "desc"),
                let uuid = Self.uuid(found)
            else { continue }
            descriptors[Self.parent(path), default: []].append(DiscoveredDescriptor(uuid: uuid, handle: handle))
            add(path, handle, isDescriptor: true)
        }
        for path in objects.paths(with: BlueZ.characteristic, below: device) {
            guard let found = objects.properties(path, BlueZ.characteristic),
                let declaration = Self.handle(path, "char"), declaration < .max, let uuid = Self.uuid(found)
            else { continue }
            let value = declaration + RemoteServices.declarationDistance
            let flags = Set((found["Flags"]?.elements ?? []).prefix(32).compactMap(\.text))
            let properties = flags.reduce(0) { $0 | (Self.bits[$1] ?? 0) }
            characteristics[Self.parent(path), default: []].append(
                RemoteServices.Characteristic(
                    uuid: uuid, valueHandle: value, properties: properties, descriptors: descriptors[path] ?? []))
            add(path, value, isDescriptor: false, flags)
            if let mtu = found["MTU"]?.number { self.mtu = max(self.mtu, Int(clamping: mtu)) }
        }
        services = RemoteServices(
            objects.paths(with: BlueZ.gattService, below: device).compactMap { path in
                guard let found = objects.properties(path, BlueZ.gattService), let uuid = Self.uuid(found),
                    let handle = Self.handle(path, "service")
                else { return nil }
                let last = characteristics[path]?.lazy.map { max($0.valueHandle, $0.descriptors.last?.handle ?? 0) }
                    .max()
                return RemoteServices.Service(
                    uuid: uuid, handle: handle, end: max(handle, last ?? 0), isPrimary: found["Primary"]?.flag != false,
                    isHidden: GATTType.isSystemService(uuid),
                    includes: found["Includes"]?.elements?.compactMap { $0.text.flatMap { Self.handle($0, "service") } }
                        ?? [],
                    characteristics: characteristics[path] ?? [])
            })
    }

    private mutating func add(_ path: String, _ handle: UInt16, isDescriptor: Bool, _ flags: Set<String> = []) {
        attributes[handle] = Attribute(path: path, isDescriptor: isDescriptor, flags: flags)
        handles[path] = handle
    }

    private static func uuid(_ properties: BusProperties) -> BluetoothUUID? {
        properties["UUID"]?.text.flatMap { BluetoothUUID($0)?.attributeForm }
    }

    private static func parent(_ path: String) -> String {
        String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    }

    /// The handle at the end of a path, after a word.
    static func handle(_ path: String, _ word: String) -> UInt16? {
        guard let name = path.split(separator: "/").last, name.utf8.count == word.utf8.count + 4, name.hasPrefix(word)
        else { return nil }
        let digits = name.dropFirst(word.count)
        guard digits.allSatisfy(\.isHexDigit), let handle = UInt16(digits, radix: 16), handle > 0 else { return nil }
        return handle
    }

    /// The handle of the service that an object is, or belongs to.
    static func service(of path: String) -> UInt16? {
        path.split(separator: "/").lazy.compactMap { handle(String($0), "service") }.first
    }

    subscript(handle: UInt16) -> Attribute? { attributes[handle] }

    /// The handle of an attribute, of a characteristic that of its value.
    func handle(of path: String) -> UInt16? { handles[path] }
}
