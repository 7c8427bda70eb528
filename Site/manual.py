"""The tool's manual as HTML, from the page for `man` that Scripts/generate-manual writes. It knows the requests of that page, and fails on others."""

import html
import re

from markdown import anchor

FONT = re.compile(r"\\f([BIR])")


def words(text):
    """A line without the escapes of roff."""
    return FONT.sub("", text).replace("\\-", "-").replace("\\&", "").replace("\\e", "\\")


def inline(text):
    out, open_tag = [], ""
    parts = FONT.split(text)
    out.append(html.escape(words(parts[0]), quote=False))
    for font, part in zip(parts[1::2], parts[2::2]):
        out.append(f"</{open_tag}>" if open_tag else "")
        open_tag = {"B": "b", "I": "i"}.get(font, "")
        out.append(f"<{open_tag}>" if open_tag else "")
        out.append(html.escape(words(part), quote=False))
    out.append(f"</{open_tag}>" if open_tag else "")
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", "".join(out))


class Manual:
    """Has the attributes of a Document of markdown.py."""

    def __init__(self, text):
        self.title, self.headings, self.sections, self.addresses, self.marks = "bluelab", [], [], [], []
        self.pictures = self.prints = self.tables = 0
        self._used, self._out, self._terms = {}, ["<h1>bluelab</h1>"], False
        self._read(text.split("\n"))
        self.html = "\n".join(self._out)

    def _read(self, lines):
        at = 0
        while at < len(lines):
            line = lines[at]
            at += 1
            if line.startswith((".SH ", ".SS ")):
                self._heading(2 if line[2] == "H" else 3, words(line[4:]).strip('"'))
            elif line == ".TP":
                self._term(lines[at], lines[at + 1] if at + 1 < len(lines) else "")
                at += 2
            elif line == ".nf":
                end = lines.index(".fi", at)
                body = "\n".join(words(text) for text in lines[at:end] if not text.startswith((".RS", ".RE")))
                self._close()
                self._say(body)
                self.prints += 1
                self._out.append(f'<pre tabindex="0"><code>{html.escape(body, quote=False)}\n</code></pre>')
                at = end + 1
            elif line == ".PP":
                self._close()
            elif line.startswith((".\\\"", ".TH ")) or not line.strip():
                continue
            elif line.startswith("."):
                raise ValueError(f"the manual has the unknown request {line}")
            else:
                self._close()
                self._say(words(line))
                self._out.append(f"<p>{inline(line)}</p>")
        self._close()

    def _heading(self, level, text):
        self._close()
        shown = text.capitalize() if text.isupper() else text
        name = anchor(shown, self._used)
        self.headings.append((level, name, shown))
        self.sections.append([name, shown, ""])
        self._out.append(f'<h{level} id="{name}">{html.escape(shown)}<a class="anchor" href="#{name}" aria-label="#{html.escape(shown)}"></a></h{level}>')

    def _term(self, term, text):
        if not self._terms:
            self._out.append('<dl class="options">')
            self._terms = True
        self._say(words(term) + " " + words(text))
        self._out.append(f"<dt>{inline(term)}</dt><dd>{inline(text)}</dd>")

    def _close(self):
        if self._terms:
            self._out.append("</dl>")
            self._terms = False

    def _say(self, text):
        if self.sections:
            self.sections[-1][2] += " " + text
