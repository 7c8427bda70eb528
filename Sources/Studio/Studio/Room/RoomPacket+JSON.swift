import BLEPacketDecoding
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
        json.append(text: RoomLink.name(frame.phy))
        json.append(text: #"","sender":"#)
        json.append(device: frame.sender)
        if !isInFlight { appendReceivers(to: &json) }
        let summary = summary
        json.append(text: #","layer":""#)
        json.append(text: summary.layer.rawValue)
        json.append(text: summary.isEncrypted ? #"","isEncrypted":true,"name":"# : #"","isEncrypted":false,"name":"#)
        json.append(quoted: summary.name)
        json.append(text: #","text":"#)
        json.append(english: summary.text, chinese: summary.text(in: .chinese))
        if !isInFlight {
            json.append(text: #","octets":""#)
            json.append(hexadecimal: frame.octets)
            json.append(UInt8(ascii: "\""))
        }
        json.append(text: #","link":"#)
        if let link = summary.link { json.append(quoted: RoomLink.identifier(link)) } else { json.append(text: "null") }
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

    fileprivate mutating func append(hexadecimal octets: [UInt8]) {
        func digit(_ value: UInt8) -> UInt8 { value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10 }
        for octet in octets {
            append(digit(octet >> 4))
            append(digit(octet & 15))
        }
    }

    /// Appends a text in both languages, as a `Phrase` whose texts are values.
    fileprivate mutating func append(english: String, chinese: String) {
        guard english != chinese else { return append(quoted: english) }
        append(text: #"{"en":"{0}","zh":"{1}","with":["#)
        append(quoted: english)
        append(UInt8(ascii: ","))
        append(quoted: chinese)
        append(text: "]}")
    }

    /// Appends a JSON string (RFC 8259, section 7).
    fileprivate mutating func append(quoted text: String) {
        append(UInt8(ascii: "\""))
        for octet in text.utf8 {
            switch octet {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                append(UInt8(ascii: "\\"))
                append(octet)
            case 0..<0x20:
                append(text: "\\u00")
                append(hexadecimal: [octet])
            default: append(octet)
            }
        }
        append(UInt8(ascii: "\""))
    }
}
