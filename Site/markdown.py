"""Renders the Markdown of this repository as HTML: headings, paragraphs, lists, tables, fenced and indented code, quotations, images and links.

    document = Document(text, link=lambda address: ...)    `link` turns each address of a link or an image into that of the site
    document.title, document.html, document.headings       headings are (level, anchor, text)
    document.sections                                      (anchor, heading, plain text) for the search

Anchors are those of GitHub, so a link within the repository works on both. A line of HTML is an error, except for comments, `<br>` and
`<a id="..."></a>`.
"""

import html
import re

FENCE = re.compile(r"^( *)(`{3,})\s*([\w+-]*).*$")
HEADING = re.compile(r"^(#{1,6}) +(.+?) *#*$")
ITEM = re.compile(r"^( *)([-*+]|\d+[.)]) +(.*)$")
ROW_RULE = re.compile(r"^ *\|?( *:?-+:? *\|)+ *(:?-+:? *)?$")
COMMENT = re.compile(r"<!--.*?-->\n?", re.S)

# What is taken from the text before the rest is rendered: code, images, links, addresses, escaped characters, symbols and articles of DocC.
INLINE = re.compile(
    r'(?P<mark><a id="(?P<markname>[\w-]+)"></a>)|'
    r"(?P<symbol>``(?P<symbolname>[^`]+)``)|(?P<code>(?P<ticks>`+)(?P<codetext>.+?)(?P=ticks)(?!`))"
    r"|(?P<image>!\[(?P<alt>[^\]]*)\]\((?P<source>[^)\s]+)\))"
    r"|(?P<link>\[(?P<text>(?:!\[[^\]]*\]\([^)]*\)|`[^`]*`|\\.|[^\[\]`\\])*)\]\((?P<address>[^)\s]+)\))"
    r"|<(?P<auto>https?://[^>\s]+)>|<doc:(?P<article>\w+)>|(?P<br><br>)|\\(?P<escaped>[\\`*_{}\[\]()#+.!|<>~-])")


