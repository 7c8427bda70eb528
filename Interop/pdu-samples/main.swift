import BLEWire
import Foundation

// Writes one sample of each packet into two captures, and the decoded values as JSON. The octets are those
// of the tests, written by hand from the specification. Interop/captures compares the values with tshark.
// usage: pdu-samples FOLDER

guard CommandLine.arguments.count == 2 else {
    print("usage: pdu-samples FOLDER")
    exit(2)
}
var recorder = Recorder()
try Commands.record(in: &recorder)
try Commands.recordExtended(in: &recorder)
try Commands.recordPeriodic(in: &recorder)
try Events.record(in: &recorder)
try Channels.record(in: &recorder)
try Air.record(in: &recorder)
try recorder.write(to: CommandLine.arguments[1])
