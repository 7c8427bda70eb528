import CoreBluetooth

/// The discovery of a device's attributes: one request at a time, so the client's queue holds at most one.
///
/// A device may send Service Changed at any rate (Vol 3, Part G, 7.1). A change makes the running discovery void, and the next one begins after
/// a pause: none after a quiet minute, else 0.25 s, doubled with each discovery that a change ends, up to 32 s.
struct AttributeDiscovery {
    enum Request: Equatable {
        case services
        case characteristics(CBService)
        case descriptors(CBCharacteristic)
        case value(CBDescriptor)

        static func == (left: Request, right: Request) -> Bool {
            switch (left, right) {
            case (.services, .services): true
            case (.characteristics(let left), .characteristics(let right)): left === right
            case (.descriptors(let left), .descriptors(let right)): left === right
            case (.value(let left), .value(let right)): left === right
            default: false
            }
        }
    }

    /// Nanoseconds.
    static let firstPause: Int64 = 250_000_000
    static let longestPause: Int64 = 32_000_000_000
    static let quietTime: Int64 = 60_000_000_000

    /// The request that waits for the device.
    private(set) var current: Request?
    /// The requests for all services that the device has not answered. It answers in their order, so all answers but the last one belong to discoveries
    /// that a change ended.
    private var serviceRequests = 0
    /// The requests after it, the next one last.
    private var waiting: [Request] = []
    /// The time of the next discovery, which a change of the services made necessary; nil if none is needed.
    private(set) var due: Int64?
    /// The changes since the last discovery began.
    private(set) var changes = 0
    private var pause: Int64 = 0
    private var lastChange: Int64?

    /// Whether the tree is not complete yet.
    var isActive: Bool { current != nil || due != nil }

    /// Begins. The caller makes the request for all services.
    mutating func begin() {
        current = .services
        serviceRequests += 1
        waiting = []
        due = nil
        changes = 0
    }

    /// Adds requests after those that wait.
    mutating func add(_ requests: [Request]) { waiting.insert(contentsOf: requests.reversed(), at: 0) }

    /// Whether a request that completed is the one that the discovery waits for. Others belong to an earlier discovery, or to the user.
    func awaits(_ request: Request) -> Bool { current == request }

    /// Takes an answer to a request for all services. Returns whether it is the one that the discovery waits for.
    mutating func takesServices() -> Bool {
        serviceRequests = max(0, serviceRequests - 1)
        return serviceRequests == 0 && current == .services
    }

    /// Takes the next request; nil at the end.
    mutating func next() -> Request? {
        current = waiting.popLast()
        return current
    }

    /// Ends the discovery, because the device's services changed at `time`. Another one is due at `due`.
    mutating func servicesChanged(at time: Int64) {
        current = nil
        waiting = []
        changes += 1
        defer { lastChange = time }
        guard due == nil else { return }
        if lastChange.map({ time - $0 >= Self.quietTime }) ?? true {
            pause = 0
        } else {
            pause = min(Self.longestPause, max(Self.firstPause, 2 * pause))
        }
        due = time + pause
    }

    /// Ends the discovery with the link.
    mutating func linkEnded() { self = AttributeDiscovery() }

    /// Ends the discovery without a result.
    mutating func fail() {
        current = nil
        waiting = []
    }
}
