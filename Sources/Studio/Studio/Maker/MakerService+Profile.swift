import BLEAssignedNumbers
import BLEValues
import BLEWire
import DeviceFiles

extension MakerService {
    init(_ service: ServiceProfile) {
        self.init(
            uuid: "\(service.uuid)", name: AssignedNumbers.name(ofService: service.uuid), isPrimary: service.isPrimary,
            characteristics: service.characteristics.map { Characteristic($0) })
    }
}

extension MakerService.Characteristic {
    /// The number of values in a preview.
    private static let previewCount = 48

    fileprivate init(_ profile: CharacteristicProfile) {
        var generator = ValueGenerator(profile.value, format: profile.format)
        let first = generator.octets(at: ProfileTime(elapsed: .zero, localSeconds: 0))
        let schema = profile.uuid.shortValue.flatMap { Schemas.schema(of: $0) }
        let decoded = first.isEmpty ? nil : try? schema?.decode(first)
        self.init(
            uuid: "\(profile.uuid)", name: AssignedNumbers.name(ofCharacteristic: profile.uuid),
            properties: profile.properties.words, permissions: Self.permissions(profile),
            kind: profile.value.kind, octets: Hexadecimal.digits(first), text: decoded?.summary,
            preview: Self.preview(profile),
            descriptors: profile.descriptors.map {
                MakerService.Descriptor(
                    uuid: "\($0.uuid)", name: AssignedNumbers.name(ofDescriptor: $0.uuid),
                    octets: Hexadecimal.digits($0.value))
            })
    }

    /// The permissions that the characteristic gets from the server.
    private static func permissions(_ profile: CharacteristicProfile) -> [String] {
        var permissions: [String] = []
        if profile.properties.contains(.read) {
            permissions.append(profile.security.contains(.encryptedRead) ? "readEncryptionRequired" : "readable")
        }
        if profile.properties.isWritable {
            permissions.append(profile.security.contains(.encryptedWrite) ? "writeEncryptionRequired" : "writeable")
        }
        return permissions
    }

    private static func preview(_ profile: CharacteristicProfile) -> [Double]? {
        var around = (before: 0, after: 0)
        let step: Duration
        switch profile.value {
        case .number(let source):
            around = (source.prefix.count, source.suffix.count)
            switch source.shape {
            case .counter(_, let interval), .randomWalk(_, _, let interval, _): step = interval
            case .sine(let period): step = period / (previewCount / 2)
            }
        case .replay(let replay): step = replay.interval
        case .constant, .clock: return nil
        }
        var generator = ValueGenerator(profile.value, format: profile.format)
        let values = (0..<previewCount).compactMap { index -> Double? in
            let octets = generator.octets(at: ProfileTime(elapsed: step * index, localSeconds: 0))
            return profile.format.number(Array(octets.dropFirst(around.before).dropLast(around.after)))
        }
        return values.count == previewCount && values.allSatisfy(\.isFinite) ? values : nil
    }
}

extension PropertySet {
    /// The words of a profile file.
    fileprivate var words: [String] {
        let all: [(PropertySet, String)] = [
            (.read, "read"), (.writeWithoutResponse, "write-without-response"), (.write, "write"), (.notify, "notify"),
            (.indicate, "indicate"), (.signedWrite, "signed-write"),
        ]
        return all.filter { contains($0.0) }.map(\.1)
    }
}

extension ValueSource {
    fileprivate var kind: String {
        switch self {
        case .constant: "constant"
        case .replay: "replay"
        case .clock: "clock"
        case .number(let source):
            switch source.shape {
            case .counter: "counter"
            case .sine: "sine"
            case .randomWalk: "random-walk"
            }
        }
    }
}
