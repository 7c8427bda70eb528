/// The Swift of the fourteen steps of a peripheral: the call, or the delegate method.
package enum WristbandStep {
    private static let lines: [String] = [
        "CBPeripheralManager(delegate: self, queue: queue)",
        "peripheralManagerDidUpdateState(_:)",
        "peripheral.add(service)",
        "peripheralManager(_:didAdd:error:)",
        "peripheral.startAdvertising([…])",
        "peripheralManagerDidStartAdvertising(_:error:)",
        "peripheralManager(_:didReceiveRead:)",
        "peripheral.respond(to: request, withResult: .success)",
        "peripheralManager(_:didReceiveWrite:)",
        "peripheral.respond(to: requests[0], withResult: .success)",
        "peripheralManager(_:central:didSubscribeTo:)",
        "manager.updateValue(value, for: measurement, onSubscribedCentrals: nil)",
        "peripheralManagerIsReady(toUpdateSubscribers:)",
        "peripheralManager(_:central:didUnsubscribeFrom:)",
    ]
    /// The steps that are calls; the others are callbacks.
    private static let calls: Set<Int> = [1, 3, 5, 8, 10, 12]

    /// The line of a step, 1 to 14; nil for another number.
    package static func swift(_ step: Int) -> String? {
        lines.indices.contains(step - 1) ? lines[step - 1] : nil
    }

    /// Whether a step is a call or a callback.
    package static func kind(_ step: Int) -> ProgramEvent.Kind { calls.contains(step) ? .call : .callback }
}
