// The types that the system declares, which are those of Apple's that a library without a screen meets.

extension UTType {
    /// Anything that the system can hold.
    public static let item = declared("public.item")
    /// Anything with content for a user.
    public static let content = declared("public.content")
    /// Content of several kinds.
    public static let compositeContent = declared("public.composite-content")
    /// A sequence of octets.
    public static let data = declared("public.data")
    /// A directory.
    public static let directory = declared("public.directory")
    /// A directory that a user sees.
    public static let folder = declared("public.folder")
    /// A directory that a user sees as a file.
    public static let package = declared("com.apple.package")
    /// A directory with a known structure.
    public static let bundle = declared("com.apple.bundle")
    /// A program.
    public static let executable = declared("public.executable")
    /// A program for Unix.
    public static let unixExecutable = declared("public.unix-executable")
    /// An address.
    public static let url = declared("public.url")
    /// The address of a file.
    public static let fileURL = declared("public.file-url")
    /// Text.
    public static let text = declared("public.text")
    /// Text without markup.
    public static let plainText = declared("public.plain-text")
    /// Text in UTF-8.
    public static let utf8PlainText = declared("public.utf8-plain-text")
    /// Values between delimiters.
    public static let delimitedText = declared("public.delimited-values-text")
    /// Values between commas.
    public static let commaSeparatedText = declared("public.comma-separated-values-text")
    /// Values between tabulators.
    public static let tabSeparatedText = declared("public.tab-separated-values-text")
    /// Rich text.
    public static let rtf = declared("public.rtf")
    /// A page in HTML.
    public static let html = declared("public.html")
    /// A document in XML.
    public static let xml = declared("public.xml")
    /// A document in YAML.
    public static let yaml = declared("public.yaml")
    /// A value in JSON.
    public static let json = declared("public.json")
    /// A log.
    public static let log = declared("public.log")
    /// A program's text.
    public static let sourceCode = declared("public.source-code")
    /// A program's text in Swift.
    public static let swiftSource = declared("public.swift-source")
    /// A program's text in C.
    public static let cSource = declared("public.c-source")
    /// A header in C.
    public static let cHeader = declared("public.c-header")
    /// A program's text in C++.
    public static let cPlusPlusSource = declared("public.c-plus-plus-source")
    /// A program's text in Objective-C.
    public static let objectiveCSource = declared("public.objective-c-source")
    /// A script.
    public static let script = declared("public.script")
    /// A script for a shell.
    public static let shellScript = declared("public.shell-script")
    /// A script in Python.
    public static let pythonScript = declared("public.python-script")
    /// A script in JavaScript.
    public static let javaScript = declared("com.netscape.javascript-source")
    /// A property list.
    public static let propertyList = declared("com.apple.property-list")
    /// A property list in XML.
    public static let xmlPropertyList = declared("com.apple.xml-property-list")
    /// A property list in its binary form.
    public static let binaryPropertyList = declared("com.apple.binary-property-list")
    /// A document in PDF.
    public static let pdf = declared("com.adobe.pdf")
    /// An image.
    public static let image = declared("public.image")
    /// An image in JPEG.
    public static let jpeg = declared("public.jpeg")
    /// An image in PNG.
    public static let png = declared("public.png")
    /// An image in GIF.
    public static let gif = declared("com.compuserve.gif")
    /// An image in TIFF.
    public static let tiff = declared("public.tiff")
    /// An image in BMP.
    public static let bmp = declared("com.microsoft.bmp")
    /// An image in SVG.
    public static let svg = declared("public.svg-image")
    /// An image in HEIF.
    public static let heif = declared("public.heif-standard")
    /// An image in HEIC.
    public static let heic = declared("public.heic")
    /// An image in WebP.
    public static let webP = declared("org.webmproject.webp")
    /// Sound or moving images.
    public static let audiovisualContent = declared("public.audiovisual-content")
    /// Sound.
    public static let audio = declared("public.audio")
    /// Sound in MP3.
    public static let mp3 = declared("public.mp3")
    /// Sound in MPEG-4.
    public static let mpeg4Audio = declared("public.mpeg-4-audio")
    /// Sound in WAVE.
    public static let wav = declared("com.microsoft.waveform-audio")
    /// Sound in AIFF.
    public static let aiff = declared("public.aiff-audio")
    /// Notes in MIDI.
    public static let midi = declared("public.midi-audio")
    /// Moving images, possibly with sound.
    public static let movie = declared("public.movie")
    /// Moving images without sound.
    public static let video = declared("public.video")
    /// A movie in QuickTime.
    public static let quickTimeMovie = declared("com.apple.quicktime-movie")
    /// A movie in MPEG-4.
    public static let mpeg4Movie = declared("public.mpeg-4")
    /// An archive.
    public static let archive = declared("public.archive")
    /// An archive in ZIP.
    public static let zip = declared("public.zip-archive")
    /// Compressed data in gzip.
    public static let gzip = declared("org.gnu.gnu-zip-archive")
    /// Compressed data in bzip2.
    public static let bz2 = declared("public.bzip2-archive")
    /// A font.
    public static let font = declared("public.font")
    /// A person's addresses.
    public static let contact = declared("public.contact")
    /// A person's addresses in vCard.
    public static let vCard = declared("public.vcard")
    /// An event of a calendar.
    public static let calendarEvent = declared("public.calendar-event")
    /// A database.
    public static let database = declared("public.database")
    /// A certificate with its private key.
    public static let pkcs12 = declared("com.rsa.pkcs-12")
    /// A certificate.
    public static let x509Certificate = declared("public.x509-certificate")

