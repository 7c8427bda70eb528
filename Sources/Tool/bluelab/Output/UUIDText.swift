import CoreBluetooth

/// The name that the Bluetooth SIG assigned to a UUID; the digits of a UUID without one.
func displayName(_ uuid: CBUUID) -> String { uuid.description }
