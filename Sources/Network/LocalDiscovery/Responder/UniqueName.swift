/// A name that belongs to this responder alone, once it has probed for it: the host, or one service (RFC 6762, 8 and 9).
struct UniqueName {
    enum Phase: Equatable {
        case probing(sent: Int)
        case announcing(sent: Int)
        case established
    }

    /// What the name stands for; nil is the host.
    var service: LocalService?
    let wanted: String
    /// 1 for the wanted name; a higher number is part of the name.
    private(set) var attempt = 1
    private(set) var name: DNSName
    var phase = Phase.probing(sent: 0)
    /// The time of the next probe or announcement.
    var deadline: Duration?
    /// The times of the latest conflicts, at most `manyConflicts`.
    private var conflicts: [Duration] = []
    /// Whether each further attempt waits, until one succeeds.
    private var isSlow = false

    private static let manyConflicts = 15

    init(host: String) {
        wanted = host
        name = DNSName(labels: [host], in: .local)!
    }

    init(_ service: LocalService) {
        self.service = service
        wanted = service.name
        name = DNSName(labels: [service.name], in: service.typeName)!
    }

    /// The first label of the name.
    var label: String { name.labels[0] }
    var isAnnounced: Bool {
        if case .probing = phase { return false }
        return true
    }

    /// Whether this name alone may have records of the type.
    func owns(_ type: DNSType) -> Bool {
        service == nil ? type == .a || type == .aaaa : type == .srv || type == .txt
    }

    /// Takes the next name (RFC 6762, 9 and appendix D): `Lamp (2)` for a service, `lamp-2` for a host.
    mutating func rename() {
        attempt += 1
        let suffix = service == nil ? "-\(attempt)" : " (\(attempt))"
        var label = wanted
        while label.utf8.count + suffix.utf8.count > DNSName.longestLabel { label.removeLast() }
        name = DNSName(labels: [label + suffix], in: service?.typeName ?? .local)!
    }

    /// Starts to probe. After 15 conflicts within 10 s each further attempt waits for 5 s (RFC 6762, 8.1).
    mutating func probe(at time: Duration, isConflict: Bool = false) {
        phase = .probing(sent: 0)
        deadline = time
        guard isConflict else { return }
        conflicts.append(time)
        if conflicts.count > Self.manyConflicts { conflicts.removeFirst() }
        if conflicts.count == Self.manyConflicts, time - conflicts[0] < .seconds(10) { isSlow = true }
        if isSlow { deadline = time + .seconds(5) }
    }

    mutating func establish() {
        phase = .established
        deadline = nil
        isSlow = false
    }
}
