"""The pages of the site: links, languages, the search, and how they look on a small screen."""

import html.parser
import json
import os
import pathlib
import subprocess
import urllib.parse

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
GUIDES = ["Scan", "Connect", "Serve", "Test", "Simulate", "Publish", "Debug"]


class Links(html.parser.HTMLParser):
    """The addresses and the anchors of a page."""

    def __init__(self, text):
        super().__init__()
        self.addresses, self.anchors, self.pictures = [], set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.addresses += [values[name] for name in ("href", "src") if values.get(name)]
        self.anchors |= {values["id"]} if values.get("id") else set()
        if tag == "img":
            self.pictures.append(values.get("alt"))


def pages(folder):
    """The pages that Scripts/site writes, without those of DocC."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.html") if path.relative_to(folder).parts[0] != "reference")


def chinese(path):
    return path.replace(".html", ".zh-CN.html")


def test_no_link_is_dead(site):
    known = {path: Links((site / path).read_text(encoding="utf-8")) for path in pages(site)}
    assert len(known) > 100
    dead = []
    for path, links in known.items():
        for address in links.addresses:
            parts = urllib.parse.urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            target = os.path.normpath(pathlib.PurePosixPath(path).parent / urllib.parse.unquote(parts.path)) if parts.path else path
            if (site / target).is_dir() and (site / target / "index.html").is_file():
                continue
            if not (site / target).is_file():
                dead.append(f"{path}: {address}")
            elif parts.fragment and target in known and not target.startswith("lesson/") and urllib.parse.unquote(parts.fragment) not in known[target].anchors:
                dead.append(f"{path}: {address}: no such heading")
    assert not dead, "\n".join(dead)


def test_the_address_of_a_search_result_exists(site):
    for language in ("en", "zh"):
        text = (site / f"search-{language}.js").read_text(encoding="utf-8")
        entries = json.loads(text.split(", ", 1)[1].rstrip().removesuffix(");"))
        for address, *_ in entries:
            path, _, fragment = address.partition("#")
            assert not fragment or f'id="{fragment}"' in (site / path).read_text(encoding="utf-8"), address


def test_the_address_of_a_symbol_exists(site_with_reference):
    text = (site_with_reference / "search-reference.js").read_text(encoding="utf-8")
    entries = json.loads(text.split(", ", 1)[1].rstrip().removesuffix(");"))
    assert len(entries) > 1000
    for address, *_ in entries:
        assert (site_with_reference / address / "index.html").is_file(), address


def test_every_page_fits_a_phone_and_logs_no_error(open_page, site, address):
    page = open_page("index.html", width=390, height=844)
    wide = []
    for path in pages(site):
        if path.startswith("lesson/"):
            continue
        page.goto(address + path)
        if page.evaluate("document.documentElement.scrollWidth") > 390:
            wide.append(path)
        assert page.evaluate("document.querySelectorAll('h1').length") <= 1, path
    assert not wide, f"these pages scroll to the side: {wide}"


@pytest.mark.parametrize("path", ["index.html", "Documentation/Guides/Scan.html", "Documentation/Guides/Scan.zh-CN.html", "Documentation/bluelab.html", "Documentation/Radio.html"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_is_accessible(open_page, axe, path, scheme):
    axe(open_page(path, scheme=scheme))


@pytest.mark.parametrize("guide", GUIDES)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_guide_says_for_whom_it_is_and_has_a_picture_or_a_print(open_page, guide, language):
    path = f"Documentation/Guides/{guide}.html"
    page = open_page(path if language == "en" else chinese(path), of="file")
    assert page.locator("main p").first.inner_text().startswith(("For a reader", "适合"))
    assert page.locator("main img, main pre").count() >= 1
    for picture in page.locator("main img").all():
        picture.scroll_into_view_if_needed()
        page.wait_for_function("(image) => image.complete && image.naturalWidth > 0", arg=picture.element_handle())
        assert picture.get_attribute("alt")


@pytest.mark.parametrize("of", ["server", "file"])
def test_both_languages_lead_to_each_other(open_page, of):
    page = open_page("Documentation/Guides/Scan.html", of=of)
    assert page.get_attribute("html", "lang") == "en"
    page.click("header .language")
    page.wait_for_url("**/Documentation/Guides/Scan.zh-CN.html")
    assert page.get_attribute("html", "lang") == "zh-CN" and page.inner_text("h1") == "扫描"
    page.click("header .language")
    page.wait_for_url("**/Documentation/Guides/Scan.html")
    # A page of one language leads to the beginning in the other one.
    page = open_page("Documentation/Fleet.html", of=of)
    page.click("header .language")
    page.wait_for_url("**/index.zh-CN.html")


@pytest.mark.parametrize("of", ["server", "file"])
@pytest.mark.parametrize(("path", "words", "expected"), [
    ("index.html", "scan", "Documentation/Guides/Scan.html"),
    ("Documentation/Guides/Scan.html", "minimum-rssi", "Documentation/"),
    ("Documentation/Internals/Host.html", "supervision timeout", "Documentation/"),
    ("index.zh-CN.html", "扫描", "Documentation/Guides/Scan.zh-CN.html"),
    ("index.zh-CN.html", "状态恢复", "Documentation/Restoration.zh-CN.html"),
    ("index.zh-CN.html", "OpenCombine", "Documentation/Combine.html"),
])
def test_the_search_finds(open_page, of, path, words, expected):
    page = open_page(path, of=of)
    page.fill(".search input", words)
    first = page.locator("#found [role=option] a").first
    first.wait_for()
    assert expected in first.get_attribute("href")
    assert words.split()[0].lower() in page.locator("#found").inner_text().lower()
    page.press(".search input", "ArrowDown")
    page.press(".search input", "Enter")
    page.wait_for_url(lambda url: expected in url)


def test_the_search_says_that_nothing_is_found_and_is_closed_by_escape(open_page):
    page = open_page("index.html")
    page.keyboard.press("/")
    page.keyboard.type("zzzqqq <b>")
    page.locator("#found", has_text="Nothing found.").wait_for()
    page.keyboard.press("Escape")
    page.locator("#found").wait_for(state="hidden")


def test_the_colours_are_chosen_and_kept(open_page):
    page = open_page("index.html")
    back = "getComputedStyle(document.documentElement).backgroundColor"
    light = page.evaluate(back)
    page.click(".theme")
    page.click(".theme")
    dark = page.evaluate(back)
    assert light != dark
    page.goto(page.url.replace("index.html", "Documentation/Radio.html"))
    assert page.evaluate(back) == dark


def test_the_list_of_pages_opens_on_a_phone(open_page):
    page = open_page("index.html", width=390, height=844)
    assert not page.is_visible(".menu nav")
    page.click(".menu summary")
    page.click(".menu nav a >> text=BlueZ")
    page.wait_for_url("**/Documentation/BlueZ.html")
    assert not page.is_visible(".menu nav")


def test_a_site_without_the_reference_says_how_to_make_it(tmp_path):
    subprocess.run([ROOT / "Scripts" / "site", tmp_path / "site"], check=True)
    assert "Scripts/documentation" in (tmp_path / "site" / "reference.html").read_text(encoding="utf-8")
    assert not (tmp_path / "site" / "search-reference.js").exists()


def test_the_reference_has_all_products(open_page, site_with_reference, address):
    page = open_page("reference.html")
    links = [link.get_attribute("href") for link in page.locator("main .cards a").all()]
    folders = (site_with_reference / "reference/documentation").iterdir()
    made = [f"reference/documentation/{folder.name}/" for folder in folders if folder.is_dir()]
    assert sorted(links) == sorted(made)
    for link in links:
        page.goto(address + link)
        page.locator("main h1, .documentation-hero h1").first.wait_for()
        assert page.locator("main h1, .documentation-hero h1").first.inner_text().replace("\u200b", "").lower() in link
        page.set_viewport_size({"width": 390, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.set_viewport_size({"width": 1280, "height": 800})


def test_the_reference_leads_back_to_the_site(open_page, site_with_reference, address):
    page = open_page("reference/documentation/corebluetooth/")
    # A page of another depth, in the same document.
    page.locator("main a[href*='corebluetooth/cb']").first.click()
    page.wait_for_url("**/documentation/corebluetooth/cb*")
    for text, end in [("OpenCoreBluetooth", "index.html"), ("Reference", "reference.html"), ("中文", "index.zh-CN.html")]:
        assert page.locator("custom-header a", has_text=text).get_attribute("href") == address + end
    page.locator("custom-header a").first.click()
    page.wait_for_url(address + "index.html")


@pytest.mark.parametrize(("words", "expected"), [("CBPeripheral", "reference/documentation/corebluetooth/cbperipheral/"), ("cancelPeripheralConnection", "reference/documentation/corebluetooth/")])
def test_the_search_finds_symbols_of_the_reference(open_page, site_with_reference, words, expected):
    page = open_page("Documentation/Radio.html")
    page.fill(".search input", words)
    page.locator("#found [role=option] a").first.wait_for()
    addresses = [link.get_attribute("href") for link in page.locator("#found a").all()]
    assert addresses[0].removeprefix("../").startswith(expected)
    page.press(".search input", "Enter")
    page.locator("main h1, .documentation-hero h1").first.wait_for()
