"""The tools of a visit: by number of an element, or by points of the window."""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Literal

from zerogym.envs.tools.tool import Tool, ToolResult, one_text
from zerogym.envs.tools.web.browser import Browser, Refused
from zerogym.envs.tools.web.showing import show_page, show_window

Pointing = Literal["number", "point"]
MAX_TYPED = 2000  # characters
_NUMBER = {"type": "integer", "minimum": 1, "description": "the number of the element"}
_PIXEL = {"type": "integer", "description": "pixels from the window's upper left corner"}


class _WebTool(Tool):
    """Does one thing in the browser and shows the page that follows."""

    body = ""

    def __init__(self, show: Callable[[Browser], str] = show_page) -> None:
        self._show = show

    @abstractmethod
    def _act(self, browser: Browser, arguments: Mapping[str, Any]) -> None:
        """Change the browser, or raise `Refused`."""

    def call(self, arguments: Mapping[str, Any], state: Any) -> ToolResult:
        """Return the page as text, or why nothing was done."""
        try:
            self._act(state, arguments)
        except Refused as refused:
            return ToolResult(str(refused), ok=False)
        return ToolResult(self._show(state))


def _schema(example: Mapping[str, Any], **properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
        "examples": [example],
    }


def _text(description: str) -> Mapping[str, Any]:
    return {"type": "string", "maxLength": MAX_TYPED, "description": description}


class Click(_WebTool):
    """Clicks an element by number."""

    name = "click"
    description = "Clicks a link, a button, a box to tick, a radio button or a field."
    parameters: ClassVar = _schema({"element": 3}, element=_NUMBER)
    body = "element"

    def _act(self, browser: Browser, arguments: Mapping[str, Any]) -> None:
        browser.click(arguments["element"])


class Type(_WebTool):
    """Types into a field by number."""

    name = "type"
    description = "Replaces the text of a field."
    parameters: ClassVar = _schema(
        {"element": 2, "text": "Ada"}, element=_NUMBER, text=_text("what the field then holds")
    )

    def _act(self, browser: Browser, arguments: Mapping[str, Any]) -> None:
        browser.type(arguments["text"], arguments["element"])


class Select(_WebTool):
    """Chooses an option of a list by number."""

    name = "select"
    description = "Chooses an option of a select list."
    parameters: ClassVar = _schema(
        {"element": 4, "option": "blue"}, element=_NUMBER, option=_text("the option, exactly")
    )

    def _act(self, browser: Browser, arguments: Mapping[str, Any]) -> None:
        browser.select(arguments["option"], arguments["element"])


class Back(_WebTool):
    """Opens the page before."""

    name = "back"
    description = "Opens the page before this one."
    parameters: ClassVar = {**_schema({}), "required": []}

    def _act(self, browser: Browser, arguments: Mapping[str, Any]) -> None:
        browser.back()


class ClickAt(_WebTool):
    """Clicks at a point of the window."""

    name = "click_at"
    description = "Clicks at a point of the window. A field that is clicked gets the focus."
    parameters: ClassVar = _schema({"x": 120, "y": 44}, x=_PIXEL, y=_PIXEL)

    def _act(self, browser: Browser, arguments: Mapping[str, Any]) -> None:
        browser.click_at(arguments["x"], arguments["y"])


class TypeText(_WebTool):
    """Types into the field that has the focus."""

    name = "type"
    description = "Replaces the text of the field that has the focus."
    parameters: ClassVar = one_text("text", "what it then holds", "Ada", maxLength=MAX_TYPED)
    body = "text"

    def _act(self, browser: Browser, arguments: Mapping[str, Any]) -> None:
        browser.type(arguments["text"], _focus(browser))


class SelectOption(_WebTool):
    """Chooses an option of the list that has the focus."""

    name = "select"
    description = "Chooses an option of the select list that has the focus."
    parameters: ClassVar = one_text("option", "the option, exactly", "blue", maxLength=MAX_TYPED)
    body = "option"

    def _act(self, browser: Browser, arguments: Mapping[str, Any]) -> None:
        browser.select(arguments["option"], _focus(browser))


class Scroll(_WebTool):
    """Moves the window over the page."""

    name = "scroll"
    description = "Moves the window down the page, up if the number is negative."
    parameters: ClassVar = _schema(
        {"pixels": 400},
        pixels={
            "type": "integer", "minimum": -100_000, "maximum": 100_000,
            "description": "by how many pixels",
        },
    )  # fmt: skip
    body = "pixels"

    def _act(self, browser: Browser, arguments: Mapping[str, Any]) -> None:
        browser.scroll(arguments["pixels"])


def web_tools(pointing: Pointing) -> Sequence[Tool]:
    """Make the tools of a visit.

    Args:
        pointing: `number` for pages whose elements have numbers, `point` for a window whose
            elements have boxes.
    """
    if pointing == "number":
        return [tool(show_page) for tool in (Click, Type, Select, Back)]
    return [tool(show_window) for tool in (ClickAt, TypeText, SelectOption, Scroll, Back)]


def _focus(browser: Browser) -> int:
    if not browser.focus:
        raise Refused("No field has the focus: click one first.")
    return browser.focus
