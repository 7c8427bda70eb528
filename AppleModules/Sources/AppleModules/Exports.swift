// Everything that this package and the one above it offer, so that one library holds it all.
@_exported import AppleNames
@_exported import BLESimulator
@_exported import Combine
@_exported import CommonCrypto
@_exported import CoreBluetooth
@_exported import CoreLocation
@_exported import CryptoKit
@_exported import OSLog
@_exported import ObjectiveC
@_exported import Security
@_exported import SelectorNames
@_exported import UIKit
@_exported import UniformTypeIdentifiers
@_exported import os
@_exported import simd
