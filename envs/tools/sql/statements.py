"""Finding the SQL in a reply, and checks of its text before SQLite reads it.

SQLite copies a common table expression wherever it is named, and an expression of a subquery
wherever the outer query names its column. It does so while it prepares a statement, where none of
its limits and no budget counts: twenty steps that each double the one before would take minutes
and all memory. So `copies` bounds the copies from the text alone, from above.

Left out: a grammar. Words are distinguished from strings, names and comments, and brackets are
matched; SQLite itself refuses whatever is not SQL.
"""

import re
from collections import Counter

MAX_REPLY = 20_000  # characters; of a longer reply the end is read
SUBMIT = "submit"
MAX_SQL = 4000  # characters of a statement
MAX_COPIES = 50_000  # as many copies take SQLite a fraction of a second
FIRST_WORDS = frozenset({"select", "with", "values", "pragma"})
WRITING_WORDS = frozenset({"insert", "replace", "update", "delete", "create", "drop"})
_READING = "Only one SELECT, WITH, VALUES or PRAGMA table_info statement can be run."
_WRITING = (
    "Only one SELECT, WITH, VALUES, PRAGMA table_info, INSERT, REPLACE, UPDATE, DELETE, "
    "CREATE TABLE or DROP TABLE statement can be run."
)
_SIGNS = frozenset("()[]{},.;:+-/%<>=|&~!?@#^'`\"\\")  # all but *, which names columns
_TAG = re.compile(r"<(/?)sql>", re.IGNORECASE)
_TOKEN = re.compile(
    r"""(?P<skip>[ \t\n\r\f\v]+|--[^\n]*|/\*.*?(?:\*/|\Z))
    |(?P<quoted>'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\])
    |(?P<word>(?:[\w$]|[^\x00-\x7f])+)
    |(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)


def read_statement(reply: str) -> str:
    """The query (or `submit`) in a reply; empty if there is none.

    Tags may stay open, since a model that stops at `</sql>` may not show it.

    Example:
        >>> read_statement("I think <sql>SELECT 1</sql>"), read_statement("I do not know")
        ('SELECT 1', '')
    """
    reply = reply[-MAX_REPLY:]
    opening = [match for match in _TAG.finditer(reply) if not match[1]]
    if opening:
        inside = reply[opening[-1].end() :]
        closing = _TAG.search(inside)
        return inside[: closing.start() if closing else None].strip()
    parts = reply.split("```")
    if len(parts) > 1:
        # Fences open and close in turn: the last block is the last piece with an odd number.
        block = parts[len(parts) - 1 - len(parts) % 2]
        language, newline, body = block.partition("\n")
        return (body if newline and language.strip().isalnum() else block).strip()
    statement = reply.strip()
    first = statement[:20].split(maxsplit=1)
    readable = first and first[0].lower() in FIRST_WORDS
    return statement if readable or is_submit(statement) else ""


def is_submit(statement: str) -> bool:
    """Return True if a statement is the word `submit`."""
    return statement.rstrip("; .\n").lower() == SUBMIT


def split_words(sql: str) -> list[str]:
    """Names, strings (without their quotes) and signs of a statement, in lower case."""
    words = []
    for match in _TOKEN.finditer(sql):
        word = match[0]
        if match.lastgroup == "quoted":
            word = word[1:-1].replace(word[0] * 2, word[0])
            if word.lower() == "select" or word in _SIGNS:
                word = f"\x00{word}"  # a name that must not pass for a keyword or a bracket
        if match.lastgroup != "skip":
            words.append(word.lower())
    return words


def refusal(sql: str, writable: bool = False) -> str:
    """Return the reason why a text is refused as a statement; empty if it is not.

    Example:
        >>> refusal("SELECT 1"), refusal("DROP TABLE pets")
        ('', 'Only one SELECT, WITH, VALUES or PRAGMA table_info statement can be run.')
        >>> refusal("DROP TABLE pets", writable=True)
        ''
    """
    if len(sql) > MAX_SQL:
        return f"The statement is longer than {MAX_SQL} characters."
    if "\x00" in sql or any("\ud800" <= character <= "\udfff" for character in sql):
        return "The statement holds characters that are not text."
    words = split_words(sql)
    if not words or words[0] not in (FIRST_WORDS | WRITING_WORDS if writable else FIRST_WORDS):
        return _WRITING if writable else _READING
    if words[0] in ("create", "drop") and words[1:2] != ["table"]:
        return _WRITING
    if words[0] == "create" and (flaw := _definition_flaw(words)):
        return flaw
    if copies(words) > MAX_COPIES:
        return "The statement nests too many repeated parts."
    return ""


def _definition_flaw(words: list[str]) -> str:
    """Return the error in a CREATE TABLE; empty if there is none.

    SQLite does not authorize functions in a DEFAULT, and computes columns out of one another
    without a bound, so that a definition holds names, types, keys and plain values only. Behind
    `CREATE TABLE name AS` stands a query, which is judged like any other.
    """
    name = 5 if words[2:5] == ["if", "not", "exists"] else 2
    name += 2 if words[name + 1 : name + 2] == ["."] else 0  # after the database's name
    if words[name + 1 : name + 2] == ["as"]:
        return ""
    columns = words[name + 1 :]
    for word, following in zip(columns, [*columns[1:], ""], strict=False):
        if word in ("as", "generated", "check"):
            return f"A new table cannot have {word.upper()} in its columns."
        if word == "default" and (following == "(" or following.startswith("current_")):
            return "A DEFAULT must be a plain value."
    return ""


def table_expressions(words: list[str]) -> list[str]:
    """The names before `AS (`: common table expressions (and windows, which do no harm).

    Example:
        >>> table_expressions(split_words("WITH a AS (SELECT 1), b(x) AS (SELECT 2) SELECT 3"))
        ['a', 'b']
    """
    names = []
    for index in range(1, len(words)):
        if words[index] != "as":
            continue
        after = [w for w in words[index + 1 : index + 4] if w not in ("not", "materialized")]
        if not after or after[0] != "(":
            continue
        start = index - 1
        if words[start] == ")":  # a list of columns stands between the name and AS
            while start > 0 and words[start] != "(":
                start -= 1
            start -= 1
        names.append(words[max(start, 0)])
    return names


def copies(words: list[str]) -> int:
    """An upper bound of how often SQLite may copy a part of a statement, at most 10**9.

    Each common table expression multiplies by the number of times it is named. Each SELECT
    multiplies by the most times that it names one thing, since the thing may be a column of a
    subquery.
    """
    total = Counter(words)
    bound = 1
    for name in table_expressions(words):
        bound = min(bound * max(1, total[name] - 1), 10**9)
    for names in _names_by_select(words):
        bound = min(bound * max(names.values(), default=1), 10**9)
    return bound


def _names_by_select(words: list[str]) -> list[Counter[str]]:
    """Count the names in each SELECT, its inner SELECTs apart; `table.` does not count."""
    selects: list[Counter[str]] = [Counter()]
    around = [selects[0]]  # the SELECT that each open bracket stands in
    for word, following in zip(words, [*words[1:], ""], strict=True):
        if word == "(":
            around.append(around[-1])
        elif word == ")":
            around = around[:-1] or [selects[0]]
        elif word == "select":
            selects.append(Counter())
            around[-1] = selects[-1]
        elif word not in _SIGNS and following != ".":
            around[-1][word] += 1
    return selects
