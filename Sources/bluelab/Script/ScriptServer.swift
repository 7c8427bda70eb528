import DeviceScripts
import Foundation

@MainActor
final class ScriptServer {
    init(_ conditions: Conditions) {}
    func serve(_ path: String) async throws -> String? { nil }
    func stop() {}
    func waitForRead(_ wanted: String, _ limit: Duration) async throws -> String? { nil }
    func waitForWrite(_ wanted: String, _ expectation: ValueExpectation, _ limit: Duration) async throws -> String? {
        nil
    }
    func waitForSubscription(_ wanted: String, _ limit: Duration) async throws -> String? { nil }
}
