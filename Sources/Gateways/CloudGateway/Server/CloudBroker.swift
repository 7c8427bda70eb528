import BLETransport
import MQTTClient

/// What a gateway needs of the client of its broker.
protocol CloudBroker: AnyObject {
    /// The broker of the last attempt.
    var address: MQTTConfiguration.Address { get }
    var pollingGroup: PollingGroup? { get set }
    func connect()
    func publish(_ messages: [(message: MQTTPublication, number: UInt64)])
    func subscribe(_ filter: String)
    func disconnect(_ completion: (@Sendable () -> Void)?)
}

extension CloudBroker {
    func disconnect() { disconnect(nil) }
}

extension MQTTClient: CloudBroker {}