    private static func declared(_ identifier: String) -> UTType { UTType(Declaration.all[identifier]!) }
}

extension Declaration {
    /// The declarations by their identifiers.
    static let all = Dictionary(uniqueKeysWithValues: list.map { ($0.identifier, $0) })

    /// In the order in which a search for an extension or a MIME type finds them.
    static let list: [Declaration] = {
        func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }
        var declared: [String: Declaration] = [:]
        return rows.map { identifier, parents, extensions, mimeTypes in
            let tags = [UTTagClass.filenameExtension: words(extensions), .mimeType: words(mimeTypes)]
            let declaration = Declaration(
                identifier, words(parents).map { declared[$0]! }, tags.filter { !$0.value.isEmpty })
            declared[identifier] = declaration
            return declaration
        }
    }()

    /// Identifiers, the types to which each conforms directly, which come first, its extensions and its MIME types.
    private static let rows: [(String, String, String, String)] = [
        ("public.item", "", "", ""),
        ("public.content", "", "", ""),
        ("public.composite-content", "public.content", "", ""),
        ("public.data", "public.item", "", ""),
        ("public.directory", "public.item", "", ""),
        ("public.folder", "public.directory", "", ""),
        ("com.apple.package", "public.directory", "", ""),
        ("com.apple.bundle", "public.directory", "", ""),
        ("public.executable", "public.item", "", ""),
        ("public.unix-executable", "public.data public.executable", "", ""),
        ("public.url", "public.data", "", ""),
        ("public.file-url", "public.url", "", ""),
        ("public.text", "public.data public.content", "", ""),
        ("public.plain-text", "public.text", "txt text", "text/plain"),
        ("public.utf8-plain-text", "public.plain-text", "", ""),
        ("public.delimited-values-text", "public.text", "", ""),
        (
            "public.comma-separated-values-text", "public.delimited-values-text", "csv",
            "text/csv text/comma-separated-values"
        ),
        ("public.tab-separated-values-text", "public.delimited-values-text", "tsv", "text/tab-separated-values"),
        ("public.rtf", "public.text", "rtf", "text/rtf"),
        ("public.html", "public.text", "html htm", "text/html"),
        ("public.xml", "public.text", "xml", "application/xml text/xml"),
        ("public.yaml", "public.text", "yml yaml", "application/x-yaml"),
        ("public.json", "public.text", "json", "application/json"),
        ("public.log", "public.plain-text", "log", ""),
        ("public.source-code", "public.plain-text", "", ""),
        ("public.swift-source", "public.source-code", "swift", ""),
        ("public.c-source", "public.source-code", "c", ""),
        ("public.c-header", "public.source-code", "h", ""),
        ("public.c-plus-plus-source", "public.source-code", "cpp cp c++ cc cxx", ""),
        ("public.objective-c-source", "public.source-code", "m", ""),
        ("public.script", "public.source-code", "", ""),
        ("public.shell-script", "public.script", "sh command", ""),
        ("public.python-script", "public.script", "py", "text/x-python-script"),
        ("com.netscape.javascript-source", "public.source-code public.executable", "js", "text/javascript"),
        ("com.apple.property-list", "public.data", "plist", ""),
        ("com.apple.xml-property-list", "com.apple.property-list public.xml", "", ""),
        ("com.apple.binary-property-list", "com.apple.property-list", "", ""),
        ("com.adobe.pdf", "public.data public.composite-content", "pdf", "application/pdf"),
        ("public.image", "public.data public.content", "", ""),
        ("public.jpeg", "public.image", "jpeg jpg jpe", "image/jpeg"),
        ("public.png", "public.image", "png", "image/png"),
        ("com.compuserve.gif", "public.image", "gif", "image/gif"),
        ("public.tiff", "public.image", "tiff tif", "image/tiff"),
        ("com.microsoft.bmp", "public.image", "bmp", "image/bmp"),
        ("public.svg-image", "public.image public.xml", "svg", "image/svg+xml"),
        ("public.heif-standard", "public.image", "heif", "image/heif"),
        ("public.heic", "public.heif-standard", "heic", "image/heic"),
        ("org.webmproject.webp", "public.image", "webp", "image/webp"),
        ("public.audiovisual-content", "public.data public.content", "", ""),
        ("public.audio", "public.audiovisual-content", "", ""),
        ("public.mp3", "public.audio", "mp3", "audio/mpeg"),
        ("public.mpeg-4-audio", "public.audio", "", "audio/mp4"),
        ("com.apple.m4a-audio", "public.mpeg-4-audio", "m4a", "audio/x-m4a"),
        ("com.microsoft.waveform-audio", "public.audio", "wav wave", "audio/vnd.wave audio/wav"),
        ("public.aiff-audio", "public.audio", "aiff aif", "audio/aiff"),
        ("public.midi-audio", "public.audio", "midi mid", "audio/midi"),
        ("public.movie", "public.audiovisual-content", "", ""),
        ("public.video", "public.movie", "", ""),
        ("com.apple.quicktime-movie", "public.movie", "mov qt", "video/quicktime"),
        ("public.mpeg-4", "public.movie", "mp4", "video/mp4"),
        ("public.archive", "public.item", "", ""),
        ("public.zip-archive", "public.data public.archive", "zip", "application/zip"),
        ("org.gnu.gnu-zip-archive", "public.data public.archive", "gz gzip", "application/gzip application/x-gzip"),
        ("public.bzip2-archive", "public.data public.archive", "bz2 bzip2", "application/x-bzip2"),
        ("public.tar-archive", "public.data public.archive", "tar", "application/x-tar"),
        ("public.font", "public.data", "", ""),
        ("public.contact", "public.content", "", ""),
        ("public.vcard", "public.text public.contact", "vcf vcard", "text/vcard text/directory"),
        ("public.calendar-event", "public.content", "", ""),
        ("public.database", "public.item", "", ""),
        ("com.rsa.pkcs-12", "public.data", "p12 pfx", "application/x-pkcs12"),
        ("public.x509-certificate", "public.data", "cer crt der", "application/x-x509-ca-cert"),
    ]
}
