"""Makes the site of this repository in a folder: see Scripts/site."""

import argparse
import html
import json
import pathlib
import shutil
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import lesson  # noqa: E402
import reference  # noqa: E402
from pages import REPOSITORY, ROOT, Pages, relative  # noqa: E402
from words import PRODUCTS, WORDS  # noqa: E402

THEME = pathlib.Path(__file__).resolve().parent / "theme"
LOOK = ["site.css", "site.js"]
LESSONS = {"en": "lesson/index.html", "zh": "lesson/index.zh-CN.html"}
# A section longer than this is found by its beginning.
SEARCHED = 4000


def escape(text):
    return html.escape(text, quote=True)


class Site:
    def __init__(self, output, has_reference, has_lesson):
        self.output, self.has_reference, self.has_lesson = output, has_reference, has_lesson
        self.pages = Pages()
        self.navigations = {language: self.pages.navigation(language) for language in WORDS}

    def write(self, path, text):
        target = self.output / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    # MARK: The frame of a page

    def frame(self, target, language, title, body, other, contents="", source=None, kind="page"):
        """A whole page. `other` is the path of the same page in the other language, or None."""
        words = WORDS[language]
        root = relative(".", target)
        root = "" if root == "." else root + "/"
        exact = other or ("index.html" if language == "zh" else "index.zh-CN.html")
        reference = " data-reference" if self.has_reference else ""
        hint = "" if other else f' title="{escape(words["onlyHere"])}"'
        below = f'<footer><a href="{REPOSITORY}/blob/main/{escape(source)}">{escape(words["source"])}</a></footer>' if source else ""
        return f"""<!doctype html>
<html lang="{words['lang']}" data-root="{root}" data-language="{language}"{reference}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(title)}</title>
<link rel="icon" href="{root}icon.svg">
<link rel="stylesheet" href="{root}site.css">
<script src="{root}site.js" defer></script>
</head>
<body class="{kind}">
<a class="skip" href="#content">{escape(words['skip'])}</a>
<header>
<a class="logo" href="{root}{'index.html' if language == 'en' else 'index.zh-CN.html'}"><img src="{root}icon.svg" alt="" width="24" height="24">OpenCoreBluetooth</a>
<div class="search" role="search"><input type="search" placeholder="{escape(words['search'])}" aria-label="{escape(words['search'])}" autocomplete="off" spellcheck="false"
 role="combobox" aria-expanded="false" aria-controls="found" data-none="{escape(words['none'])}"><ul id="found" role="listbox" aria-label="{escape(words['search'])}" hidden></ul></div>
<button class="theme" type="button" aria-label="{escape(words['theme'])}" title="{escape(words['theme'])}">◐</button>
<a class="language" lang="{words['otherLang']}" hreflang="{words['otherLang']}" href="{relative(exact, target)}"{hint}>{words['other']}</a>
</header>
<div class="columns">
<details class="menu" open><summary>{escape(words['menu'])}</summary>{self.menu(target, language)}</details>
<main id="content" tabindex="-1">
{body}
{below}</main>
{contents}</div>
</body>
</html>
"""

    def menu(self, target, language):
        """The list of all pages. The present one is marked."""
        words = WORDS[language]

        def item(name, path):
            here = ' aria-current="page"' if path == target else ""
            return f'<li><a href="{escape(relative(path, target))}"{here}>{escape(name)}</a></li>'

        out = []
        for number, (title, items) in enumerate(self.navigations[language]):
            listed = [item(name, path) for name, path in items]
            if number == 1:
                listed.insert(0, item(words["play"], LESSONS[language]))
            if number == 3:
                listed.append(item(words["reference"], "reference.html" if language == "en" else "reference.zh-CN.html"))
            out.append(f"<h2>{escape(title)}</h2><ul>{''.join(listed)}</ul>")
        index = self.pages.index(language).target
        return f'<nav aria-label="{escape(words["menu"])}">{"".join(out)}<ul>{item(words["index"], index)}</ul></nav>'

    def contents(self, document, language):
        """The headings of a page, beside it on a wide screen."""
        items = [(level, name, text) for level, name, text in document.headings if level in (2, 3)]
        if len(items) > 40:
            items = [item for item in items if item[0] == 2]
        if len(items) < 2 or len(items) > 80:
            return ""
        listed = "".join(f'<li class="level{level}"><a href="#{name}">{escape(text)}</a></li>' for level, name, text in items)
        title = escape(WORDS[language]["here"])
        return f'<aside class="contents" aria-label="{title}"><h2>{title}</h2><ul>{listed}</ul></aside>\n'

    # MARK: Pages

    def write_pages(self):
        for page in self.pages.by_source.values():
            other = self.pages.by_source.get(page.counterpart)
            self.write(page.target, self.frame(
                page.target, page.language, page.document.title, page.document.html, other and other.target,
                self.contents(page.document, page.language), page.source))

    def write_home(self, language):
        words = WORDS[language]
        target, other = ("index.html", "index.zh-CN.html") if language == "en" else ("index.zh-CN.html", "index.html")
        picture = f"Documentation/Pictures/studio-room{'' if language == 'en' else '-zh'}.png"
        self.pages.pictures.add(picture)
        cards = "".join(
            f'<li><a href="{escape(path)}"><b>{escape(name)}</b><span>{escape(who)}</span></a></li>' for name, who, path in self.pages.guides(language))
        readme = "README.html" if language == "en" else "README.zh-CN.html"
        body = f"""<h1>OpenCoreBluetooth</h1>
<p class="lead">{escape(words['lead'])}</p>
<p class="buttons"><a class="primary" href="{LESSONS[language]}">{escape(words['play'])}</a><a href="{readme}">{escape(words['read'])}</a>
<a href="{self.pages.index(language).target}">{escape(words['index'])}</a></p>
<p>{escape(words['playText'])}</p>
<h2 id="guides">{escape(words['guides'])}</h2>
<ul class="cards">{cards}</ul>
<p><a href="{LESSONS[language]}"><img src="{picture}" alt="{escape(words['picture'])}"></a></p>"""
        self.write(target, self.frame(target, language, "OpenCoreBluetooth", body, other, kind="home"))

    def write_reference(self, language):
        words = WORDS[language]
        target, other = ("reference.html", "reference.zh-CN.html") if language == "en" else ("reference.zh-CN.html", "reference.html")
        if self.has_reference:
            items = "".join(f'<li><a href="reference/documentation/{name.lower()}/"><b>{name}</b></a></li>' for name in PRODUCTS)
            body = f'<ul class="cards">{items}</ul><div class="served"><p>{escape(words["referenceServer"])}</p><pre><code>python3 -m http.server --directory .build/site\n</code></pre></div>'
        else:
            body = f'<p>{escape(words["referenceMissing"])}</p><pre><code>Scripts/documentation\nScripts/site --reference .build/documentation\n</code></pre>'
        body = f"<h1>{escape(words['reference'])}</h1><p>{escape(words['referenceText'])}</p>{body}"
        self.write(target, self.frame(target, language, words["reference"], body, other))

    def write_lesson(self, language):
        """Where the site has no recordings, a page that says how to see the lesson."""
        if self.has_lesson:
            return
        words = WORDS[language]
        target, other = LESSONS[language], LESSONS["zh" if language == "en" else "en"]
        body = f"<h1>{escape(words['lesson'])}</h1><p>{escape(words['lessonMissing'])}</p><pre><code>swift run bluelab studio\n</code></pre>"
        self.write(target, self.frame(target, language, words["lesson"], body, other))

    def write_search(self):
        """The words of all sections, as a script: a page that was opened from a file may load one."""
        for language in WORDS:
            entries = []
            for page in self.pages.by_source.values():
                if page.language != language:
                    continue
                for name, heading, text in page.document.sections:
                    first = name == page.document.headings[0][1] and page.document.headings[0][0] == 1
                    entries.append([page.target + ("" if first else f"#{name}"), page.document.title, "" if first else heading, " ".join(text.split())[:SEARCHED]])
            self.write_index(language, entries)

    def write_index(self, name, entries):
        text = json.dumps(entries, ensure_ascii=False, separators=(",", ":"))
        self.write(f"search-{name}.js", f"siteSearch({json.dumps(name)}, {text});\n")

    def build(self):
        self.write_pages()
        for language in WORDS:
            self.write_home(language)
            self.write_reference(language)
            self.write_lesson(language)
        self.write_search()
        for name in LOOK:
            shutil.copyfile(THEME / name, self.output / name)
        shutil.copyfile(ROOT / "Studio" / "icon.svg", self.output / "icon.svg")
        for path in sorted(self.pages.pictures):
            (self.output / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / path, self.output / path)


