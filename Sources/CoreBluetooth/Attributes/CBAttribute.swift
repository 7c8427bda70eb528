#if !canImport(Darwin)
import Foundation

/// What services, characteristics and descriptors have in common.
open class CBAttribute: NSObject {
    let attributeUUID: CBUUID

    init(uuid: CBUUID) {
        attributeUUID = uuid
        super.init()
    }

    /// The UUID that tells what the attribute is.
    open var uuid: CBUUID { attributeUUID }
}
#endif
