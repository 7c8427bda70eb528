/// The adapter that the surrounding scope has bound, for the managers that are created in it.
package enum AdapterBinding {
    @TaskLocal package static var scoped: (any BluetoothAdapter)?
}
