import Foundation

/// A file that the page offers to save.
package struct StudioFile: Sendable {
    /// The name that the browser suggests, such as `packets.pcapng`.
    package var name: String
    /// The media type.
    package var type: String
    package var content: Data

    package init(name: String, type: String = "application/octet-stream", content: Data) {
        self.name = name
        self.type = type
        self.content = content
    }
}
