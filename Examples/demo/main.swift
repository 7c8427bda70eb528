import ExamplePrograms
import Glibc
import TerminalText

// A phone and a wristband on a virtual radio: `walkthrough` and `wristband` in one process, in virtual time. No adapter is needed.
// 虚拟无线电上的一部手机和一个手环：在同一进程里、在虚拟时间中运行 walkthrough 和 wristband，不需要蓝牙适配器。

switch CommandLine.arguments.dropFirst().first {
case nil: break
case "--help", "-h":
    print(
        """
        usage: demo   a phone and a wristband on a virtual radio, in twenty-three steps
        The exit code is 0 only if all steps took place. bluelab help demo lists the options of the same demo in bluelab.
        """)
    exit(0)
case let argument?:
    printError(
        "demo: there is no argument \"\(argument)\"; bluelab demo has options. Try: swift run bluelab help demo wristband"
    )
    exit(2)
}

let terminal = Terminal()
var run = DemoRun(terminal: terminal)
run.advice = "Run swift run bluelab demo --trace to see every packet of this very run."
let isComplete = try await run.run()
terminal.flush()
exit(isComplete ? 0 : 1)
