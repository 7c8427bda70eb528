import BLEAdapter
import BLETransport
import SystemBus

/// Which adapter of bluetoothd is used, and in which state it is.
struct AdapterWatch {
    /// What is known of bluetoothd.
    enum Service: Hashable {
        /// Nothing yet.
        case unknown
        case failed(BlueZError)
        /// Its objects are known.
        case running
    }

    /// What rfkill says of an adapter; nil if its radio is on.
    enum Block: Hashable { case soft, hard }

    /// The name of the adapter to use; nil for the first one.
    let name: String?
    private(set) var state = AdapterState.unknown
    /// Why the state is not powered on.
    private(set) var failure: BlueZError?
    /// The path of the adapter; nil without one.
    private(set) var path: String?
    /// Whether an adapter was in use once: it is expected to return.
    private var wasFound = false

    init(name: String?) { self.name = name }

    /// The number of an adapter in its path, such as 1 for `/org/bluez/hci1`.
    static func index(_ path: String) -> UInt16? {
        path.split(separator: "/").last.flatMap { SystemBluetooth.index(String($0)) }
    }

    mutating func update(_ service: Service, _ objects: BlueZObjects, blocks: (UInt16) -> Block?) {
        switch service {
        case .unknown: (path, state, failure) = (nil, .unknown, nil)
        case .failed(let error): (path, state, failure) = (nil, Self.state(of: error), error)
        case .running:
            path = adapter(objects)
            (state, failure) = state(objects, blocks)
        }
        if path != nil { wasFound = true }
    }

    private func adapter(_ objects: BlueZObjects) -> String? {
        let paths = objects.paths(with: BlueZ.adapter).compactMap { path in
            Self.index(path).map { (index: $0, path: path) }
        }
        if let name { return paths.first { $0.path.utf8.elementsEqual("\(BlueZ.root)/\(name)".utf8) }?.path }
        // An adapter in use stays in use, and one that works is better than one that does not.
        if let path, paths.contains(where: { $0.path == path }) { return path }
        let sorted = paths.sorted { $0.index < $1.index }.map(\.path)
        return sorted.first { objects.isTrue("Powered", $0, BlueZ.adapter) } ?? sorted.first
    }

    private func state(_ objects: BlueZObjects, _ blocks: (UInt16) -> Block?) -> (AdapterState, BlueZError?) {
        guard let path else {
            return wasFound ? (.resetting, .adapterGone(name)) : (.unsupported, .noAdapter(name))
        }
        let shown = String(path.split(separator: "/").last ?? "")
        // bluetoothd notices a switch many seconds later, and versions before 5.73 do not tell.
        let isBlocked = objects.properties(path, BlueZ.adapter)?["PowerState"]?.text == "off-blocked"
        if let block = Self.index(path).flatMap(blocks) ?? (isBlocked ? .soft : nil) {
            return (.poweredOff, .blocked(shown, isHard: block == .hard))
        }
        return objects.isTrue("Powered", path, BlueZ.adapter) ? (.poweredOn, nil) : (.poweredOff, .off(shown))
    }

    private static func state(of error: BlueZError) -> AdapterState {
        switch error {
        case .bus(.noBus), .bus(.unreadableAddress), .notRunning: .unsupported
        case .bus(.refused), .refused: .unauthorized
        case .bus, .gone, .silent, .adapterGone: .resetting
        case .noAdapter: .unsupported
        case .off, .blocked: .poweredOff
        }
    }
}
