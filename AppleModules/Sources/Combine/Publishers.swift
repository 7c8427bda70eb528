#if !canImport(Darwin)
import OpenCombine
import OpenCombineFoundation

/// The types of publishers that operators make. Those with a name only are OpenCombine's; the others are in the files beside this one.
public enum Publishers {
    public typealias AllSatisfy = OpenCombine.Publishers.AllSatisfy
    public typealias AssertNoFailure = OpenCombine.Publishers.AssertNoFailure
    public typealias Breakpoint = OpenCombine.Publishers.Breakpoint
    public typealias Buffer = OpenCombine.Publishers.Buffer
    public typealias Catch = OpenCombine.Publishers.Catch
    public typealias Collect = OpenCombine.Publishers.Collect
    public typealias CollectByCount = OpenCombine.Publishers.CollectByCount
    public typealias CompactMap = OpenCombine.Publishers.CompactMap
    public typealias Comparison = OpenCombine.Publishers.Comparison
    public typealias Concatenate = OpenCombine.Publishers.Concatenate
    public typealias Contains = OpenCombine.Publishers.Contains
    public typealias ContainsWhere = OpenCombine.Publishers.ContainsWhere
    public typealias Count = OpenCombine.Publishers.Count
    public typealias Debounce = OpenCombine.Publishers.Debounce
    public typealias Decode = OpenCombine.Publishers.Decode
    public typealias Drop = OpenCombine.Publishers.Drop
    public typealias DropWhile = OpenCombine.Publishers.DropWhile
    public typealias Encode = OpenCombine.Publishers.Encode
    public typealias Filter = OpenCombine.Publishers.Filter
    public typealias First = OpenCombine.Publishers.First
    public typealias FirstWhere = OpenCombine.Publishers.FirstWhere
    public typealias HandleEvents = OpenCombine.Publishers.HandleEvents
    public typealias IgnoreOutput = OpenCombine.Publishers.IgnoreOutput
    public typealias Last = OpenCombine.Publishers.Last
    public typealias LastWhere = OpenCombine.Publishers.LastWhere
    public typealias MakeConnectable = OpenCombine.Publishers.MakeConnectable
    public typealias Map = OpenCombine.Publishers.Map
    public typealias MapError = OpenCombine.Publishers.MapError
    public typealias MapKeyPath = OpenCombine.Publishers.MapKeyPath
    public typealias MapKeyPath2 = OpenCombine.Publishers.MapKeyPath2
    public typealias MapKeyPath3 = OpenCombine.Publishers.MapKeyPath3
    public typealias MeasureInterval = OpenCombine.Publishers.MeasureInterval
    public typealias Multicast = OpenCombine.Publishers.Multicast
    public typealias PrefixWhile = OpenCombine.Publishers.PrefixWhile
    public typealias Print = OpenCombine.Publishers.Print
    public typealias Reduce = OpenCombine.Publishers.Reduce
    public typealias RemoveDuplicates = OpenCombine.Publishers.RemoveDuplicates
    public typealias ReplaceError = OpenCombine.Publishers.ReplaceError
    public typealias Retry = OpenCombine.Publishers.Retry
    public typealias Scan = OpenCombine.Publishers.Scan
    public typealias Sequence = OpenCombine.Publishers.Sequence
    public typealias SetFailureType = OpenCombine.Publishers.SetFailureType
    public typealias SubscribeOn = OpenCombine.Publishers.SubscribeOn
    public typealias SwitchToLatest = OpenCombine.Publishers.SwitchToLatest
    public typealias Throttle = OpenCombine.Publishers.Throttle
    public typealias TryAllSatisfy = OpenCombine.Publishers.TryAllSatisfy
    public typealias TryCatch = OpenCombine.Publishers.TryCatch
    public typealias TryCompactMap = OpenCombine.Publishers.TryCompactMap
    public typealias TryComparison = OpenCombine.Publishers.TryComparison
    public typealias TryContainsWhere = OpenCombine.Publishers.TryContainsWhere
    public typealias TryDropWhile = OpenCombine.Publishers.TryDropWhile
    public typealias TryFilter = OpenCombine.Publishers.TryFilter
    public typealias TryFirstWhere = OpenCombine.Publishers.TryFirstWhere
    public typealias TryLastWhere = OpenCombine.Publishers.TryLastWhere
    public typealias TryMap = OpenCombine.Publishers.TryMap
    public typealias TryPrefixWhile = OpenCombine.Publishers.TryPrefixWhile
    public typealias TryReduce = OpenCombine.Publishers.TryReduce
    public typealias TryRemoveDuplicates = OpenCombine.Publishers.TryRemoveDuplicates
    public typealias TryScan = OpenCombine.Publishers.TryScan
    public typealias BufferingStrategy = OpenCombine.Publishers.BufferingStrategy
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
#endif
