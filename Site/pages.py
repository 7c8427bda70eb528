"""The pages of the site: which files of the repository they are, where they go, and how their links change."""

import os
import pathlib
import posixpath
import re
import urllib.parse

from manual import Manual
from markdown import Document

ROOT = pathlib.Path(__file__).resolve().parent.parent
REPOSITORY = "https://github.com/OpenCoreBluetooth/OpenCoreBluetooth"
FILES = [
    "*.md", "Documentation/**/*.md", "Examples/*.md", "Interop/README.md", "Benchmarks/README.md", "Fuzz/README.md", "AppleModules/*.md",
    "Sources/*/README.md", "Sources/CoreBluetooth/CoreBluetooth/CoreBluetooth.docc/*.md"]
# Parts of generated pages, which are no pages themselves.
LEFT_OUT = {"Documentation/InteropDisagreements.md"}
ARTICLES = "Sources/CoreBluetooth/CoreBluetooth/CoreBluetooth.docc"
MANUAL = "Documentation/bluelab.1"
PICTURES = {".png", ".svg", ".jpg"}
CHINESE = ".zh-CN.md"
OTHER = re.compile(r"^\[(?:中文|English)\]\([^)]+\)\n\n", re.M)


class Page:
    """`source` and `target` are paths in the repository and on the site."""

    def __init__(self, source):
        self.source = source
        self.target = re.sub(r"\.(md|1)$", ".html", source)
        self.language = "zh" if source.endswith(CHINESE) else "en"
        self.document = None
        self.links = []  # (path on the site, fragment) of each link to another page

    @property
    def counterpart(self):
        """The path of the same page in the other language."""
        return self.source.removesuffix(CHINESE) + ".md" if self.language == "zh" else self.source.removesuffix(".md") + CHINESE


def relative(target, page):
    """The address of a path of the site on a page of the site."""
    return os.path.relpath(target, posixpath.dirname(page) or ".").replace(os.sep, "/")


class Pages:
    def __init__(self):
        names = {path.relative_to(ROOT).as_posix() for pattern in FILES for path in ROOT.glob(pattern)} - LEFT_OUT
        self.by_source = {name: Page(name) for name in sorted(names)}
        self.by_source[MANUAL] = Page(MANUAL)
        self.pictures = set()
        self.problems = []
        for page in self.by_source.values():
            self._render(page)
        self._check_fragments()

    def _render(self, page):
        # The frame of each page leads to the other language.
        text = OTHER.sub("", (ROOT / page.source).read_text(encoding="utf-8"), count=1)
        if page.source == MANUAL:
            page.document = Manual(text)
        else:
            page.document = Document(text, lambda address: self._address(page, address), lambda name: self._article(page, name))
        if page.source.startswith("Documentation/Guides/") and not page.document.pictures + page.document.prints:
            self.problems.append(f"{page.source}: a guide has a picture or a print")

    def _article(self, page, name):
        source = f"{ARTICLES}/{name}.md"
        title = re.match(r"# (.+)", (ROOT / source).read_text(encoding="utf-8"))[1]
        return self._address(page, posixpath.relpath(source, posixpath.dirname(page.source))), title

    def _address(self, page, address):
        """The address on the site of a link in a page."""
        # An article of DocC names files by their address in the repository.
        if address.startswith(f"{REPOSITORY}/blob/main/"):
            address = relative(address.removeprefix(f"{REPOSITORY}/blob/main/"), page.source)
        parts = urllib.parse.urlsplit(address)
        if parts.scheme or parts.netloc:
            return address
        if not parts.path:
            page.links.append((page.target, parts.fragment))
            return address
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page.source), urllib.parse.unquote(parts.path)))
        fragment = f"#{parts.fragment}" if parts.fragment else ""
        for name in (path, posixpath.join(path, "README.md")):
            if name in self.by_source:
                target = self.by_source[name].target
                page.links.append((target, parts.fragment))
                return relative(target, page.target) + fragment
        if path.startswith("..") or not (ROOT / path).exists():
            self.problems.append(f"{page.source}: {address} does not exist")
            return address
        if pathlib.PurePosixPath(path).suffix in PICTURES:
            self.pictures.add(path)
            return relative(path, page.target)
        return f"{REPOSITORY}/{'tree' if (ROOT / path).is_dir() else 'blob'}/main/{urllib.parse.quote(path)}{fragment}"

    def _check_fragments(self):
        anchors = {page.target: {name for _, name, _ in page.document.headings} | set(page.document.marks) for page in self.by_source.values()}
        for page in self.by_source.values():
            for target, fragment in page.links:
                if fragment and urllib.parse.unquote(fragment) not in anchors[target]:
                    self.problems.append(f"{page.source}: {target} has no heading #{fragment}")

    def index(self, language):
        """The page that lists all others in a language."""
        return self.by_source["Documentation/README.md" if language == "en" else "Documentation/README" + CHINESE]

    def navigation(self, language):
        """The sections of the index as (title, [(text, path on the site)]). A table of guides gives its guides only."""
        index = self.index(language)
        text = (ROOT / index.source).read_text(encoding="utf-8")
        sections, listed = [], set()
        for part in re.split(r"^## ", text, flags=re.M)[1:]:
            title, _, body = part.partition("\n")
            links = re.findall(r"\[([^\]]+)\]\(([^)]+)\)", body)
            if "](Guides/" in body:
                links = [link for link in links if link[1].startswith("Guides/")]
            items = []
            for name, address in links:
                path = posixpath.normpath(posixpath.join("Documentation", address))
                if path in self.by_source and path not in listed:
                    listed.add(path)
                    items.append((name[0].upper() + name[1:], self.by_source[path].target))
            sections.append((title.strip(), items))
        return sections

    def guides(self, language):
        """The guides as (title, for whom, path on the site), in the order of the index."""
        found = []
        for name, target in self.navigation(language)[0][1]:
            page = next(page for page in self.by_source.values() if page.target == target)
            paragraph = re.search(r"^\n(?!\[)([^\n#].+?)\n\n", (ROOT / page.source).read_text(encoding="utf-8"), re.M | re.S)[1]
            found.append((name, " ".join(paragraph.split()), target))
        return found
