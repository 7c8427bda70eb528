#if !canImport(Darwin)
internal import BLERuntime
import BLEAdapter
import Foundation

/// The number of an L2CAP channel's service.
public typealias CBL2CAPPSM = UInt16

/// A stream of octets to a device beside its attributes.
///
/// The program keeps the channel, gives its streams a delegate, schedules them on a run loop and opens them; or opens them and
/// asks them again and again. A program that does not read stops its peer: nothing is lost, and the peer's output stream has no
/// space until the program reads on. The channel is closed when both streams are closed or when the program lets go of it;
/// what was written before is sent first, and the peer's streams see their end.
///
/// Where Linux differs: `CFReadStreamSetDispatchQueue` and `CFWriteStreamSetDispatchQueue` take these streams as they are, and
/// each `write` that fits the peer's MTU arrives there as one SDU.
open class CBL2CAPChannel: NSObject {
    private let channelPeer: CBPeer
    private let pipe: ChannelPipe
    private let input: ChannelInputStream
    private let output: ChannelOutputStream

    init(peer: CBPeer, handle: ChannelHandle, delivery: Delivery) {
        channelPeer = peer
        pipe = ChannelPipe(handle: handle, delivery: delivery)
        input = ChannelInputStream(pipe: pipe)
        output = ChannelOutputStream(pipe: pipe)
        super.init()
    }

    deinit { pipe.closeChannel() }

    /// The device at the other end.
    open var peer: CBPeer! { channelPeer }

    /// What comes from the device. The program schedules and opens it.
    open var inputStream: InputStream! { input }

    /// What goes to the device. The program schedules and opens it.
    open var outputStream: OutputStream! { output }

    /// The number of the service.
    open var psm: CBL2CAPPSM { pipe.handle.psm }
}
#endif
