"""Pages as HTML, so that the same site works in any browser; no scripts, no styles."""

from collections.abc import Mapping
from html import escape

from zerogym.envs.tools.web.dom import Node, Page

_PLAIN = frozenset({"main", "nav", "section", "ul", "li", "table", "tr", "div", "p", "h1"})


def to_html(page: Page) -> str:
    """Write a page; element number 3 has the id `e3`, the number that the agent reads."""
    body = _html(page.body, page.numbers, "div")
    head = f'<meta charset="utf-8"><title>{escape(page.title)}</title>'
    return f"<!DOCTYPE html><html><head>{head}</head><body>{body}</body></html>"


def _html(node: Node, numbers: Mapping[Node, int], parent: str) -> str:
    inner = "".join(_html(child, numbers, node.tag) for child in node.children)
    label, get = escape(node.label), node.attributes.get
    number = numbers.get(node)
    mark = "" if number is None else f' id="e{number}"'
    name, value = escape(str(get("name", ""))), escape(str(get("value", "")))
    named = f' name="{name}"' if name else ""
    match node.tag:
        case "a":
            made = f'<a{mark} href="{escape(get("href", ""))}">{label}</a>'
        case "form":
            action, method = escape(get("action", "")), get("method", "")
            made = f'<form action="{action}" method="{method}">{inner}</form>'
        case "button":
            made = f'<button{mark}{named} value="{value}">{label}</button>'
        case "hidden":
            made = f'<input type="hidden"{named} value="{value}">'
        case "text" | "password":
            field = f'<input{mark} type="{node.tag}"{named} value="{value}" autocomplete="off">'
            made = f"<label>{label} {field}</label>"
        case "checkbox" | "radio":
            on = " checked" if get("checked") else ""
            field = f'<input{mark} type="{node.tag}"{named} value="{value}"{on} autocomplete="off">'
            made = f"<label>{field} {label}</label>"
        case "select":
            options = "".join(
                f"<option{' selected' * (option == get('value'))}>{escape(option)}</option>"
                for option in get("options", ())
            )
            field = f'<select{mark}{named} autocomplete="off">{options}</select>'
            made = f"<label>{label} {field}</label>"
        case tag if tag in _PLAIN:
            made = f"<{tag}>{label}{inner}</{tag}>"
        case tag:
            raise ValueError(f"there is no HTML for a node {tag!r}")
    return f"<td>{made}</td>" if parent == "tr" else made
