import Foundation
import Glibc

/// A page with mode 0600 in a folder with mode 0700 that sends the browser on to the studio's link. The arguments of a program are public, so
/// the browser gets the path of this file instead of the link.
struct LinkFile {
    private let folder: String
    let path: String

    /// Makes the file in `$XDG_RUNTIME_DIR`, or in the folder for temporary files. Nil if that is not possible.
    init?(_ link: String, environment: [String: String] = ProcessInfo.processInfo.environment) {
        let places = [environment["XDG_RUNTIME_DIR"], environment["TMPDIR"], "/tmp"].compactMap(\.self)
        var folder: String?
        for place in places where folder == nil && place.hasPrefix("/") { folder = Self.makeFolder(in: place) }
        guard let made = folder else { return nil }
        self.folder = made
        path = "\(made)/studio.html"
        guard PrivateFile.write(Self.page(link), to: path) else {
            remove()
            return nil
        }
    }

    /// Makes a folder with a random name and mode 0700. Nil where another user could put another folder in its place.
    private static func makeFolder(in place: String) -> String? {
        var status = stat()
        guard stat(place, &status) == 0 else { return nil }
        let isOwn = status.st_uid == geteuid() && status.st_mode & 0o022 == 0
        guard isOwn || [0, geteuid()].contains(status.st_uid) && status.st_mode & S_ISVTX != 0 else { return nil }
        var name = Array("\(place)/bluelab-studio-XXXXXX".utf8CString)
        guard mkdtemp(&name) != nil else { return nil }
        return String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    func remove() {
        unlink(path)
        rmdir(folder)
    }

    private static func page(_ link: String) -> String {
        let link = link.reduce(into: "") { text, character in
            switch character {
            case "&": text += "&amp;"
            case "<": text += "&lt;"
            case "\"": text += "&quot;"
            default: text.append(character)
            }
        }
        return """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="referrer" content="no-referrer">
            <meta http-equiv="refresh" content="0;url=\(link)">
            <title>Studio</title>
            <a href="\(link)">Studio</a>

            """
    }
}
