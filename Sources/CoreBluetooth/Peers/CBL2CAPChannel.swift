#if !canImport(Darwin)
import Foundation

/// The number of an L2CAP channel's service.
public typealias CBL2CAPPSM = UInt16

/// A stream of octets to a device beside its attributes.
///
/// On Linux no such channel can be opened yet: the methods that ask for one answer with
/// `CBError.operationNotSupported`.
open class CBL2CAPChannel: NSObject {
    private let channelPeer: CBPeer
    private let input: InputStream
    private let output: OutputStream
    private let number: CBL2CAPPSM

    init(peer: CBPeer, inputStream: InputStream, outputStream: OutputStream, psm: CBL2CAPPSM) {
        channelPeer = peer
        input = inputStream
        output = outputStream
        number = psm
        super.init()
    }

    /// The device at the other end.
    open var peer: CBPeer! { channelPeer }

    /// What comes from the device. The program schedules and opens it.
    open var inputStream: InputStream! { input }

    /// What goes to the device. The program schedules and opens it.
    open var outputStream: OutputStream! { output }

    /// The number of the service.
    open var psm: CBL2CAPPSM { number }
}
#endif
