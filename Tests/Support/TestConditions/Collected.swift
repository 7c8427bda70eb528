import Foundation

/// What callbacks add on any queue, in order, for a test to read.
package final class Collected<Element: Sendable>: @unchecked Sendable {
    // `@unchecked Sendable`: `elements` is used with `lock` locked.

    private let lock = NSLock()
    private var elements: [Element] = []

    package init() {}

    package func add(_ element: Element) { lock.withLock { elements.append(element) } }
    package var all: [Element] { lock.withLock { elements } }
}
