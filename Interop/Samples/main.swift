import BLEWire
import Foundation

// Writes one of each packet that we know into two captures, and what our decoders read in them as JSON. The octets are those
// of the tests, by hand from the specification; Interop/captures compares with what tshark reads.
// usage: pdu-samples FOLDER

guard CommandLine.arguments.count == 2 else {
    print("usage: pdu-samples FOLDER")
    exit(2)
}
var recorder = Recorder()
try Commands.record(in: &recorder)
try Events.record(in: &recorder)
try Channels.record(in: &recorder)
try Air.record(in: &recorder)
try recorder.write(to: CommandLine.arguments[1])
