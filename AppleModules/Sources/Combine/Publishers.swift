import OpenCombine
import OpenCombineFoundation

/// The types of publishers that operators make. Those with a name only are OpenCombine's; the others are in the files beside this one.
public enum Publishers {
    /// What `allSatisfy(_:)` makes.
    public typealias AllSatisfy = OpenCombine.Publishers.AllSatisfy
    /// What `assertNoFailure(_:file:line:)` makes.
    public typealias AssertNoFailure = OpenCombine.Publishers.AssertNoFailure
    /// What `breakpoint(receiveSubscription:receiveOutput:receiveCompletion:)` makes.
    public typealias Breakpoint = OpenCombine.Publishers.Breakpoint
    /// What `buffer(size:prefetch:whenFull:)` makes.
    public typealias Buffer = OpenCombine.Publishers.Buffer
    /// What `catch(_:)` makes.
    public typealias Catch = OpenCombine.Publishers.Catch
    /// What `collect()` makes.
    public typealias Collect = OpenCombine.Publishers.Collect
    /// What `collect(_:)` makes.
    public typealias CollectByCount = OpenCombine.Publishers.CollectByCount
    /// What `compactMap(_:)` makes.
    public typealias CompactMap = OpenCombine.Publishers.CompactMap
    /// What `min(by:)` or `max(by:)` makes.
    public typealias Comparison = OpenCombine.Publishers.Comparison
    /// What `append(_:)` or `prepend(_:)` makes.
    public typealias Concatenate = OpenCombine.Publishers.Concatenate
    /// What `contains(_:)` makes.
    public typealias Contains = OpenCombine.Publishers.Contains
    /// What `contains(where:)` makes.
    public typealias ContainsWhere = OpenCombine.Publishers.ContainsWhere
    /// What `count()` makes.
    public typealias Count = OpenCombine.Publishers.Count
    /// What `debounce(for:scheduler:options:)` makes.
    public typealias Debounce = OpenCombine.Publishers.Debounce
    /// What `decode(type:decoder:)` makes.
    public typealias Decode = OpenCombine.Publishers.Decode
    /// What `dropFirst(_:)` makes.
    public typealias Drop = OpenCombine.Publishers.Drop
    /// What `drop(while:)` makes.
    public typealias DropWhile = OpenCombine.Publishers.DropWhile
    /// What `encode(encoder:)` makes.
    public typealias Encode = OpenCombine.Publishers.Encode
    /// What `filter(_:)` makes.
    public typealias Filter = OpenCombine.Publishers.Filter
    /// What `first()` makes.
    public typealias First = OpenCombine.Publishers.First
    /// What `first(where:)` makes.
    public typealias FirstWhere = OpenCombine.Publishers.FirstWhere
    /// What `handleEvents(receiveSubscription:receiveOutput:receiveCompletion:receiveCancel:receiveRequest:)` makes.
    public typealias HandleEvents = OpenCombine.Publishers.HandleEvents
    /// What `ignoreOutput()` makes.
    public typealias IgnoreOutput = OpenCombine.Publishers.IgnoreOutput
    /// What `last()` makes.
    public typealias Last = OpenCombine.Publishers.Last
    /// What `last(where:)` makes.
    public typealias LastWhere = OpenCombine.Publishers.LastWhere
    /// What `makeConnectable()` makes.
    public typealias MakeConnectable = OpenCombine.Publishers.MakeConnectable
    /// What `map(_:)` makes.
    public typealias Map = OpenCombine.Publishers.Map
    /// What `mapError(_:)` makes.
    public typealias MapError = OpenCombine.Publishers.MapError
    /// What `map(_:)` with one key path makes.
    public typealias MapKeyPath = OpenCombine.Publishers.MapKeyPath
    /// What `map(_:_:)` makes.
    public typealias MapKeyPath2 = OpenCombine.Publishers.MapKeyPath2
    /// What `map(_:_:_:)` makes.
    public typealias MapKeyPath3 = OpenCombine.Publishers.MapKeyPath3
    /// What `measureInterval(using:options:)` makes.
    public typealias MeasureInterval = OpenCombine.Publishers.MeasureInterval
    /// What `multicast(_:)` makes.
    public typealias Multicast = OpenCombine.Publishers.Multicast
    /// What `prefix(while:)` makes.
    public typealias PrefixWhile = OpenCombine.Publishers.PrefixWhile
    /// What `print(_:to:)` makes.
    public typealias Print = OpenCombine.Publishers.Print
    /// What `reduce(_:_:)` makes.
    public typealias Reduce = OpenCombine.Publishers.Reduce
    /// What `removeDuplicates(by:)` makes.
    public typealias RemoveDuplicates = OpenCombine.Publishers.RemoveDuplicates
    /// What `replaceError(with:)` makes.
    public typealias ReplaceError = OpenCombine.Publishers.ReplaceError
    /// What `retry(_:)` makes.
    public typealias Retry = OpenCombine.Publishers.Retry
    /// What `scan(_:_:)` makes.
    public typealias Scan = OpenCombine.Publishers.Scan
    /// What `publisher` of a sequence makes.
    public typealias Sequence = OpenCombine.Publishers.Sequence
    /// What `setFailureType(to:)` makes.
    public typealias SetFailureType = OpenCombine.Publishers.SetFailureType
    /// What `subscribe(on:options:)` makes.
    public typealias SubscribeOn = OpenCombine.Publishers.SubscribeOn
    /// What `switchToLatest()` makes.
    public typealias SwitchToLatest = OpenCombine.Publishers.SwitchToLatest
    /// What `throttle(for:scheduler:latest:)` makes.
    public typealias Throttle = OpenCombine.Publishers.Throttle
    /// What `tryAllSatisfy(_:)` makes.
    public typealias TryAllSatisfy = OpenCombine.Publishers.TryAllSatisfy
    /// What `tryCatch(_:)` makes.
    public typealias TryCatch = OpenCombine.Publishers.TryCatch
    /// What `tryCompactMap(_:)` makes.
    public typealias TryCompactMap = OpenCombine.Publishers.TryCompactMap
    /// What `tryMin(by:)` or `tryMax(by:)` makes.
    public typealias TryComparison = OpenCombine.Publishers.TryComparison
    /// What `tryContains(where:)` makes.
    public typealias TryContainsWhere = OpenCombine.Publishers.TryContainsWhere
    /// What `tryDrop(while:)` makes.
    public typealias TryDropWhile = OpenCombine.Publishers.TryDropWhile
    /// What `tryFilter(_:)` makes.
    public typealias TryFilter = OpenCombine.Publishers.TryFilter
    /// What `tryFirst(where:)` makes.
    public typealias TryFirstWhere = OpenCombine.Publishers.TryFirstWhere
    /// What `tryLast(where:)` makes.
    public typealias TryLastWhere = OpenCombine.Publishers.TryLastWhere
    /// What `tryMap(_:)` makes.
    public typealias TryMap = OpenCombine.Publishers.TryMap
    /// What `tryPrefix(while:)` makes.
    public typealias TryPrefixWhile = OpenCombine.Publishers.TryPrefixWhile
    /// What `tryReduce(_:_:)` makes.
    public typealias TryReduce = OpenCombine.Publishers.TryReduce
    /// What `tryRemoveDuplicates(by:)` makes.
    public typealias TryRemoveDuplicates = OpenCombine.Publishers.TryRemoveDuplicates
    /// What `tryScan(_:_:)` makes.
    public typealias TryScan = OpenCombine.Publishers.TryScan
    /// What a buffer does when it is full.
    public typealias BufferingStrategy = OpenCombine.Publishers.BufferingStrategy
    /// How a buffer asks its upstream.
    public typealias PrefetchStrategy = OpenCombine.Publishers.PrefetchStrategy
}

