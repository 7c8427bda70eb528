import BLEWire

/// The properties of the simulated medium. The defaults model an office: log-distance path loss of 40 dB at one metre and an
/// exponent of 2.5. A transmitter of 0 dBm reaches about 160 m.
package struct RadioConfiguration: Hashable, Sendable {
    /// The exponent of the log-distance model. Free space has 2, buildings have 2.7 to 4.
    package var pathLossExponent: Double = 2.5
    /// The loss over the first metre, in dB.
    package var referenceLoss: Double = 40
    /// The standard deviation of the fading added to each reception, in dB; 0 for none.
    package var fading: Double = 0
    /// The power in dBm at which 30.8 % of 37-octet packets are lost on 1M (a bit error rate of 0.1 %). 2M needs 3 dB more, Coded
    /// 5.3 dB (S=2) and 8.8 dB (S=8) less.
    package var sensitivity: Double = -95
    /// The share of packets lost at any distance within the range, 0 to 1.
    package var loss: Double = 0
    /// The walls that attenuate signals.
    package var walls: [RadioWall] = []

    package init() {}

    /// How far a signal of 0 dBm is above the sensitivity of its PHY, in dB, without fading.
    package func margin(of phy: LL.PHY, from source: RadioPosition, at position: RadioPosition) -> Double {
        let pathLoss = PathLoss(self)
        return SignalModel(pathLoss, walls).signal(0, from: source, at: position) - pathLoss.sensitivity(of: phy)
    }
}
