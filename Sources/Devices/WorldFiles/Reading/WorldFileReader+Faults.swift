import BLESimulator
import DeviceFiles

extension Fault.Kind {
    /// The keys of its values in an event.
    var keys: [String] {
        switch self {
        case .lateStart, .slowAnswers, .slowDiscovery, .slowWrites, .lateUpdates, .slowPairing: ["by"]
        case .slowAtFirst: ["for"]
        case .stalledCompletions: ["after", "for"]
        case .forgottenBonds: ["after"]
        case .shrinkingMTU: ["to"]
        case .lostServiceChanged, .staleCache, .earlyNotification, .ignoredParameterRequests: []
        }
    }
}

extension WorldFileReader {
    /// The fault of an event, with the keys of its kind.
    mutating func fault(_ mapping: YAMLMapping) -> Fault? {
        guard let node = yaml.required("kind", of: mapping),
            let kind = yaml.choice(node, of: Fault.Kind.allCases.map(\.rawValue)).flatMap(Fault.Kind.init)
        else { return nil }
        switch kind {
        case .lateStart: return duration("by", of: mapping, in: Fault.Limit.start).map { .lateStart(by: $0) }
        case .stalledCompletions:
            let (onset, length) = (onset(mapping), duration("for", of: mapping, in: Fault.Limit.stall))
            guard let onset, let length else { return nil }
            return .stalledCompletions(after: onset, lasting: length)
        case .lostServiceChanged: return .lostServiceChanged
        case .forgottenBonds: return onset(mapping).map { .forgottenBonds(after: $0) }
        case .staleCache: return .staleCache
        case .earlyNotification: return .earlyNotification
        case .shrinkingMTU:
            return yaml.required("to", of: mapping)
                .flatMap { yaml.integer($0, in: Fault.Limit.mtu, "a number of octets") }.map { .shrinkingMTU(to: $0) }
        case .slowAnswers: return delay("by", mapping).map { .slowAnswers($0) }
        case .slowDiscovery: return delay("by", mapping).map { .slowDiscovery($0) }
        case .slowWrites: return delay("by", mapping).map { .slowWrites($0) }
        case .slowAtFirst: return delay("for", mapping).map { .slowAtFirst(for: $0) }
        case .lateUpdates: return delay("by", mapping).map { .lateUpdates($0) }
        case .slowPairing: return delay("by", mapping).map { .slowPairing($0) }
        case .ignoredParameterRequests: return .ignoredParameterRequests
        }
    }

    /// The time between the event and the beginning of its fault; zero without the key.
    private mutating func onset(_ mapping: YAMLMapping) -> Duration? {
        mapping["after"] == nil ? .zero : duration("after", of: mapping, in: Fault.Limit.onset)
    }

    /// The delay of what a slow device sends.
    private mutating func delay(_ key: String, _ mapping: YAMLMapping) -> Duration? {
        duration(key, of: mapping, in: Fault.Limit.answer)
    }

    private mutating func duration(
        _ key: String, of mapping: YAMLMapping, in range: ClosedRange<Duration>
    ) -> Duration? {
        yaml.required(key, of: mapping).flatMap { yaml.duration($0, in: range) }
    }
}
