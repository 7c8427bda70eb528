import BLEAdapter
import DeviceFiles

/// The profile that the command line names: a file, or a shipped profile.
struct ProfileChoice {
    let name: String
    let isFile: Bool

    /// A name without a slash and a suffix selects a shipped profile, and `-` the standard input.
    init(_ argument: String) {
        name = argument == "-" ? "/dev/stdin" : argument
        isFile = name.contains("/") || name.hasSuffix(".yaml") || name.hasSuffix(".yml")
    }

    /// Reads the profile.
    ///
    /// - Returns: The profile, and the files to watch.
    /// - Throws: `YAMLError`, or `ToolError` for an unknown name or a file that cannot be read.
    func read() throws -> DeviceProfile.Source {
        if isFile {
            try InputFile.requireReadable(name)
            return try DeviceProfile.read(path: name)
        }
        return DeviceProfile.Source(profile: try DeviceProfile(text: text(), file: name), files: [])
    }

    /// The text of a shipped profile.
    func text() throws -> String {
        if let text = ShippedProfiles.text(named: name) { return text }
        let names = ShippedProfiles.all.map(\.name)
        let hint = Spelling.nearest(to: name, in: names).map { "Did you mean \($0)? " } ?? ""
        throw ToolError(
            .usage, "there is no shipped profile \"\(name)\"; a file needs the suffix .yaml or a slash.",
            "\(hint)The profiles are \(names.joined(separator: ", ")).", "Try: bluelab serve --list")
    }
}

extension ToolError {
    /// The failure for a profile with errors, which are printed before.
    static func invalidProfile(_ name: String, _ problems: YAMLError) -> ToolError {
        let count = problems.list.count + problems.omitted
        return ToolError(
            .usage, "\(name) is not a profile: \(count == 1 ? "1 error" : "\(count) errors").",
            "Try: bluelab serve heart-rate --print")
    }
}
