import BLEPacketDecoding
import BLETransport
import BLEWire
import StudioRoom
import StudioServer

extension RoomPacket {
    /// The packet for the page: `{"n","start","duration","channel","phy","sender","receivers":[["d2",-48,"received"]],"layer","isEncrypted","name",
    /// "text","octets","link","conversation"}`. `octets` are the header and the payload as hexadecimal digits. `sender` is null if the device has
    /// left the room. Written by hand, because `JSONEncoder` takes ten times as long, and a busy room has ten thousand packets a second.
    package func json(isInFlight: Bool = false) -> JSONText {
        var json: [UInt8] = []
        json.reserveCapacity(320)
        json.append(text: #"{"n":"#)
        json.append(number: frame.number)
        json.append(text: #","start":"#)
        json.append(number: Int(frame.start))
        json.append(text: #","duration":"#)
        json.append(number: Int(frame.airTime))
        json.append(text: #","channel":"#)
        json.append(number: Int(frame.channel))
        json.append(text: #","phy":""#)
        json.append(text: frame.phy.name)
        json.append(text: #"","sender":"#)
        json.append(device: frame.sender)
        if !isInFlight { appendReceivers(to: &json) }
        let summary = summary
        json.append(text: #","layer":""#)
        json.append(text: summary.layer.rawValue)
        json.append(text: summary.isEncrypted ? #"","isEncrypted":true,"name":"# : #"","isEncrypted":false,"name":"#)
        JSONString.append(summary.name, to: &json)
        json.append(text: #","text":"#)
        json.append(english: summary.text, chinese: summary.text(in: .chinese))
        if !isInFlight {
            json.append(text: #","octets":""#)
            for octet in frame.octets { Hexadecimal.append(octet, to: &json) }
            json.append(UInt8(ascii: "\""))
        }
        json.append(text: #","link":"#)
        if let link = summary.link {
            JSONString.append(RoomLink.identifier(link), to: &json)
        } else {
            json.append(text: "null")
        }
        json.append(text: #","conversation":"#)
        if let number = summary.conversation { json.append(number: number) } else { json.append(text: "null") }
        json.append(UInt8(ascii: "}"))
        return JSONText(String(decoding: json, as: UTF8.self))
    }

    private func appendReceivers(to json: inout [UInt8]) {
        json.append(text: #","receivers":["#)
        var isFirst = true
        for reception in frame.receptions where reception.receiver > 0 {
            json.append(text: isFirst ? "[" : ",[")
            isFirst = false
            json.append(device: Int(reception.receiver))
            json.append(UInt8(ascii: ","))
            json.append(number: Int(reception.rssi))
            switch reception.outcome {
            case .received: json.append(text: #","received"]"#)
            case .corrupted: json.append(text: #","corrupted"]"#)
            case .missed: json.append(text: #","missed"]"#)
            }
        }
        json.append(UInt8(ascii: "]"))
    }
}

extension [UInt8] {
    fileprivate mutating func append(text: String) { append(contentsOf: text.utf8) }

    fileprivate mutating func append(number: Int) { append(contentsOf: String(number).utf8) }

    /// Appends the identifier of a device with quotation marks.
    fileprivate mutating func append(device number: Int) {
        guard number > 0 else { return append(text: "null") }
        append(text: #""d"#)
        append(number: number)
        append(UInt8(ascii: "\""))
    }

    /// Appends a text in both languages, as a `Phrase` whose texts are values.
    fileprivate mutating func append(english: String, chinese: String) {
        guard english != chinese else { return JSONString.append(english, to: &self) }
        append(text: #"{"en":"{0}","zh":"{1}","with":["#)
        JSONString.append(english, to: &self)
        append(UInt8(ascii: ","))
        JSONString.append(chinese, to: &self)
        append(text: "]}")
    }
}
