import Foundation

/// The files of the page.
struct PageFiles: Sendable {
    struct File {
        var type: String
        var content: Data
    }

    /// Replaces the built-in files.
    let folder: URL?

    func file(named name: String) -> File? {
        guard let type = type(of: name), !name.contains("..") else { return nil }
        if let folder {
            return (try? Data(contentsOf: folder.appendingPathComponent(name))).map { File(type: type, content: $0) }
        }
        return StudioPage.text(of: name).map { File(type: type, content: Data($0.utf8)) }
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
