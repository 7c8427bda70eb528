import CoreBluetooth

/// The name that the Bluetooth SIG assigned to a UUID; the digits of a UUID without one.
func displayName(_ uuid: CBUUID) -> String { uuid.description }

/// The 16-bit value of a short UUID; nil for other lengths.
func shortValue(_ uuid: CBUUID) -> UInt16? { uuid.data.count == 2 ? uuid.data.reduce(0) { $0 << 8 | UInt16($1) } : nil }
