import Foundation

/// The base class of services, characteristics and descriptors.
open class CBAttribute: NSObject {
    let attributeUUID: CBUUID

    init(uuid: CBUUID) {
        attributeUUID = uuid
        super.init()
    }

    /// The UUID that identifies the type of the attribute.
    open var uuid: CBUUID { attributeUUID }
}
