@_exported import Foundation

/// A type of data or of files.
///
/// The module knows the types that it declares, for example ``json``. It does not read the declarations in an `Info.plist` or of other programs.
public struct UTType: Sendable {
    let declaration: Declaration

    init(_ declaration: Declaration) { self.declaration = declaration }

    /// A declared type by its identifier; nil for other identifiers.
    public init?(_ identifier: String) {
        guard let declaration = Declaration.all[identifier.lowercased()] else { return nil }
        self.init(declaration)
    }

    /// The type of files with an extension.
    ///
    /// - Parameters:
    ///   - filenameExtension: The extension without its dot, in upper or lower case.
    ///   - supertype: A type to which the result conforms.
    /// - Returns: A declared type, or for an extension that none has, a dynamic one. Nil for an empty extension.
    public init?(filenameExtension: String, conformingTo supertype: UTType = .data) {
        self.init(tag: filenameExtension, tagClass: .filenameExtension, conformingTo: supertype)
    }

    /// The type of data with a MIME type.
    ///
    /// - Parameters:
    ///   - mimeType: The MIME type without parameters, in upper or lower case.
    ///   - supertype: A type to which the result conforms.
    /// - Returns: A declared type, or for a MIME type that none has, a dynamic one. Nil for an empty text.
    public init?(mimeType: String, conformingTo supertype: UTType = .data) {
        self.init(tag: mimeType, tagClass: .mimeType, conformingTo: supertype)
    }

    /// The type with an extension or a MIME type.
    ///
    /// - Parameters:
    ///   - tag: The extension or the MIME type.
    ///   - tagClass: Which of them the tag is.
    ///   - supertype: A type to which the result conforms; nil for any.
    /// - Returns: A declared type, or for a tag that none has, a dynamic one. Nil for an empty tag.
    public init?(tag: String, tagClass: UTTagClass, conformingTo supertype: UTType?) {
        guard !tag.isEmpty else { return nil }
        let tag = tag.lowercased()
        self =
            UTType.types(tag: tag, tagClass: tagClass, conformingTo: supertype).first
            ?? UTType(Declaration(dynamic: tag, tagClass, (supertype ?? .data).declaration))
    }

    /// A type that the program declares.
    ///
    /// - Parameters:
    ///   - identifier: Its identifier. On Apple's systems, the program's `Info.plist` must declare it.
    ///   - parentType: The type to which it conforms; nil means ``data``.
    public init(exportedAs identifier: String, conformingTo parentType: UTType? = nil) {
        let identifier = identifier.lowercased()
        self.init(Declaration.all[identifier] ?? Declaration(identifier, [(parentType ?? .data).declaration]))
    }

    /// A type that another program declares; see ``init(exportedAs:conformingTo:)``.
    public init(importedAs identifier: String, conformingTo parentType: UTType? = nil) {
        self.init(exportedAs: identifier, conformingTo: parentType)
    }

    /// The declared types with an extension or a MIME type.
    ///
    /// - Parameters:
    ///   - tag: The extension or the MIME type.
    ///   - tagClass: Which of them the tag is.
    ///   - supertype: A type to which the results conform; nil for any.
    public static func types(tag: String, tagClass: UTTagClass, conformingTo supertype: UTType?) -> [UTType] {
        let tag = tag.lowercased()
        return Declaration.list.lazy.filter { $0.tags[tagClass]?.contains(tag) == true }.map(UTType.init).filter {
            type in
            supertype.map(type.conforms(to:)) ?? true
        }
    }

    /// The identifier, for example "public.json". That of a dynamic type begins with "dyn." and differs from Apple's.
    public var identifier: String { declaration.identifier }
    /// The first extension, without its dot.
    public var preferredFilenameExtension: String? { tags[.filenameExtension]?.first }
    /// The first MIME type.
    public var preferredMIMEType: String? { tags[.mimeType]?.first }
    /// The extensions and the MIME types.
    public var tags: [UTTagClass: [String]] { declaration.tags }
    /// Whether the type was made for an extension or a MIME type that no declared type has.
    public var isDynamic: Bool { identifier.hasPrefix("dyn.") }
    /// Whether the type is not dynamic.
    public var isDeclared: Bool { !isDynamic }
    /// Whether the identifier begins with "public.".
    public var isPublic: Bool { identifier.hasPrefix("public.") }

    /// All types to which the type conforms, without itself.
    public var supertypes: Set<UTType> {
        var (found, waiting) = (Set<UTType>(), declaration.parents)
        while let next = waiting.popLast() {
            if found.insert(UTType(next)).inserted { waiting += next.parents }
        }
        return found
    }

    /// Whether the type is another one or conforms to it.
    public func conforms(to type: UTType) -> Bool { self == type || isSubtype(of: type) }
    /// Whether the type conforms to another one.
    public func isSubtype(of type: UTType) -> Bool { self != type && supertypes.contains(type) }
    /// Whether another type conforms to this one.
    public func isSupertype(of type: UTType) -> Bool { type.isSubtype(of: self) }
}

extension UTType: Hashable, CustomStringConvertible {
    /// Whether the identifiers are equal.
    public static func == (a: UTType, b: UTType) -> Bool { a.identifier == b.identifier }
    /// Hashes the identifier.
    public func hash(into hasher: inout Hasher) { hasher.combine(identifier) }
    /// The identifier.
    public var description: String { identifier }
}

extension UTType: Codable {
    /// Decodes an identifier. A type that the module does not declare conforms to ``data``.
    public init(from decoder: any Decoder) throws {
        self.init(exportedAs: try decoder.singleValueContainer().decode(String.self))
    }
    /// Encodes the identifier.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(identifier)
    }
}

/// A kind of text by which types are found.
public struct UTTagClass: RawRepresentable, Hashable, Sendable {
    /// Apple's identifier.
    public let rawValue: String
    /// A kind by its identifier.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The extension of a file.
    public static let filenameExtension = UTTagClass(rawValue: "public.filename-extension")
    /// The MIME type of data.
    public static let mimeType = UTTagClass(rawValue: "public.mime-type")
}

/// What is known of a type.
struct Declaration: Sendable {
    let identifier: String
    /// The types to which the type conforms directly.
    let parents: [Declaration]
    let tags: [UTTagClass: [String]]

    init(_ identifier: String, _ parents: [Declaration], _ tags: [UTTagClass: [String]] = [:]) {
        (self.identifier, self.parents, self.tags) = (identifier, parents, tags)
    }

    /// A type that only its tag and its parent tell from others.
    init(dynamic tag: String, _ tagClass: UTTagClass, _ parent: Declaration) {
        // The tag may have any characters, and an identifier may not.
        let octets = "\(tagClass.rawValue)=\(tag)=\(parent.identifier)".utf8
        self.init("dyn.\(octets.map { String(format: "%02x", $0) }.joined())", [parent], [tagClass: [tag]])
    }
}
