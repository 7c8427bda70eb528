import BLEAdapter
import BLEController
import BLEHost
import BLEHostAdapter
import BLEVirtualRadio
import BLEWire
import BluetoothPairing
import Dispatch

/// A device in a ``World``: a simulated Bluetooth controller with a host and managers.
public final class VirtualDevice: Sendable {
    /// The name given at creation, which is the initial GAP device name.
    public let name: String

    package let host: VirtualHost
    let radio: VirtualRadioRuntime
    /// The user of the device during pairings; nil if the device was added without an agent.
    public let agent: ScriptedAgent?
    /// The values of its host and its controller.
    public let platform: Platform
    /// Asks `agent`.
    private let pairing: PairingManager?

    init(name: String, host: VirtualHost, radio: VirtualRadioRuntime, agent: ScriptedAgent?, platform: Platform) {
        self.name = name
        self.host = host
        self.radio = radio
        self.agent = agent
        self.platform = platform
        pairing = agent.map { agent in
            let manager = PairingManager(adapter: host.adapter, queue: DispatchQueue(label: "bluetooth.agent"))
            manager.setAgent(agent)
            return manager
        }
    }

    /// The adapter of this device, as managers see it.
    package var adapter: HostAdapter { host.adapter }

    /// The persistent memory of the device.
    public var memory: DeviceMemory { DeviceMemory(store: adapter.store) }

    /// Runs `body`. Managers that `body` creates, also in tasks that it starts, belong to this device.
    public func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        try AdapterBinding.$scoped.withValue(adapter) { try body() }
    }

    /// Runs `body`. Managers that `body` creates, also in tasks that it starts, belong to this device.
    public func run<Result>(
        isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async rethrows -> Result {
        try await AdapterBinding.$scoped.withValue(adapter, operation: body, isolation: isolation)
    }

    /// Turns Bluetooth off. The host terminates its links, and the managers change to `.poweredOff`.
    public func powerOff() { adapter.powerOff() }

    /// Turns Bluetooth on again.
    public func powerOn() { adapter.powerOn() }

    /// Restarts the adapter, as one does that is pulled out and plugged in again. All links are lost without a word to their peers. The
    /// managers of this device change to `.resetting` and then to `.poweredOn`; their peripherals and services are no longer valid.
    public func restartAdapter() {
        let slot = host.slot
        radio.change { $0.failController(slot) }
    }

    /// Changes the GAP device name. Connected clients that are subscribed to Service Changed read it again.
    public func rename(_ name: String) { adapter.rename(name) }

    /// Moves the device.
    public func move(to position: Position) {
        let slot = host.slot
        radio.change { $0.move(slot, to: position.radioPosition) }
    }

    /// Loses a share of all packets to and from the device from now on, in addition to the loss of the environment.
    ///
    /// - Parameter loss: The share, 0 to 1.
    public func setLoss(_ loss: Double) {
        let slot = host.slot
        radio.change { $0.setLoss(slot, to: loss) }
    }

    /// Runs the sleep clock of the controller with an error from now on (Vol 6, Part B, 4.2.2). The initial clock is exact and announces 20 ppm.
    ///
    /// The controller measures all its times by this clock: intervals, timeouts, windows, and where packets are that peers announce. As peripheral, scanner and
    /// receiver of periodic advertising it listens as long as the accuracies of both sides demand. A device whose clock is worse than it announces loses links
    /// with a high latency, and trains, as a real one does; see <doc:Clocks>. Links that are open learn another accuracy only by the procedure of Vol
    /// 6, Part B, 5.1.14. While all clocks of the world are exact, windows stay short, whatever is announced. Apple's systems have no such setting.
    ///
    /// - Parameters:
    ///   - error: In parts per million, -500 to 500; a value beyond becomes the nearest limit. A positive error makes the clock fast.
    ///   - accuracy: What the controller announces, in parts per million: one of 20, 30, 50, 75, 100, 150, 250 and 500, or the next greater one of these, at
    ///     most 500. Nil announces the best one that is true.
    public func setClock(error: Int, announcing accuracy: Int? = nil) {
        let (slot, setting) = (host.slot, ClockSetting(clampedError: error, announcing: accuracy))
        radio.change { $0.setClock(slot, to: setting) }
    }

    /// Limits the ATT_MTU that the device offers on links that open later, in both roles (Vol 3, Part F, 3.4.2). The two devices of a link use the smaller
    /// of their offers. The default is that of the host. Apple's systems have no such setting.
    ///
    /// - Parameter octets: 23 to 517; a value beyond becomes the nearest limit.
    public func setMaximumTransmissionUnit(_ octets: Int) { adapter.offerMTU(UInt16(clamping: octets)) }

    /// Requests other connection parameters of all links to centrals, as the firmware of a peripheral does (Vol 3, Part A, 4.20). The central
    /// decides: see ``Platform/ParameterRules``. Read the result in ``links``. Apple's systems have no such call.
    ///
    /// - Parameters:
    ///   - interval: The connection intervals, 7.5 ms to 4 s. A value beyond becomes the nearest limit.
    ///   - latency: The number of connection events that the peripheral may skip, 0 to 499.
    ///   - supervisionTimeout: 100 ms to 32 s. A request whose timeout is too short for interval and latency (Vol 6, Part B, 4.5.2) is not sent.
    public func requestConnectionParameters(
        interval: ClosedRange<Duration>, latency: Int = 0, supervisionTimeout: Duration = .seconds(4)
    ) {
        adapter.requestParameters(
            RequestedConnectionParameters(
                intervalMinimum: interval.lowerBound.connectionUnits,
                intervalMaximum: interval.upperBound.connectionUnits,
                latency: UInt16(clamping: latency), timeout: supervisionTimeout.timeoutUnits))
    }

    /// Moves the programs of the device to the background: ``Platform/backgroundRules`` apply. The programs get no callback of that.
    public func enterBackground() { if platform.backgroundRules == .apple { adapter.setBackground(true) } }

    /// Moves the programs of the device to the foreground. Their scans and advertising continue as they were requested.
    public func enterForeground() { if platform.backgroundRules == .apple { adapter.setBackground(false) } }

    /// Takes the device off the air for good, in the middle of its packets and links, as an empty battery does.
    /// Its managers see the adapter disappear.
    public func remove() { radio.remove(host) }
}
