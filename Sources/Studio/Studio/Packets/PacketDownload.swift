import BLETransport
import BLEPacketDecoding
import Foundation
import StudioRoom
import StudioServer

/// The packets of the room as files of other programs.
enum PacketDownload {
    /// The packets as pcapng with the link type of Bluetooth LE. The comment of a packet names its sender and the devices that did not receive it.
    static func pcapng(_ packets: RoomPackets) -> StudioFile {
        var writer = PcapngWriter()
        var output: [UInt8] = []
        writer.appendHeader(interface: "virtual radio", to: &output)
        let ring = packets.ring
        ring.forEach(in: ring.range) { packet in
            let (frame, summary) = (packet.frame, packet.summary)
            let direction: LinkLayerFrame.Direction =
                switch summary.sender {
                case .central? where summary.isCentralKnown: .centralToPeripheral
                case .peripheral? where summary.isCentralKnown: .peripheralToCentral
                default: .unspecified
                }
            let description = LinkLayerFrame(
                channel: frame.channel, phy: frame.phy, signalPower: frame.receptions.map(\.rssi).max(),
                accessAddress: frame.accessAddress, crcInit: frame.crcInit, direction: direction)
            // Virtual time begins with 1970.
            writer.append(
                description, pdu: frame.octets.span, time: frame.start, comment: comment(frame, packets.names),
                to: &output)
            return true
        }
        return StudioFile(name: "packets.pcapng", type: "application/vnd.tcpdump.pcap", content: Data(output))
    }

    /// The HCI packets of one host. The name of the file has the letters and digits of the device's name.
    static func btsnoop(_ recording: HCIRecording, device: String) -> StudioFile {
        let letters = recording.name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" }
        let name = String(letters.prefix(40)).split(separator: "-").joined(separator: "-")
        return StudioFile(
            name: "\(name.isEmpty ? "" : "\(name)-")\(device).btsnoop", type: "application/octet-stream",
            content: Data(recording.btsnoop))
    }

    private static func comment(_ frame: AirFrame, _ names: [Int: String]) -> String {
        func name(_ number: Int) -> String { String((names[number] ?? "device \(number)").prefix(64)) }
        var parts = ["from \(name(frame.sender))"]
        for reception in frame.receptions {
            switch reception.outcome {
            case .received: break
            case .corrupted: parts.append("damaged at \(name(Int(reception.receiver)))")
            case .missed: parts.append("missed by \(name(Int(reception.receiver)))")
            }
        }
        return parts.joined(separator: ", ")
    }
}
