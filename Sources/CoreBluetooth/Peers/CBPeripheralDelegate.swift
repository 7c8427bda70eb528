#if !canImport(Darwin)
import Foundation

/// What a peripheral tells its delegate, on the queue of its central manager. Every method has a default body, see
/// ``CBCentralManagerDelegate``.
public protocol CBPeripheralDelegate: NSObjectProtocol {
    /// The peripheral's ``CBPeripheral/name`` changed.
    ///
    /// - Parameter peripheral: The peripheral.
    func peripheralDidUpdateName(_ peripheral: CBPeripheral)

    /// The peripheral changed its services. Those listed are dead and have to be discovered again.
    ///
    /// - Parameters:
    ///   - peripheral: The peripheral.
    ///   - invalidatedServices: The services that are no longer valid.
    func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService])

    /// Deprecated since iOS 8 and not called; see ``peripheral(_:didReadRSSI:error:)``.
    ///
    /// - Parameters:
    ///   - peripheral: The peripheral.
    ///   - error: What went wrong.
    func peripheralDidUpdateRSSI(_ peripheral: CBPeripheral, error: (any Error)?)

    /// The answer to ``CBPeripheral/readRSSI()``.
    ///
    /// - Parameters:
    ///   - peripheral: The peripheral.
    ///   - RSSI: The signal strength of the link, dBm.
    ///   - error: What went wrong.
    func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?)

    /// The answer to ``CBPeripheral/discoverServices(_:)``. To find none is no error.
    ///
    /// - Parameters:
    ///   - peripheral: The peripheral; ``CBPeripheral/services`` has the result.
    ///   - error: What went wrong.
    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?)

    /// The answer to ``CBPeripheral/discoverIncludedServices(_:for:)``.
    ///
    /// - Parameters:
    ///   - peripheral: The peripheral.
    ///   - service: The service; its ``CBService/includedServices`` has the result.
    ///   - error: What went wrong.
    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?)

    /// The answer to ``CBPeripheral/discoverCharacteristics(_:for:)``.
    ///
    /// - Parameters:
    ///   - peripheral: The peripheral.
    ///   - service: The service; its ``CBService/characteristics`` has the result.
    ///   - error: What went wrong.
    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?)

    /// A value was read, notified or indicated.
    ///
    /// The peripheral sends the next indication after this method has returned for the last one. Notifications are dropped, with a line
    /// in the log, while 16,384 wait for this method.
    ///
    /// - Parameters:
    ///   - peripheral: The peripheral.
    ///   - characteristic: The characteristic; its ``CBCharacteristic/value`` is this value.
    ///   - error: What went wrong; the value is then the one from before.
    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?)

    /// The answer to a write with response.
    ///
    /// - Parameters:
    ///   - peripheral: The peripheral.
    ///   - characteristic: The characteristic.
    ///   - error: Why the peer refused, as a ``CBATTError``.
    func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?)

    /// The answer to ``CBPeripheral/setNotifyValue(_:for:)``.
    ///
    /// - Parameters:
    ///   - peripheral: The peripheral.
    ///   - characteristic: The characteristic; its ``CBCharacteristic/isNotifying`` has the result.
    ///   - error: What went wrong.
    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?)

    /// The answer to ``CBPeripheral/discoverDescriptors(for:)``.
    ///
    /// - Parameters:
    ///   - peripheral: The peripheral.
    ///   - characteristic: The characteristic; its ``CBCharacteristic/descriptors`` has the result.
    ///   - error: What went wrong.
    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?)

    /// A descriptor was read.
    ///
    /// - Parameters:
    ///   - peripheral: The peripheral.
    ///   - descriptor: The descriptor; its ``CBDescriptor/value`` is this value.
    ///   - error: What went wrong.
    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?)

    /// The answer to a write of a descriptor.
    ///
    /// - Parameters:
    ///   - peripheral: The peripheral.
    ///   - descriptor: The descriptor.
    ///   - error: Why the peer refused, as a ``CBATTError``.
    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?)

    /// There is room again for writes without response.
    ///
    /// - Parameter peripheral: The peripheral.
    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral)

    /// The answer to ``CBPeripheral/openL2CAPChannel(_:)``.
    ///
    /// - Parameters:
    ///   - peripheral: The peripheral.
    ///   - channel: The channel; nil if there is an error.
    ///   - error: What went wrong: `CBError.invalidParameters` where the device has no such service, `.outOfSpace` where it has
    ///     no room, `CBATTError.insufficientAuthentication` and its relatives where it wants a safer link.
    func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?)

    /// A Channel Sounding procedure ended. Never called on Linux.
    ///
    /// - Parameters:
    ///   - peripheral: The peripheral.
    ///   - results: What was measured.
    ///   - error: What went wrong.
    func peripheral(
        _ peripheral: CBPeripheral, didReceive results: CBChannelSoundingProcedureResults?, error: (any Error)?)

    /// A Channel Sounding session ended. On Linux at once, with `CBError.channelSoundingConfigurationFailed`.
    ///
    /// - Parameters:
    ///   - peripheral: The peripheral.
    ///   - error: What went wrong.
    func peripheral(_ peripheral: CBPeripheral, didCompleteChannelSoundingSession error: (any Error)?)
}

extension CBPeripheralDelegate {
    /// Does nothing.
    public func peripheralDidUpdateName(_ peripheral: CBPeripheral) {}

    /// Does nothing.
    public func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {}

    /// Does nothing.
    public func peripheralDidUpdateRSSI(_ peripheral: CBPeripheral, error: (any Error)?) {}

    /// Does nothing.
    public func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {}

    /// Does nothing.
    public func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {}

    /// Does nothing.
    public func peripheral(
        _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?
    ) {}

    /// Does nothing.
    public func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {}

    /// Does nothing.
    public func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {}

    /// Does nothing.
    public func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {}

    /// Does nothing.
    public func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {}

    /// Does nothing.
    public func peripheral(
        _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
    ) {}

    /// Does nothing.
    public func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?
    ) {}

    /// Does nothing.
    public func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?
    ) {}

    /// Does nothing.
    public func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {}

    /// Does nothing.
    public func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?) {}

    /// Does nothing.
    public func peripheral(
        _ peripheral: CBPeripheral, didReceive results: CBChannelSoundingProcedureResults?, error: (any Error)?
    ) {}

    /// Does nothing.
    public func peripheral(_ peripheral: CBPeripheral, didCompleteChannelSoundingSession error: (any Error)?) {}
}
#endif
