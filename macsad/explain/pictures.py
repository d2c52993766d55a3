"""Pictures that stand in a page: SVG of Graphviz and matplotlib, in the page's own colours, light and dark.

What they write is parsed and written anew: no declarations, links, scripts, style sheets and identifiers that could meet
others of the page; colours become classes and variables of the page's style sheet.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from transpiler.shown import shown

SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
KEPT = {
    "g",
    "path",
    "polygon",
    "polyline",
    "ellipse",
    "rect",
    "line",
    "text",
    "tspan",
    "use",
    "defs",
    "clipPath",
    "title",
}
_ID = re.compile(r"url\(#([^)]+)\)")

ElementTree.register_namespace("", SVG)
ElementTree.register_namespace("xlink", XLINK)


def inline(text: bytes, name: str, title: str, colours: Mapping[str, str]) -> str:
    """A picture as an element of HTML. `name` goes before its identifiers, `title` is read out for it; `colours`: what becomes
    which value of CSS."""
    root = ElementTree.fromstring(text)
    _clean(root, name, colours)
    width, height = (float(part) for part in root.attrib["viewBox"].split()[2:])
    root.attrib = {
        "viewBox": root.attrib["viewBox"], "role": "img", "aria-labelledby": f"{name}-title",
        "style": f"width:{width * 4 / 3:.0f}px;aspect-ratio:{width:.0f}/{height:.0f}",
    }  # fmt: skip
    head = Element(f"{{{SVG}}}title", {"id": f"{name}-title"})
    head.text = shown(title)
    root.insert(0, head)
    return ElementTree.tostring(root, encoding="unicode")


def _clean(element: Element, name: str, colours: Mapping[str, str]) -> None:
    for child in list(element):
        tag = _tag(child)
        if tag == "a":  # of Graphviz, for what is shown where the pointer is
            tip = child.attrib.get(f"{{{XLINK}}}title", "")
            child.tag, child.attrib = f"{{{SVG}}}g", {}
            head = Element(f"{{{SVG}}}title")
            head.text = tip
            child.insert(0, head)
            tag = "g"
        generated = tag == "title" and _tag(element) == "g" and "class" in element.attrib  # Graphviz's n0, n0->n1
        if tag not in KEPT or generated:
            element.remove(child)
        else:
            _clean(child, name, colours)
    element.attrib = dict(filter(None, (_attribute(*item, name, colours) for item in element.attrib.items())))


def _tag(element: Element) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


DRAWN = {
    "d", "points", "x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "rx", "ry", "r", "width", "height", "transform", "text-anchor",
    "stroke-width", "stroke-dasharray", "font-size", "font-weight", "dx", "dy", "viewBox",
}  # fmt: skip


def _attribute(key: str, value: str, name: str, colours: Mapping[str, str]) -> tuple[str, str] | None:
    """What becomes of an attribute; None: it is left out."""
    match key.rpartition("}")[2]:
        case "id":
            return "id", f"{name}-{value}"
        case "href" if value.startswith("#"):
            return "href", f"#{name}-{value[1:]}"
        case "clip-path":
            return "clip-path", _ID.sub(rf"url(#{name}-\1)", value)
        case "style":
            return "style", _coloured(value, colours)
        case "fill" | "stroke" as which if value != "none":
            # an attribute beside `style` of its own: Graphviz has no `style`
            return which, colours.get(value.lower(), value)
        case known if known in DRAWN or known in ("fill", "stroke"):
            return known, value
    return None


def _coloured(style: str, colours: Mapping[str, str]) -> str:
    for colour, value in colours.items():
        style = style.replace(colour, value)
    return style
