import CoreBluetooth

/// Prints a line that is seen at once, also where the output is a file or a pipe.
///
/// 打印一行并立即输出，即使输出到文件或管道。
public func printLine(_ text: String) {
    print(text)
    fflush(nil)
}

/// Runs the main queue, where delegate methods come, until Ctrl-C. `stop` then ends things politely, and the program half a
/// second later, or at the second Ctrl-C.
///
/// 运行主队列直到按下 Ctrl-C，然后礼貌地结束。
@MainActor public func runUntilInterrupted(stop: @escaping @MainActor () -> Void) -> Never {
    signal(SIGINT, SIG_IGN)
    let interrupt = DispatchSource.makeSignalSource(signal: SIGINT, queue: .main)
    var isStopping = false
    interrupt.setEventHandler {
        MainActor.assumeIsolated {
            if isStopping { exit(130) }
            isStopping = true
            wasInterrupted = true
            printLine("\nstopping")
            stop()
            DispatchQueue.main.asyncAfter(deadline: .now() + 0.5) { exit(130) }
        }
    }
    interrupt.resume()
    withExtendedLifetime(interrupt) { dispatchMain() }
}

/// Whether Ctrl-C was pressed: the program then ends with 130, as shells expect it.
/// 是否按下了 Ctrl-C；是的话退出码为 130。
@MainActor private var wasInterrupted = false

/// Ends a program that is through: politely, so that what was sent last still reaches the other side.
@MainActor public func finishProgram(_ error: (any Error)?) {
    if let error { printLine("failed: \(error.localizedDescription)") }
    let code: Int32 = wasInterrupted ? 130 : error == nil ? 0 : 1
    DispatchQueue.main.asyncAfter(deadline: .now() + 0.2) { exit(code) }
}
