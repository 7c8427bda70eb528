/// An error of a profile tree.
package struct ProfileTreeDiagnostic: Hashable, Sendable {
    /// The keys and indices from the root to the place, such as `services`, `0`, `uuid`.
    package let path: [String]
    /// What was expected, and what was found.
    package let message: String
}

/// The errors of a profile tree in the order of their places.
package struct ProfileTreeError: Error, Hashable, Sendable {
    package let list: [ProfileTreeDiagnostic]
    /// The number of further errors that `list` leaves out.
    package let omitted: Int
}

extension DeviceProfile {
    /// The largest number of values in a tree.
    package static let treeLimit = 20_000

    /// Reads a profile from a tree with the rules of profile files. A tree cannot name CSV files.
    package init(tree: ProfileTree) throws(ProfileTreeError) {
        var places = TreePlaces()
        let root = places.node(tree, at: [])
        guard !places.isFull else {
            throw ProfileTreeError(
                list: [.init(path: [], message: "expected at most \(Self.treeLimit) values, found more.")], omitted: 0)
        }
        var reader = ProfileReader(file: "profile", folder: nil)
        do throws(YAMLError) {
            self = try reader.read(root)
        } catch {
            throw ProfileTreeError(
                list: error.list.map { .init(path: places.path(of: $0.position), message: $0.message) },
                omitted: error.omitted)
        }
    }

    /// The tree of the file that `yaml()` writes: with digits for UUIDs, and without comments.
    ///
    /// - Throws: `YAMLError` for a profile that exceeds the limits of a file.
    package func tree() throws(YAMLError) -> ProfileTree {
        ProfileTree(try YAMLDocument(text: yaml(), file: "profile").root)
    }
}

/// Converts a tree to YAML nodes. The line of a node's position is its number, so an error leads back to its path.
private struct TreePlaces {
    private var paths: [[String]] = []
    private(set) var isFull = false

    mutating func node(_ tree: ProfileTree, at path: [String]) -> YAMLNode {
        guard paths.count < DeviceProfile.treeLimit else {
            isFull = true
            return YAMLNode(.scalar("", isQuoted: false), at: YAMLPosition(line: 1, column: 1))
        }
        paths.append(path)
        let position = YAMLPosition(line: paths.count, column: 1)
        switch tree {
        case .nothing: return YAMLNode(.scalar("", isQuoted: false), at: position)
        case .text(let text): return YAMLNode(.scalar(text, isQuoted: true), at: position)
        case .list(let elements):
            var nodes: [YAMLNode] = []
            for (index, element) in elements.enumerated() {
                nodes.append(node(element, at: path + [String(index)]))
            }
            return YAMLNode(.sequence(nodes), at: position)
        case .mapping(let members):
            var entries: [YAMLEntry] = []
            for (key, value) in members.sorted(by: { $0.key < $1.key }) {
                let place = YAMLPosition(line: paths.count + 1, column: 1)
                entries.append(YAMLEntry(key: key, at: place, value: node(value, at: path + [key])))
            }
            return YAMLNode(.mapping(entries), at: position)
        }
    }

    func path(of position: YAMLPosition?) -> [String] {
        guard let position, paths.indices.contains(position.line - 1) else { return [] }
        return paths[position.line - 1]
    }
}
