import Foundation

/// Receives the events of a peripheral, on the queue of its central manager. Every method has a default body; see
/// ``CBCentralManagerDelegate``.
public protocol CBPeripheralDelegate: NSObjectProtocol {
    /// The peripheral's ``CBPeripheral/name`` changed.
    ///
    /// - Parameter peripheral: The peripheral.
    func peripheralDidUpdateName(_ peripheral: CBPeripheral)

    /// The peripheral changed its services. Discover the listed services again.
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

    /// Reports the result of ``CBPeripheral/readRSSI()``.
    ///
    /// - Parameters:
    ///   - peripheral: The peripheral.
    ///   - RSSI: The signal strength of the link in dBm.
    ///   - error: What went wrong.
    func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?)

    /// Reports the result of ``CBPeripheral/discoverServices(_:)``. A discovery without results is not an error.
    ///
    /// - Parameters:
    ///   - peripheral: The peripheral; ``CBPeripheral/services`` has the result.
    ///   - error: What went wrong.
    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?)

    /// Reports the result of ``CBPeripheral/discoverIncludedServices(_:for:)``.
    ///
    /// - Parameters:
    ///   - peripheral: The peripheral.
    ///   - service: The service; its ``CBService/includedServices`` has the result.
    ///   - error: What went wrong.
    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverIncludedServicesFor service: CBService, error: (any Error)?)

    /// Reports the result of ``CBPeripheral/discoverCharacteristics(_:for:)``.
    ///
    /// - Parameters:
    ///   - peripheral: The peripheral.
    ///   - service: The service; its ``CBService/characteristics`` has the result.
    ///   - error: What went wrong.
    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?)

    /// A value was read, notified or indicated.
    ///
    /// The peripheral sends its next indication after this method has returned for the previous one. While 16,384 notifications are
    /// pending, further ones are dropped with a line in the log.
    ///
    /// - Parameters:
    ///   - peripheral: The peripheral.
    ///   - characteristic: The characteristic; its ``CBCharacteristic/value`` is this value.
    ///   - error: The reason of a failed read. The characteristic keeps its previous value then.
    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?)

    /// Reports the result of a write with response.
    ///
    /// - Parameters:
    ///   - peripheral: The peripheral.
    ///   - characteristic: The characteristic.
    ///   - error: The peer's reason for a refusal, as a ``CBATTError``.
    func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?)

    /// Reports the result of ``CBPeripheral/setNotifyValue(_:for:)``.
    ///
    /// - Parameters:
    ///   - peripheral: The peripheral.
    ///   - characteristic: The characteristic; its ``CBCharacteristic/isNotifying`` has the result.
    ///   - error: What went wrong.
    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?)

    /// Reports the result of ``CBPeripheral/discoverDescriptors(for:)``.
    ///
    /// - Parameters:
    ///   - peripheral: The peripheral.
    ///   - characteristic: The characteristic; its ``CBCharacteristic/descriptors`` has the result.
    ///   - error: What went wrong.
    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?)

    /// Reports the result of reading a descriptor.
    ///
    /// - Parameters:
    ///   - peripheral: The peripheral.
    ///   - descriptor: The descriptor; its ``CBDescriptor/value`` is this value.
    ///   - error: What went wrong.
    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor descriptor: CBDescriptor, error: (any Error)?)

    /// Reports the result of writing a descriptor.
    ///
    /// - Parameters:
    ///   - peripheral: The peripheral.
    ///   - descriptor: The descriptor.
    ///   - error: The peer's reason for a refusal, as a ``CBATTError``.
    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor descriptor: CBDescriptor, error: (any Error)?)

    /// The buffer has space for writes without response again.
    ///
    /// - Parameter peripheral: The peripheral.
    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral)

    /// Reports the result of ``CBPeripheral/openL2CAPChannel(_:)``.
    ///
    /// - Parameters:
    ///   - peripheral: The peripheral.
    ///   - channel: The channel; nil after an error.
    ///   - error: The reason of a failure: `CBError.invalidParameters` if the device has no such service, `.outOfSpace` if it has
    ///     no resources, `CBATTError.insufficientAuthentication` or a similar code if it requires a higher security of the link.
    func peripheral(_ peripheral: CBPeripheral, didOpen channel: CBL2CAPChannel?, error: (any Error)?)

    /// A Channel Sounding procedure ended. Never called on Linux.
    ///
    /// - Parameters:
    ///   - peripheral: The peripheral.
    ///   - results: The results of the procedure.
    ///   - error: What went wrong.
    func peripheral(
        _ peripheral: CBPeripheral, didReceive results: CBChannelSoundingProcedureResults?, error: (any Error)?)

    /// A Channel Sounding session ended. On Linux it ends at once with `CBError.channelSoundingConfigurationFailed`.
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
