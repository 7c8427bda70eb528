import BLEValues
import BLEWire

/// A script of `bluelab run`: steps with assertions.
package struct DeviceScript: Hashable, Sendable {
    package var name: String?
    package var steps: [ScriptStep]

    package init(name: String?, steps: [ScriptStep]) {
        self.name = name
        self.steps = steps
    }

    /// The number of steps that a run executes, with the repetitions.
    package var count: Int { Self.count(steps) }

    static func count(_ steps: [ScriptStep]) -> Int {
        steps.reduce(0) { sum, step in
            let limit = Int.max / 2
            guard case .repeated(let times, let steps) = step.action else { return min(limit, sum + 1) }
            let (product, overflow) = count(steps).multipliedReportingOverflow(by: times)
            return overflow || product > limit - sum ? limit : sum + product
        }
    }
}

/// A step with its place in the file.
package struct ScriptStep: Hashable, Sendable {
    /// The line in the file; 0 for a step that does not come from a file.
    package let line: Int
    package let action: ScriptAction
    /// Text for a comment in the file.
    package var comment: String?

    package init(line: Int = 0, _ action: ScriptAction, comment: String? = nil) {
        self.line = line
        self.action = action
        self.comment = comment
    }
}

package indirect enum ScriptAction: Hashable, Sendable {
    /// Scans until an advertisement matches or, with `isAbsent`, for the whole time without a match.
    case scan(AdvertisementPattern, isAbsent: Bool = false, within: Duration)
    /// Connects to a device; nil: the device that the last scan found.
    case connect(device: String?, within: Duration)
    /// Connects to a device with this service that another program of the adapter has connected.
    case connectToConnected(service: BluetoothUUID, within: Duration)
    /// The system has this GAP device name for the connected device.
    case expectName(String, within: Duration)
    case disconnect
    /// Waits until the device ends the link.
    case expectDisconnect(within: Duration)
    case discover
    case read(characteristic: String, ValueExpectation, isRefused: Bool)
    /// Writes a value `count` times.
    case write(characteristic: String, ScriptValue, response: Bool?, isRefused: Bool, count: Int = 1)
    case subscribe(characteristic: String, isRefused: Bool)
    case unsubscribe(characteristic: String)
    /// Waits for notifications that satisfy the expectation.
    case waitForNotification(characteristic: String, ValueExpectation, count: Int, within: Duration)
    case repeated(times: Int, [ScriptStep])
    case sleep(Duration)
    /// dBm.
    case rssi(Bounds)
    /// Octets.
    case mtu(Bounds)
    case pair(ScriptSecurity)
    /// The connected device is in the list of paired devices.
    case expectBond
    /// Serves a profile file. The path is relative to the script.
    case serve(profile: String)
    case stopServing
    case waitForRead(characteristic: String, within: Duration)
    /// Waits for writes that satisfy the expectation.
    case waitForWrite(characteristic: String, ValueExpectation, count: Int = 1, within: Duration)
    case waitForSubscription(characteristic: String, within: Duration)
}

/// What an advertisement must have. Conditions that are nil do not apply.
package struct AdvertisementPattern: Hashable, Sendable {
    /// The whole name.
    package var name: String?
    /// A service by its UUID or SIG name.
    package var service: String?
    /// dBm.
    package var minimumRSSI: Int?

    package init(name: String? = nil, service: String? = nil, minimumRSSI: Int? = nil) {
        self.name = name
        self.service = service
        self.minimumRSSI = minimumRSSI
    }
}

/// Limits of a number. Both ends are allowed values.
package struct Bounds: Hashable, Sendable {
    package var minimum: Int?
    package var maximum: Int?

    package init(minimum: Int? = nil, maximum: Int? = nil) {
        self.minimum = minimum
        self.maximum = maximum
    }

    package func contains(_ value: Int) -> Bool {
        (minimum.map { value >= $0 } ?? true) && (maximum.map { value <= $0 } ?? true)
    }

    /// "at least -80", "from 23 to 517".
    package func text(unit: String) -> String? {
        switch (minimum, maximum) {
        case (let minimum?, let maximum?): "from \(minimum) to \(maximum) \(unit)"
        case (let minimum?, nil): "at least \(minimum) \(unit)"
        case (nil, let maximum?): "at most \(maximum) \(unit)"
        case (nil, nil): nil
        }
    }
}

package enum ScriptSecurity: String, CaseIterable, Hashable, Sendable {
    case encrypted, authenticated
    case secureConnections = "secure-connections"
}

/// A value as text in a format.
package struct ScriptValue: Hashable, Sendable {
    package let text: String
    package let format: ValueFormat
    package let octets: [UInt8]

    /// - Throws: `ValueError` if the text is not a value of the format.
    package init(_ text: String, _ format: ValueFormat) throws(ValueError) {
        self.text = text
        self.format = format
        octets = try format.octets(text)
    }

    /// Octets as hexadecimal digits.
    package init(_ octets: [UInt8]) {
        text = Hexadecimal.text(octets)
        format = ValueFormat(.hexadecimal)
        self.octets = octets
    }
}
