"""Octets of an object that ends with the expression. Objective-C keeps it until the autorelease pool is drained; Swift on Linux releases it at once."""


def rewrite(project):
    for file in project.readable:
        for index, token in enumerate(file.tokens):
            if token.text == "bytes" and file.is_active(index) and file.at(index - 1) == "." and file.at(index + 1) != "(" and makes_data(file, index - 2):
                file.replace(token.start, token.end, "autoreleasedBytes")
                file.counts["octets of a passing NSData"] += 1


def makes_data(file, close):
    """Whether `(data as NSData)` or `NSData(...)` ends here."""
    if close < 0 or file.at(close) != ")":
        return False
    opening = file.source.match[close]
    if file.at(close - 1) == "NSData" and file.at(close - 2) == "as":
        return True
    return file.at(opening - 1) == "NSData" and file.at(opening - 2) != "."
