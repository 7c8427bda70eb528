#if canImport(AppKit)
import AppKit
#else
import UIKit

/// Work that continues when the user leaves the program.
@MainActor public final class Background {
    /// The name of the phone.
    public static var deviceName: String { UIDevice.current.name }

    /// How often the program entered the background.
    public private(set) var count = 0
    private var task = UIBackgroundTaskIdentifier.invalid
    private var token: Any?

    /// Starts to count.
    public init() {
        token = NotificationCenter.default.addObserver(
            forName: UIApplication.didEnterBackgroundNotification, object: nil, queue: nil
        ) { [weak self] _ in
            MainActor.assumeIsolated { self?.enter() }
        }
    }

    private func enter() {
        guard UIApplication.shared.applicationState == .background else { return }
        count += 1
        task = UIApplication.shared.beginBackgroundTask { [weak self] in
            guard let self else { return }
            UIApplication.shared.endBackgroundTask(self.task)
        }
    }
}
#endif
