/// The two devices of a link.
package enum LinkSide: Int, Hashable, Sendable {
    case central = 0
    case peripheral = 1

    package var other: LinkSide { self == .central ? .peripheral : .central }
}
