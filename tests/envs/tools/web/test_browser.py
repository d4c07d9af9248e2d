"""The browser: forms as HTML sends them, the way back, and what cannot be done, in words."""

import copy
from dataclasses import dataclass

import pytest

from zerogym.envs.tools.web.browser import MAX_HISTORY, Browser, Refused
from zerogym.envs.tools.web.dom import (
    Page,
    box,
    button,
    checkbox,
    entry,
    form,
    hidden,
    link,
    radio,
    select,
    text,
)
from zerogym.envs.tools.web.showing import MAX_TEXT, show_page, show_window
from zerogym.envs.tools.web.site import MAX_FIELDS, MAX_URL, Data, Fields, Site, read_fields
from zerogym.envs.tools.web.tools import MAX_TYPED, web_tools


@dataclass(frozen=True)
class Sample(Site):
    """One form with every kind of field, and a long page that links to itself."""

    category = "sample"
    question = "nothing"

    def first_data(self) -> Data:
        return {"sent": []}

    def goal(self) -> Data:
        return {"sent": [1]}

    def acts(self) -> list:
        return []

    def get(self, data: Data, path: str, fields: Fields) -> Page | None:
        if path == "/long":
            rows = [box("tr", text(f"row {i}"), link(f"Row {i}", "/long")) for i in range(60)]
            return self.page("Long", box("table", *rows))
        if path != "/":
            return None
        return self.page(
            "All",
            form(
                "/send",
                hidden("token", "7"),
                entry("Name", "name", "Bo"),
                checkbox("Tea", "drink", "tea", checked=True),
                checkbox("Milk", "drink", "milk"),
                radio("Red", "colour", "red"),
                radio("Blue", "colour", "blue"),
                select("Size", "size", ("S", "M")),
                button("Save", "verb", "save"),
                button("Drop", "verb", "drop"),
            ),
            form("/other", radio("Green", "colour", "green"), button("Other")),
            link("Long", "/long"),
        )

    def post(self, data: Data, path: str, fields: Fields) -> str | None:
        data["sent"].append([path, {k: list(v) for k, v in fields.items()}])
        return None if path == "/other" else "/long"


START, NAME, TEA, MILK, RED, BLUE, SIZE, SAVE, DROP, GREEN, OTHER, LONG = range(1, 13)


@pytest.fixture
def browser() -> Browser:
    return Browser.of(Sample(0))


def test_a_form_sends_what_html_says(browser: Browser) -> None:
    browser.type("Ada\nB", NAME)
    browser.click(MILK)
    browser.click(RED)
    browser.click(GREEN)  # another form: red stays on
    browser.click(BLUE)  # the same group: red goes off
    browser.select("M", SIZE)
    browser.click(DROP)
    sent = {
        "token": ["7"], "name": ["Ada B"], "drink": ["tea", "milk"], "colour": ["blue"],
        "size": ["M"], "verb": ["drop"],
    }  # fmt: skip
    assert browser.data["sent"] == [["/send", sent]]
    assert browser.url == "/long"


def test_an_untouched_form_sends_its_defaults_and_no_radio_button(browser: Browser) -> None:
    browser.click(SAVE)
    assert browser.data["sent"][0][1] == {
        "token": ["7"], "name": ["Bo"], "drink": ["tea"], "size": ["S"], "verb": ["save"]
    }  # fmt: skip


def test_a_box_that_is_clicked_twice_is_as_before(browser: Browser) -> None:
    before = show_page(browser)
    browser.click(TEA)
    assert 'checkbox "Tea" (off)' in show_page(browser)
    browser.click(TEA)
    browser.focus = 0
    assert show_page(browser) == before


def test_back_goes_to_the_page_before_without_what_was_typed(browser: Browser) -> None:
    browser.type("Ada", NAME)
    browser.click(LONG)
    browser.back()
    assert browser.url == "/" and '"Bo"' in show_page(browser)
    with pytest.raises(Refused, match="no page to go back"):
        browser.back()


def test_a_page_that_links_to_itself_does_not_fill_the_history(browser: Browser) -> None:
    browser.click(LONG)
    for _ in range(3 * MAX_HISTORY):
        browser.click(2)
    assert browser.history == ["/"]
    for number in range(2 * MAX_HISTORY):  # there and back again
        browser.click(1 if number % 2 == 0 else LONG)
    assert len(browser.history) == MAX_HISTORY


def test_an_address_that_does_not_exist_is_a_page(browser: Browser) -> None:
    browser.click(OTHER)
    assert browser.page.status == 404 and "Not found" in show_page(browser)
    browser.click(1)
    assert browser.url == "/"
    for url in ("/" + "a" * MAX_URL, "//[", "/?" + "a&" * MAX_FIELDS, "/info?n=99", "/info?n=-1"):
        assert browser.site.read(browser.data, url).status in (200, 404)
    assert read_fields("a=1&" * (MAX_FIELDS + 1)) == {}


def test_a_snapshot_shares_the_page_and_nothing_that_changes(browser: Browser) -> None:
    kept = copy.deepcopy(browser)
    browser.type("Ada", NAME)
    browser.click(SAVE)
    assert kept.page is not browser.page and kept.data == {"sent": []} and not kept.edits
    assert kept.site is browser.site


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("click", {"element": 99}, "There is no element 99 on this page; it has 1 to 12."),
        ("click", {"element": 10**30}, "no element"),
        ("type", {"element": SAVE, "text": "x"}, "is a button: one cannot type into it"),
        ("select", {"element": NAME, "option": "x"}, "is a text field: it has no options"),
        ("select", {"element": SIZE, "option": "L"}, "no option 'L'. Options: S, M"),
        ("back", {}, "no page to go back to"),
    ],
)
def test_what_cannot_be_done_is_said_and_changes_nothing(
    browser: Browser, tool: str, arguments: dict, said: str
) -> None:
    before = show_page(browser)
    tools = {each.name: each for each in web_tools("number")}
    result = tools[tool].call(arguments, browser)
    assert not result.ok and said in result.text
    assert show_page(browser) == before


def test_points_focus_and_scrolling(browser: Browser) -> None:
    tools = {each.name: each for each in web_tools("point")}
    assert "No field has the focus" in tools["type"].call({"text": "x"}, browser).text
    assert (
        "nothing to click at (950, 5)" in tools["click_at"].call({"x": 950, "y": 5}, browser).text
    )
    assert "does not scroll" in tools["scroll"].call({"pixels": 10}, browser).text
    browser.click(LONG)
    first = show_window(browser)
    assert "Row 3" in first and "Row 50" not in first and "goes on below" in first
    scrolled = tools["scroll"].call({"pixels": 100_000}, browser)
    assert "Row 59" in scrolled.text and 'Row 3"' not in scrolled.text
    assert "does not scroll further" in tools["scroll"].call({"pixels": 1}, browser).text
    outside = tools["click_at"].call({"x": 90, "y": -40}, browser)
    assert not outside.ok  # what is above the window cannot be clicked


def test_long_and_odd_texts_stay_within_bounds(browser: Browser) -> None:
    for odd in ("\0\ud800\x1b[2J", '"' * MAX_TYPED, "</result>" * 100):
        browser.type(odd, NAME)
        assert len(show_page(browser)) < MAX_TEXT
        show_page(browser).encode()
        browser.click(SAVE)
        browser.back()
