import Testing
import UniformTypeIdentifiers

@Suite struct UTTypeTests {
    @Test(arguments: [
        ("json", "public.json", "application/json"), ("JPG", "public.jpeg", "image/jpeg"),
        ("csv", "public.comma-separated-values-text", "text/csv"), ("zip", "public.zip-archive", "application/zip"),
        ("mov", "com.apple.quicktime-movie", "video/quicktime"), ("txt", "public.plain-text", "text/plain"),
        ("pdf", "com.adobe.pdf", "application/pdf"), ("m4a", "com.apple.m4a-audio", "audio/x-m4a"),
    ])
    func anExtensionHasItsTypeAndMIMEType(name: String, identifier: String, mimeType: String) throws {
        let type = try #require(UTType(filenameExtension: name))
        #expect(type.identifier == identifier)
        #expect(type.preferredMIMEType == mimeType)
        #expect(UTType(mimeType: mimeType.uppercased()) == type)
        #expect(UTType(identifier) == type)
        #expect(type.isDeclared && !type.isDynamic)
        #expect(type.tags[.filenameExtension]?.contains(name.lowercased()) == true)
    }

    @Test func theFirstExtensionIsPreferred() {
        #expect(UTType.jpeg.preferredFilenameExtension == "jpeg")
        #expect(UTType.html.preferredFilenameExtension == "html")
        #expect(UTType.image.preferredFilenameExtension == nil)
        #expect(UTType.image.preferredMIMEType == nil)
    }

    @Test func typesConformToTheirParentsAndThoseAbove() {
        #expect(UTType.commaSeparatedText.conforms(to: .text))
        #expect(UTType.commaSeparatedText.conforms(to: .item))
        #expect(UTType.svg.supertypes == [.image, .xml, .text, .data, .content, .item])
        #expect(UTType.png.conforms(to: .png) && !UTType.png.isSubtype(of: .png))
        #expect(UTType.image.isSupertype(of: .heic) && UTType.heic.isSubtype(of: .heif))
        #expect(!UTType.image.conforms(to: .png))
        #expect(!UTType.folder.conforms(to: .data))
        #expect(UTType.zip.conforms(to: .archive) && UTType.zip.conforms(to: .data))
        #expect(UTType.item.supertypes.isEmpty)
    }

    @Test func anUnknownExtensionHasADynamicType() throws {
        let firmware = try #require(UTType(filenameExtension: "HEX"))
        #expect(firmware.isDynamic && firmware.identifier.hasPrefix("dyn."))
        #expect(firmware.preferredFilenameExtension == "hex")
        #expect(firmware.conforms(to: .data) && !firmware.conforms(to: .text))
        #expect(UTType(filenameExtension: "hex") == firmware)
        let text = try #require(UTType(filenameExtension: "hex", conformingTo: .plainText))
        #expect(text != firmware && text.conforms(to: .text))
        // Known, but not as text.
        let other = try #require(UTType(filenameExtension: "png", conformingTo: .text))
        #expect(other.isDynamic && other != .png)
        let hostile = try #require(UTType(filenameExtension: "a.b/é\n"))
        #expect(hostile.identifier.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == ".") })
        #expect(UTType(filenameExtension: "") == nil)
        #expect(UTType(mimeType: "") == nil)
        #expect(UTType(mimeType: "application/x-firmware")?.preferredMIMEType == "application/x-firmware")
    }

    @Test func aProgramDeclaresTypesOnTopOfEachOther() throws {
        #expect(UTType("org.example.firmware") == nil)
        let firmware = UTType(exportedAs: "org.Example.firmware", conformingTo: .zip)
        let signed = UTType(importedAs: "org.example.signed-firmware", conformingTo: firmware)
        #expect(firmware.identifier == "org.example.firmware")
        #expect(signed.conforms(to: firmware) && signed.conforms(to: .archive) && !firmware.conforms(to: signed))
        #expect(UTType(exportedAs: "org.example.plain").conforms(to: .data))
        #expect(UTType(importedAs: "public.json").preferredMIMEType == "application/json")
        #expect(!firmware.isPublic && UTType.json.isPublic)
    }

    @Test func aTypeIsCodedAsItsIdentifier() throws {
        let data = try JSONEncoder().encode([UTType.json, UTType(exportedAs: "org.example.firmware")])
        #expect(String(decoding: data, as: UTF8.self) == #"["public.json","org.example.firmware"]"#)
        let types = try JSONDecoder().decode([UTType].self, from: data)
        #expect(types[0].preferredFilenameExtension == "json")
        #expect(types[1].identifier == "org.example.firmware")
    }

    @Test func everyDeclaredTypeIsFoundByItsTags() {
        for type in UTType.types(tag: "xml", tagClass: .filenameExtension, conformingTo: nil) { #expect(type == .xml) }
        #expect(UTType.types(tag: "xml", tagClass: .filenameExtension, conformingTo: .image).isEmpty)
        #expect(UTType.types(tag: "text/xml", tagClass: .mimeType, conformingTo: .text) == [.xml])
        #expect(UTType(tag: "png", tagClass: .filenameExtension, conformingTo: nil) == .png)
    }
}
