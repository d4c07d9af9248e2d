"""A small browser over HTTP: it reads the HTML of pages, follows links and sends forms.

It shares no code with `zerogym.envs.tools.web`: what both do must agree.
"""

import http.client
from html.parser import HTMLParser
from typing import Any
from urllib.parse import quote_plus, urlsplit

VOID = ("input", "meta")


class Element:
    """An element with its attributes, the form around it, and the texts of its options."""

    def __init__(self, tag: str, attributes: dict[str, str | None], form: "Element | None"):
        self.tag, self.attributes, self.form = tag, attributes, form
        self.options: list[tuple[str, bool]] = []
        self.fields: list[Element] = []

    def get(self, name: str) -> str:
        return self.attributes.get(name) or ""


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.by_id: dict[str, Element] = {}
        self._form: Element | None = None
        self._select: Element | None = None
        self._option: bool | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, dict(attrs), self._form)
        if "id" in element.attributes:
            assert element.get("id") not in self.by_id, "ids are unique"
            self.by_id[element.get("id")] = element
        if tag == "form":
            self._form = element
        elif tag in ("input", "select", "button") and self._form is not None:
            self._form.fields.append(element)
        if tag == "select":
            self._select = element
        elif tag == "option":
            self._option = "selected" in element.attributes

    def handle_data(self, data: str) -> None:
        if self._select is not None and self._option is not None:
            self._select.options.append((data, self._option))

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = None
        elif tag == "select":
            self._select = None
        elif tag == "option":
            self._option = None


class Visitor:
    """Visits a site; the calls are those of the tools `click`, `type`, `select`, `back`."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self._connection = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=10)
        self.trail: list[str] = []
        self.open("/")

    def close(self) -> None:
        self._connection.close()

    def open(self, path: str) -> None:
        status, self.html, _ = self.request("GET", path)
        assert status in (200, 404), status
        if self.trail[-1:] != [path]:
            self.trail.append(path)
        reader = _Reader()
        reader.feed(self.html)
        self.elements = reader.by_id
        self._typed: dict[Element, Any] = {}

    def request(
        self, method: str, path: str, body: str = "", headers: dict[str, str] | None = None
    ) -> tuple[int, str, str]:
        """Send a request; return status, text and where it sends the visitor."""
        form = {"Content-Type": "application/x-www-form-urlencoded"} if method == "POST" else {}
        self._connection.request(method, path, body or None, form | (headers or {}))
        response = self._connection.getresponse()
        return response.status, response.read().decode(), response.getheader("Location", "")

    def call(self, tool: str, arguments: dict[str, Any]) -> None:
        if tool == "back":
            if len(self.trail) > 1:
                self.trail.pop()
                self.open(self.trail[-1])
            return
        element = self.elements[f"e{arguments['element']}"]
        if tool == "type":
            assert element.tag == "input" and element.get("type") in ("text", "password")
            self._typed[element] = arguments["text"]
        elif tool == "select":
            assert arguments["option"] in [text for text, _ in element.options]
            self._typed[element] = arguments["option"]
        elif element.tag == "a":
            self.open(element.get("href"))
        elif element.tag == "button":
            self._send(element)
        elif element.get("type") == "checkbox":
            self._typed[element] = not self._is_on(element)
        elif element.get("type") == "radio" and element.form is not None:
            for other in element.form.fields:
                if other.get("type") == "radio" and other.get("name") == element.get("name"):
                    self._typed[other] = other is element

    def _is_on(self, element: Element) -> bool:
        return bool(self._typed.get(element, "checked" in element.attributes))

    def _send(self, pressed: Element) -> None:
        form = pressed.form
        assert form is not None
        pairs = []
        for field in form.fields:
            name, kind = field.get("name"), field.get("type")
            if not name or (field.tag == "button" and field is not pressed):
                continue
            if kind in ("checkbox", "radio") and not self._is_on(field):
                continue
            value = field.get("value")
            if field.tag == "select":
                value = next((o for o, chosen in field.options if chosen), field.options[0][0])
            if kind not in ("checkbox", "radio"):
                value = self._typed.get(field, value)
            pairs.append(f"{quote_plus(name)}={quote_plus(value)}")
        body, action = "&".join(pairs), form.get("action")
        if form.get("method") == "get":
            self.open(f"{action}?{body}")
            return
        status, _, target = self.request("POST", action, body)
        assert status == 303
        self.open(target)
