"""Texts of an SVG picture."""

from xml.etree import ElementTree


def texts(picture: str) -> list[str]:
    """Return the texts of a picture in their order; raise if it is not well-formed."""
    tree = ElementTree.fromstring(picture)
    return [element.text or "" for element in tree.iter("{http://www.w3.org/2000/svg}text")]
