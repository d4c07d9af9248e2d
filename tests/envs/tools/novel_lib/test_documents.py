"""Every function of a library does what its document says, read by a second implementation."""

import re

import numpy as np
import pytest

from zerogym.envs.tools.novel_lib.library import make_library
from zerogym.envs.tools.novel_lib.operations import OPERATIONS
from zerogym.envs.tools.novel_lib.program import NoProgram, read_program


def some(test):
    return lambda v, *n: [x for x in v if test(x, *n)]


def each(change):
    return lambda v, *n: [change(x, *n) for x in v]


def neighbours(join):
    return lambda v: [join(v[i - 1], v[i]) for i in range(1, len(v))]


def insertion_sorted(v):
    out = []
    for x in v:
        place = sum(y <= x for y in out)
        out.insert(place, x)
    return out


def rotated(v, n):
    out = list(v)
    for _ in range(n % len(v) if v else 0):
        out.append(out.pop(0))
    return out


def folded(v, start, factor):
    for x in v:
        start = (start * factor + x) % 1000
    return start


def rest(x, d):
    return x if d == 0 else x - d * int(np.floor(x / d))


def sums(v, width):
    width = 1 if width < 1 else width
    return [sum(v[i + j] for j in range(width)) for i in range(len(v)) if i + width <= len(v)]


