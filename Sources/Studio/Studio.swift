import StudioServer

/// The parts of the studio behind the page.
package final class Studio: Sendable {
    package let hub = StudioHub()

    package init() {}
}
