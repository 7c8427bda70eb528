"""Copies the reference that DocC made, so that it works below any address: DocC writes the address of the folder into each page."""

import json
import re
import shutil

from words import PRODUCTS

BASE = re.compile(r'<script>var baseUrl = "([^"]*)"</script>')
NOSCRIPT = re.compile(r"<noscript>.*?</noscript>", re.S)
BODY = re.compile(r"<body[^>]*>")
# DocC shows the template with this name above each page. A page changes its own address, so the links get whole ones when it is loaded.
HEADER = """<template id="custom-header"><style>
nav { display: flex; gap: 1.5em; padding: 0.6em 1.2em; font: 14px system-ui, sans-serif; background: #f5f5f7; }
a { color: #0b5cad; text-decoration: none; }
a:hover { text-decoration: underline; }
:host([data-color-scheme="dark"]) nav { background: #1d1d1f; }
:host([data-color-scheme="dark"]) a { color: #6cb2ff; }
@media (prefers-color-scheme: dark) {
  :host([data-color-scheme="auto"]) nav { background: #1d1d1f; }
  :host([data-color-scheme="auto"]) a { color: #6cb2ff; }
}
</style><nav aria-label="Site"><a href="index.html">OpenCoreBluetooth</a><a href="reference.html">Reference</a><a href="index.zh-CN.html" lang="zh-CN">中文</a></nav></template>
<script>for (const link of document.getElementById("custom-header").content.querySelectorAll("a")) link.href = new URL("ROOT" + link.getAttribute("href"), location.href).href</script>"""


def copy(source, output):
    """Returns the problems that it found."""
    if not (source / "metadata.json").exists():
        return [f"{source} has no reference: run Scripts/documentation"]
    shutil.copytree(source, output, ignore=shutil.ignore_patterns("*.json-temporary", "link-hierarchy.json", "linkable-entities.json"))
    for path in output.rglob("index.html"):
        text = path.read_text(encoding="utf-8")
        found = BASE.search(text)
        if not found:
            continue
        depth = len(path.relative_to(output).parts) - 1
        root = "../" * depth or "./"
        text = text.replace(f'="{found[1]}', f'="{root}')
        text = BASE.sub(f'<script>var baseUrl = new URL("{root}", location.href).pathname</script>', text)
        text = BODY.sub(lambda body, root=root: body[0] + HEADER.replace("ROOT", f"{root}../"), text, count=1)
        path.write_text(NOSCRIPT.sub("<noscript>This page requires JavaScript.</noscript>", text), encoding="utf-8")
    # The pages of DocC ask for it; without it, the browser logs an error.
    if not (output / "theme-settings.json").exists():
        (output / "theme-settings.json").write_text("{}\n", encoding="utf-8")
    missing = [name for name in PRODUCTS if not (output / "documentation" / name.lower() / "index.html").exists()]
    problems = [f"{source} has no product {name}: run Scripts/documentation" for name in missing]
    if not any("custom-header" in path.read_text(encoding="utf-8") for path in (output / "js").glob("*.js")):
        problems.append(f"{source}: the pages of this DocC do not show a header, so they have no way back to the site")
    return problems + [f"{path} is no JSON" for path in (output / "data").rglob("*.json") if not is_json(path)]


# Symbols that a program names. Operators and conformances are on the pages of their types.
SEARCHED = {"class", "struct", "enum", "protocol", "typealias", "method", "func", "property", "var", "case", "init"}


def symbols(output):
    """The entries of the search: [address, name, "", declaration and place]."""
    index = json.loads((output / "index/index.json").read_text(encoding="utf-8"))
    entries = []

    def walk(nodes, place):
        for node in nodes:
            title, path = node.get("title", ""), node.get("path", "")
            inner = [*place, title] if node.get("type") in ("module", "class", "struct", "enum", "protocol") else place
            if node.get("type") in SEARCHED and path:
                name = re.search(r"(?:func|var|let|case|class|struct|enum|protocol|typealias)\s+`?(\w+)", title)
                entries.append([f"reference{path}/", name[1] if name else title, "", f"{title} ({' / '.join(place[1:])})"])
            walk(node.get("children", []), inner)

    walk(index["interfaceLanguages"]["swift"], [])
    return entries


def is_json(path):
    try:
        json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        return False
    return True
