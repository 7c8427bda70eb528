import Foundation
import ObjectiveC.runtime
import Synchronization
import Testing

private nonisolated(unsafe) var firstKey: UInt8 = 0
private nonisolated(unsafe) var secondKey: UInt8 = 0

/// An object that counts the living objects with its name.
private final class Counted: NSObject {
    /// ThreadSanitizer understands `NSLock`, and not `Synchronization.Mutex`.
    private static let lock = NSLock()
    private nonisolated(unsafe) static var alive: [String: Int] = [:]

    let name: String
    init(_ name: String) {
        self.name = name
        Counted.lock.withLock { Counted.alive[name, default: 0] += 1 }
    }
    deinit { Counted.lock.withLock { Counted.alive[name]! -= 1 } }
    static func count(_ name: String) -> Int { lock.withLock { alive[name] ?? 0 } }
}

private class Owner {
    var seenInDeinit: (String?) -> Void = { _ in }
    deinit { seenInDeinit((objc_getAssociatedObject(self, &firstKey) as? Counted)?.name) }
}
private final class SpecialOwner: Owner {}
private final class GenericOwner<T>: NSObject {}

private protocol Named: AnyObject {}
extension Named {
    var label: String? {
        get { objc_getAssociatedObject(self, &secondKey) as? String }
        set { objc_setAssociatedObject(self, &secondKey, newValue, .OBJC_ASSOCIATION_COPY_NONATOMIC) }
    }
}
extension Owner: Named {}

@Suite struct AssociatedObjectsTests {
    @Test func aValueIsFoundByItsKeyReplacedAndRemoved() {
        let (owner, other) = (Owner(), Owner())
        objc_setAssociatedObject(owner, &firstKey, Counted("replaced"), .OBJC_ASSOCIATION_RETAIN)
        owner.label = "b"
        #expect((objc_getAssociatedObject(owner, &firstKey) as? Counted)?.name == "replaced")
        #expect(owner.label == "b")
        #expect(other.label == nil)
        objc_setAssociatedObject(owner, &firstKey, 7, .OBJC_ASSOCIATION_RETAIN)
        #expect(Counted.count("replaced") == 0)
        #expect(objc_getAssociatedObject(owner, &firstKey) as? Int == 7)
        objc_setAssociatedObject(owner, &firstKey, nil, .OBJC_ASSOCIATION_RETAIN)
        #expect(objc_getAssociatedObject(owner, &firstKey) == nil)
        objc_removeAssociatedObjects(owner)
        #expect(owner.label == nil)
    }

    @Test func valuesEndWithTheirOwnerWhateverItsClass() {
        func make(_ owner: AnyObject, _ name: String) {
            objc_setAssociatedObject(owner, &firstKey, Counted(name), .OBJC_ASSOCIATION_RETAIN_NONATOMIC)
            #expect(Counted.count(name) == 1)
        }
        do { make(Owner(), "class") }
        do { make(SpecialOwner(), "subclass") }
        do { make(GenericOwner<Int>(), "generic") }
        do { make(GenericOwner<[String]>(), "generic2") }
        do { make(NSObject(), "NSObject") }
        do { make(NSMutableString(string: "x"), "NSMutableString") }
        do { make(DispatchQueue(label: "x"), "queue") }
        do { make(NSLock(), "lock") }
        for name in ["class", "subclass", "generic", "generic2", "NSObject", "NSMutableString", "queue", "lock"] {
            #expect(Counted.count(name) == 0, "\(name)")
        }
    }

    @Test func aDeinitStillSeesItsAssociations() {
        // check-tests: mutex: this package has no Lock, and the test one thread.
        let seen = Mutex<String?>(nil)
        do {
            let owner = Owner()
            owner.seenInDeinit = { name in seen.withLock { $0 = name } }
            objc_setAssociatedObject(owner, &firstKey, Counted("deinit"), .OBJC_ASSOCIATION_RETAIN)
        }
        #expect(seen.withLock { $0 } == "deinit")
        #expect(Counted.count("deinit") == 0)
    }

    @Test func assignDoesNotKeepAndCopyCopies() {
        let owner = Owner()
        do {
            let value = Counted("assigned")
            objc_setAssociatedObject(owner, &firstKey, value, .OBJC_ASSOCIATION_ASSIGN)
            #expect(objc_getAssociatedObject(owner, &firstKey) as? Counted === value)
        }
        #expect(Counted.count("assigned") == 0)
        #expect(objc_getAssociatedObject(owner, &firstKey) == nil)
        let text = NSMutableString(string: "a")
        objc_setAssociatedObject(owner, &secondKey, text, .OBJC_ASSOCIATION_COPY)
        text.append("b")
        #expect(objc_getAssociatedObject(owner, &secondKey) as? NSString == "a")
    }

    @Test func ownersOnManyThreadsKeepTheirOwn() {
        // An owner's place is taken by the next one at once: that one must not find what belonged to the first.
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for round in 0..<2_000 {
                let owner = SpecialOwner()
                #expect(objc_getAssociatedObject(owner, &firstKey) == nil)
                if round % 2 == 0 {
                    objc_setAssociatedObject(owner, &firstKey, Counted("threads"), .OBJC_ASSOCIATION_RETAIN)
                    objc_setAssociatedObject(owner, &secondKey, "\(thread)", .OBJC_ASSOCIATION_RETAIN)
                    #expect(objc_getAssociatedObject(owner, &secondKey) as? String == "\(thread)")
                }
            }
        }
        #expect(Counted.count("threads") == 0)
    }
}

@Suite struct ObjectiveCRuntimeTests {
    @Test func aPoolGivesBackWhatItsBodyGivesAndThrows() {
        #expect(autoreleasepool { 7 } == 7)
        #expect(throws: CancellationError.self) { try autoreleasepool { throw CancellationError() } }
    }

    @Test func theLockOfAnObjectKeepsOthersOut() {
        nonisolated(unsafe) let object = NSObject()
        nonisolated(unsafe) var count = 0
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<500 {
                objc_sync_enter(object)
                objc_sync_enter(object)
                count += 1
                objc_sync_exit(object)
                objc_sync_exit(object)
            }
        }
        #expect(count == 4_000)
        #expect(objc_sync_exit(object) == OBJC_SYNC_NOT_OWNING_THREAD_ERROR)
    }
}
