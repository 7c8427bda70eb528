import Foundation
import OpenCombine
import OpenCombineFoundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Delivers values over time, as OpenCombine's protocol of this name does.
///
/// A separate protocol makes the operators that this module redefines more specific than OpenCombine's, so the compiler prefers
/// them. Every publisher of OpenCombine conforms to it.
public protocol Publisher<Output, Failure>: OpenCombine.Publisher {}

/// A publisher that starts when the program connects it.
public protocol ConnectablePublisher<Output, Failure>: OpenCombine.ConnectablePublisher, Publisher {}

/// A publisher to which the program sends values.
public protocol Subject<Output, Failure>: OpenCombine.Subject, Publisher {}

extension AnyPublisher: Combine.Publisher {}
extension Deferred: Combine.Publisher {}
extension Empty: Combine.Publisher {}
extension Fail: Combine.Publisher {}
extension Future: Combine.Publisher {}
extension Just: Combine.Publisher {}
extension ObservableObjectPublisher: Combine.Publisher {}
extension Record: Combine.Publisher {}
extension Published.Publisher: Combine.Publisher {}
extension Optional.OCombine.Publisher: Combine.Publisher {}
extension Result.OCombine.Publisher: Combine.Publisher {}
extension NotificationCenter.OCombine.Publisher: Combine.Publisher {}
extension URLSession.OCombine.DataTaskPublisher: Combine.Publisher {}
extension CurrentValueSubject: Subject {}
extension PassthroughSubject: Subject {}
extension Timer.OCombine.TimerPublisher: ConnectablePublisher {}
