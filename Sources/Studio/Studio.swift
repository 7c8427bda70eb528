import Foundation
import StudioServer

/// The parts of the studio behind the page.
package final class Studio: Sendable {
    package let hub = StudioHub()

    package init() {
        // `bluelab studio --controller` sets the variable.
        let hasAdapter = ProcessInfo.processInfo.environment["BLUETOOTH_CONTROLLER"]?.isEmpty == false
        Maker.register(on: hub, hasAdapter: hasAdapter)
    }
}
