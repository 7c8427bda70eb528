import BLEAdapter

/// The platform that a program on a shared radio requests in its environment: the preset whose controller it gets, and whose host it has if it is a
/// program of this package.
package enum RequestedPlatform {
    package static let variable = "BLUETOOTH_RADIO_PLATFORM"

    /// A sentence about a name that is none of those of the presets.
    package static func complaint(_ name: String, _ names: some Sequence<String>) -> String {
        let names = names.sorted()
        let hint = Spelling.nearest(to: name, in: names).map { " (did you mean \($0)?)" } ?? ""
        return "\(variable)=\(name) names no platform\(hint): write one of \(names.joined(separator: ", "))."
    }
}
