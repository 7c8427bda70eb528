import BLEAdapter
import BluetoothPairing
import CoreBluetooth
import Foundation
import Phrases

/// Scans, connects to several devices, shows their attributes and values, and answers pairings, with CoreBluetooth.
///
/// The explorer routes between CoreBluetooth and its parts: `ExplorerScan`, `ExploredDevices`, `PairingPrompts` and `ExplorerLogWriter`.
///
/// `@unchecked Sendable`: it is confined to one serial queue. The caller uses it only there, and CoreBluetooth calls it there.
///
/// It has no clock and no random source of its own, so equal actions at equal times on equal devices give equal states.
package final class Explorer: NSObject, @unchecked Sendable {
    /// The time between two looks at the reports of the scan, in nanoseconds.
    package static let tickInterval = ExplorerScan.tickInterval

    package let name: String
    package let queue: DispatchQueue
    let adapter: any BluetoothAdapter
    let clock: @Sendable () -> Int64
    let pairing: PairingManager
    private(set) var central: CBCentralManager!
    private lazy var agent = ExplorerAgent(self)
    /// Sets the ATT_MTU that the adapter offers on later links; nil if the adapter has no choice.
    private let offerMTU: (@Sendable (UInt16) -> Void)?
    /// The ATT_MTU that the adapter offers (Vol 3, Part F, 3.2.8).
    private var offeredMTU = Explorer.defaultMTU
    private static let mtus = 23...517
    /// What the host of a virtual device offers.
    static let defaultMTU = 498
    /// Called on the queue after each change of the state.
    private let changed: @Sendable () -> Void

    var scan: ExplorerScan
    package internal(set) var devices = ExploredDevices()
    var prompts = PairingPrompts()
    let writer: ExplorerLogWriter

    /// - Parameters:
    ///   - name: The name of the device on which the explorer runs.
    ///   - adapter: The adapter of that device.
    ///   - queue: A serial queue.
    ///   - clock: The time in nanoseconds, virtual or real. Any thread may call it.
    ///   - offerMTU: Sets the ATT_MTU that the adapter offers on later links; nil if the adapter has no choice.
    ///   - changed: Called on the queue after each change of the state.
    ///   - report: Called on the queue with each entry of the log.
    package init(
        name: String, on adapter: any BluetoothAdapter, queue: DispatchQueue, clock: @escaping @Sendable () -> Int64,
        offerMTU: (@Sendable (UInt16) -> Void)? = nil, changed: @escaping @Sendable () -> Void = {},
        report: @escaping @Sendable (ExplorerLogEntry) -> Void = { _ in }
    ) {
        self.name = name
        self.adapter = adapter
        self.queue = queue
        self.clock = clock
        self.offerMTU = offerMTU
        self.changed = changed
        writer = ExplorerLogWriter(clock: clock, report: report, changed: changed)
        scan = ExplorerScan(clock: clock)
        pairing = PairingManager(adapter: adapter, queue: queue)
        super.init()
        central = AdapterBinding.$scoped.withValue(adapter) { CBCentralManager(delegate: self, queue: queue) }
        pairing.setAgent(agent)
    }

    /// Ends the scan and all links.
    package func close() {
        scan.stop()
        if central.isScanning { central.stopScan() }
        for index in devices.indices where devices[index].link != .disconnected {
            central.cancelPeripheralConnection(devices[index].peripheral)
        }
        pairing.setAgent(nil)
        central.delegate = nil
    }

    // MARK: Time

    /// The time of the next `tick` in nanoseconds; nil if none is needed.
    package var nextDeadline: Int64? {
        [devices.nextDiscovery, scan.deadline].compactMap(\.self).min()
    }

    /// Takes the reports of the scan, and begins the discoveries that are due.
    package func tick() {
        let now = clock()
        beginDueDiscoveries(at: now)
        guard let look = scan.look(at: now) else { return }
        if let count = look.unnamed {
            writer.note("discovered-more", Phrase("Found \(count) more devices", "又发现 \(count) 个设备"))
        }
        if look.isReported { changed() }
    }

    func startScan() {
        writer.call(
            "scan", Phrase("Start to scan for all devices", "开始扫描所有设备"),
            swift: "central.scanForPeripherals(withServices: nil)")
        central.scanForPeripherals(withServices: nil)
        scan.start(on: adapter)
        touch()
    }

    func stopScan() {
        writer.call("stop-scan", Phrase("Stop the scan", "停止扫描"), swift: "central.stopScan()")
        central.stopScan()
        endScan()
    }

    func endScan() {
        scan.stop()
        touch()
    }

    // MARK: State

    /// The state of the scan, the prompts and the log.
    ///
    /// - Parameter includesDevices: Whether the opened devices with their attributes and values are part of it.
    package func state(
        _ selection: ScanSelection = ScanSelection(), includesDevices: Bool = true
    ) -> ExplorerState {
        let (rows, more) = scan.rows(selection)
        return ExplorerState(
            name: ShownText.name(name), adapter: central.state.word, isScanning: central.isScanning, rows: rows,
            moreRows: more, seen: scan.count, filter: selection, devices: includesDevices ? devices.states : [],
            prompts: prompts.states, logNext: log.next,
            offeredMTU: offerMTU == nil ? nil : offeredMTU, time: clock())
    }

    package var log: ExplorerLog { writer.log }

    /// The log as a file: its lines, then the latest values of each characteristic of the opened devices, the oldest first. Call it on the
    /// queue.
    package var logFile: String { log.text + devices.valueLines }

    /// All about one device of the scan; nil if the scan does not know it.
    package func detail(of device: UUID) -> ScanDetail? { scan.detail(of: device) }

    /// Offers an ATT_MTU on later links.
    func offer(mtu: Int) throws(PhrasedError) {
        guard let offerMTU, Self.mtus.contains(mtu) else { throw PhrasedError.actionArguments }
        offeredMTU = mtu
        offerMTU(UInt16(mtu))
        writer.note(
            "offer-mtu",
            Phrase("The next links use an ATT_MTU of at most \(mtu) octets", "下一个连接的 ATT_MTU 最多为 \(mtu) 字节"))
    }

    // MARK: Changes

    func touch() { changed() }
}

extension CBManagerState {
    /// The name of the case, and its meaning in Chinese.
    var phrase: Phrase {
        switch self {
        case .resetting: Phrase("resetting", "正在重启")
        case .unsupported: Phrase("unsupported", "不支持")
        case .unauthorized: Phrase("unauthorized", "未获授权")
        case .poweredOff: Phrase("poweredOff", "已关闭")
        case .poweredOn: Phrase("poweredOn", "已开启")
        default: Phrase("unknown", "未知")
        }
    }

    var word: String {
        switch self {
        case .resetting: "resetting"
        case .unsupported: "unsupported"
        case .unauthorized: "unauthorized"
        case .poweredOff: "poweredOff"
        case .poweredOn: "poweredOn"
        default: "unknown"
        }
    }
}
