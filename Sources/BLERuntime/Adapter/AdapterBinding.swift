/// Which adapter a manager gets that is created now: the one bound by the surrounding scope, else the process's own,
/// chosen by `BLUETOOTH_CONTROLLER`.
package enum AdapterBinding {
    @TaskLocal package static var scoped: (any BluetoothAdapter)?
}
