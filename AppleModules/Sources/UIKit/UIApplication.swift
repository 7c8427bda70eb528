import Foundation

/// The program.
///
/// A program on Linux has no screen and is active from its start. ``moveToBackground()`` and ``moveToForeground()`` show a library, for example
/// in a test, what it sees on a phone.
///
/// The class is bound to the main actor as on Apple's systems. In the language mode 5, other code can use it as well.
@preconcurrency @MainActor open class UIApplication: NSObject {
    /// The program.
    public static let shared = UIApplication()

    private override init() {}

    /// The program's delegate. Linux keeps a weak reference and calls nothing.
    open weak var delegate: (any UIApplicationDelegate)?

    /// Whether the user sees the program.
    public enum State: Int, Sendable {
        /// The program is in the foreground.
        case active = 0
        /// The program is about to change to another state. Not on Linux.
        case inactive = 1
        /// The program is in the background.
        case background = 2
    }

    /// Whether the program is in the foreground; see ``moveToBackground()``.
    open private(set) var applicationState = State.active

    /// Sends the program to the background: posts ``willResignActiveNotification``, changes the state to `.background`, and posts
    /// ``didEnterBackgroundNotification``.
    ///
    /// Linux only. The call has no effect in the background.
    public func moveToBackground() {
        guard applicationState != .background else { return }
        post(UIApplication.willResignActiveNotification)
        applicationState = .background
        post(UIApplication.didEnterBackgroundNotification)
    }

    /// Brings the program back: posts ``willEnterForegroundNotification``, changes the state to `.active`, and posts
    /// ``didBecomeActiveNotification``.
    ///
    /// Linux only. The call has no effect in the foreground.
    public func moveToForeground() {
        guard applicationState != .active else { return }
        post(UIApplication.willEnterForegroundNotification)
        applicationState = .active
        post(UIApplication.didBecomeActiveNotification)
    }

    private func post(_ name: Notification.Name) { NotificationCenter.default.post(name: name, object: self) }

    /// Whether the screen stays on. Linux keeps the value and does nothing with it.
    open var isIdleTimerDisabled = false

    /// The time that the program has left in the background: without a limit, because Linux suspends no program.
    open var backgroundTimeRemaining: TimeInterval { .greatestFiniteMagnitude }

    private nonisolated let lock = NSLock()
    private nonisolated(unsafe) var lastTask = UIBackgroundTaskIdentifier.invalid.rawValue

    /// Begins work that shall continue in the background. On Linux, all work does.
    ///
    /// - Parameter handler: Not called, because the time has no limit.
    /// - Returns: A new identifier.
    nonisolated open func beginBackgroundTask(
        expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
    ) -> UIBackgroundTaskIdentifier {
        beginBackgroundTask(withName: nil, expirationHandler: handler)
    }

    /// Begins work that shall continue in the background. On Linux, all work does.
    ///
    /// - Parameters:
    ///   - taskName: A name for a debugger on Apple's systems.
    ///   - handler: Not called, because the time has no limit.
    /// - Returns: A new identifier.
    nonisolated open func beginBackgroundTask(
        withName taskName: String?, expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
    ) -> UIBackgroundTaskIdentifier {
        lock.withLock {
            lastTask += 1
            return UIBackgroundTaskIdentifier(rawValue: lastTask)
        }
    }

    /// Ends such work. Without effect on Linux.
    nonisolated open func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {}

    /// The address of the program's settings. ``open(_:options:completionHandler:)`` cannot open it on Linux.
    nonisolated public static let openSettingsURLString = "app-settings:"

    /// Whether ``open(_:options:completionHandler:)`` can open an address: on Linux, none.
    open func canOpenURL(_ url: URL) -> Bool { false }

    /// Reports that Linux opened nothing.
    ///
    /// - Parameters:
    ///   - url: The address.
    ///   - options: Not used.
    ///   - completion: Receives false, later on the main queue.
    open func open(
        _ url: URL, options: [OpenExternalURLOptionsKey: Any] = [:],
        completionHandler completion: (@MainActor @Sendable (Bool) -> Void)? = nil
    ) {
        guard let completion else { return }
        DispatchQueue.main.async { completion(false) }
    }

    /// An option of ``open(_:options:completionHandler:)``.
    public struct OpenExternalURLOptionsKey: RawRepresentable, Hashable, Sendable {
        /// Its name.
        public let rawValue: String
        /// An option by its name.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Only for a program that declared the address.
        public static let universalLinksOnly = OpenExternalURLOptionsKey(
            rawValue: "UIApplicationOpenURLOptionUniversalLinksOnly")
    }

    /// A reason for the start of the program. On Linux, a program starts without one.
    public struct LaunchOptionsKey: RawRepresentable, Hashable, Sendable {
        /// Its name.
        public let rawValue: String
        /// A reason by its name.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Central managers whose state the system preserved.
        public static let bluetoothCentrals = LaunchOptionsKey(
            rawValue: "UIApplicationLaunchOptionsBluetoothCentralsKey")
        /// Peripheral managers whose state the system preserved.
        public static let bluetoothPeripherals = LaunchOptionsKey(
            rawValue: "UIApplicationLaunchOptionsBluetoothPeripheralsKey")
        /// A change of the location.
        public static let location = LaunchOptionsKey(
            rawValue: "UIApplicationLaunchOptionsLocationKey")
    }
}

/// Work that continues in the background.
public struct UIBackgroundTaskIdentifier: RawRepresentable, Hashable, Sendable {
    /// Its number.
    public let rawValue: Int
    /// Work by its number.
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// No work.
    public static let invalid = UIBackgroundTaskIdentifier(rawValue: 0)
}

// The first four of these are posted by `moveToBackground` and `moveToForeground`, the others by nothing on Linux.
extension UIApplication {
    /// The program becomes inactive.
    nonisolated public static let willResignActiveNotification = Notification.Name(
        "UIApplicationWillResignActiveNotification")
    /// The program is in the background.
    nonisolated public static let didEnterBackgroundNotification = Notification.Name(
        "UIApplicationDidEnterBackgroundNotification")
    /// The program leaves the background.
    nonisolated public static let willEnterForegroundNotification = Notification.Name(
        "UIApplicationWillEnterForegroundNotification")
    /// The program is active.
    nonisolated public static let didBecomeActiveNotification = Notification.Name(
        "UIApplicationDidBecomeActiveNotification")
    /// The program has started.
    nonisolated public static let didFinishLaunchingNotification = Notification.Name(
        "UIApplicationDidFinishLaunchingNotification")
    /// The system ends the program.
    nonisolated public static let willTerminateNotification = Notification.Name(
        "UIApplicationWillTerminateNotification")
    /// The system runs out of memory.
    nonisolated public static let didReceiveMemoryWarningNotification = Notification.Name(
        "UIApplicationDidReceiveMemoryWarningNotification")
}
