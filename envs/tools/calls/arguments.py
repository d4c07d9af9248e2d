"""The arguments of a call: whether they fit the tool's JSON schema, and if not, why in words."""

import difflib
import json
import operator
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

from zerogym.envs.tools.tool import Tool

NEAR = 0.75  # similarity, from 0 to 1, from which on a name is taken for a misspelt one
_SHOWN = 60  # characters of a wrong value


def nearest(name: str, known: Iterable[str], cutoff: float = 0.5) -> str:
    """Return the known name that is most like this one, or an empty text."""
    return next(iter(difflib.get_close_matches(name[:40], list(known), n=1, cutoff=cutoff)), "")


def names_of(tool: Tool) -> list[str]:
    """Return the names of a tool's arguments."""
    return list(tool.parameters.get("properties", {}))


def problem_with(tool: Tool, arguments: Mapping[str, Any]) -> str:
    """Explain why arguments do not fit a tool's schema (JSON Schema 2020-12); empty if they do."""
    if _surely_fit(tool.parameters, arguments):
        return ""
    validator = _validator(json.dumps(tool.parameters, sort_keys=True))
    error = min(validator.iter_errors(arguments), key=_order, default=None)
    return "" if error is None else _said(error, names_of(tool))


# By type of a value: the types that have it, and the rules that it must keep.
_NUMBER = {"minimum": operator.ge, "maximum": operator.le}
_TEXT = {
    "enum": lambda text, known: text in known,
    "minLength": lambda text, least: len(text) >= least,
    "maxLength": lambda text, most: len(text) <= most,
}
_KNOWN: dict[type, tuple[tuple[str, ...], Mapping[str, Callable[[Any, Any], bool]]]] = {
    str: (("string",), _TEXT),
    int: (("integer", "number"), _NUMBER),
    float: (("number",), _NUMBER),
    bool: (("boolean",), {}),
}
_NO_RULES = {"type", "description", "examples", "default"}
_FLAT = {"type", "properties", "required", "additionalProperties", "examples"}


def _surely_fit(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> bool:
    """Return whether arguments fit a schema, decided without a validator; False where unsure.

    A validator takes about 50 microseconds a call, as long as many tools. This knows flat objects
    of texts, numbers and truth values with simple rules: the schemas of most tools.
    """
    if not schema.keys() <= _FLAT or schema.get("additionalProperties") is not False:
        return False
    for name in schema.get("required", ()):
        if name not in arguments:
            return False
    properties = schema.get("properties", {})
    for name, value in arguments.items():
        property = properties.get(name)
        kinds, rules = _KNOWN.get(type(value), ((), {}))
        if not isinstance(property, dict):
            return False
        if property.get("type", "string" if "enum" in property else "") not in kinds:
            return False
        for rule, bound in property.items():
            if rule not in _NO_RULES and not (rule in rules and rules[rule](value, bound)):
                return False
    return True


@lru_cache(maxsize=256)
def _validator(schema: str) -> Any:
    from jsonschema import Draft202012Validator  # not needed before the first call

    return Draft202012Validator(json.loads(schema))


def _order(error: Any) -> tuple[int, str, str]:
    """Sort a name that is wrong first: it is often why another one is missing."""
    return (error.validator != "additionalProperties", error.json_path, str(error.validator))


def _said(error: Any, names: list[str]) -> str:
    where = ".".join(map(str, error.absolute_path))
    rule, value = error.validator_value, error.instance
    subject = f"argument {where!r}" if where else "the arguments"
    match error.validator:
        case "required":
            missing = next(name for name in rule if name not in value)
            return f"argument {missing!r} is missing"
        case "additionalProperties":
            extra = next((name for name in value if name not in error.schema["properties"]), "")
            near = nearest(extra, names)
            hint = f", did you mean {near!r}?" if near else f"; there are: {', '.join(names)}"
            return f"there is no argument {extra[:40]!r}{hint}"
        case "type":
            kinds = rule if isinstance(rule, str) else " or ".join(rule)
            return f"{subject} must be of type {kinds}, not {_short(value)}"
        case "enum":
            return f"{subject} must be one of {_short(list(rule), 400)}, not {_short(value)}"
        case "minLength" if rule == 1:
            return f"{subject} is empty"
        case "maxLength":
            return f"{subject} has {len(value)} characters, allowed are {rule}"
        case "minimum" | "exclusiveMinimum" | "maximum" | "exclusiveMaximum":
            signs = {"minimum": ">=", "exclusiveMinimum": ">", "maximum": "<="}
            return f"{subject} must be {signs.get(error.validator, '<')} {rule}"
        case _:
            name = error.validator
            return f"{subject} does not fit the rule {name} {_short(rule, 200)}: {_short(value)}"


def _short(value: Any, characters: int = _SHOWN) -> str:
    """Write a value as JSON, cut; of a long one no more than needed."""
    if isinstance(value, str):
        value = value[: characters + 1]
    text = json.dumps(value)
    return text if len(text) <= characters else f"{text[:characters]}..."
