import DeviceFiles
import Phrases

/// A profile as the editor shows it: the answer to `maker.check`, `maker.write` and `maker.clone`.
///
/// A text or a tree with errors has `problems`, and nothing else but its `yaml`.
struct MakerReport: Encodable, Sendable {
    struct Problem: Encodable, Hashable, Sendable {
        /// The place in a text, from 1 on. Nil for a problem of the whole text, and for a tree.
        var line: Int?
        var column: Int?
        /// The keys and indices of the place in a tree. Nil for a text.
        var path: [String]?
        var text: Phrase
    }

    /// The text of `bluelab serve`.
    var yaml: String?
    /// The keys and texts of the profile's file, with digits for UUIDs.
    var profile: ProfileTree?
    var problems: [Problem] = []
    /// The number of further problems.
    var more = 0
    var services: [MakerService] = []
    var advertisement: AdvertisementLayout?
    /// The UUIDs of values that a cloned device did not reveal.
    var refused: [String]?
    /// The number of attributes that the explorer does not keep; nil for a profile that is no clone.
    var omitted: Int?
}

/// What the profile's tree does not say about a service.
struct MakerService: Encodable, Sendable {
    struct Characteristic: Encodable, Sendable {
        let uuid: String
        /// The name that the SIG assigned.
        let name: String?
        let properties: [String]
        /// The permissions of CoreBluetooth: `readable`, `writeEncryptionRequired` and so on.
        let permissions: [String]
        /// `constant`, `counter`, `sine`, `random-walk`, `replay` or `clock`.
        let kind: String
        /// The first value in hexadecimal digits.
        let octets: String
        /// The first value in the format that the SIG adopted for the characteristic; nil if it has none.
        let text: String?
        /// Values at equal distances of time, for a source of numbers.
        let preview: [Double]?
        let descriptors: [Descriptor]
    }

    struct Descriptor: Encodable, Sendable {
        let uuid: String
        let name: String?
        let octets: String
    }

    let uuid: String
    let name: String?
    let isPrimary: Bool
    let characteristics: [Characteristic]
}
