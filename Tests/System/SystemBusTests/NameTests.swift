import Testing

@testable import SystemBus

struct NameTests {
    @Test(arguments: [
        ("/", true), ("/a", true), ("/a/b_9", true), ("/1", true), ("", false), ("a", false), ("//", false),
        ("/a/", false), ("//a", false), ("/a//b", false), ("/a/b/", false),
        ("/" + String(repeating: "a", count: 300), true), ("/a-b", false), ("/ä", false),
    ])
    func paths(_ path: String, _ isValid: Bool) { #expect(BusNames.isPath(path) == isValid) }

    @Test(arguments: [
        ("a.b", true), ("org.bluez.Device1", true), ("_a._1", true), ("a", false), ("a.", false), (".a", false),
        ("a.1b", false), ("a-b.c", false), ("", false), (":1.2", false),
        ("a." + String(repeating: "b", count: 253), true), ("a." + String(repeating: "b", count: 254), false),
    ])
    func interfaces(_ name: String, _ isValid: Bool) { #expect(BusNames.isInterface(name) == isValid) }

    @Test(arguments: [
        ("Get", true), ("_1", true), ("1a", false), ("a.b", false), ("", false), ("a-b", false),
        (String(repeating: "a", count: 255), true), (String(repeating: "a", count: 256), false),
    ])
    func members(_ name: String, _ isValid: Bool) { #expect(BusNames.isMember(name) == isValid) }

    @Test(arguments: [
        ("org.bluez", true), (":1.42", true), (":a.1-x", true), ("a-b.c", true), ("a", false), (":1", false),
        (":", false), ("a.1", false), ("a..b", false), ("", false), (":1.2 ", false),
    ])
    func busNames(_ name: String, _ isValid: Bool) { #expect(BusNames.isBusName(name) == isValid) }

    // MARK: Addresses

    @Test func theBusIsFoundInTheEnvironment() {
        #expect(BusAddress.system(environment: nil) == [.path("/run/dbus/system_bus_socket")])
        #expect(BusAddress.system(environment: "") == [.path("/run/dbus/system_bus_socket")])
        #expect(BusAddress.system(environment: "tcp:host=x") == [.unreadable("tcp:host=x")])
        #expect(
            BusAddress.system(environment: "unix:abstract=x,guid=1;unix:guid=1,path=/tmp/bus;unix:runtime=yes")
                == [.abstract("x"), .path("/tmp/bus")])
    }

    @Test func addressesAreEscaped() {
        #expect(BusAddress.parse("unix:path=/a%20b%c3%a4") == [.path("/a bä")])
        #expect(BusAddress.parse("unix:path=/a%2") == [])
        #expect(BusAddress.parse("unix:path=/a%00b") == [])
        #expect(BusAddress.parse("unix:path=/a%zz") == [])
        #expect(BusAddress.parse("unix:path=/%ff") == [])
    }

    // MARK: Rules

    @Test func aRuleHasTheFormOfTheSpecification() {
        #expect(BusMatch().rule == "type='signal'")
        let match = BusMatch(
            sender: "org.bluez", path: "/a", interface: "a.b", member: "C", argument: "it's")
        #expect(
            match.rule == "type='signal',sender='org.bluez',path='/a',interface='a.b',member='C',arg0='it'\\''s'")
        #expect(BusMatch(pathNamespace: "/org").rule == "type='signal',path_namespace='/org'")
    }

    @Test func aRuleMatchesWhatItSays() {
        var signal = BusMessage.signal("/org/bluez/hci0", "a.b", "C", [.string("x")])
        signal.sender = ":1.5"
        func matches(_ match: BusMatch, owner: String? = nil) -> Bool { match.accepts(signal, owner: owner) }
        #expect(matches(BusMatch()))
        #expect(matches(BusMatch(sender: "org.bluez"), owner: ":1.5"))
        #expect(!matches(BusMatch(sender: "org.bluez"), owner: ":1.6"))
        #expect(!matches(BusMatch(sender: "org.bluez")))
        #expect(matches(BusMatch(pathNamespace: "/org/bluez")))
        #expect(matches(BusMatch(pathNamespace: "/org/bluez/hci0")))
        #expect(matches(BusMatch(pathNamespace: "/")))
        #expect(!matches(BusMatch(pathNamespace: "/org/blue")))
        #expect(matches(BusMatch(path: "/org/bluez/hci0", interface: "a.b", member: "C", argument: "x")))
        #expect(!matches(BusMatch(path: "/org/bluez")))
        #expect(!matches(BusMatch(interface: "a.c")))
        #expect(!matches(BusMatch(member: "D")))
        #expect(!matches(BusMatch(argument: "y")))
        #expect(!matches(BusMatch(pathNamespace: "/org/bluez/hci0/dev")))
        #expect(!matches(BusMatch(pathNamespace: "/org/bluez/")))
    }

    /// Texts are compared by octets: different octets of one character are different texts for the bus.
    @Test func argumentsAreComparedByOctets() {
        let signal = BusMessage.signal("/a", "a.b", "C", [.string("e\u{301}")])
        #expect(BusMatch(argument: "e\u{301}").accepts(signal, owner: nil))
        #expect(!BusMatch(argument: "\u{E9}").accepts(signal, owner: nil))
        #expect(BusValue.properties(["e\u{301}": .byte(1)])["\u{E9}"] == nil)
    }

    @Test func keysThatAreLongerThanNamesAreLeftOut() {
        let long = String(repeating: "\u{E9}", count: 128)
        let short = String(repeating: "\u{E9}", count: 127)
        let values = BusValue.properties(["a": .byte(1), long: .byte(2), short: .byte(3)])
        #expect(values.properties == ["a": .byte(1), short: .byte(3)])
        let path = "/" + String(repeating: "a", count: 300)
        let objects = BusValue.array("{oa{sa{sv}}}", [.entry(.path(path), .dictionary([:], of: "a{sv}"))])
        #expect(objects.managedObjects == [path: [:]])
    }

    // MARK: Values of standard interfaces

    @Test func theObjectsOfAManagerAreReadAsDictionaries() {
        let interfaces: BusValue = .dictionary(
            ["org.bluez.Device1": .properties(["RSSI": .int16(-40), "Name": .string("x")])], of: "a{sv}")
        let objects = BusValue.array("{oa{sa{sv}}}", [.entry(.path("/a"), interfaces)])
        let expected = ["org.bluez.Device1": ["RSSI": BusValue.int16(-40), "Name": .string("x")]]
        #expect(objects.managedObjects == ["/a": expected])
        #expect(interfaces.managedObjects == nil)
        #expect(expected["org.bluez.Device1"]?["RSSI"]?.signed == -40)

        let added = BusMessage.signal(
            "/", "org.freedesktop.DBus.ObjectManager", "InterfacesAdded", [.path("/a"), interfaces])
        #expect(BusObjectChange(added) == .added(path: "/a", interfaces: expected))
        let removed = BusMessage.signal(
            "/", "org.freedesktop.DBus.ObjectManager", "InterfacesRemoved",
            [.path("/a"), .array("s", [.string("i.j")])])
        #expect(BusObjectChange(removed) == .removed(path: "/a", interfaces: ["i.j"]))
        let changed = BusMessage.signal(
            "/a", "org.freedesktop.DBus.Properties", "PropertiesChanged",
            [.string("i.j"), .properties(["Value": .octets([1, 2])]), .array("s", [.string("Old")])])
        #expect(
            BusObjectChange(changed)
                == .changed(path: "/a", interface: "i.j", properties: ["Value": .octets([1, 2])], invalidated: ["Old"]))
        #expect(BusObjectChange(.signal("/a", "org.freedesktop.DBus.Properties", "PropertiesChanged", [])) == nil)
        #expect(BusObjectChange(.signal("/a", "a.b", "PropertiesChanged", changed.body)) == nil)
    }

    @Test func valuesAreReadThroughVariants() {
        #expect(BusValue.variant(.octets([1])).bytes == [1])
        #expect(BusValue.variant(.bool(true)).flag == true)
        #expect(BusValue.variant(.int32(-1)).signed == -1)
        #expect(BusValue.variant(.byte(7)).number == 7)
        #expect(BusValue.properties(["a": .path("/b")])["a"]?.text == "/b")
        #expect(BusValue.string("x").elements == nil)
        #expect(BusValue.array("s", [.string("x")]).properties == nil)
    }
}
