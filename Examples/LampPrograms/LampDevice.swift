import CoreBluetooth
import DeviceLink
import ImprovWiFi

/// A lamp with a button. A phone gives it the credentials of a Wi-Fi network over Bluetooth, then switches it over any of its listeners.
///
/// 一盏带按钮的灯：手机先通过蓝牙告诉它 Wi-Fi 密码（配网），然后可以从任何一个入口控制它。
///
/// `@unchecked Sendable`: the events of its parts come on the queue, which alone uses the state. 状态只在 queue 上使用。
public final class LampDevice: @unchecked Sendable {
    /// What happens at the lamp. 灯上发生的事情。
    public enum Event: Hashable, Codable, Sendable {
        /// The lamp advertises the Improv service. 等待配网。
        case waiting
        /// The lamp has joined the network, and opens its listeners. 已加入网络。
        case joined
        /// The entrance with this name is open; the text says where. 入口已打开。
        case opened(String, String)
        /// The lamp was switched: by request number `count`, or by its button. 灯的状态变了。
        case switched(isOn: Bool, count: Int, byButton: Bool)
        /// Something failed; the text has the reason. 出错了。
        case failed(String)
    }

    /// The operation that switches the lamp. A second copy of a request would switch it back, so each has to be carried out once.
    ///
    /// 切换开关。如果同一个请求执行两次，灯就会变回原样，所以每个请求只能执行一次。
    public static let toggle = "lamp.toggle"
    /// The event after the button was pressed. 按下按钮后的事件。
    public static let pressed = "lamp.pressed"
    /// Clients of Improv are served for this time after the lamp has joined, so that the phone reads the result.
    private static let farewell = Duration.seconds(2)

    private let queue: DispatchQueue
    private let onEvent: @Sendable (Event) -> Void
    private var setup: ImprovPeripheral!
    private var device: LinkedDevice!
    // The state below belongs to the queue. 以下状态只在 queue 上使用。
    private var isOn = false
    /// The requests that the lamp has carried out. 已执行的请求数。
    private var count = 0
    private var hasJoined = false

    /// Prepares a lamp. Throws an error if the identifier has no octet, or more than 64.
    ///
    /// - Parameters:
    ///   - identifier: The identifier of the lamp, which is also its name on the air. 灯的标识。
    ///   - wifi: Joins the network. 负责加入 Wi-Fi。
    ///   - listeners: Where phones come from. They have the same queue. 入口：蓝牙、局域网、直连、云端。
    ///   - queue: The serial queue of the lamp. 串行队列。
    ///   - clock: The clock of all time limits. 时钟。
    ///   - onEvent: Receives the events on `queue`. 事件回调。
    public init(
        _ identifier: String, wifi: any WiFiJoining, listeners: [any DeviceListener], queue: DispatchQueue = .main,
        clock: any Clock<Duration> = ContinuousClock(), onEvent: @escaping @Sendable (Event) -> Void
    ) throws(LinkFormatError) {
        self.queue = queue
        self.onEvent = onEvent
        // Without a press of the button, no stranger in the room can move the lamp to another network. 必须先按按钮才能配网。
        setup = ImprovPeripheral(
            name: identifier, requiresAuthorization: true, joiner: wifi, queue: queue, clock: clock
        ) { [weak self] event in self?.handle(event) }
        device = try LinkedDevice(identifier, listeners: listeners, queue: queue, clock: clock) { event in
            switch event {
            case .opened(let name, let place): onEvent(.opened(name, place))
            case .failed(let name, let reason): onEvent(.failed("\(name): \(reason)"))
            }
        } onRequest: { [weak self] request in
            request.reply(self?.answer(request) ?? .failure(LinkError("off", "The lamp is switched off at the wall.")))
        }
    }

    /// Waits for the credentials of a network. 开始等待配网。
    public func start() { setup.start() }

    /// Removes all services. 停止。
    public func stop() {
        setup.stop()
        device.stop()
    }

    /// A press of the button: allows a phone to set the lamp up, later switches the light.
    ///
    /// 按下按钮：配网之前表示“允许配网”，之后是开关灯。
    public func press() {
        queue.async { [self] in
            guard hasJoined else { return setup.authorize() }
            isOn.toggle()
            onEvent(.switched(isOn: isOn, count: count, byButton: true))
            // All phones hear it. One that is away hears it when it is back. 所有手机都会收到，暂时离线的回来后也会收到。
            do throws(LinkFormatError) {
                try device.send(event: Self.pressed, ["on": .bool(isOn)])
            } catch {
                onEvent(.failed("\(error)"))
            }
        }
    }

    private func handle(_ event: ImprovPeripheral.Event) {
        switch event {
        case .advertising: onEvent(.waiting)
        case .state(.provisioned) where !hasJoined:
            hasJoined = true
            onEvent(.joined)
            device.start()
            setup.stop(after: Self.farewell)
        case .failed(let reason): onEvent(.failed(reason))
        default: break
        }
    }

    private func answer(_ request: LinkedDevice.Request) -> Result<LinkValue, LinkError> {
        guard request.operation == Self.toggle else {
            return .failure(LinkError("unknownOperation", "A lamp has the operation \(Self.toggle)."))
        }
        isOn.toggle()
        count += 1
        onEvent(.switched(isOn: isOn, count: count, byButton: false))
        // The phone compares the count with the number of its own requests. 手机用 count 核对请求是否恰好执行一次。
        return .success(["on": .bool(isOn), "count": .integer(Int64(count))])
    }
}