extension OpenCombine.Publishers.AllSatisfy: Publisher {}
extension OpenCombine.Publishers.AssertNoFailure: Publisher {}
extension OpenCombine.Publishers.Breakpoint: Publisher {}
extension OpenCombine.Publishers.Buffer: Publisher {}
extension OpenCombine.Publishers.Catch: Publisher {}
extension OpenCombine.Publishers.Collect: Publisher {}
extension OpenCombine.Publishers.CollectByCount: Publisher {}
extension OpenCombine.Publishers.CompactMap: Publisher {}
extension OpenCombine.Publishers.Comparison: Publisher {}
extension OpenCombine.Publishers.Concatenate: Publisher {}
extension OpenCombine.Publishers.Contains: Publisher {}
extension OpenCombine.Publishers.ContainsWhere: Publisher {}
extension OpenCombine.Publishers.Count: Publisher {}
extension OpenCombine.Publishers.Debounce: Publisher {}
extension OpenCombine.Publishers.Decode: Publisher {}
extension OpenCombine.Publishers.Drop: Publisher {}
extension OpenCombine.Publishers.DropWhile: Publisher {}
extension OpenCombine.Publishers.Encode: Publisher {}
extension OpenCombine.Publishers.Filter: Publisher {}
extension OpenCombine.Publishers.First: Publisher {}
extension OpenCombine.Publishers.FirstWhere: Publisher {}
extension OpenCombine.Publishers.HandleEvents: Publisher {}
extension OpenCombine.Publishers.IgnoreOutput: Publisher {}
extension OpenCombine.Publishers.Last: Publisher {}
extension OpenCombine.Publishers.LastWhere: Publisher {}
extension OpenCombine.Publishers.MakeConnectable: ConnectablePublisher {}
extension OpenCombine.Publishers.Map: Publisher {}
extension OpenCombine.Publishers.MapError: Publisher {}
extension OpenCombine.Publishers.MapKeyPath: Publisher {}
extension OpenCombine.Publishers.MapKeyPath2: Publisher {}
extension OpenCombine.Publishers.MapKeyPath3: Publisher {}
extension OpenCombine.Publishers.MeasureInterval: Publisher {}
extension OpenCombine.Publishers.Multicast: ConnectablePublisher {}
extension OpenCombine.Publishers.PrefixWhile: Publisher {}
extension OpenCombine.Publishers.Print: Publisher {}
extension OpenCombine.Publishers.Reduce: Publisher {}
extension OpenCombine.Publishers.RemoveDuplicates: Publisher {}
extension OpenCombine.Publishers.ReplaceError: Publisher {}
extension OpenCombine.Publishers.Retry: Publisher {}
extension OpenCombine.Publishers.Scan: Publisher {}
extension OpenCombine.Publishers.Sequence: Publisher {}
extension OpenCombine.Publishers.SetFailureType: Publisher {}
extension OpenCombine.Publishers.SubscribeOn: Publisher {}
extension OpenCombine.Publishers.SwitchToLatest: Publisher {}
extension OpenCombine.Publishers.Throttle: Publisher {}
extension OpenCombine.Publishers.TryAllSatisfy: Publisher {}
extension OpenCombine.Publishers.TryCatch: Publisher {}
extension OpenCombine.Publishers.TryCompactMap: Publisher {}
extension OpenCombine.Publishers.TryComparison: Publisher {}
extension OpenCombine.Publishers.TryContainsWhere: Publisher {}
extension OpenCombine.Publishers.TryDropWhile: Publisher {}
extension OpenCombine.Publishers.TryFilter: Publisher {}
extension OpenCombine.Publishers.TryFirstWhere: Publisher {}
extension OpenCombine.Publishers.TryLastWhere: Publisher {}
extension OpenCombine.Publishers.TryMap: Publisher {}
extension OpenCombine.Publishers.TryPrefixWhile: Publisher {}
extension OpenCombine.Publishers.TryReduce: Publisher {}
extension OpenCombine.Publishers.TryRemoveDuplicates: Publisher {}
extension OpenCombine.Publishers.TryScan: Publisher {}
