/// The state of the adapter, in the terms of CBManagerState.
package enum AdapterState: Int, Sendable {
    case unknown, resetting, unsupported, unauthorized, poweredOff, poweredOn
}