# The document, with `V` for the list and other letters for numbers in order of appearance, and
# the result from the list and the numbers in that order.
MEANS = {
    "The numbers of V in ascending order.": insertion_sorted,
    "The numbers of V in descending order.": lambda v: insertion_sorted(v)[::-1],
    "V in reverse order.": lambda v: [v[len(v) - 1 - i] for i in range(len(v))],
    "V without repeated numbers: only the first of equals stays.":
        lambda v: [x for i, x in enumerate(v) if x not in v[:i]],
    "V with numbers above A set to A, and others below B set to B.":
        each(lambda x, a, b: a if x > a else b if x < b else x),
    "The first A numbers of V; none if A is below 1.":
        lambda v, a: [x for i, x in enumerate(v) if i < a],
    "V without its first A numbers; all if A is below 1.":
        lambda v, a: [x for i, x in enumerate(v) if i >= a],
    "V with the first A numbers moved to its end, modulo its length.": rotated,
    "Each number of V times A.": each(lambda x, a: x * a),
    "Each number of V plus A.": each(lambda x, a: x + a),
    "The numbers of V that are greater than A.": some(lambda x, a: x > a),
    "The numbers of V that are less than A.": some(lambda x, a: x < a),
    "The difference of each number of V and the one before it; the first has none.":
        neighbours(lambda a, b: b - a),
    "The running sums of V: of its first number, its first two, and so on.":
        lambda v: [sum(v[: i + 1]) for i in range(len(v))],
    "The remainder of each number of V modulo A, at least 0 if A is positive; V itself if A is 0.":
        each(rest),
    "V with each A replaced by B.": each(lambda x, a, b: b if x == a else x),
    "The first number of V and each one A places further; A below 1 counts as 1.":
        lambda v, a: [x for i, x in enumerate(v) if i % max(a, 1) == 0],
    "Each number of V repeated A times in a row, 100 times at most.":
        lambda v, a: [v[i // a] for i in range(len(v) * a)] if a > 0 else [],
    "The square of each number of V.": each(lambda x: x**2),
    "The absolute value of each number of V.": each(lambda x: -x if x < 0 else x),
    "V followed by as many A as it needs to have B numbers, 1000 at most.":
        lambda v, a, b: [v[i] if i < len(v) else a for i in range(max(b, len(v)))],
    "The sums of all A neighbouring numbers of V; A below 1 counts as 1.": sums,
    "The numbers of V that are no multiples of A; all if A is 0.":
        some(lambda x, a: a == 0 or abs(x) % abs(a) != 0),
    "The larger one of each two neighbours in V, one fewer than it has.":
        neighbours(lambda a, b: a if a > b else b),
    "The total of all numbers in V.": lambda v: sum([0, *v]),
    "The largest number in V; 0 for an empty list.": lambda v: insertion_sorted(v)[-1] if v else 0,
    "The smallest number in V; 0 for an empty list.": lambda v: insertion_sorted(v)[0] if v else 0,
    "How many numbers of V exceed A.": lambda v, a: len([x for x in v if x > a]),
    "How many different numbers V has.":
        lambda v: sum(x not in v[:i] for i, x in enumerate(v)),
    "Starts with A; for each number of V, multiplies by B, adds the number and takes the remainder "
    "modulo 1000.": folded,
}  # fmt: skip


def read(document):
    """Return name, parameters with types, the text with letters, and the numbers in its order."""
    name, given, text = re.fullmatch(r"(\w+)\((.*?)\): (.*)", document).groups()
    types = dict(one.split(": ") for one in given.split(", "))
    numbers = []
    for called in re.findall(r"`(\w+)`", text):
        if types[called] == "int" and called not in numbers:
            numbers.append(called)
    for called, kind in types.items():
        letter = "V" if kind == "list" else "AB"[numbers.index(called)]
        text = text.replace(f"`{called}`", letter)
    return name, types, text, numbers


@pytest.mark.parametrize("number", range(12))
def test_documents_and_functions_agree(number):
    library, rng = make_library(number), np.random.default_rng([number, 5])
    meant = set()
    for entry in library.entries.values():
        name, types, text, numbers = read(entry.document)
        meant.add(text)
        for _ in range(12):
            values = rng.integers(-9, 15, size=rng.integers(0, 9)).tolist()
            given = {called: int(rng.integers(-2, 12)) for called in numbers}
            (lists,) = (called for called, kind in types.items() if kind == "list")
            by_place = ", ".join("xs" if c == lists else str(given[c]) for c in types)
            by_name = ", ".join(f"{c}={given[c]}" for c in numbers)
            expected = MEANS[text](values, *(given[called] for called in numbers))
            for source in (f"{name}({by_place})", f"y = xs\n{library.name}.{name}({lists}=y"
                           f"{', ' if by_name else ''}{by_name})"):  # fmt: skip
                assert read_program(source, library).run(values) == expected, (
                    entry.document,
                    given,
                )
    assert meant == set(MEANS) and len(library.entries) == len(OPERATIONS) == 30


def test_libraries_are_renamed_and_their_arguments_shuffled():
    first, again, other = make_library(1), make_library(1), make_library(2)
    assert first == again
    assert not set(first.entries) & set(other.entries)
    orders = {tuple(make_library(n).of["clip"].order) for n in range(60)}
    assert len(orders) == 6  # every order of a list and two numbers


def test_a_query_in_the_words_of_a_document_finds_it():
    for number in range(4):
        library = make_library(number)
        for operation in OPERATIONS:
            found = library.search(operation.document)
            assert found == library.of[operation.key].document
    assert library.search("square") == library.of["squares"].document
    assert library.search("zzz 12") == library.search("") == ""


SMALL = make_library(0)
SUM, SQUARES, SHIFT = (SMALL.of[key].name for key in ("total", "squares", "shift"))


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("", "the last line is not an expression"),
        ("a = xs", "the last line is not an expression"),
        ("xs; xs", "a line is neither"),
        ("xs +", "not Python"),
        ("xs[0]", "neither a number, a list"),
        ("1 + 1j", "only integers"),
        ("[1, 'a']", "only integers"),
        ("[1, [2]]", "only integers"),
        ("True", "only integers"),
        ("'a'", "only integers"),
        ("ys", "no variable 'ys'"),
        ("lambda: 1", "neither a number"),
        ("sum(xs)", "no function 'sum'"),
        (f"other.{SUM}(xs)", "no library 'other'"),
        (f"{SUM}()", "needs an argument"),
        (f"{SUM}(xs, xs)", "takes 1 argument"),
        (f"{SUM}(xs, no=1)", "no further argument 'no'"),
        (f"{SUM}(xs, {SMALL.of['total'].names[0]}=xs)", "no further argument"),
        (f"{SUM}(*xs)", "neither a number"),
        (f"{SUM}(**xs)", "no further argument 'None'"),
        (f"{SUM}(3)", "must be of type list"),
        (f"{SHIFT}(xs, xs)", "must be of type int"),
        ("__import__('os')", "no function '__import__'"),
        (f"{SUM}.__globals__", "neither a number"),
        ("(" * 1500 + "xs" + ")" * 1500, "longer than 2000"),
        ("(" * 900 + "xs" + ")" * 900, "not Python"),
        ("-" * 1500 + "1", "the program"),
        ("[" + "1," * 900 + "1]", "more than 300 parts"),
        ("9" * 1999, "too large"),
        ("xs\0", "not Python"),
        ("\ud800", "not Python"),
        ("x" * 10**7, "longer than 2000"),
        (f"{SQUARES}(" * 60 + "[10]" + ")" * 60, "too large"),
    ],
)
def test_programs_that_are_none_are_refused_in_words(source, message):
    with pytest.raises(NoProgram, match=re.escape(message)):
        read_program(source, SMALL).run([1, 2, 3])


def test_values_do_not_grow_without_end():
    stretch = SMALL.of["stretch"]
    given = ", ".join("xs" if key == "values" else "100" for key in stretch.order)
    source = f"{stretch.name}({given})"
    assert len(read_program(source, SMALL).run([1] * 10)) == 1000
    with pytest.raises(NoProgram, match="too large"):
        read_program(source, SMALL).run([1] * 11)
