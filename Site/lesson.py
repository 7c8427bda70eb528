"""The lesson on the site: the page of the studio, with a link to recordings in place of that to a server, as one script that needs no server.

A browser that opened a page from a file loads no modules, so the modules become functions of one script, in the order in which they need each other.
"""

import base64
import gzip
import json
import pathlib
import posixpath
import re
import shutil

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
RECORDINGS = HERE / "Recordings"
# What the page imports, and what it gets on the site.
REPLACED = {
    "Studio/link.js": "Site/lesson/recorded-link.js", "Studio/parts/explorer.js": "Site/lesson/live-only.js", "Studio/parts/maker.js": "Site/lesson/live-only.js",
    "Studio/parts/packets.js": "Site/lesson/live-only.js",
}
FIRST, LAST = "Studio/app.js", "Site/lesson/site-frame.js"

IMPORT = re.compile(r"^import (?:(\{[^}]*\}|\* as \w+|\w+) from )?'(\.[^']+)';\n", re.M)
EXPORT = re.compile(r"^export (const|let|function\*?|async function|class) (\w+)", re.M)
STRAY = re.compile(r"^(?:import|export)\b.*|\bimport\(.*", re.M)

PAGE = """<!doctype html>
<html lang="{lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Studio</title>
<link rel="icon" href="../icon.svg">
{styles}
<script>{begin}</script>
<script src="studio.js" defer></script>
</head>
<body>
<noscript>The lesson needs JavaScript. 本页面需要 JavaScript。</noscript>
</body>
</html>
"""
# A link to the lesson without a part opens the list of lessons, in the language of the page that it is on.
BEGIN = "try {{ localStorage.setItem('language', '{language}'); }} catch {{ }} if (!location.hash) location.hash = 'lesson/all';"


class Bundle:
    """The modules that a module needs, itself last, as one script."""

    def __init__(self, *names):
        self.texts, self.order, self.waiting = {}, [], []
        for name in names:
            self.add(name)

    def add(self, name):
        if name in self.order:
            return
        if name in self.waiting:
            raise SystemExit(f"The modules {' → '.join([*self.waiting[self.waiting.index(name):], name])} need each other: a script cannot have them in an order.")
        self.waiting.append(name)
        self.texts[name] = self.function(name, (ROOT / name).read_text(encoding="utf-8"))
        self.waiting.pop()
        self.order.append(name)

    def function(self, name, text):
        """A module as a function of its imports, which returns its exports."""
        def imported(match):
            other = posixpath.normpath(posixpath.join(posixpath.dirname(name), match[2]))
            other = REPLACED.get(other, other)
            self.add(other)
            if not match[1]:
                return ""
            names = match[1].removeprefix("* as ") if match[1].startswith("*") else match[1].replace(" as ", ": ")
            return f"const {names} = modules['{other}'];\n"

        text = IMPORT.sub(imported, text)
        exported = [found[1] for found in EXPORT.findall(text)]
        variable = [found[1] for found in EXPORT.findall(text) if found[0] == "let"]
        if variable:
            raise SystemExit(f"{name} exports the variable {variable[0]}: the script of the site has no such exports.")
        text = EXPORT.sub(r"\1 \2", text)
        stray = STRAY.search(text)
        if stray:
            raise SystemExit(f"{name}: the script of the site cannot have `{stray[0]}`.")
        return f"modules['{name}'] = (() => {{\n{text}\nreturn {{ {', '.join(exported)} }};\n}})();\n"

    @property
    def script(self):
        return "'use strict';\n(() => {\nconst modules = {};\n" + "".join(self.texts[name] for name in self.order) + "})();\n"


def write(output, recordings):
    """Writes the folder `lesson` of the site."""
    folder = output / "lesson"
    (folder / "data").mkdir(parents=True)
    (folder / "studio.js").write_text(Bundle(FIRST, LAST).script, encoding="utf-8")
    names = re.findall(r'<link rel="stylesheet" href="([^"]+)">', (ROOT / "Studio/index.html").read_text(encoding="utf-8"))
    for name in names:
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copyfile(ROOT / "Studio" / name, folder / name)
    shutil.copyfile(HERE / "lesson/lesson.css", folder / "lesson.css")
    styles = "\n".join(f'<link rel="stylesheet" href="{name}">' for name in [*names, "lesson.css"])
    for language, lang, suffix in (("en", "en", ""), ("zh", "zh-CN", ".zh-CN")):
        page = PAGE.format(lang=lang, styles=styles, begin=BEGIN.format(language=language))
        (folder / f"index{suffix}.html").write_text(page, encoding="utf-8")
    known = sorted(path.name.removesuffix(".json.gz") for path in recordings.glob("*.json.gz"))
    for name in known:
        text = gzip.decompress((recordings / f"{name}.json.gz").read_bytes())
        if name == "catalogue":
            text = json.dumps(json.loads(text) | {"names": [other for other in known if other != name]}, ensure_ascii=False, separators=(",", ":")).encode()
        packed = base64.b64encode(gzip.compress(text, 9, mtime=0)).decode()
        (folder / "data" / f"{name}.js").write_text(f"lessonRecording({json.dumps(name)}, '{packed}');\n", encoding="utf-8")
