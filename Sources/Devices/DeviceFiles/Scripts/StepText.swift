extension ScriptAction {
    /// The action in one line, for people: "read Body Sensor Location: Wrist".
    package var text: String {
        switch self {
        case .scan(let pattern, let isAbsent, let limit):
            isAbsent ? "scan \(YAMLReader.text(limit)) without \(pattern.text)" : "scan for \(pattern.text)"
        case .connect(let device, _): device.map { "connect to \($0)" } ?? "connect"
        case .connectToConnected(let service, _): "connect to the connected device with \(service)"
        case .expectName(let name, _): "expect the name \(name)"
        case .disconnect: "disconnect"
        case .expectDisconnect(let limit): "expect a disconnection within \(YAMLReader.text(limit))"
        case .discover: "discover services and characteristics"
        case .read(let characteristic, let expectation, let isRefused):
            "read \(characteristic)" + Self.ending(expectation, isRefused)
        case .write(let characteristic, let value, let response, let isRefused, let count):
            "write \(value.text) to \(characteristic)" + (response == false ? " without response" : "")
                + (count == 1 ? "" : " \(count) times") + (isRefused ? ", which is refused" : "")
        case .subscribe(let characteristic, let isRefused):
            "subscribe to \(characteristic)" + (isRefused ? ", which is refused" : "")
        case .unsubscribe(let characteristic): "unsubscribe from \(characteristic)"
        case .waitForNotification(let characteristic, let expectation, let count, let limit):
            "wait for \(count == 1 ? "a notification" : "\(count) notifications") of \(characteristic) within "
                + YAMLReader.text(limit) + Self.ending(expectation, false)
        case .repeated(let times, _): "repeat \(times == 1 ? "once" : "\(times) times")"
        case .sleep(let duration): "sleep \(YAMLReader.text(duration))"
        case .rssi(let bounds): "read the RSSI" + (bounds.text(unit: "dBm").map { ": \($0)" } ?? "")
        case .mtu(let bounds): "check the ATT_MTU" + (bounds.text(unit: "octets").map { ": \($0)" } ?? "")
        case .pair(let security): "pair (\(security.rawValue))"
        case .expectBond: "expect a bond"
        case .serve(let profile): "serve \(profile)"
        case .stopServing: "stop serving"
        case .waitForRead(let characteristic, let limit):
            "wait for a read of \(characteristic) within \(YAMLReader.text(limit))"
        case .waitForWrite(let characteristic, let expectation, let count, let limit):
            "wait for \(count == 1 ? "a write" : "\(count) writes") to \(characteristic) within \(YAMLReader.text(limit))"
                + Self.ending(expectation, false)
        case .waitForSubscription(let characteristic, let limit):
            "wait for a subscription to \(characteristic) within \(YAMLReader.text(limit))"
        }
    }

    private static func ending(_ expectation: ValueExpectation, _ isRefused: Bool) -> String {
        isRefused ? ", which is refused" : expectation.text.map { ": \($0)" } ?? ""
    }
}

extension AdvertisementPattern {
    /// The pattern in words: "Wristband with Heart Rate, at least -80 dBm".
    package var text: String {
        var text = name ?? "a device"
        if let service { text += " with \(service)" }
        if let minimumRSSI { text += ", at least \(minimumRSSI) dBm" }
        return text
    }
}
