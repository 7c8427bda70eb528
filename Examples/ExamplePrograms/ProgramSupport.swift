import CoreBluetooth

/// Prints a line and flushes it, also to a file or a pipe.
///
/// 打印一行并立即输出，即使输出到文件或管道。
public func printLine(_ text: String) {
    print(text)
    fflush(nil)
}

/// Prints how to use the program and ends it, if its first argument is `--help`. Call it first.
///
/// 第一个参数是 `--help` 时打印用法并结束程序。请最先调用。
public func answerHelp(_ usage: String) {
    guard let first = CommandLine.arguments.dropFirst().first, first == "--help" || first == "-h" else { return }
    printLine(
        "usage: \(usage)\nBLUETOOTH_CONTROLLER selects the controller, such as hci0 or radio; bluelab help adapters lists the choices."
    )
    exit(0)
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

/// Whether Ctrl-C was pressed. The program then exits with 130, as shells expect.
/// 是否按下了 Ctrl-C；是的话退出码为 130。
@MainActor private var wasInterrupted = false

/// Ends the program after a delay, so that the last packets reach the other side.
@MainActor public func finishProgram(_ error: (any Error)?) {
    if let error { printLine("failed: \(error.localizedDescription)") }
    let code: Int32 = wasInterrupted ? 130 : error == nil ? 0 : 1
    DispatchQueue.main.asyncAfter(deadline: .now() + 0.2) { exit(code) }
}
