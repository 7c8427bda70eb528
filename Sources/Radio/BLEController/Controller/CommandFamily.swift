import BLEWire

/// The commands by which a host advertises, scans and connects. The first one after a reset decides for its family, and the other family is
/// disallowed until the next reset (Vol 4, Part E, 3.1.1).
enum CommandFamily: Hashable {
    case legacy
    case extended

    /// The family of a command; nil for a command that belongs to neither.
    init?(_ opcode: HCI.Opcode) {
        switch opcode {
        case .leSetAdvertisingParameters, .leReadAdvertisingPhysicalChannelTxPower, .leSetAdvertisingData,
            .leSetScanResponseData, .leSetAdvertisingEnable, .leSetScanParameters, .leSetScanEnable,
            .leCreateConnection:
            self = .legacy
        case _ where Self.extendedCommands.contains(opcode): self = .extended
        case .leSetPeriodicAdvertisingParameters, .leSetPeriodicAdvertisingData, .leSetPeriodicAdvertisingEnable,
            .lePeriodicAdvertisingCreateSync, .leSetPeriodicAdvertisingParametersV2,
            .leSetPeriodicAdvertisingSubeventData:
            self = .extended
        default: return nil
        }
    }

    /// The commands of a controller with periodic advertising.
    static let periodicCommands: [HCI.Opcode] = [
        .leSetPeriodicAdvertisingParameters, .leSetPeriodicAdvertisingData, .leSetPeriodicAdvertisingEnable,
        .lePeriodicAdvertisingCreateSync, .lePeriodicAdvertisingCreateSyncCancel, .lePeriodicAdvertisingTerminateSync,
        .leAddDeviceToPeriodicAdvertiserList, .leRemoveDeviceFromPeriodicAdvertiserList,
        .leClearPeriodicAdvertiserList, .leReadPeriodicAdvertiserListSize, .leSetPeriodicAdvertisingReceiveEnable,
        .lePeriodicAdvertisingSyncTransfer, .lePeriodicAdvertisingSetInfoTransfer,
        .leSetPeriodicAdvertisingSyncTransferParameters, .leSetDefaultPeriodicAdvertisingSyncTransferParameters,
        .leSetPeriodicAdvertisingParametersV2, .leSetPeriodicAdvertisingSubeventData,
        .leSetPeriodicAdvertisingResponseData, .leSetPeriodicSyncSubevent,
    ]

    /// The commands of a controller with extended advertising.
    static let extendedCommands: [HCI.Opcode] = [
        .leSetAdvertisingSetRandomAddress, .leSetExtendedAdvertisingParameters, .leSetExtendedAdvertisingData,
        .leSetExtendedScanResponseData, .leSetExtendedAdvertisingEnable, .leReadMaximumAdvertisingDataLength,
        .leReadNumberOfSupportedAdvertisingSets, .leRemoveAdvertisingSet, .leClearAdvertisingSets,
        .leSetExtendedScanParameters, .leSetExtendedScanEnable, .leExtendedCreateConnection,
        .leSetExtendedAdvertisingParametersV2,
    ]
}
