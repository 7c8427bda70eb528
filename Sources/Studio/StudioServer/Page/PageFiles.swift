import Foundation

/// The files of the page.
struct PageFiles: Sendable {
    struct File {
        var type: String
        var content: Data
        /// Whether the content is in the gzip form, which every browser reads (RFC 9110, 8.4.1.3).
        var isCompressed: Bool
    }

    /// Replaces the built-in files.
    let folder: URL?

    func file(named name: String) -> File? {
        guard let type = type(of: name), !name.contains("..") else { return nil }
        if let folder {
            return (try? Data(contentsOf: folder.appendingPathComponent(name))).map {
                File(type: type, content: $0, isCompressed: false)
            }
        }
        return StudioPage.compressed(name).flatMap { Data(base64Encoded: $0) }.map {
            File(type: type, content: $0, isCompressed: true)
        }
    }

    private func type(of name: String) -> String? {
        switch name.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "svg": "image/svg+xml"
        default: nil
        }
    }
}
