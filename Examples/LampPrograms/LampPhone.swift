import CoreBluetooth
import DeviceLink
import ImprovWiFi

/// A phone that sets a lamp up over Bluetooth, then switches it over the best way that works.
///
/// 手机：先通过蓝牙给灯配网，然后用当前最好的通路控制它。
///
/// `@unchecked Sendable`: the events of its parts come on the queue, which alone uses the state. 状态只在 queue 上使用。
public final class LampPhone: @unchecked Sendable {
    /// What the user of the phone sees. 手机用户看到的事情。
    public enum Event: Hashable, Codable, Sendable {
        /// The lamp wants its button pressed before it takes credentials. 请按一下灯上的按钮。
        case pressTheButton
        /// The lamp has joined the network. 灯已加入网络。
        case provisioned
        /// The link uses the way with this name; nil if none works. 正在使用的通路。
        case way(String?)
        /// A way broke or could not be opened; the text has the reason. 通路断开或打不开。
        case wayFailed(String, String)
        /// The lamp carried out a request, its number `count`; the reply came while the way with this name was in use.
        ///
        /// 灯执行了第 count 个请求，答复经由 over 这条通路。
        case switched(isOn: Bool, count: Int, over: String)
        /// The button of the lamp was pressed. 有人按了灯上的按钮。
        case pressed(isOn: Bool)
        /// Events of the lamp were lost. 丢失的事件数。
        case missed(Int)
        /// Something failed; the text says what to do. 出错了。
        case failed(String)
    }

    private let lamp: String
    private let credentials: WiFiCredentials
    private let queue: DispatchQueue
    private let clock: any Clock<Duration>
    private let onEvent: @Sendable (Event) -> Void
    private var setup: ImprovCentral?
    private var link: DeviceConnection!
    // The state below belongs to the queue. 以下状态只在 queue 上使用。
    private var way = "none"
    private var isProvisioned = false

    /// Prepares a phone.
    ///
    /// - Parameters:
    ///   - lamp: The identifier of the lamp. 灯的标识。
    ///   - credentials: The network that the lamp shall join. 要告诉灯的 Wi-Fi。
    ///   - ways: The ways to the lamp, the best first. They have the same queue. 通路，最好的在前。
    ///   - timing: The time limits of the link. 时间限制。
    ///   - queue: The serial queue of the phone. 串行队列。
    ///   - clock: The clock of all time limits. 时钟。
    ///   - onEvent: Receives the events on `queue`. 事件回调。
    public init(
        lamp: String, credentials: WiFiCredentials, ways: [any DeviceTransport], timing: LinkTiming = LinkTiming(),
        queue: DispatchQueue = .main, clock: any Clock<Duration> = ContinuousClock(),
        onEvent: @escaping @Sendable (Event) -> Void
    ) {
        self.lamp = lamp
        self.credentials = credentials
        self.queue = queue
        self.clock = clock
        self.onEvent = onEvent
        link = DeviceConnection(to: lamp, over: ways, timing: timing, queue: queue, clock: clock) { [weak self] event in
            self?.handle(event)
        }
    }

    /// Looks for the lamp and gives it the credentials. For a lamp that has them, call ``connect()`` instead.
    ///
    /// 查找灯并配网。已经配过网的灯请直接调用 connect()。
    public func start() {
        let setup = ImprovCentral(peer: .named(lamp), queue: queue, clock: clock) { [weak self] event in
            self?.handle(event)
        }
        self.setup = setup
        setup.start()
    }

    /// Opens the link. 建立连接。
    public func connect() { link.start() }

    /// Closes the link. 关闭连接。
    public func stop() {
        setup?.disconnect()
        link.close()
    }

    /// Switches the lamp. The link selects the way, repeats the request on the next one if this way breaks, and the lamp carries it out once.
    ///
    /// 开关灯。连接会自动选择通路，断开时在下一条通路上重发；灯只执行一次。
    public func toggle() {
        link.request(LampDevice.toggle) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let state):
                guard let isOn = state["on"]?.bool, let count = state["count"]?.integer else {
                    return onEvent(.failed("The lamp sent \(state.json), which is no state of a lamp."))
                }
                onEvent(.switched(isOn: isOn, count: Int(count), over: way))
            // The error says whether the lamp may have carried out the request. 错误会说明请求到了哪一步。
            case .failure(let error): onEvent(.failed("\(error)"))
            }
        }
    }

    private func handle(_ event: ImprovCentral.Event) {
        switch event {
        case .ready(.authorizationRequired, _): onEvent(.pressTheButton)
        case .ready(.authorized, _), .state(.authorized): setup?.provision(credentials)
        case .provisioned:
            isProvisioned = true
            onEvent(.provisioned)
            setup?.disconnect()
        case .commandFailed(let error):
            onEvent(.failed("The lamp has not joined \(credentials.network): \(error). Check the password."))
            setup?.disconnect()
        // The radio is free now. 蓝牙空闲后再建立连接。
        case .ended where isProvisioned: connect()
        case .ended(let error?): onEvent(.failed("No lamp was set up: \(error). Bring the phone near the lamp."))
        default: break
        }
    }

    private func handle(_ event: DeviceConnection.Event) {
        switch event {
        case .way(let name):
            way = name ?? "none"
            onEvent(.way(name))
        case .wayFailed(let name, let reason): onEvent(.wayFailed(name, reason))
        case .event(LampDevice.pressed, let arguments): onEvent(.pressed(isOn: arguments["on"]?.bool ?? false))
        case .event: break
        case .missedEvents(let count): onEvent(.missed(count))
        }
    }
}
