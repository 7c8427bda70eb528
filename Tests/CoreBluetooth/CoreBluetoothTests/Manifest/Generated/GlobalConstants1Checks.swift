// Made by Scripts/generate-manifest-tests from Documentation/symbols.tsv. Do not edit.
import CoreBluetooth

extension ManifestChecks {
    /// Rows 1 to 38 of the section "Global constants".
    func checkGlobalConstants1(_ objects: ManifestObjects) {
        row("Global constants", "constant", "let CBErrorDomain: String", of: "") {
            let text: String = CBErrorDomain
            return text == "CBErrorDomain"
        }
        row("Global constants", "constant", "let CBATTErrorDomain: String", of: "") {
            let text: String = CBATTErrorDomain
            return text == "CBATTErrorDomain"
        }
        row("Global constants", "constant", "let CBAdvertisementDataLocalNameKey: String", of: "") {
            let text: String = CBAdvertisementDataLocalNameKey
            return text == "kCBAdvDataLocalName"
        }
        row("Global constants", "constant", "let CBAdvertisementDataTxPowerLevelKey: String", of: "") {
            let text: String = CBAdvertisementDataTxPowerLevelKey
            return text == "kCBAdvDataTxPowerLevel"
        }
        row("Global constants", "constant", "let CBAdvertisementDataServiceUUIDsKey: String", of: "") {
            let text: String = CBAdvertisementDataServiceUUIDsKey
            return text == "kCBAdvDataServiceUUIDs"
        }
        row("Global constants", "constant", "let CBAdvertisementDataServiceDataKey: String", of: "") {
            let text: String = CBAdvertisementDataServiceDataKey
            return text == "kCBAdvDataServiceData"
        }
        row("Global constants", "constant", "let CBAdvertisementDataManufacturerDataKey: String", of: "") {
            let text: String = CBAdvertisementDataManufacturerDataKey
            return text == "kCBAdvDataManufacturerData"
        }
        row("Global constants", "constant", "let CBAdvertisementDataOverflowServiceUUIDsKey: String", of: "") {
            let text: String = CBAdvertisementDataOverflowServiceUUIDsKey
            return text == "kCBAdvDataHashedServiceUUIDs"
        }
        row("Global constants", "constant", "let CBAdvertisementDataIsConnectable: String", of: "") {
            let text: String = CBAdvertisementDataIsConnectable
            return text == "kCBAdvDataIsConnectable"
        }
        row("Global constants", "constant", "let CBAdvertisementDataSolicitedServiceUUIDsKey: String", of: "") {
            let text: String = CBAdvertisementDataSolicitedServiceUUIDsKey
            return text == "kCBAdvDataSolicitedServiceUUIDs"
        }
        row("Global constants", "constant", "let CBCentralManagerOptionShowPowerAlertKey: String", of: "") {
            let text: String = CBCentralManagerOptionShowPowerAlertKey
            return !text.isEmpty
        }
        row("Global constants", "constant", "let CBCentralManagerOptionRestoreIdentifierKey: String", of: "") {
            let text: String = CBCentralManagerOptionRestoreIdentifierKey
            return !text.isEmpty
        }
        row("Global constants", "constant", "let CBCentralManagerOptionDeviceAccessForMedia: String", of: "") {
            let text: String = CBCentralManagerOptionDeviceAccessForMedia
            return !text.isEmpty
        }
        row("Global constants", "constant", "let CBCentralManagerScanOptionAllowDuplicatesKey: String", of: "") {
            let text: String = CBCentralManagerScanOptionAllowDuplicatesKey
            return text == "kCBScanOptionAllowDuplicates"
        }
        row("Global constants", "constant", "let CBCentralManagerScanOptionSolicitedServiceUUIDsKey: String", of: "") {
            let text: String = CBCentralManagerScanOptionSolicitedServiceUUIDsKey
            return !text.isEmpty
        }
        row("Global constants", "constant", "let CBConnectPeripheralOptionNotifyOnConnectionKey: String", of: "") {
            let text: String = CBConnectPeripheralOptionNotifyOnConnectionKey
            return !text.isEmpty
        }
        row("Global constants", "constant", "let CBConnectPeripheralOptionNotifyOnDisconnectionKey: String", of: "") {
            let text: String = CBConnectPeripheralOptionNotifyOnDisconnectionKey
            return !text.isEmpty
        }
        row("Global constants", "constant", "let CBConnectPeripheralOptionNotifyOnNotificationKey: String", of: "") {
            let text: String = CBConnectPeripheralOptionNotifyOnNotificationKey
            return !text.isEmpty
        }
        row("Global constants", "constant", "let CBConnectPeripheralOptionStartDelayKey: String", of: "") {
            let text: String = CBConnectPeripheralOptionStartDelayKey
            return !text.isEmpty
        }
        row("Global constants", "constant", "let CBConnectPeripheralOptionEnableTransportBridgingKey: String", of: "") {
            let text: String = CBConnectPeripheralOptionEnableTransportBridgingKey
            return !text.isEmpty
        }
        row("Global constants", "constant", "let CBConnectPeripheralOptionRequiresANCS: String", of: "") {
            let text: String = CBConnectPeripheralOptionRequiresANCS
            return !text.isEmpty
        }
        row("Global constants", "constant", "let CBConnectPeripheralOptionEnableAutoReconnect: String", of: "") {
            let text: String = CBConnectPeripheralOptionEnableAutoReconnect
            return !text.isEmpty
        }
        row("Global constants", "constant", "let CBCentralManagerRestoredStatePeripheralsKey: String", of: "") {
            let text: String = CBCentralManagerRestoredStatePeripheralsKey
            return !text.isEmpty
        }
        row("Global constants", "constant", "let CBCentralManagerRestoredStateScanServicesKey: String", of: "") {
            let text: String = CBCentralManagerRestoredStateScanServicesKey
            return !text.isEmpty
        }
        row("Global constants", "constant", "let CBCentralManagerRestoredStateScanOptionsKey: String", of: "") {
            let text: String = CBCentralManagerRestoredStateScanOptionsKey
            return !text.isEmpty
        }
        row("Global constants", "constant", "let CBPeripheralManagerOptionShowPowerAlertKey: String", of: "") {
            let text: String = CBPeripheralManagerOptionShowPowerAlertKey
            return !text.isEmpty
        }
        row("Global constants", "constant", "let CBPeripheralManagerOptionRestoreIdentifierKey: String", of: "") {
            let text: String = CBPeripheralManagerOptionRestoreIdentifierKey
            return !text.isEmpty
        }
        row("Global constants", "constant", "let CBPeripheralManagerRestoredStateServicesKey: String", of: "") {
            let text: String = CBPeripheralManagerRestoredStateServicesKey
            return !text.isEmpty
        }
        row("Global constants", "constant", "let CBPeripheralManagerRestoredStateAdvertisementDataKey: String", of: "")
        {
            let text: String = CBPeripheralManagerRestoredStateAdvertisementDataKey
            return !text.isEmpty
        }
        row("Global constants", "constant", "let CBUUIDCharacteristicExtendedPropertiesString: String", of: "") {
            let text: String = CBUUIDCharacteristicExtendedPropertiesString
            return text == "2900"
        }
        row("Global constants", "constant", "let CBUUIDCharacteristicUserDescriptionString: String", of: "") {
            let text: String = CBUUIDCharacteristicUserDescriptionString
            return text == "2901"
        }
        row("Global constants", "constant", "let CBUUIDClientCharacteristicConfigurationString: String", of: "") {
            let text: String = CBUUIDClientCharacteristicConfigurationString
            return text == "2902"
        }
        row("Global constants", "constant", "let CBUUIDServerCharacteristicConfigurationString: String", of: "") {
            let text: String = CBUUIDServerCharacteristicConfigurationString
            return text == "2903"
        }
        row("Global constants", "constant", "let CBUUIDCharacteristicFormatString: String", of: "") {
            let text: String = CBUUIDCharacteristicFormatString
            return text == "2904"
        }
        row("Global constants", "constant", "let CBUUIDCharacteristicAggregateFormatString: String", of: "") {
            let text: String = CBUUIDCharacteristicAggregateFormatString
            return text == "2905"
        }
        row("Global constants", "constant", "let CBUUIDCharacteristicValidRangeString: String", of: "") {
            let text: String = CBUUIDCharacteristicValidRangeString
            return text == "2906"
        }
        row("Global constants", "constant", "let CBUUIDCharacteristicObservationScheduleString: String", of: "") {
            let text: String = CBUUIDCharacteristicObservationScheduleString
            return text == "2910"
        }
        row("Global constants", "constant", "let CBUUIDL2CAPPSMCharacteristicString: String", of: "") {
            let text: String = CBUUIDL2CAPPSMCharacteristicString
            return text == "ABDD3056-28FA-441D-A470-55A75A52553A"
        }
    }
}
