import Beacons
import Combine
import Foundation

let finder = BeaconFinder(queue: nil)
let watching = finder.state.filter { $0 != .unknown }.first().sink { state in
    print("Bluetooth is \(state == .poweredOn ? "on" : "not on")")
    exit(state == .poweredOn ? 0 : 1)
}
DispatchQueue.main.asyncAfter(deadline: .now() + 20) { exit(2) }
dispatchMain()
