/// Which adapter a manager gets that is created now: the one bound by the surrounding scope, else the process's own,
/// chosen by `BLUETOOTH_CONTROLLER`.
package enum AdapterBinding {
    @TaskLocal package static var scoped: (any BluetoothAdapter)?

    /// The scope's adapter, else the process's. Never fails: where there is no usable controller, an adapter whose state is
    /// `.unsupported`, and a line in the log that says what to do.
    package static func current() -> any BluetoothAdapter { scoped ?? ProcessAdapter.shared }
}
