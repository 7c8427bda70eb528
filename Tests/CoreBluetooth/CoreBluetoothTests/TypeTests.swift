import CoreBluetooth
import Testing

/// Raw values and strings of Apple's headers.
@Suite struct TypeTests {
    @Test func theEnumerationsHaveApplesValues() {
        #expect(
            [CBManagerState.unknown, .resetting, .unsupported, .unauthorized, .poweredOff, .poweredOn].map(\.rawValue)
                == Array(0...5))
        #expect(
            [CBCentralManagerState.unknown, .resetting, .unsupported, .unauthorized, .poweredOff, .poweredOn]
                .map(\.rawValue) == Array(0...5))
        #expect(
            [CBPeripheralManagerState.unknown, .resetting, .unsupported, .unauthorized, .poweredOff, .poweredOn]
                .map(\.rawValue) == Array(0...5))
        #expect(
            [CBManagerAuthorization.notDetermined, .restricted, .denied, .allowedAlways].map(\.rawValue)
                == Array(0...3))
        #expect(
            [CBPeripheralManagerAuthorizationStatus.notDetermined, .restricted, .denied, .authorized].map(\.rawValue)
                == Array(0...3))
        #expect(
            [CBPeripheralState.disconnected, .connecting, .connected, .disconnecting].map(\.rawValue) == Array(0...3))
        #expect([CBCharacteristicWriteType.withResponse, .withoutResponse].map(\.rawValue) == [0, 1])
        #expect([CBConnectionEvent.peerDisconnected, .peerConnected].map(\.rawValue) == [0, 1])
        #expect([CBPeripheralManagerConnectionLatency.low, .medium, .high].map(\.rawValue) == [0, 1, 2])
        #expect(CBChannelSoundingSessionConfiguration.Role.initiator.rawValue == 0)
        #expect(CBManagerState(rawValue: 77)?.rawValue == 77)
    }

    @Test func theOptionSetsHaveApplesValues() {
        let properties: [CBCharacteristicProperties] = [
            .broadcast, .read, .writeWithoutResponse, .write, .notify, .indicate, .authenticatedSignedWrites,
            .extendedProperties, .notifyEncryptionRequired, .indicateEncryptionRequired,
        ]
        #expect(properties.map(\.rawValue) == (0..<10).map { 1 << $0 })
        let permissions: [CBAttributePermissions] = [
            .readable, .writeable, .readEncryptionRequired, .writeEncryptionRequired,
        ]
        #expect(permissions.map(\.rawValue) == [1, 2, 4, 8])
        #expect(CBCentralManager.Feature.extendedScanAndConnect.rawValue == 1)
        #expect(CBCentralManager.Feature.channelSounding.rawValue == 1 << 10)
        #expect(CBCharacteristicProperties([.read, .notify]).contains(.notify))
    }

    @Test func row033_theKeysHaveApplesStrings() {
        #expect(CBAdvertisementDataLocalNameKey == "kCBAdvDataLocalName")
        #expect(CBAdvertisementDataTxPowerLevelKey == "kCBAdvDataTxPowerLevel")
        #expect(CBAdvertisementDataServiceUUIDsKey == "kCBAdvDataServiceUUIDs")
        #expect(CBAdvertisementDataServiceDataKey == "kCBAdvDataServiceData")
        #expect(CBAdvertisementDataManufacturerDataKey == "kCBAdvDataManufacturerData")
        #expect(CBAdvertisementDataOverflowServiceUUIDsKey == "kCBAdvDataHashedServiceUUIDs")
        #expect(CBAdvertisementDataIsConnectable == "kCBAdvDataIsConnectable")
        #expect(CBAdvertisementDataSolicitedServiceUUIDsKey == "kCBAdvDataSolicitedServiceUUIDs")
        #expect(CBCentralManagerScanOptionAllowDuplicatesKey == "kCBScanOptionAllowDuplicates")
        #expect(CBErrorDomain == "CBErrorDomain" && CBATTErrorDomain == "CBATTErrorDomain")
    }

    @Test func theOtherKeysAreDistinct() {
        let connect = [
            CBConnectPeripheralOptionNotifyOnConnectionKey, CBConnectPeripheralOptionNotifyOnDisconnectionKey,
            CBConnectPeripheralOptionNotifyOnNotificationKey, CBConnectPeripheralOptionStartDelayKey,
            CBConnectPeripheralOptionEnableTransportBridgingKey, CBConnectPeripheralOptionRequiresANCS,
            CBConnectPeripheralOptionEnableAutoReconnect,
        ]
        #expect(Set(connect).count == connect.count)
        let central = [
            CBCentralManagerOptionShowPowerAlertKey, CBCentralManagerOptionRestoreIdentifierKey,
            CBCentralManagerOptionDeviceAccessForMedia, CBCentralManagerRestoredStatePeripheralsKey,
            CBCentralManagerRestoredStateScanServicesKey, CBCentralManagerRestoredStateScanOptionsKey,
        ]
        #expect(Set(central).count == central.count)
        let peripheral = [
            CBPeripheralManagerOptionShowPowerAlertKey, CBPeripheralManagerOptionRestoreIdentifierKey,
            CBPeripheralManagerRestoredStateServicesKey, CBPeripheralManagerRestoredStateAdvertisementDataKey,
        ]
        #expect(Set(peripheral).count == peripheral.count)
        #expect(
            CBConnectionEventMatchingOption.serviceUUIDs != .peripheralUUIDs
                && CBConnectionEventMatchingOption(rawValue: "x").rawValue == "x")
    }

    @Test func theModuleReexportsTheNamesThatApplesReexports() {
        let queue: dispatch_queue_t? = DispatchQueue(label: "queue")
        let time: CFAbsoluteTime = CFAbsoluteTimeGetCurrent()
        let psm: CBL2CAPPSM = 0x80
        #expect(queue != nil && time > 0 && psm == 128 && Data().isEmpty)
    }

    @Test func row013_authorizationIsAvailableBeforeAnyManager() {
        #expect(CBManager.authorization == .allowedAlways)
        #expect(CBCentralManager.authorization == .allowedAlways)
        #expect(CBPeripheralManager.authorizationStatus() == .authorized)
    }

    @Test func row167_channelSoundingIsNotSupported() {
        #expect(!CBCentralManager.supports(.channelSounding))
        #expect(!CBCentralManager.supports([.extendedScanAndConnect, .channelSounding]))
        #expect(CBChannelSoundingSessionConfiguration(role: .initiator).role == .initiator)
    }

    @Test func programsCanAddConformancesAsOnApplesSystems() {
        #expect("\(CBPeripheralState.connected)" == "connected!")
    }
}

extension CBPeripheralState: @retroactive CustomStringConvertible {
    /// Mine.
    public var description: String { self == .connected ? "connected!" : "other" }
}
extension CBCharacteristicProperties: @retroactive Hashable {}
extension CBUUID: @unchecked Sendable {}
extension CBPeripheral: Identifiable {
    /// The identifier.
    public var id: UUID { identifier }
}
