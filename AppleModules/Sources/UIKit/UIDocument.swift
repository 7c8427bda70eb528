import Foundation
internal import UniformTypeIdentifiers

/// A document in a file: its place, its name and its type. It does not read, write or present the file.
///
/// The class is bound to the main actor as on Apple's systems. In the language mode 5, other code can use it as well.
@preconcurrency @MainActor open class UIDocument: NSObject {
    /// The file.
    public let fileURL: URL

    /// - Parameter url: A file, which does not need to exist.
    public init(fileURL url: URL) {
        fileURL = url
        super.init()
    }

    /// The name of the file without its extension.
    open var localizedName: String { fileURL.deletingPathExtension().lastPathComponent }

    /// The identifier of the type: "public.folder" for a folder, "public.data" for a file without an extension. Otherwise the extension decides.
    open var fileType: String? {
        if (try? fileURL.resourceValues(forKeys: [.isDirectoryKey]))?.isDirectory == true {
            return UTType.folder.identifier
        }
        let name = fileURL.pathExtension
        return name.isEmpty ? UTType.data.identifier : UTType(filenameExtension: name)?.identifier
    }
}
