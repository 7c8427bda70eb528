import Foundation
import Testing

struct QuietLogTests {
    @Test func theQuietLogLevelDoesNotReachExitTests() async {
        #expect(getenv("BLUETOOTH_LOG") != nil)
        await #expect(processExitsWith: .success) {
            // With a level from outside there is nothing to undo.
            let isQuiet = getenv("OPENCOREBLUETOOTH_QUIET_TESTS") != nil && getenv("BLUETOOTH_LOG") != nil
            exit(isQuiet ? 1 : 0)
        }
    }
}
