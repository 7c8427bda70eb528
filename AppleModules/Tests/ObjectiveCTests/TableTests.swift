import AppleNames
import Foundation
import Testing

private final class Plain {}

@Suite struct TableTests {
    @Test func keysAreComparedAsObjectsAreEqual() {
        let table = NSMapTable<NSString, NSNumber>.strongToStrongObjects()
        table.setObject(1, forKey: "a")
        table.setObject(2, forKey: "b")
        table.setObject(3, forKey: NSString(string: "a"))
        #expect(table.count == 2)
        #expect(table.object(forKey: "a") == 3)
        table.removeObject(forKey: "a")
        #expect(table.object(forKey: "a") == nil)
        #expect(table.keyEnumerator().allObjects as? [NSString] == ["b"])
        #expect(table.objectEnumerator()?.allObjects as? [NSNumber] == [2])
        table.setObject(nil, forKey: "b")
        #expect(table.count == 0)
    }

    @Test func aWeakKeyTakesItsPairAlong() {
        let table = NSMapTable<Plain, Plain>.weakToStrongObjects()
        weak var value: Plain?
        do {
            let key = Plain()
            let strong = Plain()
            value = strong
            table.setObject(strong, forKey: key)
            #expect(table.object(forKey: key) === strong)
            #expect(table.count == 1)
        }
        #expect(table.count == 0)
        #expect(value == nil)
    }

    @Test func aWeakValueTakesItsPairAlong() {
        let table = NSMapTable<NSString, Plain>.strongToWeakObjects()
        do {
            let value = Plain()
            table.setObject(value, forKey: "a")
            #expect(table.object(forKey: "a") === value)
        }
        #expect(table.object(forKey: "a") == nil)
        #expect(table.count == 0)
    }

    @Test func identityCanBeWhatCounts() {
        let table = NSMapTable<NSMutableString, NSNumber>(
            keyOptions: [.weakMemory, .objectPointerPersonality], valueOptions: .strongMemory)
        let (a, b) = (NSMutableString(string: "x"), NSMutableString(string: "x"))
        table.setObject(1, forKey: a)
        table.setObject(2, forKey: b)
        #expect(table.object(forKey: a) == 1 && table.object(forKey: b) == 2)
    }

    @Test func aWeakSetForgetsWhatEnds() {
        let set = NSHashTable<Plain>.weakObjects()
        let kept = Plain()
        set.add(kept)
        set.add(kept)
        do {
            let other = Plain()
            set.add(other)
            #expect(set.count == 2)
        }
        #expect(set.allObjects.count == 1 && set.contains(kept))
        set.remove(kept)
        #expect(set.anyObject == nil)
    }
}
