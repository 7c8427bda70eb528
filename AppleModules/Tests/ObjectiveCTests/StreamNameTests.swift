import CoreBluetooth
import Testing

// That these compile is a part of the test: on Apple's systems a stream of Foundation is one of CoreFoundation.
@Test func aStreamHasCoreFoundationsName() {
    let input: InputStream! = InputStream(data: Data([1]))
    let output: OutputStream! = OutputStream(toMemory: ())
    let read = input as CFReadStream
    let write = output as CFWriteStream
    #expect(read === input && write === output)
    #expect((read as InputStream) === input)
    CFReadStreamSetDispatchQueue(input as CFReadStream, nil)
    CFWriteStreamSetDispatchQueue(write, nil)
}
