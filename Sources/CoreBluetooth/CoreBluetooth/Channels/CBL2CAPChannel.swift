internal import BLERuntime
import BLEAdapter
import Foundation

/// The protocol/service multiplexer (PSM) of an L2CAP service.
public typealias CBL2CAPPSM = UInt16

/// A connection-oriented L2CAP channel to a device.
///
/// Keep a reference to the channel. Set a delegate of its streams, schedule them on a run loop, and open them. Without a run loop,
/// open the streams and read and write in a loop. Octets are never lost: if the program does not read, the peer's output stream has
/// no space. The channel closes when both streams are closed, or when the program releases the channel. The host sends pending
/// octets first, and then the peer's streams end.
///
/// On Linux `CFReadStreamSetDispatchQueue` and `CFWriteStreamSetDispatchQueue` accept these streams. Each `write` that fits the
/// peer's MTU becomes one SDU.
open class CBL2CAPChannel: NSObject {
    private let channelPeer: CBPeer
    private let pipe: ChannelPipe
    private let input: ChannelInputStream
    private let output: ChannelOutputStream

    init(peer: CBPeer, handle: ChannelHandle, dispatcher: CallbackDispatcher) {
        channelPeer = peer
        pipe = ChannelPipe(handle: handle, dispatcher: dispatcher)
        input = ChannelInputStream(pipe: pipe)
        output = ChannelOutputStream(pipe: pipe)
        super.init()
    }

    deinit { pipe.closeChannel() }

    /// The device at the other end of the channel.
    open var peer: CBPeer! { channelPeer }

    /// The stream of octets from the device. The program schedules and opens it.
    open var inputStream: InputStream! { input }

    /// The stream of octets to the device. The program schedules and opens it.
    open var outputStream: OutputStream! { output }

    /// The PSM of the service.
    open var psm: CBL2CAPPSM { pipe.handle.psm }
}
