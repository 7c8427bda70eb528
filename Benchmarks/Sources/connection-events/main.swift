// The number of connection events from the start of a link to the first notification in the program, in virtual time,
// compared with the minimum of the protocol.
import BLESimulator
import CoreBluetooth
import Figures

/// The minimum number of events from the start of the link to the notification, if the database is not known.
///
/// A client may have one ATT request outstanding (Vol 3, Part F, 3.3.2), and an event ends when neither side has more
/// to send (Vol 6, Part B, 4.5.6). A request is sent at the start of an event and its response in the same event. The
/// next request depends on it and is sent at the start of the next event. Each request therefore takes one event. The
/// requests are:
///
/// 1. Exchange MTU, which has to come before values longer than 20 octets are read whole;
/// 2. Find By Type Value: the service;
/// 3. Read By Type: its characteristics, all in one response;
/// 4. Find Information: the descriptors of the one that notifies;
/// 5. Read: the value of the other;
/// 6. Write: the client configuration. The notification follows the response in the same event, if the server has one at once.
let bound = 6

let world = World(seed: 4)
let events = EventCounter()
world.observeAir { packet, _ in events.add(packet) }
let band = world.addDevice("band").run { Band() }
let phone = world.addDevice("phone").run { Phone() }
guard world.runBlocking(timeout: .seconds(30), until: { phone.isDone }) else {
    print("no notification within 30 s")
    exit(1)
}
if CommandLine.arguments.contains("--trace") { events.trace() }
Figure("events.bound", Double(bound), "events", title: "connect, discover, read, notify", stack: "least possible")
    .report()
Figure("events.needed", Double(events.count), "events", title: "connect, discover, read, notify").report()
withExtendedLifetime(band) {}
