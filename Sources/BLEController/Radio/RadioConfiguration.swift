/// How the simulated air behaves. The defaults are those of an office: log-distance path loss with 40 dB at one metre
/// and an exponent of 2.5, so that a transmitter of 0 dBm reaches about 160 m.
package struct RadioConfiguration: Hashable, Sendable {
    /// The exponent of the log-distance model: 2 is free space, 2.7 to 4 are buildings.
    package var pathLossExponent: Double = 2.5
    /// The loss over the first metre, in dB.
    package var referenceLoss: Double = 40
    /// The standard deviation of the fading added to each reception, in dB; 0 for none.
    package var fading: Double = 0
    /// The power at which 30.8 % of 37-octet packets are lost (a bit error rate of 0.1 %), in dBm, on 1M. 2M needs
    /// 3 dB more, Coded 5.3 (S=2) and 8.8 dB (S=8) less.
    package var sensitivity: Double = -95
    /// Loses this share of all packets, 0 to 1, whatever the distance within the range.
    package var loss: Double = 0
    /// What stands in the way of signals.
    package var walls: [Wall] = []

    package init() {}
}
