import BLEVirtualRadio

/// The observation of packets that ``World/observePackets(_:)`` or ``VirtualDevice/observeHCIPackets(_:)`` began. May be used from any thread.
///
/// The release of the object does not end the observation, so that a program that observes until the end of its world need not keep it.
public final class PacketObservation: Sendable {
    private let radio: VirtualRadioRuntime

    init(_ radio: VirtualRadioRuntime) { self.radio = radio }

    /// Ends the observation and releases the observer. While the world stands still or is inside a callback, no further packet is reported;
    /// otherwise the world may report packets until it takes the call. A second call has no effect.
    public func cancel() { radio.change { [self] in $0.endObservation(self) } }
}
