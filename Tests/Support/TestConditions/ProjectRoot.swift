import Foundation

/// The folder with Package.swift, for tests that read documents and sources of the project.
package let projectRoot = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
