import BLEWire
import Testing

@testable import BLEAssignedNumbers

struct AssignedNumbersTests {
    @Test(arguments: [
        (0x1800, "Generic Access"), (0x1801, "Generic Attribute"), (0x1804, "Tx Power"), (0x1805, "Current Time"),
        (0x180A, "Device Information"), (0x180D, "Heart Rate"), (0x180F, "Battery"), (0x181C, "User Data"),
        (0x1826, "Fitness Machine"), (0x1859, "Mesh Proxy Solicitation"), (0xFEAA, "Eddystone"),
    ])
    func servicesHaveTheirNames(value: UInt16, name: String) {
        #expect(AssignedNumbers.name(ofService: BluetoothUUID(value)) == name)
        #expect(AssignedNumbers.name(of: BluetoothUUID(value)) == name)
    }

    @Test(arguments: [
        (0x2A00, "Device Name"), (0x2A05, "Service Changed"), (0x2A19, "Battery Level"),
        (0x2A24, "Model Number String"),
        (0x2A29, "Manufacturer Name String"), (0x2A37, "Heart Rate Measurement"), (0x2A38, "Body Sensor Location"),
        (0x2A5F, "PLX Continuous Measurement"), (0x2A6E, "Temperature"), (0x2B02, "Mass Flow"),
        (0x2B29, "Client Supported Features"), (0x2B2A, "Database Hash"), (0x2B84, "Set Identity Resolving Key"),
        (0x2AF3, "Energy in a Period of Day"), (0x2B8C, "CO2 Concentration"),
    ])
    func characteristicsHaveTheirNames(value: UInt16, name: String) {
        #expect(AssignedNumbers.name(ofCharacteristic: BluetoothUUID(value)) == name)
        #expect(AssignedNumbers.name(of: BluetoothUUID(value)) == name)
    }

    @Test(arguments: [
        (0x2900, "Characteristic Extended Properties"), (0x2901, "Characteristic User Description"),
        (0x2902, "Client Characteristic Configuration"), (0x2904, "Characteristic Presentation Format"),
        (0x2908, "Report Reference"),
    ])
    func descriptorsHaveTheirNames(value: UInt16, name: String) {
        #expect(AssignedNumbers.name(ofDescriptor: BluetoothUUID(value)) == name)
        #expect(AssignedNumbers.name(of: BluetoothUUID(value)) == name)
    }

    @Test func declarationsAndUnitsHaveTheirNames() {
        #expect(AssignedNumbers.name(ofDeclaration: BluetoothUUID(0x2800 as UInt16)) == "Primary Service")
        #expect(AssignedNumbers.name(of: BluetoothUUID(0x2803 as UInt16)) == "Characteristic")
        #expect(AssignedNumbers.name(ofUnit: BluetoothUUID(0x2724 as UInt16)) == "pressure (pascal)")
        #expect(AssignedNumbers.name(ofUnit: BluetoothUUID(0x2782 as UInt16)) == "length (ångström)")
        // A unit is not an attribute.
        #expect(AssignedNumbers.name(of: BluetoothUUID(0x2724 as UInt16)) == nil)
    }

    @Test func companiesAndMembersHaveTheirNames() {
        #expect(AssignedNumbers.company(0x0000) == "Ericsson AB")
        #expect(AssignedNumbers.company(0x0006) == "Microsoft")
        #expect(AssignedNumbers.company(0x004C) == "Apple, Inc.")
        #expect(AssignedNumbers.company(0x0059) == "Nordic Semiconductor ASA")
        #expect(AssignedNumbers.company(0x02E5) == "Espressif Systems (Shanghai) Co., Ltd.")
        #expect(AssignedNumbers.company(0x024F) == "Schneider Schreibgeräte GmbH")
        #expect(AssignedNumbers.company(0xFFFF) == nil)
        #expect(AssignedNumbers.name(ofMember: BluetoothUUID(0xFE59 as UInt16)) == "Nordic Semiconductor ASA")
        #expect(AssignedNumbers.name(ofMember: BluetoothUUID(0xFEAA as UInt16)) == "Google LLC")
        #expect(AssignedNumbers.name(ofMember: BluetoothUUID(0xFFF6 as UInt16)) == "Matter Profile ID")
        // Who holds a UUID does not name the service.
        #expect(AssignedNumbers.name(of: BluetoothUUID(0xFFF6 as UInt16)) == nil)
    }

    @Test func anAppearanceFallsBackToItsCategory() {
        #expect(AssignedNumbers.appearance(0x0000) == "Unknown")
        #expect(AssignedNumbers.appearance(0x0040) == "Phone")
        #expect(AssignedNumbers.appearance(0x0340) == "Heart Rate Sensor")
        #expect(AssignedNumbers.appearance(0x0341) == "Heart Rate Belt")
        #expect(AssignedNumbers.appearance(0x037F) == "Heart Rate Sensor")
        #expect(AssignedNumbers.appearanceCategory(0x0341) == "Heart Rate Sensor")
        #expect(AssignedNumbers.appearance(0x03C1) == "Keyboard")
        #expect(AssignedNumbers.appearance(0xFFFF) == nil)
        #expect(AssignedNumbers.appearanceCategory(0xFFFF) == nil)
    }

    @Test func advertisingTypesHaveTheirNames() {
        #expect(AssignedNumbers.name(ofAdvertisingType: .flags) == "Flags")
        #expect(AssignedNumbers.name(ofAdvertisingType: .completeLocalName) == "Complete Local Name")
        #expect(AssignedNumbers.name(ofAdvertisingType: .serviceData16) == "Service Data - 16-bit UUID")
        #expect(AssignedNumbers.name(ofAdvertisingType: .manufacturerData) == "Manufacturer Specific Data")
        #expect(AssignedNumbers.name(ofAdvertisingType: AD.StructureType(rawValue: 0xFE)) == nil)
    }

    @Test func theLongFormsOfAUUIDHaveTheNameOfTheShortOne() throws {
        let long = try #require(BluetoothUUID("0000180D-0000-1000-8000-00805F9B34FB"))
        #expect(AssignedNumbers.name(of: long) == "Heart Rate")
        #expect(AssignedNumbers.name(ofService: long) == "Heart Rate")
        #expect(AssignedNumbers.name(ofCharacteristic: BluetoothUUID(0x2A19 as UInt32)) == "Battery Level")
        let foreign = try #require(BluetoothUUID("0000180D-0000-1000-8000-00805F9B34FC"))
        #expect(AssignedNumbers.name(of: foreign) == nil)
        #expect(AssignedNumbers.name(of: BluetoothUUID(0x0001_180D as UInt32)) == nil)
    }

    @Test func unassignedNumbersHaveNoName() {
        for value: UInt16 in [0x0000, 0x17FF, 0x1817, 0x27BB, 0x2804, 0x29FF, 0x2AFF + 0x1000, 0xFFFF] {
            #expect(AssignedNumbers.name(of: BluetoothUUID(value)) == nil)
        }
        // A number of one kind is none of another.
        #expect(AssignedNumbers.name(ofCharacteristic: BluetoothUUID(0x180D as UInt16)) == nil)
        #expect(AssignedNumbers.name(ofService: BluetoothUUID(0x2A37 as UInt16)) == nil)
        #expect(AssignedNumbers.company(0xFFFE) == nil)
    }
}