def main():
    parser = argparse.ArgumentParser(prog="Scripts/site", description="Makes the site of this repository.")
    parser.add_argument("folder", nargs="?", default=str(ROOT / ".build/site"), help="where the site goes; .build/site by default. Its content is replaced.")
    parser.add_argument("--reference", metavar="FOLDER", help="adds the reference that Scripts/documentation made")
    parser.add_argument("--recordings", metavar="FOLDER", default=str(lesson.RECORDINGS), help="the recordings of Scripts/record-lessons; Site/Recordings by default")
    options = parser.parse_args()
    begin = time.monotonic()
    output = pathlib.Path(options.folder).resolve()
    if output.exists() and any(output.iterdir()) and not (output / "site.css").exists():
        sys.exit(f"Scripts/site: {output} has other files than a site: give another folder, or empty it.")
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir(parents=True)
    recordings = pathlib.Path(options.recordings)
    has_lesson = recordings.is_dir() and any(recordings.glob("*.json.gz"))
    site = Site(output, bool(options.reference), has_lesson)
    site.build()
    if has_lesson:
        lesson.write(output, recordings)
    if options.reference:
        site.pages.problems += reference.copy(pathlib.Path(options.reference), output / "reference")
        if not site.pages.problems:
            site.write_index("reference", reference.symbols(output / "reference"))
    if site.pages.problems:
        sys.exit("\n".join(site.pages.problems))
    files = [path for path in output.rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files)
    print(f"site: {len(site.pages.by_source)} pages, {len(files)} files, {size / 1e6:.1f} MB, in {time.monotonic() - begin:.1f} s: {output}/index.html")


if __name__ == "__main__":
    main()
