import DeviceFiles
import Foundation

extension WorldFile {
    /// The limits of a file.
    package static let limits = YAMLDocument.Limits(size: Limit.size, nodes: Limit.nodes)

    /// Reads a world file and the profiles and scripts that it names.
    ///
    /// - Parameter programs: The programs that devices can run.
    /// - Throws: ``WorldFileError`` with all errors of the file.
    package init(path: String, programs: [WorldProgramKind] = WorldProgramKind.standard) throws(WorldFileError) {
        do throws(YAMLError) {
            if let problem = SourceFile.problem(path) {
                throw YAMLError([YAMLDiagnostic(file: path, at: nil, "the file cannot be opened: \(problem).")])
            }
            let document = try YAMLDocument(path: path, limits: Self.limits)
            self = try Self.read(document, URL(filePath: path).deletingLastPathComponent(), programs, Self.limits)
        } catch {
            throw WorldFileError(error)
        }
    }

    /// Parses a world. `file` is its name in errors.
    ///
    /// - Parameter folder: The folder to which paths of profiles and scripts are relative; nil if the text may not name files.
    /// - Throws: ``WorldFileError`` with all errors of the text.
    package init(
        text: String, file: String, folder: URL? = nil, programs: [WorldProgramKind] = WorldProgramKind.standard,
        limits: YAMLDocument.Limits = limits
    ) throws(WorldFileError) {
        do throws(YAMLError) {
            let document = try YAMLDocument(text: text, file: file, limits: limits)
            self = try Self.read(document, folder, programs, limits)
        } catch {
            throw WorldFileError(error)
        }
    }

    private static func read(
        _ document: YAMLDocument, _ folder: URL?, _ programs: [WorldProgramKind], _ limits: YAMLDocument.Limits
    ) throws(YAMLError) -> WorldFile {
        var reader = WorldFileReader(file: document.file, folder: folder, programs: programs, limits: limits)
        let world = reader.world(document.root)
        try reader.yaml.finish()
        return world
    }
}

/// Files that a world file names.
enum SourceFile {
    /// Why a path cannot be read as a file; nil if it can. A pipe is refused, because it would wait for a writer.
    static func problem(_ path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0 else { return String(cString: strerror(errno)) }
        return status.st_mode & S_IFMT == S_IFREG ? nil : "Not a file"
    }

    /// Whether two paths name the same file.
    static func areSame(_ first: String, _ second: String) -> Bool {
        var (left, right) = (stat(), stat())
        guard stat(first, &left) == 0, stat(second, &right) == 0 else { return false }
        return left.st_dev == right.st_dev && left.st_ino == right.st_ino
    }
}
