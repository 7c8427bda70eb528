import BluetoothGateway
import Dispatch
import Foundation

/// The memory of commands that run for hours or weeks.
enum ProgramMemory {
    /// Keeps the heap compact. The threads of such a program allocate little at a time, so two arenas of glibc's allocator are as fast as one
    /// for each thread. In the studio's room of 200 devices this saves 3 MB. Without glibc it does nothing.
    static func compactHeap() {
        // The header of this function is not in Swift's module of the C library. A null handle searches the whole program.
        guard let symbol = dlsym(nil, "mallopt") else { return }
        let setOption = unsafeBitCast(symbol, to: (@convention(c) (Int32, Int32) -> Int32).self)
        // M_ARENA_MAX, and M_TRIM_THRESHOLD in octets (mallopt(3)).
        _ = setOption(-8, 2)
        _ = setOption(-1, 128 << 10)
    }

    /// Gives the pages that only the start used back to the system, when the start is over.
    static func releaseStartPages() {
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .seconds(10)) {
            ProgramPages.release()
            guard let symbol = dlsym(nil, "malloc_trim") else { return }
            _ = unsafeBitCast(symbol, to: (@convention(c) (Int) -> Int32).self)(0)
        }
    }
}
