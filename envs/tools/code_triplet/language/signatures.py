"""The types of the operations of the small language: which programs have a result for all inputs.

A letter stands for a type: `l` a list of integers, `t` a text, `c` a single character (which is a
text, too), `n` an integer, `b` a condition. Three stand for constants: `k` an integer other than 0,
`q` a text.
"""

from collections.abc import Mapping, Sequence

LETTERS = {"list": "l", "text": "t", "number": "n"}
KINDS = {"l": "list", "t": "text", "c": "text", "n": "number"}
_ORDER = ("nn:b", "tt:b")
_EQUAL = (*_ORDER, "ll:b")
SIGNATURES: Mapping[str, Sequence[str]] = {  # arguments and, after the colon, the result
    "add": ("nn:n", "tt:t", "ll:l"), "subtract": ("nn:n",), "multiply": ("nn:n",),
    "quotient": ("nk:n",), "remainder": ("nk:n",),
    "less": _ORDER, "at_most": _ORDER, "more": _ORDER, "at_least": _ORDER,
    "equal": _EQUAL, "unequal": _EQUAL, "in": ("nl:b", "tt:b"), "not_in": ("nl:b", "tt:b"),
    "and": ("bb:b",), "or": ("bb:b",),
    "absolute": ("n:n",), "larger": ("nn:n",), "smaller": ("nn:n",), "length": ("l:n", "t:n"),
    "largest": ("l:n",), "smallest": ("l:n",), "add_up": ("l:n",), "count": ("ln:n", "tt:n"),
    "empty": (":l",), "single": ("n:l",), "sorted": ("l:l",), "descending": ("l:l",),
    "reversed": ("l:l", "t:t"), "from": ("ln:l", "tn:t"), "until": ("ln:l", "tn:t"),
    "between": ("lnn:l", "tnn:t"), "every": ("lk:l", "tk:t"), "every_from": ("lnk:l", "tnk:t"),
    "upper": ("t:t",), "replace": ("tqq:t",), "digits": ("n:l",), "alphabet_place": ("c:n",),
    "shift": ("cn:c",),
}  # fmt: skip
ITERATED = {"l": "n", "t": "c", "c": "c"}  # the type of the elements


def result_type(kind: str, given: Sequence[str], constants: Sequence[object]) -> str:
    """Return the type of an operation's result; empty if the arguments do not suit it.

    Args:
        kind: The operation.
        given: The types of its arguments.
        constants: Their values where they are constants, else None.
    """
    for signature in SIGNATURES[kind]:
        required, _, result = signature.partition(":")
        if len(required) == len(given) and all(map(_suits, required, given, constants)):
            return result
    return ""


def _suits(required: str, given: str, constant: object) -> bool:
    if required == "k":
        return given == "n" and constant is not None and constant != 0
    if required == "q":
        return constant is not None and given in "tc"
    return given == required or (required == "t" and given == "c")
