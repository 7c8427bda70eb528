// Everything that this package and the one above it offer, so that one library holds it all.
@_exported import AppleNames
@_exported import BLESimulator
@_exported import Combine
@_exported import CoreBluetooth
@_exported import CoreLocation
@_exported import OSLog
@_exported import ObjectiveC
@_exported import SelectorNames
@_exported import os
