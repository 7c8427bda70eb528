import BLEHost
import BLEWire

/// An advertising set as an argument: parts with commas between them, of which `data` and `response` are hexadecimal, such as
/// `handle=3,sid=5,primary=1,secondary=2,data=020106,power`.
struct SetArgument {
    let set: AdvertisingSet
    let parameters: AdvertisingParameters

    init(_ text: String) {
        var values: [Substring: Substring] = [:]
        for part in text.split(separator: ",") {
            let end = part.firstIndex(of: "=") ?? part.endIndex
            values[part[..<end]] = part[end...].dropFirst()
        }
        func number(_ name: Substring, _ other: UInt8) -> UInt8 { values[name].flatMap { UInt8($0) } ?? other }
        func octets(_ name: Substring) -> [UInt8] { values[name].flatMap { Hexadecimal.octets(String($0)) } ?? [] }
        set = AdvertisingSet(handle: number("handle", 1))
        parameters = AdvertisingParameters(
            data: octets("data"), scanResponse: octets("response"), isConnectable: values["connectable"] != nil,
            intervalMinimum: 160, intervalMaximum: 160,
            pdus: .extended(
                ExtendedAdvertising(
                    primaryPHY: HCI.PHY(rawValue: number("primary", 1)),
                    secondaryPHY: HCI.PHY(rawValue: number("secondary", 1)), sid: number("sid", 0),
                    isAnonymous: values["anonymous"] != nil, includesTransmitPower: values["power"] != nil)))
    }
}
