/// The version of `bluelab`.
let toolVersion = "0.1.0"

/// The version with the commit and the compiler, such as `0.1.0 (commit 1b59815f, Swift 6.3.1)`.
let toolVersionText: String = {
    // `git archive` writes the commit, and Scripts/release the compiler.
    let commit = "$Format:%h$"
    let compiler = "$Compiler$"
    let source = commit.hasPrefix("$") ? "from a checkout" : "commit \(commit)"
    return "\(toolVersion) (\(source), Swift \(compiler.hasPrefix("$") ? "6.3 or later" : compiler))"
}()
