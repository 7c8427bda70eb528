import Foundation

/// The object that a program on Apple's systems starts with. On Linux, nothing calls it.
@preconcurrency @MainActor public protocol UIApplicationDelegate: NSObjectProtocol {
    /// Called on Apple's systems after the start.
    ///
    /// - Parameters:
    ///   - application: The program.
    ///   - launchOptions: The reasons for the start.
    func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool
}

extension UIApplicationDelegate {
    /// Returns true.
    public func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool { true }
}
