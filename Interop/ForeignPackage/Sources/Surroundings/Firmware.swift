import Foundation
import UniformTypeIdentifiers

/// The files that a device accepts.
public enum Firmware {
    /// Whether a file is an archive.
    public static func isArchive(_ file: URL) -> Bool {
        UTType(filenameExtension: file.pathExtension)?.conforms(to: .archive) ?? false
    }

    /// The MIME type of a file.
    public static func mimeType(_ file: URL) -> String? {
        UTType(filenameExtension: file.pathExtension)?.preferredMIMEType
    }
}
