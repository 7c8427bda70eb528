# Prints the imports that Linux compiles in Swift files, each as a module and a file with a tabulator between them.
# usage: awk -v names="MODULE ..." -f active-imports.awk FILE ...
#
# Evaluates the conditions around an import: `os(Linux)` is true, and `canImport` is true for the names and for the modules of the toolchain.

BEGIN {
    names = " Swift Foundation FoundationEssentials FoundationNetworking FoundationXML Dispatch Glibc XCTest Testing Observation " \
        "Synchronization _Concurrency _StringProcessing RegexBuilder Distributed " names " "
}
function atom(text) {
    if (text ~ /^canImport\(/) {
        gsub(/^canImport\(|[,.)].*$/, "", text)
        return index(names, " " text " ") > 0
    }
    if (text ~ /^(swift|compiler)\(/) return text !~ /</
    return text ~ /^(os\(Linux\)|arch\(|hasFeature\(|hasAttribute\(|_endian\(little\)|DEBUG$|SWIFT_PACKAGE$|true$)/
}
# A condition of 0, 1, !, && and ||, without parentheses.
function flat(text) {
    gsub(/!!/, "", text)
    gsub(/!1/, "-", text)
    gsub(/!0/, "1", text)
    gsub(/-/, "0", text)
    while (sub(/0&&0|0&&1|1&&0/, "0", text) || sub(/1&&1/, "1", text)) {}
    while (sub(/0\|\|0/, "0", text) || sub(/[01]\|\|[01]/, "1", text)) {}
    return text
}
function value(text) {
    sub(/\/\/.*/, "", text)
    gsub(/[ \t\r]/, "", text)
    while (match(text, /[A-Za-z_][A-Za-z0-9_]*(\([^()]*\))?/))
        text = substr(text, 1, RSTART - 1) atom(substr(text, RSTART, RLENGTH)) substr(text, RSTART + RLENGTH)
    while (match(text, /\([^()]*\)/))
        text = substr(text, 1, RSTART - 1) flat(substr(text, RSTART + 1, RLENGTH - 2)) substr(text, RSTART + RLENGTH)
    return flat(text) == "1"
}
FNR == 1 { depth = 0; active[0] = 1 }
/^[ \t]*#if[ \t(!]/ {
    sub(/^[ \t]*#if/, "")
    taken[++depth] = value($0)
    active[depth] = active[depth - 1] && taken[depth]
    next
}
/^[ \t]*#elseif[ \t(!]/ && depth > 0 {
    sub(/^[ \t]*#elseif/, "")
    active[depth] = active[depth - 1] && !taken[depth] && value($0)
    taken[depth] = taken[depth] || active[depth]
    next
}
/^[ \t]*#else/ && depth > 0 { active[depth] = active[depth - 1] && !taken[depth] }
/^[ \t]*#endif/ && depth > 0 { depth-- }
active[depth] && match($0, /^[ \t]*((@[A-Za-z_]+(\([^)]*\))?|public|package|internal|fileprivate|private)[ \t]+)*import[ \t]+/) {
    name = substr($0, RSTART + RLENGTH)
    sub(/^(class|struct|enum|protocol|typealias|func|let|var)[ \t]+/, "", name)
    if (match(name, /^[A-Za-z_][A-Za-z0-9_]*/)) print substr(name, 1, RLENGTH) "\t" FILENAME
}
