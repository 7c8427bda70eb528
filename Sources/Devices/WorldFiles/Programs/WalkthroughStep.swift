/// The Swift of the twenty-three steps of a central: the call, or the delegate method that answers it.
package enum WalkthroughStep {
    private static let lines: [String] = [
        "CBCentralManager(delegate: self, queue: queue)",
        "centralManagerDidUpdateState(_:)",
        "central.scanForPeripherals(withServices: nil, options: nil)",
        "centralManager(_:didDiscover:advertisementData:rssi:)",
        "central.connect(peripheral, options: nil)",
        "centralManager(_:didConnect:)",
        "peripheral.discoverServices(nil)",
        "peripheral(_:didDiscoverServices:)",
        "peripheral.discoverCharacteristics(nil, for: service)",
        "peripheral(_:didDiscoverCharacteristicsFor:error:)",
        "peripheral.readValue(for: characteristic)",
        "peripheral(_:didUpdateValueFor:error:)",
        "peripheral.writeValue(value, for: characteristic, type: .withResponse)",
        "peripheral(_:didWriteValueFor:error:)",
        "peripheral.setNotifyValue(true, for: characteristic)",
        "peripheral(_:didUpdateNotificationStateFor:error:)",
        "peripheral.discoverDescriptors(for: characteristic)",
        "peripheral(_:didDiscoverDescriptorsFor:error:)",
        "peripheral.readValue(for: descriptor)",
        "peripheral(_:didUpdateValueFor:error:)",
        "peripheral.writeValue(Data(\"Pulse\".utf8), for: descriptor)",
        "peripheral(_:didWriteValueFor:error:)",
        "manager.cancelPeripheralConnection(peripheral)",
    ]

    /// The line of a step, 1 to 23; nil for another number.
    package static func swift(_ step: Int) -> String? {
        lines.indices.contains(step - 1) ? lines[step - 1] : nil
    }

    /// Whether a step is a call or a callback.
    package static func kind(_ step: Int) -> ProgramEvent.Kind {
        switch step {
        case 1, 23: .call
        default: step.isMultiple(of: 2) ? .callback : .call
        }
    }
}
