"""The frame of the page: its views, its languages and its connection."""

import pytest


def test_the_link_opens_the_page_with_its_views(page):
    tabs = page.locator("nav.tabs a")
    assert tabs.all_inner_texts() == ["Room", "Lesson", "Explorer", "Maker", "Packets"]
    for name in ["lesson", "explorer", "maker", "packets", "room"]:
        page.click(f"nav.tabs a[data-view={name}]")
        page.wait_for_selector(f"body[data-view={name}]")
        assert page.locator("nav.tabs a[aria-current=page]").get_attribute("data-view") == name


def test_the_language_of_the_browser_is_used_and_can_be_changed(open_page):
    page = open_page(language="zh")
    assert page.locator("html").get_attribute("lang") == "zh-CN"
    assert page.title() == "工作室"
    page.click("button.language")
    assert page.locator("html").get_attribute("lang") == "en"
    assert page.title() == "Studio"
    page.reload()
    page.wait_for_selector("body[data-link=open]", state="attached")
    assert page.title() == "Studio"


@pytest.mark.parametrize("width", [1280, 360])
def test_the_page_is_no_wider_than_the_screen(open_page, width):
    page = open_page(width=width)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", [1280, 360])
def test_a_sentence_at_the_bottom_leaves_the_time_bar_free(open_page, width):
    page = open_page(width=width, height=740)
    page.click(".devices .list .item >> nth=0")
    page.click(".item-card summary")
    page.click(".item-card button.danger")
    page.wait_for_selector(".say.shown")
    sentence, bar = page.locator(".say").bounding_box(), page.locator(".time").bounding_box()
    assert sentence["y"] + sentence["height"] <= bar["y"]
    assert sentence["x"] >= 0 and sentence["x"] + sentence["width"] <= width
