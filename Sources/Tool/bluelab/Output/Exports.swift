// Every command prints with these.
@_exported import TerminalText