def plain(text):
    """The words of a line without its marks."""
    text = re.sub(r"!\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\[((?:`[^`]*`|[^\[\]`])*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r'<a id="[\w-]+"></a>', "", text)
    text = re.sub(r"<doc:(\w+)>", r"\1", text.replace("<br>", " "))
    return re.sub(r"(?<![\w*])\*\*?(?=\S)|(?<=\S)\*\*?(?![\w*])|`", "", text).replace("\\", "")


def anchor(text, used):
    """The anchor of a heading as GitHub makes it. `used` counts those of the page."""
    name = re.sub(r"[^\w\- ]", "", plain(text).strip().lower()).replace(" ", "-")
    number = used.get(name, 0)
    used[name] = number + 1
    return f"{name}-{number}" if number else name


class Document:
    def __init__(self, text, link=lambda address: address, article=lambda name: (name, name)):
        self.link, self.article = link, article
        self.title, self.headings, self.sections, self.addresses, self.marks = "", [], [], [], []
        self.pictures = self.prints = self.tables = 0
        self._used = {}
        self.html = self._blocks(COMMENT.sub("", text).split("\n"))

    # MARK: Blocks

    def _blocks(self, lines):
        out, at = [], 0
        while at < len(lines):
            line = lines[at]
            if not line.strip():
                at += 1
                continue
            for reader in (self._fence, self._heading, self._rule, self._quote, self._table, self._list, self._indented):
                found = reader(lines, at)
                if found:
                    text, at = found
                    out.append(text)
                    break
            else:
                text, at = self._paragraph(lines, at)
                out.append(text)
        return "\n".join(out)

    def _fence(self, lines, at):
        match = FENCE.match(lines[at])
        if not match:
            return None
        indent, ticks, language = len(match[1]), match[2], match[3]
        end = at + 1
        while end < len(lines) and not re.fullmatch(rf" *`{{{len(ticks)},}} *", lines[end]):
            end += 1
        body = "\n".join(line[indent:] if not line[:indent].strip() else line for line in lines[at + 1:end])
        self.prints += 1
        self._say(body)
        return self._code(body, language), end + 1

    def _code(self, body, language):
        name = f' class="language-{html.escape(language)}"' if language else ""
        return f'<pre tabindex="0"><code{name}>{html.escape(body, quote=False)}\n</code></pre>'

    def _indented(self, lines, at):
        if not lines[at].startswith("    "):
            return None
        end = at
        while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip() and any(
                following.startswith("    ") for following in lines[end + 1:end + 2])):
            end += 1
        body = "\n".join(line[4:] for line in lines[at:end])
        self.prints += 1
        self._say(body)
        return self._code(body, ""), end

    def _heading(self, lines, at):
        match = HEADING.match(lines[at])
        if not match:
            return None
        level, text = len(match[1]), match[2]
        name = anchor(text, self._used)
        if level == 1 and not self.title:
            self.title = plain(text)
        self.headings.append((level, name, plain(text)))
        self.sections.append([name, plain(text), ""])
        mark = f'<a class="anchor" href="#{name}" aria-label="#{html.escape(plain(text))}"></a>' if level > 1 else ""
        return f'<h{level} id="{name}">{self._inline(text)}{mark}</h{level}>', at + 1

    def _rule(self, lines, at):
        return ("<hr>", at + 1) if re.fullmatch(r" {0,3}([-*_])( *\1){2,} *", lines[at]) else None

    def _quote(self, lines, at):
        if not lines[at].startswith(">"):
            return None
        end = at
        while end < len(lines) and lines[end].startswith(">"):
            end += 1
        return f"<blockquote>{self._blocks([re.sub(r'^> ?', '', line) for line in lines[at:end]])}</blockquote>", end

    def _table(self, lines, at):
        if "|" not in lines[at] or at + 1 >= len(lines) or not ROW_RULE.match(lines[at + 1]) or "-" not in lines[at + 1]:
            return None
        sides = [{":-:": "center", "-:": "right"}.get(re.sub("-+", "-", cell).strip(), "") for cell in cells(lines[at + 1])]
        head = cells(lines[at])
        end = at + 2
        rows = []
        while end < len(lines) and "|" in lines[end]:
            rows.append(cells(lines[end]))
            end += 1
        self.tables += 1

        def row(values, tag):
            values = (values + [""] * len(head))[:len(head)]
            style = [f' class="{side}"' if side else "" for side in (sides + [""] * len(head))]
            for value in values:
                self._say(plain(value))
            return "<tr>" + "".join(f"<{tag}{style[place]}>{self._inline(value)}</{tag}>" for place, value in enumerate(values)) + "</tr>"

        heading = f"<thead>{row(head, 'th')}</thead>" if any(head) else ""
        kind = ' class="pictures"' if "![" in lines[at] else ""
        return f'<div class="table" tabindex="0"><table{kind}>{heading}<tbody>{"".join(row(values, "td") for values in rows)}</tbody></table></div>', end

    def _list(self, lines, at):
        match = ITEM.match(lines[at])
        if not match or len(match[1]) > 3:
            return None
        indent, isNumbered = len(match[1]), match[2][0].isdigit()
        items, end, isLoose = [], at, False
        while end < len(lines):
            match = ITEM.match(lines[end])
            if not match or len(match[1]) != indent or match[2][0].isdigit() != isNumbered:
                break
            width = len(lines[end]) - len(match[3])
            first = int(match[2][:-1]) if isNumbered and not items else None
            start = first if first is not None else (start if items else 1)
            item, end = [match[3]], end + 1
            while end < len(lines):
                line = lines[end]
                if line.strip() and not line.startswith(" " * min(width, indent + 2)):
                    # A line without indentation goes on with the paragraph of the item.
                    if not lines[end - 1].strip() or ITEM.match(line) or starts_block(line):
                        break
                    item.append(line.strip())
                elif not line.strip() and not any(following.startswith(" " * (indent + 2)) for following in lines[end + 1:end + 2]):
                    break
                else:
                    item.append(line[width:] if not line[:width].strip() else line.lstrip())
                end += 1
            items.append(item)
            rest = end
            while rest < len(lines) and not lines[rest].strip():
                rest += 1
            following = ITEM.match(lines[rest]) if rest < len(lines) else None
            if rest > end and following and len(following[1]) == indent and following[2][0].isdigit() == isNumbered:
                isLoose, end = True, rest
        body = "".join(f"<li>{self._item(item, isLoose)}</li>" for item in items)
        tag = "ol" if isNumbered else "ul"
        number = f' start="{start}"' if isNumbered and start != 1 else ""
        return f"<{tag}{number}>{body}</{tag}>", end

    def _item(self, lines, isLoose):
        text = self._blocks(lines)
        simple = re.fullmatch(r"<p>(.*?)</p>(.*)", text, re.S)
        return simple[1] + simple[2] if simple and not isLoose else text

    def _paragraph(self, lines, at):
        end = at
        while end < len(lines) and lines[end].strip() and (end == at or not starts_block(lines[end])):
            if end > at and ITEM.match(lines[end]) and not re.match(r" *\d", lines[end]):
                break
            end += 1
        text = joined(lines[at:end])
        self._say(plain(text))
        return f"<p>{self._inline(text)}</p>", end

    def _say(self, text):
        if self.sections:
            self.sections[-1][2] += " " + text

    # MARK: In a line

    def _inline(self, text):
        kept = []

        def keep(markup):
            kept.append(markup)
            return f"\x00{len(kept) - 1}\x00"

        text = INLINE.sub(lambda match: keep(self._taken(match)), text)
        text = html.escape(text, quote=False)
        text = re.sub(r"\*\*(?=\S)(.+?)(?<=\S)\*\*", r"<strong>\1</strong>", text)
        text = re.sub(r"(?<![\w*])\*(?=\S)(.+?)(?<=\S)\*(?![\w*])", r"<em>\1</em>", text)
        while "\x00" in text:
            text = re.sub("\x00(\\d+)\x00", lambda match: kept[int(match[1])], text)
        return text

    def _taken(self, match):
        kind = match.lastgroup
        if match["symbol"]:
            return f"<code>{html.escape(match['symbolname'].split('/')[-1].removesuffix('-type.property'), quote=False)}</code>"
        if match["code"]:
            text = match["codetext"]
            if text.strip() and text[0] == text[-1] == " ":
                text = text[1:-1]
            return f"<code>{html.escape(text, quote=False)}</code>"
        if match["image"]:
            self.pictures += 1
            return f'<img src="{html.escape(self._address(match["source"]))}" alt="{html.escape(plain(match["alt"]))}" loading="lazy">'
        if match["link"]:
            return f'<a href="{html.escape(self._address(match["address"]))}">{self._inline(match["text"])}</a>'
        if match["auto"]:
            return f'<a href="{html.escape(match["auto"])}">{html.escape(match["auto"])}</a>'
        if match["article"]:
            address, title = self.article(match["article"])
            return f'<a href="{html.escape(address)}">{html.escape(title)}</a>'
        if match["br"]:
            return "<br>"
        if match["mark"]:
            self.marks.append(match["markname"])
            return match["mark"]
        assert kind == "escaped", match[0]
        return html.escape(match["escaped"], quote=False)

    def _address(self, address):
        self.addresses.append(address)
        return self.link(address)


def starts_block(line):
    return bool(HEADING.match(line) or FENCE.match(line) or line.startswith(">") or line.startswith("|"))


WIDE = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\u3000-\u303f\u2014\u2018-\u201d]")


def joined(lines):
    """The lines of a paragraph as one. Between two Chinese characters there is no space."""
    text = lines[0].strip()
    for line in lines[1:]:
        line = line.strip()
        isWide = text and line and WIDE.match(text[-1]) and WIDE.match(line[0])
        text += ("" if isWide else " ") + line
    return text


def cells(line):
    """The cells of a row. A bar after a backslash is a character."""
    line = line.strip()
    line = line[1:] if line.startswith("|") else line
    line = line[:-1] if line.endswith("|") and not line.endswith("\\|") else line
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)]
