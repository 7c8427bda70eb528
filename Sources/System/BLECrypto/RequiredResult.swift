/// The result of a library call whose arguments are valid.
///
/// A failure of such a call ends the process: its only alternatives are plaintext in place of ciphertext, or a key of zeros.
///
/// - Parameter function: The function, for the message.
@inline(__always)
func required<Result, Failure: Error>(_ function: String, _ call: () throws(Failure) -> Result) -> Result {
    do throws(Failure) {
        return try call()
    } catch {
        preconditionFailure("\(function) failed although its arguments are valid. No data leaves without encryption.")
    }
}
