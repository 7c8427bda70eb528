import Foundation
import Testing

@testable import Phrases

@Suite struct PhraseTests {
    private let name = "Gadget"

    @Test func aPhraseHasBothLanguagesWithItsValues() {
        let phrase = Phrase("\(name) has \(3) links.", "\(name) 有 \(3) 条链路。")
        #expect(phrase.description == "Gadget has 3 links.")
        #expect(phrase.inChinese == "Gadget 有 3 条链路。")
    }

    @Test func theOrderOfValuesMayDiffer() {
        let phrase = Phrase("\(3) of \(name)", "\(name) 的 \(3)")
        #expect(phrase.arguments == [.text("3"), .text("Gadget")])
        #expect(phrase.inChinese == "Gadget 的 3")
        let equal = Phrase("\(1), \(1) and \(2)", "\(2)，\(1)，\(1)")
        #expect(equal.arguments.count == 3)
        #expect(equal.inChinese == "2，1，1")
    }

    @Test func aPhraseInAPhraseHasTheLanguageOfTheSentence() {
        let reason = Phrase("it is off", "它已关闭")
        let phrase = Phrase("\(name): \(reason).", "\(name)：\(reason)。")
        #expect(phrase.description == "Gadget: it is off.")
        #expect(phrase.inChinese == "Gadget：它已关闭。")
    }

    @Test func aValueIsBoundedAndNeverATemplate() throws {
        let hostile = String(repeating: "{0}", count: 400)
        let phrase = Phrase("named \(hostile)", "名称 \(hostile)")
        #expect(phrase.description == "named " + hostile.prefix(Phrase.argumentLimit))
        #expect(Phrase(data: hostile).description.count == Phrase.argumentLimit)
    }

    @Test func aPhraseIsAnObjectInJSONAndDataIsAString() throws {
        let reason = Phrase("it is off", "它已关闭")
        let phrases = [
            Phrase("\(3) of \(name): \(reason)", "\(name) 的 \(3)：\(reason)"), Phrase(data: "{0} <b>"),
            Phrase("plain", "文字"),
        ]
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let text = String(decoding: try encoder.encode(phrases), as: UTF8.self)
        #expect(
            text == #"[{"en":"{0} of {1}: {2}","with":["3","Gadget",{"en":"it is off","zh":"它已关闭"}],"#
                + #""zh":"{1} 的 {0}：{2}"},"{0} <b>",{"en":"plain","zh":"文字"}]"#)
        #expect(try JSONDecoder().decode([Phrase].self, from: Data(text.utf8)) == phrases)
    }

    @Test func aBookTranslatesLinesOfPrograms() {
        let book = PhraseBook(
            lines: [
                ("found {} at {} dBm", "发现 {}，信号强度 {} dBm"), ("write {} to {}", "向 {1} 写入 {0}"),
                ("it is {word}", "它{word}"),
            ],
            words: [("on", "已打开")])
        #expect(book.phrase("found on at -50 dBm").inChinese == "发现 on，信号强度 -50 dBm")
        #expect(book.phrase("write 01 to FF01").inChinese == "向 FF01 写入 01")
        #expect(book.phrase("write 01 to FF01").description == "write 01 to FF01")
        #expect(book.phrase("it is on").inChinese == "它已打开")
        #expect(book.phrase("it is <b>").inChinese == "它<b>")
        #expect(book.phrase("something else").data == "something else")
        #expect(!book.knows("something else"))
    }
}
