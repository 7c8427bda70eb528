import AdvertisementScanning
import BLEAdapter
import BLEAssignedNumbers
import BLEBeacons
import BLETransport
import BLEWire

/// The JSON of an advertisement.
enum AdvertisementMessage {
    /// - Parameters:
    ///   - time: Milliseconds since 1970.
    ///   - decoded: The members that `decoded` made.
    static func payload(
        _ discovery: Discovery, _ address: DeviceAddress, time: Int64, isRaw: Bool, decoded: [UInt8]
    ) -> [UInt8] {
        JSONBuilder.object { json in
            json.add("time", time)
            json.add("address", address)
            json.add("addressType", address.typeName.rawValue)
            // 127 means not available (Vol 4, Part E, 7.7.65.2).
            if discovery.rssi != 127 { json.add("rssi", discovery.rssi) }
            json.add("connectable", discovery.isConnectable)
            if isRaw {
                let octets = discovery.octets
                json.add("data", hexadecimal: [UInt8](octets.data))
                if !octets.scanResponse.isEmpty {
                    json.add("scanResponse", hexadecimal: [UInt8](octets.scanResponse))
                }
            }
            json.add(members: decoded)
        }
    }

    /// The members for what the octets mean. Equal octets with the same half as the newer one give equal members.
    static func decoded(_ advertisement: DiscoveryContent, _ address: DeviceAddress) -> [UInt8] {
        let content = AdvertisementContent(
            advertisement.octets, address: address, isScanResponseNewer: advertisement.isScanResponseNewer)
        let object = JSONBuilder.object { json in
            if let name = content.name { json.add("name", name) }
            if !content.services.isEmpty {
                json.add(
                    "services",
                    list: { list in
                        for service in content.services { list.addElement(service.description) }
                    })
            }
            if let octets = content.manufacturerData {
                json.add(
                    "manufacturer",
                    object: { json in
                        json.add("identifier", UInt16(octets[0]) | UInt16(octets[1]) << 8)
                        if let company = content.company { json.add("company", company) }
                        json.add("data", hexadecimal: Array(octets.dropFirst(2)))
                    })
            }
            if !content.serviceData.isEmpty {
                json.add(
                    "serviceData",
                    list: { list in
                        for (service, value) in content.serviceData.sorted(by: {
                            $0.key.description < $1.key.description
                        }) {
                            list.addElement(object: { json in
                                json.add("service", service.description)
                                json.add("data", hexadecimal: [UInt8](value))
                            })
                        }
                    })
            }
            let form = advertisement.extendedForm
            if let power = content.transmitPower ?? form?.advertisedPower { json.add("transmitPower", power) }
            if let form {
                json.add("primaryPHY", HCI.PHY(rawValue: form.primaryPHY).name)
                if form.secondaryPHY != 0 { json.add("secondaryPHY", HCI.PHY(rawValue: form.secondaryPHY).name) }
                if form.sid <= 15 { json.add("set", form.sid) }
            }
            if let appearance = content.appearance {
                json.add("appearance", AssignedNumbers.appearance(appearance) ?? "\(appearance)")
            }
            if let beacon = content.beacon { json.add("beacon", object: { add(beacon, to: &$0) }) }
        }
        // Without the braces.
        return Array(object.dropFirst().dropLast())
    }

    private static func add(_ beacon: Beacon, to json: inout JSONBuilder) {
        switch beacon {
        case .iBeacon(let beacon):
            json.add("type", "iBeacon")
            json.add("uuid", beacon.uuid.uuidString)
            json.add("major", beacon.major)
            json.add("minor", beacon.minor)
        case .altBeacon: json.add("type", "AltBeacon")
        case .eddystone: json.add("type", "Eddystone")
        }
        if let power = beacon.measuredPower { json.add("measuredPower", power) }
        json.add("text", BeaconText.long(beacon))
    }
}
