// A program for the tests of the store: applies a change to the store in a directory, and ends without cleaning up after a
// given number of system calls of the write. Exit code 9 means that it ended there, 0 that the write was complete.
//
// usage: store-crash CHANGE DIRECTORY CALLS

import BLEAdapter
import BLEStore
import BLEWire
import Glibc

/// Ends the process after a number of calls.
final class Countdown: Sendable {
    private let remaining: Lock<Int>

    init(_ calls: Int) { remaining = Lock(calls) }

    func count() {
        let isLast = remaining.withLock { remaining in
            remaining -= 1
            return remaining == 0
        }
        if isLast { _exit(9) }
    }
}

let arguments = CommandLine.arguments
guard arguments.count == 4, let change = StoreChange(rawValue: arguments[1]), let calls = Int(arguments[3]) else {
    print("usage: store-crash CHANGE DIRECTORY CALLS")
    exit(2)
}
let countdown = Countdown(calls)
var directory = StoreDirectory(path: arguments[2])
directory.writeLength = 64
directory.didCall = { _ in countdown.count() }
// No timer runs, so `flush` writes the whole change at once.
let store = DeviceStore(directory: directory, timer: { _, _, _ in })
change.apply(to: store)
store.flush()
