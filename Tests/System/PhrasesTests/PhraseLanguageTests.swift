import Testing

@testable import Phrases

/// The language of messages, as gettext chooses it.
@Suite struct PhraseLanguageTests {
    @Test(arguments: [
        (["LANG": "zh_CN.UTF-8"], true), (["LANG": "zh_TW.utf8"], true), (["LANG": "zh_CN"], true),
        (["LANG": "zh"], true),
        (["LC_MESSAGES": "zh_CN.UTF-8", "LANG": "de_DE.UTF-8"], true),
        (["LC_ALL": "en_US.UTF-8", "LC_MESSAGES": "zh_CN.UTF-8", "LANG": "zh_CN.UTF-8"], false),
        (["LC_ALL": "", "LANG": "zh_CN.UTF-8"], true), (["LC_ALL": "C.UTF-8", "LANG": "zh_CN.UTF-8"], false),
        (["LANG": "de_DE.UTF-8", "LANGUAGE": "de:zh_CN:en"], true),
        (["LANG": "en_US.UTF-8", "LANGUAGE": "zh_CN"], true),
        (["LANG": "zh_CN.UTF-8", "LANGUAGE": "en_US:zh"], false), (["LANG": "zh_CN.UTF-8", "LANGUAGE": "de:fr"], true),
        (["LANG": "C", "LANGUAGE": "zh_CN"], false), (["LANGUAGE": "zh_CN"], false), ([:], false),
        (["LANG": "zh_CN.GBK"], false), (["LANG": "zh_CN.UTF-8", "LC_CTYPE": "zh_CN.GB18030"], false),
        (["LANG": "zh_CN.UTF-8@cjknarrow"], true), (["LANG": "zha_CN.UTF-8"], false), (["LANG": "de_DE.UTF-8"], false),
    ])
    func theLocaleChoosesTheLanguage(environment: [String: String], isChinese: Bool) {
        #expect((PhraseLanguage(environment: environment) == .chinese) == isChinese, "\(environment)")
    }

    @Test func aPhraseHasTheTextOfALanguage() {
        let phrase = Phrase("\(3) devices", "\(3) 个设备")
        #expect(phrase.text(in: .english) == "3 devices" && phrase.text(in: .chinese) == "3 个设备")
    }
}
